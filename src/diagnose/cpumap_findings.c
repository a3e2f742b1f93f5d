// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about cpumaps: their queues, threads and programs. */
#include "diagnose/driver.h"
#include "diagnose/map_evidence.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "source/programs.h"

#define CPUMAP (PER_MAP | PER_TARGET)

/*
 * A cpumap thread is saturated if it slept in less than this share of its polls. The minimum rate
 * excludes short bursts, in which a thread does not sleep either. `sched` also counts calls of
 * cond_resched() that scheduled (kernel/bpf/cpumap.c, cpu_map_kthread_run()).
 */
#define BUSY_SLEEPS 0.1
#define BUSY_PER_S  10000 /* packets */

/* Shares of a CPU's packets that come from the same CPU: for one queue, and for the whole map. */
#define OWN_QUEUE 0.5
#define OWN_MAP   0.9

/* Dropping every packet is a warning only above this rate (packets/s), as in program-drops-all. */
#define ALL_PER_S 100

/* Whether the queue's thread hardly slept in the interval. */
static bool is_cpu_busy(struct evidence *e)
{
	const struct rates *r = e->rates;
	const struct series *s;

	for_each_row (s, r, r->to, &series_by_map,
		      row_number(e->series->key.map_id, e->series->key.target)) {
		const struct series_counters *c = rates_delta(r, s);

		if (s->tracepoint == TP_XDP_CPUMAP_KTHREAD)
			return per_second((double)c->packets, r->tp_seconds[e->tracepoint]) >
				       BUSY_PER_S &&
			       (double)c->sched < BUSY_SLEEPS * (double)c->events;
	}
	return false;
}

#define BUSY                                                                                    \
	"its queue is full, and its cpumap thread hardly ever sleeps, so that CPU has no time " \
	"for more packets"

static uint64_t from_own_cpu(const struct rates *r, const struct series *s)
{
	struct series_counters delta, since;

	rates_cpu(r, (size_t)(s - r->to->series), s->key.target, &delta, &since);
	return delta.packets;
}

/* Adds a cause: the CPU's own receive softirq may keep the thread from running. */
static void say_own_cpu(struct evidence *e)
{
	const uint64_t all = e->delta->packets;
	size_t len = strlen(e->what);
	uint64_t own;
	char share[16];

	if (!(BIT(e->tracepoint) & AT_ENQUEUE) || e->rates->to->cpus_online < 2)
		return;
	own = from_own_cpu(e->rates, e->series);
	if (!all || (double)own < OWN_QUEUE * (double)all)
		return;
	format_percent(share, sizeof(share), 100.0 * (double)own / (double)all);
	snprintf(e->what + len, sizeof(e->what) - len,
		 "; %s %% of its packets come from the same CPU, which receives them before the "
		 "thread runs",
		 share);
}

static bool is_queue_busy(struct evidence *e)
{
	if (!is_cpu_busy(e) || !says_queue(e, BUSY))
		return false;
	say_own_cpu(e);
	return true;
}

WHEN(is_saturated, BIT(e->tracepoint) & AT_ENQUEUE && is_cpu_busy(e))

static const char *meaning(const struct evidence *e)
{
	return cause_in(e->rates->to, e->tracepoint, &e->series->key)->meaning;
}

static bool is_queue(struct evidence *e)
{
	if (is_saturated(e) || !says_queue(e, meaning(e)))
		return false;
	say_own_cpu(e);
	return true;
}

static bool is_queue_of_program(struct evidence *e)
{
	if (is_saturated(e) || !says_queue_of_program(e, meaning(e)))
		return false;
	say_own_cpu(e);
	return true;
}

/* Nearly all packets of the map stay on their CPU. On one CPU of several that is common. */
static bool is_own_cpu(struct evidence *e)
{
	const struct rates *r = e->rates;
	uint64_t all = 0, own = 0;
	char share[16];

	for (size_t i = 0; i < e->n_row; i++) {
		all += r->delta[e->row[i] - r->to->series].packets;
		own += from_own_cpu(r, e->row[i]);
	}
	if (r->to->cpus_online < 2 || (double)own < OWN_MAP * (double)all ||
	    per_second((double)all, r->tp_seconds[e->tracepoint]) < BUSY_PER_S)
		return false;
	e->count = own;
	format_percent(share, sizeof(share), 100.0 * (double)own / (double)all);
	snprintf(e->what, sizeof(e->what),
		 "%s %% of its packets are handed to the CPU that received them, so that CPU does "
		 "all the work",
		 share);
	return true;
}

/*
 * Frames that an entry's program dropped. kernel/bpf/cpumap.c, cpu_map_bpf_prog_run_xdp() counts
 * XDP_ABORTED and failed redirects as drops, and reports no exception in native mode. Losses with
 * an event are subtracted, because they have their own finding.
 */
static uint64_t dropped_by_program(struct evidence *e)
{
	const struct rates *r = e->rates;
	uint64_t dropped = 0, told = 0;

	if (!e->delta->xdp_drop)
		return 0;
	e->entry = map_entry_find(r->to, e->series->key.map_id, e->series->key.target);
	if (e->entry && !e->entry->prog_id)
		e->entry = NULL;
	for (size_t i = 0; i < r->to->n_series; i++) {
		const struct series *s = &r->to->series[i];

		if (BIT(s->tracepoint) & AT_KTHREAD && s->key.map_id == e->series->key.map_id)
			dropped += r->delta[i].xdp_drop;
		/* if the entry is unknown, take events of all programs that no device runs */
		else if (BIT(s->tracepoint) & (AT_REDIRECT_ERR | AT_EXCEPTION) &&
			 (e->entry ? s->key.prog_id == e->entry->prog_id
				   : !program_find(r->to, s->key.prog_id)))
			told += r->delta[i].events;
	}
	if (told >= dropped)
		return 0;
	dropped -= told;
	return dropped < e->delta->xdp_drop ? dropped : e->delta->xdp_drop;
}

static const struct cause of_known = {
	.remedy.commands = "bpftool prog dump xlated id {prog}\n"
			   "bpftool map dump id {map}\n"
			   "dmesg | grep -F 'XDP return value'",
}, of_unknown = {
	.remedy.commands = "bpftool map dump id {map}\n"
			   "dmesg | grep -F 'XDP return value'",
};

static bool says_dropped(struct evidence *e, bool is_all)
{
	const struct series_counters *c = e->delta;
	const uint64_t all = c->xdp_drop + c->xdp_pass + c->xdp_redirect;
	const bool drops_all =
		c->xdp_drop == all &&
		per_second((double)all, e->rates->tp_seconds[e->tracepoint]) >= ALL_PER_S;
	char name[SNAPSHOT_NAME_LEN + 24] = "", share[16];

	e->count = dropped_by_program(e);
	if (!e->count || drops_all != is_all)
		return false;
	e->lost_per_s = per_second((double)e->count, e->rates->tp_seconds[e->tracepoint]);
	e->cause = e->entry ? &of_known : &of_unknown;
	if (!is_all)
		e->severity = FINDING_INFO;
	if (e->entry)
		snprintf(name, sizeof(name), " %s (id %u)", e->entry->prog_name, e->entry->prog_id);
	format_percent(share, sizeof(share), 100.0 * (double)e->count / (double)all);
	snprintf(e->what, sizeof(e->what),
		 "the entry's program%s drops %s %% of the frames by XDP_DROP, XDP_ABORTED or an "
		 "invalid action; only generic mode counts these separately",
		 name, share);
	return true;
}

WHEN(drops_some, says_dropped(e, false))

WHEN(drops_all, says_dropped(e, true))

/* clang-format off */
/* If an update names no program, the kernel removes the entry's program. */
#define QUEUE_COMMANDS \
	.remedy.commands = "bpftool map dump id {map}\n" \
			   "ps -eLo psr,pcpu,comm --sort=-pcpu | awk '$1 == {cpu}' | head\n" \
			   "bpftool map update id {map} key {key} value {larger}"
#define BUSY_COMMANDS \
	"bpftool map dump id {map}\n" \
	"ps -eLo psr,pcpu,comm --sort=-pcpu | awk '$1 == {cpu}' | head"
#define QUEUE_OF_PROGRAM \
	.remedy.text = "bpftool map update would remove the entry's program, so have its owner " \
		       "set a larger queue (up to 16384), or put more CPUs in the map"

static const struct finding_code codes[] = {
	{ "cpumap-queue-full", FINDING_CRITICAL,
	  "the queue of a cpumap's target CPU is full in two intervals within 10 s, or loses half of "
	  "the packets in one", { 0 },
	  /* generic mode fires both tracepoints; AT_ENQUEUE does not name the device */
	  RULES({ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_CPUMAP, -ENOSPC, .per = CPUMAP,
		  .bursts = 2, .when = is_queue_of_program, QUEUE_OF_PROGRAM },
		{ RULE_LOSS, AT_ENQUEUE, .code = 0, .per = CPUMAP, .bursts = 2,
		  .when = is_queue_of_program, QUEUE_OF_PROGRAM },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_CPUMAP, -ENOSPC, .per = CPUMAP,
		  .bursts = 2, .when = is_queue, QUEUE_COMMANDS },
		{ RULE_LOSS, AT_ENQUEUE, .code = 0, .per = CPUMAP, .bursts = 2,
		  .when = is_queue, QUEUE_COMMANDS },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_CPUMAP, -ENOSPC, .per = CPUMAP,
		  .bursts = 2 },
		{ RULE_LOSS, AT_ENQUEUE, .code = 0, .per = CPUMAP, .bursts = 2 }) },
	{ "cpumap-cpu-busy", FINDING_CRITICAL,
	  "the queue of a cpumap's target CPU is full, and its cpumap thread hardly ever sleeps, "
	  "so it cannot do more", { 0 },
	  RULES({ RULE_LOSS, AT_ENQUEUE, .code = 0, .per = CPUMAP, .when = is_queue_busy,
		  .remedy.commands = BUSY_COMMANDS },
		{ RULE_LOSS, AT_ENQUEUE, .code = 0, .per = CPUMAP, .when = is_cpu_busy,
		  .text = BUSY, .remedy.commands = BUSY_COMMANDS }) },
	{ "cpumap-program-drops", FINDING_WARNING,
	  "the program of a cpumap entry drops every frame, 100 a second or more, in two intervals "
	  "in a row. The severity is info if the program drops only some",
	  { "nothing, if the program is meant to drop these frames. dmesg has the first "
	    "XDP_ABORTED or invalid action of any program since boot", NULL },
	  RULES({ RULE_SERIES, AT_KTHREAD, .code = RULE_ANY, .per = CPUMAP, .when = drops_some },
		{ RULE_SERIES, AT_KTHREAD, .code = RULE_ANY, .per = CPUMAP, .intervals = 2,
		  .when = drops_all }) },
	{ "cpumap-same-cpu", FINDING_INFO,
	  "a cpumap gets 10,000 packets a second or more, and hands 90 % of them or more to the "
	  "CPU that received them, in three intervals in a row",
	  { "choose other CPUs in the program, or move the interrupts of the receive queues "
	    "(smp_affinity) to CPUs that are not in the map",
	    "bpftool map dump id {map}\n"
	    "cat /proc/interrupts" },
	  RULES({ RULE_ROW, AT_ENQUEUE, .code = RULE_ANY, .per = PER_MAP, .intervals = 3,
		  .when = is_own_cpu }) },
	{ "cpumap-no-memory", FINDING_CRITICAL,
	  "a cpumap thread could not build skbs for frames. Up to Linux 5.10, packets that the "
	  "stack refused are included", { 0 },
	  RULES({ RULE_LOSS, AT_KTHREAD, .code = 0, .per = CPUMAP }) },
};
/* clang-format on */

const struct finding_group cpumap_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
