// SPDX-License-Identifier: GPL-2.0-or-later
/* The overview begins with the worst findings, and ends with changes and a line on tracepoints. */
#include <errno.h>
#include "diagnose/findings.h"
#include "model/event_log.h"
#include "unit/made_table.h"
#include "unit/test.h"

#define DOWN(to) with_code(made_to_device(3, to, 5), -ENETDOWN)

static const char *more(struct made *m, size_t row)
{
	static char buf[256];
	int len;

	assert_true(row < m->table.n_rows && m->table.row[row].more > 0);
	len = table_more_text(&m->table, &m->table.row[row], buf, sizeof(buf));
	assert_int_equal(len, strlen(buf));
	return buf;
}

/* Number of rows of a block. */
static size_t in_block(struct made *m, uint8_t block)
{
	size_t n = 0;

	for (size_t i = 0; i < m->table.n_rows; i++)
		n += m->table.row[i].block == block;
	return n;
}

static int setup(void **state)
{
	int err = made_setup(state);
	struct made *m = *state;

	if (err)
		return err;
	made_off(&m->to, TP_MEM_CONNECT, TP_MISSING);
	made_off(&m->to, TP_MEM_DISCONNECT, TP_MISSING);
	put(m, 1, TP_XDP_REDIRECT_ERR, DOWN(4), COUNTS(0), COUNTS(20));
	put(m, 2, TP_XDP_REDIRECT_ERR, DOWN(5), COUNTS(0), COUNTS(60));
	put(m, 3, TP_XDP_REDIRECT_ERR, DOWN(6), COUNTS(0), COUNTS(40));
	made_cpu(&m->to, 1, COUNTS(40));
	put(m, 4, TP_XDP_DEVMAP_XMIT, made_xmit(3, 7), COUNTS(0), COUNTS(9, 90));
	return 0;
}

TEST_OF(test_blocks, setup, made_teardown, struct made *m)
{
	struct findings f = { 0 };

	build(m, VIEW_OVERVIEW);
	assert_int_equal(m->table.n_rows, 1);
	assert_int_equal(findings_update(&f, &m->rates, NULL), 0);
	m->options.findings = &f;
	m->options.block_rows = 3;
	build(m, VIEW_OVERVIEW);
	/* all three, in order; the device; the tracepoints */
	assert_int_equal(in_block(m, 1), 3);
	CELL(0, COL_FINDING, "target-down");
	CELL(0, COL_TARGET, "ifindex 5");
	CELL(0, COL_LOST_RATE, "30");
	CELL(2, COL_TARGET, "ifindex 4");
	CELL(3, COL_DEVICE, "eth3");
	CELL(3, COL_LOST_RATE, "60");
	assert_int_equal(m->table.n_rows, 5);
	assert_string_equal(more(m, 4), "Tracepoints: 9 on, xdp_redirect off, 2 missing");
	CELL(4, COL_TRACEPOINT, "-");
	made_off(&m->to, TP_XDP_BULK_TX, TP_SHED);
	made_off(&m->to, TP_NET_DEV_QUEUE, TP_MISSING);
	build(m, VIEW_OVERVIEW);
	assert_string_equal(more(m, 4),
			    "Tracepoints: 7 on, xdp_redirect off, xdp_bulk_tx shed, 3 missing");
	/* omitted rows are summarized */
	m->options.block_rows = 2;
	build(m, VIEW_OVERVIEW);
	CELL(0, COL_TARGET, "ifindex 5");
	assert_string_equal(more(m, 1), "2 more in findings");
	CELL(2, COL_DEVICE, "eth3");
	/* information takes no room, and is counted as in the header */
	f.finding[2].severity = FINDING_INFO;
	m->options.block_rows = 1;
	build(m, VIEW_OVERVIEW);
	assert_string_equal(more(m, 0), "3 more in findings");
	f.finding[2].severity = f.finding[0].severity;
	m->options.block_rows = 2;
	build(m, VIEW_OVERVIEW);
	/* a row keeps its id, and its CPUs have no blocks */
	assert_int_equal(m->table.row[0].id, f.finding[0].id);
	m->options.drill = m->table.row[2].id;
	build(m, VIEW_OVERVIEW);
	assert_int_equal(in_block(m, 1), 0);
	assert_int_equal(m->table.n_rows, 1);
	CELL(0, COL_CPU, "1");
	findings_free(&f);
}

/* Never information; warnings even without loss; nothing cleared. */
TEST_OF(test_bad, setup, made_teardown, struct made *m)
{
	struct findings f = { 0 };

	m->options.block_rows = 10;
	build(m, VIEW_OVERVIEW);
	assert_int_equal(findings_update(&f, &m->rates, NULL), 0);
	m->options.findings = &f;
	f.finding[0].severity = FINDING_INFO;
	f.finding[1].severity = FINDING_INFO;
	f.finding[1].lost_per_s = 0;
	f.finding[2].severity = FINDING_WARNING;
	f.finding[2].lost_per_s = 0;
	build(m, VIEW_OVERVIEW);
	assert_int_equal(in_block(m, 1), 1);
	CELL(0, COL_SEVERITY, "W");
	f.finding[2].active = false;
	build(m, VIEW_OVERVIEW);
	assert_int_equal(in_block(m, 1), 0);
	findings_free(&f);
}

/* It applies to the rows of a block, too. */
TEST_OF(test_filter, setup, made_teardown, struct made *m)
{
	struct findings f = { 0 };

	m->options.block_rows = 3;
	build(m, VIEW_OVERVIEW);
	assert_int_equal(findings_update(&f, &m->rates, NULL), 0);
	m->options.findings = &f;
	build_filtered(m, VIEW_OVERVIEW, "target=\"ifindex 6\"");
	assert_int_equal(m->table.n_rows, 2);
	CELL(0, COL_LOST_RATE, "20");
	assert_string_equal(more(m, 1), "Tracepoints: 9 on, xdp_redirect off, 2 missing");
	findings_free(&f);
}

static void add_change(struct made *m, int64_t seconds_ago)
{
	struct event *e = snapshot_add_event(&m->to);

	assert_non_null(e);
	e->tracepoint = TP_NONE;
	e->cpu = -1;
	e->change = CHANGE_MTU;
	e->time = m->to.wall;
	e->time.tv_sec -= seconds_ago;
	snprintf(e->new_value, sizeof(e->new_value), "%d", (int)seconds_ago);
}

/* After the devices, the newest first; those of the last ten minutes alone. */
TEST_OF(test_changes, setup, made_teardown, struct made *m)
{
	struct event_log log = { 0 };

	add_change(m, 601);
	event_log_take(&log, &m->to);
	m->options.events = &log;
	m->options.block_rows = 3;
	build(m, VIEW_OVERVIEW);
	assert_int_equal(in_block(m, 2), 0);
	event_log_free(&log);
	for (int i = 4; i > 0; i--)
		add_change(m, i);
	event_log_take(&log, &m->to);
	build(m, VIEW_OVERVIEW);
	assert_int_equal(m->table.n_rows, 5);
	CELL(0, COL_DEVICE, "eth3");
	CELL(1, COL_NEW, "1");
	CELL(2, COL_NEW, "2");
	assert_string_equal(more(m, 3), "2 more in changes");
	assert_string_equal(more(m, 4), "Tracepoints: 9 on, xdp_redirect off, 2 missing");
	event_log_free(&log);
}
