// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports of programs as followed events of a snapshot. This file plays the programs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "inventory/bpf_objects.h"
#include "model/tracepoint.h"
#include "source/follow.h"
#include "source/live_source.h"
#include "tracing/attach.h"
#include "tracing/follow.h"
#include "tracing/probe.h"
#include "unit/test.h"

#define CPUS 2

/* The fake kernel. */
static struct {
	struct tp_count tp[TP_COUNT];
	uint32_t loaded; /* tracepoints with a program */
	struct follow_cpu cpu[CPUS];
	struct {
		uint32_t cpu;
		struct follow_event e;
	} event[8];
	size_t n;
	uint32_t chosen;
	struct follow_choices choices;
	int on, waits, choose_err;
} fake;

void attach_states(struct attach *a, uint64_t now_ns, struct tp_count tp[TP_COUNT])
{
	memcpy(tp, fake.tp, sizeof(fake.tp));
}

int attach_toggle(struct attach *a, unsigned int tracepoint, int on)
{
	assert_int_equal(tracepoint, TP_FOLLOW);
	fake.on = on;
	return on;
}

void attach_wait(struct attach *a)
{
	/* the choice is written only while following is off */
	assert_false(fake.on);
	fake.waits++;
}

void attach_add_switch_off(struct attach *a, unsigned int tracepoint, const char *name,
			   const struct attach_switch *sw)
{
}

struct follow *probe_follow(struct probe *p)
{
	return (struct follow *)&fake;
}

void probe_follow_ready(struct probe *p)
{
}

uint32_t follow_tracepoints(const struct follow *f)
{
	return fake.loaded;
}

const char *follow_reason(const struct follow *f, uint32_t tracepoint)
{
	return "the kernel refused its program";
}

int follow_choose(struct follow *f, uint32_t set, const struct follow_choices *choices)
{
	assert_false(fake.on);
	fake.chosen = set;
	if (set)
		fake.choices = *choices;
	fake.n = 0;
	return fake.choose_err;
}

int follow_switch(void *follow, bool on)
{
	return 0;
}

void follow_meter(void *follow, struct series_cpu *cpu, uint32_t cpus, int tracepoint)
{
}

bool follow_events(struct follow *f, follow_event_fn fn, void *ctx, size_t max)
{
	size_t n = fake.n < max ? fake.n : max;

	for (size_t i = 0; i < n; i++)
		fn(ctx, fake.event[i].cpu, &fake.event[i].e);
	memmove(fake.event, &fake.event[n], (fake.n - n) * sizeof(*fake.event));
	fake.n -= n;
	return !fake.n;
}

const struct follow_cpu *follow_counts(const struct follow *f)
{
	return fake.cpu;
}

uint64_t follow_missed(const struct follow *f)
{
	return 3;
}

void follow_other_text(const struct follow *f, const struct follow_event *e, char *buf, size_t size)
{
	snprintf(buf, size, "word=%llu", e->word[0]);
}

bool bpf_objects_full_name(struct bpf_objects *o, uint32_t prog_id, char name[SNAPSHOT_NAME_LEN])
{
	return true;
}

/* The fixture. */
struct machine {
	struct trace_config trace;
	struct snapshot_host host;
	__u64 events_lost[TP_COUNT];
	struct probe_memory memory;
	struct live live;
	struct live_follow *f;
	struct snapshot s;
};

static int setup(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	memset(&fake, 0, sizeof(fake));
	for (int id = 0; id < TP_VERDICTS; id++) {
		strcpy(fake.tp[id].name, tracepoints[id].name);
		fake.tp[id].state = TP_ON;
	}
	strcpy(fake.tp[TP_OTHER].name, "xdp_new_thing");
	fake.tp[TP_OTHER].state = TP_ON;
	fake.loaded = BIT(TP_XDP_REDIRECT) | BIT(TP_XDP_REDIRECT_ERR) | BIT(TP_NET_DEV_QUEUE) |
		      BIT(TP_OTHER);
	m->trace.follow_events = 1 << 13;
	strcpy(m->host.backend, "btf");
	m->memory = (struct probe_memory){ .cpus = CPUS, .events_lost = m->events_lost };
	m->live = (struct live){ .trace = &m->trace, .host = &m->host, .memory = &m->memory };
	m->f = live_follow_open(&m->live, NULL);
	assert_non_null(m->f);
	snapshot_init(&m->s);
	*state = m;
	return 0;
}

static int teardown(void **state)
{
	struct machine *m = *state;

	snapshot_free(&m->s);
	live_follow_close(m->f);
	free(m);
	return 0;
}

static void follow(struct machine *m, uint32_t set)
{
	const struct follow_filter filter = { .tracepoints = set };
	struct error error = { 0 };

	assert_int_equal(live_follow(m->f, &filter, &error), 0);
}

static struct follow_event *fire(uint32_t tracepoint, uint32_t cpu, uint64_t ktime_ns,
				 uint64_t lost)
{
	struct follow_event *e = &fake.event[fake.n].e;

	fake.event[fake.n++].cpu = cpu;
	*e = (struct follow_event){ .tracepoint = (uint16_t)tracepoint,
				    .ktime_ns = ktime_ns,
				    .lost = lost };
	fake.cpu[cpu].count[tracepoint].lost = lost;
	return e;
}

static void sample(struct machine *m)
{
	snapshot_clear(&m->s);
	m->s.tp[TP_FOLLOW].state = TP_ON;
	assert_int_equal(live_follow_sample(m->f, &m->s), 0);
}

/* Each loss is reported once: by the next event of its tracepoint and CPU, or by its own row. */
TEST_OF(test_losses, setup, teardown, struct machine *m)
{
	static const uint64_t told[] = { 0, 3, 2, 0, 4 };

	/* earlier losses belong to another filter */
	fake.cpu[0].count[TP_XDP_REDIRECT].lost = 100;
	follow(m, BIT(TP_XDP_REDIRECT));
	fire(TP_XDP_REDIRECT, 0, 1000, 100);
	fire(TP_XDP_REDIRECT, 0, 1001, 103);
	fire(TP_XDP_REDIRECT, 1, 1002, 2);
	fire(TP_XDP_REDIRECT, 0, 1003, 103);
	fire(TP_XDP_REDIRECT, 0, 1004, 107);
	fake.cpu[0].count[TP_XDP_REDIRECT].lost = 109;
	sample(m);
	assert_int_equal(m->s.n_followed, 6);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(m->s.followed[i].kind, FOLLOWED_EVENT);
		assert_int_equal(m->s.followed[i].event.left_out, told[i]);
	}
	assert_int_equal(m->s.followed[5].kind, FOLLOWED_LOST);
	assert_int_equal(m->s.followed[5].event.left_out, 2);
	assert_int_equal(m->s.followed[5].event.cpu, 0);
	assert_int_equal(m->s.tp[TP_FOLLOW].events_lost, 111);
	assert_int_equal(m->s.tp[TP_FOLLOW].missed, 3);
	/* an event written after the last look has an older count of losses */
	fire(TP_XDP_REDIRECT, 0, 1005, 108);
	fake.cpu[0].count[TP_XDP_REDIRECT].lost = 109;
	sample(m);
	assert_int_equal(m->s.n_followed, 1);
	assert_int_equal(m->s.followed[0].event.left_out, 0);
}

/* Late events belong to another filter: they and their losses are ignored. */
TEST_OF(test_new_filter, setup, teardown, struct machine *m)
{
	struct error error = { 0 };

	follow(m, BIT(TP_XDP_REDIRECT));
	assert_true(fake.on && fake.waits == 1);
	fire(TP_XDP_REDIRECT, 0, 1000, 5);
	follow(m, BIT(TP_XDP_REDIRECT_ERR));
	assert_true(fake.on && fake.waits == 2);
	assert_int_equal(fake.chosen, BIT(TP_XDP_REDIRECT_ERR));
	/* its program was still running when it was detached */
	fire(TP_XDP_REDIRECT, 0, 1001, 5);
	fire(TP_XDP_REDIRECT_ERR, 0, 1002, 0);
	sample(m);
	assert_int_equal(m->s.n_followed, 1);
	assert_int_equal(m->s.followed[0].event.tracepoint, TP_XDP_REDIRECT_ERR);
	assert_int_equal(live_follow(m->f, NULL, &error), 0);
	assert_false(fake.on);
	assert_int_equal(fake.waits, 2);
	fire(TP_XDP_REDIRECT_ERR, 0, 1003, 0);
	sample(m);
	assert_int_equal(m->s.n_followed, 0);
}

/* Without memory for the rings nothing is followed, and the reason is reported. */
TEST_OF(test_no_rings, setup, teardown, struct machine *m)
{
	const struct follow_filter filter = { .tracepoints = BIT(TP_XDP_REDIRECT) };
	struct error error = { 0 };

	fake.choose_err = -ENOMEM;
	assert_int_equal(live_follow(m->f, &filter, &error), -ENOMEM);
	assert_string_equal(error.text, strerror(ENOMEM));
	assert_false(fake.on);
	fire(TP_XDP_REDIRECT, 0, 1000, 0);
	sample(m);
	assert_int_equal(m->s.n_followed, 0);
}

/* All that the ring has, but no more; losses after the last event wait for it. */
TEST_OF(test_bound, setup, teardown, struct machine *m)
{
	m->trace.follow_events = 4;
	live_follow_close(m->f);
	m->f = live_follow_open(&m->live, NULL);
	follow(m, BIT(TP_XDP_REDIRECT));
	for (uint32_t i = 0; i < 5; i++)
		fire(TP_XDP_REDIRECT, 0, 1000 + i, 0);
	fake.cpu[0].count[TP_XDP_REDIRECT].lost = 9;
	sample(m);
	assert_int_equal(m->s.n_followed, 4);
	sample(m);
	assert_int_equal(m->s.n_followed, 2);
	assert_int_equal(m->s.followed[1].event.left_out, 9);
}

/* Events read between two snapshots are in the next one, by time, within the same limit. */
TEST_OF(test_read_between, setup, teardown, struct machine *m)
{
	m->trace.follow_events = 4;
	live_follow_close(m->f);
	m->f = live_follow_open(&m->live, NULL);
	live_follow_read(m->f); /* nothing is followed */
	follow(m, BIT(TP_XDP_REDIRECT));
	for (uint32_t i = 0; i < 3; i++)
		fire(TP_XDP_REDIRECT, 0, 1000 + i, i);
	live_follow_read(m->f);
	assert_int_equal(fake.n, 0);
	for (uint32_t i = 3; i < 6; i++)
		fire(TP_XDP_REDIRECT, 0, 1000 + i, i);
	sample(m);
	assert_int_equal(m->s.n_followed, 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(m->s.followed[i].event.left_out, !!i);
	live_follow_read(m->f);
	sample(m);
	assert_int_equal(m->s.n_followed, 2);
	assert_int_equal(m->s.followed[1].event.left_out, 1);
	/* no more events of an earlier filter */
	fire(TP_XDP_REDIRECT, 0, 2000, 5);
	live_follow_read(m->f);
	follow(m, BIT(TP_XDP_REDIRECT));
	sample(m);
	assert_int_equal(m->s.n_followed, 0);
}

/* Times are exact to the nanosecond, by the same clock in all snapshots. */
TEST_OF(test_time, setup, teardown, struct machine *m)
{
	uint64_t now = clock_ns();
	int64_t first;

	follow(m, BIT(TP_XDP_REDIRECT));
	fire(TP_XDP_REDIRECT, 0, now, 0);
	sample(m);
	first = timespec_to_ns(&m->s.followed[0].event.time);
	fire(TP_XDP_REDIRECT, 1, now + 1234567, 0);
	fire(TP_XDP_REDIRECT, 0, now + 1234566, 0);
	sample(m);
	assert_int_equal(timespec_to_ns(&m->s.followed[0].event.time) - first, 1234566);
	assert_int_equal(timespec_to_ns(&m->s.followed[1].event.time) - first, 1234567);
	assert_int_equal(m->s.followed[1].event.cpu, 1);
}

TEST_OF(test_conversion, setup, teardown, struct machine *m)
{
	struct follow_event *e;
	const struct followed *to;

	follow(m, BIT(TP_NET_DEV_QUEUE) | BIT(TP_OTHER) | BIT(TP_XDP_REDIRECT));
	e = fire(TP_NET_DEV_QUEUE, 1, 1000, 0);
	e->key = (struct series_key){ .netns = 7, .ifindex = 3 };
	e->arg[FOLLOW_LEN] = 60;
	e->known = BIT(FOLLOW_LEN);
	e->pid = 12;
	memcpy(e->comm, "sixteen bytes...", SERIES_NAME_LEN);
	strcpy(e->ifname, "e\033th");
	strcpy(e->prog_name, "prog");
	e = fire(TP_OTHER, 0, 1001, 0);
	e->word[0] = 5;
	/* without a process: the field of its name has the target */
	e = fire(TP_XDP_REDIRECT, 1, 1002, 0);
	strcpy(e->to_ifname, "to");
	sample(m);
	assert_int_equal(m->s.n_followed, 3);
	to = &m->s.followed[0];
	assert_int_equal(to->event.key.ifindex, 3);
	assert_int_equal(to->arg[FOLLOW_LEN], 60);
	assert_int_equal(to->known, BIT(FOLLOW_LEN));
	assert_string_equal(to->event.comm, "sixteen bytes...");
	assert_string_equal(to->event.ifname, "e\\x1bth");
	assert_string_equal(to->event.to_ifname, "");
	assert_string_equal(to->event.prog_name, "prog");
	assert_string_equal(to->event.text, "");
	to = &m->s.followed[1];
	assert_string_equal(to->event.text, "word=5");
	assert_int_equal(to->event.key.netns, 0);
	assert_string_equal(m->s.followed[2].event.comm, "");
	assert_string_equal(m->s.followed[2].event.to_ifname, "to");
}

/* Rare events come through the other ring; losses there have no CPU. */
TEST_OF(test_rare, setup, teardown, struct machine *m)
{
	struct series_event e = { .tracepoint = TP_MEM_CONNECT,
				  .cpu = 1,
				  .ktime_ns = 2000,
				  .mem_id = 9,
				  .mem_type = 2,
				  .queue = 4 };

	m->events_lost[TP_MEM_CONNECT] = 50;
	follow(m, BIT(TP_MEM_CONNECT) | BIT(TP_NETLINK_EXTACK) | BIT(TP_XDP_REDIRECT));
	snapshot_clear(&m->s);
	live_follow_rare(m->f, &e, &m->s);
	e.queue = SERIES_QUEUE_UNKNOWN;
	live_follow_rare(m->f, &e, &m->s);
	e = (struct series_event){ .tracepoint = TP_NETLINK_EXTACK, .ktime_ns = 2001 };
	strcpy(e.text, "no");
	live_follow_rare(m->f, &e, &m->s);
	e.tracepoint = TP_MEM_DISCONNECT;
	live_follow_rare(m->f, &e, &m->s);
	/*
	 * a failure of the events view, which lists a few per second: it comes through its own ring
	 */
	e.tracepoint = TP_XDP_REDIRECT;
	live_follow_rare(m->f, &e, &m->s);
	m->events_lost[TP_MEM_CONNECT] = 57;
	fire(TP_XDP_REDIRECT, 0, 1000, 0);
	assert_int_equal(live_follow_sample(m->f, &m->s), 0);
	assert_int_equal(m->s.n_followed, 5);
	assert_int_equal(m->s.followed[0].event.tracepoint, TP_XDP_REDIRECT);
	assert_int_equal(m->s.followed[1].arg[FOLLOW_MEM_ID], 9);
	assert_int_equal(m->s.followed[1].arg[FOLLOW_QUEUE], 4);
	assert_int_equal(m->s.followed[1].known,
			 BIT(FOLLOW_MEM_ID) | BIT(FOLLOW_MEM_TYPE) | BIT(FOLLOW_QUEUE));
	assert_int_equal(m->s.followed[2].known, BIT(FOLLOW_MEM_ID) | BIT(FOLLOW_MEM_TYPE));
	assert_string_equal(m->s.followed[3].event.text, "no");
	assert_int_equal(m->s.followed[4].kind, FOLLOWED_LOST);
	assert_int_equal(m->s.followed[4].event.left_out, 7);
	assert_int_equal(m->s.followed[4].event.cpu, -1);
}

static int refused(struct machine *m, uint32_t set, struct error *error)
{
	struct follow_filter filter = { .tracepoints = set };

	return live_follow(m->f, &filter, error);
}

TEST_OF(test_refused, setup, teardown, struct machine *m)
{
	struct error error = { 0 };

	assert_int_equal(refused(m, BIT(TP_XDP_BULK_TX), &error), -ENOENT);
	assert_string_equal(error.text, "xdp_bulk_tx: the kernel refused its program");
	fake.tp[TP_MEM_CONNECT].state = TP_OFF;
	assert_int_equal(refused(m, BIT(TP_MEM_CONNECT), &error), -ENOENT);
	assert_string_equal(error.text,
			    "mem_connect: it is off; turn it on (key t or -t): its events are "
			    "listed only while it is counted");
	fake.tp[TP_MEM_DISCONNECT].state = TP_MISSING;
	assert_int_equal(refused(m, BIT(TP_MEM_DISCONNECT), &error), -ENOENT);
	assert_string_equal(error.text, "this kernel has none of the tracepoints");
	assert_false(fake.on);
	/* one of two is followed, and the reason for the other is reported */
	assert_int_equal(refused(m, BIT(TP_XDP_BULK_TX) | BIT(TP_XDP_REDIRECT), &error), 0);
	assert_int_equal(fake.chosen, BIT(TP_XDP_REDIRECT));
	sample(m);
	assert_string_equal(m->s.tp[TP_FOLLOW].reason,
			    "without xdp_bulk_tx: the kernel refused its program");
	/* and that continues when another filter is refused */
	assert_int_equal(refused(m, BIT(TP_MEM_DISCONNECT), &error), -ENOENT);
	assert_true(fake.on);
	fire(TP_XDP_REDIRECT, 0, 1000, 0);
	sample(m);
	assert_int_equal(m->s.n_followed, 1);
	assert_string_equal(m->s.tp[TP_FOLLOW].reason,
			    "without xdp_bulk_tx: the kernel refused its program");
}
