/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Maps and AF_XDP sockets of handmade snapshots. */
#pragma once

#include <linux/bpf.h>
#include "made_finding.h"
#include "source/maps.h"
#include "source/sockets.h"

#define XSKS 5 /* id of the xskmap */

/* Add in order. A socket of eth3 in MADE_NETNS, zero-copy, held by poller[812]. */
static inline struct xdp_socket *bound(struct fixture *f, uint32_t inode, uint32_t queue)
{
	struct xdp_socket *s = snapshot_add_row(&f->to, DATA_SOURCE_SOCKETS, sizeof(*s));

	assert_non_null(s);
	*s = (struct xdp_socket){ .inode = inode,
				  .netns = MADE_NETNS,
				  .ifindex = 3,
				  .queue = queue,
				  .queues = 8,
				  .state = XDP_SOCKET_BOUND,
				  .zerocopy = true,
				  .pid = 812,
				  .umem_size = 4096 * 4096,
				  .chunk_size = 4096,
				  .rx.size = 2048,
				  .fill.size = 2048 };
	strcpy(s->ifname, "eth3");
	strcpy(s->comm, "poller");
	return s;
}

/* n more sockets of the namespace are not listed. */
static inline void left_out(struct fixture *f, uint32_t netns, uint64_t n)
{
	struct sockets_left_out *row =
		snapshot_add_row(&f->to, DATA_SOURCE_SOCKETS_LEFT_OUT, sizeof(*row));

	assert_non_null(row);
	*row = (struct sockets_left_out){ .netns = netns, .n = n };
}

static inline struct map_entry *map(struct fixture *f, uint32_t id, uint32_t type, uint32_t slots,
				    const char *name)
{
	struct map_entry *m = snapshot_add_row(&f->to, DATA_SOURCE_MAPS, sizeof(*m));

	assert_non_null(m);
	*m = (struct map_entry){ .map_id = id,
				 .map_type = type,
				 .max_entries = slots,
				 .slots_read = slots,
				 .value_size = 8,
				 .user = { 42 },
				 .users_total = 1,
				 .users_known = true };
	strcpy(m->map_name, name);
	return m;
}

/* An entry of the map that was added last. */
static inline struct map_entry *entry(struct fixture *f, uint32_t key)
{
	struct map_entry *e = snapshot_add_row(&f->to, DATA_SOURCE_MAPS, sizeof(*e));
	struct map_entry *m = e;

	assert_non_null(e);
	while ((--m)->is_entry)
		;
	m->used++;
	*e = (struct map_entry){
		.map_id = m->map_id, .is_entry = 1, .key = key, .map_type = m->map_type
	};
	strcpy(e->map_name, m->map_name);
	return e;
}

static inline struct xdp_socket *socket_at(struct fixture *f, size_t i)
{
	size_t n;

	return (struct xdp_socket *)&xdp_sockets(&f->to, &n)[i];
}

/* Later changes belong to the next interval. */
static inline void step(struct fixture *f)
{
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	f->to.wall.tv_sec++;
	for (int i = 0; i < TP_COUNT; i++)
		if (f->to.tp[i].state == TP_ON)
			f->to.tp[i].on_ns += MADE_S;
}

static inline void expect_quiet(struct fixture *f)
{
	update(f);
	if (f->findings.n)
		fail_msg("%s", f->findings.finding[0].text);
}
