// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/array.h"
#include "unit/test.h"

struct numbers {
	uint64_t *number;
	size_t n, cap;
};

TEST(test_append)
{
	struct numbers a = { 0 };

	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t *added = array_append(a.number, a.n, a.cap);

		assert_non_null(added);
		assert_int_equal(*added, 0);
		*added = i;
	}
	assert_int_equal(a.n, 1000);
	assert_true(a.cap >= a.n);
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(a.number[i], i);
	free(a.number);
}

TEST(test_insert_sorted)
{
	struct numbers a = { 0 };

	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t new = i * 7919 % 1000;
		size_t at = array_lower_bound(a.number, a.n, e, *e < new);

		*array_insert(a.number, a.n, a.cap, at) = new;
	}
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(a.number[i], i);
	free(a.number);
}

TEST(test_lower_bound)
{
	const uint64_t number[] = { 1, 3, 3, 7 };

	assert_int_equal(array_lower_bound(number, 4, e, *e < 1), 0);
	assert_int_equal(array_lower_bound(number, 4, e, *e < 3), 1);
	assert_int_equal(array_lower_bound(number, 4, e, *e < 4), 3);
	assert_int_equal(array_lower_bound(number, 4, e, *e < 8), 4);
	assert_int_equal(array_lower_bound(number, 0, e, *e < 8), 0);
}

TEST(test_find)
{
	const uint64_t number[] = { 1, 3, 3, 7 };

	assert_ptr_equal(array_find(number, 4, e, *e < 1, *e == 1), &number[0]);
	assert_ptr_equal(array_find(number, 4, e, *e < 3, *e == 3), &number[1]);
	assert_null(array_find(number, 4, e, *e < 4, *e == 4));
	assert_null(array_find(number, 4, e, *e < 8, *e == 8));
	assert_null(array_find(number, 0, e, *e < 1, *e == 1));
}

TEST(test_reserve)
{
	struct numbers a = { 0 };
	uint64_t *before;

	array_reserve(a.number, a.cap, 100);
	assert_int_equal(a.cap, 100);
	before = a.number;
	array_reserve(a.number, a.cap, 100);
	assert_ptr_equal(a.number, before);
	*array_append(a.number, a.n, a.cap) = 1;
	assert_int_equal(a.cap, 100);
	assert_int_equal(a.number[0], 1);
	free(a.number);
}
