/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An expression of the filter language as the choice of events that is made in the kernel: terms
 * FIELD=VALUE of what an event has, and alternatives of them.
 */
#ifndef XDPTOP_FILTER_FOLLOW_H
#define XDPTOP_FILTER_FOLLOW_H

#include "model/followed.h"
#include "model/netns_names.h"

/* For the help: the fields, a line. */
extern const char filter_follow_help[];

/*
 * Set *to. `names` gives the namespaces, and the snapshot the tracepoints that have no row; where
 * both are NULL neither is looked up, to see whether the rest is right. 0, or -EINVAL or -ENOMEM
 * with the cause in why.
 */
int filter_follow_parse(const char *expr, struct netns_names *names, const struct snapshot *s,
			struct follow_filter *to, char *why, size_t size);

#endif
