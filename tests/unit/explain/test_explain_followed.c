// SPDX-License-Identifier: GPL-2.0-or-later
/* The explanation of a followed event. */
#include <errno.h>
#include "model/follow_log.h"
#include "unit/made_lines.h"
#include "unit/test.h"

/* Each argument, and the meaning of the errno; none for a success. */
TABLE_TEST(test_followed)
{
	struct follow_log log = { 0 };
	struct followed *e;

	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -ENETDOWN), COUNTS(0),
	    COUNTS(20));
	put(m, 2, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(0), COUNTS(20, 180, 30));
	e = snapshot_add_followed(&m->to);
	e->event = (struct event){ .tracepoint = TP_XDP_DEVMAP_XMIT, .key = made_xmit(3, 4) };
	e->known = BIT(FOLLOW_SENT) | BIT(FOLLOW_DROPS);
	e->arg[FOLLOW_SENT] = 16;
	e = snapshot_add_followed(&m->to);
	e->event = (struct event){ .tracepoint = TP_XDP_REDIRECT_ERR,
				   .key = m->to.series[0].key,
				   .time = { .tv_nsec = 1204 },
				   .left_out = 7 };
	e = snapshot_add_followed(&m->to);
	*e = m->to.followed[0];
	e->event.time.tv_nsec = 36204;
	e->arg[FOLLOW_DROPS] = 3;
	follow_log_take(&log, &m->to);
	m->options.followed = &log;
	build(m, VIEW_FOLLOW);
	assert_int_equal(m->table.n_rows, 3);
	describe(m, 0);
	SAYS("gap|35.00us after the previous event");
	SAYS("drops|3");
	SAYS("  meaning|");
	describe(m, 1);
	SAYS("|xdp_redirect_err");
	SAYS("on|CPU 0");
	SAYS("lost|7 earlier events");
	SAYS_NOT("gap|");
	SAYS("|Arguments");
	SAYS("prog_id|42");
	SAYS("act|REDIRECT");
	SAYS("err|-100");
	SAYS("to_ifindex|4");
	SAYS_NOT("map_index|");
	SAYS("  fix|");
	describe(m, 2);
	SAYS("sent|16");
	SAYS("drops|0");
	SAYS_NOT("  meaning|");
	follow_log_free(&log);
}
