/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All stimuli, for --list, the parser, the demo and the bench.
 *
 * The rig's words:
 * stimulus: a row of tests/rig/stimulus.c: how frames are sent, and the expected counts
 * scene: a stimulus with its own namespaces, devices, maps and program, so that each series has
 *   one cause
 * in, out, peer: the device that runs the program; the target of redirects; the other end of the
 *   target
 * feed: the other end of in: it sends the frames that arrive as packets
 * arm: to attach the loaded programs and fill their maps as the stimulus needs; disarm undoes it
 * fire: to send the frames, and wait until the kernel has handled them
 * outcome: a function of the number of frames: the expected rows (tests/rig/outcome.c)
 * expect: an expected row as a line of JSON; tests compare the monitor's last row with it
 * witness: the rig's own programs at all tracepoints, which count alongside the monitor
 *   (--verify)
 */
#pragma once

#include "scene.h"

const struct stimulus *stimulus_at(unsigned int i); /* NULL = end */

const struct stimulus *stimulus_find(const char *name);
