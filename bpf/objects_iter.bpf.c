// SPDX-License-Identifier: GPL-2.0-only
/*
 * Iterators over the names of programs and maps, and over processes outside the initial network
 * namespace. BPF_PROG_GET_FD_BY_ID needs CAP_SYS_ADMIN, and another process's /proc/PID/ns needs
 * CAP_SYS_PTRACE. An iterator that was loaded at start is read without a capability, and runs only
 * when it is read.
 */
#include "core_types.h"
#include "init_netns.h"
#include "iter_records.h"

/* Inode of the initial network namespace; 0 = not found yet. */
__u32 init_netns = 0;

/*
 * The name of the program's first function from its BTF: aux->name is truncated to 15 characters.
 * As get_name() in kernel/bpf/preload/iterators/iterators.bpf.c.
 */
static __always_inline void read_full_name(const struct bpf_prog_aux *aux, struct object_record *to)
{
	const struct bpf_func_info *info;
	const struct btf_type *type = NULL;
	const struct btf_type **types;
	const struct btf *btf;
	const char *strings;
	__u32 id, offset;

	if (!bpf_core_field_exists(aux->func_info) || !bpf_core_field_exists(aux->btf) ||
	    !bpf_core_field_exists(struct btf, types) ||
	    !bpf_core_field_exists(struct btf, strings) ||
	    !bpf_core_field_exists(struct btf, hdr.str_len))
		return;
	info = BPF_CORE_READ(aux, func_info);
	btf = BPF_CORE_READ(aux, btf);
	if (!info || !btf)
		return;
	id = BPF_CORE_READ(info, type_id);
	types = BPF_CORE_READ(btf, types);
	kernel_read(&type, sizeof(type), types + id);
	if (!type)
		return;
	offset = BPF_CORE_READ(type, name_off);
	if (offset >= BPF_CORE_READ(btf, hdr.str_len))
		return;
	strings = BPF_CORE_READ(btf, strings);
	kernel_read_str(to->name, sizeof(to->name), strings + offset);
}

SEC("iter/bpf_prog")
int programs(struct bpf_iter__bpf_prog *ctx)
{
	struct bpf_prog *prog = ctx->prog;
	struct object_record record = {};
	const struct bpf_prog_aux *aux;

	if (!ctx->meta->seq_num)
		init_netns = BPF_CORE_READ(find_init_net(), ns.inum);
	if (!prog)
		return 0;
	aux = prog->aux;
	record.id = aux->id;
	record.type = prog->type;
	kernel_read_name(record.name, sizeof(aux->name), aux->name);
	if (can_read() && record.name[sizeof(aux->name) - 2])
		read_full_name(aux, &record);
	record.load_time = aux->load_time;
	record.uid = aux->user->uid.val;
	bpf_seq_write(ctx->meta->seq, &record, sizeof(record));
	return 0;
}

SEC("iter/bpf_map")
int maps(struct bpf_iter__bpf_map *ctx)
{
	struct bpf_map *map = ctx->map;
	struct object_record record = {};

	if (!map)
		return 0;
	record.id = map->id;
	record.type = map->map_type;
	kernel_read_name(record.name, sizeof(map->name), map->name);
	bpf_seq_write(ctx->meta->seq, &record, sizeof(record));
	return 0;
}

static __always_inline const struct kernfs_node *parent_of(const struct kernfs_node *node)
{
	const struct kernfs_node___6_15 *newer = (const void *)node;

	if (bpf_core_field_exists(newer->__parent))
		return BPF_CORE_READ(newer, __parent);
	return BPF_CORE_READ(node, parent);
}

/*
 * A container's process is in the container's cgroup or, with systemd or crun, in a child of it.
 * The pod's cgroup is the parent. On a machine that uses cgroup v1, all processes are in the root
 * of v2, and any v1 controller has the path.
 */
static __always_inline void read_cgroup(const struct css_set *cgroups, struct object_process *to)
{
	const struct kernfs_node *node = BPF_CORE_READ(cgroups, dfl_cgrp, kn);
	const char *name;

	if (node && !parent_of(node) && bpf_core_field_exists(cgroups->subsys))
		node = BPF_CORE_READ(cgroups, subsys[0], cgroup, kn);
	for (int i = 0; i < OBJECT_CGROUPS && node; i++) {
		name = BPF_CORE_READ(node, name);
		kernel_read_str(to->cgroup[i], sizeof(to->cgroup[i]), name);
		node = parent_of(node);
	}
}

SEC("iter/task")
int processes(struct bpf_iter__task *ctx)
{
	struct object_process record = {};
	struct task_struct *task = ctx->task;
	const struct nsproxy *nsproxy;

	if (!ctx->meta->seq_num)
		init_netns = BPF_CORE_READ(find_init_net(), ns.inum);
	if (!task || task->pid != task->tgid)
		return 0;
	/* NULL while the task exits */
	nsproxy = task->nsproxy;
	if (!nsproxy)
		return 0;
	record.netns = nsproxy->net_ns->ns.inum;
	/* thousands of processes are in the initial namespace */
	if (!record.netns || record.netns == init_netns)
		return 0;
	record.pid = task->tgid;
	record.start = task->start_time;
	kernel_read_name(record.comm, sizeof(record.comm), task->comm);
	if (can_read())
		read_cgroup(task->cgroups, &record);
	bpf_seq_write(ctx->meta->seq, &record, sizeof(record));
	return 0;
}
