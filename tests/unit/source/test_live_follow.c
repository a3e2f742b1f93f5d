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
#include "tracing/series_table.h"
#include "unit/test.h"

#define CPUS 2

/* The fake kernel. */
static struct {
	struct tp_count tp[TP_COUNT];
	bool available;
	struct follow_cpu cpu[CPUS];
	struct {
		uint32_t cpu;
		struct follow_event e;
	} event[8];
	size_t n;
	uint32_t chosen;
	bool marked[TP_COUNT + 4];
	int on, waits, choose_err;
} fake;

void attach_states(struct attach *a, uint64_t now_ns, struct tp_count tp[TP_COUNT])
{
	memcpy(tp, fake.tp, sizeof(fake.tp));
}

int attach_toggle(struct attach *a, unsigned int tracepoint, int on)
{
	if (tracepoint == TP_FOLLOW)
		fake.on = on;
	else
		fake.tp[tracepoint].state = on ? TP_ON : TP_OFF;
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

bool follow_available(const struct follow *f)
{
	return fake.available;
}

int follow_choose(struct follow *f, uint32_t set)
{
	assert_false(fake.on);
	fake.chosen = set;
	memset(fake.marked, 0, sizeof(fake.marked));
	fake.n = 0;
	return fake.choose_err;
}

void follow_mark(struct follow *f, uint32_t slot, bool followed)
{
	fake.marked[slot] = followed;
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
	struct slot slot[3];
	struct series_table table;
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
	fake.available = true;
	for (uint32_t i = 0; i < 3; i++) {
		m->slot[i].slot = TP_COUNT + i;
		m->slot[i].series.id = 5 + i;
		m->slot[i].series.tracepoint = i ? TP_XDP_REDIRECT : TP_NET_DEV_QUEUE;
		m->slot[i].series.key.ifindex = 3 + i;
	}
	m->table = (struct series_table){ .slot = m->slot, .n = 3 };
	m->trace.follow_events = 1 << 13;
	strcpy(m->host.backend, "btf");
	m->memory = (struct probe_memory){ .cpus = CPUS,
					   .slots = TP_COUNT + 4,
					   .events_lost = m->events_lost };
	m->live = (struct live){ .trace = &m->trace, .host = &m->host, .memory = &m->memory };
	m->f = live_follow_open(&m->live, NULL, &m->table);
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
	memcpy(m->s.tp, fake.tp, sizeof(fake.tp));
	m->s.tp[TP_FOLLOW].state = TP_ON;
	live_follow_read(m->f);
	live_follow_sample(m->f, &m->s);
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
	m->f = live_follow_open(&m->live, NULL, &m->table);
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
	m->f = live_follow_open(&m->live, NULL, &m->table);
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

/* The series that the filter names are marked; later ones and those of a full table stay. */
TEST_OF(test_marks, setup, teardown, struct machine *m)
{
	const uint64_t ids[] = { 1, 6 }, other[] = { 5, 7 };
	struct follow_filter filter = { BIT(TP_XDP_REDIRECT), ids, 2 };
	struct error error = { 0 };

	m->slot[2].slot = TP_XDP_REDIRECT;
	assert_int_equal(live_follow(m->f, &filter, &error), 0);
	assert_true(!fake.marked[TP_COUNT] && fake.marked[TP_COUNT + 1]);
	fake.marked[TP_XDP_REDIRECT] = true;
	filter.series = other;
	live_follow_series(m->f, &filter);
	assert_true(fake.marked[TP_COUNT] && !fake.marked[TP_COUNT + 1]);
	assert_true(fake.marked[TP_XDP_REDIRECT]);
}

TEST_OF(test_conversion, setup, teardown, struct machine *m)
{
	struct series *series = &m->slot[0].series;
	struct follow_event *e;
	const struct followed *to;

	strcpy(series->ifname, "eth");
	strcpy(m->slot[1].series.to_ifname, "to");
	strcpy(m->slot[1].series.prog_name, "a_long_name_of_a_program");
	follow(m, BIT(TP_NET_DEV_QUEUE) | BIT(TP_OTHER) | BIT(TP_XDP_REDIRECT));
	e = fire(TP_NET_DEV_QUEUE, 1, 1000, 0);
	e->key = series->key;
	e->slot = TP_COUNT;
	e->arg[FOLLOW_LEN] = 60;
	e->known = BIT(FOLLOW_LEN);
	e->pid = 12;
	memcpy(e->comm, "sixteen\033bytes..", SERIES_NAME_LEN);
	e = fire(TP_OTHER, 0, 1001, 0);
	e->word[0] = 5;
	e = fire(TP_XDP_REDIRECT, 1, 1002, 0);
	e->key = m->slot[1].series.key;
	e->slot = TP_COUNT + 1;
	/* the table was full */
	e = fire(TP_XDP_REDIRECT, 1, 1003, 0);
	e->key = m->slot[1].series.key;
	e->slot = TP_XDP_REDIRECT;
	sample(m);
	assert_int_equal(m->s.n_followed, 4);
	to = &m->s.followed[0];
	assert_int_equal(to->series, 5);
	assert_int_equal(to->event.key.ifindex, 3);
	assert_int_equal(to->arg[FOLLOW_LEN], 60);
	assert_int_equal(to->known, BIT(FOLLOW_LEN));
	assert_string_equal(to->event.comm, "sixteen\\x1bbytes..");
	assert_string_equal(to->event.ifname, "eth");
	assert_string_equal(to->event.text, "");
	to = &m->s.followed[1];
	assert_string_equal(to->event.text, "word=5");
	assert_int_equal(to->event.key.netns, 0);
	to = &m->s.followed[2];
	assert_int_equal(to->series, 6);
	assert_string_equal(to->event.comm, "");
	assert_string_equal(to->event.to_ifname, "to");
	assert_string_equal(to->event.prog_name, "a_long_name_of_a_program");
	to = &m->s.followed[3];
	assert_int_equal(to->series, 0);
	assert_int_equal(to->event.key.ifindex, 4);
	assert_string_equal(to->event.to_ifname, "");
}

static void rare(struct machine *m, const struct series_event *e)
{
	const struct event event = { .tracepoint = e->tracepoint,
				     .cpu = (int)e->cpu,
				     .key = e->key,
				     .text = "of the view events" };

	live_follow_rare(m->f, e, &event, &m->s);
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
	rare(m, &e);
	e.queue = SERIES_QUEUE_UNKNOWN;
	rare(m, &e);
	e = (struct series_event){ .tracepoint = TP_NETLINK_EXTACK, .ktime_ns = 2001 };
	strcpy(e.text, "no");
	rare(m, &e);
	e.tracepoint = TP_MEM_DISCONNECT;
	rare(m, &e);
	/*
	 * a failure of the events view, which lists a few per second: it comes through its own ring
	 */
	e.tracepoint = TP_XDP_REDIRECT;
	rare(m, &e);
	m->events_lost[TP_MEM_CONNECT] = 57;
	fire(TP_XDP_REDIRECT, 0, 1000, 0);
	live_follow_read(m->f);
	live_follow_sample(m->f, &m->s);
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

/* What is off is on while it is followed; what was on stays on. */
TEST_OF(test_off, setup, teardown, struct machine *m)
{
	struct error error = { 0 };

	fake.tp[TP_MEM_CONNECT].state = fake.tp[TP_XDP_BULK_TX].state = TP_OFF;
	follow(m, BIT(TP_MEM_CONNECT) | BIT(TP_XDP_REDIRECT));
	assert_true(fake.tp[TP_MEM_CONNECT].state == TP_ON && fake.on);
	follow(m, BIT(TP_XDP_BULK_TX));
	assert_true(fake.tp[TP_MEM_CONNECT].state == TP_OFF);
	assert_true(fake.tp[TP_XDP_BULK_TX].state == TP_ON);
	assert_int_equal(live_follow(m->f, NULL, &error), 0);
	assert_true(fake.tp[TP_XDP_BULK_TX].state == TP_OFF);
	assert_true(fake.tp[TP_XDP_REDIRECT].state == TP_ON);
}

static int refused(struct machine *m, uint32_t set, struct error *error)
{
	struct follow_filter filter = { .tracepoints = set };

	return live_follow(m->f, &filter, error);
}

TEST_OF(test_refused, setup, teardown, struct machine *m)
{
	struct error error = { 0 };

	strcpy(fake.tp[TP_XDP_BULK_TX].reason, "the kernel refused its program");
	fake.tp[TP_XDP_BULK_TX].state = TP_FAILED;
	assert_int_equal(refused(m, BIT(TP_XDP_BULK_TX), &error), -ENOENT);
	assert_string_equal(error.text, "xdp_bulk_tx: the kernel refused its program");
	fake.tp[TP_MEM_DISCONNECT].state = TP_MISSING;
	assert_int_equal(refused(m, BIT(TP_MEM_DISCONNECT), &error), -ENOENT);
	assert_string_equal(error.text, "this kernel has none of the tracepoints");
	assert_false(fake.on);
	/* one of two is followed, and the reason for the other is reported */
	assert_int_equal(refused(m, BIT(TP_XDP_BULK_TX) | BIT(TP_XDP_REDIRECT), &error), 0);
	sample(m);
	assert_string_equal(m->s.tp[TP_FOLLOW].reason,
			    "without xdp_bulk_tx: the kernel refused its program");
	/* and that continues when another filter is refused */
	assert_int_equal(refused(m, BIT(TP_MEM_DISCONNECT), &error), -ENOENT);
	assert_true(fake.on);
	fire(TP_XDP_REDIRECT, 0, 1000, 0);
	sample(m);
	assert_int_equal(m->s.n_followed, 1);
	/* it is switched off */
	fake.tp[TP_XDP_REDIRECT].state = TP_SHED;
	strcpy(fake.tp[TP_XDP_REDIRECT].reason, "it costs too much");
	sample(m);
	assert_string_equal(m->s.tp[TP_FOLLOW].reason, "without xdp_redirect: it costs too much");
	/* the classic backend has rare events only */
	fake.available = false;
	assert_int_equal(refused(m, BIT(TP_XDP_EXCEPTION), &error), -ENOENT);
	assert_non_null(strstr(error.text, "the classic backend only counts"));
	assert_int_equal(refused(m, BIT(TP_NETLINK_EXTACK), &error), 0);
}
