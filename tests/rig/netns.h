/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Network namespaces of the rig. They are anonymous, so that they and their devices disappear with
 * the process, even on SIGKILL. A name below /run/netns is optional and only for tests of names;
 * nothing else survives SIGKILL. The rig is single-threaded. Code that depends on the current
 * namespace enters it first; nobody restores it. All functions return 0 or -errno.
 */
#pragma once

#include <stdint.h>

struct netns {
	int fd;        /* of the namespace; 0 = not open */
	int nl;        /* rtnetlink socket inside it */
	uint32_t inum; /* net->ns.inum, as tracing programs see it */
	char path[64]; /* the bind mount, or "" */
};

/* A new namespace with lo up and IPv6 off (neighbour discovery would add events). */
int netns_open(struct netns *ns);
/* Uses the current namespace, in the same state; its devices stay. */
int netns_open_here(struct netns *ns);
int netns_enter(const struct netns *ns);
/* Bind it to /run/netns/NAME, where `ip netns` and xdptop look up names. */
int netns_set_name(struct netns *ns, const char *name);
void netns_close(struct netns *ns);
