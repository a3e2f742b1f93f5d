/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices of every namespace, as the messages about them came: kept apart from the sockets,
 * for tests. A device that went away stays, marked, until it is forgotten.
 */
#ifndef XDPTOP_DEVICE_TABLE_H
#define XDPTOP_DEVICE_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include "inventory/link_message.h"
#include "model/snapshot.h"

#define DEVICE_TABLE_MAX 65536 /* devices; what comes then is left out, and counted */

struct device_entry {
	struct link_message link;
	uint64_t life;   /* another one for another device with the same number */
	uint64_t dump;   /* the last dump of its namespace that has it */
	uint64_t wanted; /* the last device_table_fill() that has it */
	bool shown;      /* was in a snapshot: stays in them while it exists */
	bool farewell;   /* was in one as gone */
	uint64_t tried;  /* the lives of the table when its peer was looked for */
};

/* The devices of one namespace, ascending by ifindex. */
struct device_space {
	uint32_t netns;
	uint64_t dump;   /* counts dumps */
	uint64_t cookie; /* 0 = not known */
	struct device_entry *entry;
	size_t n, cap;
};

struct device_table {
	struct device_space *space; /* ascending by netns */
	size_t n, cap;
	size_t n_devices, left_out;
	uint64_t lives, fills;
	uint64_t version; /* moves when a name, or what is gone, changes */
};

void device_table_free(struct device_table *t);
/* The devices of a namespace, made if need be; NULL when out of memory. Good until the next. */
struct device_space *device_table_space(struct device_table *t, uint32_t netns);
/* NULL when unknown; it may be gone. Good until the next message. */
struct device_entry *device_table_find(const struct device_table *t, uint32_t netns,
				       uint32_t ifindex);
/*
 * What a message says. The peer in another namespace stays as it was set while messages say the
 * same of it.
 */
void device_table_take(struct device_table *t, struct device_space *s,
		       const struct link_message *m);
/* A dump of a namespace begins; at its end, what it did not have is gone. */
void device_table_dump(struct device_table *t, struct device_space *s);
void device_table_dumped(struct device_table *t, struct device_space *s);
/* The namespace has ended: all its devices are gone. */
void device_table_end(struct device_table *t, struct device_space *s);
/* It is not looked at any more, though it may well be there: its devices are forgotten. */
void device_table_leave(struct device_table *t, struct device_space *s);
void device_table_features(struct device_table *t, uint32_t netns, uint32_t ifindex,
			   uint64_t features);
/*
 * Devices whose peer lives in another namespace, not known which: at most n of them, as they are
 * now, into `of`. Each is offered again only when devices have come since.
 */
size_t device_table_unresolved(struct device_table *t, struct link_message *of, size_t n);
/* Whether `peer` in that namespace says of itself what `of` says of its peer. */
bool device_table_matches(const struct device_table *t, const struct link_message *of,
			  uint32_t netns);
/* Found: nothing happens when the device says something else by now. */
void device_table_resolve(struct device_table *t, const struct link_message *of, uint32_t netns);
/*
 * Put into `to` (whose series are complete) the devices that it is to have, see struct snapshot.
 * Devices that are gone and that no series names are in one more snapshot and then forgotten. 0 or
 * -ENOMEM.
 */
int device_table_fill(struct device_table *t, struct snapshot *to);

#endif
