/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets of known contents, verdict, device and queue, for a monitor that copies them. They are
 * handed to the programs by BPF_PROG_TEST_RUN, one after the other, so their order is known.
 *
 * Packet i asks for the verdict i % 6 and goes to the program, device and queue that its bits say:
 * see packet_fill() in capture.c, and tests/kernels/captured.py, which knows the same.
 */
#pragma once

#include <stdint.h>

/*
 * Prints a line for each program ("program", with ifindex and netns), then "ready". After a line on
 * stdin runs `n` packets, of each program not more than 900 in a second, and prints
 * "fired". After another one runs `flood` packets that all are dropped, up to 100,000 in a second,
 * by the first program, and prints "flooded". A third one ends it. Returns the exit status.
 */
int capture_run(uint32_t n, uint32_t flood);
