// SPDX-License-Identifier: GPL-2.0-or-later
/* Which rows there are, their order, and their CPUs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "unit/made_table.h"
#include "unit/test.h"

TABLE_TEST(test_overview_has_every_tracepoint)
{
	build(m, VIEW_TRACEPOINTS);
	/* without unused generic rows, and without verdicts, which were not requested */
	assert_int_equal(m->table.n_rows, TP_VERDICTS);
	for (size_t i = 0; i < m->table.n_rows; i++) {
		assert_int_equal(m->table.row[i].tracepoint, i);
		CELL(i, COL_TRACEPOINT, tracepoints[i].name);
		assert_true(m->table.row[i].id != 0);
		for (size_t j = 0; j < i; j++)
			assert_true(m->table.row[i].id != m->table.row[j].id);
	}
	CELL(row_of(m, TP_XDP_REDIRECT), COL_KEY, "3");
	CELL(row_of(m, TP_MEM_CONNECT), COL_KEY, "-");
	/* a generic row with a tracepoint is shown */
	strcpy(m->to.tp[TP_OTHER + 1].name, "xdp_new_thing");
	m->to.tp[TP_OTHER + 1].state = TP_ON;
	build(m, VIEW_TRACEPOINTS);
	assert_int_equal(m->table.n_rows, TP_VERDICTS + 1);
	CELL(TP_VERDICTS, COL_TRACEPOINT, "xdp_new_thing");
	strcpy(m->to.tp[TP_VERDICTS].name, TP_VERDICTS_NAME);
	m->to.tp[TP_VERDICTS].state = TP_ON;
	build(m, VIEW_TRACEPOINTS);
	CELL(TP_VERDICTS, COL_TRACEPOINT, "verdicts");
	CELL(TP_VERDICTS, COL_KEY, "V");
	CELL(TP_VERDICTS + 1, COL_TRACEPOINT, "xdp_new_thing");
}

/* Ids do not depend on the rest of the snapshot, and differ between rows. */
TABLE_TEST(test_ids_are_stable)
{
	uint64_t id;

	put(m, 5, TP_XDP_DEVMAP_XMIT, made_xmit(1, 2), COUNTS(0), COUNTS(1, 1));
	build(m, VIEW_FLOWS);
	id = m->table.row[0].id;
	assert_int_equal(table_find(&m->table, id), 0);
	assert_int_equal(table_find(&m->table, id + 1), -1);
	for (uint64_t i = 0; i < 500; i++)
		put(m, 6 + i, TP_XDP_DEVMAP_XMIT, made_xmit(1, 3 + (uint32_t)i), COUNTS(0),
		    COUNTS(1, 1 + i));
	strcpy(m->to.series[0].ifname, "renamed");
	m->options.sort = COL_PACKETS_RATE;
	m->options.descending = true;
	build(m, VIEW_FLOWS);
	assert_int_equal(m->table.n_rows, 501);
	assert_int_equal(table_find(&m->table, id), 499); /* a tie: it was there first */
	for (size_t i = 0; i < m->table.n_rows; i++)
		assert_int_equal(table_find(&m->table, m->table.row[i].id), i);
}

static void expect_order(struct made *m, const char *devices)
{
	char buf[128] = "";

	for (size_t i = 0; i < m->table.n_rows; i++) {
		strcat(buf, i ? " " : "");
		strcat(buf, text(m, i, COL_DEVICE));
	}
	assert_string_equal(buf, devices);
}

/* The value of a caller's own column. */
static double caller_value(const void *ctx, const struct row *row)
{
	const struct made *m = ctx;
	const double values[] = { 5, NAN, 7 };

	return values[m->to.series[m->table.series_idx[row->series_idx]].key.ifindex - 1];
}

TABLE_TEST(test_sort_by_what_the_caller_knows)
{
	for (uint32_t i = 0; i < 3; i++)
		put(m, i + 1, TP_NET_DEV_QUEUE,
		    (struct series_key){ .netns = MADE_NETNS, .ifindex = i + 1 }, COUNTS(0),
		    COUNTS(1, 1));
	m->options.sort = COLUMN_COUNT;
	m->options.sort_value = caller_value;
	m->options.sort_ctx = m;
	build(m, VIEW_STACK);
	expect_order(m, "eth1 eth3 eth2");
	m->options.descending = true;
	build(m, VIEW_STACK);
	expect_order(m, "eth3 eth1 eth2");
}

/*
 * Known rows keep their order, and a new one is inserted by its key; without the option all are
 * sorted.
 */
TABLE_TEST(test_kept_order)
{
	m->options.sort = COL_PACKETS_RATE;
	m->options.descending = true;
	for (uint32_t i = 0; i < 3; i++)
		put(m, i + 1, TP_NET_DEV_QUEUE,
		    (struct series_key){ .netns = MADE_NETNS, .ifindex = i + 1 }, COUNTS(0),
		    COUNTS(1, 10 * (i + 1)));
	build(m, VIEW_STACK);
	expect_order(m, "eth3 eth2 eth1");
	for (uint32_t i = 0; i < 3; i++)
		m->to.series[i].total = COUNTS(2, 100 / (i + 1));
	put(m, 4, TP_NET_DEV_QUEUE, (struct series_key){ .netns = MADE_NETNS, .ifindex = 4 },
	    COUNTS(0), COUNTS(1, 40));
	m->options.keep_order = true;
	build(m, VIEW_STACK);
	expect_order(m, "eth3 eth2 eth4 eth1");
	/* it is the order of the last build, whatever it was sorted by */
	m->options.keep_order = false;
	build(m, VIEW_STACK);
	expect_order(m, "eth1 eth2 eth4 eth3");
	m->options.keep_order = true;
	m->options.descending = false;
	build(m, VIEW_STACK);
	expect_order(m, "eth1 eth2 eth4 eth3");
	/* a rate that fell to 0 is at once below the others, and above them when it rises again */
	m->options.descending = true;
	m->to.series[0].total = COUNTS(1, 0);
	build(m, VIEW_STACK);
	expect_order(m, "eth2 eth4 eth3 eth1");
	m->to.series[0].total = COUNTS(2, 100);
	build(m, VIEW_STACK);
	expect_order(m, "eth1 eth2 eth4 eth3");
}

TABLE_TEST(test_sort_numbers)
{
	static const uint64_t packets[] = { 7, 1, 7, UINT64_MAX, UINT64_MAX - 1 };

	for (uint32_t i = 0; i < 5; i++)
		put(m, i + 1, TP_NET_DEV_QUEUE,
		    (struct series_key){ .netns = MADE_NETNS, .ifindex = i + 1 }, COUNTS(0),
		    COUNTS(1, packets[i]));
	build(m, VIEW_STACK);
	expect_order(m, "eth1 eth2 eth3 eth4 eth5");
	m->options.sort = COL_PACKETS;
	build(m, VIEW_STACK);
	/* ties stay as they were; counts are compared to the last digit */
	expect_order(m, "eth2 eth1 eth3 eth5 eth4");
	m->options.descending = true;
	build(m, VIEW_STACK);
	expect_order(m, "eth4 eth5 eth1 eth3 eth2");
	m->options.sort = -1;
	build(m, VIEW_STACK);
	expect_order(m, "eth5 eth4 eth3 eth2 eth1");
}

TABLE_TEST(test_sort_text)
{
	static const uint32_t ifindex[] = { 10, 2, 9, 1 };

	for (uint32_t i = 0; i < 4; i++)
		put(m, i + 1, TP_NET_DEV_QUEUE,
		    (struct series_key){ .netns = MADE_NETNS, .ifindex = ifindex[i] }, COUNTS(0),
		    COUNTS(1, 1));
	m->options.sort = COL_DEVICE;
	build(m, VIEW_STACK);
	/* in natural order */
	expect_order(m, "eth1 eth2 eth9 eth10");
	m->options.descending = true;
	build(m, VIEW_STACK);
	expect_order(m, "eth10 eth9 eth2 eth1");
}

TABLE_TEST(test_unknown_last)
{
	made_on(&m->from, TP_XDP_REDIRECT);
	made_on(&m->to, TP_XDP_REDIRECT);
	put(m, 1, TP_XDP_REDIRECT, made_to_device(1, 9, 0), COUNTS(0), COUNTS(5)); /* n/a */
	put(m, 2, TP_XDP_DEVMAP_XMIT, made_xmit(2, 9), COUNTS(0), COUNTS(1, 0, 3));
	put(m, 3, TP_XDP_REDIRECT, made_to_device(3, 9, 0), COUNTS(0), COUNTS(5)); /* n/a */
	put(m, 4, TP_XDP_DEVMAP_XMIT, made_xmit(4, 9), COUNTS(0), COUNTS(1, 1, 0));
	m->options.sort = COL_DROPS_RATE;
	build(m, VIEW_FLOWS);
	expect_order(m, "eth4 eth2 eth1 eth3");
	m->options.descending = true;
	build(m, VIEW_FLOWS);
	expect_order(m, "eth2 eth4 eth1 eth3");
	/* nothing is known yet: table order */
	m->first = true;
	build(m, VIEW_FLOWS);
	expect_order(m, "eth1 eth2 eth3 eth4");
}

/* Two members on non-adjacent CPUs; the first had no events on CPU 7. */
static void put_cpus(struct made *m)
{
	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(made_to_device(1, 2, 0), -ENETDOWN), COUNTS(30),
	    COUNTS(90));
	made_cpu(&m->from, 0, COUNTS(10));
	made_cpu(&m->from, 7, COUNTS(20));
	made_cpu(&m->to, 0, COUNTS(40));
	made_cpu(&m->to, 3, COUNTS(30));
	made_cpu(&m->to, 7, COUNTS(20));
	put(m, 2, TP_XDP_REDIRECT_ERR, with_code(made_to_device(1, 2, 0), -EMSGSIZE), COUNTS(0),
	    COUNTS(140));
	made_cpu(&m->to, 3, COUNTS(130));
	made_cpu(&m->to, 200, COUNTS(10));
}

TABLE_TEST(test_drill)
{
	uint64_t id;

	put_cpus(m);
	build(m, VIEW_TRACEPOINTS);
	id = m->table.row[TP_XDP_REDIRECT_ERR].id;
	assert_int_equal(m->table.n_rows, TP_VERDICTS);
	/* values of one of many members would be wrong for the row */
	CELL(TP_XDP_REDIRECT_ERR, COL_ERROR, "several");
	CELL(TP_XDP_REDIRECT_ERR, COL_TARGET, "ifindex 2");
	CELL(TP_XDP_REDIRECT_ERR, COL_CPU, "-");
	CELL(TP_XDP_REDIRECT_ERR, COL_SHARE, "-");
	m->options.drill = id;
	build(m, VIEW_TRACEPOINTS);
	assert_int_equal(m->table.n_rows, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_true(m->table.row[i].parent == id);
		assert_true(m->table.row[i].id != id);
		assert_int_equal(m->table.row[i].tracepoint, TP_XDP_REDIRECT_ERR);
		assert_int_equal(m->table.row[i].n_cpus, 4);
	}
	CELL(0, COL_CPU, "0");
	CELL(1, COL_CPU, "3");
	CELL(2, COL_CPU, "7");
	CELL(3, COL_CPU, "200");
	/* 30 + 160 + 0 + 10 of 200 events */
	CELL(0, COL_EVENTS_RATE, "15");
	CELL(1, COL_EVENTS_RATE, "80");
	CELL(2, COL_EVENTS_RATE, "0");
	CELL(3, COL_EVENTS_RATE, "5.0");
	CELL(0, COL_SHARE, "15.0");
	CELL(1, COL_SHARE, "80.0");
	CELL(2, COL_SHARE, "0");
	CELL(1, COL_EVENTS, "160");
	CELL(2, COL_EVENTS, "20");
	CELL(1, COL_DROPS_RATE, "80");
	CELL(1, COL_NS, "-");
	CELL(0, COL_LAST_SEEN, "-");
	CELL(1, COL_LAST_SEEN, "-");
	m->options.sort = COL_SHARE;
	m->options.descending = true;
	build(m, VIEW_TRACEPOINTS);
	CELL(0, COL_CPU, "3");
	CELL(3, COL_CPU, "7");
	/* nothing was counted in the interval, so there is no share */
	snapshot_copy(&m->from, &m->to);
	m->from.mono_ns -= MADE_S;
	for (int i = 0; i < TP_COUNT; i++)
		m->from.tp[i].on_ns -= m->from.tp[i].on_ns ? MADE_S : 0;
	build(m, VIEW_TRACEPOINTS);
	CELL(0, COL_EVENTS_RATE, "0");
	CELL(0, COL_SHARE, "-");
	m->first = true;
	build(m, VIEW_TRACEPOINTS);
	CELL(0, COL_SHARE, ".");
	/* the row is gone */
	m->options.drill = id + 1;
	build(m, VIEW_TRACEPOINTS);
	assert_int_equal(m->table.n_rows, 0);
}

TABLE_TEST(test_per_cpu)
{
	uint64_t ids[2];

	put_cpus(m);
	m->options.per_cpu = true;
	m->options.sort = COL_ERRORS_RATE;
	m->options.descending = true;
	build(m, VIEW_ERRORS);
	/* EMSGSIZE 70/s with CPUs 3, 200; ENETDOWN 30/s with CPUs 0, 3, 7 */
	assert_int_equal(m->table.n_rows, 7);
	CELL(0, COL_ERROR, "EMSGSIZE");
	CELL(0, COL_CPU, "-");
	CELL(0, COL_ERRORS_RATE, "70");
	CELL(1, COL_CPU, "3");
	CELL(1, COL_ERROR, "EMSGSIZE");
	CELL(1, COL_ERRORS_RATE, "65");
	CELL(2, COL_CPU, "200");
	CELL(3, COL_ERROR, "ENETDOWN");
	CELL(3, COL_CPU, "-");
	CELL(4, COL_CPU, "0");
	CELL(5, COL_CPU, "3");
	CELL(6, COL_CPU, "7");
	CELL(6, COL_ERRORS_RATE, "0");
	assert_true(m->table.row[1].parent == m->table.row[0].id);
	assert_true(m->table.row[4].parent == m->table.row[3].id);
	/* the same CPU in two rows */
	assert_true(m->table.row[1].id != m->table.row[5].id);
	ids[0] = m->table.row[1].id;
	ids[1] = m->table.row[5].id;
	m->options.sort = -1;
	m->options.descending = false;
	build(m, VIEW_ERRORS);
	assert_true(table_find(&m->table, ids[0]) >= 0);
	assert_true(table_find(&m->table, ids[1]) >= 0);
	/* rows without CPUs (recorded without them) have none */
	m->to.series[0].n_cpu = m->to.series[1].n_cpu = 0;
	build(m, VIEW_ERRORS);
	assert_int_equal(m->table.n_rows, 2);
}

/* Of hundreds of CPUs, those with events in the interval, the busiest first. */
TABLE_TEST(test_idle_cpus_are_folded)
{
	uint64_t id;

	put(m, 1, TP_NET_DEV_QUEUE, (struct series_key){ .netns = MADE_NETNS, .ifindex = 1 },
	    COUNTS(400, 400), COUNTS(460, 460));
	for (uint32_t cpu = 0; cpu < 400; cpu++) {
		made_cpu(&m->from, cpu, COUNTS(1, 1));
		made_cpu(&m->to, cpu,
			 cpu == 3     ? COUNTS(11, 11)
			 : cpu == 333 ? COUNTS(51, 51)
				      : COUNTS(1, 1));
	}
	m->options.per_cpu = m->options.fold = true;
	build(m, VIEW_STACK);
	assert_int_equal(m->table.n_rows, 3);
	assert_int_equal(m->table.folded, 398);
	CELL(1, COL_CPU, "3");
	CELL(2, COL_CPU, "333");
	/* the mark of a busy CPU still compares it to all CPUs */
	assert_int_equal(m->table.row[1].n_cpus, 400);
	m->options.all = true;
	build(m, VIEW_STACK);
	assert_int_equal(m->table.n_rows, 401);
	assert_int_equal(m->table.folded, 0);
	CELL(4, COL_CPU, "3");
	m->options.all = false;
	/* drilled rows are sorted as well */
	id = m->table.row[0].id;
	m->options.per_cpu = false;
	m->options.drill = id;
	m->options.sort = COL_CPU;
	build(m, VIEW_STACK);
	assert_int_equal(m->table.n_rows, 2);
	CELL(0, COL_CPU, "3");
	/* before an interval nothing is known */
	m->first = true;
	build(m, VIEW_STACK);
	assert_int_equal(m->table.n_rows, 400);
}

/* A few CPUs are always all shown. */
TABLE_TEST(test_few_cpus_are_not_folded)
{
	put(m, 1, TP_NET_DEV_QUEUE, (struct series_key){ .netns = MADE_NETNS, .ifindex = 1 },
	    COUNTS(16, 16), COUNTS(16, 16));
	for (uint32_t cpu = 0; cpu < TABLE_FOLD; cpu++) {
		made_cpu(&m->from, cpu, COUNTS(1, 1));
		made_cpu(&m->to, cpu, COUNTS(1, 1));
	}
	m->options.per_cpu = m->options.fold = true;
	build(m, VIEW_STACK);
	assert_int_equal(m->table.n_rows, 1 + TABLE_FOLD);
	assert_int_equal(m->table.folded, 0);
}

/* Many rows with many CPUs: arrays grow without loss. */
TABLE_TEST(test_many_cpus)
{
	size_t row = 0;

	for (uint32_t i = 0; i < 100; i++) {
		put(m, i + 1, TP_NET_DEV_QUEUE,
		    (struct series_key){ .netns = MADE_NETNS, .ifindex = i + 1 }, COUNTS(0),
		    COUNTS(100, 100));
		for (uint32_t cpu = 0; cpu < i % 7; cpu++)
			made_cpu(&m->to, cpu * 3 + i, COUNTS(i + cpu, 1));
	}
	m->options.per_cpu = true;
	for (int round = 0; round < 2; round++) {
		build(m, VIEW_STACK);
		row = 0;
		for (uint32_t i = 0; i < 100; i++) {
			assert_int_equal(m->table.row[row].cpu, -1);
			assert_int_equal(m->table.row[row++].order, i + 1);
			for (uint32_t cpu = 0; cpu < i % 7; cpu++, row++) {
				struct cell cell;

				assert_int_equal(m->table.row[row].cpu, cpu * 3 + i);
				table_cell(&m->table, row, COL_EVENTS, &cell);
				assert_int_equal(cell.count, i + cpu);
			}
		}
		assert_int_equal(m->table.n_rows, row);
	}
}

/* Every column of every view has a cell for every row, drilled into or not. */
TABLE_TEST(test_every_cell)
{
	put_cpus(m);
	put(m, 3, TP_XDP_DEVMAP_XMIT, made_xmit(1, 2), COUNTS(0), COUNTS(4, 40, 4));
	m->options.all = true;
	for (int drill = 0; drill < 2; drill++) {
		m->options.per_cpu = drill;
		for (int view = 0; view < VIEW_COUNT; view++) {
			build(m, (enum view_id)view);
			for (size_t row = 0; row < m->table.n_rows; row++)
				for (int column = 0; column < COLUMN_COUNT; column++)
					assert_non_null(text(m, row, (enum column_id)column));
			for (int column = 0; column < COLUMN_COUNT; column++) {
				m->options.sort = column;
				build(m, (enum view_id)view);
			}
			m->options.sort = -1;
		}
	}
}

TABLE_TEST(test_empty)
{
	m->options.per_cpu = true;
	build(m, VIEW_FLOWS);
	assert_int_equal(m->table.n_rows, 0);
	assert_int_equal(table_find(&m->table, 1), -1);
	m->options.drill = 5;
	build(m, VIEW_ERRORS);
	assert_int_equal(m->table.n_rows, 0);
	table_free(&m->table);
	table_free(&m->table);
	table_free(NULL);
}
