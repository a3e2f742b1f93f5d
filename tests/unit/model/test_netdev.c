// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "model/netdev.h"

static void test_device_text(void **state)
{
	static const char *const names[] = { "up", "no-carrier", "down", "gone" };
	char buf[NETDEV_FEATURES_LEN];
	uint64_t features;
	struct netdev d;

	for (int i = 0; i < NETDEV_MODES; i++)
		assert_int_equal(netdev_mode_find(netdev_mode_name(i)), i);
	assert_int_equal(netdev_mode_find("hybrid"), -1);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_true(netdev_set_state(&d, names[i]));
		assert_string_equal(netdev_state_name(&d), names[i]);
	}
	assert_false(netdev_set_state(&d, "sideways"));
	assert_string_equal(netdev_features_text(0, buf, sizeof(buf)), "none");
	assert_string_equal(netdev_features_text(NETDEV_XDP_BASIC | NETDEV_XDP_NDO_XMIT, buf,
						 sizeof(buf)),
			    "basic,ndo-xmit");
	for (int bit = 0; bit < 64; bit++) {
		netdev_features_text(~0ull >> bit, buf, sizeof(buf));
		assert_true(netdev_features_find(buf, &features));
		assert_true(features == ~0ull >> bit);
	}
	assert_false(netdev_features_find("basic,", &features));
	assert_false(netdev_features_find("", &features));
	assert_false(netdev_features_find("0xg", &features));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_device_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
