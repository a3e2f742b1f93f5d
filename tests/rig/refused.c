// SPDX-License-Identifier: GPL-2.0-or-later
#include "refused.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel.h"
#include "rig.skel.h"
#include "stop.h"

int link_refused_arm(struct scene *scene)
{
	if (!kernel_has_link_attach_failed())
		strcpy(scene->skip, "the tracepoint came with Linux 6.6");
	return 0;
}

int netlink_refused_arm(struct scene *scene)
{
	if (!kernel_has_netlink_extack())
		strcpy(scene->skip, "the tracepoint came with Linux 5.11");
	return 0;
}

static int refused_fire(struct scene *scene, uint32_t count,
			int (*attach)(const struct link *link, int prog_fd, uint32_t flags))
{
	const struct link lo = { .ns = &scene->src, .ifindex = 1 };
	int err = netns_enter(&scene->src);

	if (err)
		return err;
	for (uint32_t i = 0; i < count && !stop_requested(); i++) {
		err = attach(&lo, bpf_program__fd(scene->program), XDP_FLAGS_DRV_MODE);
		if (err != -EOPNOTSUPP)
			return err ? err : -EEXIST;
		scene->frames++;
	}
	return 0;
}

static int attach_link(const struct link *link, int prog_fd, uint32_t flags)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = flags);
	int fd = bpf_link_create(prog_fd, link->ifindex, BPF_XDP, &opts);

	if (fd >= 0)
		close(fd);
	return fd >= 0 ? 0 : fd;
}

int link_refused_fire(struct scene *scene, uint32_t count)
{
	return refused_fire(scene, count, attach_link);
}

int netlink_refused_fire(struct scene *scene, uint32_t count)
{
	return refused_fire(scene, count, link_attach_xdp);
}

static int refused_expect(struct scene *scene, enum series_tracepoint tracepoint)
{
	struct expect *row = scene_add_row(scene, tracepoint);
	FILE *comm = fopen("/proc/self/comm", "re");

	row->field[FIELD_NETNS] = scene->src.inum;
	row->field[FIELD_PID] = getpid();
	row->field[FIELD_EVENTS] = scene->frames;
	strcpy(row->text, "Underlying driver does not support XDP in native mode");
	if (comm) {
		if (fgets(row->comm, sizeof(row->comm), comm))
			row->comm[strcspn(row->comm, "\n")] = '\0';
		fclose(comm);
	}
	return 0;
}

int link_refused_expect(struct scene *scene)
{
	return refused_expect(scene, TP_LINK_ATTACH_FAILED);
}

int netlink_refused_expect(struct scene *scene)
{
	return refused_expect(scene, TP_NETLINK_EXTACK);
}
