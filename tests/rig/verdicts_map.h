/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/* Counters shared by the rig and its BPF programs that return the verdict a frame asks for. */
#pragma once

#define SEEN_QUEUES 16 /* a power of two */
#define SEEN_ACTS   6  /* enum xdp_action, then all other values */
#define SEEN_ROOM   8  /* slots for them; a power of two */
#define SEEN_CUT    10 /* bytes that a program cuts from a frame with another request */

struct seen {
	unsigned long long packets, bytes;
};
