// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about cpumaps: their queues, threads and programs. */
#include "diagnose/finding_code.h"
#include "diagnose/map_evidence.h"

#include <errno.h>
#include "base/format.h"

#define CPUMAP (PER_MAP | PER_TARGET)

/*
 * A cpumap thread is saturated when it slept in fewer than this share of its polls, at a minimum
 * rate: a short burst has no sleep, either. `sched` also counts calls of cond_resched() that
 * scheduled (kernel/bpf/cpumap.c, cpu_map_kthread_run()).
 */
#define BUSY_SLEEPS 0.1
#define BUSY_PER_S  10000 /* packets */

/* The polls of the queue's thread in the interval. */
static bool is_cpu_busy(struct evidence *e)
{
	const struct rates *r = e->rates;

	for (size_t i = 0; i < r->to->n_series; i++) {
		const struct series *s = &r->to->series[i];
		const struct series_counters *c = &r->delta[i];

		if (s->tracepoint == TP_XDP_CPUMAP_KTHREAD &&
		    s->key.map_id == e->series->key.map_id &&
		    s->key.target == e->series->key.target)
			return per_second(c->packets, r->tp_seconds[e->tracepoint]) > BUSY_PER_S &&
			       (double)c->sched < BUSY_SLEEPS * (double)c->events;
	}
	return false;
}

#define BUSY                                                                                      \
	"its queue is full, and its cpumap thread hardly ever sleeps: that CPU has no time left " \
	"for more packets"

static bool is_queue_busy(struct evidence *e)
{
	return is_cpu_busy(e) && says_queue(e, BUSY);
}

static bool is_saturated(struct evidence *e)
{
	return 1u << e->tracepoint & AT_ENQUEUE && is_cpu_busy(e);
}

static const char *meaning(const struct evidence *e)
{
	return cause_in(e->rates->to, e->tracepoint, &e->series->key)->meaning;
}

static bool is_queue(struct evidence *e)
{
	return !is_saturated(e) && says_queue(e, meaning(e));
}

static bool is_queue_of_program(struct evidence *e)
{
	return !is_saturated(e) && says_queue_of_program(e, meaning(e));
}

/* clang-format off */
/* An update without a program's descriptor takes the entry's program off. */
#define QUEUE_COMMANDS \
	.remedy.commands = "bpftool map update id {map} key {key} value {larger}\n" \
			   "bpftool map dump id {map}\n" \
			   "ps -eLo psr,pcpu,comm --sort=-pcpu | awk '$1 == {cpu}' | head"
#define BUSY_COMMANDS \
	"bpftool map dump id {map}\n" \
	"ps -eLo psr,pcpu,comm --sort=-pcpu | awk '$1 == {cpu}' | head"
#define QUEUE_OF_PROGRAM \
	.remedy.text = "the entry has a program, which bpftool map update would take off: let " \
		       "its owner set a larger queue (up to 16384), or put more CPUs in the map"

static const struct finding_code codes[] = {
	{ "cpumap-queue-full", FINDING_CRITICAL,
	  "the queue of a cpumap's target CPU is full in two intervals in a row", { 0 },
	  /* generic mode reports it at both; AT_ENQUEUE without the device */
	  RULES({ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_CPUMAP, -ENOSPC, .per = CPUMAP,
		  .intervals = 2, .when = is_queue_of_program, QUEUE_OF_PROGRAM },
		{ RULE_LOSS, AT_ENQUEUE, .code = 0, .per = CPUMAP, .intervals = 2,
		  .when = is_queue_of_program, QUEUE_OF_PROGRAM },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_CPUMAP, -ENOSPC, .per = CPUMAP,
		  .intervals = 2, .when = is_queue, QUEUE_COMMANDS },
		{ RULE_LOSS, AT_ENQUEUE, .code = 0, .per = CPUMAP, .intervals = 2,
		  .when = is_queue, QUEUE_COMMANDS },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_CPUMAP, -ENOSPC, .per = CPUMAP,
		  .intervals = 2 },
		{ RULE_LOSS, AT_ENQUEUE, .code = 0, .per = CPUMAP, .intervals = 2 }) },
	{ "cpumap-cpu-busy", FINDING_CRITICAL,
	  "the queue of a cpumap's target CPU is full, and its cpumap thread hardly ever sleeps: it "
	  "cannot do more", { 0 },
	  RULES({ RULE_LOSS, AT_ENQUEUE, .code = 0, .per = CPUMAP, .when = is_queue_busy,
		  .remedy.commands = BUSY_COMMANDS },
		{ RULE_LOSS, AT_ENQUEUE, .code = 0, .per = CPUMAP, .when = is_cpu_busy,
		  .text = BUSY, .remedy.commands = BUSY_COMMANDS }) },
	{ "cpumap-no-memory", FINDING_CRITICAL,
	  "a cpumap thread could not make skbs of frames; up to Linux 5.10 also: the stack refused "
	  "them", { 0 },
	  RULES({ RULE_LOSS, AT_KTHREAD, .code = 0, .per = CPUMAP }) },
};
/* clang-format on */

const struct finding_group cpumap_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
