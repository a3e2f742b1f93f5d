/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * XDP programs with known verdicts, for a monitor that counts them: how many packets and bytes each
 * program returned on each device, by verdict. The programs count as well; a difference is an error
 * of the rig itself.
 *
 * Each step waits for a line on stdin and prints what must have been counted by then.
 *   ready:    programs on veths, native and generic, by netlink and by link, with fragments, and a
 *             dispatcher with two parts
 *   fired:    frames for each verdict, with other numbers and lengths on each device
 *   attached: a new dispatcher also has these parts, and a third; more frames
 *   swapped:  it has replaced the old one, which is closed and gone; more frames
 *   done:     frames for each verdict
 *   end:      everything is detached, closed and gone
 */
#pragma once

/*
 * @in NULL = on its own veths. Else only the steps ready, done and end, with a native program on
 * device @in and frames of many flows from @feed, and counts are printed by RX queue. Returns the
 * exit status.
 */
int verdicts_run(const char *in, const char *feed);
/* Prints a line for each program of this name in the kernel. Returns the exit status. */
int verdicts_list(const char *prog_name);
