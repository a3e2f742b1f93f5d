/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explains why a view is empty or all zero. */
#ifndef XDPTOP_NO_DATA_H
#define XDPTOP_NO_DATA_H

#include "model/netns_names.h"
#include "model/rates.h"

#define NO_DATA_LEN 1024

/*
 * Which devices may be unknown: one sentence per line; "" = all are known. Returns the length.
 */
int no_data_netdevs(const struct snapshot *s, const struct snapshot_host *host, char *buf,
		    size_t size);
/*
 * Why no tracepoint of this set (bits 1 << id) has counted an event since the start or the
 * baseline: none can be attached, none is on, no XDP program, or only programs that pass or drop.
 * One sentence per line; empty when one has counted.
 */
int no_data_text(const struct rates *r, uint32_t tracepoints, const struct snapshot_host *host,
		 struct netns_names *names, char *buf, size_t size);

#endif
