/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out whether the kernel's error message to a netlink caller reports a refused attach, and
 * for which device. Runs once for each command that fails with a message, in the task that issued
 * it.
 */
#pragma once

#include "capture_names.h"
#include "series_cache.h"
#include "syscall.h"
#include "xdp_socket_types.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct fdtable {
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

#pragma clang attribute pop

/* This kernel has the tracepoint bpf_xdp_link_attach_failed. Set before load. */
const volatile bool has_link_tracepoint = false;

/* Deep enough for a driver that also attaches to its lower devices (bond). */
#define FRAMES           24
#define FRAME_NAME_WORDS 3 /* "dev_xdp_attach+0x1b1/0x4", truncated */

enum attach_way {
	ATTACH_NONE,
	ATTACH_NETLINK,
	ATTACH_LINK,
	ATTACH_UNKNOWN, /* no names in the stack trace: no CONFIG_KALLSYMS */
};

static const char frame_format[] = "%pB";

/*
 * 1 if `name` (FRAME_NAME_WORDS words) begins with the literal `prefix`, else 0. Branchless: the
 * verifier would check the rest of the program once for each outcome.
 */
static __always_inline __u64 starts_with(const __u64 *name, const char *prefix)
{
	__u64 differs = 0;

#pragma unroll
	for (int i = 0, ended = 0; i < FRAME_NAME_WORDS; i++) {
		union {
			char byte[8];
			__u64 word;
		} want = {}, mask = {};

#pragma unroll
		for (int j = 0; j < 8; j++) {
			ended |= !prefix[ended ? 0 : 8 * i + j];
			if (ended)
				continue;
			want.byte[j] = prefix[8 * i + j];
			mask.byte[j] = -1;
		}
		differs |= (name[i] & mask.word) ^ want.word;
	}
	asm volatile("" : "+r"(differs));
	return ~(differs | -differs) >> 63;
}

/*
 * Whether the stack shows an attach of an XDP program. Every attach passes dev_xdp_attach()
 * (net/core/dev.c), which may be inlined into the other two. Functions are compared by name:
 * /proc/kallsyms shows addresses to few users, and has no sizes.
 */
static __noinline int attach_way(void *ctx)
{
	__u64 name[FRAME_NAME_WORDS];
	__u64 frame[FRAMES] = {};
	__u64 link = 0, netlink = 0, named = 0;

	if (bpf_get_stack(ctx, frame, sizeof(frame), 0) <= 0)
		return ATTACH_UNKNOWN;
	for (int i = 0; i < FRAMES && frame[i]; i++) {
		__builtin_memset(name, 0, sizeof(name));
		if (bpf_snprintf((char *)name, sizeof(name), frame_format, &frame[i], 8) <= 0)
			break;
		link |= starts_with(name, "bpf_xdp_link_attach");
		netlink |= starts_with(name, "dev_xdp_attach") |
			   starts_with(name, "dev_change_xdp_fd");
		named |= !starts_with(name, "0x");
	}
	if (link)
		return ATTACH_LINK;
	if (netlink)
		return ATTACH_NETLINK;
	return named ? ATTACH_NONE : ATTACH_UNKNOWN;
}

static __noinline bool names_xdp(const char *msg)
{
	char text[SERIES_TEXT_LEN] = {};
	__u32 last = 0; /* the last four characters */

	kernel_read_str(text, sizeof(text), msg);
	for (int i = 0; i < SERIES_TEXT_LEN && text[i]; i++) {
		last = last << 8 | (__u8)text[i];
		if ((last & 0xffffff) == ('X' << 16 | 'D' << 8 | 'P'))
			return true;
	}
	return false;
}

/* Whether the message reports a refused attach that no other tracepoint reports. */
static __always_inline bool is_refused_attach(void *ctx, const char *msg)
{
	int way = attach_way(ctx);

	return way == ATTACH_NETLINK || (way == ATTACH_LINK && !has_link_tracepoint) ||
	       (way == ATTACH_UNKNOWN && names_xdp(msg));
}

struct attach_request {
	__u32 netns;
	int ifindex; /* 0 = unknown */
	const struct net_device *dev;
};

#ifdef BUILD_lockdown
/*
 * The device is unknown: in lockdown libbpf replaces bpf_probe_read_user() with bpf_probe_read(),
 * which the kernel withholds (FEAT_PROBE_READ_KERN).
 */
static __noinline int attach_request_get(struct attach_request *r)
{
	const struct task_struct *task = (const void *)bpf_get_current_task_btf();

	r->netns = task->nsproxy->net_ns->ns.inum;
	return 0;
}

#else

/* include/uapi/linux/netlink.h and rtnetlink.h */
struct link_message {
	__u32 len;
	__u16 type;
	__u16 flags;
	__u32 seq, pid;
	__u32 family_and_type;
	__u32 ifindex;
};

#define RTM_NEWLINK 16
#define RTM_SETLINK 19

/* struct user_msghdr */
struct message_head {
	__u64 name, name_len, iov, iov_len;
};

/* The ifindex in the only message of a buffer; 0 = unknown. */
static __always_inline __u32 link_message_ifindex(__u64 buffer, __u64 len)
{
	struct link_message m = {};

	if (bpf_probe_read_user(&m, sizeof(m), (const void *)buffer) || m.len < len ||
	    (m.type != RTM_NEWLINK && m.type != RTM_SETLINK))
		return 0;
	return m.ifindex;
}

static __always_inline __u32 sent_ifindex(__u64 head)
{
	struct message_head h = {};
	__u64 buffer[2] = {}; /* struct iovec */

	if (bpf_probe_read_user(&h, sizeof(h), (const void *)head) || h.iov_len != 1 ||
	    bpf_probe_read_user(buffer, sizeof(buffer), (const void *)h.iov))
		return 0;
	return link_message_ifindex(buffer[0], buffer[1]);
}

/* The network namespace of a socket, which may differ from the task's. */
static __always_inline const struct net *socket_net(const struct task_struct *task, __u64 fd)
{
	struct file **files = BPF_CORE_READ(task, files, fdt, fd), *file = NULL;
	const struct socket *socket;

	if (!bpf_core_field_exists(struct sock_common, skc_net.net))
		return NULL;
	kernel_read(&file, sizeof(file), files + (__u32)fd);
	socket = BPF_CORE_READ(file, private_data);
	return BPF_CORE_READ(socket, sk, __sk_common.skc_net.net);
}

/* The device with this ifindex; NULL = none. Hash chains are short because ifindexes count up. */
static __always_inline const struct net_device *net_device_at(const struct net *net, int ifindex)
{
	const struct hlist_head *head = BPF_CORE_READ(net, dev_index_head);
	const struct hlist_node *node;

	/* NETDEV_HASHENTRIES, include/linux/netdevice.h */
	node = BPF_CORE_READ(head + (ifindex & 255), first);
	for (int i = 0; i < 64 && node; i++) {
		const struct net_device *dev =
			(const void *)((const char *)node -
				       bpf_core_field_offset(struct net_device, index_hlist));

		if (BPF_CORE_READ(dev, ifindex) == ifindex)
			return dev;
		node = BPF_CORE_READ(node, next);
	}
	return NULL;
}

/* What the task's current system call asked for. */
static __noinline int attach_request_get(struct attach_request *r)
{
	const struct task_struct *task = (const void *)bpf_get_current_task();
	struct syscall call = {};
	bool known = syscall_get(&call);
	const struct net *net = NULL;
	__u32 ifindex = 0;

	if (known && is_bpf_call(&call)) {
		/* link_create.target_ifindex of union bpf_attr */
		if (call.arg[0] == BPF_LINK_CREATE)
			bpf_probe_read_user(&ifindex, sizeof(ifindex),
					    (const void *)(call.arg[1] + 4));
	} else if (known && call.number == (call.is_x86 ? 46 : 211)) { /* sendmsg() */
		ifindex = sent_ifindex(call.arg[1]);
		net = socket_net(task, call.arg[0]);
	} else if (known && call.number == (call.is_x86 ? 44 : 206)) { /* sendto() */
		ifindex = link_message_ifindex(call.arg[1], call.arg[2]);
		net = socket_net(task, call.arg[0]);
	}
	if (!net)
		net = BPF_CORE_READ(task, nsproxy, net_ns);
	r->netns = BPF_CORE_READ(net, ns.inum);
	r->ifindex = ifindex;
	r->dev = ifindex ? net_device_at(net, ifindex) : NULL;
	return 0;
}

#endif
