// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/page_pools.h"

#include <errno.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "inventory/netdev_monitor.h"
#include "schema/record_field.h"
#include "source/data_source.h"
#include "source/live_source.h"

#define STALLED_S 60
#define STUCK     3

DATA_SOURCE_ROWS(page_pools, struct page_pool, DATA_SOURCE_PAGE_POOLS)

uint32_t page_pools_left_out(const struct snapshot *s, uint32_t netns)
{
	size_t n, at;
	const struct page_pool *row = page_pools(s, &n);

	at = array_lower_bound(row, n, p, p->netns < netns);
	return at < n && row[at].netns == netns ? row[at].left_out : 0;
}

ROW_NUMBER(device_of, struct page_pool, p,
	   p->ifindex ? row_number(p->netns, p->ifindex) : ROW_NO_NUMBER)

const struct row_key page_pools_by_device = { DATA_SOURCE_PAGE_POOLS, 1, .number = device_of };

double page_pool_age(const struct page_pool *p, const struct snapshot *s)
{
	int64_t ns = timespec_to_ns(&s->wall) - timespec_to_ns(&p->detached_at);

	return p->detached_at.tv_sec && ns > 0 ? ns_to_seconds(ns) : 0;
}

bool page_pool_is_stalled(const struct page_pool *p, const struct snapshot *s)
{
	return p->inflight && p->stuck >= STUCK && page_pool_age(p, s) > STALLED_S;
}

/* clang-format off */
static const struct record_field fields[] = {
	FIELDS_OF_SNAPSHOT,
	ROW_FIELD_ID("netns", struct page_pool, netns),
	FIELD_TEXT("netns_name", 0, netns_name),
	ROW_FIELD_NUMBER("id", struct page_pool, id),
	ROW_FIELD_GONE("used", struct page_pool, gone),
	ROW_FIELD_ID("ifindex", struct page_pool, ifindex),
	ROW_FIELD_TEXT("ifname", struct page_pool, ifname),
	ROW_FIELD_ID("napi_id", struct page_pool, napi_id),
	ROW_FIELD_COUNT("inflight", struct page_pool, inflight),
	ROW_FIELD_COUNT("inflight_mem", struct page_pool, inflight_mem),
	ROW_FIELD_KNOWN_TIME("detached_at", struct page_pool, detached_at),
	ROW_FIELD_NUMBER("stuck", struct page_pool, stuck, KNOWN_BY(struct page_pool, detached_at.tv_sec)),
	ROW_FIELD_NUMBER("left_out", struct page_pool, left_out),
};
/* clang-format on */

static const struct record_object object = RECORD_OBJECT("page_pool", fields);

static int pools_open(void *state, struct live *live, struct error *error)
{
	int err = live->netdevs ? netdev_monitor_pools_error(live->netdevs) : -ENODEV;
	struct utsname kernel = { .release = "" };
	char why[96];

	*(struct netdev_monitor **)state = live->netdevs;
	if (!err)
		return 0;
	uname(&kernel);
	return error_set(error, 1, "page pools are not known: %s",
			 !live->netdevs ? "no devices are"
			 : err == -EOPNOTSUPP
				 ? kernel_lacks(kernel.release, "NETDEV_CMD_PAGE_POOL_GET",
						KERNEL(6, 8), why, sizeof(why))
				 : strerror(-err));
}

static int pools_sample(void *state, struct snapshot *to)
{
	struct netdev_monitor *m = *(struct netdev_monitor **)state;

	netdev_table_fill_pools(netdev_monitor_hold(m), to);
	netdev_monitor_release(m);
	return 0;
}

const struct data_source page_pools_source = {
	.name = "page_pools",
	.help = "page pools of devices, over generic netlink",
	ROW_TYPE(struct page_pool, gone, PAGE_POOLS_MAX + NETNS_SCAN_MAX),
	ROW_GONE(struct page_pool),
	ROW_NETNS(struct page_pool),
	.record = &object,
	.state_size = sizeof(struct netdev_monitor *),
	.open = pools_open,
	.sample = pools_sample,
};
