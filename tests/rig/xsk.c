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

#include "outcome.h"

#define CHUNKS     128
#define CHUNK_SIZE 4096
#define UMEM_SIZE  (CHUNKS * CHUNK_SIZE)
#define RX_RING    64 /* frames that get in before the ring is full */
#define FILLED     32 /* frames that get in before the fill ring is empty */

static int xsk_set(int fd, int option, const void *value, socklen_t len)
{
	return setsockopt(fd, SOL_XDP, option, value, len) ? -errno : 0;
}

/* Gives the kernel the first @n chunks to fill. */
static int xsk_fill(int fd, uint32_t n, uint32_t chunk_size)
{
	struct xdp_mmap_offsets off;
	socklen_t len = sizeof(off);
	size_t size;
	char *ring;

	if (getsockopt(fd, SOL_XDP, XDP_MMAP_OFFSETS, &off, &len))
		return -errno;
	size = off.fr.desc + CHUNKS * sizeof(uint64_t);
	ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, XDP_UMEM_PGOFF_FILL_RING);
	if (ring == MAP_FAILED)
		return -errno;
	for (uint32_t i = 0; i < n; i++)
		((uint64_t *)(ring + off.fr.desc))[i] = (uint64_t)i * chunk_size;
	atomic_store((_Atomic uint32_t *)(ring + off.fr.producer), n);
	munmap(ring, size);
	return 0;
}

/* A socket with rings and @filled chunks, in the map; bound unless @bind_to is NULL. */
static int xsk_open(struct scene *scene, const struct link *bind_to, uint32_t filled,
		    uint32_t chunk_size)
{
	struct xdp_umem_reg reg = { .len = UMEM_SIZE, .chunk_size = chunk_size };
	struct sockaddr_xdp addr = { .sxdp_family = AF_XDP, .sxdp_flags = XDP_COPY };
	const int rx = RX_RING, ring = CHUNKS;
	__u32 key = 0, fd;
	int err;

	scene->umem =
		mmap(NULL, UMEM_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (scene->umem == MAP_FAILED) {
		scene->umem = NULL;
		return -errno;
	}
	err = netns_enter(&scene->src);
	if (err)
		return err;
	scene->xsk = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (scene->xsk < 0) {
		err = -errno;
		scene->xsk = 0;
		if (err == -EAFNOSUPPORT) {
			strcpy(scene->skip, "this kernel has no AF_XDP sockets");
			return 0;
		}
		return err;
	}
	reg.addr = (uintptr_t)scene->umem;
	err = xsk_set(scene->xsk, XDP_UMEM_REG, &reg, sizeof(reg));
	if (!err)
		err = xsk_set(scene->xsk, XDP_UMEM_FILL_RING, &ring, sizeof(ring));
	if (!err)
		err = xsk_set(scene->xsk, XDP_UMEM_COMPLETION_RING, &ring, sizeof(ring));
	if (!err)
		err = xsk_set(scene->xsk, XDP_RX_RING, &rx, sizeof(rx));
	if (!err)
		err = xsk_fill(scene->xsk, filled, chunk_size);
	if (err)
		return err;
	if (bind_to) {
		addr.sxdp_ifindex = bind_to->ifindex;
		if (bind(scene->xsk, (struct sockaddr *)&addr, sizeof(addr)))
			return -errno;
	}
	fd = scene->xsk;
	return bpf_map_update_elem(scene->map_fd, &key, &fd, BPF_ANY);
}

int xsk_arm_ring_full(struct scene *scene)
{
	return xsk_open(scene, &scene->in, CHUNKS, CHUNK_SIZE);
}

int xsk_arm_fill_empty(struct scene *scene)
{
	return xsk_open(scene, &scene->in, FILLED, CHUNK_SIZE);
}

int xsk_arm_unbound(struct scene *scene)
{
	return xsk_open(scene, NULL, CHUNKS, CHUNK_SIZE);
}

int xsk_arm_other_device(struct scene *scene)
{
	return xsk_open(scene, &scene->feed, CHUNKS, CHUNK_SIZE);
}

int xsk_arm_small_chunks(struct scene *scene)
{
	return xsk_open(scene, &scene->in, CHUNKS, CHUNK_SIZE / 2);
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
	/* Without live frames (before 5.18) the kernel has one errno for all of these. */
	if (!scene->has_live && row->field[FIELD_ERR])
		row->field[FIELD_ERR] = scene->stimulus->err == -ENXIO ? -EINVAL : -ENOSPC;
	if (!scene->has_live && scene->stimulus->err == -EINVAL)
		row->field[FIELD_ERR] = -EINVAL;
	expect_set_frames(row, frames);
	err = outcome_set_program(scene, row);
	return err ? err : outcome_set_map(scene, row);
}

/* The first @room frames get in. */
static int add_rows(struct scene *scene, uint64_t room)
{
	uint64_t in = scene->frames < room ? scene->frames : room;
	int err = add_row(scene, TP_XDP_REDIRECT, in);

	if (!err)
		err = add_row(scene, TP_XDP_REDIRECT_ERR, scene->frames - in);
	outcome_add_fed(scene);
	return err;
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
