// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/driver.h"

#include <stdio.h>
#include <string.h>
#include "model/target.h"

/* Drivers that call xdp_clear_features_flag() or their own equivalent, and why. */
static const struct {
	const char *driver, *why;
} no_xdp[] = {
	{ "bonding", "its mode or hash does not support XDP, or none of its slaves does" },
	{ "ena", "XDP needs one more queue for each channel, so at most half of its channels may "
		 "be in use" },
	{ "gve", "its queue format does not support XDP" },
	{ "mlx5", "LRO or HW-GRO is on, which excludes XDP up to Linux 6.12" },
	{ "mvpp2", "its buffer pools are not per CPU, for example because its MTU is large" },
};

#define SHARED_INFO 320 /* SKB_DATA_ALIGN(sizeof(struct skb_shared_info)) with 64-bit pointers */
#define XDP_ROOM    (SHARED_INFO + 256 + 14) /* XDP_PACKET_HEADROOM, Ethernet header */

/*
 * Sources: drivers/net/virtio_net.c, virtnet_xdp_set(); veth.c, veth_xdp_set(),
 * veth_set_xdp_features(); ethernet/: amazon/ena/ena_xdp.h, ENA_XDP_MAX_MTU, ena_xdp_allowed();
 * broadcom/bnxt/bnxt.h, BNXT_MAX_PAGE_MODE_MTU; intel/ixgbe/ixgbe_main.c, ixgbe_xdp_setup(). For
 * CHANNELS_PER_CPU, see the functions that driver_table.c names. For the offloads that exclude XDP,
 * see mellanox/mlx5/core/en_main.c, mlx5e_set_xdp_feature() (up to 6.12).
 */
static const struct driver_limits limits[] = {
	{ "veth", CHANNELS_OF_PEER, XDP_ROOM, 0, false, false },
	{ "virtio_net", CHANNELS_SPARE, XDP_ROOM, 0, true, true },
	{ "ena", CHANNELS_HALF, XDP_ROOM + 8, 0, false, false },
	{ "bnxt", CHANNELS_ANY, XDP_ROOM + 4, 0, false, false },
	{ "igb", CHANNELS_ANY, 0, 0, true, false },
	{ "ixgbe", CHANNELS_OF_64, 0, 0, false, false },
	{ "mlx5", CHANNELS_PER_CPU, 0, NETDEV_LRO | NETDEV_GRO_HW, false, false },
	{ "i40e", CHANNELS_PER_CPU, 0, 0, false, false },
	{ "tun", CHANNELS_ANY, 0, 0, true, false },
};

/* Not fnmatch(), which is ten times slower: this runs for each device in each interval. */
static bool has_name(const struct driver *driver, const char *name)
{
	for (const char *p = driver->names; *p; p += strspn(p, " ")) {
		const char *at = name;

		for (; *at && (*p == *at || *p == '?'); p++)
			at++;
		if (*p == '*' || (!*at && (!*p || *p == ' ')))
			return true;
		p += strcspn(p, " ");
	}
	return false;
}

const struct driver *driver_find(const char *name)
{
	for (size_t i = 0; *name && i < n_drivers; i++)
		if (has_name(&drivers[i], name))
			return &drivers[i];
	return NULL;
}

const struct driver *driver_of(const struct netdev *d)
{
	return d ? driver_find(netdev_driver(d)) : NULL;
}

const struct driver *driver_behind(const struct snapshot *s, uint32_t tracepoint,
				   const struct series_key *key)
{
	uint32_t at = BIT(tracepoint);
	const struct netdev *dev = snapshot_find_netdev(s, key->netns, key->ifindex);

	/* a devmap entry's program, or a generic program on the receiving device */
	if (at & AT_EXCEPTION &&
	    !(dev && dev->mode != NETDEV_GENERIC && dev->prog_id == key->prog_id))
		return NULL;
	if (at & AT_REDIRECT_ERR && dev && dev->mode == NETDEV_GENERIC)
		return NULL;
	if (at & AT_XMIT || (at & AT_REDIRECT_ERR && redirect_kind(key) & REDIRECT_TO_DEVICE))
		return driver_of(snapshot_find_netdev(s, key->to_netns, key->target));
	return driver_of(dev);
}

/* drivers/net/veth.c, veth_xdp_flush_bq(); include/net/libeth/xdp.h, __libeth_xdp_tx_flush_bulk()
 */
bool driver_repeats(const struct snapshot *s, const struct series *series)
{
	const struct netdev *d;
	const char *driver;

	if (series->tracepoint != TP_XDP_BULK_TX)
		return false;
	d = snapshot_find_netdev(s, series->key.netns, series->key.ifindex);
	driver = d ? netdev_driver(d) : "";
	return *driver && strcmp(driver, "veth");
}

int series_target_text(const struct snapshot *s, const struct series *series,
		       struct netns_names *names, char *buf, size_t size)
{
	if (!driver_repeats(s, series))
		return target_text(series, names, buf, size);
	return snprintf(buf, size, "TX");
}

const struct cause *driver_cause(const struct driver *driver, uint16_t kernel, uint32_t tracepoint,
				 const struct series_key *key)
{
	for (const struct cause *c = driver->causes; c && c->tracepoints; c++)
		if (cause_fits(c, kernel, tracepoint, key))
			return c;
	return cause_fits(&target_causes[driver->target], kernel, tracepoint, key)
		       ? &target_causes[driver->target]
		       : NULL;
}

const struct cause *cause_in(const struct snapshot *s, uint32_t tracepoint,
			     const struct series_key *key)
{
	const struct driver *driver = driver_behind(s, tracepoint, key);
	const struct cause *own = driver ? driver_cause(driver, s->kernel, tracepoint, key) : NULL;

	return own ? own : cause_find(s->kernel, tracepoint, key);
}

bool driver_has_program(const struct netdev *d)
{
	return !d->gone && d->prog_id && d->mode != NETDEV_GENERIC;
}

const struct driver_limits *driver_limits_of(const struct driver *driver)
{
	for (size_t i = 0; driver && i < sizeof(limits) / sizeof(limits[0]); i++)
		if (!strcmp(limits[i].driver, driver->name))
			return &limits[i];
	return NULL;
}

uint32_t driver_mtu_max(const struct driver *driver, const struct snapshot *s)
{
	const struct driver_limits *l = driver_limits_of(driver);

	return l && l->mtu_room && s->page_size > l->mtu_room ? s->page_size - l->mtu_room : 0;
}

const char *driver_no_xdp(const struct driver *driver)
{
	for (size_t i = 0; i < sizeof(no_xdp) / sizeof(no_xdp[0]); i++)
		if (!strcmp(no_xdp[i].driver, driver->name))
			return no_xdp[i].why;
	return NULL;
}
