/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef XDPTOP_BPF_DEVICE_PROG_H
#define XDPTOP_BPF_DEVICE_PROG_H

#include "kernel_read.h"

/* dev_xdp_prog() in net/core/dev.c; `mode` is a constant of enum walk_mode. NULL = no program. */
static __always_inline const struct bpf_prog *device_prog(const struct net_device *dev, int mode)
{
	const struct bpf_xdp_link *link = BPF_CORE_READ(dev, xdp_state[mode].link);

	if (link)
		return BPF_CORE_READ(link, link.prog);
	return BPF_CORE_READ(dev, xdp_state[mode].prog);
}

#endif
