// SPDX-License-Identifier: GPL-2.0-or-later
#include "scene.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rig.skel.h"
#include "stop.h"

#define MTU_FEED    3400 /* the largest that native XDP on a veth allows without fragments */
#define MTU_TARGET  1500
#define BULK_DEVMAP 16 /* DEV_MAP_BULK_SIZE */
#define BULK_CPUMAP 8  /* CPU_MAP_BULK_SIZE */

int scene_error(const struct scene *scene, const char *what, int err)
{
	if (err && err != -EINTR)
		fprintf(stderr, "rig: %s: %s: %s\n", scene->stimulus->name, what, strerror(-err));
	return err;
}

static int scene_open_namespaces(struct scene *scene, const struct scene_options *options)
{
	char name[48];
	int err;

	err = options->here ? netns_open_here(&scene->src) : netns_open(&scene->src);
	if (!err)
		err = netns_open(&scene->dst);
	if (!err && options->named[0]) {
		snprintf(name, sizeof(name), "%s-src", options->named);
		err = netns_set_name(&scene->src, name);
		if (err)
			return err;
		snprintf(name, sizeof(name), "%s-dst", options->named);
		err = netns_set_name(&scene->dst, name);
	}
	return err;
}

/*
 * Another test's namespace may get the inode of one of ours that ended, but none of its devices'
 * numbers, so that a monitor tells them apart.
 */
static int own_ifindex(const struct scene_options *options, int i)
{
	return options->here ? 0 : 4 * getppid() + 4 + i;
}

static int scene_open_links(struct scene *scene, const struct scene_options *options)
{
	const struct stimulus *stimulus = scene->stimulus;
	int err;

	link_init(&scene->in, &scene->src, options->ifname ? options->ifname : "rig-in");
	link_init(&scene->feed, &scene->src, "rig-feed");
	scene->in.ifindex = own_ifindex(options, 0);
	scene->feed.ifindex = own_ifindex(options, 1);
	err = link_add_veth(&scene->in, &scene->feed, MTU_FEED);
	/* redirected frames would lose checksums that its stack leaves to the device */
	if (!err)
		err = link_set_tx_csum(&scene->feed, false);
	if (!err && stimulus->flags & FEED_GRO)
		err = link_set_gro(&scene->feed, true);
	if (err)
		return err;
	if (stimulus->target == TARGET_NONE)
		return 0;
	if (stimulus->target == TARGET_LOOPBACK) {
		link_init(&scene->out, &scene->src, "lo");
		scene->out.ifindex = 1;
		return 0;
	}
	link_init(&scene->out, stimulus->target == TARGET_SAME_NS ? &scene->src : &scene->dst,
		  options->out_ifname ? options->out_ifname : "rig-out");
	link_init(&scene->peer, &scene->dst, "rig-peer");
	scene->out.ifindex = own_ifindex(options, 2);
	scene->peer.ifindex = own_ifindex(options, 3);
	err = link_add_veth(&scene->out, &scene->peer, MTU_TARGET);
	if (!err && stimulus->flags & TARGET_JUMBO)
		err = link_set_mtu(&scene->out, MTU_FEED);
	return err;
}

static struct bpf_program *scene_program(const struct scene *scene, const char *name)
{
	return bpf_object__find_program_by_name(scene->bpf->obj, name);
}

static int scene_load_programs(struct scene *scene)
{
	const struct stimulus *stimulus = scene->stimulus;
	struct bpf_program *program;
	int err;

	if (!stimulus->program)
		return 0;
	bpf_object__for_each_program (program, scene->bpf->obj) {
		const char *name = bpf_program__name(program);

		/* rig_drop is also used to check whether live frames work */
		bpf_program__set_autoload(
			program, !strcmp(name, stimulus->program) || !strcmp(name, "rig_drop") ||
					 (stimulus->egress && !strcmp(name, stimulus->egress)));
	}
	scene->bpf->rodata->target_ifindex = scene->out.ifindex;
	/* Up to 5.13 generic mode refuses programs whose devmap has room for a program. */
	if (!stimulus->egress) {
		err = bpf_map__set_value_size(scene->bpf->maps.rig_devmap, sizeof(__u32));
		if (err)
			return err;
	}
	if (stimulus->prepare) {
		err = stimulus->prepare(scene);
		if (err)
			return err;
	}
	err = rig_bpf__load(scene->bpf);
	if (err)
		return err;
	scene->program = scene_program(scene, stimulus->program);
	if (stimulus->egress)
		scene->egress = scene_program(scene, stimulus->egress);
	if (stimulus->map)
		scene->map_fd = bpf_object__find_map_fd_by_name(scene->bpf->obj, stimulus->map);
	return 0;
}

int scene_attach(struct scene *scene, const struct link *link, const char *program, bool generic)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		    .flags = generic ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE);
	int fd, err = netns_enter(link->ns);

	if (err)
		return err;
	fd = bpf_link_create(bpf_program__fd(scene_program(scene, program)), link->ifindex, BPF_XDP,
			     &opts);
	if (fd < 0)
		return fd;
	for (unsigned int i = 0; i < sizeof(scene->attached) / sizeof(scene->attached[0]); i++) {
		if (!scene->attached[i]) {
			scene->attached[i] = fd;
			return 0;
		}
	}
	close(fd);
	return -ENOSPC;
}

/* Puts the target into the map; the kernel looks up its ifindex in the caller's namespace. */
static int scene_fill_devmap(struct scene *scene)
{
	struct bpf_devmap_val value = { .ifindex = scene->out.ifindex };
	__u32 key = 0;
	int err;

	if (scene->stimulus->target == TARGET_NONE || scene->map_fd < 0)
		return 0;
	if (!strcmp(scene->stimulus->map, "rig_devhash"))
		key = 4242;
	if (scene->egress)
		value.bpf_prog.fd = bpf_program__fd(scene->egress);
	err = netns_enter(scene->out.ns);
	if (err)
		return err;
	return bpf_map_update_elem(scene->map_fd, &key, &value, BPF_ANY);
}

static int scene_arm(struct scene *scene, const struct scene_options *options)
{
	const struct stimulus *stimulus = scene->stimulus;
	int err = 0;

	if (stimulus->flags & FEED_XDP)
		err = scene_attach(scene, &scene->feed, "rig_drop", false);
	if (!err && stimulus->flags & PEER_XDP)
		err = scene_attach(scene, &scene->peer, "rig_drop", false);
	if (!err)
		err = scene_fill_devmap(scene);
	if (!err && stimulus->flags & TARGET_DOWN)
		err = link_set_up(&scene->out, false);
	if (!err && stimulus->flags & PEER_DOWN)
		err = link_set_up(&scene->peer, false);
	if (err)
		return scene_error(scene, "set the target up", err);

	scene->entry = stimulus->entry;
	if (scene->entry == ENTRY_LIVE) {
		err = frame_probe_live(&scene->src, bpf_program__fd(scene->bpf->progs.rig_drop));
		if (err < 0)
			return scene_error(scene, "live frames", err);
		scene->has_live = err;
		if (!scene->has_live && stimulus->flags & NEEDS_LIVE) {
			strcpy(scene->skip, "live frames came with Linux 5.18");
			return 0;
		}
		if (!scene->has_live || (options->packets && !(stimulus->flags & NEEDS_LIVE)))
			scene->entry = ENTRY_NATIVE;
		err = 0;
	}
	if (scene->entry == ENTRY_NATIVE || scene->entry == ENTRY_GENERIC)
		err = scene_attach(scene, &scene->in, stimulus->program,
				   scene->entry == ENTRY_GENERIC);
	if (err)
		return scene_error(scene, "attach the program", err);
	return stimulus->arm ? scene_error(scene, "arm", stimulus->arm(scene)) : 0;
}

int scene_open(struct scene *scene, const struct stimulus *stimulus,
	       const struct scene_options *options)
{
	int err;

	memset(scene, 0, sizeof(*scene));
	scene->stimulus = stimulus;
	scene->map_fd = -1;
	err = scene_error(scene, "namespaces", scene_open_namespaces(scene, options));
	if (!err)
		err = scene_error(scene, "veth pairs", scene_open_links(scene, options));
	if (err)
		return err;
	scene->bpf = rig_bpf__open();
	if (!scene->bpf)
		return scene_error(scene, "open BPF object", -errno);
	err = scene_error(scene, "load BPF programs", scene_load_programs(scene));
	if (!err)
		err = scene_arm(scene, options);
	if (!err)
		err = scene_error(scene, "counters", link_read_counters(&scene->in, &scene->start));
	return err;
}

/* Number of flushes for @count live frames: a batch ends with one. */
static uint64_t live_bulks(uint32_t count, uint32_t bulk)
{
	return (uint64_t)(count / FRAME_BATCH) * (FRAME_BATCH / bulk) +
	       (count % FRAME_BATCH + bulk - 1) / bulk;
}

int scene_fire_frames(struct scene *scene, uint32_t count)
{
	uint32_t len = scene->stimulus->len ? scene->stimulus->len : 64;
	const struct frame_sizes sizes = { .min = len, .max = len, .step = 1 };
	int err;

	if (!count)
		return 0;
	if (scene->entry == ENTRY_LIVE) {
		err = frame_run_live(bpf_program__fd(scene->program), &scene->in, count, len);
		scene->runs++;
		scene->bulks_devmap += live_bulks(count, BULK_DEVMAP);
		scene->bulks_cpumap += live_bulks(count, BULK_CPUMAP);
	} else {
		err = frame_send(&scene->feed, &scene->in, count, &sizes, &scene->fed_bytes);
		scene->fed_frames += count;
	}
	scene->frames += count;
	return err;
}

int scene_fire(struct scene *scene, uint32_t count)
{
	int err;

	if (scene->stimulus->fire)
		err = scene->stimulus->fire(scene, count);
	else
		err = scene_fire_frames(scene, count);
	if (!err)
		err = frame_settle();
	return scene_error(scene, "fire", err);
}

int scene_wait_dropped(const struct scene *scene, uint64_t dropped)
{
	struct link_counters now;
	unsigned int looks = 0;
	int err;

	do {
		err = link_read_counters(&scene->in, &now);
		if (!err && now.rx_dropped - scene->start.rx_dropped >= dropped)
			return 0;
		if (!err)
			err = stop_look_again(&looks);
	} while (!err);
	return err;
}

struct expect *scene_add_row(struct scene *scene, enum series_tracepoint tracepoint)
{
	struct expect *row = &scene->rows[scene->n_rows++];

	expect_init(row, tracepoint);
	return row;
}

int scene_expect(struct scene *scene)
{
	scene->n_rows = 0;
	return scene_error(scene, "expect", scene->stimulus->expect(scene));
}

void scene_close(struct scene *scene)
{
	if (scene->stimulus && scene->stimulus->disarm)
		scene->stimulus->disarm(scene);
	for (unsigned int i = 0; i < sizeof(scene->attached) / sizeof(scene->attached[0]); i++)
		if (scene->attached[i])
			close(scene->attached[i]);
	link_close(&scene->in);
	link_close(&scene->feed);
	link_close(&scene->feed2);
	rig_bpf__destroy(scene->bpf);
	netns_close(&scene->other);
	netns_close(&scene->dst);
	netns_close(&scene->src);
	memset(scene, 0, sizeof(*scene));
}
