/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * XDP programs with known verdicts, for a monitor that counts them: of each program and device, how
 * many packets and bytes it has returned by verdict. The programs count as well; a difference is an
 * error of the rig's own.
 *
 * Each step waits for a line on stdin and prints what must have been counted by then:
 *
 *     ready     programs on veths, native and generic, by netlink and by link, with fragments, and
 * a dispatcher with two parts fired     frames by each verdict, other numbers and lengths on each
 * device attached  a new dispatcher has the parts as well, and a third; more frames swapped   it
 * has taken the place of the old one, which is closed and gone; more frames done      frames by
 * each verdict end       all is detached, closed and gone
 */
#ifndef RIG_VERDICTS_H
#define RIG_VERDICTS_H

/*
 * @in NULL: on veths of its own. Else only the steps ready, done and end, with a native program on
 * device @in and frames of many flows from @feed; what was counted is printed by RX queue.
 * The exit status.
 */
int verdicts_run(const char *in, const char *feed);
/* A line for each program of this name that the kernel has. The exit status. */
int verdicts_list(const char *prog_name);

#endif
