/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices of every namespace, as the messages about them came: kept apart from the sockets,
 * for tests. A device that went away stays, marked, until it is forgotten.
 */
#ifndef XDPTOP_NETDEV_TABLE_H
#define XDPTOP_NETDEV_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include "inventory/link_message.h"
#include "model/snapshot.h"

#define NETDEV_TABLE_MAX 65536 /* devices; what comes then is left out, and counted */

struct netdev_entry {
	struct link_message link;
	uint64_t life;   /* another one for another device with the same number */
	uint64_t dump;   /* the last dump of its namespace that has it */
	uint64_t wanted; /* the last netdev_table_fill() that has it */
	bool shown;      /* was in a snapshot: stays in them while it exists */
	bool farewell;   /* was in one as gone */
	uint64_t tried;  /* the lives of the table when its peer was looked for */
};

/* The devices of one namespace, ascending by ifindex. */
struct netdev_netns {
	uint32_t netns;
	uint64_t dump;   /* counts dumps */
	uint64_t cookie; /* 0 = not known */
	struct netdev_entry *entry;
	size_t n, cap;
};

struct netdev_table {
	struct netdev_netns *space; /* ascending by netns */
	size_t n, cap;
	size_t n_devices, left_out;
	uint64_t lives, fills;
	uint64_t version; /* moves when a name, or what is gone, changes */
};

void netdev_table_free(struct netdev_table *t);
/* The devices of a namespace, made if need be; NULL when out of memory. Good until the next. */
struct netdev_netns *netdev_table_netns(struct netdev_table *t, uint32_t netns);
/* NULL when unknown; it may be gone. Good until the next message. */
struct netdev_entry *netdev_table_find(const struct netdev_table *t, uint32_t netns,
				       uint32_t ifindex);
/*
 * What a message says. The peer in another namespace stays as it was set while messages say the
 * same of it.
 */
void netdev_table_take(struct netdev_table *t, struct netdev_netns *s,
		       const struct link_message *m);
/* A dump of a namespace begins; at its end, what it did not have is gone. */
void netdev_table_dump(struct netdev_table *t, struct netdev_netns *s);
void netdev_table_dumped(struct netdev_table *t, struct netdev_netns *s);
/* The namespace has ended: all its devices are gone. */
void netdev_table_end(struct netdev_table *t, struct netdev_netns *s);
/* It is not looked at any more, though it may well be there: its devices are forgotten. */
void netdev_table_leave(struct netdev_table *t, struct netdev_netns *s);
void netdev_table_features(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
			   uint64_t features);
/*
 * Devices whose peer lives in another namespace, not known which: at most n of them, as they are
 * now, into `of`. Each is offered again only when devices have come since.
 */
size_t netdev_table_unresolved(struct netdev_table *t, struct link_message *of, size_t n);
/* Whether `peer` in that namespace says of itself what `of` says of its peer. */
bool netdev_table_matches(const struct netdev_table *t, const struct link_message *of,
			  uint32_t netns);
/* Found: nothing happens when the device says something else by now. */
void netdev_table_resolve(struct netdev_table *t, const struct link_message *of, uint32_t netns);
/*
 * Put into `to` (whose series are complete) the devices that it is to have, see struct snapshot.
 * Devices that are gone and that no series names are in one more snapshot and then forgotten. 0 or
 * -ENOMEM.
 */
int netdev_table_fill(struct netdev_table *t, struct snapshot *to);

#endif
