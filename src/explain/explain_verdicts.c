// SPDX-License-Identifier: GPL-2.0-or-later
/* What a program returned: by action, and by receive queue. */
#include <linux/bpf.h>
#include <stdio.h>
#include "diagnose/location_text.h"
#include "explain/explanation.h"
#include "source/fib_lookups.h"
#include "source/verdicts.h"

/* Limits the length of an explanation. */
#define QUEUES_MAX 128

const struct verdict_line verdict_lines[VERDICT_ACTS] = {
	{ XDP_PASS, true, "XDP_PASS", "passed on" },
	{ XDP_DROP, true, "XDP_DROP", "dropped by the program" },
	{ XDP_TX, false, "XDP_TX", "to be sent back" },
	{ XDP_REDIRECT, false, "redirected", "to be queued for a target" },
	{ XDP_ABORTED, false, "aborted", "XDP_ABORTED: lost" },
	{ VERDICT_UNKNOWN, false, "invalid", "a value that is not an action: lost" },
};

static void percent_text(uint64_t part, uint64_t whole, char *buf, size_t size)
{
	if (whole)
		format_percent(buf, size, (double)part * 100 / (double)whole);
	else
		snprintf(buf, size, "-");
}

/* "1200, now 30/s" */
static void count_text(const struct explanation *x, const struct verdict_sum *sum, uint64_t since,
		       uint64_t delta, char *buf, size_t size)
{
	char total[16], rate[16];

	format_count(total, sizeof(total), since, NUMBER_SI);
	format_rate(rate, sizeof(rate), per_second((double)delta, x->t->rates->seconds), NUMBER_SI);
	snprintf(buf, size, "%s%s%s%s", total, sum->known ? ", now " : "", sum->known ? rate : "",
		 sum->known ? "/s" : "");
}

/* The counts of the interval if it is known, else since the trace began. */
static const struct verdict_counters *shown_counters(const struct verdict_sum *sum)
{
	return sum->known ? sum->delta : sum->since;
}

static void explain_acts(const struct explanation *x, const struct verdict_sum *sum)
{
	const struct verdict_counters all = verdict_total(sum->since),
				      now = verdict_total(sum->delta);
	const uint64_t whole = verdict_total(shown_counters(sum)).packets;
	char count[48], share[16], bytes[16];

	for (size_t i = 0; i < VERDICT_ACTS; i++) {
		const struct verdict_line *line = &verdict_lines[i];
		uint64_t since = sum->since[line->act].packets;

		if (!since && !line->always)
			continue;
		count_text(x, sum, since, sum->delta[line->act].packets, count, sizeof(count));
		percent_text(shown_counters(sum)[line->act].packets, whole, share, sizeof(share));
		say(x, EXPLAIN_TEXT, line->label, "%s, %s%s: %s", count, share, whole ? " %" : "",
		    line->says);
	}
	count_text(x, sum, all.packets, now.packets, count, sizeof(count));
	format_rate(bytes, sizeof(bytes),
		    per_second((double)(sum->known ? now.bytes : all.bytes),
			       sum->known ? x->t->rates->seconds : 1),
		    NUMBER_SI);
	say(x, EXPLAIN_TEXT, "together", "%s; %s%s, measured after the program ran", count, bytes,
	    sum->known ? " B/s" : " bytes");
}

/* The verdicts for a queue's packets, and its share of all packets. */
static void explain_queue(const struct explanation *x, const struct verdict *of,
			  const struct verdict_sum *sum, uint64_t whole)
{
	char label[SNAPSHOT_NAME_LEN * 3], text[256] = "", share[16], n[16];
	struct format_text t = { .buf = text, .size = sizeof(text) };
	struct location location;

	location_set_device(&location, of->netns, of->ifindex, x->to);
	location_text("{dev}", &location, x->t->options.netns, label, sizeof(label));
	for (size_t i = 0; i < VERDICT_ACTS; i++) {
		uint64_t packets = shown_counters(sum)[verdict_lines[i].act].packets;

		if (!packets)
			continue;
		if (sum->known)
			format_rate(n, sizeof(n), per_second((double)packets, x->t->rates->seconds),
				    NUMBER_SI);
		else
			format_count(n, sizeof(n), packets, NUMBER_SI);
		format_add(&t, "%s%s %s%s", t.len ? ", " : "", verdict_name(verdict_lines[i].act),
			   n, sum->known ? "/s" : "");
	}
	percent_text(verdict_total(shown_counters(sum)).packets, whole, share, sizeof(share));
	if (of->queue == VERDICT_QUEUE_UNKNOWN)
		snprintf(label, sizeof(label), "queues that the table had no room for");
	else
		snprintf(label + strlen(label), sizeof(label) - strlen(label), " queue %u",
			 of->queue);
	say(x, EXPLAIN_TEXT, "", "%s: %s, %s%s", label, t.len ? text : "nothing now", share,
	    whole ? " %" : "");
}

/* A program's rows are sorted by device and queue. */
static void explain_queues(const struct explanation *x, uint32_t prog_id, uint64_t whole)
{
	const struct verdict *of = NULL, *row;
	struct verdict_sum sum;
	struct verdict_walk w;
	int n = 0;

	verdict_walk_program(&w, x->t->rates, prog_id);
	do {
		row = verdict_walk_next(&w);
		if (of && (!row || row->netns != of->netns || row->ifindex != of->ifindex ||
			   row->queue != of->queue)) {
			if (n++ < QUEUES_MAX)
				explain_queue(x, of, &sum, whole);
			of = NULL;
		}
		if (row && !of) {
			of = row;
			sum = (struct verdict_sum){ .known = w.known };
		}
		if (row)
			verdict_sum_add(&sum, &w, row);
	} while (row);
	if (n > QUEUES_MAX)
		say(x, EXPLAIN_TEXT, "", "and %d more", n - QUEUES_MAX);
}

static void explain_uncounted(struct explanation *x, const struct program *p,
			      const struct netdev *silent)
{
	struct location location;

	if (p && p->verdicts == PROGRAM_VERDICTS_REFUSED)
		say(x, EXPLAIN_TEXT, "verdicts", "cannot be counted: %s", p->verdicts_reason);
	else if (p && p->verdicts)
		say(x, EXPLAIN_TEXT, "verdicts", "%s",
		    p->verdicts == PROGRAM_VERDICTS_ASKED ? "will be counted soon"
							  : "are not counted: switched off");
	else
		say(x, EXPLAIN_TEXT, "verdicts", "XDP_DROP and XDP_PASS fire no tracepoint%s",
		    silent ? ": --verdicts counts them, and these commands show what happens to "
			     "the program's packets"
			   : ": --verdicts counts the packets that it drops or passes");
	if (!silent)
		return;
	location_set_device(&location, silent->netns, silent->ifindex, x->to);
	fill_commands(x, "{in}ethtool -S {dev}\n{in}xdpdump -i {dev} --rx-capture exit", &location,
		      NULL);
}

/* By result, see enum BPF_FIB_LKUP_RET_... in include/uapi/linux/bpf.h. */
static const char *const lookup_says[FIB_RESULTS] = {
	"a route and a neighbour entry",
	"a blackhole route",
	"an unreachable route",
	"a prohibit route",
	"not to be forwarded: a local, broadcast or multicast address, or no route",
	"forwarding is off on the device that received it (sysctl net.ipv4.conf, net.ipv6.conf)",
	"the route needs encapsulation (lwtunnel)",
	"no neighbour entry (ip neigh): most programs pass these packets to the stack",
	"longer than the route's MTU",
	"no source address for the route",
	"the call failed",
	"a result that is newer than xdptop",
};

/* For all devices that run the program: the kernel does not say which program asked. */
static void explain_lookups(const struct explanation *x, uint32_t prog_id)
{
	uint64_t delta[FIB_RESULTS] = { 0 }, since[FIB_RESULTS] = { 0 }, whole = 0;
	struct verdict_sum sum = { .known = x->t->rates->from };
	const struct netdev *d;
	char count[48], share[16];

	for_each_row (d, x->t->rates, x->to, &netdevs_by_program, prog_id)
		fib_lookups_add(x->t->rates, d->netns, d->ifindex, delta, since);
	for (uint32_t i = 0; i < FIB_RESULTS; i++)
		whole += since[i];
	if (whole)
		say_break(x, "Results of bpf_fib_lookup() on the program's devices");
	for (uint32_t i = 0; i < FIB_RESULTS; i++) {
		if (!since[i])
			continue;
		count_text(x, &sum, since[i], delta[i], count, sizeof(count));
		percent_text(since[i], whole, share, sizeof(share));
		say(x, EXPLAIN_TEXT, fib_lookup_name(i), "%s, %s %%: %s", count, share,
		    lookup_says[i]);
	}
}

void explain_verdicts(struct explanation *x, uint32_t prog_id, const struct netdev *silent)
{
	const struct program *p = program_find(x->to, prog_id);
	struct verdict_sum sum;
	char unseen[64];

	if (verdict_sum_program(x->t->rates, prog_id, &sum) != PROGRAM_VERDICTS_ON) {
		explain_uncounted(x, p, silent);
		return;
	}
	say_break(x, p->part_of ? "Actions returned to the dispatcher" : "Actions returned");
	explain_acts(x, &sum);
	if (p->verdicts_missed)
		say(x, EXPLAIN_TEXT, "missed",
		    "%llu runs not counted (skipped by the kernel's recursion guard)",
		    (unsigned long long)p->verdicts_missed);
	if (program_unseen(p, x->t->rates->base, unseen, sizeof(unseen)))
		say(x, EXPLAIN_TEXT, "not counted", "%s: attached, but counting had not yet begun",
		    unseen);
	explain_lookups(x, prog_id);
	if (!verdict_total(sum.since).packets)
		return;
	say_break(x, "By receive queue, with each queue's share of the program's packets");
	explain_queues(x, prog_id, verdict_total(shown_counters(&sum)).packets);
}
