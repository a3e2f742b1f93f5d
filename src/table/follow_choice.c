// SPDX-License-Identifier: GPL-2.0-or-later
#include "table/follow_choice.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdarg.h>
#include "base/sanitize.h"
#include "model/target.h"
#include "table/filter.h"
#include "table/table_internal.h"
#include "diagnose/location_text.h"
#include "diagnose/driver.h"

/* Fields that can be compared; `has` = any of these bits, which a tracepoint needs for a value. */
static const struct {
	enum column_id column;
	uint16_t has;
} fields[] = {
	{ COL_DEVICE, HAS_DEVICE },
	{ COL_NETNS, HAS_DEVICE | HAS_NETNS },
	{ COL_POD, HAS_DEVICE | HAS_NETNS },
	{ COL_TARGET, HAS_TO_DEVICE | HAS_TO_CPU | HAS_MAP | HAS_TX_BACK },
	{ COL_TO_POD, HAS_TO_DEVICE },
	{ COL_PROGRAM, HAS_PROG },
	{ COL_PROG_ID, HAS_PROG },
	{ COL_MAP_ID, HAS_MAP },
	{ COL_ERROR, HAS_ERR | HAS_ACT },
};

#define N_FIELDS (sizeof(fields) / sizeof(fields[0]))

static size_t field_find(enum column_id column)
{
	size_t i = 0;

	while (i < N_FIELDS && fields[i].column != column)
		i++;
	return i;
}

static const char *tracepoint_name(const struct snapshot *s, uint32_t tp)
{
	return s ? snapshot_tracepoint(s, tp) : tracepoints[tp].name;
}

/* Whether series of a tracepoint may match. */
static bool term_fits(const struct filter_term *term, const struct snapshot *s, uint32_t tp)
{
	const char *name = tracepoint_name(s, tp);
	uint16_t has;
	size_t i;

	if (term->column != COL_TRACEPOINT) {
		i = field_find(term->column);
		has = i < N_FIELDS ? fields[i].has : 0;
		if (term->column == COL_TARGET && term->equals && !strncmp(term->text, "CPU ", 4))
			has = HAS_TO_CPU | HAS_MAP;
		return tracepoints[tp].has & has;
	}
	/* this version may not know it */
	if (!*name)
		return !s && tp >= TP_OTHER;
	return !term->equals || !fnmatch(term->text, name, FNM_CASEFOLD);
}

static bool filter_fits(const struct filter *f, const struct snapshot *s, uint32_t tp)
{
	struct filter_term term;
	bool fits = true;

	for (size_t i = 0; filter_term(f, i, &term); i++)
		fits = term.alternative ? fits || term_fits(&term, s, tp)
		       : fits           ? term_fits(&term, s, tp)
					: false;
	return fits;
}

static bool is_named(const struct filter_term *term, const struct snapshot *s)
{
	bool named = !s;

	for (uint32_t tp = 0; tp < TP_COUNT && !named; tp++)
		named = *tracepoint_name(s, tp) && term_fits(term, s, tp);
	return named;
}

static int term_check(const struct filter_term *term, const struct snapshot *s, bool word,
		      struct error *error)
{
	char shown[64];

	sanitize(shown, sizeof(shown), term->text, strlen(term->text));
	if (term->column == COL_TRACEPOINT && term->equals && !is_named(term, s))
		return error_set(error, -EINVAL, "'%s' is not a tracepoint; %s", shown,
				 word ? "give FIELD=VALUE" : "--list shows them");
	if (term->column != COL_TRACEPOINT && field_find(term->column) == N_FIELDS)
		return error_set(error, -EINVAL,
				 "%s is not a field of an event; these are: tracepoint, ifname, "
				 "netns, target, prog_name, prog_id, map_id, errname, pod, to_pod",
				 columns[term->column].name);
	return 0;
}

int follow_choice_parse(struct follow_choice *c, const char *expr, const struct snapshot *s,
			struct error *error)
{
	struct filter_term term;
	int err;

	*c = (struct follow_choice){ 0 };
	err = filter_parse(expr, &c->filter, error);
	for (size_t i = 0; !err && filter_term(c->filter, i, &term); i++) {
		bool word = term.column == COLUMN_COUNT;

		if (word)
			term.column = COL_TRACEPOINT;
		err = term_check(&term, s, word, error);
	}
	filter_compare_words(c->filter, COL_TRACEPOINT);
	for (uint32_t tp = 0; tp < TP_COUNT && !err; tp++) {
		if (tp == TP_VERDICTS || tp == TP_FOLLOW || (s && !*tracepoint_name(s, tp)))
			continue;
		if (filter_fits(c->filter, s, tp))
			c->tracepoints |= BIT(tp);
	}
	if (!err && !c->tracepoints)
		err = error_set(error, -EINVAL,
				"no tracepoint has all of these fields; leave out a field or the "
				"tracepoint");
	if (err)
		follow_choice_free(c);
	else
		snprintf(c->text, sizeof(c->text), "%s", expr);
	return err;
}

void follow_choice_free(struct follow_choice *c)
{
	filter_free(c->filter);
	free(c->id);
	*c = (struct follow_choice){ 0 };
}

/* A snapshot with a single series, as a table with a single row. */
struct single {
	struct snapshot snapshot;
	struct rates rates;
	struct table table;
	struct row row;
	size_t series_idx;
};

static const struct view of_series = { .rows = &rows_series };

static void single_init(struct single *one, const struct snapshot *s, struct netns_names *names)
{
	one->snapshot = *s;
	one->snapshot.n_series = 1;
	one->rates = (struct rates){ .to = &one->snapshot };
	one->series_idx = 0;
	one->row = (struct row){ .cpu = -1, .n_series = 1 };
	one->table = (struct table){
		.options = { .view = &of_series, .netns = names },
		.rates = &one->rates,
		.row = &one->row,
		.n_rows = 1,
		.series_idx = &one->series_idx,
		.n_series = 1,
	};
}

static bool wants(const struct follow_choice *c, struct single *one, struct series *s)
{
	if (!(c->tracepoints & BIT(s->tracepoint)))
		return false;
	if (c->view)
		return row_id(c->view, s) == c->row;
	one->snapshot.series = s;
	one->row.tracepoint = (int)s->tracepoint;
	one->row.netns = s->key.netns;
	one->row.ifindex = s->key.ifindex;
	one->row.prog_id = s->key.prog_id;
	return filter_match(c->filter, &one->table, 0);
}

struct follow_filter follow_choice_series(struct follow_choice *c, const struct snapshot *s,
					  struct netns_names *names)
{
	struct single one;

	single_init(&one, s, names);
	c->n = 0;
	array_reserve(c->id, c->cap, s->n_series);
	for (size_t i = 0; i < s->n_series; i++)
		if (wants(c, &one, &s->series[i]))
			c->id[c->n++] = s->series[i].id;
	return (struct follow_filter){ c->tracepoints, c->id, c->n };
}

static int by_id(const void *key, const void *element)
{
	uint64_t a = *(const uint64_t *)key, b = *(const uint64_t *)element;

	return (a > b) - (a < b);
}

/* If the table is full, and in a recording, an event has no series, only its own fields. */
static bool is_wanted(const struct follow_choice *c, struct single *one, const struct followed *e)
{
	struct series s = event_series(&e->event);

	if (e->kind == FOLLOWED_LOST)
		return c->tracepoints & BIT(e->event.tracepoint);
	return (e->series && bsearch(&e->series, c->id, c->n, sizeof(*c->id), by_id)) ||
	       wants(c, one, &s);
}

/* All series share the rings, so programs count the losses of each series. */
static void subtract_others(struct follow_choice *c, struct followed *e)
{
	uint64_t *others = &c->others[e->event.tracepoint], n = e->event.left_out;

	n = n < *others ? n : *others;
	*others -= n;
	e->event.left_out -= n;
}

void follow_choice_keep(struct follow_choice *c, struct snapshot *s, struct netns_names *names)
{
	struct single one;
	size_t n = 0;

	single_init(&one, s, names);
	for (size_t i = 0; i < s->n_series; i++) {
		const struct series *series = &s->series[i];

		if (series->follow_lost &&
		    !bsearch(&series->id, c->id, c->n, sizeof(*c->id), by_id))
			c->others[series->tracepoint] += series->follow_lost;
	}
	for (size_t i = 0; i < s->n_followed; i++) {
		struct followed *e = &s->followed[i];

		subtract_others(c, e);
		/* events lost before an unwanted one may have been wanted */
		if (!is_wanted(c, &one, e)) {
			if (!e->event.left_out)
				continue;
			e->kind = FOLLOWED_LOST;
		}
		if (e->kind == FOLLOWED_EVENT || (e->event.left_out && is_wanted(c, &one, e)))
			s->followed[n++] = *e;
	}
	s->n_followed = n;
}

static int __attribute__((format(printf, 2, 3)))
refuse(struct follow_choice *c, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(c->text, sizeof(c->text), format, ap);
	va_end(ap);
	return -ENOENT;
}

/* The tracepoints of a set that this kernel has, without the rows of verdicts and follow. */
static uint32_t tracepoints_had(const struct snapshot *s, uint32_t set)
{
	for (uint32_t tp = 0; tp < TP_COUNT; tp++)
		if (s->tp[tp].state == TP_MISSING || !*s->tp[tp].name)
			set &= ~BIT(tp);
	return set & ~(BIT(TP_VERDICTS) | BIT(TP_FOLLOW));
}

static uint32_t tracepoints_on(const struct snapshot *s, uint32_t set)
{
	for (uint32_t tp = 0; tp < TP_COUNT; tp++)
		if (s->tp[tp].state != TP_ON)
			set &= ~BIT(tp);
	return set;
}

static int set_tracepoints(const struct table *t, struct follow_choice *c, uint32_t set)
{
	const struct snapshot *s = t->rates->to;
	uint32_t had = tracepoints_had(s, set), tp = 0;

	/* if some are on, the others are off because they fire for every packet: leave those out */
	c->tracepoints = tracepoints_on(s, had) ?: had;
	if (c->tracepoints)
		return 0;
	while (tp < TP_COUNT && !(set & BIT(tp) && *snapshot_tracepoint(s, tp)))
		tp++;
	if (tp == TP_COUNT || tp == TP_VERDICTS || tp == TP_FOLLOW)
		return refuse(c, "no tracepoint has events of this row");
	return refuse(c, "%s is %s%s%s: it has no events to follow", snapshot_tracepoint(s, tp),
		      tp_state_name(s->tp[tp].state), *s->tp[tp].reason ? ": " : "",
		      s->tp[tp].reason);
}

/* "xdp_redirect_err on eth0 (blue) to lan0: EOPNOTSUPP" */
static void name_series(struct format_text *to, const struct table *t, uint32_t group,
			const struct series *s, bool several)
{
	const uint16_t has = tracepoints[s->tracepoint].has;
	char text[SNAPSHOT_TEXT_LEN], number[24];
	struct location l;

	location_set(&l, s, t->rates->to);
	snprintf(text, sizeof(text), "%s", l.dev.name);
	if (l.dev.ifindex)
		location_text("{dev}", &l, t->options.netns, text, sizeof(text));
	if (group & GROUP_DEVICE && *text)
		format_add(to, "%s%s", several ? "" : " on ", text);
	else if (group & GROUP_DEVICE &&
		 netns_text(l.dev.netns, t->options.netns, text, sizeof(text)))
		format_add(to, " in %s", text);
	if (group & GROUP_TARGET &&
	    series_target_text(t->rates->to, s, t->options.netns, text, sizeof(text)))
		format_add(to, "%s%s", to->len ? " to " : "", text);
	if (!(group & GROUP_CODE) || !(has & (HAS_ACT | HAS_ERR)))
		return;
	snprintf(number, sizeof(number), "errno %d", -s->key.code);
	if (has & HAS_ACT)
		format_add(to, ": %s", act_name(s->key.code, number, sizeof(number)));
	else
		format_add(to, ": %s", !s->key.code ? "no errno" : errno_name(s->key.code) ?: number);
}

/* " without xdp_redirect (off)" */
static void name_left_out(struct format_text *to, const struct table *t, uint32_t followed)
{
	const struct snapshot *s = t->rates->to;
	uint32_t had = tracepoints_had(s, view_tracepoints(t->options.view));
	uint32_t off = had & ~tracepoints_on(s, had);
	const char *before = " without ";

	for (uint32_t tp = 0; tp < TP_COUNT && !(off & followed); tp++) {
		if (!(off & BIT(tp)))
			continue;
		format_add(to, "%s%s (%s)", before, s->tp[tp].name, tp_state_name(s->tp[tp].state));
		before = ", ";
	}
}

/* A device, or a program whose name is only in a cell. */
static void name_location(struct format_text *to, const struct table *t, const struct row *row)
{
	char text[SNAPSHOT_TEXT_LEN];
	struct location l;
	struct cell cell;

	row_locate(t, row, &l);
	table_cell(t, (size_t)(row - t->row), COL_PROGRAM, &cell);
	/* "id 42" is not a name */
	if (cell.state == CELL_VALUE && !strchr(cell.text, ' '))
		snprintf(l.prog_name, sizeof(l.prog_name), "%.*s", (int)sizeof(l.prog_name) - 1,
			 cell.text);
	location_text(l.dev.ifindex ? "{dev}" : "{prog}", &l, t->options.netns, text, sizeof(text));
	format_add(to, "%s%s", to->len ? " on " : "", text);
}

/* Follows an event with its series or, if it has a text but no device, with its tracepoint. */
static int follow_event(const struct table *t, const struct event *e, struct follow_choice *c)
{
	static const struct view series = { .group = GROUP_TRACEPOINT | GROUP_DEVICE |
						     GROUP_TARGET | GROUP_PROG | GROUP_CODE },
				 tracepoint = { .group = GROUP_TRACEPOINT };
	const struct series s = event_series(e);

	c->view =
		s.key.netns || !(tracepoints[e->tracepoint].has & HAS_TEXT) ? &series : &tracepoint;
	c->row = row_id(c->view, &s);
	return set_tracepoints(t, c, BIT(e->tracepoint));
}

/* What a row without series is about. */
static int follow_location(const struct table *t, const struct row *row, struct follow_choice *c)
{
	struct location l;

	if (row->more || !row_locate(t, row, &l) || (!l.dev.ifindex && !l.prog_id))
		return refuse(c, "this row has no events; rows of a device or a program have");
	c->view = l.dev.ifindex ? &views[VIEW_DEVICES] : &views[VIEW_PROGRAMS];
	c->row = l.dev.ifindex ? row_id_device(l.dev.netns, l.dev.ifindex)
			       : row_id_program(l.prog_id);
	return set_tracepoints(t, c, view_tracepoints(c->view));
}

static int follow_group(const struct table *t, const struct row *row, struct follow_choice *c)
{
	const struct view *view = t->options.view;
	const bool one = view->group & GROUP_TRACEPOINT;

	if (row->n_series && row_series(t, row, 0)->overflow)
		return refuse(c,
			      "the table of series was full: nothing distinguishes these events");
	c->view = view;
	c->row = row->parent ? row->parent : row->id;
	return set_tracepoints(t, c, one ? BIT(row->tracepoint) : view_tracepoints(view));
}

int follow_choice_row(struct follow_choice *c, const struct table *t, const struct row *row)
{
	const struct view *view = t->options.view;
	const struct event *e = row->more ? NULL : table_event(t, row);
	struct format_text text = { .buf = c->text, .size = sizeof(c->text) };
	struct series of_event;
	bool several, group = !row->more && !view->rows->list && view->group;
	int err;

	*c = (struct follow_choice){ 0 };
	if (e && e->change)
		e = NULL;
	err = e       ? follow_event(t, e, c)
	      : group ? follow_group(t, row, c)
		      : follow_location(t, row, c);
	if (err)
		return err;
	several = c->tracepoints & (c->tracepoints - 1);
	for (uint32_t tp = 0; tp < TP_COUNT && !several; tp++)
		if (c->tracepoints & BIT(tp))
			format_add(&text, "%s", snapshot_tracepoint(t->rates->to, tp));
	if (e) {
		of_event = event_series(e);
		name_series(&text, t, GROUP_DEVICE | GROUP_TARGET | GROUP_CODE, &of_event, several);
	} else if (view->rows->locate)
		name_location(&text, t, row);
	else if (view->group != GROUP_TRACEPOINT)
		name_series(&text, t, view->group, table_series(t, row), several);
	if (!e && !(c->view->group & GROUP_TRACEPOINT))
		name_left_out(&text, t, c->tracepoints);
	return 0;
}
