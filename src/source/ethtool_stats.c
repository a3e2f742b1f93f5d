// SPDX-License-Identifier: GPL-2.0-or-later
/* Data source: counters of drivers by their own names, as read by netdev_monitor. */
#include <math.h>
#include "inventory/netdev_monitor.h"
#include "schema/record_field.h"
#include "source/data_source.h"
#include "source/live_source.h"

#define stat_of(r) ROW_OF(struct ethtool_stat, r)

static FIELD_GET(get_per_s)
{
	/* do not print more digits than a float has: 0.2, not 0.200000003 */
	if (stat_of(r)->per_s >= 0)
		field_give_real(v, round((double)stat_of(r)->per_s * 1000) / 1000);
}

static FIELD_SET(set_per_s)
{
	stat_of(r)->per_s = (float)v->real;
	return v->real >= 0;
}

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
	FIELD("per_s", REAL, 0, get_per_s, set_per_s),
	ROW_FIELD_NUMBER("left_out", struct ethtool_stat, left_out),
};
/* clang-format on */

static const struct record_object object = RECORD_OBJECT("ethtool_stat", fields);

const struct ethtool_stat *ethtool_stats_of(const struct snapshot *s, uint32_t netns,
					    uint32_t ifindex, size_t *n)
{
	const struct ethtool_stat first = { .netns = netns, .ifindex = ifindex };
	size_t all, at;
	const struct ethtool_stat *row = data_source_rows(s, DATA_SOURCE_ETHTOOL_STATS, &all);

	at = array_lower_bound(row, all, e, compare_words(e, &first, 3) < 0);
	for (*n = 0; at + *n < all; ++*n)
		if (row[at + *n].netns != netns || row[at + *n].ifindex != ifindex)
			break;
	return row + at;
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
	.row_size = sizeof(struct ethtool_stat),
	.key_size = offsetof(struct ethtool_stat, left_out),
	.gone = offsetof(struct ethtool_stat, gone),
	.says_gone = true,
	.has_netns = true,
	.netns = offsetof(struct ethtool_stat, netns),
	.max_rows = ETHTOOL_STATS_MAX,
	.record = &object,
	.state_size = sizeof(struct netdev_monitor *),
	.open = ethtool_stats_open,
	.sample = ethtool_stats_sample,
};
