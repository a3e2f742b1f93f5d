// SPDX-License-Identifier: GPL-2.0-or-later
/* What is followed, in memory shared with the programs; with a fake kernel. */
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "model/tracepoint.h"
#include "tracing/backend.h"
#include "tracing/follow.h"
#include "unit/test.h"

#define CPUS  2
#define SLOTS 64

/* The kernel. Maps are addresses in `thing`. */
static struct {
	char cpus, slots;
	int cpus_fd, slots_fd;
	bool no_wait; /* no grace periods: nohz_full */
	long slept_ns;
	__u32 now, new[TP_COUNT];
	struct series_info info[SLOTS];
} k;

/* membarrier() */
long syscall(long number, ...)
{
	return k.no_wait ? -1 : 0;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
	k.slept_ns += time->tv_nsec;
	return 0;
}

int bpf_map__fd(const struct bpf_map *map)
{
	return (const char *)map == &k.cpus ? k.cpus_fd : k.slots_fd;
}

__u32 bpf_map__max_entries(const struct bpf_map *map)
{
	return SLOTS;
}

static struct backend_object object;
static struct probe_memory memory = { .cpus = CPUS, .slots = SLOTS, .info = k.info };

static int setup(void **state)
{
	struct follow *f;

	memset(&k, 0, sizeof(k));
	object = (struct backend_object){ .follow_cpus = (void *)&k.cpus,
					  .followed = (void *)&k.slots,
					  .follow_now = &k.now,
					  .follow_default = k.new };
	k.cpus_fd = memfd_create("cpus", MFD_CLOEXEC);
	k.slots_fd = memfd_create("slots", MFD_CLOEXEC);
	assert_int_equal(ftruncate(k.cpus_fd, CPUS * sizeof(struct follow_cpu)), 0);
	assert_int_equal(ftruncate(k.slots_fd, SLOTS * sizeof(struct follow_event)), 0);
	f = follow_open(NULL, NULL, &object, &memory);
	assert_non_null(f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	follow_close(*state);
	close(k.cpus_fd);
	close(k.slots_fd);
	return 0;
}

/* As programs do it: is_followed() in bpf/series_cache.h. */
static bool is_followed(uint32_t slot)
{
	return k.now && k.info[slot].followed == k.now;
}

static bool is_new_followed(uint32_t tracepoint)
{
	return k.now && k.new[tracepoint] == k.now;
}

/* Marked series, new ones, and events that find the table full; only while it is on. */
TEST_OF(test_marks, setup, teardown, struct follow *f)
{
	const uint32_t one = TP_COUNT, other = TP_COUNT + 1;

	assert_true(follow_available(f));
	assert_int_equal(follow_choose(f, BIT(TP_XDP_REDIRECT)), 0);
	follow_mark(f, one, true);
	assert_false(is_followed(one) || is_new_followed(TP_XDP_REDIRECT));
	assert_int_equal(follow_switch(f, true), 0);
	assert_true(is_followed(one) && is_new_followed(TP_XDP_REDIRECT) &&
		    is_followed(TP_XDP_REDIRECT));
	assert_false(is_followed(other) || is_new_followed(TP_XDP_EXCEPTION) ||
		     is_followed(TP_XDP_EXCEPTION));
	follow_mark(f, other, true);
	follow_mark(f, one, false);
	assert_true(is_followed(other) && !is_followed(one));
	assert_int_equal(follow_switch(f, false), 0);
	assert_false(is_followed(other) || is_new_followed(TP_XDP_REDIRECT));
	/* a new choice begins without marks */
	assert_int_equal(follow_choose(f, BIT(TP_XDP_EXCEPTION)), 0);
	assert_int_equal(follow_switch(f, true), 0);
	assert_false(is_followed(other) || is_new_followed(TP_XDP_REDIRECT));
	assert_true(is_new_followed(TP_XDP_EXCEPTION));
}

/* It is on when no program has an unmarked series in its cache: after a tick of HZ=100. */
TEST_OF(test_begin, setup, teardown, struct follow *f)
{
	assert_int_equal(follow_choose(f, BIT(TP_XDP_REDIRECT)), 0);
	assert_int_equal(follow_switch(f, true), 0);
	assert_true(k.slept_ns > 10000000);
}

/* Running programs still write to the rings: if the kernel does not wait, sleep. */
TEST_OF(test_no_wait, setup, teardown, struct follow *f)
{
	assert_int_equal(follow_choose(f, BIT(TP_XDP_REDIRECT)), 0);
	assert_int_equal(follow_switch(f, false), 0);
	assert_int_equal(k.slept_ns, 0);
	k.no_wait = true;
	assert_int_equal(follow_switch(f, false), 0);
	assert_int_equal(k.slept_ns, 100000000);
}

/* The classic backend has no rings. */
TEST(test_unavailable)
{
	static const struct backend_object none;
	struct follow *f = follow_open(NULL, NULL, &none, &memory);

	assert_non_null(f);
	assert_false(follow_available(f));
	assert_null(follow_counts(f));
	assert_int_equal(follow_choose(f, BIT(TP_MEM_CONNECT)), 0);
	assert_int_equal(follow_switch(f, true), 0);
	follow_close(f);
}
