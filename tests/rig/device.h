/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Single steps on devices that are there already, for tests of real drivers: attach, detach, send.
 * A step is one call; what it attached stays, pinned below /sys/fs/bpf by the device's name.
 */
#ifndef RIG_DEVICE_H
#define RIG_DEVICE_H

int device_run(int argc, char **argv); /* the exit status */

#endif
