/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/* Shared by the BPF programs that return what a frame asks for and the rig: what they count. */
#ifndef RIG_VERDICTS_MAP_H
#define RIG_VERDICTS_MAP_H

#define SEEN_QUEUES 16 /* a power of two */
#define SEEN_ACTS   6  /* enum xdp_action, then all other values */
#define SEEN_ROOM   8  /* for them; a power of two */
#define SEEN_CUT    10 /* bytes that a program takes off the end of a frame that asks for another */

struct seen {
	unsigned long long packets, bytes;
};

#endif
