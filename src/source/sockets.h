/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data source sockets: the AF_XDP sockets of all network namespaces, bound or not, with their rings
 * and counters. The kernel keeps these in struct xdp_sock and struct xsk_queue, both in copy and in
 * zero-copy mode (net/xdp/xsk.c, xsk_getsockopt() XDP_STATISTICS).
 */
#pragma once

#include "model/row_walk.h"

#define XDP_SOCKETS_MAX 16384 /* limit of listed sockets */
/* Namespaces whose unlisted sockets are counted separately. */
#define SOCKETS_LEFT_OUT_MAX 4096

enum xdp_socket_state {
	XDP_SOCKET_UNBOUND,     /* XSK_READY: bind() was not called, or failed */
	XDP_SOCKET_BOUND,       /* XSK_BOUND */
	XDP_SOCKET_DEVICE_GONE, /* XSK_UNBOUND: its device was removed */
	XDP_SOCKET_STATES,
};

/* Whether an xskmap entry leads to the socket (from struct xdp_sock.map_list). */
enum xdp_socket_in_map { XDP_SOCKET_MAP_UNKNOWN, XDP_SOCKET_IN_NO_MAP, XDP_SOCKET_IN_MAP };

/* Slots of a ring that kernel and program share, and how many are in use. Size 0 = no such ring. */
struct xdp_ring {
	uint32_t size, fill;
};

struct xdp_place {
	uint32_t netns, ifindex, queue;
};

struct xdp_socket {
	uint32_t inode; /* in sockfs, as in /proc/PID/fd: identifies the socket */
	uint32_t netns;
	uint32_t ifindex, queue;    /* binding; ifindex 0 = unbound */
	uint32_t queues, tx_queues; /* current queues of the device; 0 = unknown */
	struct xdp_place nic;       /* that its queue is leased from; ifindex 0 = it is not */
	enum xdp_socket_state state;
	enum xdp_socket_in_map in_map;
	bool zerocopy;
	bool tx_need_wakeup;    /* the TX ring's flag asks for sendto() or poll() */
	bool prefers_busy_poll; /* with SO_BUSY_POLL; and whether its NAPI's interrupts wait */
	bool irqs_deferred;
	bool gone;           /* only in a recording: the last row of the socket */
	uint32_t pid;        /* process that holds it; 0 = none seen */
	uint64_t umem_size;  /* bytes; 0 = no umem */
	uint32_t chunk_size; /* bytes */
	struct xdp_ring rx, fill, tx, completion;
	char ifname[SNAPSHOT_NAME_LEN], nic_ifname[SNAPSHOT_NAME_LEN];
	char comm[SNAPSHOT_NAME_LEN];
	/* since it was created */
	uint64_t received;    /* descriptors put into the RX ring */
	uint64_t transmitted; /* valid descriptors taken from the TX ring */
	uint64_t rx_dropped, rx_queue_full;
	uint64_t rx_fill_ring_empty; /* this and fill_invalid are shared by sockets of a queue */
	uint64_t fill_invalid;       /* unusable addresses taken from the fill ring */
	uint64_t tx_invalid, tx_ring_empty;
	/* buffers taken from the fill ring, of which `received` returned some */
	uint64_t fill_taken;
};

/* Unlisted sockets of a namespace: each namespace is limited to its share. */
struct sockets_left_out {
	uint32_t netns; /* 0 = all other namespaces */
	bool gone;      /* only in a recording: the last row */
	uint64_t n;     /* 0 = unknown: the kernel refuses to list any */
};

uint64_t xdp_sockets_left_out(const struct snapshot *s);
/* Whether all sockets of the namespace are listed, so that an unlisted socket does not exist. */
bool xdp_sockets_complete(const struct snapshot *s, uint32_t netns);
/* Rows of the snapshot, ascending by inode. */
const struct xdp_socket *xdp_sockets(const struct snapshot *s, size_t *n);
/* The row of a socket; NULL = unknown. s may be NULL. */
const struct xdp_socket *xdp_socket_find(const struct snapshot *s, uint32_t inode);
/* The device and queue whose packets it takes: those of the NIC if its own queue is leased. */
struct xdp_place xdp_socket_place(const struct xdp_socket *s);
/* The name of that device when the socket was bound. */
const char *xdp_socket_ifname(const struct xdp_socket *s);
/* Sockets by the device of their packets: row_number(netns, ifindex). */
extern const struct row_key xdp_sockets_by_device;
/* Compares the bound queues, as strcmp() does. */
int xdp_socket_compare_queues(const struct xdp_socket *a, const struct xdp_socket *b);
struct socket_record; /* bpf/iter_records.h */
/*
 * Invalid entries that were counted before the kernel advanced its end of the ring. Initially zero.
 */
struct xdp_socket_ahead {
	uint32_t fill, tx;
};
/*
 * Set the current rings, and add to the counters what was counted since `last`, which is initially
 * all zero. Ends of rings have 32 bits and wrap. A record that cannot be a successor of `last`
 * belongs to a new socket with the same inode, which counts from 0.
 */
void xdp_socket_count(struct xdp_socket *row, const struct socket_record *now,
		      const struct socket_record *last, struct xdp_socket_ahead *ahead);
/* "unbound", "bound", "device-gone", "gone" */
const char *xdp_socket_state_name(enum xdp_socket_state state);
