// SPDX-License-Identifier: GPL-2.0-or-later
#include "fib_lookup.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <stdio.h>
#include <string.h>

#include "fib_lookup.skel.h"
#include "json.h"

static int look_up(struct fib_lookup_bpf *bpf, int ifindex, unsigned int count, const char *address)
{
	struct {
		uint8_t ethernet[14];
		struct iphdr ip;
		uint8_t payload[30];
	} __attribute__((packed)) frame = { .ip = { .version = 4, .ihl = 5, .ttl = 64 } };
	struct xdp_md md = { .data_end = sizeof(frame), .ingress_ifindex = (uint32_t)ifindex };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = &frame, .data_size_in = sizeof(frame),
		    .ctx_in = &md, .ctx_size_in = sizeof(md), .repeat = (int)count);
	struct json json;
	int err;

	frame.ip.tot_len = htons(sizeof(frame) - sizeof(frame.ethernet));
	frame.ip.saddr = htonl(0xc0000202); /* 192.0.2.2 */
	if (inet_pton(AF_INET, address, &frame.ip.daddr) != 1)
		return -EINVAL;
	err = bpf_prog_test_run_opts(bpf_program__fd(bpf->progs.rig_fib), &opts);
	if (err)
		return err;
	json_begin(&json, stdout, "fib");
	json_number(&json, "ifindex", ifindex);
	json_number(&json, "result", bpf->bss->last);
	json_number(&json, "lookups", count);
	json_end(&json);
	return 0;
}

static int look_up_all(struct fib_lookup_bpf *bpf, int ifindex, unsigned int count, char **argv)
{
	int err = 0;

	for (; *argv && !err; argv++)
		err = look_up(bpf, ifindex, count, *argv);
	bpf->bss->flags = UINT32_MAX; /* EINVAL */
	return err ? err : look_up(bpf, ifindex, count, "192.0.2.1");
}

int fib_lookup_run(const char *ifname, unsigned int count, char **argv)
{
	struct fib_lookup_bpf *bpf = fib_lookup_bpf__open_and_load();
	int ifindex = (int)if_nametoindex(ifname), err = bpf && ifindex ? 0 : -errno;

	if (!err)
		err = look_up_all(bpf, ifindex, count, argv);
	if (err)
		fprintf(stderr, "rig: fib-lookup: %s\n", strerror(-err));
	fib_lookup_bpf__destroy(bpf);
	return err ? 1 : 0;
}
