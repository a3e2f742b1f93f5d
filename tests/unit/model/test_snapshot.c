// SPDX-License-Identifier: GPL-2.0-or-later
/* Raw counts: adding, finding, copying; what packets and drops mean for each tracepoint. */
#include <stdlib.h>
#include <string.h>
#include "model/snapshot.h"
#include "model/tracepoint.h"
#include "unit/test.h"

TEST(test_empty)
{
	struct snapshot s = { 0 }, copy = { 0 };

	assert_null(snapshot_find(&s, 1));
	snapshot_copy(&copy, &s);
	assert_int_equal(copy.n_series, 0);
	snapshot_clear(&s);
	snapshot_free(&s);
	snapshot_free(&s);
	snapshot_free(&copy);
	snapshot_free(NULL);
}

/* A series with counts on CPUs 0, 3 and 7: CPU ids are not indices. */
static struct series *add_series(struct snapshot *s, uint64_t id)
{
	static const uint32_t cpus[] = { 0, 3, 7 };
	struct series *series;
	size_t first = s->n_cpu;

	for (size_t i = 0; i < 3; i++) {
		struct cpu_count *c = snapshot_add_cpu(s);

		assert_non_null(c);
		c->cpu = cpus[i];
		c->count.events = id * 10 + cpus[i];
	}
	series = snapshot_add_series(s);
	assert_non_null(series);
	series->id = id;
	series->tracepoint = TP_XDP_REDIRECT_ERR;
	series->cpu = first;
	series->n_cpu = 3;
	return series;
}

TEST(test_find)
{
	static const uint64_t ids[] = { 1, 2, 5, 100, UINT64_MAX };
	struct snapshot s = { 0 };

	for (size_t i = 0; i < 5; i++)
		add_series(&s, ids[i]);
	for (size_t i = 0; i < 5; i++) {
		assert_ptr_equal(snapshot_find(&s, ids[i]), &s.series[i]);
		if (ids[i] != UINT64_MAX && ids[i] != 1)
			assert_null(snapshot_find(&s, ids[i] + 1));
	}
	assert_null(snapshot_find(&s, 0));
	snapshot_free(&s);
}

TEST(test_cpu_holes)
{
	struct snapshot s = { 0 };
	const struct series *a, *b;

	add_series(&s, 1);
	add_series(&s, 2);
	a = snapshot_find(&s, 1);
	b = snapshot_find(&s, 2);
	assert_int_equal(snapshot_cpu(&s, a, 0)->events, 10);
	assert_int_equal(snapshot_cpu(&s, a, 7)->events, 17);
	assert_int_equal(snapshot_cpu(&s, b, 3)->events, 23);
	assert_null(snapshot_cpu(&s, a, 1));
	assert_null(snapshot_cpu(&s, a, 8));
	assert_null(snapshot_cpu(&s, b, 4));
	s.series[0].n_cpu = 0;
	assert_null(snapshot_cpu(&s, &s.series[0], 0));
	snapshot_free(&s);
}

TEST(test_cpus_of_many)
{
	static const uint64_t ids[] = { 2, 7, 30, 500 };
	struct snapshot s = { 0 };

	for (size_t i = 0; i < 4; i++)
		add_series(&s, ids[i]);
	for (size_t i = 0; i < 4; i++) {
		const struct series *series = snapshot_find(&s, ids[i]);

		assert_int_equal(snapshot_cpu(&s, series, 3)->events, ids[i] * 10 + 3);
	}
	snapshot_free(&s);
}

/* Added elements are zeroed even in reused memory; content survives growth. */
TEST(test_growth_and_reuse)
{
	struct snapshot s = { 0 };

	for (int round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < 1000; i++) {
			struct series *series = snapshot_add_series(&s);
			struct event *event = snapshot_add_event(&s);

			assert_int_equal(series->id, 0);
			assert_int_equal(series->total.events, 0);
			assert_int_equal(event->pid, 0);
			series->id = i + 1;
			series->total.events = i;
			event->pid = (uint32_t)i + 1;
		}
		s.seq = 3;
		s.tp[TP_XDP_REDIRECT].events = 9;
		assert_int_equal(s.n_series, 1000);
		assert_int_equal(s.series[777].total.events, 777);
		assert_int_equal(s.event[777].pid, 778);
		snapshot_clear(&s);
		assert_int_equal(s.n_series + s.n_event + s.n_cpu, 0);
		assert_int_equal(s.seq + s.tp[TP_XDP_REDIRECT].events, 0);
	}
	snapshot_free(&s);
}

TEST(test_copy)
{
	struct snapshot from = { 0 }, to = { 0 };

	for (uint64_t id = 1; id <= 100; id++)
		add_series(&from, id);
	from.seq = 7;
	from.mono_ns = 123;
	from.tp[TP_XDP_EXCEPTION].state = TP_ON;
	strcpy(from.tp[TP_XDP_EXCEPTION].name, "xdp_exception");
	snapshot_add_event(&from)->pid = 812;
	/* into a larger snapshot */
	for (uint64_t id = 1; id <= 500; id++)
		add_series(&to, id);
	snapshot_copy(&to, &from);
	assert_int_equal(to.seq, 7);
	assert_int_equal(to.n_series, 100);
	assert_int_equal(to.n_event, 1);
	assert_int_equal(to.event[0].pid, 812);
	assert_string_equal(to.tp[TP_XDP_EXCEPTION].name, "xdp_exception");
	/* the copy is independent */
	from.series[0].total.events = 99;
	snapshot_free(&from);
	assert_int_equal(to.series[0].total.events, 0);
	assert_int_equal(snapshot_cpu(&to, snapshot_find(&to, 42), 7)->events, 427);
	snapshot_copy(&to, &to);
	assert_int_equal(to.n_series, 100);
	snapshot_free(&to);
}

TEST(test_states)
{
	for (int i = TP_OFF; i <= TP_SHED; i++)
		assert_string_equal(tp_state_name((enum tp_state)i), tp_states[i]);
	assert_string_equal(tp_state_name(TP_MISSING), "missing");
	assert_string_equal(tp_state_name((enum tp_state)(TP_SHED + 1)), "unknown");
}

TEST(test_missed)
{
	struct snapshot s = { 0 };

	assert_int_equal(snapshot_total(&s, missed), 0);
	assert_int_equal(snapshot_total(&s, overflow), 0);
	s.tp[0].missed = 1;
	s.tp[TP_COUNT - 1].missed = 1ull << 40;
	s.tp[TP_COUNT - 1].overflow = 7;
	s.tp[TP_MEM_CONNECT].events_lost = 4064;
	assert_int_equal(snapshot_total(&s, missed), (1ull << 40) + 1);
	assert_int_equal(snapshot_total(&s, overflow), 7);
	assert_int_equal(snapshot_total(&s, events_lost), 4064);
}

TEST(test_packets_and_drops)
{
	const struct series_counters c = { .events = 5, .packets = 70, .drops = 8, .bytes = 9000 };
	static const struct {
		uint32_t tp;
		int packets, drops; /* -1 = does not count them */
	} expected[TP_COUNT] = {
		{ TP_XDP_EXCEPTION, 5, 5 },
		{ TP_XDP_REDIRECT_ERR, 5, 5 },
		/* queued, and losses do not apply: "-" rather than 0 */
		{ TP_XDP_REDIRECT, 5, -1 },
		{ TP_XDP_DEVMAP_XMIT, 70, 8 },
		{ TP_XDP_BULK_TX, 70, 8 },
		{ TP_XDP_CPUMAP_ENQUEUE, 70, 8 },
		{ TP_XDP_CPUMAP_KTHREAD, 70, 8 },
		{ TP_NET_DEV_QUEUE, 70, -1 },
		{ TP_LINK_ATTACH_FAILED, -1, -1 },
		{ TP_NETLINK_EXTACK, -1, -1 },
		{ TP_MEM_CONNECT, -1, -1 },
		{ TP_MEM_DISCONNECT, -1, -1 },
		{ TP_VERDICTS, -1, -1 },
		{ TP_FOLLOW, -1, -1 },
		{ TP_OTHER, -1, -1 },
		{ TP_OTHER + 1, -1, -1 },
		{ TP_OTHER + 2, -1, -1 },
		{ TP_OTHER + 3, -1, -1 },
	};

	for (uint32_t i = 0; i < TP_COUNT; i++) {
		uint64_t packets = 42, drops = 42;

		assert_int_equal(expected[i].tp, i);
		assert_int_equal(series_packets(i, &c, &packets), expected[i].packets >= 0);
		assert_int_equal(series_drops(i, &c, &drops), expected[i].drops >= 0);
		assert_int_equal(packets, expected[i].packets >= 0 ? expected[i].packets : 0);
		assert_int_equal(drops, expected[i].drops >= 0 ? expected[i].drops : 0);
	}
}

TEST(test_process_text)
{
	struct snapshot_host host = { 0 };
	struct snapshot s = { 0 };
	char buf[100];

	s.tp[TP_VERDICTS].state = TP_ON;
	for (int i = 0; i < PROCESSES; i++)
		assert_string_equal(snapshot_process_text(&s, &host, i, false, buf, sizeof(buf)),
				    "");
	host.process[PROCESS_VERDICTS].pid = 812;
	host.process[PROCESS_VERDICTS].caps = 1ull << 21 | 1ull << 38 | 1ull << 39;
	host.process[PROCESS_LATER].pid = 813;
	host.process[PROCESS_LATER].caps = 1ull << 19 | 1ull << 21;
	assert_string_equal(snapshot_process_text(&s, &host, PROCESS_VERDICTS, false, buf,
						  sizeof(buf)),
			    "verdicts on: pid 812 keeps CAP_SYS_ADMIN, CAP_PERFMON, CAP_BPF");
	s.tp[TP_VERDICTS].state = TP_SHED;
	assert_string_equal(snapshot_process_text(&s, &host, PROCESS_VERDICTS, false, buf,
						  sizeof(buf)),
			    "verdicts shed: pid 812 keeps CAP_SYS_ADMIN, CAP_PERFMON, CAP_BPF");
	assert_string_equal(snapshot_process_text(&s, &host, PROCESS_VERDICTS, true, buf,
						  sizeof(buf)),
			    "pid 812 keeps SYS_ADMIN,PERFMON,BPF");
	assert_string_equal(snapshot_process_text(&s, &host, PROCESS_LATER, false, buf,
						  sizeof(buf)),
			    "later namespaces: pid 813 keeps CAP_SYS_PTRACE, CAP_SYS_ADMIN");
	for (size_t size = 1; size < sizeof(buf); size++)
		assert_true(strlen(snapshot_process_text(&s, &host, PROCESS_LATER, false, buf,
							 size)) < size);
}

TEST(test_counters_add)
{
	struct series_counters a = { 1, 2, 3, 4, 5, 6, 7, 8 };
	const struct series_counters b = { 10, 20, 30, 40, 50, 60, 70, 80 };
	const struct series_counters sum = { 11, 22, 33, 44, 55, 66, 77, 88 };

	series_counters_add(&a, &b);
	assert_memory_equal(&a, &sum, sizeof(a));
}
