// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/xdp_installs.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "inventory/bpf_iters.h"
#include "model/kernel_names.h"
#include "iters.skel.h"

struct xdp_installs {
	const struct iters_bpf *object;
	struct bpf_link *link;
	struct ring_buffer *ring;
	uint64_t lost; /* at the last read */
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

int xdp_installs_missing(struct error *error)
{
	struct btf *btf;
	int id;

	if (!bpf_iters_fexit_allowed())
		return error_set(error, -EPERM, "%s",
				 geteuid() ? "fexit programs need root"
					   : "this machine refuses fexit programs");
	btf = btf__load_vmlinux_btf();
	id = btf ? btf__find_by_name_kind(btf, "dev_xdp_install", BTF_KIND_FUNC) : 0;
	btf__free(btf);
	return id > 0 ? 0 : error_set(error, -ENOENT, "the kernel's BTF lacks dev_xdp_install()");
}

struct xdp_installs *xdp_installs_open(struct bpf_iters *iters, struct error *error)
{
	const struct iters_bpf *object = bpf_iters_object(iters);
	struct xdp_installs *x = calloc(1, sizeof(*x));
	int err = 0;

	if (x && object && bpf_program__fd(object->progs.xdp_install) >= 0) {
		x->object = object;
		x->link = bpf_program__attach(object->progs.xdp_install);
		err = x->link ? 0 : -errno;
		if (!err)
			x->ring = ring_buffer__new(bpf_map__fd(object->maps.installs), take_record,
						   x, NULL);
		if (x->ring)
			return x;
		err = err ?: -errno;
	}
	if (bpf_iters_withheld(iters))
		error_set(error, err, "%s", bpf_iters_withheld(iters));
	else if (err || !xdp_installs_missing(error))
		error_set(error, err, "dev_xdp_install cannot be traced: %s",
			  errno_text(err ? err : -ENOENT));
	xdp_installs_close(x);
	return NULL;
}

int xdp_installs_read(struct xdp_installs *x, void (*fn)(void *ctx, const struct install_record *r),
		      void *ctx, uint64_t *lost)
{
	uint64_t before = x->lost;
	int n;

	x->fn = fn;
	x->ctx = ctx;
	n = ring_buffer__consume(x->ring);
	x->lost = *(const volatile __u64 *)&x->object->bss->installs_lost;
	*lost = x->lost - before;
	return n < 0 ? n : 0;
}

void xdp_installs_close(struct xdp_installs *x)
{
	if (!x)
		return;
	bpf_link__destroy(x->link);
	ring_buffer__free(x->ring);
	free(x);
}
