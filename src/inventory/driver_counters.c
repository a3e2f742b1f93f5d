// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/driver_counters.h"

#include <linux/ethtool.h>
#include <stdio.h>
#include <string.h>
#include "base/sanitize.h"

/*
 * Name of a driver's counter without leading blanks; * matches a number. If a driver has both
 * per-queue counters and their sum, only one is listed. Counters that include packets of the stack
 * are not listed, because XDP's share of them is unknown.
 */
struct counter {
	const char *name;
	uint8_t what; /* enum netdev_count, or DRIVER_NO_COUNTER */
};

#define COUNTERS(...)            \
	(const struct counter[]) \
	{                        \
		__VA_ARGS__,     \
		{                \
			NULL, 0  \
		}                \
	}

/* Names from drivers/net/ of Linux 6.1 to 7.3. */
/* clang-format off */
static const struct driver_row {
	const char *drivers; /* separated by blanks */
	const struct counter *counter;
} rows[] = {
	{ "veth", COUNTERS(
		{ "peer_ifindex", DRIVER_NO_COUNTER },
		/*
		 * DROP and ABORTED. Not rx_queue_N_drops: it counts failed redirects, but also
		 * packets for which there was no memory before the program ran or after XDP_PASS.
		 */
		{ "rx_queue_*_xdp_drops", NETDEV_XDP_DROP },
		{ "rx_queue_*_xdp_redirect", NETDEV_XDP_REDIRECTED },
		{ "rx_queue_*_xdp_tx", NETDEV_XDP_TX },
		{ "rx_queue_*_xdp_tx_errors", NETDEV_XDP_TX_ERRORS },
		{ "tx_queue_*_xdp_xmit_errors", NETDEV_XDP_XMIT_ERRORS }) },
	{ "virtio_net", COUNTERS(
		/* up to 6.9 */
		{ "rx_queue_*_xdp_drops", NETDEV_XDP_DROP },
		{ "rx_queue_*_xdp_redirects", NETDEV_XDP_REDIRECTED },
		{ "rx_queue_*_xdp_tx", NETDEV_XDP_TX },
		{ "tx_queue_*_xdp_tx_drops", NETDEV_XDP_XMIT_ERRORS },
		{ "rx*_xdp_drops", NETDEV_XDP_DROP },
		{ "rx*_xdp_redirects", NETDEV_XDP_REDIRECTED },
		{ "rx*_xdp_tx", NETDEV_XDP_TX },
		{ "tx*_xdp_tx_drops", NETDEV_XDP_XMIT_ERRORS }) },
	{ "vmxnet3", COUNTERS(
		{ "xdp drops", NETDEV_XDP_DROP },
		{ "xdp aborted", NETDEV_XDP_ABORTED },
		{ "xdp redirects", NETDEV_XDP_REDIRECTED },
		{ "xdp tx", NETDEV_XDP_TX },
		{ "xdp xmit err", NETDEV_XDP_XMIT_ERRORS },
		{ "rx buf alloc fail", NETDEV_RX_ALLOC_FAIL },
		/* vmxnet3_get_stats64() leaves rx_missed_errors at 0 */
		{ "pkts rx OOB", NETDEV_RX_OUT_OF_BUFFER }) },
	{ "ena", COUNTERS(
		{ "queue_*_rx_xdp_drop", NETDEV_XDP_DROP },
		{ "queue_*_rx_xdp_aborted", NETDEV_XDP_ABORTED },
		{ "queue_*_rx_xdp_invalid", NETDEV_XDP_INVALID },
		{ "queue_*_rx_xdp_redirect", NETDEV_XDP_REDIRECTED },
		{ "queue_*_rx_xdp_tx", NETDEV_XDP_TX },
		{ "queue_*_xdp_tx_prepare_ctx_err", NETDEV_XDP_XMIT_ERRORS },
		{ "queue_*_xdp_tx_dma_mapping_err", NETDEV_XDP_XMIT_ERRORS },
		{ "queue_*_rx_page_alloc_fail", NETDEV_RX_ALLOC_FAIL },
		{ "bw_in_allowance_exceeded", NETDEV_LIMIT_EXCEEDED },
		{ "bw_out_allowance_exceeded", NETDEV_LIMIT_EXCEEDED },
		{ "pps_allowance_exceeded", NETDEV_LIMIT_EXCEEDED },
		{ "conntrack_allowance_exceeded", NETDEV_LIMIT_EXCEEDED },
		{ "linklocal_allowance_exceeded", NETDEV_LIMIT_EXCEEDED }) },
	{ "gve", COUNTERS(
		{ "rx_xdp_drop[*]", NETDEV_XDP_DROP },
		{ "rx_xdp_aborted[*]", NETDEV_XDP_ABORTED },
		{ "rx_xdp_redirect[*]", NETDEV_XDP_REDIRECTED },
		{ "rx_xdp_redirect_errors[*]", NETDEV_XDP_REDIRECT_ERRORS },
		{ "rx_xdp_tx[*]", NETDEV_XDP_TX },
		{ "rx_xdp_tx_errors[*]", NETDEV_XDP_TX_ERRORS },
		{ "tx_xdp_xmit_errors[*]", NETDEV_XDP_XMIT_ERRORS },
		{ "rx_xdp_alloc_fails[*]", NETDEV_RX_ALLOC_FAIL },
		{ "rx_buf_alloc_fail", NETDEV_RX_ALLOC_FAIL }) },
	{ "mana", COUNTERS(
		{ "rx_*_xdp_drop", NETDEV_XDP_DROP },
		{ "rx_*_xdp_redirect", NETDEV_XDP_REDIRECTED },
		{ "rx_*_xdp_tx", NETDEV_XDP_TX },
		/* in the link's rx_missed only since 2025: mana_get_stats64() */
		{ "hc_rx_discards_no_wqe", NETDEV_RX_OUT_OF_BUFFER }) },
	{ "hv_netvsc", COUNTERS(
		{ "rx_queue_*_xdp_drop", NETDEV_XDP_DROP },
		{ "rx_queue_*_xdp_redirect", NETDEV_XDP_REDIRECTED },
		{ "rx_queue_*_xdp_tx", NETDEV_XDP_TX }) },
	{ "mlx5_core", COUNTERS(
		/* all modes of the receive queue */
		{ "rx_xdp_drop", NETDEV_XDP_DROP },
		{ "rx_xsk_xdp_drop", NETDEV_XDP_DROP },
		{ "rx_xdp_redirect", NETDEV_XDP_REDIRECTED },
		{ "rx_xsk_xdp_redirect", NETDEV_XDP_REDIRECTED },
		{ "rx_xdp_tx_xmit", NETDEV_XDP_TX },
		{ "rx_xdp_tx_full", NETDEV_XDP_TX_ERRORS },
		{ "rx_xdp_tx_err", NETDEV_XDP_TX_ERRORS },
		{ "tx_xdp_full", NETDEV_XDP_XMIT_ERRORS },
		{ "tx_xdp_err", NETDEV_XDP_XMIT_ERRORS },
		{ "rx_buff_alloc_err", NETDEV_RX_ALLOC_FAIL },
		{ "rx_xsk_buff_alloc_err", NETDEV_RX_ALLOC_FAIL },
		/* not in the link's rx_missed, which is rx_out_of_buffer */
		{ "rx_discards_phy", NETDEV_RX_DISCARDS }) },
	{ "mlx4_en mlx4_core", COUNTERS(
		{ "rx_xdp_drop", NETDEV_XDP_DROP },
		{ "rx_xdp_redirect", NETDEV_XDP_REDIRECTED },
		{ "rx_xdp_redirect_fail", NETDEV_XDP_REDIRECT_ERRORS },
		{ "rx_xdp_tx", NETDEV_XDP_TX },
		{ "rx_xdp_tx_full", NETDEV_XDP_TX_ERRORS }) },
	/*
	 * A packet is lost in the FIFO (MPC) or, if the queue drops instead of stalling the FIFO,
	 * after it for want of a descriptor (RQDPC, QPRDC). The link's counter has only MPC, so
	 * both are summed here from one reading.
	 */
	{ "igb igc", COUNTERS(
		{ "rx_queue_*_alloc_failed", NETDEV_RX_ALLOC_FAIL },
		{ "rx_missed_errors", NETDEV_RX_OUT_OF_BUFFER },
		{ "rx_queue_*_drops", NETDEV_RX_OUT_OF_BUFFER }) },
	{ "ixgbe ixgbevf", COUNTERS(
		{ "alloc_rx_page_failed", NETDEV_RX_ALLOC_FAIL },
		{ "alloc_rx_buff_failed", NETDEV_RX_ALLOC_FAIL },
		{ "rx_missed_errors", NETDEV_RX_OUT_OF_BUFFER },
		{ "rx_no_dma_resources", NETDEV_RX_OUT_OF_BUFFER }) },
	/*
	 * Lost for want of buffers, by an old and a new name. In the link's rx_missed only since
	 * 2025: 5337d2949733 ("i40e: Add rx_missed_errors for buffer exhaustion").
	 */
	{ "i40e", COUNTERS(
		{ "rx_pg_alloc_fail", NETDEV_RX_ALLOC_FAIL },
		{ "rx_alloc_fail", NETDEV_RX_ALLOC_FAIL },
		{ "port.rx_dropped", NETDEV_RX_OUT_OF_BUFFER },
		{ "port.rx_discards", NETDEV_RX_OUT_OF_BUFFER }) },
	/* rx_dropped.nic is in the link's rx_missed: ice_update_vsi_stats() */
	{ "ice", COUNTERS(
		{ "rx_pg_alloc_fail", NETDEV_RX_ALLOC_FAIL },
		{ "rx_alloc_fail", NETDEV_RX_ALLOC_FAIL }) },
	{ "qede", COUNTERS(
		{ "*: rx_alloc_errors", NETDEV_RX_ALLOC_FAIL }) },
	{ "sfc", COUNTERS(
		{ "rx_xdp_drops", NETDEV_XDP_DROP },
		{ "rx_xdp_redirect", NETDEV_XDP_REDIRECTED },
		{ "rx_xdp_tx", NETDEV_XDP_TX }) },
	{ "ionic", COUNTERS(
		{ "rx_*_xdp_drop", NETDEV_XDP_DROP },
		{ "rx_*_xdp_aborted", NETDEV_XDP_ABORTED },
		{ "rx_*_xdp_redirect", NETDEV_XDP_REDIRECTED },
		{ "rx_*_xdp_tx", NETDEV_XDP_TX },
		{ "rx_*_alloc_err", NETDEV_RX_ALLOC_FAIL }) },
	{ "atlantic", COUNTERS(
		{ "Queue[*] XdpDrop", NETDEV_XDP_DROP },
		{ "Queue[*] XdpAbort", NETDEV_XDP_ABORTED },
		{ "Queue[*] XdpInvalid", NETDEV_XDP_INVALID },
		{ "Queue[*] XdpRedirect", NETDEV_XDP_REDIRECTED },
		{ "Queue[*] XdpTx", NETDEV_XDP_TX },
		/* with several traffic classes */
		{ "TC* Queue[*] XdpDrop", NETDEV_XDP_DROP },
		{ "TC* Queue[*] XdpAbort", NETDEV_XDP_ABORTED },
		{ "TC* Queue[*] XdpInvalid", NETDEV_XDP_INVALID },
		{ "TC* Queue[*] XdpRedirect", NETDEV_XDP_REDIRECTED },
		{ "TC* Queue[*] XdpTx", NETDEV_XDP_TX }) },
	{ "mvneta mvpp2 mtk_soc_eth fec", COUNTERS(
		{ "rx_xdp_drop", NETDEV_XDP_DROP },
		{ "rx_xdp_redirect", NETDEV_XDP_REDIRECTED },
		{ "rx_xdp_tx", NETDEV_XDP_TX },
		{ "rx_xdp_tx_errors", NETDEV_XDP_TX_ERRORS },
		{ "tx_xdp_xmit_errors", NETDEV_XDP_XMIT_ERRORS }) },
	{ "fsl_enetc fsl_enetc_vf nxp_enetc4", COUNTERS(
		{ "Rx ring * XDP drops", NETDEV_XDP_DROP },
		{ "Rx ring * redirects", NETDEV_XDP_REDIRECTED },
		{ "Rx ring * redirect failures", NETDEV_XDP_REDIRECT_ERRORS },
		{ "Tx ring * XDP drops", NETDEV_XDP_XMIT_ERRORS },
		{ "Rx ring * alloc errors", NETDEV_RX_ALLOC_FAIL }) },
	{ "fsl_dpaa2_eth", COUNTERS(
		/* the link's counter comes from the driver, not from the NIC */
		{ "[hw] rx nobuffer discards", NETDEV_RX_OUT_OF_BUFFER },
		{ "[drv] xdp drop", NETDEV_XDP_DROP },
		{ "[drv] xdp redirect", NETDEV_XDP_REDIRECTED },
		{ "[drv] xdp tx", NETDEV_XDP_TX }) },
};
/* clang-format on */

static const struct driver_row *row_of(const char *driver)
{
	size_t len = strlen(driver);

	for (size_t i = 0; len && i < sizeof(rows) / sizeof(rows[0]); i++)
		for (const char *p = rows[i].drivers; *p; p += strspn(p, " ")) {
			size_t n = strcspn(p, " ");

			if (n == len && !memcmp(p, driver, n))
				return &rows[i];
			p += n;
		}
	return NULL;
}

bool driver_counters_known(const char *driver)
{
	return row_of(driver);
}

const char *driver_counters_names(const char *driver, enum netdev_count which, char *buf,
				  size_t size)
{
	const struct driver_row *row = row_of(driver);
	size_t len = 0;

	buf[0] = '\0';
	for (const struct counter *c = row ? row->counter : NULL; c && c->name && len < size; c++)
		if (c->what == which)
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ", " : "",
						c->name);
	return buf;
}

/* Compare with a name of at most ETH_GSTRING_LEN bytes, which may lack the NUL. */
static bool is_name(const char *pattern, const char *name, const char *end)
{
	for (; *pattern; pattern++) {
		const char *number;

		if (*pattern != '*') {
			if (name == end || *name++ != *pattern)
				return false;
			continue;
		}
		while (name < end && *name == ' ') /* enetc pads numbers (%2d) */
			name++;
		for (number = name; name < end && *name >= '0' && *name <= '9';)
			name++;
		if (name == number)
			return false;
	}
	return name == end;
}

static uint8_t what_is(const struct driver_row *row, const char *name)
{
	const char *end = name + strnlen(name, ETH_GSTRING_LEN);

	while (name < end && *name == ' ')
		name++;
	for (const struct counter *c = row->counter; c->name; c++)
		if (is_name(c->name, name, end))
			return c->what;
	return DRIVER_COUNTER_NONE;
}

void driver_counters_map(const char *driver, const char *names, size_t n, uint8_t *what)
{
	const struct driver_row *row = row_of(driver);

	for (size_t i = 0; i < n; i++)
		what[i] = row ? what_is(row, names + i * ETH_GSTRING_LEN) : DRIVER_COUNTER_NONE;
}

void driver_counters_sum(const uint8_t *what, const uint64_t *values, size_t n, struct netdev *d)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t sum = 0;

		if (what[i] >= NETDEV_COUNTS)
			continue;
		if (netdev_count(d, what[i], &sum))
			sum += values[i];
		else
			sum = values[i];
		netdev_set_count(d, what[i], sum);
	}
}

size_t driver_counters_others(const uint8_t *what, const char *names, const uint64_t *values,
			      const uint64_t *before, size_t n, double seconds,
			      struct ethtool_stat *to)
{
	size_t growing = 0, still = 0, kept = 0, quiet;

	for (size_t i = 0; i < n; i++)
		if (what[i] == DRIVER_COUNTER_NONE && values[i]) {
			growing += before && values[i] > before[i];
			still += !before || values[i] <= before[i];
		}
	/* places left for counters that did not grow */
	quiet = growing < ETHTOOL_STATS_OF_DEVICE ? ETHTOOL_STATS_OF_DEVICE - growing : 0;
	for (size_t i = 0; i < n && kept < ETHTOOL_STATS_OF_DEVICE; i++) {
		const char *name = names + i * ETH_GSTRING_LEN;
		bool grows = before && values[i] > before[i];
		struct ethtool_stat *s = &to[kept];

		if (what[i] != DRIVER_COUNTER_NONE || !values[i] || (!grows && !quiet))
			continue;
		quiet -= !grows;
		kept++;
		memset(s, 0, sizeof(*s));
		s->number = (uint32_t)i;
		s->total = values[i];
		s->per_s = -1;
		if (before && values[i] >= before[i] && seconds > 0)
			s->per_s = (float)((double)(values[i] - before[i]) / seconds);
		sanitize(s->name, sizeof(s->name), name, strnlen(name, ETH_GSTRING_LEN));
	}
	for (size_t i = 0; i < kept; i++)
		to[i].left_out = (uint32_t)(growing + still - kept);
	return kept;
}
