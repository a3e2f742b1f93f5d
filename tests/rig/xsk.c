// SPDX-License-Identifier: GPL-2.0-or-later
#include "xsk.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_xdp.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "json.h"
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

/* A mapped ring of CHUNKS entries. */
struct ring {
	char *base;
	size_t size;
	_Atomic uint32_t *producer, *consumer;
	void *desc;
};

static int ring_map(struct ring *ring, int fd, bool is_rx)
{
	struct xdp_mmap_offsets offsets;
	socklen_t len = sizeof(offsets);
	const struct xdp_ring_offset *off = is_rx ? &offsets.rx : &offsets.fr;

	if (getsockopt(fd, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &len))
		return -errno;
	ring->size = off->desc + CHUNKS * (is_rx ? sizeof(struct xdp_desc) : sizeof(uint64_t));
	ring->base = mmap(NULL, ring->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			  is_rx ? XDP_PGOFF_RX_RING : (off_t)XDP_UMEM_PGOFF_FILL_RING);
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
	int err = ring_map(&ring, fd, false);
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
	int err = ring_map(&rx, fd, true);

	if (err)
		return err;
	err = ring_map(&fill, fd, false);
	if (!err) {
		err = ring_read(&rx, &fill, n);
		munmap(fill.base, fill.size);
	}
	munmap(rx.base, rx.size);
	return err;
}

/* A socket with @rx slots and @filled chunks of its UMEM. *@umem must always be unmapped. */
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
	if (!err)
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
	int err = ring_map(&rx, xsk, true);

	if (!err)
		err = ring_map(&fill, xsk, false);
	while (!err && !stop_wait(-1, 1)) {
		ring_move(&rx, &fill, ring_used(&rx));
		if (wakes)
			recvfrom(xsk, NULL, 0, MSG_DONTWAIT, NULL, NULL);
	}
	return err;
}

int xsk_run(int ifindex, int map_fd, uint16_t flags, uint32_t filled, bool reads)
{
	struct json json;
	void *umem;
	int xsk = 0;
	int err = xsk_make(&xsk, &umem, CHUNKS, filled, CHUNK_SIZE);

	if (err)
		return err;
	err = xsk_bind(xsk, ifindex, flags);
	json_begin(&json, stdout, "xsk");
	json_number(&json, "err", err);
	if (!err)
		err = xsk_put(xsk, map_fd);
	json_end(&json);
	if (!err && reads)
		err = xsk_work(xsk, flags & XDP_USE_NEED_WAKEUP);
	else if (!err)
		stop_wait(-1, -1);
	close(xsk);
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
