// SPDX-License-Identifier: GPL-2.0-or-later
#include "filter.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../../bpf/capture.h"
#include "filter.skel.h"

#define PACKETS_MAX 20000
#define BYTES_MAX   2048

static struct sock_filter filter_code[CAPTURE_INSNS];

static const struct sock_filter *insn_at(uint32_t i)
{
	return i < CAPTURE_INSNS ? &filter_code[i] : NULL;
}

static int packet_read(void *to, uint32_t size, const uint8_t *from)
{
	memcpy(to, from, size);
	return 0;
}

#include "../../bpf/capture_filter.h"

struct packet {
	uint32_t n;
	uint8_t bytes[BYTES_MAX];
};

static struct packet packets[PACKETS_MAX];

static int fail(const char *what, uint32_t packet)
{
	fprintf(stderr, "rig: filter: %s (packet %u)\n", what, packet);
	return 1;
}

/* Returns how many, 0 = the file cannot be read. */
static uint32_t packets_load(const char *path)
{
	FILE *f = fopen(path, "r");
	uint32_t head[6], record[4], n = 0;

	if (!f)
		return 0;
	if (fread(head, sizeof(head), 1, f) == 1 && head[0] == 0xa1b2c3d4)
		while (n < PACKETS_MAX && fread(record, sizeof(record), 1, f) == 1 &&
		       record[2] <= BYTES_MAX && fread(packets[n].bytes, record[2], 1, f) == 1)
			packets[n++].n = record[2];
	fclose(f);
	return n;
}

/* 1, or 0 = no more, or -1. */
static int code_load(void)
{
	unsigned int insns, value, jt, jf, k;

	if (scanf("%u", &insns) != 1)
		return 0;
	if (insns > CAPTURE_INSNS)
		return -1;
	memset(filter_code, 0, sizeof(filter_code));
	for (unsigned int i = 0; i < insns; i++) {
		if (scanf("%u %u %u %u", &value, &jt, &jf, &k) != 4)
			return -1;
		filter_code[i] =
			(struct sock_filter){ (uint16_t)value, (uint8_t)jt, (uint8_t)jf, k };
	}
	return 1;
}

/* The result in the kernel, or -errno. */
static int run_kernel(int program, const struct packet *p)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = p->bytes, .data_size_in = p->n);
	int err = bpf_prog_test_run_opts(program, &opts);

	if (err)
		return err;
	return opts.retval == XDP_DROP      ? FILTER_YES
	       : opts.retval == XDP_ABORTED ? FILTER_UNREAD
					    : FILTER_NO;
}

static int run_here(const struct packet *p, uint32_t unread)
{
	static struct filter_registers registers;
	const struct filter_packet packet = {
		.data = p->bytes,
		.n = p->n - (unread < p->n ? unread : p->n),
		.length = p->n,
		.r = &registers,
	};

	return filter_run(&packet, CAPTURE_INSNS);
}

static int filter_all(int program, uint32_t n, uint32_t unread)
{
	uint32_t not_read = 0;
	const char *comma = "";

	printf("{\"matches\":[");
	for (uint32_t i = 0; i < n; i++) {
		int result = run_here(&packets[i], unread);

		if (run_kernel(program, &packets[i]) != result)
			return fail("the kernel's result differs", i);
		not_read += result == FILTER_UNREAD;
		if (result != FILTER_YES)
			continue;
		printf("%s%u", comma, i);
		comma = ",";
	}
	printf("],\"unread\":%u}\n", not_read);
	return 0;
}

int filter_packets(const char *pcap, unsigned int unread)
{
	struct filter_bpf *skel = filter_bpf__open_and_load();
	uint32_t n = packets_load(pcap);
	int err = !skel || !n ? fail(skel ? "no packets" : "it cannot be loaded", n) : 0, more = 1;

	if (!err)
		skel->bss->unread = unread;
	while (!err && (more = code_load()) > 0) {
		for (uint32_t i = 0; i < CAPTURE_INSNS && !err; i++)
			err = bpf_map_update_elem(bpf_map__fd(skel->maps.code), &i, &filter_code[i],
						  0);
		err = err ?: filter_all(bpf_program__fd(skel->progs.rig_filter), n, unread);
	}
	filter_bpf__destroy(skel);
	return err || more < 0;
}
