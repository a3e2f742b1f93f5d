/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data source sockets: the AF_XDP sockets of all network namespaces, bound or not, with their rings
 * and counters. In copy and zero-copy mode alike the kernel keeps these in struct xdp_sock and
 * struct xsk_queue (net/xdp/xsk.c, xsk_getsockopt() XDP_STATISTICS).
 */
#ifndef XDPTOP_SOCKETS_H
#define XDPTOP_SOCKETS_H

#include "model/row_walk.h"

#define XDP_SOCKETS_MAX 16384 /* that are listed at a time */
/* Namespaces whose sockets that are not listed are counted apart. */
#define SOCKETS_LEFT_OUT_MAX 4096

enum xdp_socket_state {
	XDP_SOCKET_UNBOUND,     /* XSK_READY: bind() was not called, or refused */
	XDP_SOCKET_BOUND,       /* XSK_BOUND */
	XDP_SOCKET_DEVICE_GONE, /* XSK_UNBOUND: its device was removed */
	XDP_SOCKET_STATES,
};

/* Slots of a ring that the kernel and the program share, and those in use now. 0 = no such ring. */
struct xdp_ring {
	uint32_t size, fill;
};

struct xdp_socket {
	uint32_t inode; /* names it: of sockfs, as in /proc/PID/fd */
	uint32_t netns;
	uint32_t ifindex, queue; /* what it is bound to; ifindex 0 = nothing */
	uint32_t queues;         /* receive queues that the device has now; 0 = unknown */
	enum xdp_socket_state state;
	bool zerocopy;
	bool gone;           /* only in a recording's row: the last one of it */
	uint32_t pid;        /* of the process that holds it; 0 = none is seen */
	uint64_t umem_size;  /* bytes; 0 = no umem */
	uint32_t chunk_size; /* bytes */
	struct xdp_ring rx, fill, tx, completion;
	char ifname[SNAPSHOT_NAME_LEN];
	char comm[SNAPSHOT_NAME_LEN];
	/* counters since it was created */
	uint64_t received;    /* descriptors that the kernel put into the RX ring */
	uint64_t transmitted; /* valid descriptors that it took from the TX ring */
	uint64_t rx_dropped, rx_queue_full;
	uint64_t rx_fill_ring_empty; /* this and the next are of the ring that a queue's share */
	uint64_t fill_invalid;       /* addresses that the kernel took from it and could not use */
	uint64_t tx_invalid, tx_ring_empty;
	/* buffers that it took from the fill ring; `received` gave some back */
	uint64_t fill_taken;
};

/* Sockets of a namespace that are not listed: others must get their share of the places. */
struct sockets_left_out {
	uint32_t netns; /* 0 = all other namespaces */
	bool gone;      /* only in a recording's row: the last one of it */
	uint64_t n;
};

/* All that are not listed. */
uint64_t xdp_sockets_left_out(const struct snapshot *s);
/* Whether all sockets of the namespace are listed: one that is not there does not exist. */
bool xdp_sockets_complete(const struct snapshot *s, uint32_t netns);
/* Rows of the snapshot, ascending by inode. */
const struct xdp_socket *xdp_sockets(const struct snapshot *s, size_t *n);
/* One socket; NULL = unknown. s may be NULL. */
const struct xdp_socket *xdp_socket_find(const struct snapshot *s, uint32_t inode);
/* Those that are bound to a device: row_number(netns, ifindex). */
extern const struct row_key xdp_sockets_by_device;
/* Order of the queues that they are bound to, as of strcmp(): 0 = the same. */
int xdp_socket_compare_queues(const struct xdp_socket *a, const struct xdp_socket *b);
struct socket_record; /* bpf/iter_records.h */
/* Invalid entries of rings that were counted before the kernel moved its end. Zeroed at first. */
struct xdp_socket_ahead {
	uint32_t fill, tx;
};
/*
 * Set the rings as they are now, and add to the counters what was counted since `last`, all zero at
 * first. Ends of rings have 32 bits and wrap. A record that cannot follow `last` is of another
 * socket, with the same inode, that counts from 0.
 */
void xdp_socket_count(struct xdp_socket *row, const struct socket_record *now,
		      const struct socket_record *last, struct xdp_socket_ahead *ahead);
/* "unbound", "bound", "device-gone", "gone" */
const char *xdp_socket_state_name(enum xdp_socket_state state);

#endif
