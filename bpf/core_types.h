/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel types with the members that the programs read; CO-RE relocates them against the running
 * kernel. Names checked in the sources of 5.10 to 7.2 (doc/kernel.md).
 */
#pragma once

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
	unsigned int inum;
	__u64 ns_id; /* 6.18+ */
};

struct list_head {
	struct list_head *next, *prev;
};

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

/* CONFIG_XDP_SOCKETS */
struct netns_xdp {
	struct hlist_head list;
};

struct net {
	struct list_head list; /* in net_namespace_list */
	struct list_head dev_base_head;
	struct hlist_head *dev_index_head;
	struct netns_xdp xdp;
	struct ns_common ns;
	__u64 net_cookie; /* up to 6.17 */
};

/* empty without CONFIG_NET_NS */
typedef struct {
	struct net *net;
} possible_net_t;

struct netlink_ext_ack {
	const char *_msg;
};

struct rtnl_link_ops {
	const char *kind;
};

struct bpf_link {
	__u32 id;
	enum bpf_link_type type;
	struct bpf_prog *prog;
};

struct bpf_xdp_link {
	struct bpf_link link;
};

struct bpf_xdp_entity {
	struct bpf_prog *prog;
	struct bpf_xdp_link *link;
};

struct device_driver {
	const char *name;
};

struct kobject {
	const char *name;
};

struct bus_type {
	const char *name;
};

struct device {
	struct kobject kobj;
	struct device *parent;
	struct device_driver *driver;
	const struct bus_type *bus;
	int numa_node; /* CONFIG_NUMA */
};

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	__s64 counter;
} atomic64_t;

struct netdev_adjacent {
	struct net_device *dev;
	bool master;
	struct list_head list;
};

struct net_device {
	char name[16];
	int ifindex;
	unsigned int flags;
	unsigned short type;
	unsigned int mtu, max_mtu;
	atomic_t carrier_up_count, carrier_down_count;
	unsigned int operstate; /* one byte up to 6.9 */
	unsigned int real_num_rx_queues, real_num_tx_queues;
	unsigned int promiscuity;
	unsigned int napi_defer_hard_irqs; /* 5.9+ */
	unsigned long gro_flush_timeout;
	struct list_head napi_list;
	struct netdev_rx_queue *_rx; /* an array */
	__u64 features;              /* netdev_features_t */
	unsigned long state;
	possible_net_t nd_net;
	struct list_head dev_list;
	struct hlist_node index_hlist; /* in net.dev_index_head */
	struct {
		struct list_head upper, lower; /* of struct netdev_adjacent */
	} adj_list;
	const struct rtnl_link_ops *rtnl_link_ops;
	struct device dev;
	struct bpf_xdp_entity xdp_state[3];   /* [enum bpf_xdp_mode] */
	struct xdp_dev_bulk_queue *xdp_bulkq; /* per CPU */
	__u32 xdp_features;                   /* 6.3+ */
	char priv[1];                         /* netdev_priv(); a member since 6.10 */
};

struct netdev_rx_queue {
	struct net_device *dev;
	struct netdev_rx_queue *lease; /* 7.1+ */
};

struct napi_struct {
	struct list_head dev_list;
	unsigned int napi_id;
	unsigned int defer_hard_irqs; /* 6.13+; before that it is the device's */
	unsigned long gro_flush_timeout;
};

struct btf_type {
	__u32 name_off;
};

struct btf_header {
	__u32 str_len;
};

struct btf {
	const struct btf_type **types;
	const char *strings;
	struct btf_header hdr;
};

typedef struct {
	__u32 val;
} kuid_t;

struct user_struct {
	kuid_t uid;
};

struct bpf_prog_aux {
	struct bpf_prog *prog;
	__u32 id;
	__u64 load_time; /* ns since boot, CLOCK_BOOTTIME */
	struct user_struct *user;
	char name[16];
	struct bpf_func_info *func_info;
	struct btf *btf;
	__u32 used_map_cnt;
	struct bpf_map **used_maps;
};

/* u64_stats_t: a number of 64 bits, here on 64-bit machines only */
struct any_stat {
	char dummy;
};

struct bpf_prog_stats {
	struct any_stat cnt, nsecs; /* 5.16+ */
};

struct bpf_prog {
	enum bpf_prog_type type;
	struct bpf_prog_aux *aux;
	struct bpf_prog_stats *stats; /* 5.12+, one for each CPU */
};

struct bpf_map {
	enum bpf_map_type map_type;
	struct bpf_map *inner_map_meta; /* for a map of maps: describes its inner maps */
	__u32 id;
	__u32 key_size;
	__u32 value_size;
	__u32 max_entries;
	char name[16];
	atomic64_t refcnt, usercnt;
};

/* Head of a devmap entry, include/trace/events/xdp.h */
struct _bpf_dtab_netdev {
	struct net_device *dev;
};

/* A whole devmap entry, kernel/bpf/devmap.c */
struct bpf_dtab_netdev {
	struct net_device *dev;
	struct hlist_node index_hlist;
	struct bpf_prog *xdp_prog; /* 5.8+ */
	unsigned int idx;
};

struct bpf_dtab {
	struct bpf_dtab_netdev **netdev_map;
	struct hlist_head *dev_index_head; /* in a DEVMAP_HASH, which has no netdev_map */
	__u32 n_buckets;
};

/* include/linux/ptr_ring.h */
struct ptr_ring {
	int producer;
	int consumer_head;
	int size;
	void **queue;
};

/* kernel/bpf/cpumap.c */
struct bpf_cpu_map_entry {
	struct ptr_ring *queue;
	struct bpf_prog *prog; /* 5.9+ */
};

struct bpf_cpu_map {
	struct bpf_cpu_map_entry **cpu_map;
};

/* include/net/xdp_sock.h: missing without CONFIG_XDP_SOCKETS */
struct xsk_map {
	struct xdp_sock *xsk_map[1];
};

/* Frames that one CPU queued for one device, kernel/bpf/devmap.c */
struct xdp_dev_bulk_queue {
	struct bpf_prog *xdp_prog; /* 5.13+: set until the bulk is sent */
};

struct bpf_array {
	void *ptrs[1];  /* in BPF_MAP_TYPE_PROG_ARRAY and ARRAY_OF_MAPS */
	void *pptrs[1]; /* in BPF_MAP_TYPE_PERCPU_ARRAY */
};

/* include/linux/list_nulls.h: the last `next` is odd */
struct hlist_nulls_node {
	struct hlist_nulls_node *next;
};

struct hlist_nulls_head {
	struct hlist_nulls_node *first;
};

/* kernel/bpf/hashtab.c */
struct any_lock {
	char dummy;
};

struct bucket {
	struct hlist_nulls_head head;
	struct any_lock raw_lock;
};

struct bpf_htab {
	struct bucket *buckets;
	__u32 n_buckets;
};

/* kernel/bpf/lpm_trie.c */
struct lpm_trie {
	unsigned long n_entries;
};

struct htab_elem {
	struct hlist_nulls_node hash_node;
	char key[1]; /* followed by the value, 8-byte aligned */
};

/* map_id came with the 7-argument xdp_redirect, 5.13 */
struct bpf_redirect_info {
	__u32 map_id;
};

/* Came with the fifth argument of xdp_cpumap_kthread, 5.9. */
struct xdp_cpumap_stats {
	unsigned int redirect;
	unsigned int pass;
	unsigned int drop;
};

struct xdp_mem_info {
	__u32 type;
	__u32 id;
};

struct xdp_mem_allocator {
	struct xdp_mem_info mem;
};

struct xdp_rxq_info {
	struct net_device *dev;
	__u32 queue_index;
};

enum xdp_buff_flags { XDP_FLAGS_HAS_FRAGS = 1 };

struct xdp_buff {
	void *data, *data_end;
	struct xdp_rxq_info *rxq;
	__u32 flags; /* 5.18+ */
};

struct sk_buff {
	struct net_device *dev;
	unsigned int len;
	unsigned int end; /* offset from head on 64 bit */
	unsigned char *head;
	__u16 protocol; /* in network byte order */
	__u16 queue_mapping;
};

struct skb_shared_info {
	unsigned short gso_segs;
};

struct nsproxy {
	struct net *net_ns;
};

struct kernfs_node {
	const char *name;
	struct kernfs_node *parent;
};

/* 6.15 and later */
struct kernfs_node___6_15 {
	struct kernfs_node *__parent;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct css_set {
	struct cgroup_subsys_state *subsys[1]; /* one per controller */
	struct cgroup *dfl_cgrp;
};

/* arm64 */
struct thread_info {
	struct {
		__u32 count;
	} preempt;
};

struct pt_regs {
	unsigned long orig_ax; /* x86 */
};

struct task_struct {
	struct thread_info thread_info;
	void *stack;
	unsigned int flags;
	int softirq_disable_cnt; /* PREEMPT_RT */
	int pid;
	int tgid;
	char comm[16];
	__u64 start_time;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct files_struct *files;
	struct nsproxy *nsproxy;
	struct css_set *cgroups;
};

#pragma clang attribute pop

/* container_of() with the offsets of the running kernel */
#define CONTAINER(node, type, member) \
	((const type *)((const char *)(node)-bpf_core_field_offset(type, member)))

/*
 * The contexts of iterators are ABI (__bpf_md_ptr in include/linux/bpf.h). They are not relocated,
 * because libbpf needs some milliseconds to find each relocated type.
 */
struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 session_id;
	__u64 seq_num;
};

struct bpf_iter__bpf_prog {
	struct bpf_iter_meta *meta;
	struct bpf_prog *prog; /* NULL at the end */
};

struct bpf_iter__bpf_map {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
};

/*
 * Returned by a program that ignores the map it gets, so that a read calls it once however many
 * maps exist: bpf_seq_read() (kernel/bpf/bpf_iter.c) then ends with EAGAIN at the first map, and
 * without a map the call at the end is the only one. Some machines refuse bpf_map_elem, which could
 * iterate over an array with one element.
 */
#define ITER_ONCE 1

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	__u32 fd;
	struct file *file;
};

/* 6.2+: turns a scalar into a typed pointer. Its loads are plain loads with fault handling. */
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;

/* 6.6+. The entries of a hash or LRU hash. */
extern __s64 bpf_map_sum_elem_count(const struct bpf_map *map) __ksym __weak;

#define CAST(pointer, type) ((const type *)bpf_rdonly_cast(pointer, bpf_core_type_id_kernel(type)))
