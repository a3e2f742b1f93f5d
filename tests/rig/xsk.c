// SPDX-License-Identifier: GPL-2.0-or-later
#include "xsk.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <linux/if_xdp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "json.h"
#include "link.h"
#include "outcome.h"
#include "stop.h"

#define CHUNKS     2048
#define CHUNK_SIZE 4096
#define UMEM_SIZE  (CHUNKS * CHUNK_SIZE)
#define RX_RING    64           /* frames that fit before the ring is full */
#define BATCH      (CHUNKS / 2) /* frames between reads */
#define FILLED     32           /* frames that fit before the fill ring is empty */

static int xsk_set(int fd, int option, const void *value, socklen_t len)
{
	return setsockopt(fd, SOL_XDP, option, value, len) ? -errno : 0;
}

/* A mapped ring of CHUNKS entries; `which` is its offset for mmap(). */
struct ring {
	char *base;
	size_t size;
	_Atomic uint32_t *producer, *consumer;
	void *desc;
};

static int ring_map(struct ring *ring, int fd, off_t which)
{
	struct xdp_mmap_offsets offsets;
	socklen_t len = sizeof(offsets);
	const struct xdp_ring_offset *off = which == XDP_PGOFF_RX_RING          ? &offsets.rx
					    : which == XDP_PGOFF_TX_RING        ? &offsets.tx
					    : which == XDP_UMEM_PGOFF_FILL_RING ? &offsets.fr
										: &offsets.cr;
	bool has_desc = off == &offsets.rx || off == &offsets.tx;

	if (getsockopt(fd, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &len))
		return -errno;
	ring->size = off->desc + CHUNKS * (has_desc ? sizeof(struct xdp_desc) : sizeof(uint64_t));
	ring->base = mmap(NULL, ring->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, which);
	if (ring->base == MAP_FAILED)
		return -errno;
	ring->producer = (void *)(ring->base + off->producer);
	ring->consumer = (void *)(ring->base + off->consumer);
	ring->desc = ring->base + off->desc;
	return 0;
}

/* Gives the kernel chunks @from to @to to fill; the ring has room for all. */
static int xsk_fill(int fd, uint32_t from, uint32_t to, uint32_t chunk_size)
{
	struct ring ring;
	int err = ring_map(&ring, fd, XDP_UMEM_PGOFF_FILL_RING);
	uint32_t at;

	if (err)
		return err;
	at = atomic_load(ring.producer);
	for (uint32_t i = from; i < to; i++)
		((uint64_t *)ring.desc)[at++ % CHUNKS] = (uint64_t)i * chunk_size;
	atomic_store(ring.producer, at);
	munmap(ring.base, ring.size);
	return 0;
}

static uint32_t ring_used(const struct ring *ring)
{
	return atomic_load(ring->producer) - atomic_load(ring->consumer);
}

/* Takes out @n frames and returns their chunks. */
static void ring_move(const struct ring *rx, const struct ring *fill, uint32_t n)
{
	uint32_t at = atomic_load(rx->consumer), to = atomic_load(fill->producer);

	for (uint32_t i = 0; i < n; i++)
		((uint64_t *)fill->desc)[(to + i) % CHUNKS] =
			((struct xdp_desc *)rx->desc)[(at + i) % CHUNKS].addr;
	atomic_store(rx->consumer, at + n);
	atomic_store(fill->producer, to + n);
}

/* The same for frames that may not have arrived yet. */
static int ring_read(const struct ring *rx, const struct ring *fill, uint32_t n)
{
	unsigned int looks = 0;
	int err;

	while (ring_used(rx) < n) {
		err = stop_look_again(&looks);
		if (err)
			return err;
	}
	ring_move(rx, fill, n);
	return 0;
}

static int xsk_read(int fd, uint32_t n)
{
	struct ring rx, fill;
	int err = ring_map(&rx, fd, XDP_PGOFF_RX_RING);

	if (err)
		return err;
	err = ring_map(&fill, fd, XDP_UMEM_PGOFF_FILL_RING);
	if (!err) {
		err = ring_read(&rx, &fill, n);
		munmap(fill.base, fill.size);
	}
	munmap(rx.base, rx.size);
	return err;
}

/* A socket with @rx slots to receive into, or for sending only, and @filled chunks of its UMEM.
 * *@umem must always be unmapped. */
static int xsk_make(int *xsk, void **umem, int rx, uint32_t filled, uint32_t chunk_size)
{
	struct xdp_umem_reg reg = { .len = UMEM_SIZE, .chunk_size = chunk_size };
	const int ring = CHUNKS;
	int err;

	*umem = mmap(NULL, UMEM_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (*umem == MAP_FAILED) {
		*umem = NULL;
		return -errno;
	}
	*xsk = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (*xsk < 0) {
		err = -errno;
		*xsk = 0;
		return err;
	}
	reg.addr = (uintptr_t)*umem;
	err = xsk_set(*xsk, XDP_UMEM_REG, &reg, sizeof(reg));
	if (!err)
		err = xsk_set(*xsk, XDP_UMEM_FILL_RING, &ring, sizeof(ring));
	if (!err)
		err = xsk_set(*xsk, XDP_UMEM_COMPLETION_RING, &ring, sizeof(ring));
	if (!err && rx)
		err = xsk_set(*xsk, XDP_RX_RING, &rx, sizeof(rx));
	return err ? err : xsk_fill(*xsk, 0, filled, chunk_size);
}

static int xsk_bind(int xsk, int ifindex, uint16_t flags)
{
	const struct sockaddr_xdp addr = { .sxdp_family = AF_XDP,
					   .sxdp_flags = flags,
					   .sxdp_ifindex = ifindex };

	return bind(xsk, (const struct sockaddr *)&addr, sizeof(addr)) ? -errno : 0;
}

static int xsk_put(int xsk, int map_fd)
{
	__u32 key = 0, fd = xsk;

	return bpf_map_update_elem(map_fd, &key, &fd, BPF_ANY);
}

/*
 * Puts it into the map; bound unless @bind_to is NULL. After the filled chunks come @invalid ones
 * that the UMEM does not have. This happens before the bind, since older kernels refuse to map
 * rings after it.
 */
static int xsk_open(struct scene *scene, const struct link *bind_to, int rx, uint32_t filled,
		    uint32_t invalid, uint32_t chunk_size)
{
	int err = netns_enter(&scene->src);

	if (!err)
		err = xsk_make(&scene->xsk, &scene->umem, rx, filled, chunk_size);
	if (err == -EAFNOSUPPORT) {
		strcpy(scene->skip, "this kernel has no AF_XDP sockets");
		return 0;
	}
	if (!err && invalid)
		err = xsk_fill(scene->xsk, CHUNKS, CHUNKS + invalid, chunk_size);
	if (!err && bind_to)
		err = xsk_bind(scene->xsk, bind_to->ifindex, XDP_COPY);
	return err ? err : xsk_put(scene->xsk, scene->map_fd);
}

/*
 * Serves everything until a signal, by polling, since a socket without interrupts has nothing to
 * wait for.
 */
static int xsk_work(int xsk, bool wakes)
{
	struct ring rx, fill;
	int err = ring_map(&rx, xsk, XDP_PGOFF_RX_RING);

	if (!err)
		err = ring_map(&fill, xsk, XDP_UMEM_PGOFF_FILL_RING);
	while (!err && !stop_wait(-1, 1)) {
		ring_move(&rx, &fill, ring_used(&rx));
		if (wakes)
			recvfrom(xsk, NULL, 0, MSG_DONTWAIT, NULL, NULL);
	}
	return err;
}

/* How a socket sends. */
static const struct sender {
	const char *name;
	bool kicks, completes; /* calls the kernel; takes sent frames back */
	bool shares;           /* with a second socket of the same UMEM and queue */
	bool polls;            /* prefers busy polling */
} senders[] = {
	{ "send", .kicks = true, .completes = true },
	{ "share", .kicks = true, .completes = true, .shares = true },
	{ "poll", .kicks = true, .completes = true, .polls = true },
	{ "asleep", .completes = true },
	{ "keep", .kicks = true },
};

#define BURST   8 /* frames a millisecond and socket */
#define INVALID 7 /* descriptors outside the UMEM, before the frames */

static uint32_t tx_put(const struct ring *tx, uint32_t n, uint64_t offset)
{
	uint32_t at = atomic_load(tx->producer), room = CHUNKS - ring_used(tx);

	n = n < room ? n : room;
	for (uint32_t i = 0; i < n; i++)
		((struct xdp_desc *)tx->desc)[(at + i) % CHUNKS] = (struct xdp_desc){
			.addr = offset + (uint64_t)((at + i) % CHUNKS) * CHUNK_SIZE, .len = 60
		};
	atomic_store(tx->producer, at + n);
	return n;
}

/* The kernel's count of invalid descriptors, for the frames that came back. */
static int print_sent(int xsk, uint32_t frames)
{
	struct xdp_statistics statistics;
	socklen_t len = sizeof(statistics);
	struct json json;

	if (getsockopt(xsk, SOL_XDP, XDP_STATISTICS, &statistics, &len))
		return -errno;
	json_begin(&json, stdout, "sent");
	json_number(&json, "frames", frames);
	json_number(&json, "invalid", (int64_t)statistics.tx_invalid_descs);
	json_end(&json);
	return 0;
}

/* Sends @frames, and says when all have come back; then holds the sockets until a signal. */
static int xsk_send(const int *xsk, const struct sender *how, uint32_t frames)
{
	struct ring tx[2], completion;
	int n = how->shares ? 2 : 1,
	    err = ring_map(&completion, xsk[0], XDP_UMEM_PGOFF_COMPLETION_RING);
	uint32_t put = 0, back = 0, busy;
	bool done = false;

	for (int i = 0; !err && i < n; i++)
		err = ring_map(&tx[i], xsk[i], XDP_PGOFF_TX_RING);
	/* first, because drivers leave invalid ones in the ring until a valid one follows */
	if (!err && how->kicks && how->completes)
		tx_put(&tx[0], INVALID, UMEM_SIZE);
	while (!err && !stop_wait(-1, 1)) {
		busy = 0;
		for (int i = 0; i < n; i++) {
			uint32_t left = frames - put;

			put += tx_put(&tx[i], left < BURST ? left : BURST, 0);
			if (how->kicks)
				sendto(xsk[i], NULL, 0, MSG_DONTWAIT, NULL, 0);
			busy += ring_used(&tx[i]);
		}
		if (how->completes) {
			back += ring_used(&completion);
			atomic_store(completion.consumer, atomic_load(completion.producer));
		}
		if (done || busy || back != frames)
			continue;
		done = true;
		err = print_sent(xsk[0], frames);
	}
	return err;
}

static int xsk_prefer_busy_poll(int xsk)
{
	const int one = 1, us = 20;

	return setsockopt(xsk, SOL_SOCKET, SO_PREFER_BUSY_POLL, &one, sizeof(one)) ||
			       setsockopt(xsk, SOL_SOCKET, SO_BUSY_POLL, &us, sizeof(us))
		       ? -errno
		       : 0;
}

static int xsk_bind_sender(int *xsk, int ifindex, uint16_t flags, const struct sender *how)
{
	const struct sockaddr_xdp beside = { .sxdp_family = AF_XDP,
					     .sxdp_flags = XDP_SHARED_UMEM,
					     .sxdp_ifindex = ifindex,
					     .sxdp_shared_umem_fd = xsk[0] };
	const int ring = CHUNKS;
	int err = xsk_set(xsk[0], XDP_TX_RING, &ring, sizeof(ring));

	if (!err && how->polls)
		err = xsk_prefer_busy_poll(xsk[0]);
	if (!err)
		err = xsk_bind(xsk[0], ifindex, flags);
	if (err || !how->shares)
		return err;
	xsk[1] = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (xsk[1] < 0)
		return -errno;
	err = xsk_set(xsk[1], XDP_TX_RING, &ring, sizeof(ring));
	return err || !bind(xsk[1], (const struct sockaddr *)&beside, sizeof(beside)) ? err
										      : -errno;
}

int xsk_run(int ifindex, int map_fd, uint16_t flags, uint32_t n, const char *use)
{
	const bool polls = !strcmp(use, "busy"), reads = polls || !strcmp(use, "read");
	const struct sender *how = NULL;
	struct json json;
	void *umem;
	int xsk[2] = { 0 }, err;

	for (size_t i = 0; i < sizeof(senders) / sizeof(senders[0]); i++)
		if (!strcmp(senders[i].name, use))
			how = &senders[i];
	err = xsk_make(&xsk[0], &umem, how ? 0 : CHUNKS, how ? CHUNKS : n, CHUNK_SIZE);
	if (!err && polls)
		err = xsk_prefer_busy_poll(xsk[0]);
	if (err)
		return err;
	err = how ? xsk_bind_sender(xsk, ifindex, flags, how) : xsk_bind(xsk[0], ifindex, flags);
	json_begin(&json, stdout, "xsk");
	json_number(&json, "err", err);
	if (!err)
		err = xsk_put(xsk[0], map_fd);
	json_end(&json);
	if (!err && how)
		err = xsk_send(xsk, how, n);
	else if (!err && reads)
		err = xsk_work(xsk[0], polls || flags & XDP_USE_NEED_WAKEUP);
	else if (!err)
		stop_wait(-1, -1);
	close(xsk[0]);
	if (xsk[1] > 0)
		close(xsk[1]);
	munmap(umem, UMEM_SIZE);
	return err;
}

int xsk_arm_ring_full(struct scene *scene)
{
	return xsk_open(scene, &scene->in, RX_RING, CHUNKS, 0, CHUNK_SIZE);
}

int xsk_arm_fill_empty(struct scene *scene)
{
	return xsk_open(scene, &scene->in, RX_RING, FILLED, 0, CHUNK_SIZE);
}

/* There is room for as many. */
int xsk_arm_fill_invalid(struct scene *scene)
{
	return xsk_open(scene, &scene->in, RX_RING, FILLED, CHUNKS - FILLED, CHUNK_SIZE);
}

int xsk_arm_unbound(struct scene *scene)
{
	return xsk_open(scene, NULL, RX_RING, CHUNKS, 0, CHUNK_SIZE);
}

int xsk_arm_other_device(struct scene *scene)
{
	return xsk_open(scene, &scene->feed, RX_RING, CHUNKS, 0, CHUNK_SIZE);
}

int xsk_arm_small_chunks(struct scene *scene)
{
	return xsk_open(scene, &scene->in, RX_RING, CHUNKS, 0, CHUNK_SIZE / 2);
}

int xsk_arm_read(struct scene *scene)
{
	return xsk_open(scene, &scene->in, CHUNKS, CHUNKS, 0, CHUNK_SIZE);
}

int xsk_fire_read(struct scene *scene, uint32_t count)
{
	int err = 0;

	while (count && !err) {
		uint32_t n = count < BATCH ? count : BATCH;

		err = scene_fire_frames(scene, n);
		if (!err)
			err = xsk_read(scene->xsk, n);
		count -= n;
	}
	return err;
}

static int add_row(struct scene *scene, enum series_tracepoint tracepoint, uint64_t frames)
{
	struct expect *row;
	int err;

	if (!frames)
		return 0;
	row = scene_add_row(scene, tracepoint);
	expect_set_from(row, &scene->in);
	row->field[FIELD_TO_CPU] = SERIES_NULL;
	row->field[FIELD_ACT] = XDP_REDIRECT;
	row->field[FIELD_ERR] = tracepoint == TP_XDP_REDIRECT ? 0 : scene->stimulus->err;
	/* Without live frames (before 5.18) the kernel has the same errno for all of these. */
	if (!scene->has_live && row->field[FIELD_ERR])
		row->field[FIELD_ERR] = scene->stimulus->err == -ENXIO ? -EINVAL : -ENOSPC;
	if (!scene->has_live && scene->stimulus->err == -EINVAL)
		row->field[FIELD_ERR] = -EINVAL;
	expect_set_frames(row, frames);
	err = outcome_set_program(scene, row);
	return err ? err : outcome_set_map(scene, row);
}

/* The first @room frames fit. */
static int add_rows(struct scene *scene, uint64_t room)
{
	uint64_t in = scene->frames < room ? scene->frames : room;
	int err = add_row(scene, TP_XDP_REDIRECT, in);

	if (!err)
		err = add_row(scene, TP_XDP_REDIRECT_ERR, scene->frames - in);
	outcome_add_fed(scene);
	return err;
}

int xsk_expect_read(struct scene *scene)
{
	return add_rows(scene, scene->frames);
}

int xsk_expect_ring_full(struct scene *scene)
{
	return add_rows(scene, RX_RING);
}

int xsk_expect_fill_empty(struct scene *scene)
{
	return add_rows(scene, FILLED);
}

int xsk_expect_refused(struct scene *scene)
{
	return add_rows(scene, 0);
}

void xsk_disarm(struct scene *scene)
{
	if (scene->xsk)
		close(scene->xsk);
	if (scene->umem)
		munmap(scene->umem, UMEM_SIZE);
}

/* The kernel keeps a refused socket's rings, so that it can be bound again. */
static int refuse(const int *xsk, const struct link *dev, int prog_fd, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		int err = xsk_bind(xsk[1], dev->ifindex, XDP_COPY);

		if (err != -EBUSY)
			return err ? err : -EEXIST;
		err = link_attach_xdp(dev, prog_fd, XDP_FLAGS_DRV_MODE);
		if (!err)
			return -EEXIST;
	}
	return 0;
}

int xsk_refused_run(uint32_t n)
{
	const struct bpf_insn pass[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct netns ns = {};
	struct link dev, peer;
	void *umem[2] = { 0 };
	int xsk[2] = { 0 }, prog_fd, err = netns_open(&ns);
	struct json json;

	prog_fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "refused", "GPL", pass, 2, NULL);
	if (!err)
		err = netns_enter(&ns);
	link_init(&dev, &ns, "in0");
	link_init(&peer, &ns, "out0");
	if (!err)
		err = link_add_veth(&dev, &peer, 9000);
	for (int i = 0; i < 2 && !err; i++)
		err = xsk_make(&xsk[i], &umem[i], CHUNKS, FILLED, CHUNK_SIZE);
	if (!err)
		err = xsk_bind(xsk[0], dev.ifindex, XDP_COPY);
	for (int step = 0; step < 2 && !err; step++) {
		json_begin(&json, stdout, step ? "done" : "ready");
		json_number(&json, "netns", ns.inum);
		json_number(&json, "pid", getpid());
		json_end(&json);
		while (getchar() != '\n')
			;
		if (!step)
			err = refuse(xsk, &dev, prog_fd, n);
	}
	if (err)
		fprintf(stderr, "rig: refused: %s\n", strerror(-err));
	netns_close(&ns);
	return err ? 1 : 0;
}
