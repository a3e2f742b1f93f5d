// SPDX-License-Identifier: GPL-2.0-or-later
/* The packets of a row: of its device with the attached programs, or of its program. */
#include <errno.h>
#include "source/programs.h"
#include "table/filter_capture.h"
#include "unit/made_table.h"
#include "unit/test.h"

static void add_device(struct made *m, uint32_t ifindex, const char *name, uint32_t prog_id,
		       uint32_t skb_prog_id)
{
	struct netdev *d = snapshot_add_netdev(&m->to);

	d->netns = MADE_NETNS;
	d->ifindex = ifindex;
	d->prog_id = prog_id;
	d->skb_prog_id = skb_prog_id;
	d->mode = prog_id ? NETDEV_NATIVE : NETDEV_NONE;
	snprintf(d->name, sizeof(d->name), "%s", name);
}

static const struct row *find(struct made *m, enum column_id column, const char *value)
{
	for (size_t i = 0; i < m->table.n_rows; i++)
		if (!strcmp(text(m, i, column), value))
			return &m->table.row[i];
	fail_msg("no row of %s", value);
	return NULL;
}

TABLE_TEST(test_devices)
{
	struct capture_filter f = { 0 };
	char what[192];

	m->options.all = true;
	add_device(m, 3, "eth3", 42, 77);
	add_device(m, 4, "eth4", 0, 0);
	made_sort_netdevs(&m->to);
	build(m, VIEW_DEVICES);
	assert_int_equal(
		row_capture(&m->table, find(m, COL_DEVICE, "eth3"), &f, what, sizeof(what)), 0);
	assert_int_equal(f.n, 2);
	assert_int_equal(f.choice[0].prog_id, 42);
	assert_int_equal(f.choice[1].prog_id, 77);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(f.choice[i].words.value[CAPTURE_NETNS], MADE_NETNS | 3ULL << 32);
		assert_int_equal(f.choice[i].words.mask[CAPTURE_NETNS], UINT64_MAX);
		assert_int_equal(f.choice[i].words.mask[CAPTURE_QUEUE], 0);
	}
	assert_non_null(strstr(what, "eth3"));
	build(m, VIEW_PROGRAMS);
	assert_int_equal(row_capture(&m->table, find(m, COL_PROG_ID, "77"), &f, what, sizeof(what)),
			 0);
	assert_int_equal(f.n, 1);
	assert_int_equal(f.choice[0].prog_id, 77);
	assert_int_equal(f.choice[0].words.mask[CAPTURE_NETNS], 0);
}

/* A program that cannot be traced is left out, and named if there is no other. */
TABLE_TEST(test_refused)
{
	struct capture_filter f = { 0 };
	char what[192];

	m->options.all = true;
	add_device(m, 3, "eth3", 42, 77);
	made_sort_netdevs(&m->to);
	for (uint32_t prog_id = 42; prog_id <= 77; prog_id += 35) {
		struct program *p = snapshot_add_row(&m->to, DATA_SOURCE_PROGRAMS, sizeof(*p));

		p->prog_id = prog_id;
		p->verdicts = PROGRAM_VERDICTS_REFUSED;
		strcpy(p->prog_name, "firewall");
		strcpy(p->verdicts_reason, "it has no BTF");
	}
	build(m, VIEW_DEVICES);
	assert_int_equal(row_capture(&m->table, find(m, COL_DEVICE, "eth3"), &f, what,
				     sizeof(what)),
			 -ENOENT);
	assert_string_equal(what, "firewall (id 77) cannot be traced: it has no BTF");
	((struct program *)program_find(&m->to, 42))->verdicts = PROGRAM_VERDICTS_ON;
	assert_int_equal(
		row_capture(&m->table, find(m, COL_DEVICE, "eth3"), &f, what, sizeof(what)), 0);
	assert_int_equal(f.n, 1);
	assert_int_equal(f.choice[0].prog_id, 42);
	assert_non_null(strstr(what, "eth3"));
	build(m, VIEW_PROGRAMS);
	assert_int_equal(row_capture(&m->table, find(m, COL_PROG_ID, "42"), &f, what, sizeof(what)),
			 0);
	assert_string_equal(what, "firewall (id 42)");
}

TABLE_TEST(test_none)
{
	struct capture_filter f = { 0 };
	char what[192];

	made_on(&m->from, TP_XDP_EXCEPTION);
	made_on(&m->to, TP_XDP_EXCEPTION);
	build(m, VIEW_TRACEPOINTS);
	assert_int_equal(row_capture(&m->table, &m->table.row[0], &f, what, sizeof(what)), -ENOENT);
	assert_int_equal(f.n, 0);
	assert_non_null(strstr(what, "select such a row"));
}
