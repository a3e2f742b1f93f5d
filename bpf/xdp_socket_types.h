/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel types of AF_XDP sockets, as in core_types.h. Names checked in the BTF of 5.10 to 7.3. */
#pragma once

#include "kernel_read.h"

#define AF_XDP 44

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sock_common {
	unsigned short skc_family;
	struct hlist_node skc_node;
	possible_net_t skc_net;
};

struct inode {
	unsigned short i_mode;
	unsigned long i_ino;
	struct super_block *i_sb;
	struct list_head i_sb_list;
	void *i_private;
};

struct socket {
	struct sock *sk;
};

struct socket_alloc {
	struct socket socket;
	struct inode vfs_inode;
};

struct sock {
	struct sock_common __sk_common;
	struct socket *sk_socket;
	unsigned int sk_napi_id;
	unsigned int sk_ll_usec;
	__u8 sk_prefer_busy_poll; /* 5.11+ */
};

struct file {
	void *private_data;
	struct inode *f_inode;
};

/* The pages that the program maps, net/xdp/xsk_queue.h */
struct xdp_ring {
	__u32 producer;
	__u32 consumer;
	__u32 flags; /* XDP_RING_NEED_WAKEUP */
};

struct xsk_queue {
	__u32 nentries;
	struct xdp_ring *ring;
	__u64 invalid_descs;
	__u64 queue_empty_descs;
};

struct xsk_buff_pool {
	struct xsk_queue *fq;
	struct xsk_queue *cq;
};

struct xdp_umem {
	__u64 size;
	__u32 chunk_size;
};

struct xdp_sock {
	struct sock sk;
	struct xsk_queue *rx;
	struct net_device *dev;
	struct xdp_umem *umem;
	struct xsk_buff_pool *pool;
	__u16 queue_id;
	bool zc;
	enum {
		XSK_READY,
		XSK_BOUND,
		XSK_UNBOUND,
	} state;
	struct xsk_queue *tx;
	__u64 rx_dropped;
	__u64 rx_queue_full;
	struct list_head map_list; /* its entries of xskmaps */
	struct xsk_queue *fq_tmp;
	struct xsk_queue *cq_tmp;
};

#pragma clang attribute pop

/* The sockfs inode of a socket with an open file; 0 = none. */
static __always_inline __u32 socket_inode(const struct sock *sk)
{
	const struct socket *socket = BPF_CORE_READ(sk, sk_socket);

	if (!socket)
		return 0;
	return BPF_CORE_READ(CONTAINER(socket, struct socket_alloc, socket), vfs_inode.i_ino);
}
