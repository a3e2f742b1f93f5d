/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two devices get a program, which is replaced 19 times and detached: one device over netlink, the
 * other by a BPF link. Each change is a line of JSON.
 */
#pragma once

#define REPLACES_STEPS 21 /* of a round, for each device; odd */

/*
 * @rounds times all changes. The kernel waits for a grace period at each. Prints
 * `ready` and `done`, and waits after both for a line or EOF on stdin. Returns the exit status.
 */
int replaces_run(unsigned int rounds);
