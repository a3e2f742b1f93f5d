/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why nothing is counted, in words: for a screen or a table that is all zero. */
#ifndef XDPTOP_NO_DATA_H
#define XDPTOP_NO_DATA_H

#include "model/netns_names.h"
#include "model/rates.h"

#define NO_DATA_LEN 1024

/*
 * Of which devices nothing is known, when there may be such: a sentence a line, "" = all are known.
 */
int no_data_netdevs(const struct snapshot *s, enum netdev_coverage coverage, char *buf,
		    size_t size);
/*
 * What may be the reason that none of these tracepoints (bits 1 << id) has counted an event since
 * the start, or the baseline: nothing can be attached, nothing is on, no XDP program anywhere, or
 * programs that have nothing to tell. One line a sentence; empty when they have counted something.
 */
int no_data_text(const struct rates *r, uint32_t tracepoints, const struct snapshot_host *host,
		 struct netns_names *names, char *buf, size_t size);

#endif
