// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

static bool version_at_least(int major, int minor)
{
	int have_major = 0, have_minor = 0;
	struct utsname name;

	if (uname(&name) || sscanf(name.release, "%d.%d", &have_major, &have_minor) != 2)
		return false;
	return have_major > major || (have_major == major && have_minor >= minor);
}

static bool btf_has_member(const struct btf *btf, const char *name, const char *member)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);
	const struct btf_type *type;
	const struct btf_member *m;

	if (id < 0)
		return false;
	type = btf__type_by_id(btf, id);
	m = btf_members(type);
	for (int i = 0; i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, m[i].name_off), member))
			return true;
	return false;
}

/* @member NULL = @name is a typedef. */
static bool kernel_has(const char *name, const char *member, int major, int minor)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool has;

	if (!btf)
		return version_at_least(major, minor);
	if (member)
		has = btf_has_member(btf, name, member);
	else
		has = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF) > 0;
	btf__free(btf);
	return has;
}

bool kernel_has_link_attach_failed(void)
{
	return kernel_has("btf_trace_bpf_xdp_link_attach_failed", NULL, 6, 6);
}

bool kernel_has_netlink_extack(void)
{
	return kernel_has("btf_trace_netlink_extack", NULL, 5, 11);
}

bool kernel_has_xdp_features(void)
{
	return kernel_has("net_device", "xdp_features", 6, 3);
}

bool kernel_has_redirect_map_id(void)
{
	return kernel_has("bpf_redirect_info", "map_id", 5, 13);
}
