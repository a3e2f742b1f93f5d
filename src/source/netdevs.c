// SPDX-License-Identifier: GPL-2.0-or-later
/* Data source: the network interfaces that matter to XDP, in every namespace. */
#include <errno.h>
#include <stdio.h>
#include "base/clock.h"
#include "inventory/bpf_objects.h"
#include "inventory/bpf_iters.h"
#include "inventory/map_iter.h"
#include "inventory/netdev_monitor.h"
#include "inventory/netns_opener.h"
#include "inventory/xdp_socket_iter.h"
#include "model/netns_names.h"
#include "schema/record_field.h"
#include "source/data_source.h"
#include "source/live_source.h"

/* How long a sample waits for changes of the devices. Later changes come with the next sample. */
#define WAIT_MS 10
/* A namespace that could not be entered is tried again. */
#define ENTER_AGAIN_NS (2 * NSEC_PER_SEC)

#define netdev_of(r) ROW_OF(struct netdev, r)

GET_TEXT(get_device_state, netdev_state_name(netdev_of(r)))

static FIELD_SET(set_device_state)
{
	return netdev_set_state(netdev_of(r), v->text);
}

static FIELD_GET(get_features)
{
	_Static_assert(NETDEV_FEATURES_LEN <= sizeof(v->buf), "all features have room");
	if (netdev_of(r)->has_features)
		field_give_text(v, netdev_features_text(netdev_of(r)->features, v->buf,
							sizeof(v->buf)));
}

static FIELD_SET(set_features)
{
	netdev_of(r)->has_features = netdev_features_find(v->text, &netdev_of(r)->features);
	return netdev_of(r)->has_features;
}

GET_TEXT(get_driver, netdev_driver(netdev_of(r))[0] ? netdev_driver(netdev_of(r)) : NULL)

static FIELD_GET(get_offloads)
{
	_Static_assert(NETDEV_OFFLOADS_LEN <= sizeof(v->buf), "all offloads have room");
	if (netdev_of(r)->has_offloads)
		field_give_text(v, netdev_offloads_text(netdev_of(r)->offloads, v->buf,
							sizeof(v->buf)));
}

static FIELD_SET(set_offloads)
{
	uint64_t offloads;

	if (!netdev_offloads_find(v->text, &offloads))
		return false;
	netdev_of(r)->has_offloads = true;
	netdev_of(r)->offloads = (uint16_t)offloads;
	return true;
}

static enum netdev_setting setting_of(const struct record_field *f)
{
	return (f->offset - offsetof(struct netdev, setting)) / sizeof(uint32_t);
}

static FIELD_GET(get_setting)
{
	uint32_t value;

	if (netdev_setting(netdev_of(r), setting_of(f), &value))
		field_give_count(v, value);
}

static FIELD_SET(set_setting)
{
	netdev_set_setting(netdev_of(r), setting_of(f), (uint32_t)v->count);
	return v->count <= UINT32_MAX;
}

static enum netdev_count count_of(const struct record_field *f)
{
	return (f->offset - offsetof(struct netdev, count)) / sizeof(uint64_t);
}

static FIELD_GET(get_count)
{
	uint64_t n;

	if (netdev_count(netdev_of(r), count_of(f), &n))
		field_give_count(v, n);
}

static FIELD_SET(set_count)
{
	enum netdev_count which = count_of(f);

	netdev_set_count(netdev_of(r), which, v->count);
	/* until the field of its rate, which comes later, is read */
	if (which >= NETDEV_DRIVER_COUNT)
		netdev_of(r)->per_s[which - NETDEV_DRIVER_COUNT] = -1;
	return true;
}

/* For counters that are read in each interval. */
static FIELD_GET(get_link_per_s)
{
	uint64_t n;

	if (netdev_grew(r->row_before, netdev_of(r), count_of(f), &n))
		field_give_real(v, per_second((double)n, r->seconds));
}

static FIELD_GET(get_per_s)
{
	double rate;

	if (netdev_per_s(netdev_of(r), count_of(f), &rate))
		/* do not print more digits than a float has: 0.2, not 0.200000003 */
		field_give_real(v, round(rate * 1000) / 1000);
}

static FIELD_SET(set_per_s)
{
	netdev_of(r)->per_s[count_of(f) - NETDEV_DRIVER_COUNT] = (float)v->real;
	return v->real >= 0;
}

#define SETTING(id, name)                               \
	FIELD(name, COUNT, 0, get_setting, set_setting, \
	      ROW_MEMBER(struct netdev, setting[NETDEV_##id])),
#define COUNT_MEMBER(id) ROW_MEMBER(struct netdev, count[NETDEV_##id])
#define COUNT(id, name)  FIELD(name "_total", COUNT, 0, get_count, set_count, COUNT_MEMBER(id))
#define LINK_COUNT(id, name, words) \
	COUNT(id, name), FIELD(name "_per_s", REAL, 0, get_link_per_s, NULL, COUNT_MEMBER(id)),
#define DRIVER_COUNT(id, name, ...) \
	COUNT(id, name), FIELD(name "_per_s", REAL, 0, get_per_s, set_per_s, COUNT_MEMBER(id)),

#define FIELD_LINK(n, m) \
	FIELD(n, COUNT, 0, field_get_id, field_set_u32, OPTIONAL, ROW_MEMBER(struct netdev, m))

/* clang-format off */
static const struct record_field fields[] = {
	FIELDS_OF_SNAPSHOT,
	ROW_FIELD_ID("netns", struct netdev, netns),
	FIELD_TEXT("netns_name", 0, netns_name),
	ROW_FIELD_ID("ifindex", struct netdev, ifindex),
	ROW_FIELD_TEXT("ifname", struct netdev, name),
	ROW_FIELD_TEXT("kind", struct netdev, kind),
	FIELD("state", TEXT, 0, get_device_state, set_device_state),
	ROW_FIELD_NUMBER("mtu", struct netdev, mtu),
	ROW_FIELD_NAME("mode", struct netdev, mode, netdev_modes),
	ROW_FIELD_ID("prog_id", struct netdev, prog_id),
	ROW_FIELD_TEXT("prog_name", struct netdev, prog_name),
	ROW_FIELD_NAME("attached_by", struct netdev, attach, netdev_attaches, OPTIONAL),
	ROW_FIELD_ID("skb_prog_id", struct netdev, skb_prog_id),
	FIELD("xdp_features", TEXT, 0, get_features, set_features),
	ROW_FIELD_ID("peer_netns", struct netdev, peer_netns),
	ROW_FIELD_ID("peer_ifindex", struct netdev, peer_ifindex),
	FIELD_LINK("lower_ifindex", lower_ifindex), FIELD_LINK("vlan_id", vlan_id),
	FIELD_LINK("master_ifindex", master_ifindex), FIELD_LINK("link_type", link_type),
	FIELD("driver", TEXT, 0, get_driver, field_set_cut_text, ROW_MEMBER(struct netdev, driver)),
	NETDEV_LINK_COUNT_ROWS(LINK_COUNT)
	NETDEV_DRIVER_COUNT_ROWS(DRIVER_COUNT)
	NETDEV_NETNS_COUNT_ROWS(DRIVER_COUNT)
	NETDEV_SETTING_ROWS(SETTING)
	FIELD("offloads", TEXT, 0, get_offloads, set_offloads),
	ROW_FIELD_KNOWN_TIME("counters_read_at", struct netdev, counters_read_at, OPTIONAL),
	ROW_FIELD_KNOWN_TIME("settings_read_at", struct netdev, settings_read_at, OPTIONAL),
	ROW_FIELD_KNOWN_TIME("queues_read_at", struct netdev, queues_read_at, OPTIONAL),
	FIELD_POD("", 0, pod),
};
/* clang-format on */

static const struct record_object object = RECORD_OBJECT("device", fields);

static bool is_same_netdev(const void *a, const void *b)
{
	return netdev_is_same(a, b);
}

/* A recording does not say by how much they had grown before it began. */
static void netdev_forget(void *row)
{
	struct netdev *d = row;

	d->counted = 0;
	memset(d->count, 0, sizeof(d->count));
	memset(d->per_s, 0, sizeof(d->per_s));
}

#define METRIC(id, name, words, ...) \
	{ "xdptop_device_" name "_total", words ".", offsetof(struct netdev, count[NETDEV_##id]) },

/* clang-format off */
static const struct data_source_metric metrics[] = {
	NETDEV_LINK_COUNT_ROWS(METRIC)
	NETDEV_DRIVER_COUNT_ROWS(METRIC)
	NETDEV_NETNS_COUNT_ROWS(METRIC)
	{ 0 },
};
/* clang-format on */

static bool has_metric(const void *row, const struct data_source_metric *metric)
{
	const struct netdev *d = row;
	size_t which = (metric->counter - offsetof(struct netdev, count)) / sizeof(uint64_t);
	uint64_t n;

	return !d->gone && netdev_count(d, (enum netdev_count)which, &n);
}

struct netdevs {
	struct netdev_monitor *monitor;
	uint64_t newest; /* id of the newest series */
	struct live *live;
	struct netns_set entered; /* namespaces that the process was asked to enter */
	uint64_t enter_again_ns;  /* when entered is cleared, to ask again */
	size_t n_later;           /* namespaces that were not entered, in the last snapshot */
};

struct users {
	struct netdev_ref *device;
	size_t n, cap;
};

static int take_user(struct users *to, uint32_t netns, uint32_t ifindex)
{
	*array_append(to->device, to->n, to->cap) =
		(struct netdev_ref){ .netns = netns, .ifindex = ifindex };
	return 0;
}

static int take_socket(void *ctx, const struct socket_record *r)
{
	return take_user(ctx, r->netns, r->ifindex);
}

/* The devices of AF_XDP sockets and in devmaps; some may be missing. */
static void find_users(struct bpf_iters *iters, struct users *to)
{
	struct error ignored = { 0 };
	struct map_reading r;

	if (xdp_socket_iter_works(iters, &ignored))
		xdp_socket_iter_run(iters, 1, take_socket, to);
	if (!bpf_iters_has(iters, ITER_MAP_CONTENTS))
		return;
	if (!map_iter_read(iters, &r))
		for (size_t i = 0; i < r.n; i++)
			if (r.record[i].is_entry && r.record[i].netns)
				take_user(to, r.record[i].netns, r.record[i].ifindex);
	map_iter_restart(iters);
}

/* An error if no device has the name and all devices are known. */
static int check_wanted(struct netdev_monitor *monitor, const char *ifname, struct error *error)
{
	const struct netdev_table *t = netdev_monitor_hold(monitor);
	struct suggestions near = { .n = 0 };
	bool found = !*ifname || netdev_table_has_wanted(t, NULL) || netdev_table_left_out(t);
	char names[160];

	if (!found)
		netdev_table_suggest(t, ifname, &near);
	suggestions_text(&near, names, sizeof(names));
	netdev_monitor_release(monitor);
	if (found || netdev_monitor_unreadable(monitor))
		return 0;
	error->exit_code = EXIT_USAGE;
	return error_set(error, -ENODEV, "no device '%.40s' in any network namespace%s%s", ifname,
			 *names ? "; nearest: " : "", names);
}

static void open_later(struct netdevs *d)
{
	struct snapshot_host *host = d->live->host;
	struct snapshot_process *p = &host->process[PROCESS_LATER];
	const char *unknown = host->absent[DATA_SOURCE_NETDEVS];
	struct error why = { 0 };
	struct refusal refused[ITER_COUNT] = { 0 };
	char text[160];
	pid_t pid;
	int opener = -1;

	bpf_iters_refused(d->live->iters, refused);
	if (host->devices != NETDEVS_ALL)
		error_set(&why, -ENOENT, "xdptop cannot find them: %s",
			  *unknown ? unknown
				   : refusal_text(refused, ITER_WALK, host->kernel, text,
						  sizeof(text)));
	else
		opener = netns_opener_start(d->live->trace->later_namespaces, &pid, &p->caps, &why);
	if (opener >= 0) {
		netdev_monitor_set_opener(d->monitor, opener);
		p->pid = (uint32_t)pid;
	}
	snprintf(p->reason, sizeof(p->reason), "%s", opener < 0 ? error_text(&why) : "");
}

static int netdevs_open(void *state, struct live *live, struct error *error)
{
	const char *ifname = live->trace->ifname ?: "";
	struct netdevs *d = state;
	struct netns_owners owners = { 0 };
	struct users users = { 0 };
	int err;

	find_users(live->iters, &users);
	err = netdev_monitor_open(&d->monitor, live->iters, ifname, users.device, users.n, &owners);
	free(users.device);
	netns_names_set_owners(live->netns, &owners, false);
	netns_owners_free(&owners);
	live->host->devices = d->monitor ? netdev_monitor_coverage(d->monitor) : NETDEVS_NONE;
	if (err) {
		error_set(error, err, "network namespaces: %s",
			  err == -ENOTRECOVERABLE
				  ? "could not return to its own namespace after reading the "
				    "others; start xdptop again"
				  : strerror(-err));
		/* programs can count without devices */
		return err == -ENOTRECOVERABLE ? err : 1;
	}
	d->live = live;
	live->netdevs = d->monitor;
	err = netdev_monitor_walk_error(d->monitor);
	if (err)
		snprintf(live->host->absent[DATA_SOURCE_NETDEVS],
			 sizeof(live->host->absent[DATA_SOURCE_NETDEVS]),
			 "the walk through all namespaces failed: %s", strerror(-err));
	live->host->netns_unreadable = netdev_monitor_unreadable(d->monitor);
	live->host->netdevs_left_out = netdev_table_left_out(netdev_monitor_hold(d->monitor));
	netdev_monitor_release(d->monitor);
	if (live->trace->later_namespaces || live->trace->verdicts)
		open_later(d);
	return check_wanted(d->monitor, ifname, error);
}

static int netdevs_start(void *state)
{
	return netdev_monitor_start(((struct netdevs *)state)->monitor);
}

static void netdevs_refresh(void *state)
{
	netdev_monitor_refresh(((struct netdevs *)state)->monitor, WAIT_MS);
}

/*
 * Findings will need the current devices, because there was a failure since the last snapshot, or a
 * new series, whose program may just have been attached.
 */
static bool has_news(struct netdevs *d, const struct snapshot *to)
{
	uint64_t newest = to->n_series ? to->series[to->n_series - 1].id : 0;
	bool news = newest > d->newest;

	for (size_t i = 0; i < to->n_series && !news; i++) {
		const struct series *s = &to->series[i];

		news = (tracepoints[s->tracepoint].failure || s->key.code) &&
		       s->last_seen.tv_sec == to->wall.tv_sec &&
		       s->last_seen.tv_nsec == to->wall.tv_nsec;
	}
	d->newest = newest;
	return news;
}

/* False = nothing that leads there is known yet. */
static bool ask_to_enter(struct netdevs *d, uint32_t inode)
{
	struct netns_names *names = d->live->netns;

	netns_names_check(names, inode);
	return netns_names_get(names, inode) &&
	       netdev_monitor_enter(d->monitor, inode, netns_names_pid(names, inode));
}

/* Only the process may enter namespaces that came after the drop of privileges. */
static void enter_later(struct netdevs *d)
{
	struct snapshot_process *p = &d->live->host->process[PROCESS_LATER];
	struct netns_set later = { 0 }, entered = { 0 };
	uint64_t now = clock_ns();

	if (p->pid && !netdev_monitor_has_opener(d->monitor)) {
		snprintf(p->reason, sizeof(p->reason),
			 "process %u, which entered later network namespaces, was killed", p->pid);
		p->pid = 0;
		p->caps = 0;
	}
	if (now >= d->enter_again_ns) {
		netns_set_free(&d->entered);
		d->enter_again_ns = now + ENTER_AGAIN_NS;
	}
	netdev_monitor_uncounted(d->monitor, &later);
	for (size_t i = 0; i < later.n; i++)
		if (netns_set_has(&d->entered, later.inode[i]) || ask_to_enter(d, later.inode[i]))
			netns_set_add(&entered, later.inode[i], NETNS_COUNTED_MAX);
	/* their processes are not known yet */
	d->live->has_new_series |= later.n > d->n_later;
	d->n_later = later.n;
	/* inodes are reused */
	netns_set_free(&d->entered);
	d->entered = entered;
	netns_set_free(&later);
}

static int netdevs_sample(void *state, struct snapshot *to)
{
	struct netdevs *d = state;
	struct netdev *netdev;
	struct netdev_table *table;

	if (has_news(d, to))
		netdev_monitor_news(d->monitor, d->live->refreshed_ns);
	table = netdev_monitor_hold(d->monitor);
	for (size_t i = 0; i < d->live->n_need; i++)
		netdev_table_need(table, d->live->need[i].netns, d->live->need[i].ifindex);
	d->live->n_need = 0;
	netdev_table_fill(table, to);
	to->netdevs_left_out = netdev_table_left_out(table);
	to->netdevs_known = table->n_devices;
	netdev_monitor_release(d->monitor);
	to->netns_unreadable = netdev_monitor_unreadable(d->monitor);
	enter_later(d);
	netdev = snapshot_netdevs(to);
	for (size_t i = 0; i < snapshot_n_netdevs(to); i++)
		bpf_objects_full_name(d->live->objects, netdev[i].prog_id, netdev[i].prog_name);
	return 0;
}

static void netdevs_suspend(void *state, bool stop)
{
	if (stop)
		netdev_monitor_leave(((struct netdevs *)state)->monitor);
}

static void netdevs_close(void *state)
{
	netdev_monitor_close(((struct netdevs *)state)->monitor);
	netns_set_free(&((struct netdevs *)state)->entered);
}

const struct data_source netdevs_source = {
	.name = "devices",
	.help = "network interfaces with XDP, over netlink and from a BPF iterator",
	ROW_TYPE(struct netdev, name, NETDEVS_MAX),
	.is_same = is_same_netdev,
	.gone = offsetof(struct netdev, gone),
	ROW_DEVICE(struct netdev),
	.record = &object,
	.forget = netdev_forget,
	.metrics = metrics,
	.metric_labels = HAS_DEVICE,
	.has_metric = has_metric,
	.totals = true,
	.state_size = sizeof(struct netdevs),
	.open = netdevs_open,
	.start = netdevs_start,
	.refresh = netdevs_refresh,
	.sample = netdevs_sample,
	.suspend = netdevs_suspend,
	.close = netdevs_close,
};
