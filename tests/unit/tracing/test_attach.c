// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tracing/attach.h"
#include "tracing/backend.h"
#include "unit/test.h"

#define CPUS 2

/* A request that was taken back before the worker saw it is not pending. */
TEST(test_taken_back)
{
	const struct backend_ops ops = { 0 };
	struct backend_object object = { 0 };
	struct tp_count tp[TP_COUNT] = { 0 };
	struct attach *a;

	object.program[TP_XDP_REDIRECT] = (void *)&object;
	a = attach_new(&ops, NULL, &object, tp, 0, NULL, 1);
	assert_non_null(a);
	assert_int_equal(attach_toggle(a, TP_XDP_REDIRECT, -1), 1);
	attach_states(a, 0, tp);
	assert_true(tp[TP_XDP_REDIRECT].pending);
	assert_int_equal(attach_toggle(a, TP_XDP_REDIRECT, -1), 0);
	attach_states(a, 0, tp);
	assert_false(tp[TP_XDP_REDIRECT].pending);
	assert_int_equal(attach_toggle(a, TP_XDP_EXCEPTION, 1), -ENOENT);
	attach_free(a);
}

/* The calls of a switch and its meter; the functions also run in the worker. */
struct fake {
	struct attach *a;
	struct series_cpu cpu[CPUS];
	_Atomic bool on;
	_Atomic int switched;
	_Atomic uint64_t events; /* gained by CPU 1 at each reading of the meter */
	int err;                 /* result of switching on */
};

static int fake_set(void *ctx, bool on)
{
	struct fake *f = ctx;

	assert_int_not_equal(f->on, on);
	f->switched++;
	if (on && f->err)
		return f->err;
	f->on = on;
	return 0;
}

static void fake_meter(void *ctx, struct series_cpu *cpu, uint32_t cpus, int tracepoint)
{
	struct fake *f = ctx;

	assert_ptr_equal(cpu, f->cpu);
	assert_int_equal(cpus, CPUS);
	cpu[1].meter[tracepoint].events += f->events;
}

static struct fake *fake_new(double budget, bool with_switch)
{
	static const struct backend_ops ops;
	static const struct backend_object object;
	static const struct tp_count tp[TP_COUNT];
	struct fake *f = calloc(1, sizeof(*f));
	const struct attach_switch sw = { fake_set, fake_meter, f };

	assert_non_null(f);
	f->a = attach_new(&ops, NULL, &object, tp, budget, f->cpu, CPUS);
	assert_non_null(f->a);
	attach_add_switch(f->a, TP_VERDICTS, "verdicts", with_switch ? &sw : NULL,
			  "no trampolines");
	return f;
}

static void fake_free(struct fake *f)
{
	attach_free(f->a);
	free(f);
}

static struct tp_count state_of(const struct fake *f)
{
	struct tp_count tp[TP_COUNT];

	memset(tp, 0, sizeof(tp));
	attach_states(f->a, 0, tp);
	return tp[TP_VERDICTS];
}

static void wait_for(const struct fake *f, enum tp_state state)
{
	struct tp_count tp = state_of(f);

	for (; tp.pending || tp.state != state; tp = state_of(f))
		usleep(1000);
	assert_int_equal(f->on, state == TP_ON);
}

/* On from the start; off and on again by the worker, and by ^Z with or without it. */
TEST(test_switch)
{
	struct fake *f = fake_new(0, true);

	assert_string_equal(state_of(f).name, "verdicts");
	assert_int_equal(state_of(f).state, TP_ON);
	assert_true(f->on);
	attach_suspend(f->a, true);
	assert_false(f->on);
	attach_suspend(f->a, false);
	assert_true(f->on);
	assert_int_equal(attach_start_worker(f->a), 0);
	assert_int_equal(attach_toggle(f->a, TP_VERDICTS, -1), 0);
	wait_for(f, TP_OFF);
	attach_suspend(f->a, true);
	attach_suspend(f->a, false);
	assert_false(f->on);
	assert_int_equal(attach_toggle(f->a, TP_VERDICTS, -1), 1);
	wait_for(f, TP_ON);
	attach_suspend(f->a, true);
	assert_false(f->on);
	attach_suspend(f->a, false);
	assert_true(f->on);
	assert_int_equal(f->switched, 7);
	assert_int_equal(attach_toggle(f->a, TP_OTHER, 1), -ENOENT);
	fake_free(f);
}

/* Its counts stay when it ends. */
TEST(test_switch_ends)
{
	struct fake *f = fake_new(0, true);

	assert_int_equal(attach_start_worker(f->a), 0);
	f->events = 1000;
	assert_int_equal(attach_hold_meters(f->a), 1u << TP_VERDICTS);
	assert_true(f->cpu[1].meter[TP_VERDICTS].events >= 1000);
	attach_release_meters(f->a);
	attach_end_switch(f->a, TP_VERDICTS, "its process has ended");
	assert_false(f->on);
	f->events = UINT64_MAX / 2;
	assert_int_equal(attach_hold_meters(f->a), 1u << TP_VERDICTS);
	assert_true(f->cpu[1].meter[TP_VERDICTS].events < UINT64_MAX / 2);
	attach_release_meters(f->a);
	assert_int_equal(state_of(f).state, TP_FAILED);
	assert_string_equal(state_of(f).reason, "its process has ended");
	assert_int_equal(attach_toggle(f->a, TP_VERDICTS, 1), -ENOENT);
	fake_free(f);
}

TEST(test_no_switch)
{
	struct fake *f = fake_new(0, false);

	assert_string_equal(state_of(f).name, "verdicts");
	assert_int_equal(state_of(f).state, TP_FAILED);
	assert_string_equal(state_of(f).reason, "no trampolines");
	assert_int_equal(attach_toggle(f->a, TP_VERDICTS, -1), -ENOENT);
	assert_int_equal(attach_hold_meters(f->a), 0);
	attach_release_meters(f->a);
	assert_int_equal(f->switched, 0);
	fake_free(f);
}

/* Over the budget it is shed like other rows, and the user can switch it on again. */
TEST(test_switch_shed)
{
	struct fake *f = fake_new(5, true);

	f->events = 1000000000;
	assert_int_equal(attach_start_worker(f->a), 0);
	wait_for(f, TP_SHED);
	assert_memory_equal(state_of(f).reason, "took ", 5);
	assert_non_null(strstr(state_of(f).reason, " % of CPU 1 (all tracepoints: "));
	assert_non_null(strstr(state_of(f).reason, "the budget is 5 %"));
	f->events = 0;
	assert_int_equal(attach_toggle(f->a, TP_VERDICTS, 1), 1);
	wait_for(f, TP_ON);
	assert_string_equal(state_of(f).reason, "");
	fake_free(f);
}

/* Until it is asked for it is off, and not in snapshots. Then it can fail, like others. */
TEST(test_switch_off)
{
	static const struct backend_ops ops;
	static const struct backend_object object;
	static const struct tp_count none[TP_COUNT];
	struct tp_count tp[TP_COUNT];
	struct fake f = { .err = -EBUSY };
	const struct attach_switch sw = { fake_set, fake_meter, &f };

	f.a = attach_new(&ops, NULL, &object, none, 0, f.cpu, CPUS);
	attach_add_switch_off(f.a, TP_FOLLOW, "follow", &sw);
	attach_states(f.a, 0, tp);
	assert_string_equal(tp[TP_FOLLOW].name, "");
	assert_int_equal(tp[TP_FOLLOW].state, TP_OFF);
	assert_int_equal(attach_toggle(f.a, TP_FOLLOW, 0), 0);
	attach_states(f.a, 0, tp);
	assert_string_equal(tp[TP_FOLLOW].name, "");
	assert_int_equal(attach_toggle(f.a, TP_FOLLOW, 1), 1);
	attach_wait(f.a);
	attach_states(f.a, 0, tp);
	assert_string_equal(tp[TP_FOLLOW].name, "follow");
	assert_int_equal(tp[TP_FOLLOW].state, TP_FAILED);
	assert_memory_equal(tp[TP_FOLLOW].reason, "attaching failed: ", 18);
	f.err = 0;
	assert_int_equal(attach_toggle(f.a, TP_FOLLOW, 1), 1);
	attach_wait(f.a);
	assert_true(f.on);
	attach_states(f.a, 0, tp);
	assert_int_equal(tp[TP_FOLLOW].state, TP_ON);
	assert_string_equal(tp[TP_FOLLOW].reason, "");
	attach_free(f.a);
}
