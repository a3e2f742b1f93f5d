// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/netdev_table.h"

#include <errno.h>
#include <stdio.h>
#include <strings.h>
#include "base/array.h"
#include "base/clock.h"
#include "model/tracepoint.h"

/* The counters of netdev_socket_counts(). */
#define EACH_INTERVAL (BIT(NETDEV_CARRIER_CHANGES) - 1)
/* The first readings of a driver's counters follow each other quickly, to show what grows. */
#define READINGS_SOON 3

void netdev_table_free(struct netdev_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->netns[i].entry);
	free(t->netns);
	free(t->stat);
	free(t->queue);
	free(t->pool);
	memset(t, 0, sizeof(*t));
}

static size_t netns_place(const struct netdev_table *t, uint32_t netns)
{
	return array_lower_bound(t->netns, t->n, e, e->netns < netns);
}

static size_t entry_place(const struct netdev_netns *ns, uint32_t ifindex)
{
	return array_lower_bound(ns->entry, ns->n, e, e->link.device.ifindex < ifindex);
}

struct netdev_netns *netdev_table_netns(struct netdev_table *t, uint32_t netns)
{
	size_t at = netns_place(t, netns);
	struct netdev_netns *ns;

	if (at < t->n && t->netns[at].netns == netns)
		return &t->netns[at];
	ns = array_insert(t->netns, t->n, t->cap, at);
	ns->netns = netns;
	return ns;
}

struct netdev_entry *netdev_table_find(const struct netdev_table *t, uint32_t netns,
				       uint32_t ifindex)
{
	const struct netdev_netns *ns =
		array_find(t->netns, t->n, e, e->netns < netns, e->netns == netns);

	return ns ? array_find(ns->entry, ns->n, e, e->link.device.ifindex < ifindex,
			       e->link.device.ifindex == ifindex)
		  : NULL;
}

/* NULL = NETDEVS_MAX reached. */
static struct netdev_entry *entry_new(struct netdev_table *t, struct netdev_netns *ns, size_t at)
{
	struct netdev_entry *e;

	if (t->n_devices == NETDEVS_MAX)
		return NULL;
	e = array_insert(ns->entry, ns->n, ns->cap, at);
	t->n_devices++;
	e->generation = ++t->last_generation;
	t->version++;
	return e;
}

static bool same_peer(const struct link_message *a, const struct link_message *b)
{
	return a->device.peer_ifindex == b->device.peer_ifindex &&
	       a->peer_elsewhere == b->peer_elsewhere && a->peer_nsid == b->peer_nsid;
}

static bool runs_same(const struct netdev *a, const struct netdev *b)
{
	return a->prog_id == b->prog_id && a->skb_prog_id == b->skb_prog_id && a->mode == b->mode;
}

/* Keep counters and settings that the message lacks. */
static void keep_read(struct netdev *to, const struct netdev *from)
{
	for (int i = 0; i < NETDEV_COUNTS; i++)
		if (!(to->counted & 1u << i) && from->counted & 1u << i)
			netdev_set_count(to, i, from->count[i]);
	for (int i = 0; i < NETDEV_SETTINGS; i++)
		if (!(to->set & 1u << i) && from->set & 1u << i)
			netdev_set_setting(to, i, from->setting[i]);
	memcpy(to->per_s, from->per_s, sizeof(to->per_s));
	to->has_offloads = from->has_offloads;
	to->offloads = from->offloads;
	if (!to->attach && runs_same(to, from))
		to->attach = from->attach;
}

void netdev_table_take(struct netdev_table *t, struct netdev_netns *ns,
		       const struct link_message *m)
{
	size_t at = entry_place(ns, m->device.ifindex);
	struct netdev_entry *e = at < ns->n ? &ns->entry[at] : NULL;
	struct netdev_hardware hardware = { .node = -1 };
	struct netdev before;

	/* netns inodes are reused; the cookie is not */
	if (ns->cookie && m->netns_cookie && ns->cookie != m->netns_cookie)
		netdev_table_netns_ended(t, ns);
	if (m->netns_cookie)
		ns->cookie = m->netns_cookie;
	if (!e || e->link.device.ifindex != m->device.ifindex) {
		if (m->device.gone)
			return; /* created and deleted between two dumps */
		e = entry_new(t, ns, at);
		if (!e) {
			ns->left_out++;
			return;
		}
		e->link = *m;
	} else if (m->device.gone) {
		/* keep the last state: RTM_DELLINK reports a device half torn down */
		t->version += !e->link.device.gone;
		e->link.device.gone = true;
		return;
	}
	before = e->link.device;
	if (before.gone) {
		e->generation = ++t->last_generation;
		e->gone_reported = false;
		e->driver_asked = false;
		e->counts_due_ns = e->settings_due_ns = e->counted_ns = 0;
		e->queues_due_ns = e->queues_read_ns = 0;
		e->counters = e->settings_read = e->queues_read = (struct netdev_reading){ 0 };
		e->readings = 0;
		before = (struct netdev){ .gone = true };
	}
	if (before.gone || strcmp(before.name, m->device.name))
		t->version++;
	t->programs += !runs_same(&before, &m->device);
	if (before.gone || !same_peer(&e->link, m)) {
		before.peer_netns = 0;
		e->resolve_generation = 0;
	}
	/* netlink does not have it, and the walk brings it again */
	if (!before.gone)
		hardware = e->link.hardware;
	e->link = *m;
	if (!m->hardware.rx_queues)
		e->link.hardware = hardware;
	e->link.device.netns = ns->netns;
	e->link.device.has_features = before.has_features;
	e->link.device.features = before.features;
	keep_read(&e->link.device, &before);
	if (m->notified)
		e->settings_due_ns = 0;
	memcpy(e->link.device.driver, before.driver, sizeof(before.driver));
	e->link.device.peer_netns =
		m->peer_elsewhere || !m->device.peer_ifindex ? before.peer_netns : ns->netns;
	e->dump = ns->dump;
}

void netdev_table_dump_begin(struct netdev_table *t, struct netdev_netns *ns)
{
	ns->dump++;
	ns->left_out = 0;
}

void netdev_table_dump_end(struct netdev_table *t, struct netdev_netns *ns)
{
	ns->left_out_before = ns->left_out;
	for (size_t i = 0; i < ns->n; i++) {
		struct netdev_entry *e = &ns->entry[i];

		if (e->dump == ns->dump || e->link.device.gone)
			continue;
		e->link.device.gone = true;
		t->version++;
	}
}

void netdev_table_netns_ended(struct netdev_table *t, struct netdev_netns *ns)
{
	netdev_table_dump_begin(t, ns);
	netdev_table_dump_end(t, ns);
}

void netdev_table_netns_forget(struct netdev_table *t, struct netdev_netns *ns)
{
	t->n_devices -= ns->n;
	t->version += ns->n;
	ns->n = 0;
	ns->left_out = ns->left_out_before = 0;
}

size_t netdev_table_left_out(const struct netdev_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct netdev_netns *ns = &t->netns[i];

		n += ns->left_out > ns->left_out_before ? ns->left_out : ns->left_out_before;
	}
	return n;
}

void netdev_table_features(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
			   uint64_t features)
{
	struct netdev_entry *e = netdev_table_find(t, netns, ifindex);

	if (!e)
		return;
	e->link.device.has_features = true;
	e->link.device.features = features;
}

void netdev_table_walked(struct netdev_table *t, const struct link_message *m)
{
	struct netdev_entry *e = netdev_table_find(t, m->device.netns, m->device.ifindex);
	struct netdev *d;

	/* if the ifindex was reused, netlink announces the new device first */
	if (!e || e->link.device.gone)
		return;
	d = &e->link.device;
	t->programs += !runs_same(d, &m->device);
	d->mode = m->device.mode;
	d->prog_id = m->device.prog_id;
	d->skb_prog_id = m->device.skb_prog_id;
	d->attach = m->device.attach;
	d->up = m->device.up;
	d->running = m->device.running;
	d->mtu = m->device.mtu;
	netdev_set_setting(d, NETDEV_PROMISCUITY, m->device.setting[NETDEV_PROMISCUITY]);
	d->has_features = m->device.has_features;
	d->features = m->device.features;
	e->link.hardware = m->hardware;
	if (e->settings != m->settings)
		e->settings_due_ns = e->queues_due_ns = 0;
	e->settings = m->settings;
	if (!e->driver_asked)
		memcpy(d->driver, m->device.driver, sizeof(d->driver));
}

static bool is_attached(const struct netdev *d)
{
	return d->mode != NETDEV_NONE && !d->gone;
}

bool netdev_table_has_xdp(const struct netdev_table *t, const struct netdev_netns *ns)
{
	for (size_t i = 0; i < ns->n; i++) {
		const struct netdev *d = &ns->entry[i].link.device;
		const struct netdev_entry *peer =
			d->peer_netns ? netdev_table_find(t, d->peer_netns, d->peer_ifindex) : NULL;

		if (is_attached(d) || (peer && is_attached(&peer->link.device)))
			return true;
	}
	return false;
}

static bool matters(const struct netdev_entry *e)
{
	return !e->link.device.gone && (e->reported || is_attached(&e->link.device));
}

size_t netdev_table_matter(const struct netdev_table *t, uint32_t netns, size_t *all)
{
	size_t at = netns_place(t, netns), n = 0;

	*all = 0;
	if (at == t->n || t->netns[at].netns != netns)
		return 0;
	*all = t->netns[at].n;
	for (size_t i = 0; i < *all; i++)
		n += matters(&t->netns[at].entry[i]);
	return n;
}

static void set_question(struct netdev_question *ask, const struct netdev_entry *e, uint64_t now_ns)
{
	const struct netdev *d = &e->link.device;

	ask->counts = matters(e);
	ask->driver = ask->counts && !e->driver_asked && !d->kind[0];
	ask->settings = ask->counts && now_ns >= e->settings_due_ns;
	ask->with_driver = is_attached(d);
	ask->driver_counts = ask->counts && !ask->driver &&
			     (now_ns >= e->counts_due_ns || ask->with_driver != e->with_driver);
	/* a virtual device answers from memory, without firmware */
	ask->soon = *d->kind || e->readings + 1 < READINGS_SOON;
	ask->hardware = e->link.hardware;
	ask->queues = is_attached(d) && ask->hardware.rx_queues && now_ns >= e->queues_due_ns;
	ask->queues_soon = !e->queues_read_ns;
	ask->generation = e->generation;
	if (ask->driver_counts)
		snprintf(ask->name_of_driver, sizeof(ask->name_of_driver), "%s", netdev_driver(d));
	ask->ifindex = ask->counts ? d->ifindex : 0;
}

void netdev_table_next_question(const struct netdev_table *t, uint32_t netns, uint64_t now_ns,
				struct netdev_question *ask)
{
	const struct netdev_netns *ns;
	size_t at = netns_place(t, netns);
	uint32_t after = ask->ifindex;

	ask->ifindex = 0;
	if (at == t->n || t->netns[at].netns != netns)
		return;
	ns = &t->netns[at];
	for (size_t i = entry_place(ns, after + 1); i < ns->n && !ask->ifindex; i++)
		set_question(ask, &ns->entry[i], now_ns);
}

void netdev_table_driver(struct netdev_table *t, uint32_t netns, uint32_t ifindex, const char *name)
{
	struct netdev_entry *e = netdev_table_find(t, netns, ifindex);

	if (!e)
		return;
	e->driver_asked = true;
	if (name)
		snprintf(e->link.device.driver, sizeof(e->link.device.driver), "%s", name);
}

void netdev_table_counts(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
			 const struct netdev *from)
{
	struct netdev_entry *e = netdev_table_find(t, netns, ifindex);

	if (!e || !matters(e))
		return;
	for (int i = 0; i < NETDEV_DRIVER_COUNT; i++)
		if (from->counted & 1u << i)
			netdev_set_count(&e->link.device, i, from->count[i]);
}

void netdev_table_driver_counts(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
				const struct netdev *from, uint64_t now_ns, uint64_t due_ns)
{
	struct netdev_entry *e = netdev_table_find(t, netns, ifindex);
	struct netdev *d, before;
	double seconds;

	if (!e)
		return;
	d = &e->link.device;
	before = *d;
	seconds = (double)(now_ns - e->counted_ns) / (double)NSEC_PER_SEC;
	e->counts_due_ns = due_ns;
	e->counted_ns = now_ns;
	e->with_driver = is_attached(d);
	netdev_reading_done(&e->counters);
	e->readings += e->readings < READINGS_SOON;
	for (int i = NETDEV_DRIVER_COUNT; i < NETDEV_COUNTS; i++) {
		float *per_s = &d->per_s[i - NETDEV_DRIVER_COUNT];
		uint64_t n;

		d->counted &= ~(1u << i);
		d->count[i] = 0;
		*per_s = 0;
		if (!netdev_count(from, i, &n))
			continue;
		netdev_set_count(d, i, n);
		*per_s = netdev_grew(&before, d, i, &n) && seconds > 0
				 ? (float)((double)n / seconds)
				 : -1;
	}
}

void netdev_table_settings(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
			   const struct netdev *from, uint64_t due_ns)
{
	struct netdev_entry *e = netdev_table_find(t, netns, ifindex);
	struct netdev *d;

	if (!e)
		return;
	d = &e->link.device;
	e->settings_due_ns = due_ns;
	netdev_reading_done(&e->settings_read);
	for (int i = 0; i < NETDEV_SETTINGS; i++) {
		if (i == NETDEV_MTU_MAX || i == NETDEV_PROMISCUITY)
			continue;
		d->set &= (uint8_t) ~(1u << i);
		d->setting[i] = 0;
		if (from->set & 1u << i)
			netdev_set_setting(d, i, from->setting[i]);
	}
	d->has_offloads = from->has_offloads;
	d->offloads = from->offloads;
}

size_t netdev_table_unresolved(struct netdev_table *t, struct link_message *of, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < t->n; i++) {
		for (size_t j = 0; j < t->netns[i].n && found < n; j++) {
			struct netdev_entry *e = &t->netns[i].entry[j];
			const struct netdev *d = &e->link.device;

			if (!e->link.peer_elsewhere || !d->peer_ifindex || d->peer_netns ||
			    d->gone || e->resolve_generation == t->last_generation)
				continue;
			e->resolve_generation = t->last_generation;
			of[found++] = e->link;
		}
	}
	return found;
}

bool netdev_table_matches(const struct netdev_table *t, const struct link_message *of,
			  uint32_t netns)
{
	const struct netdev_entry *e = netdev_table_find(t, netns, of->device.peer_ifindex);

	return e && !e->link.device.gone && e->link.peer_elsewhere &&
	       e->link.device.peer_ifindex == of->device.ifindex &&
	       !strcmp(e->link.device.kind, of->device.kind);
}

void netdev_table_resolve(struct netdev_table *t, const struct link_message *of, uint32_t netns)
{
	struct netdev_entry *e = netdev_table_find(t, of->device.netns, of->device.ifindex);

	if (e && e->link.device.peer_ifindex == of->device.peer_ifindex)
		e->link.device.peer_netns = netns;
}

static bool is_wanted(const struct netdev_table *t, const struct netdev *d)
{
	return t->wanted[0] && !d->gone && !strcasecmp(d->name, t->wanted);
}

bool netdev_table_has_wanted(const struct netdev_table *t, const struct netdev_netns *ns)
{
	bool found = false;

	for (size_t i = 0; !ns && i < t->n && !found; i++)
		found = netdev_table_has_wanted(t, &t->netns[i]);
	for (size_t i = 0; ns && i < ns->n && !found; i++)
		found = is_wanted(t, &ns->entry[i].link.device);
	return found;
}

void netdev_table_suggest(const struct netdev_table *t, const char *name, struct suggestions *near)
{
	for (size_t i = 0; i < t->n; i++)
		for (size_t j = 0; j < t->netns[i].n; j++)
			if (!t->netns[i].entry[j].link.device.gone)
				suggestions_add(near, name, t->netns[i].entry[j].link.device.name);
}

static void need_beside(struct netdev_table *t, uint32_t netns, uint32_t ifindex)
{
	struct netdev_entry *e = ifindex ? netdev_table_find(t, netns, ifindex) : NULL;

	if (e && !e->link.device.gone)
		e->last_fill = t->n_fills + 1;
}

void netdev_table_need(struct netdev_table *t, uint32_t netns, uint32_t ifindex)
{
	struct netdev_entry *e = netdev_table_find(t, netns, ifindex);
	const struct netdev *d;

	if (!e)
		return;
	e->last_fill = t->n_fills + 1;
	d = &e->link.device;
	need_beside(t, d->peer_netns, d->peer_ifindex);
	need_beside(t, netns, d->lower_ifindex);
	need_beside(t, netns, d->master_ifindex);
}

/* Without XDP the driver's counters are not read, so the last ones are outdated. */
static void forget_driver_counts(struct netdev_entry *e)
{
	struct netdev *d = &e->link.device;

	if (!e->with_driver)
		return;
	e->with_driver = false;
	e->counted_ns = e->counts_due_ns = 0;
	e->counters = (struct netdev_reading){ 0 };
	e->readings = 0;
	d->counted &= BIT(NETDEV_DRIVER_COUNT) - 1;
	memset(d->per_s, 0, sizeof(d->per_s));
	memset(&d->count[NETDEV_DRIVER_COUNT], 0, NETDEV_DRIVER_COUNTS * sizeof(uint64_t));
}

/* 0 = in the interval that ends now. */
static struct timespec read_at(struct netdev_reading *r)
{
	struct timespec at = r->is_new ? (struct timespec){ 0 } : r->at;

	r->is_new = false;
	return at;
}

static void fill_netns(struct netdev_table *t, struct netdev_netns *ns, struct snapshot *to)
{
	size_t kept = 0;

	for (size_t i = 0; i < ns->n; i++) {
		struct netdev_entry *e = &ns->entry[i];
		struct netdev *d;

		if (!is_attached(&e->link.device))
			forget_driver_counts(e);
		/* until the device is gone, because a recording writes only changes */
		if (e->last_fill == t->n_fills || (e->reported && !e->gone_reported)) {
			d = snapshot_add_netdev(to);
			*d = e->link.device;
			d->counters_read_at = read_at(&e->counters);
			d->settings_read_at = read_at(&e->settings_read);
			d->queues_read_at = read_at(&e->queues_read);
			/* valid for one snapshot */
			e->link.device.counted &= ~EACH_INTERVAL;
			memset(e->link.device.count, 0, NETDEV_CARRIER_CHANGES * sizeof(uint64_t));
			e->reported = true;
			e->gone_reported = d->gone;
		} else if (e->link.device.gone) {
			continue;
		}
		if (kept != i)
			ns->entry[kept] = *e;
		kept++;
	}
	t->n_devices -= ns->n - kept;
	ns->n = kept;
}

/* Whether a program redirected to a number that no device of its namespace has. */
static bool is_foreign(const struct series *s)
{
	return s->tracepoint == TP_XDP_REDIRECT_ERR && s->key.code == -EINVAL &&
	       s->key.map_type == SERIES_MAP_NONE && s->key.map_id == SERIES_MAP_ID_IFINDEX;
}

/* The devices with that number in other namespaces. With two, the number says nothing. */
static void need_foreign(struct netdev_table *t, const struct series_key *key)
{
	int found = 0;

	for (size_t i = 0; i < t->n && found < 2; i++) {
		if (t->netns[i].netns == key->netns ||
		    !netdev_table_find(t, t->netns[i].netns, key->target))
			continue;
		netdev_table_need(t, t->netns[i].netns, key->target);
		found++;
	}
}

#define FOREIGN_MAX 16 /* series whose number is looked for: a program can use any number */

void netdev_table_fill(struct netdev_table *t, struct snapshot *to)
{
	int foreign = 0;

	for (size_t i = 0; i < to->n_series; i++) {
		const struct series *series = &to->series[i];

		if (is_foreign(series) && foreign++ < FOREIGN_MAX)
			need_foreign(t, &series->key);
		netdev_table_need(t, series->key.netns, series->key.ifindex);
		/* 0 = the target is not a device */
		if (series->key.to_netns)
			netdev_table_need(t, series->key.to_netns, series->key.target);
	}
	for (size_t i = 0; i < t->n; i++)
		for (size_t j = 0; j < t->netns[i].n; j++)
			if (is_attached(&t->netns[i].entry[j].link.device) ||
			    is_wanted(t, &t->netns[i].entry[j].link.device))
				netdev_table_need(t, t->netns[i].netns,
						  t->netns[i].entry[j].link.device.ifindex);
	t->n_fills++;
	for (size_t i = 0; i < t->n; i++)
		fill_netns(t, &t->netns[i], to);
}

/* Whether s is sorted before this device. */
static bool is_before(const struct ethtool_stat *s, uint32_t netns, uint64_t ifindex)
{
	return s->netns < netns || (s->netns == netns && s->ifindex < ifindex);
}

void netdev_table_stats(struct netdev_table *t, uint32_t netns, uint32_t ifindex,
			const struct ethtool_stat *from, size_t n)
{
	size_t at = array_lower_bound(t->stat, t->n_stats, s, is_before(s, netns, ifindex));
	size_t end = array_lower_bound(t->stat, t->n_stats, s,
				       is_before(s, netns, (uint64_t)ifindex + 1));

	if (t->n_stats - (end - at) + n > ETHTOOL_STATS_MAX)
		n = 0;
	array_replace(t->stat, t->n_stats, t->cap_stats, at, end, from, n);
	for (size_t i = 0; i < n; i++) {
		t->stat[at + i].netns = netns;
		t->stat[at + i].ifindex = ifindex;
	}
}

void netdev_table_fill_stats(struct netdev_table *t, struct snapshot *to)
{
	const struct netdev_entry *e = NULL;
	size_t kept = 0;

	/* drop statistics of devices whose counters are not read now */
	for (size_t i = 0; i < t->n_stats; i++) {
		const struct ethtool_stat *s = &t->stat[i];

		if (!i || s->ifindex != s[-1].ifindex || s->netns != s[-1].netns)
			e = netdev_table_find(t, s->netns, s->ifindex);
		if (e && e->with_driver)
			t->stat[kept++] = *s;
	}
	t->n_stats = kept;
	snapshot_put_rows(to, DATA_SOURCE_ETHTOOL_STATS, t->stat, kept, sizeof(*t->stat));
}
