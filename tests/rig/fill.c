// SPDX-License-Identifier: GPL-2.0-or-later
#include "fill.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>

#include "fill.skel.h"
#include "json.h"
#include "netns.h"

#define LO 1

static int feed(int prog, unsigned int n)
{
	unsigned char frame[64] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame));
	int err = 0;

	for (unsigned int i = 0; i < n && !err; i++) {
		__u32 key = htonl(i);

		memcpy(frame + 14, &key, sizeof(key));
		err = bpf_prog_test_run_opts(prog, &opts);
	}
	return err;
}

static int print(const struct bpf_map *map, __u32 prog_id, unsigned int n)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int err = bpf_obj_get_info_by_fd(bpf_map__fd(map), &info, &len);
	struct json json;

	if (err)
		return err;
	json_begin(&json, stdout, "map");
	json_string(&json, "map_name", bpf_map__name(map));
	json_number(&json, "map_id", info.id);
	json_number(&json, "prog_id", prog_id);
	json_number(&json, "entries", n < info.max_entries ? n : info.max_entries);
	json_end(&json);
	return 0;
}

static int fill(struct fill_bpf *bpf, unsigned int n)
{
	int prog = bpf_program__fd(bpf->progs.rig_firewall);
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	struct netns ns = {};
	struct bpf_map *map;
	int err = netns_open(&ns) ?: netns_enter(&ns);

	if (!err)
		err = bpf_xdp_attach(LO, prog, XDP_FLAGS_SKB_MODE, NULL);
	if (!err)
		err = feed(prog, n) ?: bpf_obj_get_info_by_fd(prog, &info, &len);
	bpf_object__for_each_map(map, bpf->obj) if (!err && bpf_map__type(map) !=
								    BPF_MAP_TYPE_ARRAY_OF_MAPS)
		err = print(map, info.id, n);
	return err;
}

int fill_run(unsigned int n)
{
	struct fill_bpf *bpf = fill_bpf__open_and_load();
	int err = bpf ? fill(bpf, n) : -errno;
	struct json json;

	if (err) {
		fprintf(stderr, "rig: fill: %s\n", strerror(-err));
		return 1;
	}
	json_begin(&json, stdout, "ready");
	json_end(&json);
	getchar();
	fill_bpf__destroy(bpf);
	return 0;
}
