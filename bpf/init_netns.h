/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef XDPTOP_BPF_INIT_NETNS_H
#define XDPTOP_BPF_INIT_NETNS_H

#include "core_types.h"

#define ANCESTORS_MAX 64

/*
 * init_net: the last ancestor of every task is init_task, whose namespaces are the initial ones
 * (init/init_task.c). /proc does not show it inside a container. NULL = deeper than ANCESTORS_MAX.
 */
static __always_inline struct net *find_init_net(void)
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
