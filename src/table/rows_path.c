// SPDX-License-Identifier: GPL-2.0-or-later
/* Devices with XDP and what happens to their packets. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include "diagnose/device_path.h"
#include "diagnose/findings.h"
#include "diagnose/location_text.h"
#include "diagnose/no_data.h"
#include "table/row_kind.h"
#include "table/table_internal.h"
#include "table/value.h"

/* A filter can name devices without XDP. A program that is gone can have lost packets before. */
static bool is_shown(const struct table *t, const struct device_path *p)
{
	return device_path_has_xdp(p) || p->count[PATH_LOST].per_s > 0 ||
	       (t->options.filter && p->dev && !p->dev->gone);
}

/* No cpumap knows the device that its packets came from. */
static double cpumap_lost(const struct rates *r)
{
	double lost = 0;

	for (size_t i = 0; r->delta && i < r->to->n_series; i++) {
		uint32_t tp = r->to->series[i].tracepoint;

		if (tp == TP_XDP_CPUMAP_ENQUEUE || tp == TP_XDP_CPUMAP_KTHREAD)
			lost += per_second((double)r->delta[i].drops, r->tp_seconds[tp]);
	}
	return lost;
}

static int add_paths(struct table *t)
{
	size_t kept = 0;
	int err = table_add_devices(t, t->options.filter) ?: table_add_senders(t);

	if (!err && array_reserve(t->path, t->cap_paths, t->n_rows))
		err = -ENOMEM;
	if (err)
		return err;
	for (size_t i = 0; i < t->n_rows; i++) {
		struct device_path *p = &t->path[t->n_paths];

		if (rates_cancelled(t->rates))
			return -ECANCELED;
		device_path_set(p, t->rates, t->row[i].netns, t->row[i].ifindex);
		if (!is_shown(t, p))
			continue;
		for (int k = 0; k < PATH_STAGES; k++)
			t->counted_stages |= p->count[k].source ? BIT(k) : 0;
		t->row[kept] = t->row[i];
		t->row[kept++].path = ++t->n_paths;
	}
	t->n_rows = kept;
	t->cpumap_lost_per_s = cpumap_lost(t->rates);
	return 0;
}

static enum cell_state count_cell(const struct table *t, const struct path_count *c,
				  struct cell *cell)
{
	if (!c->source)
		return CELL_NONE;
	if (table_basis(t) == BASIS_BASELINE)
		return cell_set_count(cell, c->since);
	if (!c->now)
		return CELL_NOT_YET;
	if (cell->column->lost && c->per_s > 0)
		cell->tone = TONE_LOST;
	if (t->options.unit == UNIT_PER_SECOND)
		return cell_set_real(cell, CELL_RATE, c->per_s);
	return cell_set_count(cell, (uint64_t)llround(c->per_s * t->rates->seconds));
}

/* The worst finding at the row that is more than information; NULL = none. */
static const struct finding *worst_finding(const struct table *t, const struct row *row)
{
	const struct findings *f = t->options.findings;

	for (size_t i = 0; f && i < f->n_active; i++)
		if (f->finding[i].severity > FINDING_INFO && finding_is_at_row(&f->finding[i], row))
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
		location_target_text(&f->location, t->options.netns, to, sizeof(to), &cell->id);
	cell->id = (struct id_span){ 0 };
	cell->tone = f->severity == FINDING_CRITICAL ? TONE_LOST : TONE_WARN;
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
		[PATH_LOSES] = TONE_LOST,
		[PATH_LOSES_BEFORE] = TONE_LOST,
		[PATH_LOSES_NOTHING] = TONE_GOOD,
	};
	const struct finding *f = worst_finding(t, row);
	enum path_result result = device_path_result(p);
	char rate[16];

	if (f && result != PATH_NO_XDP)
		return finding_result(t, row, f, cell);
	if (result == PATH_NOT_YET)
		return CELL_NOT_YET;
	if (result == PATH_LOSES_NOTHING && t->cpumap_lost_per_s > 0 && device_path_redirects(p)) {
		format_rate(rate, sizeof(rate), t->cpumap_lost_per_s, NUMBER_SI);
		cell->tone = TONE_LOST;
		return cell_set_text(cell, "%s/s lost in a cpumap", rate);
	}
	if (result < sizeof(tones) / sizeof(tones[0]))
		cell->tone = tones[result];
	device_path_text(p, cell->text, sizeof(cell->text));
	return CELL_VALUE;
}

static enum cell_state path_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const enum column_id column = (enum column_id)(cell->column - columns);
	const struct device_path *p = row->path && row->cpu < 0 ? &t->path[row->path - 1] : NULL;

	if (p && column >= COL_PATH_IN && column <= COL_PATH_REDIRECT)
		return count_cell(t, &p->count[column - COL_PATH_IN], cell);
	if (p && column == COL_LOST_RATE)
		return count_cell(t, &p->count[PATH_LOST], cell);
	/* of table_add_senders() */
	if (column == COL_DEVICE && p && !p->dev && row->n_series == 1 &&
	    row_series(t, row, 0)->key.ifindex == row->ifindex)
		return cell_of_series(t, row, cell);
	if (column == COL_RESULT)
		return p ? result_cell(t, row, p, cell) : CELL_NONE;
	return cell_of_device(t, row, cell);
}

/* Sums over the rows. */
struct summary {
	size_t devices, unlisted, in_unknown, drops_uncounted, losses_uncounted, not_yet;
	double in, dropped, lost, before, worst;
	const struct row *worst_row;
	bool verdicts_off, redirects;
};

static void summary_add(struct summary *s, const struct device_path *p, const struct row *row)
{
	const struct path_count *in = &p->count[PATH_IN], *lost = &p->count[PATH_LOST];

	s->lost += lost->per_s;
	if (lost->per_s > s->worst) {
		s->worst = lost->per_s;
		s->worst_row = row;
	}
	if (!device_path_has_xdp(p))
		return;
	s->devices++;
	s->unlisted += !p->dev;
	s->in += in->per_s;
	s->in_unknown += !in->now;
	s->dropped += p->count[PATH_DROP].per_s;
	s->before += p->before.per_s;
	s->drops_uncounted += !!p->drops.says;
	s->losses_uncounted += !p->drops.says && p->losses.says;
	s->not_yet += device_path_result(p) == PATH_NOT_YET;
	s->verdicts_off = s->verdicts_off || p->verdicts == PROGRAM_VERDICTS_UNKNOWN;
	s->redirects = s->redirects || device_path_redirects(p);
}

/* "4.1k/s dropped by programs" */
static void add_rate(struct format_text *to, double rate, const char *says)
{
	char text[16];

	format_rate(text, sizeof(text), rate, NUMBER_SI);
	format_add(to, ", %s/s %s", text, says);
}

/* How detailed a summary is, most detailed first. */
enum words { WORDS_ALL, WORDS_BRIEF, WORDS_LEAST, WORDS };

static void say_worst(const struct table *t, const struct summary *s, struct format_text *to)
{
	struct cell cell;

	if (s->redirects && t->cpumap_lost_per_s > s->worst) {
		format_add(to, ": worst a cpumap");
	} else if (s->worst_row) {
		table_cell(t, (size_t)(s->worst_row - t->row), COL_DEVICE, &cell);
		format_add(to, ": worst %s", cell.text);
	}
}

/* Says that nothing is lost only if all is counted. */
static void say_lost(const struct table *t, const struct summary *s, enum words words,
		     struct format_text *to)
{
	double lost = s->lost + (s->redirects ? t->cpumap_lost_per_s : 0);

	if (lost > 0)
		add_rate(to, lost, "lost");
	if (lost > 0 && words < WORDS_LEAST)
		say_worst(t, s, to);
	if (s->before > 0)
		add_rate(to, s->before, words ? "before XDP" : "lost before XDP");
	if (lost > 0 && words)
		return;
	if (s->drops_uncounted)
		format_add(to, "%s drops not counted on %zu%s", lost > 0 ? ";" : ",",
			   s->drops_uncounted, s->verdicts_off ? " (--verdicts)" : "");
	else if (lost > 0)
		return;
	else if (s->losses_uncounted)
		format_add(to, ", losses not counted on %zu", s->losses_uncounted);
	else if (s->not_yet)
		format_add(to, ", drivers not read yet");
	else
		format_add(to, ", nothing lost%s", s->before > 0 ? " by XDP" : "");
}

/* Of which devices xdptop knows whether they have XDP. */
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
	if (!s->devices) {
		if (s->lost > 0)
			say_lost(t, s, words, to);
		return;
	}
	format_add(to, ": ");
	if (!t->rates->from) {
		format_add(to, "the first interval is not over yet");
		return;
	}
	format_rate(rate, sizeof(rate), s->in, NUMBER_SI);
	if (s->in_unknown == s->devices && words == WORDS_LEAST && s->lost > 0)
		format_add(to, "in not counted");
	else if (s->in_unknown == s->devices)
		format_add(to, "incoming packets are not counted");
	else
		format_add(to, "%s%s/s in", s->in_unknown ? "at least " : "", rate);
	if (s->dropped > 0)
		add_rate(to, s->dropped, words ? "dropped" : "dropped by programs");
	say_lost(t, s, words, to);
}

static void path_summary(const struct table *t, int width, char *buf, size_t size)
{
	struct summary s = { 0 };

	for (size_t i = 0; i < t->n_rows; i++)
		if (!t->row[i].block && t->row[i].path && t->row[i].cpu < 0)
			summary_add(&s, &t->path[t->row[i].path - 1], &t->row[i]);
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
