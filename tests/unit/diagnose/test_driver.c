// SPDX-License-Identifier: GPL-2.0-or-later
/* Each driver is found by the names that the kernel gives it, and by no other row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "diagnose/driver.h"

static const char *row_of(const char *name)
{
	const struct driver *d = driver_find(name);

	return d ? d->name : "none";
}

static void test_names(void **state)
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
		/* no XDP of their own */
		{ "", "none" },
		{ "bridge", "none" },
		{ "e1000e", "none" },
		{ "veth2", "none" },
		{ "mlx5e_rep", "none" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(row_of(names[i][0]), names[i][1]);
}

/* A name has one row: each of its own patterns, taken as a name, leads back to it. */
static void test_rows(void **state)
{
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
	}
}

static void test_device(void **state)
{
	struct netdev bond = { .kind = "bond" }, none = { 0 };

	assert_null(driver_of(NULL));
	assert_null(driver_of(&none));
	assert_string_equal(driver_of(&bond)->name, "bonding");
	/* it says nothing, whatever happens */
	assert_int_equal(driver_find("gve")->reports & DRIVER_REPORTS, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
