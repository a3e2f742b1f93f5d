// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/pod.h"

#include "base/array.h"
#include "base/sanitize.h"

const struct pod *pod_find(const struct snapshot *s, uint32_t netns)
{
	const struct pod *pod = s->rows[DATA_SOURCE_PODS].row;
	size_t n = s->rows[DATA_SOURCE_PODS].n;

	return array_find(pod, n, e, e->netns < netns, e->netns == netns);
}

const struct pod *pod_of_device(const struct snapshot *s, uint32_t netns, uint32_t ifindex)
{
	const struct pod *pod = pod_find(s, netns);
	const struct netdev *d = pod ? NULL : snapshot_find_netdev(s, netns, ifindex);

	return d && d->peer_ifindex ? pod_find(s, d->peer_netns) : pod;
}

void pod_text(const struct pod *p, char *buf, size_t size)
{
	if (*p->name)
		sanitize_format(buf, size, "%s/%s", p->namespace, p->name);
	else
		sanitize_format(buf, size, "%s", p->container);
}
