// SPDX-License-Identifier: GPL-2.0-or-later
#include "verdicts_program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "json.h"
#include "stop.h"
#include "verdicts.skel.h"

const struct verdict verdicts[SEEN_ACTS] = {
	{ "ABORTED", XDP_ABORTED }, { "DROP", XDP_DROP },         { "PASS", XDP_PASS },
	{ "TX", XDP_TX },           { "REDIRECT", XDP_REDIRECT }, { "UNKNOWN", 77 },
};

int verdicts_load(struct verdicts_program *p, const char *name, int parts, int whole,
		  const char *function)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	struct bpf_program *one;
	int err = 0;

	p->name = name;
	p->bpf = verdicts_bpf__open();
	if (!p->bpf)
		return -errno;
	p->bpf->rodata->parts = parts;
	bpf_object__for_each_program (one, p->bpf->obj)
		bpf_program__set_autoload(one, !strcmp(bpf_program__name(one), name));
	p->handle = bpf_object__find_program_by_name(p->bpf->obj, name);
	if (function)
		err = bpf_program__set_attach_target(p->handle, whole, function);
	if (!err)
		err = verdicts_bpf__load(p->bpf);
	if (err)
		return err;
	p->fd = bpf_program__fd(p->handle);
	err = bpf_obj_get_info_by_fd(p->fd, &info, &len);
	p->id = info.id;
	return err;
}

void verdicts_unload(struct verdicts_program *p)
{
	verdicts_bpf__destroy(p->bpf);
	p->bpf = NULL;
	p->fd = 0;
}

static struct seen all_queues(const struct verdicts_program *p, int act)
{
	struct seen all = {};

	for (int queue = 0; queue < SEEN_QUEUES; queue++) {
		all.packets += *(volatile __u64 *)&p->bpf->bss->seen[queue][act].packets;
		all.bytes += *(volatile __u64 *)&p->bpf->bss->seen[queue][act].bytes;
	}
	return all;
}

int verdicts_wait(const struct verdicts_program *p)
{
	unsigned int looks = 0;
	uint64_t packets;
	int err = 0;

	do {
		packets = 0;
		for (int act = 0; act < SEEN_ACTS; act++)
			packets += all_queues(p, act).packets;
		if (packets >= p->fired)
			return 0;
		err = stop_look_again(&looks);
	} while (!err);
	return err;
}

int verdicts_check(const struct verdicts_program *p)
{
	for (int act = 0; act < SEEN_ACTS; act++) {
		struct seen is = all_queues(p, act), expect = p->before[act];

		for (int place = 0; place < VERDICT_PLACES; place++) {
			expect.packets += p->expect[place][act].packets;
			expect.bytes += p->expect[place][act].bytes;
		}
		if (is.packets == expect.packets && is.bytes == expect.bytes)
			continue;
		fprintf(stderr,
			"rig: verdicts: %s %u: %s %llu packets, %llu bytes, not %llu, %llu\n",
			p->name, p->id, verdicts[act].name, is.packets, is.bytes, expect.packets,
			expect.bytes);
		return -EBADMSG;
	}
	return 0;
}

void verdicts_print(const struct verdicts_program *p)
{
	struct json json;

	json_begin(&json, stdout, "program");
	json_string(&json, "prog_name", p->name);
	json_number(&json, "prog_id", p->id);
	json_number(&json, "pid", getpid());
	json_end(&json);
}

static void row_print(const struct verdicts_program *p, const struct link *in, int queue, int act,
		      const struct seen *row)
{
	struct json json;

	if (!row->packets)
		return;
	json_begin(&json, stdout, "verdict");
	json_string(&json, "prog_name", p->name);
	json_number(&json, "prog_id", p->id);
	json_string(&json, "ifname", in->name);
	json_number(&json, "netns", in->ns->inum);
	json_number(&json, "ifindex", in->ifindex);
	json_number(&json, "queue", queue);
	json_string(&json, "act", verdicts[act].name);
	json_number(&json, "packets", row->packets);
	json_number(&json, "bytes", row->bytes);
	/* these may have been counted as well */
	json_number(&json, "before_packets", p->before[act].packets);
	json_number(&json, "before_bytes", p->before[act].bytes);
	json_end(&json);
}

void verdicts_print_rows(const struct verdicts_program *p, const struct link *in, bool queues)
{
	for (int act = 0; act < SEEN_ACTS; act++) {
		for (int queue = 0; queue < SEEN_QUEUES && queues; queue++)
			row_print(p, in, queue, act, &p->bpf->bss->seen[queue][act]);
		for (int place = 0; place < VERDICT_PLACES && !queues; place++)
			row_print(p, &in[place], 0, act, &p->expect[place][act]);
	}
}

int verdicts_print_gone(__u32 prog_id)
{
	struct timespec start, now;
	unsigned int looks = 0;
	struct json json;
	int fd, err = 0;

	clock_gettime(CLOCK_MONOTONIC, &start);
	while (!err) {
		fd = bpf_prog_get_fd_by_id(prog_id);
		if (fd < 0)
			break;
		close(fd);
		err = stop_look_again(&looks);
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	json_begin(&json, stdout, "gone");
	json_number(&json, "prog_id", prog_id);
	if (err)
		json_null(&json, "seconds");
	else
		json_fraction(&json, "seconds",
			      now.tv_sec - start.tv_sec + (now.tv_nsec - start.tv_nsec) / 1e9);
	json_end(&json);
	return err == -ETIMEDOUT ? 0 : err;
}
