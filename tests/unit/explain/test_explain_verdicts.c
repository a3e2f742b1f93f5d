// SPDX-License-Identifier: GPL-2.0-or-later
/* Verdicts in the details of programs and devices. */
#include "source/data_source.h"
#include "source/fib_lookups.h"
#include "unit/made_lines.h"
#include "unit/made_verdicts.h"
#include "unit/test.h"

/* The row of this program, or of the first program or device. */
static void describe_in(struct made *m, enum view_id view, uint32_t prog_id)
{
	size_t row = 0;

	made_sort_verdicts(&m->from);
	made_sort_verdicts(&m->to);
	build(m, view);
	while (prog_id && m->table.row[row].prog_id != prog_id)
		row++;
	describe(m, row);
}

/* eth3 with native program 7, without any other counts. */
static struct netdev *attach(struct made *m)
{
	struct netdev *d = snapshot_add_netdev(&m->to);

	*d = (struct netdev){ .netns = MADE_NETNS,
			      .ifindex = 3,
			      .name = "eth3",
			      .driver = "new",
			      .mode = NETDEV_NATIVE,
			      .prog_id = 7 };
	return d;
}

/* In the details of the program and of its device, but not before the baseline. */
TABLE_TEST(test_attached_uncounted)
{
	struct program *p;

	attach(m);
	m->base.wall.tv_sec = 1000;
	p = made_program(&m->to, 7);
	made_verdict(&m->to, 7, XDP_DROP, 100);
	p->unseen_from = (struct timespec){ 1000, 250000000 };
	describe_in(m, VIEW_PROGRAMS, 7);
	SAYS("not counted|since 00:16:40: attached");
	p->unseen_until = (struct timespec){ 1000, 301000000 };
	describe_in(m, VIEW_PROGRAMS, 7);
	SAYS("not counted|up to 51.00ms, from 00:16:40: attached");
	CELL(0, COL_VERDICTS, "on; uncounted up to 51.00ms, from 00:16:40");
	describe_in(m, VIEW_DEVICES, 0);
	SAYS("not counted|up to 51.00ms, from 00:16:40");
	m->with_base = true;
	describe_in(m, VIEW_DEVICES, 0);
	SAYS("not counted|up to 51.00ms, from 00:16:40");
	m->base.wall.tv_sec = 1001;
	describe_in(m, VIEW_DEVICES, 0);
	SAYS_NOT("not counted");
	describe_in(m, VIEW_PROGRAMS, 7);
	SAYS_NOT("not counted");
}

static void put_lookups(struct snapshot *s, uint32_t ifindex, uint32_t result, uint64_t n)
{
	struct fib_lookup *l = snapshot_add_row(s, DATA_SOURCE_FIB_LOOKUPS, sizeof(*l));

	assert_non_null(l);
	*l = (struct fib_lookup){
		.netns = MADE_NETNS, .ifindex = ifindex, .result = result, .lookups = n
	};
}

/* Of the program's devices only; since the start, and in the interval of 2 s. */
TABLE_TEST(test_lookups)
{
	attach(m);
	made_program(&m->from, 7);
	made_program(&m->to, 7);
	made_verdict(&m->to, 7, XDP_PASS, 100);
	describe_in(m, VIEW_PROGRAMS, 7);
	SAYS_NOT("bpf_fib_lookup");
	put_lookups(&m->from, 3, 0, 60);
	put_lookups(&m->to, 3, 0, 69);
	put_lookups(&m->to, 3, 7, 31);
	put_lookups(&m->to, 4, 4, 100);
	describe_in(m, VIEW_PROGRAMS, 7);
	SAYS("|Results of bpf_fib_lookup() on the program's devices\nSUCCESS|69, now 4.5/s, 69.0 "
	     "%: a "
	     "route and a neighbour entry\nNO_NEIGH|31, now 16/s, 31.0 %: no neighbour entry (ip "
	     "neigh): most programs pass these packets to the stack");
	SAYS_NOT("NOT_FWDED");
}

TABLE_TEST(test_program)
{
	struct verdict *placeless;

	attach(m);
	made_program(&m->from, 7);
	made_program(&m->to, 7)->verdicts_missed = 3;
	made_verdict(&m->from, 7, XDP_DROP, 40);
	made_verdict(&m->to, 7, XDP_DROP, 100);
	made_verdict(&m->to, 7, XDP_DROP, 20)->cpu = 1;
	made_verdict(&m->to, 7, XDP_PASS, 100)->queue = 2;
	placeless = made_verdict(&m->to, 7, XDP_TX, 20);
	placeless->netns = placeless->ifindex = 0;
	placeless->queue = VERDICT_QUEUE_UNKNOWN;
	describe_in(m, VIEW_PROGRAMS, 7);
	/* in 2 s */
	SAYS("|Actions returned\n"
	     "XDP_PASS|100, now 50/s, 50.0 %: passed on\n"
	     "XDP_DROP|120, now 40/s, 40.0 %: dropped by the program\n"
	     "XDP_TX|20, now 10/s, 10.0 %: to be sent back\n"
	     "together|240, now 100/s; 10.0k B/s, measured after the program ran\n"
	     "missed|3 runs");
	SAYS("|queues that the table had no room for: TX 10/s, 10.0 %\n");
	SAYS("|eth3 (+531840) queue 0: DROP 40/s, 40.0 %\n");
	SAYS("|eth3 (+531840) queue 2: PASS 50/s, 50.0 %\n");
	SAYS_NOT("fire no tracepoint");
	SAYS_NOT("xdpdump");
	/* before the first interval: everything counted */
	m->first = true;
	describe_in(m, VIEW_PROGRAMS, 7);
	SAYS("XDP_DROP|120, 50.0 %: ");
	SAYS("together|240; 24.0k bytes, measured after the program ran");
	SAYS("|eth3 (+531840) queue 0: DROP 120, 50.0 %\n");
}

/* A queue belongs to a device, and a device to a namespace. */
TABLE_TEST(test_queues)
{
	struct netdev *d;
	struct verdict *v;

	attach(m);
	d = snapshot_add_netdev(&m->to);
	*d = (struct netdev){ .netns = MADE_NETNS, .ifindex = 4, .name = "eth4" };
	d = snapshot_add_netdev(&m->to);
	*d = (struct netdev){ .netns = MADE_NETNS + 1, .ifindex = 4, .name = "far4" };
	made_program(&m->from, 7);
	made_program(&m->to, 7);
	made_verdict(&m->from, 7, XDP_ABORTED, 30);
	made_verdict(&m->to, 7, XDP_ABORTED, 30);
	made_verdict(&m->to, 7, XDP_PASS, 30)->ifindex = 4;
	v = made_verdict(&m->to, 7, XDP_PASS, 10);
	v->netns++;
	v->ifindex = 4;
	describe_in(m, VIEW_PROGRAMS, 7);
	SAYS("aborted|30, now 0/s, 0 %: XDP_ABORTED: lost\n");
	SAYS("|eth3 (+531840) queue 0: nothing now, 0 %\n"
	     "|eth4 (+531840) queue 0: PASS 15/s, 75.0 %\n"
	     "|far4 (+531841) queue 0: PASS 5.0/s, 25.0 %\n");
	SAYS_NOT("more");
	/* and more queues than anybody reads */
	for (uint32_t queue = 1; queue <= 125; queue++)
		made_verdict(&m->to, 7, XDP_PASS, 10)->queue = queue;
	describe_in(m, VIEW_PROGRAMS, 7);
	SAYS("|far4 (+531841) queue 0: ");
	SAYS_NOT("more");
	for (uint32_t queue = 126; queue <= 127; queue++)
		made_verdict(&m->to, 7, XDP_PASS, 10)->queue = queue;
	describe_in(m, VIEW_PROGRAMS, 7);
	SAYS("|eth3 (+531840) queue 127: PASS 5.0/s, ");
	SAYS_NOT("eth4 (+531840) queue");
	SAYS("|and 2 more\n");
}

TABLE_TEST(test_silent)
{
	attach(m);
	made_program(&m->from, 7);
	made_program(&m->to, 7);
	describe_in(m, VIEW_PROGRAMS, 7);
	SAYS("XDP_PASS|0, now 0/s, -: passed on\nXDP_DROP|0, now 0/s, -: ");
	SAYS_NOT("By receive queue");
}

TABLE_TEST(test_part)
{
	struct program *p;

	attach(m);
	made_program(&m->from, 7);
	made_program(&m->from, 8);
	made_program(&m->to, 7)->parts = 1;
	p = made_program(&m->to, 8);
	p->part_of = 7;
	made_verdict(&m->to, 8, XDP_PASS, 2);
	describe_in(m, VIEW_PROGRAMS, 8);
	SAYS("part of|prog7, id 7\n");
	SAYS("|Actions returned to the dispatcher\nXDP_PASS|2, now 1.0/s, 100 %");
	SAYS_NOT("attached|");
}

/* If verdicts are not counted, it says why, and how to count them. */
TABLE_TEST(test_uncounted)
{
	struct program *p;

	attach(m);
	p = made_program(&m->to, 7);
	p->verdicts = PROGRAM_VERDICTS_REFUSED;
	strcpy(p->verdicts_reason, "no BTF");
	for (int i = 0; i < 2; i++) {
		describe_in(m, i ? VIEW_DEVICES : VIEW_PROGRAMS, 0);
		SAYS("verdicts|cannot be counted: no BTF\n");
		SAYS("xdpdump -i eth3 --rx-capture exit");
	}
	SAYS("XDP_PASS|unknown: its program's verdicts cannot be counted");
	p->verdicts = PROGRAM_VERDICTS_OFF;
	describe_in(m, VIEW_PROGRAMS, 7);
	SAYS("verdicts|are not counted: switched off");
	p->verdicts = PROGRAM_VERDICTS_ASKED;
	describe_in(m, VIEW_PROGRAMS, 7);
	SAYS("verdicts|will be counted soon");
	p->verdicts = PROGRAM_VERDICTS_UNKNOWN;
	describe_in(m, VIEW_PROGRAMS, 7);
	SAYS("verdicts|XDP_DROP and XDP_PASS fire no tracepoint: --verdicts counts them, and these "
	     "commands show");
	describe_in(m, VIEW_DEVICES, 0);
	SAYS("XDP_PASS|unknown: only --verdicts counts it");
}

/* They replace counts that the driver lacks, and show whether XDP is to blame. */
TABLE_TEST(test_way)
{
	struct netdev *d = attach(m);

	*snapshot_add_netdev(&m->from) = *d;
	made_program(&m->from, 7);
	made_program(&m->to, 7);
	made_verdict(&m->to, 7, XDP_PASS, 30);
	describe_in(m, VIEW_DEVICES, 0);
	SAYS("seen by XDP|30, now 15/s (verdicts): ");
	SAYS("XDP_PASS|30, now 15/s (verdicts): passed on\n"
	     "XDP_DROP|0, now 0/s (verdicts): dropped by the program\n");
	SAYS_NOT("XDP_TX|");
	SAYS("result|XDP drops nothing here now; no drops have been counted in the ");
	made_verdict(&m->to, 7, XDP_TX, 2);
	describe_in(m, VIEW_DEVICES, 0);
	SAYS("XDP_TX|2, now 1.0/s (verdicts): to be sent back\n");
	SAYS("result|it is not known whether XDP drops packets here: its driver is not known to "
	     "report "
	     "XDP_TX that failed");
	/* the stack reports it */
	d->mode = NETDEV_GENERIC;
	describe_in(m, VIEW_DEVICES, 0);
	SAYS("result|XDP drops nothing here now; no drops have been counted in the ");
	made_verdict(&m->to, 7, VERDICT_UNKNOWN, 2);
	describe_in(m, VIEW_DEVICES, 0);
	SAYS("invalid|2, now 1.0/s (verdicts): a value that is not an action: lost\n");
	SAYS("result|XDP drops packets here, as counted above");
	made_verdict(&m->from, 7, VERDICT_UNKNOWN, 2);
	describe_in(m, VIEW_DEVICES, 0);
	SAYS("result|XDP drops nothing here now; its earlier drops are counted above");
}
