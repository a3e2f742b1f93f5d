// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tracing/attach.h"
#include "tracing/backend.h"

/* What was asked for and taken back before the worker saw it is under way no longer. */
static void test_taken_back(void **state)
{
	const struct backend_ops ops = { 0 };
	struct backend_object object = { 0 };
	struct tp_count tp[TP_COUNT] = { 0 };
	struct attach *a;

	object.program[TP_XDP_REDIRECT] = (void *)&object;
	a = attach_new(&ops, NULL, &object, tp, 0, NULL, 1);
	assert_non_null(a);
	assert_int_equal(attach_toggle(a, TP_XDP_REDIRECT, -1), 1);
	attach_states(a, 0, tp);
	assert_true(tp[TP_XDP_REDIRECT].pending);
	assert_int_equal(attach_toggle(a, TP_XDP_REDIRECT, -1), 0);
	attach_states(a, 0, tp);
	assert_false(tp[TP_XDP_REDIRECT].pending);
	assert_int_equal(attach_toggle(a, TP_XDP_EXCEPTION, 1), -ENOENT);
	attach_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
