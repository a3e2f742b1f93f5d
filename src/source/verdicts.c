// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/verdicts.h"

#include "base/clock.h"
#include "schema/record_field.h"
#include "source/data_source.h"
#include "source/verdicts_live.h"

const char *const verdict_names[VERDICT_ACTS] = { "ABORTED", "DROP",     "PASS",
						  "TX",      "REDIRECT", "UNKNOWN" };

#define KEY_WORDS (offsetof(struct verdict, gone) / sizeof(uint32_t))

DATA_SOURCE_ROWS(verdicts, struct verdict, DATA_SOURCE_VERDICTS)

const char *verdict_name(uint32_t act)
{
	return verdict_names[act < VERDICT_ACTS ? act : VERDICT_UNKNOWN];
}

/* The rows whose first key numbers are equal, up to *end. */
static const struct verdict *find_rows(const struct snapshot *s, const struct verdict *key,
				       size_t words, const struct verdict **end)
{
	size_t n = 0;
	const struct verdict *row =
		s ? data_source_rows_like(s, DATA_SOURCE_VERDICTS, key, words, &n) : NULL;

	*end = n ? row + n : row;
	return row;
}

#define PROGRAM_WORDS 1
#define DEVICE_WORDS  3
#define QUEUE_WORDS   4

/* It was attached, possibly again, and ran uncounted in this interval. */
static bool is_unseen_since(const struct snapshot *to, const struct snapshot *from,
			    uint32_t prog_id)
{
	const struct program *p = program_find(to, prog_id);
	int64_t until = p ? timespec_to_ns(&p->unseen_until) : 0;

	return from && until > timespec_to_ns(&from->wall) && until <= timespec_to_ns(&to->wall);
}

bool verdicts_known_since(const struct snapshot *to, const struct snapshot *from, uint32_t prog_id)
{
	const struct verdict key = { .prog_id = prog_id }, *was, *was_end, *now, *now_end;
	const struct program *program = program_find(from, prog_id);

	if (is_unseen_since(to, from, prog_id))
		return false;
	was = find_rows(from, &key, PROGRAM_WORDS, &was_end);
	now = find_rows(to, &key, PROGRAM_WORDS, &now_end);
	if (was == was_end)
		return program && program->verdicts == PROGRAM_VERDICTS_ON;
	while (now != now_end && was != was_end && was->trace != now->trace)
		was++;
	return now != now_end && was != was_end;
}

static void begin_walk(struct verdict_walk *w, const struct rates *r, const struct verdict *key,
		       size_t words)
{
	w->row = find_rows(r->to, key, words, &w->end);
	w->from = find_rows(r->from, key, words, &w->from_end);
	w->base = find_rows(r->base, key, words, &w->base_end);
	w->known = verdicts_known_since(r->to, r->from, key->prog_id);
}

void verdict_walk_program(struct verdict_walk *w, const struct rates *r, uint32_t prog_id)
{
	begin_walk(w, r, &(struct verdict){ .prog_id = prog_id }, PROGRAM_WORDS);
}

void verdict_walk_device(struct verdict_walk *w, const struct rates *r, uint32_t prog_id,
			 uint32_t netns, uint32_t ifindex)
{
	const struct verdict key = { .prog_id = prog_id, .netns = netns, .ifindex = ifindex };

	begin_walk(w, r, &key, DEVICE_WORDS);
}

void verdict_walk_queue(struct verdict_walk *w, const struct rates *r, uint32_t prog_id,
			uint32_t netns, uint32_t ifindex, uint32_t queue)
{
	const struct verdict key = {
		.prog_id = prog_id, .netns = netns, .ifindex = ifindex, .queue = queue
	};

	begin_walk(w, r, &key, QUEUE_WORDS);
}

/*
 * Growth since the same row of an earlier snapshot. *at is the position in that snapshot's rows and
 * advances in step.
 */
static struct verdict_counters grown(const struct verdict *row, const struct verdict **at,
				     const struct verdict *end)
{
	struct verdict_counters n = { row->packets, row->bytes };

	while (*at < end && compare_words(*at, row, KEY_WORDS) < 0)
		++*at;
	if (*at == end || compare_words(*at, row, KEY_WORDS))
		return n;
	n.packets -= (*at)->packets < n.packets ? (*at)->packets : n.packets;
	n.bytes -= (*at)->bytes < n.bytes ? (*at)->bytes : n.bytes;
	return n;
}

const struct verdict *verdict_walk_next(struct verdict_walk *w)
{
	const struct verdict *row = w->row;

	if (row == w->end)
		return NULL;
	w->row++;
	w->delta = grown(row, &w->from, w->from_end);
	w->since = grown(row, &w->base, w->base_end);
	if (!w->known)
		w->delta = (struct verdict_counters){ 0 };
	return row;
}

void verdict_counters_add(struct verdict_counters *to, struct verdict_counters n)
{
	to->packets += n.packets;
	to->bytes += n.bytes;
}

void verdict_sum_add(struct verdict_sum *sum, const struct verdict_walk *w,
		     const struct verdict *row)
{
	verdict_counters_add(&sum->delta[row->act], w->delta);
	verdict_counters_add(&sum->since[row->act], w->since);
}

static void add_walk(struct verdict_sum *sum, struct verdict_walk *w)
{
	const struct verdict *row;

	sum->known = sum->known && w->known;
	while ((row = verdict_walk_next(w)))
		verdict_sum_add(sum, w, row);
}

static enum program_verdicts state_of(const struct snapshot *s, uint32_t prog_id)
{
	const struct program *p = program_find(s, prog_id);

	return p ? p->verdicts : PROGRAM_VERDICTS_UNKNOWN;
}

enum program_verdicts verdict_sum_program(const struct rates *r, uint32_t prog_id,
					  struct verdict_sum *sum)
{
	struct verdict_walk w;

	*sum = (struct verdict_sum){ .known = true };
	verdict_walk_program(&w, r, prog_id);
	add_walk(sum, &w);
	return state_of(r->to, prog_id);
}

int verdict_programs(const struct netdev *d, uint32_t prog_id[2])
{
	int n = 0;

	if (d->prog_id && !d->gone)
		prog_id[n++] = d->prog_id;
	if (d->skb_prog_id && d->skb_prog_id != d->prog_id && !d->gone)
		prog_id[n++] = d->skb_prog_id;
	return n;
}

enum program_verdicts verdict_sum_device(const struct rates *r, const struct netdev *d,
					 struct verdict_sum *sum)
{
	enum program_verdicts state = PROGRAM_VERDICTS_UNKNOWN;
	struct verdict_walk w;
	uint32_t id[2];
	int n = verdict_programs(d, id);

	*sum = (struct verdict_sum){ .known = true };
	for (int i = 0; i < n; i++) {
		/* rows without a device may belong to this one */
		verdict_walk_device(&w, r, id[i], 0, 0);
		if (!state || state == PROGRAM_VERDICTS_ON)
			state = w.row < w.end ? PROGRAM_VERDICTS_REFUSED : state_of(r->to, id[i]);
		verdict_walk_device(&w, r, id[i], d->netns, d->ifindex);
		add_walk(sum, &w);
	}
	return state;
}

struct verdict_counters verdict_total(const struct verdict_counters act[VERDICT_ACTS])
{
	struct verdict_counters total = { 0 };

	for (int i = 0; i < VERDICT_ACTS; i++)
		verdict_counters_add(&total, act[i]);
	return total;
}

#define verdict_of(r) ROW_OF(struct verdict, r)

/* Defaults of the later fields, which null leaves unchanged. */
static FIELD_SET(set_prog_id)
{
	verdict_of(r)->queue = VERDICT_QUEUE_UNKNOWN;
	verdict_of(r)->act = VERDICT_UNKNOWN;
	return field_set_u32(f, r, v);
}

GET_IF(get_queue, verdict_of(r)->queue != VERDICT_QUEUE_UNKNOWN, field_get_u32)

static FIELD_GET(get_ifname)
{
	field_give_ifname(v, r, verdict_of(r)->netns, verdict_of(r)->ifindex);
}

static FIELD_GET(get_prog_name)
{
	const struct program *p;

	if (!r->rates)
		return;
	p = program_find(r->rates->to, verdict_of(r)->prog_id)
		    ?: program_find(r->rates->from, verdict_of(r)->prog_id);
	if (p)
		field_give_text(v, p->prog_name);
}

/* A new row of a trace that is not new grew from 0. */
static FIELD_GET(get_interval)
{
	if (r->row_before)
		field_get_interval(f, r, v);
	else if (r->rates &&
		 verdicts_known_since(r->rates->to, r->rates->from, verdict_of(r)->prog_id))
		field_get_u64(f, r, v);
}

static FIELD_GET(get_per_s)
{
	get_interval(f, r, v);
	if (v->type == VALUE_COUNT && r->seconds > 0)
		field_give_real(v, per_second((double)v->count, r->seconds));
	else
		v->type = VALUE_NULL;
}

#define COUNTER(n, m)                                                                        \
	FIELD(n, COUNT, 0, get_interval, field_set_interval, ROW_MEMBER(struct verdict, m)), \
		FIELD(n "_total", COUNT, 0, field_get_u64, field_set_u64,                    \
		      ROW_MEMBER(struct verdict, m)),                                        \
		FIELD(n "_per_s", REAL, 0, get_per_s, NULL, ROW_MEMBER(struct verdict, m))

/* clang-format off */
static const struct record_field fields[] = {
	FIELDS_OF_SNAPSHOT,
	FIELD_REAL("interval_s", field_get_real, seconds),
	FIELD("prog_id", COUNT, 0, field_get_id, set_prog_id, ROW_MEMBER(struct verdict, prog_id)),
	FIELD("prog_name", TEXT, 0, get_prog_name, NULL),
	ROW_FIELD_GONE("counted", struct verdict, gone),
	ROW_FIELD_ID("netns", struct verdict, netns),
	FIELD_TEXT("netns_name", 0, netns_name),
	ROW_FIELD_ID("ifindex", struct verdict, ifindex),
	FIELD("ifname", TEXT, 0, get_ifname, NULL),
	FIELD("queue", COUNT, 0, get_queue, field_set_u32, ROW_MEMBER(struct verdict, queue)),
	ROW_FIELD_NAME("act", struct verdict, act, verdict_names),
	FIELD("cpu", COUNT, 0, field_get_u32, field_set_cpu, ROW_MEMBER(struct verdict, cpu)),
	ROW_FIELD_NUMBER("trace", struct verdict, trace),
	ROW_FIELD_KNOWN_TIME("unseen_from", struct verdict, unseen_from, OPTIONAL),
	ROW_FIELD_KNOWN_TIME("unseen_until", struct verdict, unseen_until, OPTIONAL),
	COUNTER("packets", packets),
	COUNTER("bytes", bytes),
	FIELD_POD("", 0, pod),
};
/* clang-format on */

static const struct record_object object = RECORD_OBJECT("verdict", fields);

static const struct data_source_metric metrics[] = {
	{ "xdptop_verdicts_total",
	  "Packets by the action that an XDP program returned (--verdicts). Those of a dispatcher "
	  "are also counted for its parts.",
	  offsetof(struct verdict, packets) },
	{ "xdptop_verdict_bytes_total", "Bytes by returned action, measured after the program ran.",
	  offsetof(struct verdict, bytes) },
	{ 0 },
};

const struct data_source verdicts_source = {
	.name = "verdicts",
	.help = "what the attached XDP programs returned, with --verdicts",
	ROW_TYPE(struct verdict, gone, VERDICTS_MAX),
	ROW_GONE(struct verdict),
	ROW_DEVICE(struct verdict),
	ROW_COUNTERS(struct verdict, packets),
	.record = &object,
	.metrics = metrics,
	.metric_labels = HAS_DEVICE | HAS_PROG | HAS_ACT | LABEL_QUEUE | LABEL_CPU,
	.state_size = sizeof(struct verdicts_live),
	.open = verdicts_live_open,
	.start = verdicts_live_start,
	.look = verdicts_live_look,
	.sample = verdicts_live_sample,
	.close = verdicts_live_close,
};
