// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include "diagnose/location_text.h"
#include "model/target.h"
#include "table/follow_choice.h"
#include "diagnose/driver.h"
#include "table/table_internal.h"

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

	/* what is off while others are on fires for every packet */
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
	struct id_span id;

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
	    series_target_text(t->rates->to, s, t->options.netns, text, sizeof(text), &id))
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

/* A device, or a program whose name only a cell has. */
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

/* An event is followed with the others of its series. A text need not name a device. */
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
