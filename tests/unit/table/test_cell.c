// SPDX-License-Identifier: GPL-2.0-or-later
/* Cells: every number comes from the tracepoints of its column, and unknown is not 0. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "diagnose/findings.h"
#include "table/table_internal.h"
#include "unit/made_table.h"
#include "unit/test.h"

TABLE_TEST(test_overview_numbers)
{
	size_t row;

	put(m, 1, TP_XDP_DEVMAP_XMIT, made_xmit(1, 2), COUNTS(10, 100, 5), COUNTS(30, 400, 11));
	put(m, 2, TP_XDP_DEVMAP_XMIT, made_xmit(1, 3), COUNTS(1, 16), COUNTS(1, 16));
	m->to.tp[TP_XDP_DEVMAP_XMIT].ns_per_event = 37.25;
	m->to.tp[TP_XDP_DEVMAP_XMIT].cpu_percent = 1.5;
	build(m, VIEW_TRACEPOINTS);
	row = row_of(m, TP_XDP_DEVMAP_XMIT);
	CELL(row, COL_EVENTS_RATE, "10");
	CELL(row, COL_PACKETS_RATE, "150");
	CELL(row, COL_DROPS_RATE, "3.0");
	CELL(row, COL_EVENTS, "31");
	CELL(row, COL_PACKETS, "416");
	CELL(row, COL_DROPS, "11");
	CELL(row, COL_BULK, "15.3"); /* (300 sent + 6 dropped) / 20 bulks */
	CELL(row, COL_NS, "37.3");
	CELL(row, COL_CPU_PERCENT, "1.5");
	CELL(row, COL_LAST_SEEN, "0s");
	CELL(row, COL_STATE, "on");
	CELL(row, COL_REASON, "");
	CELL(row, COL_TARGET, "several");
	CELL(row, COL_DEVICE, "eth1");
	/* watched and silent is 0; quantities that it does not count are - */
	row = row_of(m, TP_XDP_EXCEPTION);
	CELL(row, COL_EVENTS_RATE, "0");
	CELL(row, COL_DROPS, "0");
	CELL(row, COL_BYTES_RATE, "-");
	CELL(row, COL_BULK, "-");
	CELL(row, COL_LAST_SEEN, "-");
	/* on, but its cost has not yet been measured */
	CELL(row, COL_NS, ".");
	row = row_of(m, TP_LINK_ATTACH_FAILED);
	CELL(row, COL_EVENTS_RATE, "0");
	CELL(row, COL_PACKETS_RATE, "-");
	CELL(row, COL_DROPS, "-");
}

/* Rates are per second of the interval, totals since the start or the baseline. */
TABLE_TEST(test_rates_and_totals)
{
	made_series(&m->base, 1, TP_XDP_REDIRECT_ERR, made_to_device(1, 2, 0), COUNTS(4));
	put(m, 1, TP_XDP_REDIRECT_ERR, made_to_device(1, 2, 0), COUNTS(10), COUNTS(31));
	build(m, VIEW_TRACEPOINTS);
	CELL(1, COL_DROPS_RATE, "11"); /* 21 / 2 s */
	CELL(1, COL_DROPS, "31");
	m->with_base = true;
	build(m, VIEW_TRACEPOINTS);
	CELL(1, COL_DROPS_RATE, "11");
	CELL(1, COL_EVENTS, "27");
	/* the first sample has totals, but no rates */
	m->first = true;
	build(m, VIEW_TRACEPOINTS);
	CELL(1, COL_DROPS_RATE, ".");
	CELL(1, COL_EVENTS_RATE, ".");
	CELL(1, COL_EVENTS, "27");
}

TABLE_TEST(test_states_of_the_unknown)
{
	size_t row = TP_XDP_REDIRECT;

	/* off from the start */
	build(m, VIEW_TRACEPOINTS);
	CELL(row, COL_STATE, "off");
	CELL(row, COL_EVENTS_RATE, "off");
	CELL(row, COL_PACKETS_RATE, "off");
	CELL(row, COL_DROPS_RATE, "-"); /* never has one, on or off */
	CELL(row, COL_EVENTS, "off");
	CELL(row, COL_NS, "off");
	CELL(row, COL_CPU_PERCENT, "off");
	CELL(row, COL_LAST_SEEN, "off");
	/* was on, now off: no rate, but a total and a measured cost */
	put(m, 1, TP_XDP_REDIRECT, made_to_device(1, 2, 0), COUNTS(500), COUNTS(500));
	m->from.tp[TP_XDP_REDIRECT].on_ns = m->to.tp[TP_XDP_REDIRECT].on_ns = 3 * MADE_S;
	m->to.tp[TP_XDP_REDIRECT].ns_per_event = 36;
	m->to.tp[TP_XDP_REDIRECT].state = TP_SHED;
	strcpy(m->to.tp[TP_XDP_REDIRECT].reason, "7.1 % of CPU 3, budget 5 %");
	build(m, VIEW_TRACEPOINTS);
	CELL(row, COL_STATE, "shed");
	CELL(row, COL_EVENTS_RATE, "off");
	CELL(row, COL_EVENTS, "500");
	CELL(row, COL_NS, "36.0");
	CELL(row, COL_CPU_PERCENT, "off");
	CELL(row, COL_REASON, "7.1 % of CPU 3, budget 5 %");
	/* since a later baseline it counted nothing, and was not watched */
	m->base.tp[TP_XDP_REDIRECT] = m->from.tp[TP_XDP_REDIRECT];
	m->with_base = true;
	build(m, VIEW_TRACEPOINTS);
	CELL(row, COL_EVENTS, "off");
	m->with_base = false;
	/* on for half of the interval: its rate is over that half */
	m->to.tp[TP_XDP_REDIRECT].on_ns = 4 * MADE_S;
	m->to.tp[TP_XDP_REDIRECT].events = m->to.series[0].total.events = 530;
	build(m, VIEW_TRACEPOINTS);
	CELL(row, COL_EVENTS_RATE, "30");
	/* counted nothing in that half; the other half is unknown */
	m->from.tp[TP_XDP_REDIRECT].events = m->from.series[0].total.events = 530;
	build(m, VIEW_TRACEPOINTS);
	CELL(row, COL_EVENTS_RATE, "off");
	m->to.tp[TP_XDP_REDIRECT].state = TP_ON;
	build(m, VIEW_TRACEPOINTS);
	CELL(row, COL_EVENTS_RATE, ".");
	m->to.tp[TP_XDP_REDIRECT].on_ns = 5 * MADE_S;
	build(m, VIEW_TRACEPOINTS);
	CELL(row, COL_EVENTS_RATE, "0");
	/* being switched */
	m->to.tp[TP_XDP_REDIRECT].state = TP_OFF;
	m->to.tp[TP_XDP_REDIRECT].pending = true;
	build(m, VIEW_TRACEPOINTS);
	CELL(row, COL_STATE, "off...");
	/* not in this kernel */
	made_off(&m->to, TP_XDP_BULK_TX, TP_MISSING);
	made_off(&m->to, TP_XDP_EXCEPTION, TP_FAILED);
	made_off(&m->from, TP_XDP_EXCEPTION, TP_FAILED);
	build(m, VIEW_TRACEPOINTS);
	CELL(TP_XDP_BULK_TX, COL_EVENTS_RATE, "n/a");
	CELL(TP_XDP_BULK_TX, COL_EVENTS, "n/a");
	CELL(TP_XDP_BULK_TX, COL_NS, "n/a");
	CELL(TP_XDP_BULK_TX, COL_LAST_SEEN, "n/a");
	CELL(TP_XDP_EXCEPTION, COL_EVENTS_RATE, "off");
	CELL(TP_XDP_EXCEPTION, COL_EVENTS, "off");
	strcpy(m->to.tp[TP_XDP_EXCEPTION].reason, "because");
	CELL(TP_XDP_EXCEPTION, COL_STATE, "failed");
	CELL(TP_XDP_EXCEPTION, COL_REASON, "because");
	/* also at the first sample: it does not show "not yet" for what will never come */
	m->first = true;
	build(m, VIEW_TRACEPOINTS);
	CELL(TP_XDP_BULK_TX, COL_EVENTS_RATE, "n/a");
	CELL(TP_XDP_EXCEPTION, COL_EVENTS_RATE, "off");
	CELL(TP_XDP_REDIRECT_ERR, COL_EVENTS_RATE, ".");
}

static size_t error_row(struct made *m, uint32_t tp, const char *error)
{
	for (size_t i = 0; i < m->table.n_rows; i++)
		if (m->table.row[i].tracepoint == (int)tp && !strcmp(text(m, i, COL_ERROR), error))
			return i;
	fail_msg("no row %u %s", tp, error);
	return 0;
}

TABLE_TEST(test_errors)
{
	struct series_key key = made_to_device(1, 2, 5);
	size_t row;

	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(key, -EOPNOTSUPP), COUNTS(0), COUNTS(10));
	put(m, 2, TP_XDP_REDIRECT_ERR, with_code(key, -4000), COUNTS(0), COUNTS(2));
	put(m, 3, TP_XDP_EXCEPTION, with_code(key, 0), COUNTS(0), COUNTS(4));
	put(m, 4, TP_XDP_EXCEPTION, with_code(key, 77), COUNTS(0), COUNTS(6));
	/* sent without loss: not an error */
	put(m, 5, TP_XDP_DEVMAP_XMIT, made_xmit(1, 2), COUNTS(0), COUNTS(8, 100));
	put(m, 6, TP_XDP_DEVMAP_XMIT, made_xmit(1, 3), COUNTS(0), COUNTS(8, 100, 12));
	put(m, 7, TP_XDP_DEVMAP_XMIT, with_code(made_xmit(1, 3), -ENXIO), COUNTS(0),
	    COUNTS(1, 0, 16));
	key = (struct series_key){ .target = 3, .map_type = SERIES_MAP_CPUMAP, .map_id = 17 };
	put(m, 8, TP_XDP_CPUMAP_ENQUEUE, key, COUNTS(0), COUNTS(1, 8, 7));
	put(m, 9, TP_XDP_CPUMAP_KTHREAD, key, COUNTS(0), COUNTS(100, 800, 0));
	key = (struct series_key){ .netns = MADE_NETNS };
	put(m, 10, TP_LINK_ATTACH_FAILED, key, COUNTS(1), COUNTS(2));
	put(m, 11, TP_XDP_REDIRECT, made_to_device(1, 2, 5), COUNTS(0), COUNTS(1000));
	/* a recording can have it, but -INT_MIN does not exist */
	put(m, 12, TP_XDP_REDIRECT_ERR, with_code(made_to_device(1, 2, 5), INT_MIN), COUNTS(0),
	    COUNTS(3));
	build(m, VIEW_ERRORS);
	assert_int_equal(m->table.n_rows, 9);
	error_row(m, TP_XDP_REDIRECT_ERR, "errno 2147483648");
	row = error_row(m, TP_XDP_REDIRECT_ERR, "EOPNOTSUPP");
	CELL(row, COL_ERRORS_RATE, "5.0");
	CELL(row, COL_ERRORS, "10");
	CELL(row, COL_DEVICE, "eth1");
	CELL(row, COL_MEANING, "the target cannot transmit XDP frames now");
	row = error_row(m, TP_XDP_REDIRECT_ERR, "errno 4000");
	CELL(row, COL_MEANING, "-");
	row = error_row(m, TP_XDP_EXCEPTION, "ABORTED");
	CELL(row, COL_ERRORS_RATE, "2.0");
	CELL(row, COL_TARGET, "-");
	row = error_row(m, TP_XDP_EXCEPTION, "UNKNOWN(77)");
	CELL(row, COL_MEANING, "the program returned a value that is not a valid XDP action");
	row = error_row(m, TP_XDP_DEVMAP_XMIT, "drops");
	CELL(row, COL_ERRORS_RATE, "6.0");
	CELL(row, COL_TARGET, "ifindex 3");
	row = error_row(m, TP_XDP_DEVMAP_XMIT, "ENXIO");
	CELL(row, COL_ERRORS_RATE, "8.0");
	row = error_row(m, TP_XDP_CPUMAP_ENQUEUE, "drops");
	CELL(row, COL_ERRORS_RATE, "3.5");
	CELL(row, COL_TARGET, "CPU 3 (map 17)");
	CELL(row, COL_DEVICE, "-");
	row = error_row(m, TP_LINK_ATTACH_FAILED, "-");
	CELL(row, COL_ERRORS_RATE, "0.50");
	CELL(row, COL_ERRORS, "2");
	CELL(row, COL_NETNS, "+531840");
	assert_string_not_equal(text(m, row, COL_MEANING), "-");
}

/* After a baseline, series that did not fail again are hidden; -a shows them. */
TABLE_TEST(test_activity)
{
	made_series(&m->base, 1, TP_XDP_DEVMAP_XMIT, made_xmit(1, 2), COUNTS(8, 100, 12));
	put(m, 1, TP_XDP_DEVMAP_XMIT, made_xmit(1, 2), COUNTS(9, 110, 12), COUNTS(10, 120, 12));
	m->with_base = true;
	build(m, VIEW_ERRORS);
	assert_int_equal(m->table.n_rows, 0);
	build(m, VIEW_FLOWS);
	assert_int_equal(m->table.n_rows, 1);
	m->options.all = true;
	build(m, VIEW_ERRORS);
	assert_int_equal(m->table.n_rows, 1);
	CELL(0, COL_ERRORS, "0");
	/* a series that never failed is not an error, even with -a */
	m->to.series[0].total.drops = 0;
	build(m, VIEW_ERRORS);
	assert_int_equal(m->table.n_rows, 0);
	m->to.series[0].total.drops = 12;
	m->options.all = false;
	m->with_base = false;
	build(m, VIEW_ERRORS);
	assert_int_equal(m->table.n_rows, 1);
	/* no events at all */
	put(m, 2, TP_XDP_DEVMAP_XMIT, made_xmit(1, 7), COUNTS(0), COUNTS(0));
	build(m, VIEW_FLOWS);
	assert_int_equal(m->table.n_rows, 1);
	m->options.all = true;
	build(m, VIEW_FLOWS);
	assert_int_equal(m->table.n_rows, 2);
}

TABLE_TEST(test_queues)
{
	struct series_key key = { .netns = MADE_NETNS, .ifindex = 4 };

	put(m, 1, TP_NET_DEV_QUEUE, key, COUNTS(10, 10, 0, 1000), COUNTS(20, 50, 0, 61000));
	put(m, 2, TP_XDP_DEVMAP_XMIT, made_xmit(4, 2), COUNTS(0), COUNTS(8, 100, 12));
	build(m, VIEW_STACK);
	assert_int_equal(m->table.n_rows, 1);
	assert_int_equal(m->table.row[0].tracepoint, TP_NET_DEV_QUEUE);
	CELL(0, COL_EVENTS_RATE, "5.0");
	CELL(0, COL_PACKETS_RATE, "20");
	CELL(0, COL_BYTES_RATE, "30.0k");
	CELL(0, COL_SIZE, "1500");
	CELL(0, COL_BYTES, "61.0k");
	CELL(0, COL_DROPS_RATE, "-");
	made_off(&m->from, TP_NET_DEV_QUEUE, TP_SHED);
	made_off(&m->to, TP_NET_DEV_QUEUE, TP_SHED);
	m->to.series[0].total = m->from.series[0].total;
	m->to.tp[TP_NET_DEV_QUEUE].events = m->from.tp[TP_NET_DEV_QUEUE].events;
	build(m, VIEW_STACK);
	CELL(0, COL_BYTES_RATE, "off");
	CELL(0, COL_SIZE, "off");
	CELL(0, COL_BYTES, "1000");
}

/* The target's driver determines the meaning of an error. */
TABLE_TEST(test_meaning)
{
	const char *drivers[] = { "tun", "tun", "mlx5_core" };

	for (uint32_t i = 0; i < 3; i++) {
		struct netdev *d;

		put(m, i + 1, TP_XDP_DEVMAP_XMIT, with_code(made_xmit(1, 4 + i), -ENXIO), COUNTS(0),
		    COUNTS(5, 0, 5));
		d = snapshot_add_netdev(&m->to);
		*d = (struct netdev){ .netns = MADE_NETNS, .ifindex = 4 + i };
		snprintf(d->driver, sizeof(d->driver), "%s", drivers[i]);
		build(m, VIEW_TRACEPOINTS);
		/* two devices with the same driver: one meaning */
		CELL(TP_XDP_DEVMAP_XMIT, COL_MEANING,
		     i == 2 ? "several" : "no program has the tap open");
	}
}

/* In the row of a tracepoint: what all its series share, else "several". */
TABLE_TEST(test_common_and_several)
{
	struct series_key key = with_code(made_to_device(1, 2, 5), -ENETDOWN);

	put(m, 1, TP_XDP_REDIRECT_ERR, key, COUNTS(0), COUNTS(5));
	key.ifindex = 3;
	key.map_id = 6;
	put(m, 2, TP_XDP_REDIRECT_ERR, key, COUNTS(0), COUNTS(5));
	m->to.series[0].last_seen.tv_sec -= 70;
	build(m, VIEW_TRACEPOINTS);
	CELL(TP_XDP_REDIRECT_ERR, COL_DEVICE, "several");
	CELL(TP_XDP_REDIRECT_ERR, COL_NETNS, "+531840");
	CELL(TP_XDP_REDIRECT_ERR, COL_TARGET, "ifindex 2"); /* through any map */
	CELL(TP_XDP_REDIRECT_ERR, COL_ERROR, "ENETDOWN");
	CELL(TP_XDP_REDIRECT_ERR, COL_PROGRAM, "prog42");
	CELL(TP_XDP_REDIRECT_ERR, COL_LAST_SEEN, "0s");
	m->to.series[1].last_seen.tv_sec -= 70;
	m->to.series[1].key.code = -EMSGSIZE;
	m->to.series[1].key.prog_id = 7;
	m->to.series[1].key.netns = 777;
	build(m, VIEW_TRACEPOINTS);
	CELL(TP_XDP_REDIRECT_ERR, COL_NETNS, "several");
	CELL(TP_XDP_REDIRECT_ERR, COL_ERROR, "several");
	CELL(TP_XDP_REDIRECT_ERR, COL_MEANING, "several");
	CELL(TP_XDP_REDIRECT_ERR, COL_PROGRAM, "several");
	CELL(TP_XDP_REDIRECT_ERR, COL_LAST_SEEN, "1m10s");
	/* a program without a name, and no program */
	m->to.series[0].prog_name[0] = '\0';
	build(m, VIEW_ERRORS);
	CELL(0, COL_PROGRAM, "id 42");
	m->to.series[0].key.prog_id = 0;
	build(m, VIEW_ERRORS);
	CELL(0, COL_PROGRAM, "-");
	CELL(0, COL_PROG_ID, "-");
}

TABLE_TEST(test_unknown_device)
{
	struct series_key key = { .netns = MADE_NETNS, .ifindex = 4 };

	put(m, 1, TP_NET_DEV_QUEUE, key, COUNTS(0), COUNTS(20, 50, 0, 61000));
	m->to.series[0].ifname[0] = '\0';
	build(m, VIEW_STACK);
	CELL(0, COL_DEVICE, "ifindex 4");
	m->to.series[0].key.ifindex = m->to.series[0].key.netns = 0;
	build(m, VIEW_STACK);
	CELL(0, COL_DEVICE, "n/a");
	CELL(0, COL_NETNS, "n/a");
}

/* Renamed: the newest series has the current name. */
TABLE_TEST(test_renamed_device)
{
	put(m, 1, TP_XDP_DEVMAP_XMIT, with_code(made_xmit(1, 2), -ENXIO), COUNTS(0), COUNTS(1));
	put(m, 9, TP_XDP_DEVMAP_XMIT, made_xmit(1, 2), COUNTS(0), COUNTS(1));
	strcpy(m->to.series[0].ifname, "old");
	strcpy(m->to.series[1].ifname, "new");
	build(m, VIEW_FLOWS);
	assert_int_equal(m->table.n_rows, 1);
	CELL(0, COL_DEVICE, "new");
	assert_int_equal(table_series(&m->table, &m->table.row[0])->id, 9);
	m->to.series[0].id = 9;
	m->to.series[1].id = 10;
	strcpy(m->to.series[0].ifname, "older");
	build(m, VIEW_FLOWS);
	CELL(0, COL_DEVICE, "new");
}

/* A full table: one row per tracepoint, which has a number but no identity. */
TABLE_TEST(test_overflow)
{
	put(m, 1, TP_XDP_DEVMAP_XMIT, (struct series_key){ 0 }, COUNTS(0), COUNTS(4, 60, 4));
	put(m, 2, TP_XDP_REDIRECT_ERR, (struct series_key){ 0 }, COUNTS(0), COUNTS(7));
	put(m, 3, TP_XDP_DEVMAP_XMIT, made_xmit(1, 2), COUNTS(0), COUNTS(2, 30, 2));
	m->to.series[0].overflow = m->to.series[1].overflow = true;
	build(m, VIEW_FLOWS);
	assert_int_equal(m->table.n_rows, 3);
	assert_int_equal(m->table.row[0].tracepoint, TP_XDP_DEVMAP_XMIT);
	CELL(0, COL_DEVICE, "(table full)");
	CELL(0, COL_TARGET, "n/a");
	CELL(0, COL_PACKETS_RATE, "30");
	CELL(0, COL_FAILED_RATE, "-");
	CELL(1, COL_DEVICE, "(table full)");
	CELL(1, COL_FAILED_RATE, "3.5");
	CELL(2, COL_PACKETS_RATE, "15");
	build(m, VIEW_ERRORS);
	assert_int_equal(m->table.n_rows, 3);
	CELL(1, COL_ERROR, "n/a");
	/* they are included in the tracepoint's totals */
	build(m, VIEW_TRACEPOINTS);
	CELL(TP_XDP_DEVMAP_XMIT, COL_PACKETS, "90");
	CELL(TP_XDP_DEVMAP_XMIT, COL_EVENTS, "6");
}

static bool asked(const struct finding *f, const void *times)
{
	++**(size_t *const *)times;
	return f->id % 2;
}

/* Each finding is checked once per row, not once per other finding. */
TABLE_TEST(test_findings_of_a_row)
{
	static const struct finding_code code[] = { { .name = "aborted" },
						    { .name = "tx-failed" } };
	struct finding finding[] = { { .code = &code[0] },
				     { .code = &code[0] },
				     { .code = &code[1] },
				     { .code = &code[0], .id = 1 } };
	struct findings f = { .finding = finding, .n_active = 3 };
	struct cell cell = { .text = "" };
	size_t times = 0, *const p = &times;

	m->options.findings = &f;
	build(m, VIEW_DEVICES);
	assert_int_equal(cell_add_findings(&m->table, &cell, asked, &p), CELL_NONE);
	assert_int_equal(times, 3);
	/* two findings with the same code in the row are named once */
	f.n_active = 4;
	finding[0].id = finding[2].id = 1;
	assert_int_equal(cell_add_findings(&m->table, &cell, asked, &p), CELL_VALUE);
	assert_string_equal(cell.text, "aborted, tx-failed");
}

TEST(test_cell_text)
{
	static const struct {
		enum cell_state state;
		const char *text, *ascii;
	} cases[] = {
		{ CELL_NOT_YET, "·", "." },
		{ CELL_OFF, "off", "off" },
		{ CELL_MISSING, "n/a", "n/a" },
		{ CELL_NONE, "-", "-" },
	};
	struct cell cell = {
		.column = columns, .state = CELL_VALUE, .type = CELL_COUNT, .count = 1234567
	};
	char buf[64];

	assert_int_equal(cell_text(&cell, buf, sizeof(buf), NUMBER_RAW, false), 7);
	assert_string_equal(buf, "1234567");
	cell = (struct cell){
		.column = columns, .state = CELL_VALUE, .type = CELL_TEXT, .text = "abcdef"
	};
	assert_int_equal(cell_text(&cell, buf, 4, NUMBER_SI, false), 6);
	assert_string_equal(buf, "abc");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cell.state = cases[i].state;
		cell_text(&cell, buf, sizeof(buf), NUMBER_SI, false);
		assert_string_equal(buf, cases[i].text);
		cell_text(&cell, buf, sizeof(buf), NUMBER_SI, true);
		assert_string_equal(buf, cases[i].ascii);
	}
}
