// SPDX-License-Identifier: GPL-2.0-or-later
/* Verdicts of programs: sums of rows over an interval, and reading back a recording. */
#include "unit/made_table.h"
#include "unit/made_verdicts.h"
#include "unit/recording/made_recording.h"
#include "unit/test.h"

static void set_rates(struct made *m)
{
	made_sort_verdicts(&m->base);
	made_sort_verdicts(&m->from);
	made_sort_verdicts(&m->to);
	rates_set(&m->rates, m->first ? NULL : &m->from, &m->to, m->with_base ? &m->base : NULL);
}

static struct verdict_sum sum_up(struct verdict_walk *w)
{
	struct verdict_sum sum = { 0 };
	const struct verdict *row;

	while ((row = verdict_walk_next(w)))
		verdict_sum_add(&sum, w, row);
	return sum;
}

TABLE_TEST(test_sum)
{
	struct verdict_walk w;
	struct verdict_sum sum;

	made_program(&m->to, 7);
	/* two CPUs and two queues; rows that the previous snapshot lacks are all new counts */
	made_verdict(&m->base, 7, XDP_DROP, 10);
	made_verdict(&m->from, 7, XDP_DROP, 100);
	made_verdict(&m->from, 7, XDP_DROP, 50)->cpu = 2;
	made_verdict(&m->to, 7, XDP_DROP, 160);
	made_verdict(&m->to, 7, XDP_DROP, 51)->cpu = 2;
	made_verdict(&m->to, 7, XDP_DROP, 4)->queue = 1;
	made_verdict(&m->to, 7, XDP_PASS, 30);
	/* rows sorted before and after it */
	made_verdict(&m->from, 6, XDP_DROP, 1);
	made_verdict(&m->to, 6, XDP_DROP, 1000);
	made_verdict(&m->to, 8, XDP_DROP, 1000);
	m->with_base = true;
	set_rates(m);
	verdict_walk_program(&w, &m->rates, 7);
	assert_true(w.known);
	sum = sum_up(&w);
	assert_int_equal(sum.delta[XDP_DROP].packets, 65);
	assert_int_equal(sum.delta[XDP_DROP].bytes, 6500);
	assert_int_equal(sum.since[XDP_DROP].packets, 205);
	assert_int_equal(sum.delta[XDP_PASS].packets, 30);
	assert_int_equal(sum.since[XDP_PASS].packets, 30);
	assert_int_equal(sum.delta[XDP_TX].packets, 0);
	assert_int_equal(verdict_total(sum.delta).packets, 95);
	verdict_walk_program(&w, &m->rates, 9);
	assert_null(verdict_walk_next(&w));
	assert_false(w.known);
}

TABLE_TEST(test_device)
{
	struct verdict_walk w;
	struct verdict *placeless;

	made_verdict(&m->from, 7, XDP_PASS, 1);
	made_verdict(&m->to, 7, XDP_PASS, 3);
	made_verdict(&m->to, 7, XDP_PASS, 40)->ifindex = 4;
	made_verdict(&m->to, 7, XDP_PASS, 500)->netns--;
	placeless = made_verdict(&m->to, 7, XDP_PASS, 6000);
	placeless->netns = placeless->ifindex = 0;
	placeless->queue = VERDICT_QUEUE_UNKNOWN;
	set_rates(m);
	verdict_walk_device(&w, &m->rates, 7, MADE_NETNS, 3);
	assert_int_equal(sum_up(&w).delta[XDP_PASS].packets, 2);
	verdict_walk_device(&w, &m->rates, 7, MADE_NETNS, 4);
	assert_int_equal(sum_up(&w).delta[XDP_PASS].packets, 40);
	verdict_walk_device(&w, &m->rates, 7, 0, 0);
	assert_int_equal(sum_up(&w).since[XDP_PASS].packets, 6000);
}

/* Counts of a trace that began within the interval cover only part of it. */
TABLE_TEST(test_known)
{
	struct verdict_walk w;

	/* traced before, without counts */
	made_program(&m->from, 5);
	made_verdict(&m->to, 5, XDP_PASS, 3);
	/* switched off and on */
	made_program(&m->from, 7);
	made_verdict(&m->from, 7, XDP_PASS, 30);
	made_verdict(&m->to, 7, XDP_PASS, 3)->trace++;
	made_program(&m->from, 8)->verdicts = PROGRAM_VERDICTS_ASKED;
	made_verdict(&m->to, 8, XDP_PASS, 3);
	/* no packets since */
	made_program(&m->from, 9);
	made_verdict(&m->from, 9, XDP_PASS, 3);
	set_rates(m);
	verdict_walk_program(&w, &m->rates, 5);
	assert_true(w.known);
	assert_int_equal(sum_up(&w).delta[XDP_PASS].packets, 3);
	for (uint32_t id = 7; id <= 10; id++) {
		verdict_walk_program(&w, &m->rates, id);
		assert_false(w.known);
		assert_int_equal(sum_up(&w).delta[XDP_PASS].packets, 0);
	}
	verdict_walk_program(&w, &m->rates, 7);
	assert_int_equal(sum_up(&w).since[XDP_PASS].packets, 3);
	m->first = true;
	set_rates(m);
	verdict_walk_program(&w, &m->rates, 5);
	assert_false(w.known);
}

/* Detached and attached again: it ran before its second trace began. */
TABLE_TEST(test_known_again)
{
	struct verdict_walk w;

	m->from.wall.tv_sec = 1000;
	m->to.wall.tv_sec = 1010;
	for (uint32_t id = 5; id <= 7; id++) {
		struct program *p = made_program(&m->to, id);

		made_program(&m->from, id);
		made_verdict(&m->from, id, XDP_PASS, 30);
		made_verdict(&m->to, id, XDP_PASS, 40);
		p->unseen_from.tv_sec = 999;
		p->unseen_until.tv_sec = id == 5 ? 1000 : 1001;
	}
	made_program(&m->to, 8);
	made_verdict(&m->from, 8, XDP_PASS, 30);
	made_verdict(&m->from, 8, XDP_PASS, 3)->trace++;
	made_verdict(&m->to, 8, XDP_PASS, 4)->trace++;
	set_rates(m);
	for (uint32_t id = 5; id <= 8; id++) {
		verdict_walk_program(&w, &m->rates, id);
		assert_int_equal(w.known, id == 5 || id == 8);
	}
	verdict_walk_program(&w, &m->rates, 8);
	assert_int_equal(sum_up(&w).delta[XDP_PASS].packets, 1);
}

TEST(test_names)
{
	assert_string_equal(verdict_name(XDP_ABORTED), "ABORTED");
	assert_string_equal(verdict_name(XDP_REDIRECT), "REDIRECT");
	assert_string_equal(verdict_name(VERDICT_UNKNOWN), "UNKNOWN");
	assert_string_equal(verdict_name(77), "UNKNOWN");
}

#define VERDICT(seq, more)                                                                        \
	"{\"type\":\"verdict\",\"seq\":" #seq ",\"time\":\"2026-11-21T09:15:0" #seq               \
	".123456Z\",\"interval_s\":1,\"prog_id\":7,\"netns\":4026531840,\"netns_name\":\"init\"," \
	"\"cpu\":2,\"trace\":4," more "}\n"

TEST(test_replay)
{
	static const char first[] =
		"{\"type\":\"program\",\"seq\":1,\"time\":\"2026-11-21T09:15:01.123456Z\","
		"\"prog_id\":7,\"state\":\"attached\",\"verdicts\":\"on\"}\n" VERDICT(
			1, "\"state\":\"counted\",\"ifindex\":3,\"queue\":1,\"act\":\"PASS\","
			   "\"packets\":3,\"packets_total\":5,\"bytes\":300,\"bytes_total\":500")
			VERDICT(1, "\"ifindex\":3,\"queue\":0,\"act\":\"DROP\",\"packets_total\":9")
		/* without a queue, and an invalid action */
		VERDICT(1, "\"queue\":null,\"packets_total\":2")
			VERDICT(1,
				"\"ifindex\":3,\"queue\":0,\"act\":\"NONE\",\"packets_total\":9");
	static const char second[] =
		VERDICT(2, "\"state\":\"gone\",\"ifindex\":3,\"queue\":1,\"act\":\"PASS\"");
	struct source *source = replay_with((const char *[]){ first, second }, 2);
	struct snapshot to = { 0 };
	const struct verdict *v;
	size_t n;

	assert_int_equal(sample_next(source, &to), 0);
	v = verdicts(&to, &n);
	/* no line shows that the others existed before */
	assert_int_equal(n, 1);
	assert_int_equal(v[0].packets, 2);
	assert_int_equal(v[0].bytes, 200);
	assert_int_equal(program_find(&to, 7)->verdicts, PROGRAM_VERDICTS_UNKNOWN);
	snapshot_clear(&to);
	assert_int_equal(sample_next(source, &to), 0);
	v = verdicts(&to, &n);
	assert_int_equal(n, 3);
	assert_int_equal(program_find(&to, 7)->verdicts, PROGRAM_VERDICTS_ON);
	assert_int_equal(v[0].ifindex, 0);
	assert_int_equal(v[0].queue, VERDICT_QUEUE_UNKNOWN);
	assert_int_equal(v[0].act, VERDICT_UNKNOWN);
	assert_int_equal(v[0].packets, 2);
	assert_int_equal(v[1].queue, 0);
	assert_int_equal(v[1].act, XDP_DROP);
	assert_int_equal(v[2].prog_id, 7);
	assert_int_equal(v[2].netns, MADE_NETNS);
	assert_int_equal(v[2].queue, 1);
	assert_int_equal(v[2].act, XDP_PASS);
	assert_int_equal(v[2].cpu, 2);
	assert_int_equal(v[2].trace, 4);
	assert_int_equal(v[2].packets, 5);
	assert_int_equal(v[2].bytes, 500);
	snapshot_clear(&to);
	assert_int_equal(sample_next(source, &to), 0);
	verdicts(&to, &n);
	assert_int_equal(n, 2);
	source->ops->close(source);
	snapshot_free(&to);
}
