// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>
#include "tracing/btf_tracepoints.h"
#include "base/error.h"
#include "model/tracepoint.h"

static const char prefix[] = "btf_trace_";

/* Number of arguments of a btf_trace_ typedef without the leading void *; -1 = not a prototype. */
static int prototype_args(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	t = t ? btf__type_by_id(btf, t->type) : NULL;
	if (!t || !btf_is_ptr(t))
		return -1;
	t = btf__type_by_id(btf, t->type);
	if (!t || !btf_is_func_proto(t))
		return -1;
	return (int)btf_vlen(t) - 1;
}

static void tracepoint_read(const struct btf *btf, int id, struct btf_prototype *p,
			    struct tp_count *tp)
{
	const struct tracepoint *row = &tracepoints[id];
	char name[64];
	int type, args;

	snprintf(p->name, sizeof(p->name), "%s", row->name);
	snprintf(name, sizeof(name), "%s%s", prefix, row->name);
	type = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
	if (type <= 0) {
		tp->state = TP_MISSING;
		snprintf(tp->reason, sizeof(tp->reason), "not in this kernel");
		return;
	}
	args = prototype_args(btf, type);
	if (args != row->args[0] && args != row->args[1]) {
		tp->state = TP_FAILED;
		snprintf(tp->reason, sizeof(tp->reason),
			 "this kernel's prototype has %d arguments, but xdptop knows %d%s%.0d",
			 args, row->args[0], row->args[1] ? " or " : "", row->args[1]);
		return;
	}
	p->btf_id = type;
	p->args = args;
}

static const struct btf_type *skip_modifiers(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

static void argument_read(const struct btf *btf, const struct btf_param *p, struct btf_argument *to)
{
	const struct btf_type *t = skip_modifiers(btf, p->type);
	const char *type;

	snprintf(to->name, sizeof(to->name), "%s", btf__name_by_offset(btf, p->name_off));
	if (!t)
		return;
	if (btf_is_int(t) || btf_is_any_enum(t)) {
		to->kind = FOLLOW_WORD_NUMBER;
		to->bits = (uint8_t)(8 * t->size);
		to->is_signed = btf_is_int(t) ? btf_int_encoding(t) & BTF_INT_SIGNED : btf_kflag(t);
		return;
	}
	t = btf_is_ptr(t) ? skip_modifiers(btf, t->type) : NULL;
	type = t && btf_is_struct(t) ? btf__name_by_offset(btf, t->name_off) : "";
	if (!strcmp(type, "net_device"))
		to->kind = FOLLOW_WORD_DEVICE;
	else if (!strcmp(type, "bpf_prog"))
		to->kind = FOLLOW_WORD_PROG;
}

/* The typedef's prototype has no argument names, but the function that calls all programs has. */
static void arguments_read(const struct btf *btf, struct btf_prototype *p)
{
	const struct btf_type *t;
	const struct btf_param *param;
	char name[64];
	int id;

	snprintf(name, sizeof(name), "__traceiter_%s", p->name);
	id = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC);
	t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;
	t = t ? btf__type_by_id(btf, t->type) : NULL;
	if (!t || !btf_is_func_proto(t) || btf_vlen(t) != p->args + 1)
		return;
	param = btf_params(t) + 1;
	for (int i = 0; i < p->args && i < FOLLOW_OTHER_ARGS; i++)
		argument_read(btf, &param[i], &p->arg[i]);
}

static bool is_xdp(const char *name)
{
	return !strncmp(name, "xdp_", 4) || !strncmp(name, "bpf_xdp_", 8);
}

void btf_tracepoints_read(const struct btf *btf, struct btf_prototype prototype[TP_COUNT],
			  struct tp_count tp[TP_COUNT])
{
	uint32_t n = btf__type_cnt(btf);
	int other = TP_OTHER;

	memset(prototype, 0, TP_COUNT * sizeof(*prototype));
	for (int id = 0; id < TP_VERDICTS; id++)
		tracepoint_read(btf, id, &prototype[id], &tp[id]);
	for (uint32_t id = 1; id < n; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		const char *name;
		int args;

		if (!btf_is_typedef(t))
			continue;
		name = btf__name_by_offset(btf, t->name_off);
		if (strncmp(name, prefix, sizeof(prefix) - 1))
			continue;
		name += sizeof(prefix) - 1;
		args = prototype_args(btf, id);
		if (!is_xdp(name) || tracepoint_find(name) >= 0 || tracepoint_instead(name) ||
		    args < 0)
			continue;
		if (other == TP_COUNT) {
			message("%s is not counted, because this kernel has more than %d xdp "
				"tracepoints that this version does not know; use a newer xdptop",
				name, TP_OTHERS);
			continue;
		}
		prototype[other].btf_id = id;
		prototype[other].args = args;
		snprintf(prototype[other].name, sizeof(prototype[other].name), "%s", name);
		arguments_read(btf, &prototype[other]);
		other++;
	}
	for (int id = 0; id < TP_COUNT; id++)
		memcpy(tp[id].name, prototype[id].name, sizeof(tp[id].name));
}
