// SPDX-License-Identifier: GPL-2.0-or-later
/* Each driver is found by the kernel's names for it, and by one row only. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include "diagnose/driver.h"
#include "unit/made.h"
#include "unit/test.h"

static const char *row_of(const char *name)
{
	const struct driver *d = driver_find(name);

	return d ? d->name : "none";
}

TEST(test_names)
{
	/* ETHTOOL_GDRVINFO, else the parent's driver; the kind of virtual devices */
	static const char *const names[][2] = {
		{ "veth", "veth" },
		{ "virtio_net", "virtio_net" },
		{ "tun", "tun" },
		{ "bonding", "bonding" },
		{ "bond", "bonding" },
		{ "vif", "xen-netfront" },
		{ "hv_netvsc", "netvsc" },
		{ "mlx5_core", "mlx5" },
		{ "mlx4_en", "mlx4" },
		{ "ixgbe", "ixgbe" },
		{ "ixgbevf", "ixgbevf" },
		{ "bnxt_en", "bnxt" },
		{ "nfp", "nfp" },
		{ "nfp_netvf", "nfp" },
		{ "atlantic", "aquantia" },
		{ "rvu-nicpf", "otx2" },
		{ "rvu-nicvf", "otx2" },
		{ "rvu_nicvf", "otx2" },
		{ "nicvf", "nicvf" },
		{ "st_gmac", "stmmac" },
		{ "st_xgmac", "stmmac" },
		{ "dwmac-meson", "stmmac" },
		{ "cpsw", "cpsw" },
		{ "cpsw-switch", "cpsw" },
		{ "am65-cpsw-nuss", "am65-cpsw" },
		{ "icssg-prueth", "icssg" },
		{ "fsl_dpaa2_eth", "dpaa2" },
		{ "fsl_dpa", "dpaa" },
		{ "fsl_enetc", "enetc" },
		{ "fsl_enetc_vf", "enetc" },
		{ "nxp_enetc4", "enetc" },
		{ "mtk_soc_eth", "mtk" },
		{ "lan966x-switch", "lan966x" },
		/* without XDP */
		{ "", "none" },
		{ "bridge", "none" },
		{ "e1000e", "none" },
		{ "veth2", "none" },
		{ "mlx5e_rep", "none" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(row_of(names[i][0]), names[i][1]);
}

/* Each pattern of a row, taken as a name, leads back to that row. */
TEST(test_rows)
{
	int told = 0;

	for (size_t i = 0; i < n_drivers; i++) {
		const struct driver *d = &drivers[i];
		char names[80], *rest = NULL;

		assert_true(strlen(d->names) < sizeof(names));
		snprintf(names, sizeof(names), "%s", d->names);
		for (char *p = strtok_r(names, " ", &rest); p; p = strtok_r(NULL, " ", &rest)) {
			assert_true(strlen(p) < 32); /* sizeof(struct ethtool_drvinfo.driver) */
			assert_ptr_equal(driver_find(p), d);
		}
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(d->name, drivers[j].name);
		assert_true(d->target <= TARGET_NEVER);
		assert_true(!d->counters || strlen(d->counters) > 5);
		told += driver_no_xdp(d) != NULL;
	}
	/* each row of no_xdp[] names a driver of the table */
	assert_int_equal(told, 5);
}

/* The text that lists drivers matches the table. */
TEST(test_never)
{
	char names[80] = "";
	size_t left = 0, len = 0;

	for (size_t i = 0; i < n_drivers; i++)
		left += drivers[i].target == TARGET_NEVER;
	for (size_t i = 0; i < n_drivers; i++)
		if (drivers[i].target == TARGET_NEVER)
			len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s",
						drivers[i].name,
						--left > 1 ? ", "
						: left     ? " and "
							   : "");
	assert_string_equal(names, DRIVERS_NEVER);
}

TEST(test_device)
{
	struct netdev bond = { .kind = "bond" }, gve = { .driver = "gve" }, none = { 0 };

	assert_null(driver_of(NULL));
	assert_null(driver_of(&none));
	assert_string_equal(driver_of(&bond)->name, "bonding");
	/* it reports nothing */
	assert_int_equal(driver_of(&gve)->reports & DRIVER_REPORTS, 0);
}

/* A key to which the row applies. */
static struct series_key key_of(const struct cause *c)
{
	uint32_t map_type = c->redirect == REDIRECT_XSKMAP ? SERIES_MAP_XSKMAP : SERIES_MAP_DEVMAP;

	return (struct series_key){ .netns = MADE_NETNS,
				    .ifindex = 3,
				    .to_netns = map_type == SERIES_MAP_DEVMAP ? MADE_NETNS : 0,
				    .target = 4,
				    .prog_id = 7,
				    .map_type = map_type,
				    .map_id = 5,
				    .code = c->code };
}

/* Devices 3 and 4, each with a driver; program 7 is on device 3. */
static void set_devices(struct snapshot *s, const char *dev, const char *to, enum netdev_mode mode)
{
	uint16_t kernel = s->kernel;

	snapshot_clear(s);
	s->kernel = kernel;
	for (uint32_t i = 3; i <= 4; i++) {
		struct netdev *d = snapshot_add_netdev(s);

		assert_non_null(d);
		*d = (struct netdev){ .netns = MADE_NETNS, .ifindex = i };
		snprintf(d->driver, sizeof(d->driver), "%s", i == 3 ? dev : to);
		if (i == 3)
			d->prog_id = 7;
		d->mode = i == 3 ? mode : NETDEV_NONE;
	}
	made_sort_netdevs(s);
}

static uint32_t tracepoint_of(const struct cause *c)
{
	return (uint32_t)__builtin_ctz(c->tracepoints);
}

static void check_texts(const struct cause *c)
{
	assert_true(strlen(c->meaning) > 10 && strlen(c->meaning) <= 100);
	assert_null(strchr(c->meaning, '\n'));
	assert_true(c->remedy.text && strlen(c->remedy.text) > 5 && strlen(c->source) > 5);
}

/* Each error has the text of the responsible driver. */
TEST(test_causes)
{
	struct snapshot s;

	snapshot_init(&s);
	for (size_t i = 0; i < n_drivers; i++) {
		char name[80];

		snprintf(name, sizeof(name), "%s", drivers[i].names);
		name[strcspn(name, " ")] = '\0';
		for (const struct cause *c = drivers[i].causes; c && c->tracepoints; c++) {
			struct series_key key = key_of(c);
			uint32_t tp = tracepoint_of(c);
			const struct cause *common;
			bool at_target =
				c->tracepoints & (AT_XMIT | AT_REDIRECT_ERR) && key.to_netns;

			s.kernel = cause_up_to(c) ?: UINT16_MAX;
			common = cause_find(s.kernel, tp, &key);
			check_texts(c);
			/* with an unknown driver there is a common text, which differs */
			assert_non_null(common);
			assert_ptr_not_equal(common, c);
			set_devices(&s, at_target ? "" : name, at_target ? name : "",
				    NETDEV_NATIVE);
			assert_ptr_equal(cause_in(&s, tp, &key), c);
			set_devices(&s, at_target ? name : "", at_target ? "" : name,
				    NETDEV_NATIVE);
			assert_ptr_equal(cause_in(&s, tp, &key), common);
			set_devices(&s, "netsec", "netsec", NETDEV_NATIVE);
			assert_ptr_not_equal(cause_in(&s, tp, &key), c);
		}
	}
	snapshot_free(&s);
}

/* Known meanings by driver. "" = the common text applies. */
TEST(test_errnos)
{
	static const struct {
		const char *driver;
		int code;
		const char *part;
	} cases[] = {
		{ "veth", -ENXIO, "peer is down" },
		{ "veth", 0, "frame exceeds its MTU" },
		{ "tun", -ENXIO, "no program has the tap open" },
		{ "virtio_net", 0, "too little headroom" },
		{ "virtio_net", -ENXIO, "no XDP program" },
		{ "bond", -ENXIO, "no slave" },
		{ "vmxnet3", -EINVAL, "resetting" },
		{ "vif", -ENODEV, "backend" },
		{ "hv_netvsc", 0, "the VF" },
		{ "mana", 0, "port is down" },
		{ "ena", -ENXIO, "no XDP program" },
		{ "gve", -EBUSY, "ring is full" },
		{ "gve", -ENOMEM, "no memory" },
		{ "gve", -EINVAL, "no XDP program" },
		{ "gve", -EOPNOTSUPP, "queue format" },
		{ "mlx5_core", -ENETDOWN, "channels are closed" },
		{ "mlx5_core", -ENXIO, "CPU's number" },
		{ "i40e", -ENXIO, "queue pairs" },
		{ "ice", -ENXIO, "no XDP program" },
		{ "ixgbe", -ENXIO, "disabled" },
		{ "igc", -ENETDOWN, "carrier" },
		{ "bnxt_en", -EINVAL, "no XDP program" },
		{ "sfc", -EINVAL, "no XDP transmit queue for this CPU" },
		{ "sfc", -EIO, "full" },
		{ "ionic", -EIO, "full" },
		{ "ionic", -EPERM, "DMA" },
		{ "rvu-nicpf", -ENXIO, "no XDP program" },
		{ "funeth", -ENXIO, "CPU's number" },
		{ "st_gmac", 0, "max_sdu" },
		{ "cpsw", 0, "60 bytes" },
		{ "ixgbevf", XDP_REDIRECT, "not support XDP_REDIRECT" },
		{ "nfp", XDP_REDIRECT, "not support XDP_REDIRECT" },
		{ "nicvf", XDP_REDIRECT, "not support XDP_REDIRECT" },
		{ "fbnic", XDP_REDIRECT, "not support XDP_REDIRECT" },
		{ "bnxt_en", XDP_REDIRECT, "refill" },
		{ "qede", XDP_REDIRECT, "refill" },
		{ "atlantic", XDP_PASS, "build an skb" },
		{ "fec", XDP_PASS, "build an skb" },
		{ "idpf", XDP_TX, "one event is counted for a whole bulk" },
		{ "igb", -ENETDOWN, "" },
		{ "tun", -ENETDOWN, "" },
		{ "mlx5_core", XDP_REDIRECT, "" },
	}, remedies[] = {
		{ "veth", -ENXIO, "(not on 5.10) switch GRO on" },
		{ "veth", 0, "since 6.1 one long frame also loses the rest of its bulk" },
		{ "mlx5_core", -ENETDOWN, "The target needs no XDP program" },
	};
	struct snapshot s;

	snapshot_init(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t tp = cases[i].code > 0 ? TP_XDP_EXCEPTION : TP_XDP_DEVMAP_XMIT;
		struct series_key key = made_xmit(3, 4);
		const struct cause *c, *common;

		key.prog_id = 7;
		key.code = cases[i].code;
		set_devices(&s, tp == TP_XDP_EXCEPTION ? cases[i].driver : "",
			    tp == TP_XDP_EXCEPTION ? "" : cases[i].driver, NETDEV_NATIVE);
		c = cause_in(&s, tp, &key);
		common = cause_find(s.kernel, tp, &key);
		if (!strstr(c->meaning, cases[i].part))
			fail_msg("%s: '%s'", cases[i].driver, c->meaning);
		assert_int_equal(c == common, !*cases[i].part);
	}
	for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++) {
		struct series_key key = { .code = remedies[i].code };

		assert_non_null(strstr(driver_cause(driver_find(remedies[i].driver), 0,
						    TP_XDP_DEVMAP_XMIT, &key)
					       ->remedy.text,
				       remedies[i].part));
	}
	snapshot_free(&s);
}

/* Why a device accepts no frames depends on its driver. */
TEST(test_targets)
{
	static const struct {
		const char *driver, *part;
	} cases[] = {
		{ "", "the target cannot transmit XDP frames now" },
		{ "e1000e", "the target cannot transmit XDP frames now" },
		{ "mlx4_en", "never accepts redirected frames" },
		{ "ixgbevf", "never accepts redirected frames" },
		{ "nfp", "never accepts redirected frames" },
		{ "nicvf", "never accepts redirected frames" },
		{ "fbnic", "never accepts redirected frames" },
		{ "virtio_net", "only while it has a native program" },
		{ "igb", "only while it has a native program" },
		{ "veth", "its peer has neither XDP nor GRO" },
		{ "bond", "a slave of the bond" },
		{ "tun", "several buffers" },
		{ "mlx5_core", "LRO or HW-GRO" },
		{ "ena", "half of its channels" },
		{ "mvpp2", "not per CPU" },
	};
	struct series_key key = { .netns = MADE_NETNS,
				  .ifindex = 3,
				  .to_netns = MADE_NETNS,
				  .target = 4,
				  .map_id = SERIES_MAP_ID_IFINDEX,
				  .code = -EOPNOTSUPP };
	struct snapshot s;

	snapshot_init(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct cause *c;

		set_devices(&s, "", cases[i].driver, NETDEV_NATIVE);
		c = cause_in(&s, TP_XDP_REDIRECT_ERR, &key);
		if (!strstr(c->meaning, cases[i].part))
			fail_msg("%s: '%s'", cases[i].driver, c->meaning);
	}
	for (size_t i = 0; i <= TARGET_NEVER; i++)
		check_texts(&target_causes[i]);
	/* in generic mode no driver is involved: the cause is the broadcast */
	set_devices(&s, "", "mlx4_en", NETDEV_GENERIC);
	assert_ptr_equal(cause_in(&s, TP_XDP_REDIRECT_ERR, &key),
			 cause_find(s.kernel, TP_XDP_REDIRECT_ERR, &key));
	snapshot_free(&s);
}

/* Only veth's xdp_bulk_tx is XDP_TX alone; for a NIC ENXIO does not blame a peer. */
TEST(test_repeated)
{
	static const struct {
		const char *driver, *part;
		bool repeats;
	} cases[] = {
		{ "veth", "the veth peer cannot receive", false },
		{ "idpf", "(XDP_TX and redirects; fragments", true },
		{ "new", "a NIC's transmit ring", true },
		{ "", "a NIC's transmit ring", false },
	};
	struct series series = { .tracepoint = TP_XDP_BULK_TX,
				 .key = { .netns = MADE_NETNS, .ifindex = 3, .code = -ENXIO } };
	struct netns_names *names = NULL;
	struct snapshot s;
	char text[16];

	snapshot_init(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct cause *c;

		set_devices(&s, cases[i].driver, "", NETDEV_NATIVE);
		c = cause_in(&s, TP_XDP_BULK_TX, &series.key);
		if (!strstr(c->meaning, cases[i].part))
			fail_msg("%s: '%s'", cases[i].driver, c->meaning);
		check_texts(c);
		assert_int_equal(driver_repeats(&s, &series), cases[i].repeats);
		series_target_text(&s, &series, names, text, sizeof(text));
		assert_string_equal(text, cases[i].repeats ? "TX" : "TX back");
	}
	set_devices(&s, "idpf", "", NETDEV_NATIVE);
	series.tracepoint = TP_XDP_DEVMAP_XMIT;
	assert_false(driver_repeats(&s, &series));
	snapshot_free(&s);
}

/* Exceptions of a devmap entry's program and of generic mode do not come from the driver. */
TEST(test_not_the_drivers)
{
	struct series_key key = {
		.netns = MADE_NETNS, .ifindex = 3, .prog_id = 7, .code = XDP_REDIRECT
	};
	struct snapshot s;

	snapshot_init(&s);
	set_devices(&s, "ixgbevf", "", NETDEV_NATIVE);
	assert_string_equal(driver_behind(&s, TP_XDP_EXCEPTION, &key)->name, "ixgbevf");
	set_devices(&s, "ixgbevf", "", NETDEV_GENERIC);
	assert_null(driver_behind(&s, TP_XDP_EXCEPTION, &key));
	set_devices(&s, "ixgbevf", "", NETDEV_NATIVE);
	key.prog_id = 8;
	assert_null(driver_behind(&s, TP_XDP_EXCEPTION, &key));
	key.ifindex = 99;
	assert_null(driver_behind(&s, TP_XDP_EXCEPTION, &key));
	snapshot_free(&s);
}
