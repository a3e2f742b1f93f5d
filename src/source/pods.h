/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data source pods: the pod or container of each network namespace (model/pod.h), found by the
 * cgroup of the process that the namespace is named after.
 */
#pragma once

#include "model/netns_owner.h"

struct pods;

/* Live: set the current owners of all namespaces, and look up names that are still missing. */
void pods_set_owners(struct pods *pods, const struct netns_owners *owners);
