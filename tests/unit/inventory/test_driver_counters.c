// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/ethtool.h>
#include <stdio.h>
#include <string.h>
#include "inventory/driver_counters.h"
#include "unit/test.h"

#define MANY 16

struct counter {
	const char *name;
	uint64_t value;
};

/* The counters of a device with this driver, as ethtool -S would show them. */
static struct netdev read_counters(const char *driver, const struct counter *c)
{
	char names[MANY * ETH_GSTRING_LEN] = "";
	uint64_t values[MANY];
	uint8_t what[MANY];
	struct netdev d = { 0 };
	size_t n = 0;

	for (; c[n].name; n++) {
		/* a name of this length has no NUL */
		memcpy(names + n * ETH_GSTRING_LEN, c[n].name, strnlen(c[n].name, ETH_GSTRING_LEN));
		values[n] = c[n].value;
	}
	assert_true(driver_counters_known(driver));
	driver_counters_map(driver, names, n, what);
	driver_counters_sum(what, values, n, &d);
	return d;
}

#define COUNTERS(...) ((const struct counter[]){ __VA_ARGS__, { NULL, 0 } })

/* Expects this counter, and clears it, so that has_no_more() finds the others. */
static void has(struct netdev *d, enum netdev_count which, uint64_t value)
{
	uint64_t n;

	assert_true(netdev_count(d, which, &n));
	assert_int_equal(n, value);
	d->counted &= ~(1u << which);
}

static void has_no_more(const struct netdev *d)
{
	assert_int_equal(d->counted, 0);
}

TEST(test_veth)
{
	struct netdev d = read_counters(
		"veth",
		COUNTERS({ "peer_ifindex", 7 }, { "rx_queue_0_xdp_packets", 100 },
			 { "rx_queue_0_drops", 1 }, { "rx_queue_0_xdp_redirect", 30 },
			 { "rx_queue_0_xdp_drops", 2 }, { "rx_queue_0_xdp_tx", 40 },
			 { "rx_queue_0_xdp_tx_errors", 3 }, { "rx_queue_11_xdp_drops", 200 },
			 { "tx_queue_0_xdp_xmit", 50 }, { "tx_queue_0_xdp_xmit_errors", 4 }));

	has(&d, NETDEV_XDP_DROP, 202);
	has(&d, NETDEV_XDP_TX, 40);
	has(&d, NETDEV_XDP_TX_ERRORS, 3);
	has(&d, NETDEV_XDP_XMIT_ERRORS, 4);
	has(&d, NETDEV_XDP_REDIRECTED, 30);
	has_no_more(&d); /* drops include packets of the stack */
}

/* Other names before 6.9; newer sums are not added to the counters of the queues. */
TEST(test_virtio)
{
	struct netdev d = read_counters("virtio_net",
					COUNTERS({ "rx_xdp_drops", 9 }, { "tx_xdp_tx_drops", 9 },
						 { "rx0_xdp_drops", 4 }, { "rx1_xdp_drops", 5 },
						 { "rx0_xdp_tx", 6 }, { "rx0_drops", 100 },
						 { "tx0_xdp_tx", 7 }, { "tx0_xdp_tx_drops", 8 },
						 { "tx1_xdp_tx_drops", 1 }));

	has(&d, NETDEV_XDP_DROP, 9);
	has(&d, NETDEV_XDP_TX, 6);
	has(&d, NETDEV_XDP_XMIT_ERRORS, 9);
	has_no_more(&d);
	d = read_counters("virtio_net",
			  COUNTERS({ "rx_queue_0_xdp_drops", 4 }, { "rx_queue_1_xdp_drops", 5 },
				   { "rx_queue_1_xdp_redirects", 3 },
				   { "tx_queue_0_xdp_tx_drops", 8 }));
	has(&d, NETDEV_XDP_DROP, 9);
	has(&d, NETDEV_XDP_REDIRECTED, 3);
	has(&d, NETDEV_XDP_XMIT_ERRORS, 8);
	has_no_more(&d);
}

/* Its names have leading blanks, and are the same for each queue. */
TEST(test_vmxnet3)
{
	struct netdev d = read_counters(
		"vmxnet3",
		COUNTERS({ "Tx Queue#", 0 }, { "  ring full", 5 }, { "  xdp xmit", 6 },
			 { "  xdp xmit err", 7 }, { "Rx Queue#", 0 }, { "     xdp drops", 10 },
			 { "     xdp aborted", 11 }, { "  rx buf alloc fail", 1 },
			 { "  pkts rx OOB", 8 }, { "Rx Queue#", 1 }, { "     xdp drops", 20 },
			 { "     xdp aborted", 0 }, { "  pkts rx OOB", 9 }));

	has(&d, NETDEV_XDP_DROP, 30);
	has(&d, NETDEV_XDP_ABORTED, 11);
	has(&d, NETDEV_XDP_XMIT_ERRORS, 7);
	has(&d, NETDEV_RX_ALLOC_FAIL, 1);
	has(&d, NETDEV_RX_OUT_OF_BUFFER, 17);
	has_no_more(&d);
}

TEST(test_nics)
{
	struct netdev d = read_counters(
		"ena",
		COUNTERS({ "tx_timeout", 1 }, { "queue_0_tx_prepare_ctx_err", 2 },
			 { "queue_2_xdp_tx_prepare_ctx_err", 3 }, { "queue_0_rx_xdp_invalid", 4 },
			 { "queue_0_rx_xdp_aborted", 5 }, { "queue_1_rx_page_alloc_fail", 6 },
			 { "bw_in_allowance_exceeded", 10 }, { "pps_allowance_exceeded", 20 },
			 { "conntrack_allowance_available", 400 }));

	has(&d, NETDEV_LIMIT_EXCEEDED, 30);

	has(&d, NETDEV_XDP_XMIT_ERRORS, 3);
	has(&d, NETDEV_XDP_INVALID, 4);
	has(&d, NETDEV_XDP_ABORTED, 5);
	has(&d, NETDEV_RX_ALLOC_FAIL, 6);
	has_no_more(&d);
	d = read_counters("mlx5_core",
			  COUNTERS({ "rx_xdp_drop", 5 }, { "rx0_xdp_drop", 3 },
				   { "rx1_xdp_drop", 2 }, { "rx_xdp_tx_xmit", 8 },
				   { "rx_xdp_tx_full", 1 }, { "rx_xdp_tx_err", 2 },
				   { "tx_xdp_xmit", 9 }, { "tx_xdp_full", 4 }, { "tx_xdp_err", 0 },
				   { "rx_out_of_buffer", 6 }, { "rx_discards_phy", 7 },
				   { "tx_discards_phy", 8 }));
	has(&d, NETDEV_RX_DISCARDS, 7);
	has(&d, NETDEV_XDP_DROP, 5);
	has(&d, NETDEV_XDP_TX, 8);
	has(&d, NETDEV_XDP_TX_ERRORS, 3);
	has(&d, NETDEV_XDP_XMIT_ERRORS, 4);
	has_no_more(&d);
	d = read_counters("igb",
			  COUNTERS({ "rx_queue_0_alloc_failed", 1 },
				   { "rx_queue_3_alloc_failed", 2 }, { "rx_queue_0_drops", 9 },
				   { "rx_queue_3_drops", 20 }, { "rx_missed_errors", 300 },
				   { "rx_fifo_errors", 29 }, { "rx_no_buffer_count", 7 }));
	has(&d, NETDEV_RX_ALLOC_FAIL, 3);
	has(&d, NETDEV_RX_OUT_OF_BUFFER, 329);
	has_no_more(&d);
	d = read_counters("ixgbe",
			  COUNTERS({ "alloc_rx_page", 7 }, { "alloc_rx_page_failed", 1 },
				   { "alloc_rx_buff_failed", 2 }, { "tx_busy", 8 },
				   { "rx_missed_errors", 300 }, { "rx_no_dma_resources", 9 }));
	has(&d, NETDEV_RX_ALLOC_FAIL, 3);
	has(&d, NETDEV_RX_OUT_OF_BUFFER, 309);
	has_no_more(&d);
	d = read_counters("fsl_dpaa2_eth",
			  COUNTERS({ "[hw] rx discarded frames", 7 },
				   { "[hw] rx nobuffer discards", 9 }, { "[drv] xdp drop", 2 }));
	has(&d, NETDEV_RX_OUT_OF_BUFFER, 9);
	has(&d, NETDEV_XDP_DROP, 2);
	has_no_more(&d);
	d = read_counters("i40e",
			  COUNTERS({ "tx_busy", 8 }, { "rx_pg_alloc_fail", 1 }, { "rx_dropped", 5 },
				   { "port.rx_dropped", 30 }, { "port.rx_crc_errors", 2 }));
	has(&d, NETDEV_RX_ALLOC_FAIL, 1);
	has(&d, NETDEV_RX_OUT_OF_BUFFER, 30);
	has_no_more(&d);
	d = read_counters("i40e", COUNTERS({ "port.rx_discards", 40 }));
	has(&d, NETDEV_RX_OUT_OF_BUFFER, 40);
	has_no_more(&d);
	/* the link has it as missed */
	d = read_counters("ice", COUNTERS({ "rx_alloc_fail", 2 }, { "rx_dropped.nic", 30 }));
	has(&d, NETDEV_RX_ALLOC_FAIL, 2);
	has_no_more(&d);
	/* the other one is of the host's port, which other machines share */
	d = read_counters("mana", COUNTERS({ "rx_0_xdp_drop", 3 }, { "hc_rx_discards_no_wqe", 9 },
					   { "hc_rx_pkt_drop_phy", 500 }));
	has(&d, NETDEV_XDP_DROP, 3);
	has(&d, NETDEV_RX_OUT_OF_BUFFER, 9);
	has_no_more(&d);
	d = read_counters("ice", COUNTERS({ "rx_dropped.nic", 8 }, { "rx_alloc_fail", 1 }));
	has(&d, NETDEV_RX_ALLOC_FAIL, 1);
	has_no_more(&d);
	d = read_counters("gve",
			  COUNTERS({ "rx_xdp_tx_errors[0]", 1 }, { "rx_xdp_tx_errors[12]", 2 },
				   { "rx_xdp_aborted[]", 7 }, { "tx_xdp_xmit_errors[0]", 4 }));
	has(&d, NETDEV_XDP_TX_ERRORS, 3);
	has(&d, NETDEV_XDP_XMIT_ERRORS, 4);
	has_no_more(&d);
	d = read_counters("fsl_enetc", COUNTERS({ "Rx ring  0 XDP drops", 1 },
						{ "Rx ring 10 redirect failures", 2 },
						{ "Tx ring  0 XDP drops", 3 }));
	has(&d, NETDEV_XDP_DROP, 1);
	has(&d, NETDEV_XDP_REDIRECT_ERRORS, 2);
	has(&d, NETDEV_XDP_XMIT_ERRORS, 3);
	has_no_more(&d);
}

/* Growing counters come first if there is not enough room for all. */
TEST(test_others)
{
	static const char *const name[] = { "rx_queue_0_xdp_drops", "zero", "still", "gr\x1bows" };
	char names[(4 + ETHTOOL_STATS_OF_DEVICE) * ETH_GSTRING_LEN] = "";
	uint64_t before[4 + ETHTOOL_STATS_OF_DEVICE], now[4 + ETHTOOL_STATS_OF_DEVICE];
	struct ethtool_stat to[ETHTOOL_STATS_OF_DEVICE];
	uint8_t what[4 + ETHTOOL_STATS_OF_DEVICE];
	size_t n = sizeof(now) / sizeof(now[0]);

	for (size_t i = 0; i < n; i++) {
		snprintf(names + i * ETH_GSTRING_LEN, ETH_GSTRING_LEN, "%s",
			 i < 4 ? name[i] : "later");
		before[i] = now[i] = 5;
	}
	now[1] = 0;
	now[3] = 25;
	driver_counters_map("veth", names, n, what);
	assert_int_equal(driver_counters_others(what, names, now, NULL, n, 0, to),
			 ETHTOOL_STATS_OF_DEVICE);
	assert_int_equal(to[0].number, 2);
	assert_true(to[1].per_s < 0);
	assert_int_equal(to[0].left_out, 2);
	/* the last ones start to grow, so none without growth has room */
	for (size_t i = 5; i < n; i++)
		now[i] = 7;
	assert_int_equal(driver_counters_others(what, names, now, before, n, 2, to),
			 ETHTOOL_STATS_OF_DEVICE);
	assert_int_equal(to[0].number, 3);
	assert_string_equal(to[0].name, "gr\\x1bows");
	assert_int_equal(to[0].total, 25);
	assert_true(to[0].per_s == 10);
	assert_int_equal(to[1].number, 5);
	assert_true(to[1].per_s == 1);
	/* two without growth */
	assert_int_equal(to[0].left_out, 2);
	/* went back: unknown */
	before[3] = 30;
	assert_int_equal(driver_counters_others(what, names, now, before, 4, 2, to), 2);
	assert_true(to[0].per_s == 0 && to[1].per_s < 0);
	assert_int_equal(to[0].left_out, 0);
	/* a value that is not a counter */
	snprintf(names + 2 * ETH_GSTRING_LEN, ETH_GSTRING_LEN, "peer_ifindex");
	driver_counters_map("veth", names, n, what);
	assert_int_equal(driver_counters_others(what, names, now, before, 4, 2, to), 1);
	assert_int_equal(to[0].number, 3);
}

TEST(test_unknown)
{
	char names[2 * ETH_GSTRING_LEN];
	uint8_t what[2];

	assert_false(driver_counters_known(""));
	assert_false(driver_counters_known("vet"));
	assert_false(driver_counters_known("dummy"));
	/* without a NUL, beginning like a known name */
	memset(names, '0', sizeof(names));
	memcpy(names, "rx_queue_", 9);
	memcpy(names + ETH_GSTRING_LEN, "rx_queue_0_xdp_drops2", 21);
	driver_counters_map("veth", names, 2, what);
	assert_int_equal(what[0], DRIVER_COUNTER_NONE);
	assert_int_equal(what[1], DRIVER_COUNTER_NONE);
	driver_counters_map("dummy", names, 2, what);
	assert_int_equal(what[1], DRIVER_COUNTER_NONE);
}
