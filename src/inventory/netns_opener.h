/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process of --later-namespaces (base/side_process.h). After the drop of privileges only it can
 * open sockets in network namespaces that come later. A request carries a file of the namespace or
 * a pidfd of a process in it; the answer carries two sockets. They give no right that the monitor
 * lacks: the kernel checks the sender as well (netlink_capable(), net/netlink/af_netlink.c).
 *
 * It keeps CAP_SYS_ADMIN to enter namespaces, and CAP_SYS_PTRACE for pidfds (validate_nsset(),
 * kernel/nsproxy.c): containers of docker and others have no file that the monitor can open. With a
 * pidfd it opens no file, so that its filter allows neither open() nor ptrace().
 */
#pragma once

#include "base/side_process.h"
#include "inventory/netns_scan.h"

struct netns_opened {
	uint32_t netns;  /* the request: its inode */
	int32_t err;     /* -errno, 0 = the answer carries NETLINK_ROUTE and NETLINK_GENERIC */
	uint64_t cookie; /* SO_NETNS_COOKIE of these sockets */
};

/* As side_process_start(). Without `ptrace` it does not keep CAP_SYS_PTRACE. */
int netns_opener_start(bool ptrace, pid_t *pid, uint64_t *capabilities, struct error *error);
/*
 * Open sockets in the namespace ns->inode with this cookie. `pid`: a process that is said to be in
 * it, 0 = none. Sets what ns is held by, for netns_handle_held(). The worker waits for the answer.
 * 0, or -errno: -EPIPE = the process has ended, or does not answer.
 */
int netns_opener_ask(int opener, struct netns_handle *ns, pid_t pid, uint64_t cookie,
		     int socket[FD_PASS_MAX]);
extern const struct side_process netns_opener;
