// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plays a different kernel for a monitor: the registry does not know xdp_bulk_tx, and walks over
 * all namespaces are refused, as before 5.17. With WALK_MAX=N in the environment it walks, N
 * devices at a time.
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "model/tracepoint.h"

#define FORGOTTEN "xdp_bulk_tx"

/* Linked with --wrap of each. */
int __real_tracepoint_find(const char *name);
int __wrap_tracepoint_find(const char *name);
__s32 __real_btf__find_by_name_kind(const struct btf *btf, const char *name, __u32 kind);
__s32 __wrap_btf__find_by_name_kind(const struct btf *btf, const char *name, __u32 kind);
int __real_bpf_object__load_skeleton(struct bpf_object_skeleton *s);
int __wrap_bpf_object__load_skeleton(struct bpf_object_skeleton *s);

int __wrap_tracepoint_find(const char *name)
{
	return strcmp(name, FORGOTTEN) ? __real_tracepoint_find(name) : -1;
}

__s32 __wrap_btf__find_by_name_kind(const struct btf *btf, const char *name, __u32 kind)
{
	return strcmp(name, "btf_trace_" FORGOTTEN) ? __real_btf__find_by_name_kind(btf, name, kind)
						    : -ENOENT;
}

int __wrap_bpf_object__load_skeleton(struct bpf_object_skeleton *s)
{
	struct bpf_program *walk = bpf_object__find_program_by_name(*s->obj, "walk");
	struct bpf_program *sockets = bpf_object__find_program_by_name(*s->obj, "xdp_sockets");
	struct bpf_map *found = bpf_object__find_map_by_name(*s->obj, "found");
	const char *max = getenv("WALK_MAX");

	if (max && found && !bpf_map__set_max_entries(found, (__u32)atoi(max)))
		return __real_bpf_object__load_skeleton(s);
	if (walk)
		bpf_program__set_autoload(walk, false);
	if (sockets)
		bpf_program__set_autoload(sockets, false);
	return __real_bpf_object__load_skeleton(s);
}
