// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/finding_location.h"

#include <linux/bpf.h>
#include <stdio.h>
#include "base/hash.h"
#include "diagnose/attach_cause.h"
#include "diagnose/device_past.h"
#include "model/target.h"
#include "source/map_fill.h"
#include "source/page_pools.h"
#include "source/programs.h"
#include "source/sockets.h"
#include "source/softnet.h"

static void set_map(struct location *l, const struct map_entry *map)
{
	l->map_id = map->map_id;
	l->map_type = map->map_type;
	snprintf(l->map_name, sizeof(l->map_name), "%s", map->map_name);
}

static void set_prog(struct location *l, uint32_t prog_id, const char *name)
{
	l->prog_id = prog_id;
	snprintf(l->prog_name, sizeof(l->prog_name), "%s", name);
}

static void set_device(struct location *l, const struct snapshot *to, uint32_t netns,
		       uint32_t ifindex, const char *name)
{
	l->dev = (struct netdev_ref){ netns, ifindex, "" };
	snprintf(l->dev.name, sizeof(l->dev.name), "%s", name);
	location_rename(l, to);
}

static void set_slot(struct location *l, const struct rates *r)
{
	const struct xdp_socket *socket;
	struct xdp_place place;

	l->socket_inode = map_slot_socket(r, l->map_id, (uint32_t)l->socket);
	socket = xdp_socket_find(r->to, l->socket_inode);
	l->pid = socket ? socket->pid : 0;
	if (!socket || socket->state != XDP_SOCKET_BOUND)
		return;
	place = xdp_socket_place(socket);
	if (place.netns == l->dev.netns && place.ifindex == l->dev.ifindex)
		l->queue = (int)place.queue;
}

/* Sets the slot's socket or the CPU's queue, if maps are known. */
static void set_entry(struct location *l, const struct rates *r)
{
	const struct map_entry *map = map_find(r->to, l->map_id), *entry;

	if (!map)
		return;
	if (!*l->map_name)
		set_map(l, map);
	if (l->socket >= 0)
		set_slot(l, r);
	entry = l->to_cpu < 0 ? NULL : map_entry_find(r->to, l->map_id, (uint32_t)l->to_cpu);
	if (entry && !entry->prog_id) {
		l->qsize = entry->qsize;
		l->value_size = map->value_size;
	}
}

static void set_socket(struct location *l, const struct xdp_socket *socket, const struct rates *r)
{
	const struct map_entry *entry = map_entry_of_socket(r, socket->inode);

	set_device(l, r->to, socket->netns, socket->ifindex, socket->ifname);
	l->socket_inode = socket->inode;
	l->pid = socket->pid;
	l->queue = (int)socket->queue;
	if (!entry)
		return;
	set_map(l, entry);
	l->socket = (int)entry->key;
}

/* The map, its first program and, if only one device runs that program, the device. */
static void set_fill(struct location *l, const struct map_fill *m, const struct rates *r)
{
	uint32_t prog_id = m->user[0] ?: m->like_prog;
	const struct program *p = program_find(r->to, prog_id);
	const struct netdev *d;
	struct row_walk w;

	l->map_id = m->map_id;
	l->map_type = m->map_type;
	snprintf(l->map_name, sizeof(l->map_name), "%s", m->map_name);
	set_prog(l, prog_id, p ? p->prog_name : "");
	row_walk_begin(&w, r, r->to, &netdevs_by_program, prog_id);
	d = row_walk_next(&w);
	if (d && m->users_total <= 1 && !row_walk_next(&w))
		set_device(l, r->to, d->netns, d->ifindex, "");
}

static enum netdev_mode mode_of(const struct netdev *d, uint32_t prog_id)
{
	if (prog_id == d->prog_id && d->mode != NETDEV_MULTI)
		return d->mode;
	return prog_id == d->prog_id ? NETDEV_NATIVE : NETDEV_GENERIC;
}

void event_location(const struct event *event, const struct snapshot *to, struct location *l)
{
	const struct netdev *d = snapshot_find_netdev(to, event->key.netns, event->key.ifindex);

	location_init(l);
	set_device(l, to, event->key.netns, event->key.ifindex, event->ifname);
	if (event->change == CHANGE_SETUP_REFUSED) {
		l->pid = event->pid;
		l->queue = event->has_queue ? (int)event->queue : l->queue;
		set_prog(l, event->key.prog_id, event->prog_name);
	}
	if (!(BIT(event->tracepoint) & AT_ATTACH))
		return;
	l->number = attach_mtu(event, d, to);
	if (d && d->peer_ifindex) {
		l->peer = (struct netdev_ref){ d->peer_netns, d->peer_ifindex, "" };
		location_rename(l, to);
	}
}

void evidence_location(const struct evidence *e, const struct rule *rule, struct location *l)
{
	const struct snapshot *to = e->rates->to;

	location_init(l);
	if (e->series) {
		location_set(l, e->series, to);
		if ((rule->per & (PER_MAP | PER_TARGET)) == PER_MAP)
			location_clear_target(l);
		set_entry(l, e->rates);
	} else if (e->event) {
		event_location(e->event, to, l);
	} else if (e->dev) {
		l->peer.netns = e->dev->peer_netns;
		l->peer.ifindex = e->dev->peer_ifindex;
		set_device(l, to, e->dev->netns, e->dev->ifindex, "");
	} else if (e->cpu) {
		l->to_cpu = (int)e->cpu->cpu;
	} else if (e->pool) {
		set_device(l, to, e->pool->netns, e->pool->ifindex, e->pool->ifname);
	} else if (e->fill) {
		set_fill(l, e->fill, e->rates);
	} else if (e->unused) {
		set_map(l, e->unused);
	} else if (e->socket) {
		set_socket(l, e->socket, e->rates);
	}
	l->part_id = e->part_id;
	if (e->number)
		l->number = e->number;
	if (e->other) {
		l->peer = (struct netdev_ref){ e->other->netns, e->other->ifindex, "" };
		location_rename(l, to);
	}
	if (e->by_entry)
		set_prog(l, e->series->to_prog_id, e->series->to_prog_name);
	if (e->entry)
		set_prog(l, e->entry->prog_id, e->entry->prog_name);
	if (e->map) {
		set_map(l, e->map);
		if (!e->series && e->dev)
			set_prog(l, netdev_program(e->dev), e->dev->prog_name);
	}
	if (e->had_program) {
		set_prog(l, e->past->prog_id, e->past->prog_name);
		l->mode = e->past->mode;
		l->number = e->past->outlives ? e->past->prog_id : 0;
	}
	memcpy(l->maps, e->maps, sizeof(l->maps));
	if (e->program) {
		set_prog(l, e->program->prog_id, e->program->prog_name);
		/* ip(8) cannot detach what a link holds, nor a single part of a dispatcher */
		if (e->dev && e->program->attach != PROGRAM_LINK && !e->program->parts)
			l->mode = mode_of(e->dev, l->prog_id);
	}
}

uint64_t evidence_place(const struct evidence *e, const struct finding_code *code,
			const struct rule *rule, const struct location *l)
{
	uint64_t hash = hash_add_text(1, code->name);

	if (rule->per & PER_DEVICE)
		hash = hash_add(hash_add(hash, l->dev.netns), l->dev.ifindex);
	if (rule->per & PER_TARGET) {
		hash = hash_add(hash_add(hash, l->to.netns), l->to.ifindex);
		hash = hash_add(hash_add(hash, (uint64_t)l->to_cpu), (uint64_t)l->socket);
	}
	if (rule->per & PER_PROG)
		hash = hash_add(hash, l->prog_id);
	if (rule->per & PER_MAP)
		hash = hash_add(hash, l->map_id);
	if (rule->per & PER_TRACEPOINT)
		hash = hash_add(hash, e->tracepoint);
	if (rule->per & PER_REFUSAL)
		hash = hash_add_text(hash_add(hash_add_text(hash, e->event->comm), 0),
				     e->event->text);
	if (rule->per & PER_QUEUE)
		hash = hash_add(hash, (uint64_t)l->queue);
	return hash ? hash : 1;
}

static bool leads_to(const struct series *s, const struct location *l)
{
	struct target t = target_of(s);

	if (l->to_cpu >= 0)
		return t.kind == TARGET_CPU && t.map_id == l->map_id && (int)t.index == l->to_cpu;
	return t.kind == TARGET_DEVICE && t.netns == l->to.netns && t.index == l->to.ifindex;
}

void evidence_infer_source(const struct evidence *e, struct location *l)
{
	const struct rates *r = e->rates;
	const struct series *found = NULL;
	struct location from;

	if (l->prog_id)
		return;
	for (size_t i = 0; i < r->to->n_series && (l->to.ifindex || l->to_cpu >= 0); i++) {
		const struct series *s = &r->to->series[i];
		const struct series_key *k = &s->key;

		if (!(BIT(s->tracepoint) & (AT_REDIRECT | AT_REDIRECT_ERR)) ||
		    !r->delta[i].events || !leads_to(s, l))
			continue;
		if (l->dev.ifindex && (k->netns != l->dev.netns || k->ifindex != l->dev.ifindex))
			continue;
		if (found && (k->prog_id != found->key.prog_id || k->netns != found->key.netns ||
			      k->ifindex != found->key.ifindex))
			return;
		found = s;
	}
	if (found) {
		location_set(&from, found, r->to);
		l->dev = from.dev;
		l->prog_id = from.prog_id;
		memcpy(l->prog_name, from.prog_name, sizeof(l->prog_name));
	} else if (e->dev && !e->dev->gone && e->dev->mode != NETDEV_MULTI) {
		/* no redirect, or XDP_TX: the program of the device that received the packets */
		l->prog_id = e->dev->prog_id;
		snprintf(l->prog_name, sizeof(l->prog_name), "%s", e->dev->prog_name);
	}
}

static bool entry_leads_to(const struct map_entry *e, const struct location *l)
{
	if (l->socket >= 0)
		return e->map_type == BPF_MAP_TYPE_XSKMAP && e->key == (uint32_t)l->socket;
	if (l->to_cpu >= 0)
		return e->map_type == BPF_MAP_TYPE_CPUMAP && e->key == (uint32_t)l->to_cpu;
	return l->to.ifindex && e->to_ifindex == l->to.ifindex && e->to_netns == l->to.netns;
}

const struct map_entry *location_map(const struct rates *r, const struct location *l)
{
	size_t n;
	const struct map_entry *e = map_entries(r->to, &n), *map = NULL, *any = NULL;
	bool is_its = false; /* whether the next entries belong to the location's map */

	for (size_t i = 0; i < n; i++) {
		if (!e[i].is_entry) {
			is_its = l->map_id ? e[i].map_id == l->map_id
					   : map_use(r, &e[i], l->prog_id) == MAP_USED;
			if (is_its && !map)
				map = &e[i];
		} else if (entry_leads_to(&e[i], l)) {
			if (is_its)
				return &e[i];
			if (!any)
				any = &e[i];
		}
	}
	if (l->map_id || !(l->socket >= 0 || l->to_cpu >= 0 || l->to.ifindex))
		return map;
	return any;
}
