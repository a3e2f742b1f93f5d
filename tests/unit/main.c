// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs the tests of a program, which add themselves before main(). */
#include <stdlib.h>
#include "unit/test.h"

static struct CMUnitTest tests[64];
static size_t n_tests;

void tests_add(struct CMUnitTest test)
{
	if (n_tests == sizeof(tests) / sizeof(tests[0]))
		abort();
	tests[n_tests++] = test;
}

int main(void)
{
	return _cmocka_run_group_tests("tests", tests, n_tests, NULL, NULL);
}
