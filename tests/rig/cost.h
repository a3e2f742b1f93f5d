/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RIG_COST_H
#define RIG_COST_H

/*
 * Attach an XDP program to the loopback device, and for each line of stdin run it many times: a
 * line with what one run took. The lines say what is on meanwhile: "empty" (a program at its end),
 * "profile" (as bpftool's), "statistics" (BPF_ENABLE_STATS); others nothing that is the rig's.
 * Ends with stdin. Returns an exit code.
 */
int cost_run(void);

#endif
