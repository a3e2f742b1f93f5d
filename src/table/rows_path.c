// SPDX-License-Identifier: GPL-2.0-or-later
/* Devices with XDP and what happens to their packets. */
#include <math.h>
#include "diagnose/device_path.h"
#include "diagnose/findings.h"
#include "diagnose/location_text.h"
#include "table/table_internal.h"

/* A filter can name devices without XDP. A program that is gone can have lost packets before. */
static bool is_shown(const struct table *t, const struct device_path *p)
{
	return device_path_has_xdp(p) || p->count[PATH_LOST].per_s > 0 ||
	       (t->options.filter && p->dev && !p->dev->gone);
}

static void add_paths(struct table *t)
{
	size_t kept = 0;

	table_add_devices(t, t->options.filter);
	table_add_senders(t);
	array_reserve(t->path, t->cap_paths, t->n_rows);
	if (!t->cpumaps)
		t->cpumaps = memory_new(1, sizeof(*t->cpumaps));
	device_path_cpumaps(t->cpumaps, t->rates);
	for (size_t i = 0; i < t->n_rows; i++) {
		struct device_path *p = &t->path[t->n_paths];

		if (rates_cancelled(t->rates))
			return;
		device_path_set(p, t->rates, t->cpumaps, t->row[i].netns, t->row[i].ifindex);
		if (!is_shown(t, p))
			continue;
		for (int k = 0; k < PATH_STAGES; k++)
			t->counted_stages |= p->count[k].source ? BIT(k) : 0;
		t->row[kept] = t->row[i];
		t->row[kept++].path = ++t->n_paths;
	}
	t->n_rows = kept;
}

static enum cell_state count_cell(const struct table *t, const struct device_path *p,
				  enum path_stage stage, struct cell *cell)
{
	const struct path_count *c = &p->count[stage];

	cell->age = c->age;
	/* unknown because a tracepoint is off */
	if (stage == PATH_LOST && !c->now && t->rates->from && p->losses.says && *p->losses.of)
		return CELL_OFF;
	if (!c->source)
		return CELL_NONE;
	if (!c->now)
		return p->losses.says ? CELL_NONE : CELL_NOT_YET;
	if (cell->column->lost && c->per_s > 0)
		cell->tone = TONE_LOST;
	return cell_set_real(cell, CELL_RATE, c->per_s);
}

/* The worst finding of this interval at the row; NULL = none. Information only if it has the loss.
 */
static const struct finding *worst_finding(const struct table *t, const struct row *row, bool loses)
{
	const struct findings *f = t->options.findings;

	for (size_t i = 0; f && i < f->n_active; i++)
		if (f->finding[i].seen && finding_is_at_row(&f->finding[i], row) &&
		    (f->finding[i].severity > FINDING_INFO ||
		     (loses && f->finding[i].lost_per_s > 0 &&
		      finding_is_from(&f->finding[i], row->netns, row->ifindex))))
			return &f->finding[i];
	return NULL;
}

/* "target down: lan1" */
static enum cell_state finding_result(const struct table *t, const struct row *row,
				      const struct finding *f, struct cell *cell)
{
	const struct location *l = &f->location;
	char to[SNAPSHOT_TEXT_LEN] = "";

	if (finding_is_from(f, row->netns, row->ifindex) && (l->to.ifindex || l->to_cpu >= 0))
		location_text("{to}", l, t->options.netns, to, sizeof(to));
	cell->tone = f->severity == FINDING_CRITICAL  ? TONE_LOST
		     : f->severity == FINDING_WARNING ? TONE_WARN
						      : TONE_PLAIN;
	cell_set_text(cell, "%s%s%s", f->code->name, *to ? ": " : "", to);
	for (char *c = cell->text; *c && *c != ':'; c++)
		if (*c == '-')
			*c = ' ';
	return CELL_VALUE;
}

static enum cell_state result_cell(const struct table *t, const struct row *row,
				   const struct device_path *p, struct cell *cell)
{
	static const enum cell_tone tones[] = {
		[PATH_LOSES] = TONE_LOST,         [PATH_MAY_LOSE] = TONE_LOST,
		[PATH_LOSES_BEFORE] = TONE_LOST,  [PATH_LOSES_AFTER] = TONE_WARN,
		[PATH_LOSES_NOTHING] = TONE_GOOD,
	};
	enum path_result result = device_path_result(p);
	const struct finding *f = worst_finding(t, row, result == PATH_LOSES);

	if (f && result != PATH_NO_XDP)
		return finding_result(t, row, f, cell);
	if (result == PATH_NOT_YET)
		return CELL_NOT_YET;
	if (result < sizeof(tones) / sizeof(tones[0]))
		cell->tone = tones[result];
	device_path_text(p, cell->text, sizeof(cell->text));
	return CELL_VALUE;
}

/* Frames that a target did not take are in the target's series, not in those of the row. */
static bool is_lost_at_targets(const struct table *t, const struct row *row)
{
	const struct rates *r = t->rates;
	const struct series *s;
	struct row_walk w;

	row_walk_begin(&w, r, r->to, &series_by_device, row_number(row->netns, row->ifindex));
	while (r->delta && (s = row_walk_next(&w)))
		if (s->tracepoint == TP_XDP_DEVMAP_XMIT && rates_delta(r, s)->drops)
			return true;
	return false;
}

static enum cell_state path_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const enum column_id column = (enum column_id)(cell->column - columns);
	const struct device_path *p = row->path && row->cpu < 0 ? &t->path[row->path - 1] : NULL;

	if (p && column >= COL_PATH_IN && column <= COL_PATH_REDIRECT)
		return count_cell(t, p, PATH_IN + (column - COL_PATH_IN), cell);
	if (p && column == COL_LOST_RATE)
		return count_cell(t, p, PATH_LOST, cell);
	/* of table_add_senders() */
	if (column == COL_DEVICE && p && !p->dev && row->n_series == 1 &&
	    row_series(t, row, 0)->key.ifindex == row->ifindex)
		return cell_of_series(t, row, cell);
	if (row->cpu >= 0 && column == COL_LOST_RATE && is_lost_at_targets(t, row))
		return CELL_NONE;
	if (column == COL_RESULT)
		return p ? result_cell(t, row, p, cell) : CELL_NONE;
	return cell_of_device(t, row, cell);
}

/* A sum of rates, some of which may be older than the interval. */
struct sum {
	double per_s;
	bool old;
};

static void sum_add(struct sum *s, const struct path_count *c)
{
	s->per_s += c->per_s;
	s->old = s->old || (c->per_s > 0 && c->age > 0);
}

/* Sums over the rows. A packet is lost at one device, or in one cpumap, which rows can share. */
struct summary {
	size_t devices, unlisted, in_unknown, drops_uncounted, losses_uncounted, not_yet;
	struct sum in, dropped, lost, before;
	double worst, age;           /* age: as device_path_age() */
	const struct row *worst_row; /* NULL with a `worst` = a cpumap */
	uint64_t shared_cpumaps, cpumaps;
	struct path_gap gap;     /* the first */
	struct stack_loss after; /* the largest */
	bool after_unread;       /* of any device */
	const char *hint;        /* of the first device whose drops are not counted */
};

static void summary_add(struct summary *s, const struct device_path *p, const struct row *row)
{
	const struct path_count *in = &p->count[PATH_IN], *lost = &p->count[PATH_LOST];

	sum_add(&s->lost, lost);
	if (lost->per_s > s->worst) {
		s->worst = lost->per_s;
		s->worst_row = row;
	}
	if (!device_path_has_xdp(p))
		return;
	s->devices++;
	s->unlisted += !p->dev;
	sum_add(&s->in, in);
	s->in_unknown += !in->now;
	sum_add(&s->dropped, &p->count[PATH_DROP]);
	sum_add(&s->before, &p->before);
	s->drops_uncounted += !!p->drops.says;
	s->losses_uncounted += !p->drops.says && p->losses.says;
	if (p->losses.says && !s->gap.says)
		s->gap = p->losses;
	if (p->after.per_s > s->after.per_s)
		s->after = p->after;
	s->after_unread = s->after_unread || p->after.unread;
	s->age = fmax(s->age, device_path_age(p));
	s->not_yet += device_path_result(p) == PATH_NOT_YET;
	if (p->drops.says && !s->hint)
		s->hint = device_path_hint(p);
	s->shared_cpumaps |= p->shared_cpumaps;
	s->cpumaps |= p->shared_cpumaps | p->own_cpumaps;
}

static void summary_add_cpumaps(struct summary *s, const struct cpumap_losses *l)
{
	for (size_t i = 0; i < l->n; i++) {
		if (s->cpumaps & 1ull << i)
			s->dropped.per_s += l->map[i].dropped_per_s;
		if (!(s->shared_cpumaps & 1ull << i))
			continue;
		s->lost.per_s += l->map[i].per_s;
		if (l->map[i].per_s > s->worst) {
			s->worst = l->map[i].per_s;
			s->worst_row = NULL;
		}
	}
}

/* "4.1k/s dropped by programs" */
static void add_rate(struct format_text *to, const struct sum *sum, const char *says)
{
	char text[16];

	format_rate(text, sizeof(text), sum->per_s, NUMBER_SI);
	format_add(to, ", %s%s/s %s", text, sum->old ? OLD_NUMBER : "", says);
}

/* How detailed a summary is, most detailed first. */
enum words { WORDS_ALL, WORDS_BRIEF, WORDS_LEAST, WORDS_LOST, WORDS };

static void say_worst(const struct table *t, const struct summary *s, struct format_text *to)
{
	struct cell cell;

	if (!s->worst_row) {
		format_add(to, ": worst a cpumap");
	} else {
		table_cell(t, (size_t)(s->worst_row - t->row), COL_DEVICE, &cell);
		format_add(to, ": worst %s", cell.text);
	}
}

/* Says that nothing is lost only if all is counted. */
static void say_lost(const struct table *t, const struct summary *s, enum words words,
		     struct format_text *to)
{
	bool some = s->drops_uncounted || s->losses_uncounted, lost = s->lost.per_s > 0;
	char text[SNAPSHOT_TEXT_LEN], ago[24];

	if (lost)
		add_rate(to, &s->lost, s->gap.says && !words ? "or more lost" : "lost");
	if (lost && words < WORDS_LEAST)
		say_worst(t, s, to);
	if (s->before.per_s > 0)
		add_rate(to, &s->before, words ? "before XDP" : "lost before XDP");
	if (lost && words)
		return;
	if (s->drops_uncounted)
		format_add(to, "%s drops not counted on %zu%s", lost ? ";" : ",",
			   s->drops_uncounted, s->hint);
	if (lost)
		return;
	if (s->gap.says && words)
		format_add(to, ", losses not counted");
	else if (s->gap.says)
		format_add(to, ", losses not counted: %s%s", s->gap.of, s->gap.says);
	else if (some)
		return;
	else if (s->not_yet)
		format_add(to, ", drivers not read yet");
	else if (s->after.per_s > 0)
		format_add(to, ", no loss seen by XDP; %.*s",
			   stack_loss_text(&s->after, words, text, sizeof(text)), text);
	else
		format_add(to, ", %s%s",
			   s->after_unread       ? "no loss seen by XDP"
			   : s->before.per_s > 0 ? "nothing lost by XDP"
						 : "nothing lost",
			   format_ago(ago, sizeof(ago), s->age));
}

/* How many devices are known to have XDP or not. */
static void say_known(const struct table *t, const struct summary *s, struct format_text *to)
{
	const struct snapshot *now = t->rates->to;
	size_t n = now->netdevs_known + s->unlisted;
	bool all = !now->netns_unreadable && !now->netdevs_left_out;

	if (t->options.filter || !now->netdevs_known)
		format_add(to, "%zu device%s", s->devices, s->devices == 1 ? "" : "s");
	else
		format_add(to, "%zu of %zu %sdevice%s", s->devices, n, all ? "" : "known ",
			   n == 1 ? "" : "s");
}

static void say_summary(const struct table *t, const struct summary *s, enum words words,
			struct format_text *to)
{
	char rate[16];

	format_add(to, "XDP on ");
	if (!s->devices && (t->options.filter || !t->rates->to->netdevs_known))
		format_add(to, "no %s",
			   t->options.filter ? "device that passes the filter" : "known device");
	else
		say_known(t, s, to);
	if (!s->devices || words == WORDS_LOST) {
		if (s->lost.per_s > 0)
			say_lost(t, s, words, to);
		if (!s->devices || s->lost.per_s > 0)
			return;
	}
	format_add(to, ": ");
	if (!t->rates->from) {
		format_add(to, "the first interval is not over yet");
		return;
	}
	format_rate(rate, sizeof(rate), s->in.per_s, NUMBER_SI);
	if (s->in_unknown == s->devices && words == WORDS_LEAST && s->lost.per_s > 0)
		format_add(to, "in not counted");
	else if (s->in_unknown == s->devices)
		format_add(to, "incoming packets are not counted");
	else
		format_add(to, "%s%s%s/s in", s->in_unknown ? "at least " : "", rate,
			   s->in.old ? OLD_NUMBER : "");
	if (s->dropped.per_s > 0)
		add_rate(to, &s->dropped, words ? "dropped" : "dropped by programs");
	say_lost(t, s, words, to);
}

static void path_summary(const struct table *t, int width, char *buf, size_t size)
{
	struct summary s = { 0 };

	for (size_t i = 0; i < t->n_rows; i++)
		if (!t->row[i].block && t->row[i].path && t->row[i].cpu < 0)
			summary_add(&s, &t->path[t->row[i].path - 1], &t->row[i]);
	summary_add_cpumaps(&s, t->cpumaps);
	for (enum words words = WORDS_ALL; words < WORDS; words++) {
		struct format_text to = { .buf = buf, .size = size };

		say_summary(t, &s, words, &to);
		if (format_width(buf) <= width)
			break;
	}
}

/* Rows say more than a list of programs that fired nothing. */
static int paths_missing(const struct table *t, const struct snapshot_host *host, char *buf,
			 size_t size)
{
	return no_data_netdevs(t->rates->to, host, buf, size);
}

const struct row_kind rows_paths = {
	.add = add_paths,
	.cell = path_cell,
	.locate = locate_device,
	.summary = path_summary,
	.missing = paths_missing,
};
