// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of the overview: which devices, their results, and the line about all of them. */
#include <errno.h>
#include <linux/bpf.h>
#include "base/format.h"
#include "diagnose/findings.h"
#include "source/maps.h"
#include "table/view.h"
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

TABLE_TEST(test_first_interval)
{
	device(m, 3, NETDEV_NATIVE);
	counted(m, 0, NETDEV_XDP_DROP, 400);
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_PATH_DROP, "200");
	CELL(0, COL_PATH_PASS, "-");
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

/* Its worst finding, and information only if it has the loss. */
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
	CELL(0, COL_RESULT, "target down: ifindex 4");
	f.finding[0].lost_per_s = 0;
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_RESULT, "10/s lost");
	findings_free(&f);
}

/* A CPU's loss is not 0 because it is counted at the target. */
TABLE_TEST(test_cpus)
{
	device(m, 3, NETDEV_NATIVE);
	put(m, 1, TP_XDP_REDIRECT, made_to_device(3, 4, 5), COUNTS(0), COUNTS(20, 20, 0));
	made_cpu(&m->from, 0, COUNTS(0));
	made_cpu(&m->to, 0, COUNTS(20, 20, 0));
	build(m, VIEW_OVERVIEW);
	m->options.drill = m->table.row[0].id;
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_LOST_RATE, "0");
	put(m, 2, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(0), COUNTS(20, 0, 20));
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_LOST_RATE, "-");
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
	expect_summary(m, 60, "XDP on 2 devices: 2000/s in, 200/s dropped, 20/s lost");
	expect_summary(m, 40, "XDP on 2 devices, 20/s lost");
	/* drops of one device are not counted: nothing is said of losses that are not known */
	m->to.n_series = m->from.n_series = 0;
	snapshot_netdevs(&m->to)[1].counted &= ~BIT(NETDEV_XDP_DROP);
	build(m, VIEW_OVERVIEW);
	expect_summary(m, 120,
		       "XDP on 2 devices: 2000/s in, 200/s dropped by programs, drops not counted "
		       "on 1 (--verdicts)");
}

static void runs(struct made *m, size_t device, uint32_t prog_id)
{
	snapshot_netdevs(&m->from)[device].prog_id = prog_id;
	snapshot_netdevs(&m->to)[device].prog_id = prog_id;
}

/* A cpumap that only one program uses. */
static void cpumap(struct made *m, uint32_t map_id, uint32_t user)
{
	struct map_entry *map = snapshot_add_row(&m->to, DATA_SOURCE_MAPS, sizeof(*map));

	assert_non_null(map);
	*map = (struct map_entry){ .map_id = map_id,
				   .map_type = BPF_MAP_TYPE_CPUMAP,
				   .user = { user },
				   .users_total = 1,
				   .users_known = true };
}

/* It loses packets of the devices whose programs use it: once, however many these are. */
TABLE_TEST(test_cpumap)
{
	struct series_key key = { .target = 1, .map_type = SERIES_MAP_CPUMAP, .map_id = 5 };

	for (uint32_t i = 3; i < 6; i++)
		device(m, i, NETDEV_NATIVE);
	for (size_t i = 0; i < 3; i++)
		counted(m, i, NETDEV_XDP_REDIRECTED, 400);
	runs(m, 0, 42);
	runs(m, 1, 43);
	runs(m, 2, 43);
	cpumap(m, 5, 42);
	put(m, 1, TP_XDP_CPUMAP_ENQUEUE, key, COUNTS(0), COUNTS(40, 400, 100));
	put(m, 2, TP_XDP_CPUMAP_KTHREAD, key, COUNTS(0), COUNTS(40, 300, 20));
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_RESULT, "60/s lost");
	CELL(0, COL_LOST_RATE, "60");
	CELL(1, COL_RESULT, "nothing lost");
	CELL(2, COL_LOST_RATE, "0");
	expect_summary(m, 80, "XDP on 3 devices: 600/s in, 60/s lost: worst eth3");
	build_filtered(m, VIEW_OVERVIEW, "ifname=eth4");
	expect_summary(m, 80, "XDP on 1 device: 200/s in, nothing lost");
	/* a program on two devices; and one whose maps are not known */
	((struct map_entry *)m->to.rows[DATA_SOURCE_MAPS].row)->user[0] = 43;
	for (int known = 1; known >= 0; known--) {
		build(m, VIEW_OVERVIEW);
		CELL(1, COL_RESULT, "up to 60/s lost in a cpumap");
		CELL(1, COL_LOST_RATE, "0");
		CELL(2, COL_RESULT, "up to 60/s lost in a cpumap");
		CELL(0, COL_RESULT, known ? "nothing lost" : "up to 60/s lost in a cpumap");
		expect_summary(m, 80, "XDP on 3 devices: 600/s in, 60/s lost: worst a cpumap");
		build_filtered(m, VIEW_OVERVIEW, "ifname=eth4");
		expect_summary(m, 80, "XDP on 1 device: 200/s in, 60/s lost: worst a cpumap");
		build_filtered(m, VIEW_OVERVIEW, "ifname=eth3");
		expect_summary(m, 80,
			       known ? "XDP on 1 device: 200/s in, nothing lost"
				     : "XDP on 1 device: 200/s in, 60/s lost: worst a cpumap");
		m->to.rows[DATA_SOURCE_MAPS].n = 0;
	}
	/* a device that redirects nothing has no part in it */
	counted(m, 0, NETDEV_XDP_REDIRECTED, 0);
	build_filtered(m, VIEW_OVERVIEW, "ifname=eth3");
	CELL(0, COL_RESULT, "nothing lost");
}

/* What the program of an entry drops is not lost, and not nothing. */
TABLE_TEST(test_cpumap_drops)
{
	struct series_key key = { .target = 1, .map_type = SERIES_MAP_CPUMAP, .map_id = 5 };
	struct series_counters drops = COUNTS(40, 300, 0);

	device(m, 3, NETDEV_NATIVE);
	counted(m, 0, NETDEV_XDP_REDIRECTED, 400);
	runs(m, 0, 42);
	cpumap(m, 5, 42);
	drops.xdp_drop = 100;
	put(m, 1, TP_XDP_CPUMAP_KTHREAD, key, COUNTS(0), drops);
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_RESULT, "program of a cpumap drops 50/s");
	CELL(0, COL_LOST_RATE, "0");
	expect_summary(m, 90, "XDP on 1 device: 200/s in, 50/s dropped by programs, nothing lost");
}

/* A devmap's program aborts: the target's exception and the sender's drop are one packet. */
TABLE_TEST(test_devmap_program)
{
	struct series_key aborted = with_code(made_to_device(9, 0, 0), XDP_ABORTED);

	device(m, 3, NETDEV_NATIVE);
	device(m, 9, NETDEV_NONE);
	counted(m, 0, NETDEV_XDP_REDIRECTED, 4000);
	runs(m, 0, 42);
	aborted.prog_id = 77;
	put(m, 1, TP_XDP_DEVMAP_XMIT, made_xmit(3, 9), COUNTS(0), COUNTS(250, 0, 4000));
	m->to.series[0].to_prog_id = m->from.series[0].to_prog_id = 77;
	put(m, 2, TP_XDP_EXCEPTION, aborted, COUNTS(0), COUNTS(4000));
	build(m, VIEW_OVERVIEW);
	assert_int_equal(m->table.n_rows, 1);
	CELL(0, COL_DEVICE, "eth3");
	CELL(0, COL_LOST_RATE, "2000");
	expect_summary(m, 80, "XDP on 1 device: 2000/s in, 2000/s lost: worst eth3");
	/* Linux 5.12: only the exception has it */
	m->to.series[0].total.drops = 0;
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_DEVICE, "eth9");
	CELL(0, COL_LOST_RATE, "2000");
	expect_summary(m, 80, "XDP on 1 device: 2000/s in, 2000/s lost: worst eth9");
}

/* Packets that a stack drops after XDP: on the device, or where it sends them. */
TABLE_TEST(test_lost_after)
{
	device(m, 3, NETDEV_NATIVE);
	device(m, 4, NETDEV_NONE);
	device(m, 5, NETDEV_NONE);
	snapshot_netdevs(&m->to)[1].peer_netns = MADE_NETNS;
	snapshot_netdevs(&m->to)[1].peer_ifindex = 5;
	netdev_set_count(&snapshot_netdevs(&m->from)[2], NETDEV_RX_OTHERHOST, 7);
	netdev_set_count(&snapshot_netdevs(&m->to)[2], NETDEV_RX_OTHERHOST, 47);
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_RESULT, "nothing lost");
	put(m, 1, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(0), COUNTS(10, 40, 0));
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_RESULT, "no loss seen by XDP; otherhost 20/s on eth5");
	expect_summary(m, 90,
		       "XDP on 1 device: 0/s in, no loss seen by XDP; otherhost 20/s on eth5");
	expect_summary(m, 50, "XDP on 1 device: 0/s in, no loss seen by XDP; otherhost 20/s");
	build_filtered(m, VIEW_OVERVIEW, "ifname=eth4");
	CELL(0, COL_RESULT, "no XDP; a target of redirects");
	counted(m, 0, NETDEV_CSUM_ERRORS, 60);
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_RESULT, "no loss seen by XDP; InCsumErrors 30/s in the netns of eth3");
	counted(m, 0, NETDEV_LISTEN_DROPS, 80);
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_RESULT, "no loss seen by XDP; ListenDrops 40/s in the netns of eth3");
}

static uint32_t random_below(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 16) % n;
}

/* Adds a loss of n packets to devices 3 to 5 in a random way, as all tracepoints report it. */
static void lose(struct made *m, uint32_t *seed, uint64_t n)
{
	struct series_key cpumap = { .target = 1, .map_type = SERIES_MAP_CPUMAP, .map_id = 5 };
	struct series_key aborted = with_code(made_to_device(9, 0, 0), XDP_ABORTED);
	uint32_t from = 3 + random_below(seed, 3);
	uint64_t id = m->to.n_series + 1;

	aborted.prog_id = 77;
	switch (random_below(seed, 6)) {
	case 0:
		put(m, id, TP_XDP_REDIRECT_ERR, with_code(made_to_device(from, 9, 5), -ENETDOWN),
		    COUNTS(0), COUNTS(n));
		break;
	case 1:
		put(m, id, TP_XDP_EXCEPTION, with_code(made_to_device(from, 0, 0), XDP_ABORTED),
		    COUNTS(0), COUNTS(n));
		break;
	case 2:
		put(m, id, TP_XDP_BULK_TX, made_to_device(from, 0, 0), COUNTS(0), COUNTS(1, 0, n));
		break;
	case 3: /* by a devmap's program */
		put(m, id, TP_XDP_EXCEPTION, aborted, COUNTS(0), COUNTS(n));
		id++;
		/* fallthrough */
	case 4:
		put(m, id, TP_XDP_DEVMAP_XMIT, made_xmit(from, 9), COUNTS(0), COUNTS(1, 0, n));
		m->to.series[id - 1].to_prog_id = m->from.series[id - 1].to_prog_id = 77;
		break;
	default:
		put(m, id, random_below(seed, 2) ? TP_XDP_CPUMAP_ENQUEUE : TP_XDP_CPUMAP_KTHREAD,
		    cpumap, COUNTS(0), COUNTS(1, 0, n));
	}
}

/* What the rows and the line above them say, whatever is lost and whatever is switched off. */
TABLE_TEST(test_claims)
{
	static const uint32_t rests_on[] = { TP_XDP_REDIRECT_ERR,   TP_XDP_EXCEPTION,
					     TP_XDP_BULK_TX,        TP_XDP_DEVMAP_XMIT,
					     TP_XDP_CPUMAP_ENQUEUE, TP_XDP_CPUMAP_KTHREAD };
	uint32_t seed = 20261128;

	for (uint32_t i = 3; i < 6; i++)
		device(m, i, NETDEV_NATIVE);
	device(m, 9, NETDEV_NONE);
	for (size_t i = 0; i < 3; i++) {
		counted(m, i, NETDEV_XDP_REDIRECTED, 40000);
		runs(m, i, i ? 43 : 42);
		/* which this driver does not have */
		for (size_t k = NETDEV_XDP_ABORTED; k <= NETDEV_XDP_REDIRECT_ERRORS; k++)
			if (k != NETDEV_XDP_REDIRECTED)
				snapshot_netdevs(&m->to)[i].counted &= ~BIT(k);
	}
	cpumap(m, 5, 42);
	for (int round = 0; round < 1000; round++) {
		struct map_entry *map = m->to.rows[DATA_SOURCE_MAPS].row;
		uint32_t losses = random_below(&seed, 4), off = random_below(&seed, 12);
		char summary[256], expected[64], rate[16];
		uint64_t lost = 0;

		map->user[0] = 42 + random_below(&seed, 2);
		m->from.n_series = m->to.n_series = 0;
		for (uint32_t i = 0; i < losses; i++) {
			uint64_t n = 2 * (1 + random_below(&seed, 500));

			lose(m, &seed, n);
			lost += n;
		}
		if (off < 6)
			made_off(&m->to, rests_on[off],
				 (enum tp_state[]){ TP_OFF, TP_SHED, TP_FAILED,
						    TP_MISSING }[random_below(&seed, 4)]);
		else if (off < 8) /* on again */
			m->to.tp[rests_on[off - 6]].on_ns = m->from.mono_ns + MADE_S;
		else if (off == 8)
			m->to.tp[rests_on[random_below(&seed, 6)]].missed++;
		build(m, VIEW_OVERVIEW);
		m->table.options.view->rows->summary(&m->table, 200, summary, sizeof(summary));
		if (off >= 9) { /* all is counted */
			format_rate(rate, sizeof(rate), (double)lost / 2, NUMBER_SI);
			snprintf(expected, sizeof(expected), ", %s/s lost", rate);
			if (!strstr(summary, lost ? expected : ", nothing lost"))
				fail_msg("round %d: %s; lost: %s", round, summary, rate);
		} else if (strstr(summary, "nothing lost")) {
			fail_msg("round %d: %s", round, summary);
		}
		for (size_t i = 0; i < m->table.n_rows; i++)
			if (off < 9 && strstr(text(m, i, COL_RESULT), "nothing lost") &&
			    (off < 4 || off == 6 || off == 7))
				fail_msg("round %d: row %zu", round, i);
		for (size_t i = 0; i < 6; i++) {
			made_on(&m->to, rests_on[i]);
			m->to.tp[rests_on[i]].missed = 0;
		}
	}
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
