/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where snapshots come from: the running kernel (src/sampler.c) or a recording. The screen and the
 * batch outputs know only this.
 */
#ifndef XDPTOP_SOURCE_H
#define XDPTOP_SOURCE_H

#include "snapshot.h"

struct source;

struct source_ops {
	/*
	 * Fill a cleared snapshot with the counts of now; sets everything but seq. 0; -errno when
	 * sampling failed for good; 1 = a recording has ended (the snapshot is untouched).
	 */
	int (*sample)(struct source *s, struct snapshot *to);
	/*
	 * Ask for a tracepoint to be switched; returns at once (attaching takes up to 18 ms and is
	 * done by a worker; the next samples show state and pending). -EOPNOTSUPP in a recording,
	 * -ENOENT when missing or failed in this kernel.
	 */
	int (*toggle)(struct source *s, unsigned int tracepoint, bool on);
	/*
	 * Detach all (^Z) and attach again those that were on. Waits until it is done. May be NULL.
	 */
	int (*suspend)(struct source *s, bool stop);
	void (*close)(struct source *s);
};

struct source {
	const struct source_ops *ops;
	struct snapshot_host host;
	bool live;
};

#endif
