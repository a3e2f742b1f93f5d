// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include "base/error.h"
#include "unit/test.h"

TEST(test_set)
{
	struct error error = { 0 };

	assert_string_equal(error_text(&error), "failed without a reason");
	assert_int_equal(error_set(&error, -EINVAL, "%s: %600s", "cut", "."), -EINVAL);
	assert_int_equal(strlen(error_text(&error)), sizeof(error.text) - 1);
	assert_int_equal(error_set(&error, -ENOENT, "no %d", 3), -ENOENT);
	assert_string_equal(error_text(&error), "no 3");
	assert_int_equal(error_set(NULL, -ENOENT, "nobody asks"), -ENOENT);
}

TEST(test_exit_code)
{
	assert_int_equal(error_print(&(struct error){ 0 }), EXIT_FAILED);
	assert_int_equal(error_print(&(struct error){ .exit_code = EXIT_FILE }), EXIT_FILE);
}
