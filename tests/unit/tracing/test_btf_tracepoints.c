// SPDX-License-Identifier: GPL-2.0-or-later
/* Which tracepoints a kernel's BTF has. */
#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tracing/btf_tracepoints.h"
#include "unit/test.h"

/* typedef void (*btf_trace_NAME)(void *, void *) */
static void add_tracepoint(struct btf *btf, const char *name)
{
	char typedef_name[64];
	int prototype = btf__add_func_proto(btf, 0);

	btf__add_func_param(btf, "__data", 0);
	btf__add_func_param(btf, "of", 0);
	snprintf(typedef_name, sizeof(typedef_name), "btf_trace_%s", name);
	assert_true(btf__add_typedef(btf, typedef_name, btf__add_ptr(btf, prototype)) > 0);
}

/* Unknown tracepoints get the rows for others; the rest are reported. */
TEST(test_others)
{
	struct btf_prototype prototype[TP_COUNT];
	struct tp_count tp[TP_COUNT] = { 0 };
	struct btf *btf = btf__new_empty();
	char name[32], told[256] = "";
	int pipes[2], before = dup(2);

	add_tracepoint(btf, "sched_switch");
	for (int i = 0; i <= TP_OTHERS; i++) {
		snprintf(name, sizeof(name), "xdp_new%d", i);
		add_tracepoint(btf, name);
	}
	assert_int_equal(pipe(pipes), 0);
	dup2(pipes[1], 2);
	btf_tracepoints_read(btf, prototype, tp);
	dup2(before, 2);
	close(pipes[1]);
	assert_true(read(pipes[0], told, sizeof(told) - 1) > 0);
	close(pipes[0]);
	close(before);
	assert_int_equal(tp[TP_XDP_EXCEPTION].state, TP_MISSING);
	assert_string_equal(tp[TP_OTHER].name, "xdp_new0");
	assert_string_equal(tp[TP_COUNT - 1].name, "xdp_new3");
	assert_int_equal(prototype[TP_COUNT - 1].args, 1);
	assert_non_null(strstr(told, "xdp_new4 is not counted"));
	assert_null(strstr(told, "xdp_new3"));
	btf__free(btf);
}

/* Kinds of arguments; their names come from the function that calls the programs. */
TEST(test_arguments)
{
	struct btf_prototype prototype[TP_COUNT];
	struct tp_count tp[TP_COUNT] = { 0 };
	struct btf *btf = btf__new_empty();
	int s32 = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	int u8 = btf__add_int(btf, "unsigned char", 1, 0);
	int device = btf__add_ptr(btf, btf__add_const(btf, btf__add_struct(btf, "net_device", 8)));
	int prog = btf__add_ptr(btf, btf__add_struct(btf, "bpf_prog", 8));
	int other = btf__add_ptr(btf, btf__add_struct(btf, "sk_buff", 8));
	const struct btf_argument *arg = prototype[TP_OTHER].arg;
	const int types[] = { s32, btf__add_typedef(btf, "u8", u8), device, prog, other };
	static const char *const names[] = { "err", "queue", "dev", "xdp", "skb" };
	static const uint8_t kinds[] = { FOLLOW_WORD_NUMBER, FOLLOW_WORD_NUMBER, FOLLOW_WORD_DEVICE,
					 FOLLOW_WORD_PROG, FOLLOW_WORD_NONE };
	int proto, caller;

	proto = btf__add_func_proto(btf, 0);
	btf__add_func_param(btf, "", 0);
	for (int i = 0; i < 5; i++)
		btf__add_func_param(btf, "", types[i]);
	btf__add_typedef(btf, "btf_trace_xdp_new", btf__add_ptr(btf, proto));
	caller = btf__add_func_proto(btf, 0);
	btf__add_func_param(btf, "__data", 0);
	for (int i = 0; i < 5; i++)
		btf__add_func_param(btf, names[i], types[i]);
	assert_true(btf__add_func(btf, "__traceiter_xdp_new", BTF_FUNC_STATIC, caller) > 0);
	btf_tracepoints_read(btf, prototype, tp);
	assert_string_equal(tp[TP_OTHER].name, "xdp_new");
	for (int i = 0; i < 5; i++) {
		assert_string_equal(arg[i].name, names[i]);
		assert_int_equal(arg[i].kind, kinds[i]);
	}
	assert_true(arg[0].bits == 32 && arg[0].is_signed);
	assert_true(arg[1].bits == 8 && !arg[1].is_signed);
	btf__free(btf);
}
