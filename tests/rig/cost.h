/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * Attach an XDP program to the loopback device, and run it many times for each line of stdin;
 * prints the time of one run. A line says what is active meanwhile: "empty" (a program at its end),
 * "profile" (as bpftool's), "statistics" (BPF_ENABLE_STATS); any other text means nothing of the
 * rig's. Ends at the end of stdin. Returns an exit code.
 */
int cost_run(void);
