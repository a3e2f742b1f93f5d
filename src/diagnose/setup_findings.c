// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about programs, maps and sockets that do not belong together. */
#include "diagnose/device_past.h"
#include "diagnose/device_path.h"
#include "diagnose/map_evidence.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include "base/clock.h"
#include "base/format.h"
#include "base/hash.h"
#include "source/map_fill.h"
#include "source/programs.h"

/* Whether no map has a socket that has receive buffers: a program that only sends needs none. */
static bool is_in_no_map(const struct xdp_socket *s)
{
	return s->in_map == XDP_SOCKET_IN_NO_MAP && s->rx.size && (s->fill.fill || s->fill_taken);
}

/* Names the xskmap of the device's program, if the maps of that program are known. */
static void add_xskmap(struct format_text *t, struct evidence *e, uint32_t prog_id)
{
	const struct map_entry *map[MAPS_OF_PROGRAM];
	int n = maps_of_program(e->rates, prog_id, map);

	for (int i = 0; i < n && !e->map; i++)
		if (map[i]->map_type == BPF_MAP_TYPE_XSKMAP)
			e->map = map[i];
	if (e->map)
		format_add(t, ", which redirects through xskmap %s (id %u)", e->map->map_name,
			   e->map->map_id);
	else if (n >= 0)
		format_add(t, ", which redirects through no xskmap");
}

/* Some sockets that share a queue may only send. The queue's packets then go to the others. */
static bool gets_no_packets(struct evidence *e)
{
	const struct xdp_socket *s = e->socket;
	struct format_text t = { .buf = e->what, .size = sizeof(e->what) };
	struct xdp_place place = xdp_socket_place(s);
	const struct netdev *d = snapshot_find_netdev(e->rates->to, place.netns, place.ifindex);
	char owner[96];

	if (!is_in_no_map(s) || s->received != e->socket_before->received)
		return false;
	for (const struct xdp_socket *const *at = e->queue;
	     *at && !xdp_socket_compare_queues(*at, s); at++)
		if ((*at)->in_map != XDP_SOCKET_IN_NO_MAP)
			return false;
	format_add(&t,
		   "%s waits for packets on queue %u, but no xskmap has its socket, so no packets "
		   "are redirected to it",
		   socket_owner(s, owner, sizeof(owner)), s->queue);
	if (!d || d->gone)
		return true;
	format_add(&t, ". %s runs ", *d->name ? d->name : xdp_socket_ifname(s));
	if (!netdev_has_program(d)) {
		format_add(&t, "no XDP program");
		return true;
	}
	e->program = program_find(e->rates->to, netdev_program(d));
	format_add(&t, "%s (id %u)", *d->prog_name ? d->prog_name : "a program", netdev_program(d));
	add_xskmap(&t, e, netdev_program(d));
	return true;
}

static void name_program(struct format_text *t, const struct evidence *e, uint32_t prog_id)
{
	const struct program *p = program_find(e->rates->to, prog_id);

	format_add(t, "%s (id %u)", p && *p->prog_name ? p->prog_name : "the program", prog_id);
}

/* A name with a dot is libbpf's own, such as "fw.bss". An array always has entries. */
static bool is_beside(struct evidence *e)
{
	struct format_text t = { .buf = e->what, .size = sizeof(e->what) };
	const struct map_fill *m = e->fill, *like = map_fill_find(e->rates->to, m->like_id);
	bool is_counted = m->state == MAP_FILL_COUNTED;
	bool like_is_empty = like && like->state == MAP_FILL_COUNTED && !like->entries;

	if (!m->like_id || strchr(m->map_name, '.') || m->state == MAP_FILL_UNREAD ||
	    (is_counted && !m->entries && !m->added))
		return false;
	format_add(&t, "no program uses it: ");
	name_program(&t, e, m->like_prog);
	format_add(&t, " uses another map of the same name, type and sizes, id %u", m->like_id);
	if (is_counted)
		format_add(&t, ". It has %ju entr%s", (uintmax_t)m->entries,
			   m->entries == 1 ? "y" : "ies");
	if (m->added)
		format_add(&t, ", %ju added while xdptop ran", (uintmax_t)m->added);
	if (is_counted && like_is_empty)
		format_add(&t, ", and the program's map is empty");
	if (!m->added && !(is_counted && like_is_empty))
		e->severity = FINDING_INFO;
	e->number = m->like_id;
	return true;
}

ROW_NUMBER(name_of, struct map_entry, m,
	   m->is_entry || !*m->map_name ? ROW_NO_NUMBER : hash_add_text(m->map_type, m->map_name))

static const struct row_key maps_by_name = { DATA_SOURCE_MAPS, 1, .number = name_of };

/* The map of this name and type that a device's program uses; NULL = none. */
static const struct map_entry *find_attached(const struct rates *r, const struct map_entry *map)
{
	const struct map_entry *other;

	for_each_row (other, r, r->to, &maps_by_name, name_of(map, 0))
		if (other->map_type == map->map_type && !strcmp(other->map_name, map->map_name) &&
		    other != map && map_is_attached(r, other))
			return other;
	return NULL;
}

static bool redirects_beside(struct evidence *e)
{
	struct format_text t = { .buf = e->what, .size = sizeof(e->what) };
	const struct map_entry *m = e->unused, *was = map_find(e->rates->from, m->map_id);
	const struct map_entry *like = find_attached(e->rates, m);
	bool like_is_empty = like && !like->used && map_is_read(e->rates->to, like);

	if (!like)
		return false;
	format_add(&t, "no program uses it, but it has %u entr%s: ", m->used,
		   m->used == 1 ? "y" : "ies");
	name_program(&t, e, like->user[0]);
	format_add(&t, " redirects through another map of the same name, id %u%s", like->map_id,
		   like_is_empty ? ", which is empty" : "");
	if (!like_is_empty && !(was && was->used < m->used))
		e->severity = FINDING_INFO;
	e->number = like->map_id;
	e->program = program_find(e->rates->to, like->user[0]);
	return true;
}

static bool has_no_calls(struct evidence *e)
{
	struct format_text t = { .buf = e->what, .size = sizeof(e->what) };

	if (!map_fill_is_emptied(e->fill))
		return false;
	format_add(&t,
		   "no process or pin holds it, so the kernel has removed its programs, and the "
		   "tail calls of ");
	name_program(&t, e, e->fill->user[0]);
	format_add(&t, " through it fail");
	return true;
}

static bool has_newer(struct evidence *e)
{
	struct format_text t = { .buf = e->what, .size = sizeof(e->what) };
	const struct program *p = program_find(e->rates->to, e->dev->prog_id);
	int64_t now = timespec_to_ns(&e->rates->to->wall);
	char age[16];
	size_t n;

	if (!p || !p->newer_id)
		p = program_find(e->rates->to, e->dev->skb_prog_id);
	if (e->dev->gone || !p || !p->newer_id ||
	    e->devices[p - programs(e->rates->to, &n)].first != e->dev)
		return false;
	format_add(&t,
		   "a newer program of the same name, id %u, is attached to no device, and no map "
		   "runs it",
		   p->newer_id);
	if (p->newer_loaded_at.tv_sec) {
		format_age(age, sizeof(age),
			   ns_to_seconds(now - timespec_to_ns(&p->newer_loaded_at)));
		format_add(&t, ". It was loaded %s ago", age);
	}
	if (p->newer_pid)
		format_add(&t, "%s held by %s[%u]",
			   p->newer_loaded_at.tv_sec ? ", and is" : ". It is", p->newer_comm,
			   p->newer_pid);
	e->program = p;
	e->number = p->newer_id;
	return true;
}

/* A warning only while the program drops packets, because it may expect such packets. */
static bool lacks_ethernet(struct evidence *e)
{
	struct format_text t = { .buf = e->what, .size = sizeof(e->what) };
	struct device_path path;
	const struct path_count *drop = &path.count[PATH_DROP], *lost = &path.count[PATH_LOST];
	double per_s;
	char rate[16];

	if (!netdev_has_program(e->dev) || !netdev_lacks_ethernet(e->dev))
		return false;
	e->program = program_find(e->rates->to, netdev_program(e->dev));
	device_path_set(&path, e->rates, NULL, e->dev->netns, e->dev->ifindex);
	per_s = (drop->now ? drop->per_s : 0) + (lost->now ? lost->per_s : 0);
	format_add(&t, "its packets begin with the IP header, not with an Ethernet header");
	format_rate(rate, sizeof(rate), per_s, NUMBER_SI);
	if (per_s > 0)
		format_add(&t, ", and the program drops or aborts %s a second", rate);
	else
		e->severity = FINDING_INFO;
	return true;
}

/*
 * Why xsk_bind() refuses (net/xdp/xsk.c; xp_assign_dev() in net/xdp/xsk_buff_pool.c). NULL = one
 * errno has several causes, or it comes from the driver.
 */
static const char *bind_meaning(const struct event *e, const struct netdev *d)
{
	switch (-e->key.code) {
	case EBUSY:
		return "the queue already has a socket, or this socket is already bound";
	case EOPNOTSUPP:
		return "zero-copy was requested, but the driver does not support it here";
	case ENODEV:
		return "no device has this ifindex in the socket's network namespace";
	case ENETDOWN:
		return "the device is down";
	case EINVAL:
		if (d && d->set & BIT(NETDEV_CHANNELS) && e->queue >= d->setting[NETDEV_CHANNELS])
			return "the device has no such queue";
		return "the queue does not exist, the UMEM or its rings are missing, or the flags "
		       "contradict each other";
	default:
		return NULL;
	}
}

/* Whether the device had a program at the beginning of the interval, and has none now. */
static bool lost_program(const struct evidence *e, const struct netdev *d)
{
	const struct netdev *was =
		d ? snapshot_find_netdev(e->rates->from, d->netns, d->ifindex) : NULL;

	return was && !d->gone && netdev_has_program(was) && !netdev_has_program(d);
}

static bool is_refused(struct evidence *e)
{
	struct format_text t = { .buf = e->what, .size = sizeof(e->what) };
	const struct event *event = e->event;
	const struct netdev *d =
		snapshot_find_netdev(e->rates->to, event->key.netns, event->key.ifindex);
	const char *why = event->has_queue ? bind_meaning(event, d) : NULL;

	if (event->pid)
		format_add(&t, "%s[%u]", event->comm, event->pid);
	else
		format_add(&t, "a process");
	format_add(&t, " was refused: %s", event->text);
	if (*event->holder)
		format_add(&t, "; %s has the queue", event->holder);
	else if (why)
		format_add(&t, "; %s", why);
	if (lost_program(e, d))
		format_add(&t, ". The device had a program before, and runs none now");
	else
		e->severity = FINDING_WARNING;
	return true;
}

WHEN(is_bind, e->event->has_queue &&is_refused(e))
WHEN(is_attach, !e->event->has_queue && is_refused(e))

/* clang-format off */
static const struct finding_code codes[] = {
	{ "setup-refused", FINDING_CRITICAL,
	  "the kernel refused to bind an AF_XDP socket, or to attach an XDP program, without "
	  "giving a message (attach-failed reports refusals with one). The severity is warning "
	  "unless the device lost its program",
	  { 0 },
	  RULES({ RULE_REFUSED, .code = RULE_ANY, .per = PER_DEVICE | PER_REFUSAL, .is_event = true,
		  .when = is_bind,
		  .remedy = { "if the queue is taken, end its process or share that process's UMEM "
			      "(XDP_SHARED_UMEM). If the queue does not exist, see ethtool -l. If "
			      "zero-copy is not supported, bind without XDP_ZEROCOPY",
			      "{sockets}\n"
			      "{in}ethtool -l {dev}\n"
			      "ps -o pid,stat,args -p {pid}" } },
		{ RULE_REFUSED, .code = RULE_ANY, .per = PER_DEVICE | PER_REFUSAL, .is_event = true,
		  .when = is_attach,
		  .remedy = { "look for the reason in the kernel's log; the most frequent are a "
			      "large MTU, too many queues, and LRO. Otherwise attach in generic "
			      "mode",
			      "dmesg | tail\n"
			      "{in}ethtool -l {dev}\n"
			      "{ip} -d link show dev {dev}" } }) },
	{ "xsk-in-no-map", FINDING_WARNING,
	  "an AF_XDP socket has buffers for packets, but no xskmap has an entry for it, in three "
	  "intervals in a row, so no program can redirect packets to it",
	  { .text = "put the socket into the xskmap of the device's program, at the number of the "
		    "socket's queue (xsk_socket__update_xskmap()). libxdp does that only for a "
		    "program that it loads itself",
	    .commands = OWNER_COMMANDS "\n"
			"{in}bpftool net show dev {dev}\n"
			"bpftool map dump id {map}" },
	  RULES({ RULE_SOCKET, .code = RULE_ANY, .per = PER_DEVICE | PER_QUEUE, .intervals = 3,
		  .when = gets_no_packets }) },
	{ "map-not-in-use", FINDING_WARNING,
	  "a map that no program uses has entries, or they cannot be counted, while a running "
	  "program uses another map of the same name and type. The severity is info unless entries "
	  "have been added to the unused map, or the program's map is empty",
	  { .text = "have the tool that uses the old map open the program's map instead, and "
		    "remove the old pin. When the program is loaded again, it gets new maps unless "
		    "the loader reuses the pinned ones",
	    .commands = "bpftool -f map show id {map}\n"
			"bpftool -f map show id {number}\n"
			"bpftool prog show id {prog}" },
	  RULES({ RULE_MAP, .code = RULE_ANY, .per = PER_MAP, .when = is_beside },
		{ RULE_UNUSED, .code = RULE_ANY, .per = PER_MAP, .intervals = 5,
		  .when = redirects_beside }) },
	{ "tail-calls-gone", FINDING_INFO,
	  "a running program's PROG_ARRAY is empty, because no process and no pin holds it, in two "
	  "intervals in a row",
	  { .text = "start the program's loader again and keep it running, or have it pin the "
		    "PROG_ARRAY: the kernel empties one when its last descriptor or pin is gone",
	    .commands = "bpftool map show id {map}\n"
			"bpftool prog show id {prog}" },
	  RULES({ RULE_MAP, .code = RULE_ANY, .per = PER_MAP, .intervals = 2,
		  .when = has_no_calls }) },
	{ "newer-program-idle", FINDING_INFO,
	  "a device runs a program although a newer one of the same name has been loaded for 30 s "
	  "or more, and no device, link, program array or map entry runs the newer one",
	  { .text = "check whether the newer program's loader meant to replace the running one. "
		    "The loader may have failed to attach it, or may skip devices that already run "
		    "a program",
	    .commands = "bpftool prog show id {number}\n"
			"bpftool prog show id {prog}\n"
			"{in}bpftool net show dev {dev}" },
	  RULES({ RULE_NETDEV, .code = RULE_ANY, .per = PER_DEVICE | PER_PROG, .intervals = 2,
		  .when = has_newer }) },
	{ "no-ethernet-header", FINDING_WARNING,
	  "a program runs on a device whose packets have no Ethernet header, such as a tun or "
	  "WireGuard device. The severity is info unless the program is seen to drop packets",
	  { .text = "have the program parse the IP header at the beginning of the packet, or "
		    "attach it to a device with Ethernet headers",
	    .commands = "{ip} -d link show dev {dev}\n"
			"bpftool prog dump xlated id {prog}" },
	  RULES({ RULE_NETDEV, .code = RULE_ANY, .per = PER_DEVICE | PER_PROG,
		  .when = lacks_ethernet }) },
};
/* clang-format on */

const struct finding_group setup_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
