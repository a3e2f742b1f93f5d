// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/xdp_installs.h"

#include <bpf/libbpf.h>
#include <stdlib.h>
#include "base/memory.h"
#include "inventory/bpf_iters.h"
#include "iters.skel.h"

struct xdp_installs {
	const struct iters_bpf *object;
	struct ring_buffer *ring;
	uint64_t lost, told_lost; /* at the last read */
	void (*fn)(void *ctx, const struct install_record *r);
	void *ctx;
};

static int take_record(void *ctx, void *data, size_t size)
{
	struct xdp_installs *x = ctx;

	if (size >= sizeof(struct install_record))
		x->fn(x->ctx, data);
	return 0;
}

struct xdp_installs *xdp_installs_open(struct bpf_iters *iters)
{
	const struct iters_bpf *object = bpf_iters_object(iters);
	bool installs = !bpf_iters_trace(iters, ITER_INSTALLS);
	struct xdp_installs *x = NULL;

	/* each says what it cannot see */
	if (!bpf_iters_trace(iters, ITER_BINDS) || installs)
		x = memory_new(1, sizeof(*x));
	if (!x)
		return NULL;
	x->object = object;
	x->ring = ring_buffer__new(bpf_map__fd(object->maps.installs), take_record, x, NULL);
	if (x->ring)
		return x;
	free(x);
	return NULL;
}

int xdp_installs_read(struct xdp_installs *x, void (*fn)(void *ctx, const struct install_record *r),
		      void *ctx, uint64_t *lost, uint64_t *told_lost)
{
	uint64_t before = x->lost, told_before = x->told_lost;
	int n;

	x->fn = fn;
	x->ctx = ctx;
	n = ring_buffer__consume(x->ring);
	x->lost = *(const volatile __u64 *)&x->object->bss->installs_lost;
	x->told_lost = *(const volatile __u64 *)&x->object->bss->installs_told_lost;
	*lost = x->lost - before;
	*told_lost = x->told_lost - told_before;
	return n < 0 ? n : 0;
}

void xdp_installs_close(struct xdp_installs *x)
{
	if (!x)
		return;
	ring_buffer__free(x->ring);
	free(x);
}
