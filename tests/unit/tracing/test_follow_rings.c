// SPDX-License-Identifier: GPL-2.0-or-later
/* Rings of followed events. This file plays the programs. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/cpu_set.h"
#include "model/tracepoint.h"
#include "unit/test.h"

/* Properties of the machine. */
static bool keeps_order, waits;
#define KEEPS_STORES_IN_ORDER keeps_order
#include "tracing/follow.c"

#define CPUS  4
#define SLOTS 12

/* The machine: CPU 2 is offline. */
static struct {
	int fd;
	struct follow_event *slot;
	struct follow_cpu cpu[CPUS];
	struct follow_rings rings;
} m;

/* Events read so far. */
static struct {
	uint32_t tracepoint, cpu;
	uint64_t ktime_ns, lost;
} got[32];
static size_t n;

/* membarrier() */
long syscall(long number, ...)
{
	return waits ? 0 : -1;
}

int cpu_set_read(struct cpu_set *c, const char *name)
{
	assert_string_equal(name, "online");
	memset(c, 0, sizeof(*c));
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		if (cpu != 2)
			c->bits[0] |= 1u << cpu;
	c->end = CPUS;
	return 0;
}

bool cpu_set_has(const struct cpu_set *c, uint32_t cpu)
{
	return c->bits[0] >> cpu & 1;
}

static int set_up(void **state)
{
	memset(&m, 0, sizeof(m));
	keeps_order = true;
	waits = false;
	m.fd = memfd_create("slots", MFD_CLOEXEC);
	assert_int_equal(ftruncate(m.fd, SLOTS * sizeof(*m.slot)), 0);
	m.slot = mmap(NULL, SLOTS * sizeof(*m.slot), PROT_READ | PROT_WRITE, MAP_SHARED, m.fd, 0);
	assert_true(m.slot != MAP_FAILED);
	return 0;
}

static int tear_down(void **state)
{
	follow_rings_close(&m.rings);
	munmap(m.slot, SLOTS * sizeof(*m.slot));
	close(m.fd);
	return 0;
}

static void open_rings(uint32_t set, bool preempted)
{
	follow_rings_close(&m.rings);
	assert_int_equal(follow_rings_open(&m.rings, m.fd, SLOTS, m.cpu, CPUS, set, preempted), 0);
}

static struct follow_ring *ring_of(uint32_t cpu, uint32_t tracepoint)
{
	assert_true(m.cpu[cpu].count[tracepoint].ring < TP_COUNT);
	return &m.cpu[cpu].ring[m.cpu[cpu].count[tracepoint].ring];
}

/* As follow_new() and follow_submit() of bpf/follow_ring.h. */
static void fire(uint32_t tracepoint, uint32_t cpu, uint64_t ktime_ns)
{
	struct follow_count *c = &m.cpu[cpu].count[tracepoint];
	struct follow_ring *r = ring_of(cpu, tracepoint);

	if (r->written - r->taken >= r->slots) {
		c->lost++;
		return;
	}
	assert_true(r->first + r->at < SLOTS);
	m.slot[r->first + r->at] = (struct follow_event){ .ktime_ns = ktime_ns,
							  .lost = c->lost,
							  .tracepoint = (uint16_t)tracepoint };
	r->at = r->at + 1 < r->slots ? r->at + 1 : 0;
	r->written++;
}

static void take_event(void *ctx, uint32_t cpu, const struct follow_event *e)
{
	assert_ptr_equal(ctx, &m);
	got[n].tracepoint = e->tracepoint;
	got[n].cpu = cpu;
	got[n].ktime_ns = e->ktime_ns;
	got[n++].lost = e->lost;
}

static bool read_rings(size_t max)
{
	n = 0;
	return follow_rings_read(&m.rings, take_event, &m, max);
}

/* By time, across CPUs and rings; no event of equal time is lost. */
TEST_WITH(test_order, set_up, tear_down)
{
	static const uint64_t time[] = { 10, 11, 12, 12, 13, 14, 15 };

	open_rings(BIT(TP_XDP_REDIRECT) | BIT(TP_XDP_EXCEPTION), true);
	fire(TP_XDP_REDIRECT, 0, 10);
	fire(TP_XDP_REDIRECT, 0, 13);
	fire(TP_XDP_REDIRECT, 1, 11);
	fire(TP_XDP_REDIRECT, 1, 12);
	fire(TP_XDP_EXCEPTION, 3, 12);
	fire(TP_XDP_EXCEPTION, 3, 15);
	fire(TP_XDP_EXCEPTION, 0, 14);
	assert_true(read_rings(100));
	assert_int_equal(n, 7);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(got[i].ktime_ns, time[i]);
	assert_int_equal(got[0].tracepoint, TP_XDP_REDIRECT);
	assert_int_equal(got[0].cpu, 0);
	assert_int_equal(got[5].tracepoint, TP_XDP_EXCEPTION);
	assert_int_equal(got[5].cpu, 0);
	assert_int_equal(got[6].cpu, 3);
	assert_true(read_rings(100));
	assert_int_equal(n, 0);
}

/* Each of three CPUs has a third; each event is read once or lost, many times around. */
TEST_WITH(test_round, set_up, tear_down)
{
	uint64_t fired = 0, read = 0, next = 0;
	const struct follow_count *c = &m.cpu[1].count[TP_XDP_REDIRECT];

	open_rings(BIT(TP_XDP_REDIRECT), false);
	assert_int_equal(ring_of(1, TP_XDP_REDIRECT)->slots, 4);
	for (int round = 1; round < 50; round++) {
		for (int i = 0; i < round % 7; i++)
			fire(TP_XDP_REDIRECT, 1, ++fired);
		assert_true(read_rings(100));
		assert_int_equal(n, round % 7 < 4 ? round % 7 : 4);
		/* gaps are exactly the lost events */
		for (size_t i = 0; i < n; i++)
			assert_int_equal(got[i].ktime_ns, ++next + got[i].lost);
		read += n;
	}
	assert_true(c->lost > 0);
	assert_int_equal(read + c->lost, fired);
}

/* At most as many as requested; the others come next time. */
TEST_WITH(test_bound, set_up, tear_down)
{
	open_rings(BIT(TP_XDP_REDIRECT), false);
	for (uint64_t i = 0; i < 4; i++) {
		fire(TP_XDP_REDIRECT, 0, 2 * i);
		fire(TP_XDP_REDIRECT, 1, 2 * i + 1);
	}
	assert_false(read_rings(5));
	assert_int_equal(n, 5);
	assert_int_equal(got[4].ktime_ns, 4);
	/* there is room again */
	fire(TP_XDP_REDIRECT, 0, 8);
	assert_int_equal(m.cpu[0].count[TP_XDP_REDIRECT].lost, 0);
	assert_true(read_rings(4));
	assert_int_equal(got[0].ktime_ns, 5);
	assert_int_equal(got[3].ktime_ns, 8);
}

/* An event later than the look at the rings waits: another CPU may still have an earlier one. */
TEST_WITH(test_later, set_up, tear_down)
{
	open_rings(BIT(TP_XDP_REDIRECT), false);
	fire(TP_XDP_REDIRECT, 0, 7);
	fire(TP_XDP_REDIRECT, 1, clock_ns() + 3600 * NSEC_PER_SEC);
	assert_true(read_rings(100));
	assert_int_equal(n, 1);
	assert_int_equal(got[0].ktime_ns, 7);
	assert_int_equal(ring_of(1, TP_XDP_REDIRECT)->taken, 0);
}

/* Programs that cannot interrupt each other share a ring; unknown tracepoints have their own. */
TEST_WITH(test_one_ring, set_up, tear_down)
{
	open_rings(BIT(TP_XDP_REDIRECT) | BIT(TP_XDP_EXCEPTION) | BIT(TP_NET_DEV_QUEUE), false);
	assert_ptr_equal(ring_of(0, TP_XDP_REDIRECT), ring_of(0, TP_XDP_EXCEPTION));
	assert_ptr_not_equal(ring_of(0, TP_XDP_REDIRECT), ring_of(1, TP_XDP_REDIRECT));
	assert_int_equal(ring_of(0, TP_NET_DEV_QUEUE)->slots, 4);
	for (uint64_t i = 0; i < 4; i++)
		fire(i % 2 ? TP_XDP_REDIRECT : TP_XDP_EXCEPTION, 0, i);
	fire(TP_NET_DEV_QUEUE, 0, 4);
	assert_true(read_rings(100));
	assert_int_equal(n, 4);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(got[i].tracepoint, i % 2 ? TP_XDP_REDIRECT : TP_XDP_EXCEPTION);
	assert_int_equal(m.cpu[0].count[TP_NET_DEV_QUEUE].lost, 1);
	open_rings(BIT(TP_XDP_REDIRECT) | BIT(TP_OTHER) | BIT(TP_OTHER + 1), false);
	assert_int_equal(ring_of(0, TP_XDP_REDIRECT)->slots, 1);
	assert_ptr_not_equal(ring_of(0, TP_XDP_REDIRECT), ring_of(0, TP_OTHER));
	assert_ptr_not_equal(ring_of(0, TP_OTHER), ring_of(0, TP_OTHER + 1));
	open_rings(BIT(TP_XDP_REDIRECT) | BIT(TP_XDP_EXCEPTION), true);
	assert_ptr_not_equal(ring_of(0, TP_XDP_REDIRECT), ring_of(0, TP_XDP_EXCEPTION));
}

/* An offline CPU has no slots, nor has the ring of another tracepoint: their events are lost. */
TEST_WITH(test_others, set_up, tear_down)
{
	open_rings(BIT(TP_XDP_REDIRECT), true);
	fire(TP_XDP_REDIRECT, 2, 1);
	fire(TP_XDP_EXCEPTION, 0, 2);
	assert_true(read_rings(100));
	assert_int_equal(n, 0);
	assert_int_equal(m.cpu[2].count[TP_XDP_REDIRECT].lost, 1);
	assert_int_equal(m.cpu[0].count[TP_XDP_EXCEPTION].lost, 1);
}

/* Events written for an earlier choice are dropped. */
TEST_WITH(test_again, set_up, tear_down)
{
	open_rings(BIT(TP_XDP_REDIRECT), false);
	for (uint64_t i = 0; i < 3; i++)
		fire(TP_XDP_REDIRECT, 3, i);
	open_rings(BIT(TP_XDP_REDIRECT) | BIT(TP_OTHER), false);
	assert_int_equal(ring_of(3, TP_XDP_REDIRECT)->slots, 2);
	fire(TP_XDP_REDIRECT, 3, 9);
	assert_true(read_rings(100));
	assert_int_equal(n, 1);
	assert_int_equal(got[0].ktime_ns, 9);
	assert_int_equal(ring_of(3, TP_XDP_REDIRECT)->written, 4);
}

/*
 * If stores may become visible out of order and the kernel does not wait: events of the previous
 * look.
 */
TEST_WITH(test_whole, set_up, tear_down)
{
	m.cpu[0].ring[0].written = 7; /* for another choice */
	keeps_order = false;
	open_rings(BIT(TP_XDP_REDIRECT), false);
	assert_true(read_rings(100));
	assert_int_equal(n, 0);
	fire(TP_XDP_REDIRECT, 0, 10);
	fire(TP_XDP_REDIRECT, 0, 11);
	assert_true(read_rings(100));
	assert_int_equal(n, 0);
	fire(TP_XDP_REDIRECT, 0, 12);
	assert_true(read_rings(100));
	assert_int_equal(n, 2);
	assert_int_equal(got[1].ktime_ns, 11);
	waits = true;
	fire(TP_XDP_REDIRECT, 0, 13);
	assert_true(read_rings(100));
	assert_int_equal(n, 2);
	assert_int_equal(got[1].ktime_ns, 13);
}

TEST_WITH(test_no_memory, set_up, tear_down)
{
	assert_true(follow_rings_open(&m.rings, -1, SLOTS, m.cpu, CPUS, 1, false) < 0);
	assert_true(read_rings(1));
	assert_int_equal(n, 0);
}
