/* SPDX-License-Identifier: GPL-2.0-only */
/* The XDP program of a device, read without a lock: it may be replaced meanwhile. */
#pragma once

#include "kernel_read.h"

/* dev_xdp_prog() in net/core/dev.c; `mode` is a constant of enum walk_mode. NULL = no program. */
static __always_inline const struct bpf_prog *device_prog(const struct net_device *dev, int mode)
{
	const struct bpf_xdp_link *link = BPF_CORE_READ(dev, xdp_state[mode].link);

	if (link)
		return BPF_CORE_READ(link, link.prog);
	return BPF_CORE_READ(dev, xdp_state[mode].prog);
}

/* Whether a BPF link holds it there. */
static __always_inline bool device_is_linked(const struct net_device *dev, int mode)
{
	return BPF_CORE_READ(dev, xdp_state[mode].link);
}
