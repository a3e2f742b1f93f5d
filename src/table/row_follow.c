// SPDX-License-Identifier: GPL-2.0-or-later
#include "table/row_follow.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "diagnose/driver.h"
#include "diagnose/location_text.h"
#include "model/kernel_names.h"
#include "model/target.h"

/* Fields that an event must have: mask and values of a key. */
struct identity {
	struct series_key is, mask;
};

#define TAKE(id, key, field) ((id)->is.field = (key)->field, (id)->mask.field = ~0)

static int __attribute__((format(printf, 2, 3)))
refuse(struct follow_filter *f, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(f->text, sizeof(f->text), format, ap);
	va_end(ap);
	return -ENOENT;
}

static int identity_choose(struct follow_filter *f, const struct identity *id)
{
	struct follow_choice c = { 0 };

	memcpy(c.value, &id->is, sizeof(id->is));
	memcpy(c.mask, &id->mask, sizeof(id->mask));
	for (uint32_t i = 0; i < f->choices.n; i++)
		if (!memcmp(&f->choices.choice[i], &c, sizeof(c)))
			return 0;
	if (f->choices.n == FOLLOW_CHOICES)
		return refuse(f, "this row combines too many series to be followed");
	f->choices.choice[f->choices.n++] = c;
	return 0;
}

/* Adds a choice for each of several map types. */
static int choose_types(struct follow_filter *f, struct identity id, const uint32_t *type, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		id.is.map_type = type[i];
		id.mask.map_type = ~0u;
		err = identity_choose(f, &id);
	}
	return err;
}

/* Tracepoints that can have a target of this kind. */
static uint32_t tracepoints_to(enum target_kind kind)
{
	switch (kind) {
	case TARGET_DEVICE:
		return tracepoints_with(HAS_TO_DEVICE);
	case TARGET_CPU:
		return tracepoints_with(HAS_MAP);
	case TARGET_BACK:
		return tracepoints_with(HAS_TX_BACK);
	default:
		return tracepoints_with(HAS_TO_DEVICE | HAS_MAP);
	}
}

/* Distinguishes targets as target_of() does. */
static int choose_target(struct follow_filter *f, const struct series *s, struct identity *id)
{
	/* without a namespace the target is a device only in these maps */
	static const uint32_t to_device[] = { SERIES_MAP_NONE, SERIES_MAP_DEVMAP,
					      SERIES_MAP_DEVMAP_HASH, SERIES_MAP_SOME_DEVMAP };
	const struct series_key *k = &s->key;
	struct target target = target_of(s);

	f->tracepoints &= tracepoints_to(target.kind) | BIT(s->tracepoint);
	if (target.kind == TARGET_BACK)
		return identity_choose(f, id);
	TAKE(id, k, to_netns);
	/* target is 0 in a row of all indices of a map of unknown type */
	if (target.kind == TARGET_NONE || target.index == k->target)
		TAKE(id, k, target);
	if (target.kind == TARGET_DEVICE && k->to_netns)
		return identity_choose(f, id);
	if (target.kind == TARGET_DEVICE)
		return choose_types(f, *id, to_device, 4);
	TAKE(id, k, map_id); /* a map has a single type */
	return identity_choose(f, id);
}

/* The identity that a group of series shares. */
static int choose_group(struct follow_filter *f, uint32_t group, const struct series *s)
{
	const uint32_t with_device = tracepoints_with(HAS_DEVICE);
	const struct series_key *k = &s->key;
	struct identity id = { 0 };

	if (group & GROUP_DEVICE) {
		f->tracepoints &= BIT(s->tracepoint) & with_device ? with_device : ~with_device;
		TAKE(&id, k, netns);
		TAKE(&id, k, ifindex);
	}
	/*
	 * the classic backend knows some devices by name only, and keeps a hash of it in these
	 * fields
	 */
	if (group & GROUP_DEVICE && !k->ifindex && *s->ifname) {
		TAKE(&id, k, map_id);
		TAKE(&id, k, code);
	}
	if (group & GROUP_PROG && tracepoints[s->tracepoint].has & HAS_PROG)
		TAKE(&id, k, prog_id);
	if (group & GROUP_CODE)
		TAKE(&id, k, code);
	return group & GROUP_TARGET ? choose_target(f, s, &id) : identity_choose(f, &id);
}

/*
 * The row of a device counts packets that it received and packets that it was given to send. A
 * received packet is sent by another device, and is in that row: xdp_devmap_xmit has a target, no
 * map.
 */
static int choose_device(struct follow_filter *f, uint32_t netns, uint32_t ifindex)
{
	const struct series_key from = { .netns = netns, .ifindex = ifindex },
				to = { .to_netns = netns, .target = ifindex };
	const uint32_t sent = tracepoints_with(HAS_TO_DEVICE) & tracepoints_at(BIT(STAGE_SENT));
	struct identity id = { 0 };
	int err = 0;

	if (f->tracepoints & sent) {
		TAKE(&id, &to, to_netns);
		TAKE(&id, &to, target);
		TAKE(&id, &to, prog_id); /* only redirects have a program */
		err = identity_choose(f, &id);
	}
	if (err || !(f->tracepoints & ~sent))
		return err;
	id = (struct identity){ 0 };
	TAKE(&id, &from, netns);
	TAKE(&id, &from, ifindex);
	if (!(f->tracepoints & sent))
		return identity_choose(f, &id);
	/* each type of map with targets has exactly one of these bits */
	for (uint32_t bit = 0x10; bit >= 0x8 && !err; bit >>= 1) {
		id.is.map_type = id.mask.map_type = bit;
		err = identity_choose(f, &id);
	}
	id.is.map_type = id.mask.map_type = 0;
	id.is.map_id = id.mask.map_id = SERIES_MAP_ID_IFINDEX;
	err = err ?: identity_choose(f, &id);
	id.is.map_id = id.mask.map_id = 0;
	TAKE(&id, &from, to_netns);
	TAKE(&id, &from, target);
	return err ?: identity_choose(f, &id);
}

/* Events with a text: fields that are known; 0 = unknown. */
static int choose_event(struct follow_filter *f, const struct series *s)
{
	struct identity id = { 0 };

	if (!(tracepoints[s->tracepoint].has & HAS_TEXT))
		return choose_group(f, GROUP_DEVICE | GROUP_TARGET | GROUP_PROG | GROUP_CODE, s);
	if (s->key.netns)
		TAKE(&id, &s->key, netns);
	if (s->key.ifindex)
		TAKE(&id, &s->key, ifindex);
	return s->key.netns || s->key.ifindex ? identity_choose(f, &id) : 0;
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

/*
 * Tracepoints can be followed without counting them. But a tracepoint that is off while others are
 * on fires for every packet. Following it as well would soon exceed the budget, and then nothing is
 * listed.
 */
static int set_tracepoints(const struct table *t, struct follow_filter *f, uint32_t set)
{
	const struct snapshot *s = t->rates->to;
	uint32_t had = tracepoints_had(s, set), on = tracepoints_on(s, had), tp = 0;

	f->tracepoints = on ?: had;
	if (f->tracepoints)
		return 0;
	while (tp < TP_COUNT && !(set & BIT(tp) && *snapshot_tracepoint(s, tp)))
		tp++;
	if (tp == TP_COUNT || tp == TP_VERDICTS || tp == TP_FOLLOW)
		return refuse(f, "no tracepoint has events of this row");
	return refuse(f, "%s is %s%s%s: it has no events to follow", snapshot_tracepoint(s, tp),
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

/* A row of series: its tracepoints, and the identity that its series share. */
static int follow_group(const struct table *t, const struct row *row, struct follow_filter *f)
{
	const struct view *view = t->options.view;
	const bool one = view->group & GROUP_TRACEPOINT;
	int err = set_tracepoints(t, f, one ? BIT(row->tracepoint) : view_tracepoints(view));

	if (err || view->group == GROUP_TRACEPOINT)
		return err;
	if (row->n_series && row_series(t, row, 0)->overflow)
		return refuse(f,
			      "the table of series was full: nothing distinguishes these events");
	if (view->rows == &rows_devices)
		return choose_device(f, row->netns, row->ifindex);
	if (view->rows == &rows_programs) {
		const struct series_key key = { .prog_id = row->prog_id };
		struct identity id = { 0 };

		TAKE(&id, &key, prog_id);
		return identity_choose(f, &id);
	}
	for (size_t i = 0; i < row->n_series && !err; i++)
		err = choose_group(f, view->group, row_series(t, row, i));
	return err;
}

int row_follow(const struct table *t, const struct row *row, struct follow_filter *f)
{
	const struct view *view = t->options.view;
	const struct event *e = row->more ? NULL : table_event(t, row);
	struct format_text text = { .buf = f->text, .size = sizeof(f->text) };
	uint32_t group = view->group;
	struct series of_event;
	bool several;
	int err;

	*f = (struct follow_filter){ 0 };
	if (row->more || (view->rows->list && !e))
		return refuse(f, "this row counts no events; rows of flows, errors, devices, "
				 "programs, cpumap, stack and events do");
	if (e)
		of_event = event_series(e);
	err = e ? set_tracepoints(t, f, BIT(e->tracepoint)) ?: choose_event(f, &of_event)
		: follow_group(t, row, f);
	if (err)
		return err;
	several = f->tracepoints & (f->tracepoints - 1);
	for (uint32_t tp = 0; tp < TP_COUNT && !several; tp++)
		if (f->tracepoints & BIT(tp))
			format_add(&text, "%s", snapshot_tracepoint(t->rates->to, tp));
	if (e)
		name_series(&text, t, GROUP_DEVICE | GROUP_TARGET | GROUP_CODE, &of_event, several);
	else if (view->rows->locate)
		name_location(&text, t, row);
	else if (group != GROUP_TRACEPOINT)
		name_series(&text, t, group, table_series(t, row), several);
	if (!e && !(group & GROUP_TRACEPOINT))
		name_left_out(&text, t, f->tracepoints);
	return 0;
}
