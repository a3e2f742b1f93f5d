// SPDX-License-Identifier: GPL-2.0-or-later
/* Data source: counters of drivers by their own names, as read by netdev_monitor. */
#include "inventory/netdev_monitor.h"
#include "schema/record_field.h"
#include "source/data_source.h"
#include "source/live_source.h"

#define stat_of(r) ROW_OF(struct ethtool_stat, r)

static FIELD_SET(set_total)
{
	/* until the field of its rate, which comes later, is read */
	stat_of(r)->per_s = -1;
	return field_set_u64(f, r, v);
}

/* clang-format off */
static const struct record_field fields[] = {
	FIELDS_OF_SNAPSHOT,
	ROW_FIELD_ID("netns", struct ethtool_stat, netns),
	FIELD_TEXT("netns_name", 0, netns_name),
	ROW_FIELD_ID("ifindex", struct ethtool_stat, ifindex),
	ROW_FIELD_NUMBER("number", struct ethtool_stat, number),
	ROW_FIELD_GONE("used", struct ethtool_stat, gone),
	ROW_FIELD_TEXT("name", struct ethtool_stat, name),
	FIELD("total", COUNT, 0, field_get_u64, set_total, ROW_MEMBER(struct ethtool_stat, total)),
	ROW_FIELD_RATE("per_s", struct ethtool_stat, per_s),
	ROW_FIELD_NUMBER("left_out", struct ethtool_stat, left_out),
};
/* clang-format on */

static const struct record_object object = RECORD_OBJECT("ethtool_stat", fields);

const struct ethtool_stat *ethtool_stats_of(const struct snapshot *s, uint32_t netns,
					    uint32_t ifindex, size_t *n)
{
	const struct ethtool_stat like = { .netns = netns, .ifindex = ifindex };

	return data_source_rows_like(s, DATA_SOURCE_ETHTOOL_STATS, &like, 2, n);
}

static int ethtool_stats_open(void *state, struct live *live, struct error *error)
{
	*(struct netdev_monitor **)state = live->netdevs;
	return !live->netdevs;
}

static int ethtool_stats_sample(void *state, struct snapshot *to)
{
	struct netdev_monitor *m = *(struct netdev_monitor **)state;

	netdev_table_fill_stats(netdev_monitor_hold(m), to);
	netdev_monitor_release(m);
	return 0;
}

const struct data_source ethtool_stats_source = {
	.name = "ethtool_stats",
	.help = "driver counters of devices with XDP, by the driver's own names (ethtool -S)",
	ROW_TYPE(struct ethtool_stat, left_out, ETHTOOL_STATS_MAX),
	ROW_GONE(struct ethtool_stat),
	ROW_NETNS(struct ethtool_stat),
	.record = &object,
	.state_size = sizeof(struct netdev_monitor *),
	.open = ethtool_stats_open,
	.sample = ethtool_stats_sample,
};
