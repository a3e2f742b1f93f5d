/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts an expression of the filter language to a choice of events that the kernel makes: terms
 * FIELD=VALUE for what an event has, and alternatives.
 */
#ifndef XDPTOP_FILTER_FOLLOW_H
#define XDPTOP_FILTER_FOLLOW_H

#include "base/error.h"
#include "model/followed.h"
#include "model/netns_names.h"

/* For the help: the fields, in a line. */
extern const char filter_follow_help[];

/*
 * Set *to. `names` resolves namespaces, the snapshot tracepoints without a row. If both are NULL,
 * neither is resolved and only the rest is checked. 0, or -EINVAL or -ENOMEM and *error.
 */
int filter_follow_parse(const char *expr, struct netns_names *names, const struct snapshot *s,
			struct follow_filter *to, struct error *error);

#endif
