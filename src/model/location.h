/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Location of a series or finding: device, target, program, map, and the peer of a veth. */
#pragma once

#include "model/snapshot.h"

#define LOCATION_MAPS 3

/* "pod shop/web-0", "container web"; "" = none is known. */
struct location_pod {
	char text[160];
	bool of_peer; /* the device is elsewhere, and leads to the pod */
};

struct location {
	struct netdev_ref dev; /* where the packet came in, or where the exception happened */
	struct netdev_ref to;  /* the target, when it is a device */
	/* The other end of `to`, or without it of `dev`, or the device that commands change. */
	struct netdev_ref peer;
	int to_cpu; /* -1 = none */
	int socket; /* index in an xskmap; -1 = none */
	/* The AF_XDP socket in that slot or of the finding, and its owner; 0 = unknown. */
	uint32_t socket_inode, pid;
	int queue; /* queue of `dev` that the socket is bound to; -1 = none */
	/* For a cpumap entry without a program, and its map; 0 = unknown. */
	uint32_t qsize, value_size;
	uint32_t number;                    /* that a command of the finding sets; 0 = none */
	uint32_t prog_id, map_id, map_type; /* 0 = none */
	uint32_t part_id; /* of a dispatcher, what did it; for commands; 0 = none */
	/* Candidates if map_id is unknown; 0 = end. */
	uint32_t maps[LOCATION_MAPS];
	enum netdev_mode mode; /* of the program on `dev`; NETDEV_NONE = unknown */
	char prog_name[SNAPSHOT_NAME_LEN], map_name[SNAPSHOT_NAME_LEN];
	struct location_pod dev_pod, to_pod, peer_pod; /* of a finding, for texts */
	/* For commands. */
	uint8_t dev_lacks, to_lacks, peer_lacks; /* enum netdev_has */
	bool lists_sockets;                      /* AF_XDP sockets are known */
};

void location_init(struct location *l);
/* Sets the location of a series, with the snapshot's current names of devices. */
void location_set(struct location *l, const struct series *s, const struct snapshot *snapshot);
/* Sets the location of a device, with the snapshot's current name. */
void location_set_device(struct location *l, uint32_t netns, uint32_t ifindex,
			 const struct snapshot *snapshot);
/* For statements about a whole map rather than an entry. */
void location_clear_target(struct location *l);
void netdev_ref_rename(struct netdev_ref *ref, const struct snapshot *snapshot);
/* Updates the names of its devices, and which commands work there. */
void location_rename(struct location *l, const struct snapshot *snapshot);
/* Replaces the fields that distinguish locations by what is known of an earlier time. */
void location_keep(struct location *l, const struct location *from);
/* Sets the pods of its devices, for texts. */
void location_set_pods(struct location *l, const struct snapshot *snapshot);
