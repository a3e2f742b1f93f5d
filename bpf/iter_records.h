/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/* Records that iterators write for devices, programs, maps and processes. Texts are raw bytes. */
#pragma once

#ifndef __BPF__
#include <linux/types.h>
#endif

#define WALK_MAX      16384 /* devices in one part of a walk */
#define WALK_NAME_LEN 16
/* as in struct ethtool_drvinfo */
#define WALK_DRIVER_LEN 32
/* "pci", "virtio"; "0000:3b:00.0", "virtio12". Of a longer name only the start is read. */
#define WALK_BUS_LEN        8
#define WALK_BUS_DEVICE_LEN 16

/* enum bpf_xdp_mode, include/linux/netdevice.h */
enum walk_mode { WALK_GENERIC, WALK_NATIVE, WALK_OFFLOAD, WALK_MODES };

struct walk_device {
	__u64 features;     /* of XDP */
	__u64 offloads;     /* NETIF_F_* bits, which differ between kernels */
	__u64 netns_cookie; /* never reused, unlike inodes; 0 = not in this kernel */
	__u32 has_features;
	__u32 netns, ifindex;
	__u32 mtu, mtu_max;
	__u32 carrier_changes;
	__u32 rx_queues, tx_queues;
	__u32 promiscuity;
	__u32 link_type;                     /* ARPHRD_* */
	__u32 lower_ifindex, master_ifindex; /* in its own namespace; 0 = none */
	__u32 vlan_id;                       /* 0 = none, or unknown */
	__u32 up, running;
	__u32 peer_netns, peer_ifindex; /* 0 = no peer, or unknown */
	__u32 prog_id[WALK_MODES];      /* 0 = none */
	__u32 by_link;                  /* 1 << enum walk_mode: by a BPF link, not over netlink */
	char name[WALK_NAME_LEN];
	char kind[WALK_NAME_LEN];     /* "" = none */
	char driver[WALK_DRIVER_LEN]; /* of the parent device; "" = none */
	char bus[WALK_BUS_LEN], bus_device[WALK_BUS_DEVICE_LEN]; /* of it; "" = none */
	__s32 node;                                              /* its NUMA node; -1 = none */
};

#define INSTALLS_SIZE (256 << 10) /* of the ring, in bytes: about 1,100 records */

struct install_prog {
	__u32 id; /* 0 = no program */
	char name[WALK_NAME_LEN];
};

enum setup { SETUP_INSTALLED, SETUP_ATTACH_REFUSED, SETUP_BIND_REFUSED };

#define SETUP_MESSAGE_LEN 96

/* A device got another XDP program, or lost it; or such a set-up was refused. */
struct install_record {
	__u64 ktime_ns; /* CLOCK_MONOTONIC */
	__u32 netns, ifindex;
	__u32 mode; /* enum walk_mode */
	__u32 pid;  /* in the initial pid namespace; 0 = a kernel thread */
	struct install_prog old_prog, new_prog;
	char ifname[WALK_NAME_LEN];
	char comm[WALK_NAME_LEN];
	/* of what was refused */
	__u32 setup;        /* enum setup */
	__s32 err;          /* negative */
	__u32 by_link;      /* it was to create a BPF link */
	__u32 queue, flags; /* of a bind: struct sockaddr_xdp */
	__u32 pad;
	char message[SETUP_MESSAGE_LEN]; /* "" = none */
};

#define MAP_NAME_LEN 16
/* Per reading: steps for the entries of each class of maps, steps per entry, and records. */
#define MAP_STEPS       16384
#define MAP_ENTRY_STEPS 4
#define MAP_RECORDS_MAX 16384

/*
 * A map that XDP redirects through, followed by records of its entries. Slots are keys or, in a
 * hash, buckets.
 */
struct map_record {
	__u32 map_id;
	__u32 is_entry;
	/* of the map */
	__u32 type; /* enum bpf_map_type */
	__u32 value_size, max_entries;
	__u32 slots;    /* key & (slots - 1) is the bucket of a hash */
	__u32 from, to; /* slots that were read: a key there without a record has no entry */
	/* of the entry */
	__u32 key;
	__u32 netns, ifindex;    /* 0 = no device */
	__u32 prog_id;           /* 0 = none */
	__u32 qsize, fill;       /* in a cpumap */
	__u64 inode;             /* of a socket; 0 = none, or it is being closed */
	char name[MAP_NAME_LEN]; /* of the map, or of the device */
	char prog_name[MAP_NAME_LEN];
};

/* By slots. Each class has its own steps, so that small maps do not wait for large ones. */
enum map_class { MAP_SMALL, MAP_MEDIUM, MAP_LARGE, MAP_CLASSES };

struct map_user {
	__u32 prog_id, map_id;
	__u32 is_part; /* part of a libxdp dispatcher, of type EXT: no device lists it */
	__u32 is_link; /* the map holds maps or programs: struct map_link */
	__u32 calls;   /* the map's id, if it is a program array: is_link, too; 0 = it is none */
	/* MAPS_FILL: the map that no program uses, but has the name, type and sizes of map_id */
	__u32 unused_id;
	__u32 emptied; /* nobody holds the program array, so the kernel has emptied it */
};

/* Which maps a reading of users and links is about. */
enum map_kinds {
	MAPS_REDIRECT, /* XDP redirects through them */
	MAPS_FILL,     /* hashes and tries, which can become full */
};

#define MAP_LINKS_MAX 8192 /* per reading */

/* A slot of a map of maps of the kind, or of a program array of XDP programs. */
struct map_link {
	__u32 map_id;
	__u32 inner_id, prog_id; /* 0 = none */
	__u32 more;              /* not a slot: other slots of the map were not read */
};

#define MAP_FILLS_MAX 4096 /* maps whose entries are counted per reading */

/* BPF_MAP_TYPE_RHASH (7.1); only the kernel itself sees its number of entries */
#define MAP_TYPE_RHASH 35

/* A map that can become full. */
struct map_fill_record {
	__u32 map_id;
	__u32 type; /* enum bpf_map_type */
	__u32 max_entries;
	__u32 counted; /* 0 = this kernel does not count its entries */
	__u64 entries;
	char name[MAP_NAME_LEN];
	__u32 unused; /* by any program or map of maps */
	__u32 pad;
};

/* What the kernel counted for a program while BPF statistics were on, since it was loaded. */
struct prog_run_record {
	__u64 runs, run_ns;
	__u32 prog_id, pad;
};

#define OBJECT_NAME_LEN   64
#define OBJECT_COMM_LEN   16
#define OBJECT_CGROUP_LEN 96
#define OBJECT_CGROUPS    3

struct object_record {
	__u32 id;
	__u32 type;                 /* enum bpf_map_type, or of a program enum bpf_prog_type */
	__u64 load_time;            /* program: when it was loaded, ns of CLOCK_BOOTTIME */
	__u32 uid;                  /* program: who loaded it */
	char name[OBJECT_NAME_LEN]; /* "" = no name */
};

/* A process outside the initial network namespace. */
struct object_process {
	__u64 start; /* ns since boot */
	__u32 netns;
	__u32 pid; /* in the initial pid namespace */
	char comm[OBJECT_COMM_LEN];
	/* the last components of its cgroup's path, the last one first */
	char cgroup[OBJECT_CGROUPS][OBJECT_CGROUP_LEN];
};

#define SOCKETS_PART  1024 /* AF_XDP sockets in one part of a walk */
#define SOCKETS_PARTS 128  /* per walk: more sockets than a walk meets */

/* Ends of a ring. Its program can write these pages, so they can hold any value. size 0 = none. */
struct ring_record {
	__u32 size, producer, consumer;
	__u32 flags; /* XDP_RING_NEED_WAKEUP, linux/if_xdp.h */
};

/* A namespace with more sockets than asked for ends with a record: inode 0, netns, left_out. */
struct socket_record {
	__u64 umem_size;
	__u64 rx_dropped, rx_queue_full, rx_fill_ring_empty, fill_invalid, tx_invalid,
		tx_ring_empty;
	__u32 inode, netns;
	__u32 left_out; /* sockets of the namespace that have no record */
	__u32 state;    /* XSK_READY, XSK_BOUND, XSK_UNBOUND: include/net/xdp_sock.h */
	__u32 ifindex, queue, queues, tx_queues, zerocopy;
	__u32 chunk_size;
	__u32 prefers_busy_poll, irqs_deferred;
	__u32 in_map; /* an xskmap leads to it */
	/* the queue that its own is leased from; nic_ifindex 0 = its own is not leased */
	__u32 nic_netns, nic_ifindex, nic_queue;
	struct ring_record rx, fill, tx, completion;
	char ifname[WALK_NAME_LEN], nic_ifname[WALK_NAME_LEN];
};

enum held_kind { HELD_SOCKET, HELD_PROG, HELD_LINK };

/* A file of a process that holds an AF_XDP socket, program or link. */
struct holder_record {
	__u32 kind; /* enum held_kind */
	__u32 id;   /* socket: its inode */
	__u32 pid;  /* in the initial pid namespace */
	char comm[OBJECT_COMM_LEN];
};

#define PINS_MAX 512 /* pins that are recorded */

/* A BPF link of an XDP program. */
struct link_record {
	__u32 link_id, prog_id;
	__u32 part_of; /* id of the dispatcher that the program is part of; 0 = it is on a device */
};
