/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where something happens: the device, target, program and map that a series names, and the other
 * end of a veth where netlink tells it.
 */
#ifndef XDPTOP_LOCATION_H
#define XDPTOP_LOCATION_H

#include "model/snapshot.h"

struct location {
	struct netdev_ref dev;  /* where the packet came in, or where the exception happened */
	struct netdev_ref to;   /* the target, when it is a device */
	struct netdev_ref peer; /* the other end of `to`; without a target, of `dev` */
	int to_cpu;             /* -1 = none */
	int socket;             /* index in an xskmap; -1 = none */
	uint32_t prog_id, map_id, map_type; /* 0 = none */
	char prog_name[SNAPSHOT_NAME_LEN], map_name[SNAPSHOT_NAME_LEN];
};

/* Nothing is known of it. */
void location_init(struct location *l);
/* What a series names, with the present names of the snapshot's devices. */
void location_set(struct location *l, const struct series *s, const struct snapshot *snapshot);
/* Takes the present names of its devices. True when one was renamed. */
bool location_rename(struct location *l, const struct snapshot *snapshot);

#endif
