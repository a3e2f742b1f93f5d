// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/netdev.h"
#include "unit/test.h"

TEST(test_device_text)
{
	static const char *const names[] = { "up", "no-carrier", "down", "gone" };
	char buf[NETDEV_FEATURES_LEN];
	uint64_t features;
	struct netdev d;

	for (int i = 0; i < NETDEV_MODES; i++)
		assert_string_equal(netdev_mode_name(i), netdev_modes[i]);
	assert_string_equal(netdev_mode_name(NETDEV_MODES), "unknown");
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

TEST(test_counts)
{
	struct netdev was = { 0 }, is = { 0 };
	double rate;
	uint64_t n;

	assert_false(netdev_count(NULL, NETDEV_RX_MISSED, &n));
	assert_false(netdev_count(&is, NETDEV_RX_MISSED, &n));
	netdev_set_count(&is, NETDEV_RX_MISSED, 10);
	assert_true(netdev_count(&is, NETDEV_RX_MISSED, &n));
	assert_int_equal(n, 10);
	/* unknown before */
	assert_false(netdev_grew(&was, &is, NETDEV_RX_MISSED, &n));
	assert_false(netdev_grew(NULL, &is, NETDEV_RX_MISSED, &n));
	netdev_set_count(&was, NETDEV_RX_MISSED, 4);
	assert_true(netdev_grew(&was, &is, NETDEV_RX_MISSED, &n));
	assert_int_equal(n, 6);
	/* reset */
	netdev_set_count(&was, NETDEV_RX_MISSED, 11);
	assert_false(netdev_grew(&was, &is, NETDEV_RX_MISSED, &n));
	assert_false(netdev_is_same(&was, &is));
	netdev_set_count(&was, NETDEV_RX_MISSED, 10);
	assert_true(netdev_is_same(&was, &is));
	netdev_set_count(&is, NETDEV_XDP_DROP, 1);
	is.per_s[NETDEV_XDP_DROP - NETDEV_DRIVER_COUNT] = 0.5f;
	assert_true(netdev_per_s(&is, NETDEV_XDP_DROP, &rate));
	assert_true(rate == 0.5);
	assert_false(netdev_per_s(&is, NETDEV_XDP_TX, &rate));
	is.per_s[NETDEV_XDP_DROP - NETDEV_DRIVER_COUNT] = -1;
	assert_false(netdev_per_s(&is, NETDEV_XDP_DROP, &rate));
	/* the kernel's counters are in each snapshot */
	assert_false(netdev_per_s(&is, NETDEV_RX_MISSED, &rate));
}

TEST(test_settings)
{
	struct netdev was = { 0 }, is = { 0 };
	char buf[NETDEV_OFFLOADS_LEN];
	uint64_t offloads;
	uint32_t value;

	assert_false(netdev_setting(NULL, NETDEV_CHANNELS, &value));
	assert_false(netdev_setting(&is, NETDEV_CHANNELS, &value));
	netdev_set_setting(&is, NETDEV_CHANNELS, 4);
	assert_true(netdev_setting(&is, NETDEV_CHANNELS, &value));
	assert_int_equal(value, 4);
	assert_false(netdev_is_same(&was, &is));
	assert_int_equal(netdev_offload_find("rx-lro"), NETDEV_LRO);
	assert_int_equal(netdev_offload_find("tx-generic-segmentation"), NETDEV_GSO);
	assert_int_equal(netdev_offload_find("rx-l"), 0);
	netdev_offloads_text(UINT16_MAX, buf, sizeof(buf));
	assert_true(netdev_offloads_find(buf, &offloads));
	assert_int_equal(offloads, UINT16_MAX);
	assert_string_equal(netdev_offloads_text(NETDEV_LRO | NETDEV_GRO, buf, sizeof(buf)),
			    "rx-lro,rx-gro");
}
