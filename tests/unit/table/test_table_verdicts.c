// SPDX-License-Identifier: GPL-2.0-or-later
/* Verdicts in rows of programs and devices, and of their CPUs. */
#include "unit/made_table.h"
#include "unit/made_verdicts.h"
#include "unit/test.h"

static void attach(struct made *m, uint32_t ifindex, uint32_t prog_id, uint32_t skb_prog_id)
{
	struct netdev *d = snapshot_add_netdev(&m->to);

	assert_non_null(d);
	d->netns = MADE_NETNS;
	d->ifindex = ifindex;
	d->mode = NETDEV_NATIVE;
	d->prog_id = prog_id;
	d->skb_prog_id = skb_prog_id;
	snprintf(d->name, sizeof(d->name), "eth%u", ifindex);
}

/* The row of a program; CPU -1 = all. */
static size_t program_row(struct made *m, uint32_t prog_id, int cpu)
{
	for (size_t i = 0; i < m->table.n_rows; i++)
		if (m->table.row[i].prog_id == prog_id && m->table.row[i].cpu == cpu)
			return i;
	fail_msg("no row of program %u", prog_id);
	return 0;
}

static size_t device_row(struct made *m, uint32_t ifindex)
{
	for (size_t i = 0; i < m->table.n_rows; i++)
		if (m->table.row[i].ifindex == ifindex)
			return i;
	fail_msg("no row of device %u", ifindex);
	return 0;
}

static bool shows(const struct made *m, enum column_id column)
{
	return table_shows(&m->table, column);
}

/* The tone of a cell in the first row. */
static enum cell_tone tone(const struct made *m, enum column_id column)
{
	struct cell cell;

	table_cell(&m->table, 0, column, &cell);
	return cell.tone;
}

TABLE_TEST(test_not_asked)
{
	attach(m, 3, 7, 0);
	made_program(&m->to, 7)->verdicts = PROGRAM_VERDICTS_UNKNOWN;
	made_program(&m->to, 8)->verdicts = PROGRAM_VERDICTS_UNKNOWN;
	((struct program *)program_find(&m->to, 8))->part_of = 7;
	for (int i = 0; i < 2; i++) {
		build(m, i ? VIEW_DEVICES : VIEW_PROGRAMS);
		assert_int_equal(m->table.n_rows, 1);
		assert_false(shows(m, COL_VERDICT_DROP_RATE));
		assert_false(shows(m, COL_VERDICTS));
		assert_true(shows(m, COL_FAILED_RATE));
		CELL(0, COL_VERDICT_DROP_RATE, "-");
		CELL(0, COL_VERDICTS, "-");
	}
	/* shown if -s asks for one */
	m->options.sort = COL_VERDICT_DROP_RATE;
	build(m, VIEW_PROGRAMS);
	assert_true(shows(m, COL_VERDICT_DROP_RATE));
	assert_false(shows(m, COL_VERDICT_PASS_RATE));
}

TABLE_TEST(test_states)
{
	struct program *p;

	for (uint32_t id = 6; id <= 10; id++)
		attach(m, id, id, 0);
	made_program(&m->to, 6)->verdicts = PROGRAM_VERDICTS_OFF;
	made_program(&m->to, 7)->verdicts = PROGRAM_VERDICTS_ASKED;
	p = made_program(&m->to, 8);
	p->verdicts = PROGRAM_VERDICTS_REFUSED;
	strcpy(p->verdicts_reason, "no BTF");
	made_program(&m->to, 9); /* traced since this snapshot */
	made_program(&m->to, 10);
	made_program(&m->from, 10);
	build(m, VIEW_PROGRAMS);
	assert_true(shows(m, COL_VERDICT_DROP_RATE));
	CELL(program_row(m, 6, -1), COL_VERDICT_DROP_RATE, "off");
	CELL(program_row(m, 6, -1), COL_VERDICTS, "off");
	CELL(program_row(m, 7, -1), COL_VERDICT_DROP_RATE, ".");
	CELL(program_row(m, 7, -1), COL_VERDICTS, "asked");
	CELL(program_row(m, 8, -1), COL_VERDICT_DROP_RATE, "n/a");
	CELL(program_row(m, 8, -1), COL_VERDICTS, "refused: no BTF");
	CELL(program_row(m, 9, -1), COL_VERDICT_DROP_RATE, ".");
	CELL(program_row(m, 10, -1), COL_VERDICT_DROP_RATE, "0");
	CELL(program_row(m, 10, -1), COL_VERDICT_BYTES_RATE, "0");
	CELL(program_row(m, 10, -1), COL_VERDICTS, "on");
	build(m, VIEW_DEVICES);
	CELL(device_row(m, 6), COL_VERDICT_DROP_RATE, "off");
	CELL(device_row(m, 8), COL_VERDICT_DROP_RATE, "n/a");
	CELL(device_row(m, 10), COL_VERDICT_DROP_RATE, "0");
}

TABLE_TEST(test_numbers)
{
	attach(m, 3, 7, 0);
	attach(m, 4, 7, 0);
	made_program(&m->to, 7)->parts = 1;
	made_program(&m->to, 8)->part_of = 7;
	made_verdict(&m->from, 7, XDP_DROP, 10);
	made_verdict(&m->to, 7, XDP_DROP, 20);
	made_verdict(&m->to, 7, XDP_PASS, 40)->ifindex = 4;
	made_verdict(&m->to, 7, VERDICT_UNKNOWN, 2)->cpu = 5;
	made_verdict(&m->from, 8, XDP_DROP, 1);
	made_verdict(&m->to, 8, XDP_DROP, 21);
	made_sort_verdicts(&m->to);
	build(m, VIEW_PROGRAMS);
	assert_int_equal(m->table.n_rows, 2);
	/* in 2 s */
	CELL(program_row(m, 7, -1), COL_VERDICT_DROP_RATE, "5.0");
	CELL(program_row(m, 7, -1), COL_VERDICT_PASS_RATE, "20");
	CELL(program_row(m, 7, -1), COL_VERDICT_UNKNOWN_RATE, "1.0");
	CELL(program_row(m, 7, -1), COL_VERDICT_TX_RATE, "0");
	CELL(program_row(m, 7, -1), COL_VERDICT_BYTES_RATE, "2600");
	CELL(program_row(m, 8, -1), COL_VERDICT_DROP_RATE, "10");
	CELL(program_row(m, 8, -1), COL_PROGRAM, "prog8");
	CELL(program_row(m, 8, -1), COL_DEVICES, "eth3 (+531840), eth4 (+531840)");
	/* a part's packets are its dispatcher's */
	build(m, VIEW_DEVICES);
	CELL(device_row(m, 3), COL_VERDICT_DROP_RATE, "5.0");
	CELL(device_row(m, 3), COL_VERDICT_PASS_RATE, "0");
	CELL(device_row(m, 4), COL_VERDICT_PASS_RATE, "20");
	CELL(device_row(m, 4), COL_VERDICT_UNKNOWN_RATE, "0");
}

/* Verdicts without a queue may belong to any device of the program. */
TABLE_TEST(test_placeless)
{
	struct verdict *v;

	attach(m, 3, 7, 0);
	made_program(&m->from, 7);
	made_program(&m->to, 7);
	v = made_verdict(&m->to, 7, XDP_DROP, 8);
	v->netns = v->ifindex = 0;
	v->queue = VERDICT_QUEUE_UNKNOWN;
	made_verdict(&m->to, 7, XDP_DROP, 20);
	build(m, VIEW_PROGRAMS);
	CELL(0, COL_VERDICT_DROP_RATE, "14");
	build(m, VIEW_DEVICES);
	CELL(0, COL_VERDICT_DROP_RATE, "n/a");
}

/* An offloaded program beside a generic one: the sum of both is unknown. */
TABLE_TEST(test_two_programs)
{
	attach(m, 3, 7, 8);
	made_program(&m->from, 8);
	made_program(&m->to, 7)->verdicts = PROGRAM_VERDICTS_REFUSED;
	made_program(&m->to, 8);
	made_verdict(&m->to, 8, XDP_DROP, 20);
	build(m, VIEW_DEVICES);
	CELL(0, COL_VERDICT_DROP_RATE, "n/a");
	((struct program *)program_find(&m->to, 7))->verdicts = PROGRAM_VERDICTS_ON;
	made_program(&m->from, 7);
	data_source_sort(&m->from, DATA_SOURCE_PROGRAMS);
	build(m, VIEW_DEVICES);
	CELL(0, COL_VERDICT_DROP_RATE, "10");
}

/* If tracepoints saw nothing, that is mentioned only if no verdicts are counted either. */
TABLE_TEST(test_missing)
{
	static const struct snapshot_host host;
	char why[512];

	attach(m, 3, 7, 0);
	made_program(&m->to, 7);
	for (int counted = 0; counted < 2; counted++) {
		if (counted)
			made_verdict(&m->to, 7, XDP_DROP, 30);
		for (int i = 0; i < 2; i++) {
			build(m, i ? VIEW_DEVICES : VIEW_PROGRAMS);
			table_missing(&m->table, &host, why, sizeof(why));
			assert_int_equal(!why[0], counted);
		}
	}
}

TABLE_TEST(test_cpus)
{
	struct verdict *before;
	size_t n;

	attach(m, 3, 7, 0);
	made_program(&m->from, 7);
	made_program(&m->to, 7);
	made_verdict(&m->to, 7, XDP_DROP, 30)->cpu = 6;
	made_verdict(&m->to, 7, XDP_PASS, 10)->cpu = 1;
	made_verdict(&m->to, 7, XDP_PASS, 20)->cpu = 6;
	made_sort_verdicts(&m->to);
	m->options.per_cpu = true;
	for (int i = 0; i < 2; i++) {
		build(m, i ? VIEW_DEVICES : VIEW_PROGRAMS);
		assert_int_equal(m->table.n_rows, 3);
		CELL(0, COL_VERDICT_PASS_RATE, "15");
		CELL(0, COL_SHARE, "-");
		CELL(1, COL_CPU, "1");
		CELL(1, COL_VERDICT_PASS_RATE, "5.0");
		CELL(1, COL_VERDICT_DROP_RATE, "0");
		CELL(1, COL_SHARE, "16.7");
		CELL(2, COL_CPU, "6");
		CELL(2, COL_VERDICT_PASS_RATE, "10");
		CELL(2, COL_VERDICT_DROP_RATE, "15");
		CELL(2, COL_SHARE, "83.3");
	}
	/* of many CPUs those without packets are folded */
	for (uint32_t cpu = 10; cpu < 10 + TABLE_FOLD; cpu++) {
		made_verdict(&m->from, 7, XDP_TX, 1)->cpu = cpu;
		made_verdict(&m->to, 7, XDP_TX, 1)->cpu = cpu;
	}
	made_sort_verdicts(&m->from);
	made_sort_verdicts(&m->to);
	m->options.fold = true;
	build(m, VIEW_PROGRAMS);
	assert_int_equal(m->table.n_rows, 3);
	assert_int_equal(m->table.folded, TABLE_FOLD);
	/* for a new trace it is unknown which */
	before = (struct verdict *)verdicts(&m->from, &n);
	for (size_t i = 0; i < n; i++)
		before[i].trace--;
	build(m, VIEW_PROGRAMS);
	CELL(1, COL_VERDICT_PASS_RATE, ".");
	assert_int_equal(m->table.folded, 0);
}

/* If not all verdicts of a row are known, its CPUs have none. */
TABLE_TEST(test_cpus_of_a_part)
{
	attach(m, 3, 7, 8);
	made_program(&m->from, 7);
	made_program(&m->from, 8);
	made_program(&m->to, 7);
	made_program(&m->to, 8);
	made_verdict(&m->to, 7, XDP_PASS, 10)->cpu = 6;
	made_verdict(&m->to, 8, XDP_PASS, 20)->cpu = 1;
	made_verdict(&m->to, 8, XDP_PASS, 30)->cpu = 6;
	m->options.per_cpu = true;
	build(m, VIEW_DEVICES);
	assert_int_equal(m->table.n_rows, 3);
	CELL(1, COL_VERDICT_PASS_RATE, "10");
	CELL(2, COL_VERDICT_PASS_RATE, "20");
	((struct program *)program_find(&m->to, 7))->verdicts = PROGRAM_VERDICTS_REFUSED;
	build(m, VIEW_DEVICES);
	assert_int_equal(m->table.n_rows, 1);
	CELL(0, COL_VERDICT_PASS_RATE, "n/a");
	/* in addition to counts of tracepoints on a CPU */
	put(m, 1, TP_XDP_REDIRECT_ERR, made_to_device(3, 4, 0), COUNTS(0), COUNTS(40));
	made_cpu(&m->to, 6, COUNTS(40));
	build(m, VIEW_DEVICES);
	assert_int_equal(m->table.n_rows, 2);
	CELL(1, COL_CPU, "6");
	CELL(1, COL_VERDICT_PASS_RATE, "n/a");
	CELL(1, COL_SHARE, "100");
}

/* Only unintended losses are shown as lost. */
TABLE_TEST(test_lost)
{
	attach(m, 3, 7, 0);
	made_program(&m->from, 7);
	made_program(&m->to, 7);
	made_verdict(&m->to, 7, XDP_ABORTED, 1);
	made_verdict(&m->to, 7, XDP_DROP, 1);
	build(m, VIEW_PROGRAMS);
	assert_int_equal(tone(m, COL_VERDICT_ABORTED_RATE), TONE_LOST);
	assert_int_equal(tone(m, COL_VERDICT_DROP_RATE), TONE_PLAIN);
	assert_int_equal(tone(m, COL_VERDICT_UNKNOWN_RATE), TONE_PLAIN);
}
