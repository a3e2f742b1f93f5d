// SPDX-License-Identifier: GPL-2.0-or-later
#include "verdicts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "frame.h"
#include "json.h"
#include "link.h"
#include "netns.h"
#include "stop.h"
#include "verdicts_program.h"

#define BATCH     64 /* a quarter of a ring */
#define MTU       1500
#define MTU_JUMBO 9000
#define IFINDEX   100 /* equal in both namespaces */

enum { BY_NETLINK, BY_LINK, FRAGS, MAIN, NEW_MAIN, PART0, PART1, PART2, PROGRAMS };

#define PARTS 3
#define MOVES 40 /* of parts, even: to the new dispatcher and back */

static const char *const names[PROGRAMS] = {
	[BY_NETLINK] = "rig_verdict", [BY_LINK] = "rig_verdict", [FRAGS] = "rig_frags",
	[MAIN] = "rig_main",          [NEW_MAIN] = "rig_main",   [PART0] = "rig_part0",
	[PART1] = "rig_part1",        [PART2] = "rig_part2",
};

/* Where a program is attached. */
static const struct place {
	const char *ifname, *feed;
	int program;
	bool generic, linked, other_ns, jumbo;
} places[VERDICT_PLACES] = {
	{ "rig-drv", "rig-drv1", BY_NETLINK, .generic = false },
	{ "rig-skb", "rig-skb1", BY_NETLINK, .generic = true, .other_ns = true },
	{ "rig-drvlink", "rig-drvlink1", BY_LINK, .linked = true },
	{ "rig-skblink", "rig-skblink1", BY_LINK, .generic = true, .linked = true },
	{ "rig-drvfrags", "rig-drvfrags1", FRAGS, .jumbo = true },
	{ "rig-skbfrags", "rig-skbfrags1", FRAGS, .generic = true, .jumbo = true },
	{ "rig-parts", "rig-parts1", MAIN, .generic = false },
};

#define SHARED 6 /* place of the dispatcher */

struct verdicts {
	struct netns ns, other;
	struct link in[VERDICT_PLACES], feed[VERDICT_PLACES];
	int link[VERDICT_PLACES]; /* BPF links, 0 = none */
	int n;                    /* number of existing places */
	struct verdicts_program program[PROGRAMS];
	int main;                        /* the attached dispatcher */
	struct bpf_link *part[2][PARTS]; /* for the old dispatcher and the new one */
	bool flows;
};

/* Prints "rig: verdicts: WHAT: reason"; returns @err. */
static int failed(const char *what, int err)
{
	if (err)
		fprintf(stderr, "rig: verdicts: %s: %s\n", what, strerror(-err));
	return err;
}

static int load(struct verdicts *v, int program, int parts, int whole, const char *function)
{
	return verdicts_load(&v->program[program], names[program], parts, whole, function);
}

static void skip_print(const char *stimulus, const char *reason)
{
	struct json json;

	json_begin(&json, stdout, "skip");
	json_string(&json, "stimulus", stimulus);
	json_string(&json, "reason", reason);
	json_end(&json);
}

/* Ends a step: everything fired was handled on all CPUs, and is printed. */
static int step_end(const struct verdicts *v, const char *name)
{
	struct json json;
	int err = frame_settle();

	for (int i = 0; i < PROGRAMS && !err; i++) {
		if (!v->program[i].fd)
			continue;
		err = verdicts_check(&v->program[i]);
		verdicts_print_rows(&v->program[i], v->in, v->flows);
	}
	if (err)
		return err;
	json_begin(&json, stdout, name);
	json_end(&json);
	/* a line starts the next step; EOF starts all of them */
	for (int c = 0; c != '\n' && c != EOF;)
		c = getchar();
	return stop_requested() ? -EINTR : 0;
}

static int program_of(const struct verdicts *v, int place)
{
	return place == SHARED ? v->main : places[place].program;
}

static void add(struct seen *row, uint32_t packets, uint64_t bytes)
{
	row->packets += packets;
	row->bytes += bytes;
}

/* A part decides on its third of the verdicts; the last one's is the dispatcher's. */
static int expect_parts(struct verdicts *v, int act, uint32_t packets, uint64_t bytes)
{
	int parts = v->main == NEW_MAIN ? PARTS : PARTS - 1, ret = XDP_PASS;

	for (int i = 0; i < parts && ret == XDP_PASS; i++) {
		if (verdicts[act].mark % PARTS == i)
			ret = act;
		add(&v->program[PART0 + i].expect[SHARED][ret], packets, bytes);
	}
	return ret;
}

/*
 * Fires @count frames that ask for @act, with other lengths on each device. @known: to a monitor.
 */
static int fire(struct verdicts *v, int place, int act, uint32_t count, bool known)
{
	struct verdicts_program *p = &v->program[program_of(v, place)];
	const uint32_t min = 64 + 20 * act + place;
	const struct frame_sizes sizes = {
		.min = min,
		.max = v->flows              ? min
		       : places[place].jumbo ? MTU_JUMBO
					     : min + 200,
		.step = places[place].jumbo ? 1111 : 7,
		.flows = v->flows,
		.mark = verdicts[act].mark,
	};

	while (count) {
		uint32_t n = count < BATCH ? count : BATCH;
		uint64_t bytes = 0;
		int ret = act, err;

		err = frame_send(&v->feed[place], NULL, n, &sizes, &bytes);
		if (err)
			return err;
		if (place == SHARED)
			ret = expect_parts(v, act, n, bytes);
		else if (verdicts[act].mark > XDP_REDIRECT)
			bytes -= n * SEEN_CUT;
		add(known ? &p->expect[place][ret] : &p->before[ret], n, bytes);
		p->fired += n;
		err = verdicts_wait(p);
		if (err)
			return err;
		count -= n;
	}
	return 0;
}

/*
 * Frames for each verdict, with other numbers for each and on each device. XDP_TX comes last: a tap
 * sends a flow to the queue that it was last sent from (drivers/net/tun.c, tun_flow_update()).
 */
static int fire_all(struct verdicts *v, int place)
{
	int err = 0;

	for (int i = 0; i < SEEN_ACTS && !err; i++) {
		int act = (XDP_TX + 1 + i) % SEEN_ACTS;

		err = fire(v, place, act, 101 * (act + 1) + place, true);
	}
	return err;
}

static int attach(struct verdicts *v, int i)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		    .flags = places[i].generic ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE);
	const int fd = v->program[places[i].program].fd;
	int err = netns_enter(v->in[i].ns);

	if (err)
		return err;
	if (!places[i].linked)
		return bpf_xdp_attach(v->in[i].ifindex, fd, opts.flags, NULL);
	v->link[i] = bpf_link_create(fd, v->in[i].ifindex, BPF_XDP, &opts);
	return v->link[i] < 0 ? v->link[i] : 0;
}

static int detach(struct verdicts *v, int i)
{
	int err = netns_enter(v->in[i].ns);

	if (err)
		return err;
	if (!places[i].linked)
		return bpf_xdp_detach(v->in[i].ifindex,
				      places[i].generic ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE,
				      NULL);
	err = bpf_link_detach(v->link[i]);
	close(v->link[i]);
	return err;
}

/* Replaces the function of the old or the @new dispatcher. */
static int part_attach(struct verdicts *v, int i, bool new)
{
	char function[8];
	struct bpf_link *link;

	snprintf(function, sizeof(function), "stub%d", i);
	link = bpf_program__attach_freplace(v->program[PART0 + i].handle,
					    v->program[new ? NEW_MAIN : MAIN].fd, function);
	v->part[new][i] = link;
	return link ? 0 : -errno;
}

/* Attaches the parts of the first dispatcher. */
static int parts_attach(struct verdicts *v, bool new)
{
	int err = 0;

	for (int i = 0; i < PARTS - 1 && !err; i++)
		err = v->part[new][i] ? 0 : part_attach(v, i, new);
	return err;
}

static void parts_detach(struct verdicts *v, bool new)
{
	for (int i = 0; i < PARTS - 1; i++) {
		bpf_link__destroy(v->part[new][i]);
		v->part[new][i] = NULL;
	}
}

static int part_load(struct verdicts *v, int i, int target)
{
	char function[8];

	snprintf(function, sizeof(function), "stub%d", i);
	return load(v, PART0 + i, 0, v->program[target].fd, function);
}

static int dispatcher_open(struct verdicts *v)
{
	int err = load(v, MAIN, PARTS - 1, 0, NULL);

	for (int i = 0; i < PARTS - 1 && !err; i++) {
		err = part_load(v, i, MAIN);
		if (!err)
			err = part_attach(v, i, false);
	}
	v->main = MAIN;
	return err;
}

static void dispatcher_close(struct verdicts *v)
{
	for (int i = 0; i < PARTS; i++) {
		bpf_link__destroy(v->part[0][i]);
		bpf_link__destroy(v->part[1][i]);
		verdicts_unload(&v->program[PART0 + i]);
	}
	verdicts_unload(&v->program[MAIN]);
	verdicts_unload(&v->program[NEW_MAIN]);
}

/*
 * As libxdp adds a program: another dispatcher gets the parts of the first one, then replaces it on
 * the device.
 */
static int dispatcher_add(struct verdicts *v)
{
	int err = load(v, NEW_MAIN, PARTS, 0, NULL);

	if (!err)
		err = parts_attach(v, true);
	if (!err)
		err = part_load(v, PARTS - 1, NEW_MAIN);
	return err ? err : part_attach(v, PARTS - 1, true);
}

/* Replaces one dispatcher by the other, then sends frames. */
static int dispatcher_move(struct verdicts *v, int to)
{
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts, .old_prog_fd = v->program[v->main].fd);
	int err = parts_attach(v, to == NEW_MAIN);

	err = err ? err : netns_enter(v->in[SHARED].ns);
	if (!err)
		err = bpf_xdp_attach(v->in[SHARED].ifindex, v->program[to].fd, XDP_FLAGS_DRV_MODE,
				     &opts);
	if (err)
		return err;
	v->main = to;
	/* a monitor counts the parts, but does not know the new dispatcher yet */
	err = fire(v, SHARED, XDP_DROP, 44, false);
	parts_detach(v, to != NEW_MAIN);
	return err ? err : fire(v, SHARED, XDP_TX, 44, false);
}

/* Swaps the two dispatchers repeatedly; then the old one ends. */
static int dispatcher_swap(struct verdicts *v)
{
	int err = 0;

	for (int i = 0; i <= MOVES && !err; i++)
		err = dispatcher_move(v, i & 1 ? MAIN : NEW_MAIN);
	err = err ? err : frame_settle();
	err = err ? err : verdicts_check(&v->program[MAIN]);
	verdicts_print_rows(&v->program[MAIN], v->in, v->flows);
	verdicts_unload(&v->program[MAIN]);
	return err ? err : verdicts_print_gone(v->program[MAIN].id);
}

static int open_veths(struct verdicts *v)
{
	int err = netns_open(&v->ns);

	if (!err)
		err = netns_open(&v->other);
	for (int i = 0; i < VERDICT_PLACES && !err; i++) {
		const struct netns *ns = places[i].other_ns ? &v->other : &v->ns;

		link_init(&v->in[i], ns, places[i].ifname);
		link_init(&v->feed[i], ns, places[i].feed);
		/* devices of the same program have the same number */
		v->in[i].ifindex = IFINDEX + 2 * (i - places[i].other_ns);
		v->feed[i].ifindex = v->in[i].ifindex + 1;
		err = link_add_veth(&v->in[i], &v->feed[i], places[i].jumbo ? MTU_JUMBO : MTU);
	}
	v->n = VERDICT_PLACES;
	return failed("veth pairs", err);
}

static int open_devices(struct verdicts *v, const char *in, const char *feed)
{
	int err = netns_open_here(&v->ns);

	link_init(&v->in[0], &v->ns, in);
	link_init(&v->feed[0], &v->ns, feed);
	v->in[0].ifindex = if_nametoindex(in);
	v->feed[0].ifindex = if_nametoindex(feed);
	v->flows = true;
	v->n = 1;
	if (!err && !(v->in[0].ifindex && v->feed[0].ifindex))
		err = -ENODEV;
	return failed("devices", err);
}

static int open_programs(struct verdicts *v)
{
	int err = load(v, BY_NETLINK, 0, 0, NULL);

	if (!err && !v->flows)
		err = load(v, BY_LINK, 0, 0, NULL);
	if (!err && !v->flows) {
		err = load(v, FRAGS, 0, 0, NULL);
		if (err == -EINVAL) {
			skip_print("frags", "XDP frames in fragments came with Linux 5.18");
			verdicts_unload(&v->program[FRAGS]);
			err = 0;
		}
	}
	if (!err && !v->flows) {
		err = dispatcher_open(v);
		if (err == -EPERM) {
			skip_print("dispatcher", "this kernel lets nobody replace a function");
			dispatcher_close(v);
			err = 0;
		}
	}
	for (int i = 0; i < PROGRAMS; i++)
		if (v->program[i].fd)
			verdicts_print(&v->program[i]);
	return failed("programs", err);
}

static bool has(const struct verdicts *v, int place)
{
	return v->program[program_of(v, place)].fd;
}

/* A new dispatcher with a third part replaces the attached one meanwhile. */
static int add_part(struct verdicts *v)
{
	int err = has(v, SHARED) ? dispatcher_add(v) : 0;

	if (failed("the new dispatcher", err))
		return err;
	if (has(v, SHARED)) {
		verdicts_print(&v->program[NEW_MAIN]);
		verdicts_print(&v->program[PART2]);
		err = fire(v, SHARED, XDP_TX, 33, true);
	}
	if (!err)
		err = step_end(v, "attached");
	if (!err && has(v, SHARED))
		err = failed("the swap", dispatcher_swap(v));
	if (!err)
		err = step_end(v, "swapped");
	if (!err && has(v, SHARED))
		err = fire_all(v, SHARED);
	return err;
}

static int end(struct verdicts *v)
{
	__u32 id[PROGRAMS];
	int err = 0;

	for (int i = 0; i < v->n && !err; i++)
		if (has(v, i))
			err = failed("detach", detach(v, i));
	for (int i = 0; i < PROGRAMS; i++) {
		id[i] = v->program[i].fd ? v->program[i].id : 0;
		if (i < MAIN)
			verdicts_unload(&v->program[i]);
	}
	dispatcher_close(v);
	for (int i = 0; i < PROGRAMS && !err; i++)
		if (id[i])
			err = verdicts_print_gone(id[i]);
	for (int i = 0; i < v->n; i++)
		link_close(&v->feed[i]);
	return err;
}

int verdicts_run(const char *in, const char *feed)
{
	struct verdicts v = { .main = MAIN };
	int err = in ? open_devices(&v, in, feed) : open_veths(&v);

	if (!err)
		err = open_programs(&v);
	for (int i = 0; i < v.n && !err; i++)
		if (has(&v, i))
			err = failed(v.in[i].name, attach(&v, i));
	if (!err)
		err = step_end(&v, "ready");
	for (int i = 0; i < v.n && !err; i++)
		if (has(&v, i))
			err = failed(v.in[i].name, fire_all(&v, i));
	if (!err && !in)
		err = step_end(&v, "fired");
	if (!err && !in)
		err = add_part(&v);
	if (!err)
		err = step_end(&v, "done");
	err = err ? err : end(&v);
	netns_close(&v.other);
	netns_close(&v.ns);
	return err ? 1 : 0;
}

int verdicts_list(const char *prog_name)
{
	__u32 id = 0;

	while (!bpf_prog_get_next_id(id, &id)) {
		struct bpf_prog_info info = {};
		__u32 len = sizeof(info);
		struct json json;
		int fd = bpf_prog_get_fd_by_id(id);
		int err = fd < 0 ? fd : bpf_obj_get_info_by_fd(fd, &info, &len);

		if (fd >= 0)
			close(fd);
		if (err == -ENOENT)
			continue; /* already ended */
		if (err)
			return failed("programs", err) ? 1 : 0;
		if (strcmp(info.name, prog_name))
			continue;
		json_begin(&json, stdout, "program");
		json_string(&json, "prog_name", info.name);
		json_number(&json, "prog_id", id);
		json_number(&json, "prog_type", info.type);
		json_end(&json);
	}
	return 0;
}
