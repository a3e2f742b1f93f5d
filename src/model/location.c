// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/location.h"

#include <stdio.h>
#include <string.h>
#include "model/pod.h"
#include "model/target.h"
#include "model/tracepoint.h"

void location_init(struct location *l)
{
	memset(l, 0, sizeof(*l));
	l->to_cpu = -1;
	l->socket = -1;
	l->queue = -1;
}

/* Prefers the snapshot's name, because the series' is from its first event. */
static void set_device(struct netdev_ref *to, uint32_t netns, uint32_t ifindex, const char *name,
		       const struct snapshot *snapshot)
{
	const struct netdev *d = snapshot_find_netdev(snapshot, netns, ifindex);

	to->netns = netns;
	to->ifindex = ifindex;
	if (d && d->name[0])
		name = d->name;
	snprintf(to->name, sizeof(to->name), "%s", name);
}

void location_set_device(struct location *l, uint32_t netns, uint32_t ifindex,
			 const struct snapshot *snapshot)
{
	location_init(l);
	set_device(&l->dev, netns, ifindex, "", snapshot);
}

static void set_peer(struct location *l, const struct netdev_ref *of,
		     const struct snapshot *snapshot)
{
	const struct netdev *d = snapshot_find_netdev(snapshot, of->netns, of->ifindex);

	if (d && d->peer_ifindex)
		set_device(&l->peer, d->peer_netns, d->peer_ifindex, "", snapshot);
}

void location_set(struct location *l, const struct series *s, const struct snapshot *snapshot)
{
	const struct series_key *k = &s->key;
	uint16_t has = tracepoints[s->tracepoint].has;
	struct target target = target_of(s);

	location_init(l);
	if (s->overflow)
		return;
	if (has & (HAS_DEVICE | HAS_NETNS))
		set_device(&l->dev, k->netns, k->ifindex, s->ifname, snapshot);
	if (has & HAS_PROG) {
		l->prog_id = k->prog_id;
		snprintf(l->prog_name, sizeof(l->prog_name), "%s", s->prog_name);
	}
	if (has & HAS_MAP && k->map_type) {
		l->map_type = k->map_type;
		l->map_id = k->map_id;
		snprintf(l->map_name, sizeof(l->map_name), "%s", s->map_name);
	}
	if (target.kind == TARGET_DEVICE)
		set_device(&l->to, target.netns, target.index, s->to_ifname, snapshot);
	else if (target.kind == TARGET_CPU)
		l->to_cpu = (int)target.index;
	else if (target.kind == TARGET_SOCKET)
		l->socket = (int)target.index;
	set_peer(l, l->to.ifindex ? &l->to : &l->dev, snapshot);
}

void location_clear_target(struct location *l)
{
	memset(&l->to, 0, sizeof(l->to));
	memset(&l->peer, 0, sizeof(l->peer));
	l->to_cpu = -1;
	l->socket = -1;
}

void netdev_ref_rename(struct netdev_ref *ref, const struct snapshot *snapshot)
{
	const struct netdev *d = snapshot_find_netdev(snapshot, ref->netns, ref->ifindex);

	/* an ifindex is reused once its device is gone, so that name is another device's */
	if (ref->ifindex && d && !d->gone && d->name[0])
		snprintf(ref->name, sizeof(ref->name), "%s", d->name);
}

static uint8_t lacks(const struct netdev_ref *ref, const struct snapshot *snapshot)
{
	return netdev_lacks(snapshot_find_netdev(snapshot, ref->netns, ref->ifindex), ref->ifindex);
}

void location_rename(struct location *l, const struct snapshot *snapshot)
{
	netdev_ref_rename(&l->dev, snapshot);
	netdev_ref_rename(&l->to, snapshot);
	netdev_ref_rename(&l->peer, snapshot);
	l->dev_lacks = lacks(&l->dev, snapshot);
	l->to_lacks = lacks(&l->to, snapshot);
	l->peer_lacks = lacks(&l->peer, snapshot);
	l->lists_sockets = snapshot->rows[DATA_SOURCE_SOCKETS].n;
}

/* A device without an ifindex means several. */
static void keep_device(struct netdev_ref *d, const struct netdev_ref *from)
{
	if ((from->ifindex || from->netns) &&
	    (d->ifindex != from->ifindex || d->netns != from->netns))
		*d = *from;
}

void location_keep(struct location *l, const struct location *from)
{
	keep_device(&l->dev, &from->dev);
	keep_device(&l->to, &from->to);
	l->to_cpu = from->to_cpu;
	l->socket = from->socket;
	if (from->socket_inode && l->socket_inode != from->socket_inode) {
		l->socket_inode = from->socket_inode;
		l->pid = from->pid;
	}
	if (from->queue >= 0)
		l->queue = from->queue;
	if (from->prog_id && l->prog_id != from->prog_id) {
		l->prog_id = from->prog_id;
		l->mode = from->mode;
		memcpy(l->prog_name, from->prog_name, sizeof(l->prog_name));
	}
	if (!from->map_id)
		return;
	if (l->map_id != from->map_id)
		memcpy(l->map_name, from->map_name, sizeof(l->map_name));
	l->map_id = from->map_id;
	l->map_type = from->map_type;
}

static void set_pod(struct location_pod *to, const struct netdev_ref *of, const struct snapshot *s)
{
	const struct pod *pod = pod_of_device(s, of->netns, of->ifindex);
	char name[sizeof(to->text) - sizeof("container")];

	*to = (struct location_pod){ 0 };
	if (!pod)
		return;
	pod_text(pod, name, sizeof(name));
	snprintf(to->text, sizeof(to->text), "%s %s", *pod->name ? "pod" : "container", name);
	to->of_peer = pod->netns != of->netns;
}

void location_set_pods(struct location *l, const struct snapshot *snapshot)
{
	set_pod(&l->dev_pod, &l->dev, snapshot);
	set_pod(&l->to_pod, &l->to, snapshot);
	set_pod(&l->peer_pod, &l->peer, snapshot);
}
