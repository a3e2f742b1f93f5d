/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explains why a view is empty or all zero. */
#pragma once

#include "model/netns_names.h"
#include "model/rates.h"

#define NO_DATA_LEN 4096

/* How the reader of a text can switch a tracepoint on. */
enum switch_by {
	SWITCH_NOT,    /* in a replay */
	SWITCH_KEY,    /* press 3 */
	SWITCH_OPTION, /* -t +xdp_redirect */
};

/* Which devices may be unknown: one sentence per line; "" = all are known. Returns the length. */
int no_data_netdevs(const struct snapshot *s, const struct snapshot_host *host, char *buf,
		    size_t size);
/*
 * Why no tracepoint of this set (bits 1 << id) has counted an event since the start or the
 * baseline: none can be attached, none is on, there is no XDP program, or programs only pass or
 * drop. One sentence per line; empty if one has counted.
 */
int no_data_text(const struct rates *r, uint32_t tracepoints, const struct snapshot_host *host,
		 struct netns_names *names, enum switch_by by, char *buf, size_t size);
/* "in the 4s since the start" */
void no_data_since(const struct rates *r, const struct snapshot_host *host, char *buf, size_t size);
/*
 * Names the attached programs on whose devices no XDP tracepoint has counted an event since the
 * start or the baseline, and how to see their verdicts. Returns the length, 0 = none.
 */
int no_data_silent(const struct rates *r, struct netns_names *names, enum switch_by by, char *buf,
		   size_t size);
/* Whether a device runs a program as in no_data_silent(). */
bool no_data_is_silent(const struct rates *r, const struct netdev *d);
