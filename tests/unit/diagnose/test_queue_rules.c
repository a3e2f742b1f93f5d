// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about the CPUs of receive queues: when they appear, and when not. */
#include "source/data_source.h"
#include "source/queues.h"
#include "source/softnet.h"
#include "unit/made_finding.h"
#include "unit/test.h"

#define QUEUES 4
#define CPUS   4

static struct netdev_queue *queue_at(struct fixture *f, size_t i)
{
	return data_source_row_at(&f->to, DATA_SOURCE_QUEUES, i);
}

static struct softnet_cpu *cpu_at(struct fixture *f, size_t i)
{
	return data_source_row_at(&f->to, DATA_SOURCE_SOFTNET, i);
}

/* eth3 on node 0, 4 queues with 20,000 packets a second each: queue i on CPU i, which has no stop.
 */
static void healthy(struct fixture *f)
{
	struct netdev *d = device(f, MADE_NETNS, 3, "eth3");

	d->mode = NETDEV_NATIVE;
	d->prog_id = 42;
	f->to.cpus_online = CPUS;
	for (uint32_t i = 0; i < QUEUES; i++) {
		struct netdev_queue *q = snapshot_add_row(&f->to, DATA_SOURCE_QUEUES, sizeof(*q));

		*q = (struct netdev_queue){ .netns = MADE_NETNS,
					    .ifindex = 3,
					    .queue = i,
					    .irq = 30 + i,
					    .cpu = (int32_t)i,
					    .counts_packets = true,
					    .packets_per_s = 20000 };
	}
	for (uint32_t i = 0; i < CPUS; i++) {
		struct softnet_cpu *cpu =
			snapshot_add_row(&f->to, DATA_SOURCE_SOFTNET, sizeof(*cpu));

		*cpu = (struct softnet_cpu){ .cpu = i };
	}
	snapshot_copy_rows(&f->from, &f->to, DATA_SOURCE_SOFTNET);
}

/* Queues 1 and 2 on CPU 1, whose softirq stops 500 times a second; CPU 2 has nothing to do. */
static void ill(struct fixture *f)
{
	healthy(f);
	queue_at(f, 2)->cpu = 1;
	cpu_at(f, 1)->time_squeeze = 500;
}

/* So many intervals of it. */
static void lasts(struct fixture *f, int intervals)
{
	struct softnet_cpu grew[CPUS];

	for (size_t i = 0; i < CPUS; i++)
		grew[i] = *cpu_at(f, i);
	update(f);
	for (int k = 1; k < intervals; k++) {
		snapshot_copy(&f->from, &f->to);
		f->to.mono_ns += MADE_S;
		f->to.wall.tv_sec++;
		for (size_t i = 0; i < CPUS; i++) {
			cpu_at(f, i)->time_squeeze += grew[i].time_squeeze;
			cpu_at(f, i)->processed += grew[i].processed;
		}
		update(f);
	}
}

FINDING_TEST(test_share)
{
	const struct finding *finding;

	ill(f);
	lasts(f, 3);
	finding = expect_only(f, "queues-share-cpu");
	says(finding, "the interrupts of 2 busy receive queues (of 4) go to CPU 1, 40.0k packets a "
		      "second in all. Its softirq stops with work left, while CPU 2 serves no busy "
		      "queue");
	assert_true(runs(finding, "cat /proc/irq/32/smp_affinity_list"));
	assert_int_equal(finding->severity, FINDING_WARNING);
}

static void keeps_up(struct fixture *f)
{
	cpu_at(f, 1)->time_squeeze = 9;
}

static void is_idle(struct fixture *f)
{
	queue_at(f, 2)->packets_per_s = 9999;
}

static void rate_is_unknown(struct fixture *f)
{
	queue_at(f, 2)->packets_per_s = -1;
}

static void no_cpu_is_free(struct fixture *f)
{
	cpu_at(f, 2)->processed = 50000;
}

static void others_stop_too(struct fixture *f)
{
	cpu_at(f, 2)->time_squeeze = 1;
}

static void another_device_is_there(struct fixture *f)
{
	struct netdev_queue *q = snapshot_add_row(&f->to, DATA_SOURCE_QUEUES, sizeof(*q));

	device(f, MADE_NETNS, 9, "eth9")->mode = NETDEV_NATIVE;
	*q = *queue_at(f, 0);
	q->ifindex = 9;
	q->queue = 0;
	q->cpu = 2;
}

static void some_are_left_out(struct fixture *f)
{
	for (size_t i = 0; i < QUEUES; i++)
		queue_at(f, i)->left_out = 1;
}

static void has_a_thread(struct fixture *f)
{
	queue_at(f, 2)->pid = 812;
}

/* A virtual device's CPU is the sender's. */
static void has_no_interrupt(struct fixture *f)
{
	queue_at(f, 2)->irq = 0;
}

static void goes_anywhere(struct fixture *f)
{
	queue_at(f, 2)->cpu = -1;
}

/* One thing less than the evidence: no finding. */
TEST(test_do_not_share)
{
	static void (*const but[])(struct fixture * f) = {
		keeps_up,          is_idle,       rate_is_unknown,  no_cpu_is_free,
		others_stop_too,   has_a_thread,  has_no_interrupt, another_device_is_there,
		some_are_left_out, goes_anywhere,
	};

	for (size_t i = 0; i < sizeof(but) / sizeof(but[0]); i++) {
		struct fixture *f = fixture_new();

		ill(f);
		but[i](f);
		lasts(f, 3);
		if (f->findings.n)
			fail_msg("%zu: %s", i, f->findings.finding[0].text);
		fixture_free(f);
	}
}

/* Each queue has its CPU, however busy all are. */
FINDING_TEST(test_healthy)
{
	healthy(f);
	for (size_t i = 0; i < QUEUES; i++) {
		queue_at(f, i)->packets_per_s = 2000000;
		cpu_at(f, i)->time_squeeze = 1000;
		cpu_at(f, i)->processed = 2000000;
	}
	lasts(f, 3);
	assert_int_equal(f->findings.n, 0);
}

FINDING_TEST(test_two_intervals)
{
	ill(f);
	lasts(f, 2);
	assert_int_equal(f->findings.n, 0);
}

FINDING_TEST(test_remote)
{
	const struct finding *finding;

	healthy(f);
	queue_at(f, 1)->cpu_node = queue_at(f, 3)->cpu_node = 1;
	queue_at(f, 3)->packets_per_s = 100; /* not busy */
	lasts(f, 3);
	finding = expect_only(f, "irq-remote-numa");
	says(finding, "1 of its 4 receive queues, 20.0k packets a second, is served by CPUs on "
		      "NUMA node 1, but the device is on node 0");
	assert_int_equal(finding->severity, FINDING_INFO);
	assert_true(runs(finding, "cat /proc/irq/31/smp_affinity_list"));
}

FINDING_TEST(test_not_remote)
{
	healthy(f);
	/* a device, or a CPU, whose node is not known */
	queue_at(f, 0)->node = -1;
	queue_at(f, 1)->cpu_node = -1;
	/* its rate is not known */
	queue_at(f, 2)->cpu_node = 1;
	queue_at(f, 2)->counts_packets = false;
	queue_at(f, 3)->cpu_node = 1;
	queue_at(f, 3)->irq = 0;
	lasts(f, 3);
	assert_int_equal(f->findings.n, 0);
}
