// SPDX-License-Identifier: GPL-2.0-or-later
#include "frame.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/ip.h>
#include <linux/membarrier.h>
#include <linux/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stop.h"

#define FRAME_HEADER 14
#define FLOW_HEADER  (FRAME_HEADER + sizeof(struct iphdr) + sizeof(struct udphdr))
#define SEND_BATCH   64 /* a quarter of veth's ring */

static void frame_fill(uint8_t *frame)
{
	static const uint8_t header[FRAME_HEADER] = {
		0x02, 0, 0, 0, 0, 0x0d, 0x02, 0, 0, 0, 0, 0x0a, 0x88, 0xb5,
	};

	memset(frame, 0, FRAME_MAX);
	memcpy(frame, header, sizeof(header));
}

/* Bridges with netfilter drop frames without an IPv4 checksum. */
static uint16_t header_checksum(const struct iphdr *ip)
{
	const uint8_t *bytes = (const uint8_t *)ip;
	uint32_t sum = 0;

	for (size_t i = 0; i < sizeof(*ip); i += 2)
		sum += (uint32_t)(bytes[i] << 8 | bytes[i + 1]);
	return htons((uint16_t) ~(sum + (sum >> 16)));
}

/* UDP over IPv4 with a port per flow, without a UDP checksum. */
static void frame_fill_flow(uint8_t *frame, uint32_t flow, uint32_t len, uint8_t mark)
{
	const uint16_t ethertype = htons(ETH_P_IP);
	struct iphdr ip = { .ihl = 5,
			    .version = 4,
			    .tos = mark,
			    .tot_len = htons((uint16_t)(len - FRAME_HEADER)),
			    .ttl = 64,
			    .protocol = IPPROTO_UDP,
			    .saddr = htonl(0xc0000201), /* 192.0.2.1 */
			    .daddr = htonl(0xc0000202) };
	const struct udphdr udp = { .source = htons((uint16_t)(1024 + flow)),
				    .dest = htons(9),
				    .len = htons((uint16_t)(len - FRAME_HEADER - sizeof(ip))) };

	ip.check = header_checksum(&ip);
	memcpy(frame + FRAME_HEADER - sizeof(ethertype), &ethertype, sizeof(ethertype));
	memcpy(frame + FRAME_HEADER, &ip, sizeof(ip));
	memcpy(frame + FRAME_HEADER + sizeof(ip), &udp, sizeof(udp));
}

int frame_run_batches(int prog_fd, const struct link *in, uint32_t count, uint32_t len,
		      uint32_t batch)
{
	struct xdp_md md = { .data_end = len, .ingress_ifindex = in->ifindex };
	uint8_t frame[FRAME_MAX];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = len, .ctx_in = &md,
		    .ctx_size_in = sizeof(md), .repeat = count, .flags = BPF_F_TEST_XDP_LIVE_FRAMES,
		    .batch_size = batch);
	int err;

	if (!count)
		return 0; /* the kernel would take 0 as 1 */
	frame_fill(frame);
	err = netns_enter(in->ns);
	if (err)
		return err;
	return bpf_prog_test_run_opts(prog_fd, &opts);
}

int frame_run_live(int prog_fd, const struct link *in, uint32_t count, uint32_t len)
{
	return frame_run_batches(prog_fd, in, count, len, FRAME_BATCH);
}

int frame_probe_live(const struct netns *ns, int prog_fd)
{
	struct link lo = { .ns = ns, .ifindex = 1 };
	int err = frame_run_live(prog_fd, &lo, 1, 64);

	if (err == -EINVAL)
		return 0;
	return err ? err : 1;
}

int frame_wait_received(const struct link *link, uint64_t packets)
{
	struct link_counters now;
	unsigned int looks = 0;
	int err;

	do {
		err = link_read_counters(link, &now);
		if (!err && now.rx_packets >= packets)
			return 0;
		if (!err)
			err = stop_look_again(&looks);
	} while (!err);
	return err;
}

static int frame_open_socket(struct link *out)
{
	struct sockaddr_ll addr = { .sll_family = AF_PACKET, .sll_ifindex = out->ifindex };
	int fd, err;

	if (out->socket)
		return 0;
	err = netns_enter(out->ns);
	if (err)
		return err;
	/* Protocol 0: only sends. */
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		err = -errno;
		close(fd);
		return err;
	}
	out->socket = fd;
	return 0;
}

int frame_send(struct link *out, const struct link *peer, uint32_t count,
	       const struct frame_sizes *sizes, uint64_t *bytes)
{
	struct mmsghdr msgs[SEND_BATCH] = {};
	struct iovec iov[SEND_BATCH][2];
	struct link_counters start;
	uint8_t head[SEND_BATCH][FLOW_HEADER], frame[FRAME_MAX];
	uint32_t len = sizes->min, sent = 0;
	int err;

	frame_fill(frame);
	for (uint32_t i = 0; i < SEND_BATCH; i++) {
		memcpy(head[i], frame, FLOW_HEADER);
		head[i][FRAME_MARK] = sizes->mark;
		if (sizes->flows)
			frame_fill_flow(head[i], i, len, sizes->mark);
	}
	err = frame_open_socket(out);
	if (!err && peer)
		err = link_read_counters(peer, &start);
	while (!err && sent < count) {
		uint32_t n = count - sent < SEND_BATCH ? count - sent : SEND_BATCH;
		int done;

		for (uint32_t i = 0; i < n; i++) {
			iov[i][0] = (struct iovec){ head[i], FLOW_HEADER };
			iov[i][1] = (struct iovec){ frame + FLOW_HEADER, len - FLOW_HEADER };
			msgs[i].msg_hdr.msg_iov = iov[i];
			msgs[i].msg_hdr.msg_iovlen = 2;
			len = len + sizes->step > sizes->max ? sizes->min : len + sizes->step;
		}
		done = sendmmsg(out->socket, msgs, n, 0);
		if (done < 0) {
			err = -errno;
			break;
		}
		for (int i = 0; i < done; i++)
			*bytes += msgs[i].msg_len;
		sent += done;
		/* A partial batch: the next one continues with the next length. */
		if ((uint32_t)done < n)
			len = (uint32_t)iov[done][1].iov_len + FLOW_HEADER;
		if (peer)
			err = frame_wait_received(peer, start.rx_packets + sent);
		if (!err && stop_requested())
			err = -EINTR;
	}
	return err;
}

/* An update of a map of maps waits for RCU: maybe_wait_bpf_programs() in kernel/bpf/syscall.c. */
static int settle_by_map(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	int inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "rig_inner", 4, 4, 1, NULL);
	int outer, err;
	__u32 key = 0;

	if (inner < 0)
		return inner;
	opts.inner_map_fd = inner;
	outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "rig_outer", 4, 4, 1, &opts);
	err = outer < 0 ? outer : bpf_map_update_elem(outer, &key, &inner, BPF_ANY);
	if (outer >= 0)
		close(outer);
	close(inner);
	return err;
}

int frame_settle(void)
{
	/* synchronize_rcu(); not available with nohz_full */
	return syscall(__NR_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) ? settle_by_map() : 0;
}
