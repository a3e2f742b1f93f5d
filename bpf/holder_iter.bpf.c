// SPDX-License-Identifier: GPL-2.0-only
/*
 * Iterators over the holders of XDP programs and AF_XDP sockets: files of processes, BPF links, and
 * pins. They need no capability after load, hold no reference and run only when read.
 *
 * A file or inode is recognized by the object that it points to: f_op and i_op could tell, but
 * their symbols are in kallsyms only with CONFIG_KALLSYMS_ALL. All reads handle faults.
 */
#include "xdp_socket_types.h"
#include "iter_records.h"

/* Kernel types of program holders, see core_types.h. Names checked in BTF of 5.10 to 7.3. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct super_block {
	struct list_head s_list; /* in super_blocks */
	unsigned long s_magic;
	struct list_head s_inodes;
};

struct seq_file {
	const struct file *file;
};

/* kernel/bpf/syscall.c */
struct bpf_tracing_link {
	struct bpf_prog *tgt_prog;
};

#pragma clang attribute pop

struct bpf_iter__bpf_link {
	struct bpf_iter_meta *meta;
	struct bpf_link *link; /* NULL at the end */
};

#define S_IFMT       0170000
#define S_IFREG      0100000
#define S_IFSOCK     0140000
#define BPF_FS_MAGIC 0xcafe4a11
#define STEPS_MAX    (1 << 17)

/* Pins of XDP programs and of their links. */
__u32 pin_kind[PINS_MAX] = {}, pin_id[PINS_MAX] = {};
__u32 pins_n = 0;
/* Set when the walk reached the end of the lists and had room for every pin. */
__u32 pins_complete = 0;

/*
 * In an object of another type, the bytes of the pointer may be any number. x86 warns of a read at
 * a non-canonical address: copy_from_kernel_nofault_allowed() lets it pass if the CPU could have
 * five levels of page tables but the kernel uses four.
 */
static __always_inline bool is_address(const void *p)
{
	return p && !(((__u64)p ^ bpf_get_current_task()) >> 60);
}

/* The id if `prog` is an XDP program, or a part of one (EXT); else 0. */
static __always_inline __u32 xdp_prog_id(const struct bpf_prog *prog)
{
	const struct bpf_prog_aux *aux;
	enum bpf_prog_type type;

	if (!is_address(prog))
		return 0;
	aux = BPF_CORE_READ(prog, aux);
	/* aux points back: bpf_prog_alloc_no_stats() in kernel/bpf/core.c */
	if (!is_address(aux) || BPF_CORE_READ(aux, prog) != prog)
		return 0;
	type = BPF_CORE_READ(prog, type);
	return type == BPF_PROG_TYPE_XDP || type == BPF_PROG_TYPE_EXT ? BPF_CORE_READ(aux, id) : 0;
}

/* The id if `link` is a link of such a program; else 0. */
static __always_inline __u32 xdp_link_id(const struct bpf_link *link)
{
	enum bpf_link_type type = BPF_CORE_READ(link, type);

	if (type != BPF_LINK_TYPE_XDP && type != BPF_LINK_TYPE_TRACING)
		return 0;
	return xdp_prog_id(BPF_CORE_READ(link, prog)) ? BPF_CORE_READ(link, id) : 0;
}

static __always_inline bool find_held(const void *object, struct holder_record *to)
{
	if (!is_address(object))
		return false;
	to->kind = HELD_PROG;
	to->id = xdp_prog_id(object);
	if (to->id)
		return true;
	to->kind = HELD_LINK;
	to->id = xdp_link_id(object);
	return to->id;
}

SEC("iter/task_file")
int file_holders(struct bpf_iter__task_file *ctx)
{
	struct task_struct *task = ctx->task;
	struct holder_record record = {};
	struct file *file = ctx->file;
	const struct sock *sk;
	unsigned short mode;

	if (!task || !file)
		return 0;
	mode = BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT;
	if (mode == S_IFSOCK) {
		sk = BPF_CORE_READ((const struct socket *)file->private_data, sk);
		if (!sk || BPF_CORE_READ(sk, __sk_common.skc_family) != AF_XDP)
			return 0;
		record.kind = HELD_SOCKET;
		record.id = socket_inode(sk);
	} else if ((mode && mode != S_IFREG) || !find_held(file->private_data, &record)) {
		/* up to 6.16 an anonymous inode has no type */
		return 0;
	}
	record.pid = task->tgid;
	bpf_core_read(record.comm, sizeof(record.comm), &task->group_leader->comm);
	bpf_seq_write(ctx->meta->seq, &record, sizeof(record));
	return 0;
}

/* 5.19+ */
SEC("iter/bpf_link")
int links(struct bpf_iter__bpf_link *ctx)
{
	struct bpf_link *link = ctx->link;
	struct link_record record = {};
	const struct bpf_prog *target;

	if (!link)
		return 0;
	record.link_id = xdp_link_id(link);
	if (!record.link_id)
		return 0;
	record.prog_id = BPF_CORE_READ(link, prog, aux, id);
	if (BPF_CORE_READ(link, type) == BPF_LINK_TYPE_TRACING) {
		/* a part of a dispatcher */
		target = BPF_CORE_READ((const struct bpf_tracing_link *)link, tgt_prog);
		record.part_of = xdp_prog_id(target);
	}
	bpf_seq_write(ctx->meta->seq, &record, sizeof(record));
	return 0;
}

/*
 * Position of the walk over the inodes of each mounted bpffs, in any mount namespace. RCU keeps an
 * inode or super block that leaves its list (destroy_inode(), destroy_super_rcu()). Not on the
 * stack: up to 6.6 the verifier takes what bpf_loop()'s caller wrote there as constant.
 */
static const struct super_block *super, *first_super;
static const struct list_head *inode_at; /* NULL = the first of the super block */

static __always_inline void add_pin(const struct inode *inode)
{
	struct holder_record record = {};
	__u32 at = pins_n;

	if (!find_held(BPF_CORE_READ(inode, i_private), &record))
		return;
	if (at < PINS_MAX) {
		pin_kind[at] = record.kind;
		pin_id[at] = record.id;
	}
	pins_n = at + 1;
}

/* Step to the next inode or super block. 1 = end. */
static long pin_step(__u32 index, void *ctx)
{
	/* local: otherwise CO-RE also relocates the path through the globals */
	const struct super_block *sb = super;
	const struct list_head *head, *at = inode_at, *next;

	if (BPF_CORE_READ(sb, s_magic) == BPF_FS_MAGIC) {
		head = (const void *)((const char *)sb +
				      bpf_core_field_offset(struct super_block, s_inodes));
		if (!at)
			at = BPF_CORE_READ(head, next);
		if (!at)
			return 1;
		if (at != head) {
			add_pin(CONTAINER(at, struct inode, i_sb_list));
			next = BPF_CORE_READ(at, next);
			/* the inode has left the list meanwhile: inode_sb_list_del() */
			if (next == at)
				return 1;
			inode_at = next;
			return 0;
		}
	}
	inode_at = NULL;
	/* one step lands on the list head, which is not in a super block: the magic differs */
	next = BPF_CORE_READ(sb, s_list.next);
	super = CONTAINER(next, struct super_block, s_list);
	if (super != first_super)
		return !next || super == sb;
	pins_complete = pins_n <= PINS_MAX;
	return 1;
}

SEC("iter/bpf_map")
int bpffs_pins(struct bpf_iter__bpf_map *ctx)
{
	pins_n = 0;
	pins_complete = 0;
	if (!bpf_core_field_exists(struct super_block, s_inodes))
		return ITER_ONCE;
	first_super = BPF_CORE_READ(ctx->meta->seq, file, f_inode, i_sb);
	super = first_super;
	inode_at = NULL;
	if (first_super)
		bpf_loop(STEPS_MAX, pin_step, NULL, 0);
	return ITER_ONCE;
}
