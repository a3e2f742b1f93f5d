/* SPDX-License-Identifier: GPL-2.0-only */
/* The network namespaces, for iterators: init_net, which no helper returns, then all others. */
#pragma once

#include "kernel_read.h"

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

/* A walk through all network namespaces, under rcu_read_lock(). */
struct netns_walk {
	const struct net *net, *first;
	const struct list_head *nets; /* net_namespace_list, the head */
};

/* Start at init_net. False = it was not found. */
static __always_inline bool netns_begin(struct netns_walk *w)
{
	const struct net *first = find_init_net();

	if (!first)
		return false;
	w->first = first;
	w->net = first;
	/* init_net is first in the list: net_ns_init() in net/core/net_namespace.c */
	w->nets = BPF_CORE_READ(first, list.prev);
	return true;
}

/* Step to the next one. The first follows the last. False = it could not be read. */
static __always_inline bool netns_next(struct netns_walk *w)
{
	/* local: otherwise CO-RE also relocates the path through struct netns_walk */
	const struct net *net = w->net;
	const struct list_head *next = BPF_CORE_READ(net, list.next);

	if (next == w->nets)
		next = BPF_CORE_READ(next, next);
	w->net = CONTAINER(next, struct net, list);
	return next;
}
