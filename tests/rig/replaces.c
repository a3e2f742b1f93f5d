// SPDX-License-Identifier: GPL-2.0-or-later
#include "replaces.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "link.h"
#include "netns.h"
#include "stop.h"

enum { BY_NETLINK, BY_LINK, DEVICES };
enum { NONE, FIRST, SECOND, PROGRAMS };

struct replaces {
	struct netns ns;
	struct link dev[DEVICES];
	int fd[PROGRAMS];
	uint32_t id[PROGRAMS];
	int link; /* BPF link */
};

static int program_load(struct replaces *r, int program, const char *name)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int err;

	r->fd[program] = bpf_prog_load(BPF_PROG_TYPE_XDP, name, "GPL", insns,
				       sizeof(insns) / sizeof(insns[0]), NULL);
	if (r->fd[program] < 0)
		return r->fd[program];
	err = bpf_obj_get_info_by_fd(r->fd[program], &info, &len);
	r->id[program] = info.id;
	return err;
}

static int set_over_netlink(struct replaces *r, int from, int to)
{
	return bpf_xdp_attach(r->dev[BY_NETLINK].ifindex, to == NONE ? -1 : r->fd[to],
			      XDP_FLAGS_DRV_MODE, NULL);
}

static int set_by_link(struct replaces *r, int from, int to)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);

	if (to == NONE)
		return close(r->link) ? -errno : 0;
	if (from != NONE)
		return bpf_link_update(r->link, r->fd[to], NULL);
	r->link = bpf_link_create(r->fd[to], r->dev[BY_LINK].ifindex, BPF_XDP, &opts);
	return r->link < 0 ? r->link : 0;
}

static int set(struct replaces *r, int device, int from, int to)
{
	struct json json;
	int err = device == BY_LINK ? set_by_link(r, from, to) : set_over_netlink(r, from, to);

	if (err)
		return err;
	json_begin(&json, stdout, "change");
	json_string(&json, "change",
		    from == NONE ? "program-attached"
		    : to == NONE ? "program-detached"
				 : "program-replaced");
	json_number(&json, "netns", r->ns.inum);
	json_number(&json, "ifindex", r->dev[device].ifindex);
	json_number(&json, "old", r->id[from]);
	json_number(&json, "new", r->id[to]);
	json_number(&json, "pid", getpid());
	json_end(&json);
	return stop_requested() ? -EINTR : 0;
}

static int replaces_open(struct replaces *r)
{
	int err = netns_open(&r->ns);

	if (err)
		return err;
	link_init(&r->dev[BY_NETLINK], &r->ns, "rig-netlink");
	link_init(&r->dev[BY_LINK], &r->ns, "rig-link");
	err = link_add_veth(&r->dev[BY_NETLINK], &r->dev[BY_LINK], 1500);
	if (!err)
		err = netns_enter(&r->ns);
	if (!err)
		err = program_load(r, FIRST, "rig_first");
	return err ? err : program_load(r, SECOND, "rig_second");
}

static int line_wait(const char *type)
{
	struct json json;

	json_begin(&json, stdout, type);
	json_end(&json);
	for (int c = 0; c != '\n' && c != EOF;)
		c = getchar();
	return stop_requested() ? -EINTR : 0;
}

int replaces_run(unsigned int rounds)
{
	struct replaces r = {};
	int err = replaces_open(&r);

	if (!err)
		err = line_wait("ready");
	for (unsigned int n = 0; n < rounds && !err; n++)
		for (int i = 0, from = NONE; i < REPLACES_STEPS && !err; i++) {
			int to = i == REPLACES_STEPS - 1 ? NONE : i % 2 ? SECOND : FIRST;

			for (int device = 0; device < DEVICES && !err; device++)
				err = set(&r, device, from, to);
			from = to;
		}
	if (err)
		fprintf(stderr, "rig: replaces: %s\n", strerror(-err));
	else
		line_wait("done");
	netns_close(&r.ns);
	return err ? 1 : 0;
}
