/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data source pods: the pod or container that each network namespace belongs to (model/pod.h), by
 * the cgroup of the process that the namespace is named after.
 */
#ifndef XDPTOP_PODS_H
#define XDPTOP_PODS_H

#include "model/netns_owner.h"

struct pods;

/* Live: the owners of all namespaces, as of now; names are looked for while some have none. */
void pods_set_owners(struct pods *pods, const struct netns_owners *owners);

#endif
