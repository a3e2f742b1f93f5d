// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of the overview: which devices, their results, and the line about all of them. */
#include <errno.h>
#include "diagnose/findings.h"
#include "table/row_kind.h"
#include "unit/made_table.h"
#include "unit/test.h"

static void device(struct made *m, uint32_t ifindex, enum netdev_mode mode)
{
	struct snapshot *of[] = { &m->base, &m->from, &m->to };

	for (int i = 0; i < 3; i++) {
		struct netdev *d = snapshot_add_netdev(of[i]);

		assert_non_null(d);
		*d = (struct netdev){
			.netns = MADE_NETNS, .ifindex = ifindex, .kind = "veth", .mode = mode
		};
		snprintf(d->name, sizeof(d->name), "eth%u", ifindex);
		for (int c = 0; c < NETDEV_COUNTS && mode != NETDEV_NONE; c++)
			netdev_set_count(d, (enum netdev_count)c, 0);
	}
}

/* In the interval of 2 s. */
static void counted(struct made *m, size_t device, enum netdev_count which, uint64_t n)
{
	struct netdev *d = &snapshot_netdevs(&m->to)[device];

	netdev_set_count(d, which, n);
	if (which >= NETDEV_DRIVER_COUNT)
		d->per_s[which - NETDEV_DRIVER_COUNT] = (float)n / 2;
}

static void expect_summary(struct made *m, int width, const char *expected)
{
	char buf[256];

	m->table.options.view->rows->summary(&m->table, width, buf, sizeof(buf));
	assert_string_equal(buf, expected);
}

TABLE_TEST(test_rows)
{
	device(m, 3, NETDEV_NATIVE);
	device(m, 4, NETDEV_NONE);
	device(m, 5, NETDEV_GENERIC);
	/* of a namespace that was not entered; and its target */
	put(m, 1, TP_XDP_DEVMAP_XMIT, made_xmit(8, 9), COUNTS(0), COUNTS(2, 18, 2));
	counted(m, 0, NETDEV_RX_PACKETS, 400);
	build(m, VIEW_OVERVIEW);
	assert_int_equal(m->table.n_rows, 3);
	CELL(0, COL_DEVICE, "eth8");
	CELL(0, COL_LOST_RATE, "1.0");
	CELL(0, COL_PATH_REDIRECT, "10");
	CELL(0, COL_PATH_IN, "-");
	CELL(1, COL_DEVICE, "eth3");
	CELL(1, COL_PATH_IN, "200");
	CELL(1, COL_RESULT, "nothing lost");
	CELL(2, COL_DEVICE, "eth5");
	CELL(2, COL_RESULT, "drops not counted (--verdicts)");
	/* a filter names a device without XDP */
	build_filtered(m, VIEW_OVERVIEW, "ifname=eth4");
	assert_int_equal(m->table.n_rows, 1);
	CELL(0, COL_RESULT, "no XDP, so XDP loses nothing");
	expect_summary(m, 80, "XDP on no device that passes the filter");
}

TABLE_TEST(test_units)
{
	device(m, 3, NETDEV_NATIVE);
	counted(m, 0, NETDEV_XDP_DROP, 400);
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_PATH_DROP, "200");
	m->options.unit = UNIT_PER_INTERVAL;
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_PATH_DROP, "400");
	m->options.unit = UNIT_SINCE_BASELINE;
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_PATH_DROP, "400");
	CELL(0, COL_PATH_PASS, "-");
	m->options.unit = UNIT_PER_SECOND;
	/* a rate needs an interval */
	m->first = true;
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_LOST_RATE, ".");
	CELL(0, COL_RESULT, "program drops 200/s");
	expect_summary(m, 80, "XDP on 1 device: the first interval is not over yet");
}

/* Columns in which every row would have a `-`. */
TABLE_TEST(test_shown_columns)
{
	device(m, 3, NETDEV_GENERIC);
	counted(m, 0, NETDEV_RX_PACKETS, 400);
	build(m, VIEW_OVERVIEW);
	assert_true(table_shows(&m->table, COL_PATH_IN));
	assert_true(table_shows(&m->table, COL_PATH_DROP));
	assert_false(table_shows(&m->table, COL_PATH_TX));
	device(m, 4, NETDEV_NATIVE);
	build(m, VIEW_OVERVIEW);
	assert_false(table_shows(&m->table, COL_PATH_PASS));
	assert_true(table_shows(&m->table, COL_PATH_TX));
	m->options.sort = COL_PATH_PASS;
	build(m, VIEW_OVERVIEW);
	assert_true(table_shows(&m->table, COL_PATH_PASS));
}

/* Its worst finding, unless it is information. */
TABLE_TEST(test_finding)
{
	struct findings f = { 0 };

	device(m, 3, NETDEV_NATIVE);
	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -ENETDOWN), COUNTS(0),
	    COUNTS(20));
	build(m, VIEW_OVERVIEW);
	assert_int_equal(findings_update(&f, &m->rates, NULL), 0);
	m->options.findings = &f;
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_RESULT, "target down: ifindex 4");
	f.finding[0].severity = FINDING_INFO;
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_RESULT, "10/s lost");
	findings_free(&f);
}

TABLE_TEST(test_summary)
{
	build(m, VIEW_OVERVIEW);
	expect_summary(m, 80, "XDP on no known device");
	m->to.netdevs_known = 1;
	build(m, VIEW_OVERVIEW);
	expect_summary(m, 80, "XDP on 0 of 1 device");
	m->to.netdevs_known = 0;
	device(m, 3, NETDEV_NATIVE);
	device(m, 4, NETDEV_NATIVE);
	counted(m, 0, NETDEV_RX_PACKETS, 4000);
	build(m, VIEW_OVERVIEW);
	expect_summary(m, 80, "XDP on 2 devices: 2000/s in, nothing lost");
	m->to.netdevs_known = 23;
	build(m, VIEW_OVERVIEW);
	expect_summary(m, 80, "XDP on 2 of 23 devices: 2000/s in, nothing lost");
	m->to.netns_unreadable = 1;
	build_filtered(m, VIEW_OVERVIEW, "ifname=eth9");
	expect_summary(m, 80, "XDP on no device that passes the filter");
	build(m, VIEW_OVERVIEW);
	expect_summary(m, 80, "XDP on 2 of 23 known devices: 2000/s in, nothing lost");
	m->to.netdevs_known = 0;
	counted(m, 0, NETDEV_XDP_DROP, 400);
	build(m, VIEW_OVERVIEW);
	expect_summary(m, 80,
		       "XDP on 2 devices: 2000/s in, 200/s dropped by programs, nothing lost");
	counted(m, 1, NETDEV_RX_OUT_OF_BUFFER, 40);
	build(m, VIEW_OVERVIEW);
	expect_summary(m, 120,
		       "XDP on 2 devices: 2000/s in, 200/s dropped by programs, 20/s lost before "
		       "XDP, nothing lost by XDP");
	counted(m, 1, NETDEV_RX_OUT_OF_BUFFER, 0);
	put(m, 1, TP_XDP_DEVMAP_XMIT, made_xmit(4, 3), COUNTS(0), COUNTS(2, 18, 40));
	build(m, VIEW_OVERVIEW);
	expect_summary(m, 120,
		       "XDP on 2 devices: 2000/s in, 200/s dropped by programs, 20/s lost: worst "
		       "eth4");
	expect_summary(m, 40, "XDP on 2 devices: 2000/s in, 200/s dropped, 20/s lost");
	/* drops of one device are not counted: nothing is said of losses that are not known */
	m->to.n_series = m->from.n_series = 0;
	snapshot_netdevs(&m->to)[1].counted &= ~BIT(NETDEV_XDP_DROP);
	build(m, VIEW_OVERVIEW);
	expect_summary(m, 120,
		       "XDP on 2 devices: 2000/s in, 200/s dropped by programs, drops not counted "
		       "on 1 (--verdicts)");
}

/* A cpumap loses packets of no known device. */
TABLE_TEST(test_cpumap)
{
	struct series_key key = { .target = 1, .map_type = SERIES_MAP_CPUMAP, .map_id = 5 };

	device(m, 3, NETDEV_NATIVE);
	counted(m, 0, NETDEV_XDP_REDIRECTED, 400);
	put(m, 1, TP_XDP_CPUMAP_ENQUEUE, key, COUNTS(0), COUNTS(40, 400, 100));
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_RESULT, "50/s lost in a cpumap");
	expect_summary(m, 80, "XDP on 1 device: 200/s in, 50/s lost: worst a cpumap");
	/* a device that redirects nothing has no part in it */
	counted(m, 0, NETDEV_XDP_REDIRECTED, 0);
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_RESULT, "nothing lost");
}

/* A series without counts in the row: its CPUs have rows, and nothing is read beyond the counts. */
TABLE_TEST(test_cpus_of_a_sender)
{
	put(m, 1, TP_XDP_DEVMAP_XMIT, made_xmit(8, 9), COUNTS(0), COUNTS(2, 18, 2));
	made_cpu(&m->to, 1, COUNTS(2, 18, 2));
	m->options.per_cpu = true;
	build(m, VIEW_OVERVIEW);
	assert_int_equal(m->table.n_rows, 2);
	CELL(0, COL_DEVICE, "eth8");
	CELL(1, COL_CPU, "1");
}
