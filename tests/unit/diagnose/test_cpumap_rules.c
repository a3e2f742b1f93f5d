// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules for cpumaps: entry programs that drop, and CPUs that redirect to themselves. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include "unit/made_sockets.h"
#include "unit/test.h"

static struct series_key to_cpu(uint32_t cpu)
{
	return (struct series_key){ .map_type = SERIES_MAP_CPUMAP, .map_id = 7, .target = cpu };
}

/* The thread of CPU 2, whose entry has a program. */
static struct series *ran(struct fixture *f, uint64_t dropped, uint64_t passed)
{
	struct series *s = came(f, TP_XDP_CPUMAP_KTHREAD, to_cpu(2), COUNTS(50, dropped + passed));
	struct map_entry *e;

	s->total.xdp_drop = dropped;
	s->total.xdp_pass = passed;
	s->total.sched = 50;
	map(f, 7, BPF_MAP_TYPE_CPUMAP, 8, "cpus");
	e = entry(f, 2);
	e->qsize = 192;
	e->prog_id = 50;
	strcpy(e->prog_name, "acl");
	return s;
}

FINDING_TEST(test_drops_some)
{
	const struct finding *finding;

	f->alone = true;
	ran(f, 250, 750);
	update(f);
	finding = expect_only(f, "cpumap-program-drops");
	says(finding, "cpus (id 7) -> CPU 2: the entry's program acl (id 50) drops 25.0 % of the");
	assert_int_equal(finding->severity, FINDING_INFO);
	assert_int_equal(finding->location.prog_id, 50);
	assert_int_equal(finding->location.map_id, 7);
	assert_int_equal(finding->count, 250);
	assert_true(finding->lost_per_s == 250);
	assert_true(runs(finding, "bpftool prog dump xlated id 50\n"));
	/* there is a program, but unlike the ingress program it is unknown */
	((struct map_entry *)map_entry_find(&f->to, 7, 2))->prog_id = 0;
	f->to.mono_ns++;
	update(f);
	says(expect_only(f, "cpumap-program-drops"), "the entry's program drops 25.0 %");
	assert_false(runs(expect_only(f, "cpumap-program-drops"), "bpftool prog"));
}

FINDING_TEST(test_drops_none)
{
	ran(f, 0, 750);
	expect_quiet(f);
}

/* Few packets are no reason for an alarm, and neither is one interval. */
FINDING_TEST(test_drops_all)
{
	ran(f, 100, 0);
	expect_quiet(f);
	again(f);
	assert_int_equal(expect_only(f, "cpumap-program-drops")->severity, FINDING_WARNING);
	says(expect_only(f, "cpumap-program-drops"), "drops 100 % of the frames");
}

FINDING_TEST(test_drops_few)
{
	ran(f, 99, 0);
	update(f);
	again(f);
	assert_int_equal(expect_only(f, "cpumap-program-drops")->severity, FINDING_INFO);
}

static void expect_none(struct fixture *f, const char *code)
{
	for (size_t i = 0; i < f->findings.n; i++)
		assert_string_not_equal(f->findings.finding[i].code->name, code);
}

/* Failed redirects of the program, and its exceptions in generic mode, are separate findings. */
FINDING_TEST(test_drops_told)
{
	struct series_key key = made_to_device(3, 4, 9);

	ran(f, 250, 750);
	key.prog_id = 50;
	key.code = -ENETDOWN;
	came(f, TP_XDP_REDIRECT_ERR, key, COUNTS(200));
	update(f);
	assert_int_equal(expect(f, "cpumap-program-drops")->count, 50);
	findings_free(&f->findings);
	came(f, TP_XDP_EXCEPTION,
	     (struct series_key){ .netns = MADE_NETNS, .ifindex = 3, .prog_id = 50 }, COUNTS(50));
	f->to.mono_ns++;
	update(f);
	expect_none(f, "cpumap-program-drops");
}

static void sent(struct fixture *f, uint32_t from, uint32_t to, uint64_t packets)
{
	came(f, TP_XDP_CPUMAP_ENQUEUE, to_cpu(to), COUNTS(packets / 8, packets));
	made_cpu(&f->to, from, COUNTS(packets / 8, packets));
}

/* Another interval, including the CPUs. */
static void again_on_cpus(struct fixture *f)
{
	snapshot_copy(&f->from, &f->to);
	for (size_t i = 0; i < f->to.n_cpu; i++)
		f->to.cpu[i].count.packets += f->rates.delta[i].packets;
	f->to.mono_ns += MADE_S;
	for (size_t i = 0; i < f->to.n_series; i++)
		series_counters_add(&f->to.series[i].total, &f->rates.delta[i]);
	f->to.tp[TP_XDP_CPUMAP_ENQUEUE].on_ns += MADE_S;
	update(f);
}

FINDING_TEST(test_own_cpu)
{
	sent(f, 1, 1, 9500);
	sent(f, 0, 2, 500);
	update(f);
	again_on_cpus(f);
	expect_none(f, "cpumap-same-cpu");
	again_on_cpus(f);
	says(expect(f, "cpumap-same-cpu"),
	     "cpumap id 7: 95.0 % of its packets are handed to the CPU that received them");
	assert_int_equal(expect(f, "cpumap-same-cpu")->severity, FINDING_INFO);
}

/* The receiving CPU may be one of several targets, and with a single target it is that. */
FINDING_TEST(test_other_cpus)
{
	sent(f, 1, 1, 8900);
	sent(f, 1, 2, 1100);
	update(f);
	again_on_cpus(f);
	again_on_cpus(f);
	expect_none(f, "cpumap-same-cpu");
}

FINDING_TEST(test_one_cpu)
{
	f->to.cpus_online = 1;
	sent(f, 0, 0, 10000);
	update(f);
	again_on_cpus(f);
	again_on_cpus(f);
	expect_none(f, "cpumap-same-cpu");
}

/* Half of the packets lost is not a burst: one interval is enough. */
FINDING_TEST(test_lost_queue)
{
	static const struct {
		uint64_t packets, drops;
		bool at_once;
	} cases[] = { { 600, 300, true }, { 600, 299, false }, { 198, 99, false } };

	sent(f, 2, 2, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct series_counters *c = &f->to.series[0].total;

		f->to.mono_ns += 60 * MADE_S;
		*c = (struct series_counters){ .events = cases[i].packets / 8,
					       .packets = cases[i].packets,
					       .drops = cases[i].drops };
		findings_free(&f->findings);
		update(f);
		if (cases[i].at_once)
			assert_int_equal(expect_only(f, "cpumap-queue-full")->count, 300);
		else
			expect_none(f, "cpumap-queue-full");
	}
}

/* For a full queue the text says if most of its packets come from the same CPU. */
FINDING_TEST(test_own_queue)
{
	sent(f, 2, 2, 600);
	f->to.series[0].total.drops = 9;
	map(f, 7, BPF_MAP_TYPE_CPUMAP, 8, "cpus");
	entry(f, 2)->qsize = 192;
	update(f);
	step(f);
	f->to.series[0].total.packets = 1800;
	f->to.series[0].total.events = 225;
	f->to.series[0].total.drops = 18;
	f->to.cpu[0].count.packets = 1200;
	update(f);
	says(expect_only(f, "cpumap-queue-full"),
	     "; 50.0 % of its packets come from the same CPU, which receives them before");
	f->to.cpu[0].count.packets = 1199;
	f->to.mono_ns++;
	update(f);
	assert_null(strstr(expect_only(f, "cpumap-queue-full")->text, "itself"));
}
