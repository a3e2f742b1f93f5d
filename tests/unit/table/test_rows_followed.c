// SPDX-License-Identifier: GPL-2.0-or-later
/* The view of followed events. */
#include <errno.h>
#include "base/clock.h"
#include "model/follow_log.h"
#include "table/view.h"
#include "unit/made_table.h"
#include "unit/test.h"

#define BLUE 4026532222u

static struct followed *followed(struct made *m, uint32_t tp, struct series_key key, int64_t ns)
{
	struct followed *e = snapshot_add_followed(&m->to);

	assert_non_null(e);
	e->event.tracepoint = tp;
	e->event.key = key;
	e->event.time = ns_to_timespec(ns);
	if (key.ifindex)
		snprintf(e->event.ifname, sizeof(e->event.ifname), "eth%u", key.ifindex);
	return e;
}

static void show(struct made *m, struct follow_log *log)
{
	follow_log_take(log, &m->to);
	m->options.followed = log;
	build(m, VIEW_FOLLOW);
}

TABLE_TEST(test_cells)
{
	const int64_t at = 1795252512 * NSEC_PER_SEC + 123456789;
	struct follow_log log = { 0 };
	struct series_key key = with_code(made_to_device(3, 4, 5), -EOPNOTSUPP);
	struct followed *e;

	build(m, VIEW_FOLLOW);
	assert_int_equal(m->table.n_rows, 0);
	key.to_netns = BLUE;
	e = followed(m, TP_XDP_REDIRECT_ERR, key, at);
	snprintf(e->event.to_ifname, sizeof(e->event.to_ifname), "lan0");
	snprintf(e->event.prog_name, sizeof(e->event.prog_name), "fwd");
	e->event.cpu = 1;
	e->known = BIT(FOLLOW_MAP_INDEX);
	e->arg[FOLLOW_MAP_INDEX] = 9;
	e = followed(m, TP_NET_DEV_QUEUE, (struct series_key){ .netns = BLUE, .ifindex = 7 },
		     at + 1204);
	e->event.left_out = 12;
	e->event.cpu = -1;
	e->event.pid = 812;
	snprintf(e->event.comm, sizeof(e->event.comm), "curl");
	e->known = BIT(FOLLOW_LEN) | BIT(FOLLOW_PROTOCOL);
	e->arg[FOLLOW_LEN] = 1514;
	e->arg[FOLLOW_PROTOCOL] = 0x0800;
	followed(m, TP_XDP_BULK_TX, (struct series_key){ .netns = BLUE, .ifindex = 7 },
		 at + 35001204);
	e = followed(m, TP_XDP_DEVMAP_XMIT, (struct series_key){ 0 }, at + 36000000);
	e->kind = FOLLOWED_LOST;
	e->event.left_out = 3;
	show(m, &log);
	assert_int_equal(m->table.n_rows, 4);

	CELL(0, COL_ARGS, "lost: the ring was full");
	CELL(0, COL_LEFT_OUT, "3");
	CELL(0, COL_TRACEPOINT, "xdp_devmap_xmit");
	CELL(0, COL_TARGET, "-");
	CELL(0, COL_DEVICE, "-");
	CELL(0, COL_GAP, "-");

	CELL(1, COL_GAP, "35.00ms");
	CELL(1, COL_TARGET, "TX back");
	CELL(1, COL_LEFT_OUT, "0");

	CELL(2, COL_GAP, "-"); /* after 12 lost events */
	CELL(2, COL_LEFT_OUT, "12");
	CELL(2, COL_CPU, "-");
	CELL(2, COL_ARGS, "len=1514 name=eth7 protocol=0x0800");
	CELL(2, COL_PROCESS, "curl[812]");
	CELL(2, COL_NETNS, "+532222");
	CELL(2, COL_PROGRAM, "-");
	CELL(2, COL_TARGET, "-");

	assert_non_null(strstr(text(m, 3, COL_TIME), ".123456789"));
	assert_int_equal(strlen(text(m, 3, COL_TIME)), strlen("09:15:12.123456789"));
	CELL(3, COL_GAP, "-"); /* the first */
	CELL(3, COL_CPU, "1");
	CELL(3, COL_TRACEPOINT, "xdp_redirect_err");
	CELL(3, COL_DEVICE, "eth3");
	CELL(3, COL_NETNS, "+531840");
	CELL(3, COL_TARGET, "lan0 (+532222)");
	CELL(3, COL_PROGRAM, "fwd");
	CELL(3, COL_PROG_ID, "42");
	CELL(3, COL_ARGS,
	     "prog_id=42 act=REDIRECT ifindex=3 err=-95 to_ifindex=4 map_id=5 map_index=9");
	CELL(3, COL_DROPS_RATE, "-");
	follow_log_free(&log);
}

TABLE_TEST(test_filter_and_sort)
{
	struct follow_log log = { 0 };

	for (int i = 0; i < 4; i++)
		followed(m, i % 2 ? TP_XDP_BULK_TX : TP_XDP_EXCEPTION,
			 made_to_device(3 + (uint32_t)i, 0, 0), i * i * 1000000);
	follow_log_take(&log, &m->to);
	m->options.followed = &log;
	build_filtered(m, VIEW_FOLLOW, "gap>0.004");
	assert_int_equal(m->table.n_rows, 1);
	CELL(0, COL_GAP, "5.000ms");
	build_filtered(m, VIEW_FOLLOW, "tracepoint=xdp_exception");
	assert_int_equal(m->table.n_rows, 2);
	CELL(0, COL_GAP, "3.000ms"); /* to the previous event, listed or not */
	m->options.sort = COL_GAP;
	m->options.descending = false;
	build(m, VIEW_FOLLOW);
	CELL(0, COL_GAP, "1.000ms");
	CELL(2, COL_GAP, "5.000ms");
	CELL(3, COL_GAP, "-");
	m->options.sort = COL_TIME;
	build(m, VIEW_FOLLOW);
	CELL(0, COL_GAP, "-");
	CELL(3, COL_DEVICE, "eth6");
	follow_log_free(&log);
}

TABLE_TEST(test_missing)
{
	const struct snapshot_host host = { 0 };
	struct tp_count *tp = &m->to.tp[TP_FOLLOW];
	char why[NO_DATA_LEN];

#define MISSING(part)                                      \
	table_missing(&m->table, &host, why, sizeof(why)); \
	assert_non_null(strstr(why, part))
	build(m, VIEW_FOLLOW);
	MISSING("This recording has no followed");
	m->options.switch_by = SWITCH_OPTION;
	build(m, VIEW_FOLLOW);
	MISSING("--follow");
	m->options.switch_by = SWITCH_KEY;
	m->options.keys = true;
	build(m, VIEW_FOLLOW);
	MISSING("press l on a row");
	snprintf(tp->name, sizeof(tp->name), "%s", TP_FOLLOW_NAME);
	tp->state = TP_ON;
	build(m, VIEW_FOLLOW);
	MISSING("No followed event so far");
	tp->state = TP_SHED;
	snprintf(tp->reason, sizeof(tp->reason), "took 9 %% of CPU 1");
	build(m, VIEW_FOLLOW);
	MISSING("took 9 % of CPU 1");
}

TABLE_TEST(test_sentence)
{
	struct follow_log log = { 0 };
	struct followed *e = followed(m, TP_XDP_EXCEPTION, (struct series_key){ 0 }, 1);
	char buf[160];

	e->kind = FOLLOWED_LOST;
	e->event.cpu = 2;
	e->event.left_out = 1234567;
	show(m, &log);
	rows_followed.sentence(&m->table, &m->table.row[0], buf, sizeof(buf));
	assert_string_equal(buf, "1234567 events of CPU 2 were lost: the ring was full");
	follow_log_free(&log);
}
