// SPDX-License-Identifier: GPL-2.0-or-later
/* The programs that follow events, with a fake kernel. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "inventory/bpf_iters.h"
#include "model/tracepoint.h"
#include "tracing/backend.h"
#include "tracing/follow.h"
#include "tracing/load_error.h"
#include "unit/test.h"

#define CPUS  2
#define SLOTS 64

/* The kernel. Programs, maps and links are addresses in `thing`. */
static struct {
	uint32_t loads; /* tracepoints whose program loads alone; bit 31: all together */
	int err;
	int destroyed; /* number of objects */
	char thing[TP_COUNT], cpus, slots, choices;
	struct follow_choices written;
	struct follow_first first;
	int cpus_fd, slots_fd;
	uint64_t missed[TP_COUNT];
	bool no_wait; /* no grace periods: nohz_full */
	int slept;
	uint32_t links; /* bits 1 << id */
	int refused;    /* tracepoint that cannot be attached; 0 = none */
} k;

/* membarrier() */
long syscall(long number, ...)
{
	return k.no_wait ? -1 : 0;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
	k.slept++;
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

int bpf_program__fd(const struct bpf_program *program)
{
	return (int)((const char *)program - k.thing);
}

int bpf_obj_get_info_by_fd(int fd, void *info, __u32 *size)
{
	((struct bpf_prog_info *)info)->recursion_misses = k.missed[fd];
	return 0;
}

int bpf_link__destroy(struct bpf_link *link)
{
	if (link)
		k.links &= ~BIT((char *)link - k.thing);
	return 0;
}

void bpf_iters_wait(struct bpf_iters *iters)
{
}

bool lockdown_confidential(void)
{
	return false;
}

static int load_follow(struct backend *b, uint32_t wanted, const struct backend_size *size,
		       struct follow_object *to)
{
	bool one = !(wanted & (wanted - 1));

	/* as the real one: set before it is known whether it loads */
	*to = (struct follow_object){ .cpus = (void *)&k.cpus,
				      .slots = (void *)&k.slots,
				      .choices = &k.written,
				      .first = &k.first };
	for (int id = 0; id < TP_COUNT; id++) {
		if (wanted & BIT(id))
			to->program[id] = (void *)&k.thing[id];
	}
	if ((one && wanted & k.loads) || k.loads & BIT(31) || !(wanted & ~k.loads))
		return 0;
	k.destroyed++;
	return k.err;
}

static void unload_follow(struct backend *b)
{
	k.destroyed++;
}

static struct bpf_link *attach_program(struct backend *b, int id, struct bpf_program *program)
{
	if (id == k.refused) {
		errno = EACCES;
		return NULL;
	}
	k.links |= BIT(id);
	return (struct bpf_link *)program;
}

static const struct backend_ops ops = {
	.load_follow = load_follow,
	.unload_follow = unload_follow,
	.attach = attach_program,
};

#define WANTED (BIT(TP_XDP_EXCEPTION) | BIT(TP_XDP_REDIRECT))

static struct follow *start(uint32_t loads)
{
	const struct backend_size size = { .cpus = CPUS, .follow_events = SLOTS };
	struct follow *f;

	memset(&k, 0, sizeof(k));
	k.loads = loads;
	k.err = -EACCES;
	k.cpus_fd = memfd_create("cpus", MFD_CLOEXEC);
	k.slots_fd = memfd_create("slots", MFD_CLOEXEC);
	assert_int_equal(ftruncate(k.cpus_fd, CPUS * sizeof(struct follow_cpu)), 0);
	assert_int_equal(ftruncate(k.slots_fd, SLOTS * sizeof(struct follow_event)), 0);
	f = follow_start(&ops, NULL, WANTED, &size, NULL);
	assert_non_null(f);
	follow_ready(f);
	return f;
}

static void end(struct follow *f)
{
	follow_close(f);
	close(k.cpus_fd);
	close(k.slots_fd);
}

/* After a failed load its maps and programs no longer exist. */
TEST(test_none_loads)
{
	static const struct follow_choices all;
	struct follow *f = start(0);

	assert_int_equal(k.destroyed, 3);
	assert_int_equal(follow_tracepoints(f), 0);
	assert_null(follow_counts(f));
	assert_string_equal(
		follow_reason(f, TP_XDP_REDIRECT),
		"the kernel refused its program: Permission denied (--verbose shows the log)");
	assert_int_equal(follow_choose(f, BIT(TP_XDP_REDIRECT), &all), 0);
	assert_int_equal(follow_switch(f, true), 0);
	end(f);
}

/* Programs that load alone are loaded, without the others. */
TEST(test_one_loads)
{
	struct follow *f = start(BIT(TP_XDP_REDIRECT));

	assert_int_equal(follow_tracepoints(f), BIT(TP_XDP_REDIRECT));
	assert_non_null(follow_counts(f));
	assert_string_equal(follow_reason(f, TP_XDP_REDIRECT), "");
	end(f);
}

/* They run only while something is followed. */
TEST(test_switch)
{
	static const struct follow_choices all;
	struct follow *f = start(BIT(31));

	k.missed[TP_XDP_REDIRECT] = 2;
	k.missed[TP_XDP_EXCEPTION] = 3;
	assert_int_equal(follow_missed(f), 5);
	assert_int_equal(follow_choose(f, BIT(TP_XDP_REDIRECT), &all), 0);
	assert_int_equal(k.links, 0);
	assert_int_equal(follow_switch(f, true), 0);
	assert_int_equal(k.links, BIT(TP_XDP_REDIRECT));
	assert_int_equal(follow_switch(f, false), 0);
	assert_int_equal(k.links, 0);
	/* all or none */
	assert_int_equal(follow_choose(f, WANTED, &all), 0);
	k.refused = TP_XDP_EXCEPTION;
	assert_int_equal(follow_switch(f, true), -EACCES);
	assert_int_equal(k.links, 0);
	end(f);
}

/* Running programs still write to the rings: if the kernel does not wait, sleep. */
TEST(test_no_wait)
{
	static const struct follow_choices all;
	struct follow *f = start(BIT(31));

	k.no_wait = true;
	assert_int_equal(follow_choose(f, BIT(TP_XDP_REDIRECT), &all), 0);
	assert_int_equal(follow_switch(f, true), 0);
	assert_int_equal(k.slept, 0);
	assert_int_equal(follow_switch(f, false), 0);
	assert_int_equal(k.slept, 1);
	end(f);
}
