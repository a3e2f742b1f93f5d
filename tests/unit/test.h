/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmocka, with the headers that it needs before it, and the definition of a test. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Adds a test to the program. Tests run in the order in which they were added. */
void tests_add(struct CMUnitTest test);

/*
 * TEST(test_name) { ... } defines a test and adds it; TEST_WITH() also names the functions that
 * cmocka calls before and after it. The test's argument is `void **state`.
 */
#define TEST_WITH(name, setup, teardown)                                              \
	static void name(void **state);                                               \
	static void __attribute__((constructor)) name##_add(void)                     \
	{                                                                             \
		tests_add((struct CMUnitTest){ #name, name, setup, teardown, NULL }); \
	}                                                                             \
	static void name(void **state)
#define TEST(name) TEST_WITH(name, NULL, NULL)
/* The argument is what `setup` has set *state to, for example `struct made *m`. */
#define TEST_OF(name, setup, teardown, argument) \
	static void name##_of(argument);         \
	TEST_WITH(name, setup, teardown)         \
	{                                        \
		name##_of(*state);               \
	}                                        \
	static void name##_of(argument)
