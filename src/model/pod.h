/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pods of Kubernetes, and other containers, that network namespaces belong to. */
#pragma once

#include "model/netns_owner.h"
#include "model/snapshot.h"

#define PODS_MAX 1024 /* known at a time; a node of Kubernetes has some hundred at most */

/* All texts are printable; "" = unknown, or there is none. */
struct pod {
	uint32_t netns;     /* inode; rows ascend by it */
	bool gone;          /* only in a recording: its last row */
	char namespace[64]; /* of Kubernetes */
	char name[254];
	char container[80]; /* a container of it; docker and podman have no pods */
	char container_id[CONTAINER_ID_LEN + 1];
	char uid[POD_UID_LEN + 1];
};

/* The pod that a network namespace belongs to; NULL = none is known. */
const struct pod *pod_find(const struct snapshot *s, uint32_t netns);
/*
 * The pod that a device leads to: the device or its peer is in the pod's namespace, as with the
 * veth of a pod on its node. NULL = none is known.
 */
const struct pod *pod_of_device(const struct snapshot *s, uint32_t netns, uint32_t ifindex);
/* "default/web", or the container's name. */
void pod_text(const struct pod *p, char *buf, size_t size);
