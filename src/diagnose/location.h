/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where something happens: the device, target, program and map that a series names, and the other
 * end of a veth where netlink tells it. Fills texts and commands that are to be pasted into a
 * shell with the real names.
 */
#ifndef XDPTOP_LOCATION_H
#define XDPTOP_LOCATION_H

#include "model/netns_names.h"
#include "model/snapshot.h"

/* A network interface; ifindex 0 = there is none, or it is unknown. */
struct location_device {
	uint32_t netns, ifindex;
	char name[SNAPSHOT_NAME_LEN]; /* "" = unknown */
};

struct location {
	struct location_device dev;  /* where the packet came in, or where the exception happened */
	struct location_device to;   /* the target, when it is a device */
	struct location_device peer; /* the other end of `to`, or without a target of `dev` */
	int to_cpu;                  /* -1 = none */
	int socket;                  /* index in an xskmap; -1 = none */
	uint32_t prog_id, map_id, map_type; /* 0 = none */
	char prog_name[SNAPSHOT_NAME_LEN], map_name[SNAPSHOT_NAME_LEN];
};

/* Nothing is known of it. */
void location_init(struct location *p);
/* What a series says, with the present names of the snapshot's devices. */
void location_set(struct location *p, const struct series *s, const struct snapshot *snapshot);
/* Devices are renamed: take their present names. True when one has another name than before. */
bool location_rename(struct location *p, const struct snapshot *snapshot);

/*
 * Put the names into a template. A text has {dev} {to} {peer} {prog} {map} {cpu}, each as one reads
 * it ("eth1 (blue)", "xdp_fwd (id 42)"); unknown ones become common words. Returns the length.
 */
int location_text(const char *template, const struct location *p, struct netns_names *names,
		  char *buf, size_t size);
/*
 * The same for a command: {dev} {to} {peer} quoted for the shell, {prog} {map} ids, {cpu}, and in
 * front of a command that must run in the namespace of one of the devices {in} {in_to} {in_peer}
 * ("ip netns exec blue ", "" in init); {ip} {ip_to} {ip_peer} are ip(8) there. Returns the length,
 * or -ENOENT when a name is missing or too long. Without a place names are WORDS to be replaced.
 */
int location_command(const char *template, const struct location *p, struct netns_names *names,
		     char *buf, size_t size);

#endif
