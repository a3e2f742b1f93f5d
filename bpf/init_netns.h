/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef XDPTOP_FIRST_NETNS_H
#define XDPTOP_FIRST_NETNS_H

#include "core_types.h"

#define ANCESTORS_MAX 64

/*
 * The network namespace that the kernel made itself: everybody's last ancestor is init_task, and
 * its namespaces are the first ones (init/init_task.c). In a container /proc does not tell.
 */
static __always_inline struct net *first_netns(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	for (int i = 0; i < ANCESTORS_MAX; i++) {
		if (!BPF_CORE_READ(task, pid))
			return BPF_CORE_READ(task, nsproxy, net_ns);
		task = BPF_CORE_READ(task, real_parent);
	}
	return NULL;
}

#endif
