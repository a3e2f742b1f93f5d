// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Data source changes: compares what the other sources found with the previous snapshot, on every
 * kernel and without a privilege. It adds events only. What changed twice between two snapshots is
 * one change, except programs of devices where the kernel reports each (inventory/xdp_installs.h).
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/if_xdp.h>
#include <stdio.h>
#include "base/clock.h"
#include "base/cpu_set.h"
#include "base/format.h"
#include "base/sanitize.h"
#include "inventory/netdev_iter.h"
#include "inventory/netdev_monitor.h"
#include "inventory/xdp_installs.h"
#include "model/target.h"
#include "source/data_source.h"
#include "source/live_source.h"
#include "source/maps.h"
#include "source/programs.h"
#include "source/sockets.h"

#define LISTED_MAX     1024 /* changes of one snapshot */
#define LISTED_PER_MAP 16
#define MOVED_MAX      64 /* vanished devices that are searched for in other namespaces */

/* Sources whose rows are compared. */
static const enum data_source_id compared[] = { DATA_SOURCE_NETDEVS, DATA_SOURCE_MAPS,
						DATA_SOURCE_SOCKETS, DATA_SOURCE_PROGRAMS };

/* The kernel has reported that a device got this program. */
struct report {
	uint32_t netns, ifindex;
	uint32_t prog_id; /* 0 = it lost its program */
	uint64_t ktime_ns;
	bool old; /* from an earlier snapshot */
};

#define REPORTS_MAX 4096 /* older ones are forgotten, whatever the table shows */

struct change_source {
	struct live *live;
	struct xdp_installs *installs; /* NULL = this kernel does not report them */
	/* oldest first: the table may show a program some snapshots later */
	struct report *report;
	size_t n_reports, cap_reports;
	uint64_t known_ns;    /* the table of the last snapshot has what was until then */
	struct snapshot last; /* rows of the compared sources only */
	bool has_last;
	struct cpu_set online;
	/* of the snapshot that is compared now */
	struct snapshot *to;
	size_t listed, left_out, moved;
	uint32_t map_id; /* whose entries are compared, and how many of them are listed */
	size_t of_map;
	struct event unlisted; /* takes events that are not listed */
};

/* Values may be "" = none. */
static struct event *add_change(struct change_source *c, enum change change, const char *old_value,
				const char *new_value)
{
	struct event *e = c->listed < LISTED_MAX ? snapshot_add_event(c->to) : NULL;

	if (e) {
		c->listed++;
	} else {
		c->left_out++;
		e = &c->unlisted;
		memset(e, 0, sizeof(*e));
	}
	e->time = c->to->wall;
	e->tracepoint = TP_NONE;
	e->cpu = -1;
	e->change = change;
	snprintf(e->old_value, sizeof(e->old_value), "%s", old_value);
	snprintf(e->new_value, sizeof(e->new_value), "%s", new_value);
	snprintf(e->text, sizeof(e->text), "%s -> %s", *old_value ? old_value : "none",
		 *new_value ? new_value : "none");
	return e;
}

static struct event *add_device_change(struct change_source *c, enum change change,
				       const struct netdev *d, const char *old_value,
				       const char *new_value)
{
	struct event *e = add_change(c, change, old_value, new_value);

	e->key.netns = d->netns;
	e->key.ifindex = d->ifindex;
	e->key.prog_id = netdev_program(d);
	snprintf(e->ifname, sizeof(e->ifname), "%s", d->name);
	snprintf(e->prog_name, sizeof(e->prog_name), "%s", d->prog_name);
	return e;
}

/* How the device that a report is about had or has the program, if that is known. */
static enum netdev_attach attach_of(const struct snapshot *s, const struct netdev *d)
{
	const struct netdev *row = snapshot_find_netdev(s, d->netns, d->ifindex);

	return row && netdev_program(row) == netdev_program(d) ? row->attach : 0;
}

/* "31 fw native, link"; "" = the device has none. `program` may be NULL. */
static void program_text(const struct netdev *d, const struct program *program, char *buf,
			 size_t size)
{
	uint32_t id = netdev_program(d);
	const char *name = *d->prog_name ? d->prog_name : program ? program->prog_name : "";
	const char *by = netdev_attaches[d->attach];

	*buf = '\0';
	if (id)
		snprintf(buf, size, "%u%s%s %s%s%s", id, *name ? " " : "", name,
			 netdev_mode_name(d->mode), by ? ", " : "", by ?: "");
}

static const struct program *program_of(const struct snapshot *s, const struct netdev *d)
{
	return program_find(s, netdev_program(d));
}

/* `old` and `new` are the same device. prog_id 0 = no program. */
static struct event *add_program_change(struct change_source *c, const struct netdev *old,
					const struct netdev *new)
{
	const struct program *was = program_of(&c->last, old), *is = program_of(c->to, new);
	bool has_old = netdev_program(old), has_new = netdev_program(new);
	char before[CHANGE_VALUE_LEN], now[CHANGE_VALUE_LEN];
	const struct program *holder = has_new ? is : was;
	struct event *e;

	program_text(old, was ?: program_of(c->to, old), before, sizeof(before));
	program_text(new, is, now, sizeof(now));
	e = add_device_change(c,
			      !has_old  ? CHANGE_PROGRAM_ATTACHED
			      : has_new ? CHANGE_PROGRAM_REPLACED
					: CHANGE_PROGRAM_DETACHED,
			      has_new ? new : old, before, now);
	snprintf(e->ifname, sizeof(e->ifname), "%s", new->name);
	if (holder && holder->holders)
		program_owner(holder, e->holder, sizeof(e->holder));
	return e;
}

static void device_installed(const struct install_record *r, const struct install_prog *prog,
			     struct netdev *to)
{
	*to = (struct netdev){ .netns = r->netns, .ifindex = r->ifindex, .prog_id = prog->id };
	to->mode = r->mode < WALK_MODES ? walk_modes[r->mode] : NETDEV_NONE;
	sanitize(to->name, sizeof(to->name), r->ifname, sizeof(r->ifname));
	sanitize(to->prog_name, sizeof(to->prog_name), prog->name, sizeof(prog->name));
}

static struct timespec wall_of(const struct change_source *c, uint64_t mono_ns)
{
	/* bpf_ktime_get_ns() is CLOCK_MONOTONIC */
	return ns_to_timespec(timespec_to_ns(&c->to->wall) - (int64_t)(c->to->mono_ns - mono_ns));
}

/*
 * The event with which a tracepoint reports the same refusal: bpf_xdp_link_attach() fires one for
 * each link, netlink_extack for each message. That event may be counted but not listed.
 */
static bool is_told(struct change_source *c, const struct install_record *r, const char *message)
{
	uint32_t tp = TP_NETLINK_EXTACK;

	if (r->setup != SETUP_ATTACH_REFUSED)
		return false;
	if (r->by_link && c->to->tp[TP_LINK_ATTACH_FAILED].state == TP_ON)
		tp = TP_LINK_ATTACH_FAILED;
	else if (!*message || c->to->tp[TP_NETLINK_EXTACK].state != TP_ON)
		return false;
	for (size_t i = 0; i < c->to->n_event; i++) {
		struct event *e = &c->to->event[i];

		if (e->tracepoint == tp && e->pid == r->pid && !e->key.code &&
		    (!*message || !strncmp(e->text, message, strlen(message)))) {
			e->key.code = r->err;
			break;
		}
	}
	return true;
}

/* "poller[812]", "socket 4711" */
static void find_bound(const struct change_source *c, const struct install_record *r, char *buf,
		       size_t size)
{
	size_t n;
	const struct xdp_socket *s = xdp_sockets(c->to, &n);

	for (size_t i = 0; i < n; i++) {
		if (s[i].state != XDP_SOCKET_BOUND || s[i].netns != r->netns ||
		    s[i].ifindex != r->ifindex || s[i].queue != r->queue)
			continue;
		if (s[i].pid)
			snprintf(buf, size, "%s[%u]", s[i].comm, s[i].pid);
		else
			snprintf(buf, size, "socket %u", s[i].inode);
		return;
	}
}

static void take_refusal(struct change_source *c, const struct install_record *r)
{
	const struct netdev *known = snapshot_find_netdev(c->to, r->netns, r->ifindex);
	char asked[CHANGE_VALUE_LEN], message[SETUP_MESSAGE_LEN], program[CHANGE_VALUE_LEN - 16];
	const char *name = errno_name(r->err);
	struct netdev d;
	struct event *e;

	sanitize(message, sizeof(message), r->message, sizeof(r->message));
	if (is_told(c, r, message))
		return;
	device_installed(r, &r->new_prog, &d);
	program_text(&d, NULL, program, sizeof(program));
	if (r->setup == SETUP_BIND_REFUSED)
		snprintf(asked, sizeof(asked), "bind to queue %u%s", r->queue,
			 r->flags & XDP_ZEROCOPY ? ", zero-copy"
			 : r->flags & XDP_COPY   ? ", copy"
						 : "");
	else
		snprintf(asked, sizeof(asked), "%s %s", *program ? "attach" : "detach",
			 *program ? program : netdev_mode_name(d.mode));
	e = add_change(c, CHANGE_SETUP_REFUSED, asked, name ?: "an unknown error");
	if (*message)
		snprintf(e->text, sizeof(e->text), "%.200s -> %s: %s", asked, name ?: "", message);
	e->time = wall_of(c, r->ktime_ns);
	e->key.netns = r->netns;
	e->key.ifindex = r->ifindex;
	e->key.code = r->err;
	e->key.prog_id = r->new_prog.id;
	e->has_queue = r->setup == SETUP_BIND_REFUSED;
	e->queue = e->has_queue ? r->queue : 0;
	snprintf(e->ifname, sizeof(e->ifname), "%s", known ? known->name : d.name);
	snprintf(e->prog_name, sizeof(e->prog_name), "%s", d.prog_name);
	if (e->has_queue && r->err == -EBUSY)
		find_bound(c, r, e->holder, sizeof(e->holder));
	if (!known)
		live_need_netdev(c->live, r->netns, r->ifindex);
	e->pid = r->pid;
	sanitize(e->comm, sizeof(e->comm), r->comm, sizeof(r->comm));
}

static void take_install(void *ctx, const struct install_record *r)
{
	struct change_source *c = ctx;
	struct report *report;
	struct netdev old, new;
	struct event *e;

	if (r->setup != SETUP_INSTALLED) {
		take_refusal(c, r);
		return;
	}
	report = array_append(c->report, c->n_reports, c->cap_reports);
	*report = (struct report){ r->netns, r->ifindex, r->new_prog.id, r->ktime_ns, false };
	device_installed(r, &r->old_prog, &old);
	device_installed(r, &r->new_prog, &new);
	old.attach = attach_of(&c->last, &old);
	new.attach = attach_of(c->to, &new);
	e = add_program_change(c, &old, &new);
	e->time = wall_of(c, r->ktime_ns);
	if (!r->pid)
		return;
	e->pid = r->pid;
	sanitize(e->comm, sizeof(e->comm), r->comm, sizeof(r->comm));
}

/* Whether it is the last report of its device, and the table does not show it yet. */
static bool is_awaited(const struct change_source *c, size_t i)
{
	const struct report *r = &c->report[i];
	const struct netdev *d = snapshot_find_netdev(c->to, r->netns, r->ifindex);

	for (size_t k = i + 1; k < c->n_reports; k++)
		if (c->report[k].ifindex == r->ifindex && c->report[k].netns == r->netns)
			return false;
	return d && !d->gone && netdev_program(d) != r->prog_id;
}

static void forget_reports(struct change_source *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n_reports; i++) {
		if (c->report[i].old &&
		    ((c->report[i].ktime_ns < c->known_ns && !is_awaited(c, i)) ||
		     i + REPORTS_MAX < c->n_reports))
			continue;
		c->report[kept] = c->report[i];
		c->report[kept++].old = true;
	}
	c->n_reports = kept;
}

static bool is_reported(const struct change_source *c, const struct netdev *d)
{
	uint32_t id = netdev_program(d);

	for (size_t i = 0; i < c->n_reports; i++) {
		const struct report *r = &c->report[i];

		if (r->prog_id == id && r->ifindex == d->ifindex && r->netns == d->netns)
			return true;
	}
	return false;
}

static void compare_programs_of(struct change_source *c, const struct netdev *old,
				const struct netdev *new)
{
	struct netdev none = { .netns = new->netns, .ifindex = new->ifindex };

	if (!old)
		old = &none;
	if ((old->prog_id == new->prog_id && old->skb_prog_id == new->skb_prog_id &&
	     old->mode == new->mode) ||
	    is_reported(c, new))
		return;
	if (netdev_program(old) || netdev_program(new))
		add_program_change(c, old, new);
}

static void compare_numbers(struct change_source *c, enum change change, const struct netdev *d,
			    uint32_t old, uint32_t new)
{
	char before[16], now[16];

	if (old == new)
		return;
	snprintf(before, sizeof(before), "%u", old);
	snprintf(now, sizeof(now), "%u", new);
	add_device_change(c, change, d, before, now);
}

static void compare_setting(struct change_source *c, const struct netdev *old,
			    const struct netdev *new, enum netdev_setting which, enum change change)
{
	if (old->set & new->set & BIT(which))
		compare_numbers(c, change, new, old->setting[which], new->setting[which]);
}

static void compare_bits(struct change_source *c, const struct netdev *old,
			 const struct netdev *new)
{
	char before[NETDEV_OFFLOADS_LEN], now[NETDEV_OFFLOADS_LEN];

	if (old->has_features && new->has_features && old->features != new->features)
		add_device_change(c, CHANGE_XDP_FEATURES, new,
				  netdev_features_text(old->features, before, sizeof(before)),
				  netdev_features_text(new->features, now, sizeof(now)));
	if (old->has_offloads && new->has_offloads && old->offloads != new->offloads)
		add_device_change(c, CHANGE_OFFLOADS, new,
				  netdev_offloads_text(old->offloads, before, sizeof(before)),
				  netdev_offloads_text(new->offloads, now, sizeof(now)));
}

/* The state is the same in both snapshots, but changed between them. */
static void compare_carrier(struct change_source *c, const struct netdev *old,
			    const struct netdev *new)
{
	char now[CHANGE_VALUE_LEN];
	uint64_t n;

	if (!netdev_grew(old, new, NETDEV_CARRIER_CHANGES, &n) || n < 2)
		return;
	snprintf(now, sizeof(now), "up after %" PRIu64 " carrier changes", n);
	add_device_change(c, CHANGE_LINK_FLAPPED, new, netdev_state_name(old), now);
}

/* A device with the name and ifindex of d in another namespace: it keeps both when it moves. */
static const struct netdev *find_elsewhere(const struct snapshot *s, const struct netdev *d)
{
	for (size_t i = 0; i < snapshot_n_netdevs(s); i++) {
		const struct netdev *at = &snapshot_netdevs(s)[i];

		if (at->ifindex == d->ifindex && at->netns != d->netns && !at->gone &&
		    !strcmp(at->name, d->name))
			return at;
	}
	return NULL;
}

static void device_left(struct change_source *c, const struct netdev *old)
{
	const struct netdev *moved = c->moved++ < MOVED_MAX ? find_elsewhere(c->to, old) : NULL;
	char before[CHANGE_VALUE_LEN], now[CHANGE_VALUE_LEN];

	if (moved && snapshot_find_netdev(&c->last, moved->netns, moved->ifindex))
		moved = NULL;
	if (moved) {
		netns_text(old->netns, c->live->netns, before, sizeof(before));
		netns_text(moved->netns, c->live->netns, now, sizeof(now));
		add_device_change(c, CHANGE_MOVED, moved, before, now);
	} else {
		add_device_change(c, CHANGE_DEVICE_GONE, old, old->name, "");
	}
}

static void compare_devices(struct change_source *c, const void *a, const void *b)
{
	const struct netdev *old = a, *new = b;

	if (old && old->gone)
		old = NULL;
	if (new &&new->gone) {
		if (old)
			device_left(c, old);
		return;
	}
	if (!new)
		return;
	if (!old) {
		/* if the device moved here, the move has been reported at its old place */
		const struct netdev *from =
			c->moved++ < MOVED_MAX ? find_elsewhere(&c->last, new) : NULL;

		if (!from || from->prog_id != new->prog_id)
			compare_programs_of(c, NULL, new);
		return;
	}
	if (strcmp(old->name, new->name))
		add_device_change(c, CHANGE_RENAMED, new, old->name, new->name);
	if (old->up != new->up || old->running != new->running)
		add_device_change(c, new->up &&new->running ? CHANGE_LINK_UP : CHANGE_LINK_DOWN,
				  new, netdev_state_name(old), netdev_state_name(new));
	else if (new->running)
		compare_carrier(c, old, new);
	if (old->mtu && new->mtu)
		compare_numbers(c, CHANGE_MTU, new, old->mtu, new->mtu);
	compare_setting(c, old, new, NETDEV_CHANNELS, CHANGE_CHANNELS);
	compare_setting(c, old, new, NETDEV_RX_RING, CHANGE_RX_RING);
	compare_setting(c, old, new, NETDEV_TX_RING, CHANGE_TX_RING);
	compare_bits(c, old, new);
	compare_programs_of(c, old, new);
}

/* The target of an entry: "lan0, program 7 acl", "CPU 2, qsize 192", "socket 4711" */
static void entry_text(const struct map_entry *e, char *buf, size_t size)
{
	struct format_text t = { .buf = buf, .size = size };

	*buf = '\0';
	if (!e)
		return;
	if (e->socket_inode)
		format_add(&t, "socket %u", e->socket_inode);
	else if (e->qsize)
		format_add(&t, "CPU %u, qsize %u", e->key, e->qsize);
	else if (*e->to_ifname)
		format_add(&t, "%s", e->to_ifname);
	else
		format_add(&t, "ifindex %u", e->to_ifindex);
	if (e->prog_id)
		format_add(&t, ", program %u%s%s", e->prog_id, *e->prog_name ? " " : "",
			   e->prog_name);
}

static bool is_same_entry(const struct map_entry *a, const struct map_entry *b)
{
	return a->to_netns == b->to_netns && a->to_ifindex == b->to_ifindex &&
	       a->prog_id == b->prog_id && a->qsize == b->qsize &&
	       a->socket_inode == b->socket_inode;
}

/* An entry of a large map that was not read completely may be older than its first reading. */
static void compare_entries(struct change_source *c, const void *a, const void *b)
{
	const struct map_entry *old = a, *new = b, *of = new ?: old, *was;
	char before[CHANGE_VALUE_LEN], now[CHANGE_VALUE_LEN], text[SNAPSHOT_TEXT_LEN];
	struct event *e;

	if (!of->is_entry || (old && new &&is_same_entry(old, new)))
		return;
	was = map_find(&c->last, of->map_id);
	if (!was || !map_find(c->to, of->map_id) || (!old && was->slots_read < was->max_entries))
		return;
	if (of->map_id != c->map_id)
		c->of_map = 0;
	c->map_id = of->map_id;
	if (c->of_map++ >= LISTED_PER_MAP) {
		c->left_out++;
		return;
	}
	entry_text(old, before, sizeof(before));
	entry_text(new, now, sizeof(now));
	e = add_change(c,
		       !old   ? CHANGE_ENTRY_ADDED
		       : !new ? CHANGE_ENTRY_REMOVED
			      : CHANGE_ENTRY_CHANGED,
		       before, now);
	e->key.map_id = of->map_id;
	e->key.map_type = (uint16_t)of->map_type;
	e->key.target = of->key;
	snprintf(text, sizeof(text), "%s", e->text);
	snprintf(e->text, sizeof(e->text), "%s%s%u[%u]: %.400s", of->map_name,
		 *of->map_name ? " " : "map ", of->map_id, of->key, text);
}

static void add_socket_change(struct change_source *c, enum change change,
			      const struct xdp_socket *s)
{
	char queue[CHANGE_VALUE_LEN];
	struct event *e;

	snprintf(queue, sizeof(queue), "%s queue %u", s->ifname, s->queue);
	e = add_change(c, change, change == CHANGE_SOCKET_CLOSED ? queue : "",
		       change == CHANGE_SOCKET_CLOSED ? "" : queue);
	e->key.netns = s->netns;
	e->key.ifindex = s->ifindex;
	snprintf(e->ifname, sizeof(e->ifname), "%s", s->ifname);
	if (s->pid)
		snprintf(e->holder, sizeof(e->holder), "%s[%u]", s->comm, s->pid);
}

static bool is_bound(const struct xdp_socket *s)
{
	return s && s->state == XDP_SOCKET_BOUND;
}

static void compare_sockets(struct change_source *c, const void *a, const void *b)
{
	const struct xdp_socket *old = a, *new = b;
	uint32_t netns = (new ?: old)->netns;

	if (is_bound(old) == is_bound(new) || !xdp_sockets_complete(&c->last, netns) ||
	    !xdp_sockets_complete(c->to, netns))
		return;
	if (is_bound(new))
		add_socket_change(c, CHANGE_SOCKET_BOUND, new);
	else
		add_socket_change(c, CHANGE_SOCKET_CLOSED, old);
}

static void compare_holders(struct change_source *c, const void *a, const void *b)
{
	const struct program *old = a, *new = b;
	char before[CHANGE_VALUE_LEN];
	struct event *e;

	if (!old || !new || !old->holders || new->holders || new->sight != PROGRAM_SIGHT_ALL)
		return;
	snprintf(before, sizeof(before), "%s[%u]", old->comm, old->pid);
	e = add_change(c, CHANGE_HOLDER_DIED, before, "");
	snprintf(e->holder, sizeof(e->holder), "%s", before);
	e->key.prog_id = new->prog_id;
	snprintf(e->prog_name, sizeof(e->prog_name), "%s", new->prog_name);
}

static void compare_cpus(struct change_source *c)
{
	struct cpu_set now;
	char cpu[16];

	if (cpu_set_read(&now, "online"))
		return;
	for (uint32_t i = 0; c->online.count && (i < now.end || i < c->online.end); i++) {
		bool on = cpu_set_has(&now, i);

		if (on == cpu_set_has(&c->online, i))
			continue;
		snprintf(cpu, sizeof(cpu), "CPU %u", i);
		add_change(c, on ? CHANGE_CPU_ON : CHANGE_CPU_OFF, on ? "" : cpu, on ? cpu : "")
			->cpu = (int)i;
	}
	c->online = now;
}

typedef void compare_fn(struct change_source *c, const void *old, const void *new);

static compare_fn *const compare_rows[DATA_SOURCE_COUNT] = {
	[DATA_SOURCE_NETDEVS] = compare_devices,
	[DATA_SOURCE_MAPS] = compare_entries,
	[DATA_SOURCE_SOCKETS] = compare_sockets,
	[DATA_SOURCE_PROGRAMS] = compare_holders,
};

/* Both are sorted by key: NULL = not in that snapshot. */
static void compare_source(struct change_source *c, enum data_source_id id)
{
	const struct data_source *source = data_sources[id];
	size_t n_old, n_new, i = 0, k = 0;
	const char *old = data_source_rows(&c->last, id, &n_old),
		   *new = data_source_rows(c->to, id, &n_new);

	while (i < n_old || k < n_new) {
		const void *a = i < n_old ? old + i * source->row_size : NULL;
		const void *b = k < n_new ? new + k * source->row_size : NULL;
		int order = !a ? 1 : !b ? -1 : data_source_compare(source, a, b);

		compare_rows[id](c, order <= 0 ? a : NULL, order >= 0 ? b : NULL);
		i += order <= 0;
		k += order >= 0;
	}
}

static int changes_sample(void *state, struct snapshot *to)
{
	struct change_source *c = state;
	uint64_t lost = 0, told_lost = 0;
	int err = 0;

	c->to = to;
	c->listed = c->left_out = c->moved = 0;
	c->map_id = 0;
	if (c->installs)
		err = xdp_installs_read(c->installs, take_install, c, &lost, &told_lost);
	c->left_out += lost + (to->tp[TP_NETLINK_EXTACK].state == TP_ON ? 0 : told_lost);
	for (size_t i = 0; i < sizeof(compared) / sizeof(compared[0]); i++) {
		if (c->has_last)
			compare_source(c, compared[i]);
		snapshot_copy_rows(&c->last, to, compared[i]);
	}
	if (!c->has_last || to->cpus_online != c->online.count)
		compare_cpus(c);
	/* not before the comparison: it is the one in which the table may show them at last */
	forget_reports(c);
	if (c->listed)
		to->event[to->n_event - 1].left_out = c->left_out;
	c->known_ns = c->live->netdevs ? netdev_monitor_known_ns(c->live->netdevs) : UINT64_MAX;
	c->has_last = true;
	return err;
}

static int changes_open(void *state, struct live *live, struct error *error)
{
	struct change_source *c = state;

	c->live = live;
	c->installs = xdp_installs_open(live->iters);
	snapshot_init(&c->last);
	return 0;
}

static void changes_close(void *state)
{
	struct change_source *c = state;

	xdp_installs_close(c->installs);
	snapshot_free(&c->last);
	free(c->report);
}

const struct data_source changes_source = {
	.name = "changes",
	.help = "what changed between two snapshots: programs, devices, maps, sockets, CPUs",
	.state_size = sizeof(struct change_source),
	.open = changes_open,
	.sample = changes_sample,
	.close = changes_close,
};
