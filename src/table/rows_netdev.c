// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Devices and programs: groups of series, and rows of attached devices and programs without series.
 * Netlink knows more about them than the series do.
 */
#include <stdio.h>
#include <strings.h>
#include "diagnose/findings.h"
#include "model/target.h"
#include "table/filter.h"
#include "table/table_internal.h"

static const struct netdev *device_of(const struct table *t, const struct row *row)
{
	return snapshot_find_netdev(t->rates->to, row->netns, row->ifindex);
}

static uint32_t hash_id(uint64_t id)
{
	return (uint32_t)hash_add(hash_seed(), id);
}

/* Append the rows of series, and index them for add_attached(). */
static void add_series(struct table *t, bool (*keep)(const struct table *t, const struct row *row))
{
	struct hash_index *index = &t->scratch->index;

	table_add_series(t, keep);
	hash_index_clear(index);
	for (size_t i = 0; i < t->n_rows; i++)
		hash_index_add(index, hash_id(t->row[i].id), i);
}

/* Append a row for an attached device or program, unless it already has one. */
static void add_attached(struct table *t, struct row row)
{
	struct hash_index *index = &t->scratch->index;
	uint32_t hash = hash_id(row.id);

	if (hash_index_find(index, hash, i, t->row[i].id == row.id) != HASH_INDEX_NONE)
		return;
	hash_index_add(index, hash, t->n_rows);
	row.tracepoint = row.cpu = -1;
	row.series_idx = t->n_series;
	row.tp_counts = t->n_tp_counts;
	*array_append(t->row, t->n_rows, t->cap_rows) = row;
}

/* Rows without series come after rows with series, whose order is a series id. */
#define ORDER_ATTACHED ((uint64_t)UINT32_MAX)

static bool is_attached_device(const struct netdev *d)
{
	return d && !d->gone && d->mode != NETDEV_NONE;
}

static bool device_is_attached(const struct table *t, const struct row *row)
{
	return is_attached_device(device_of(t, row));
}

void table_add_senders(struct table *t)
{
	const struct snapshot *s = t->rates->to;

	for (size_t i = 0; i < s->n_series; i++) {
		const struct series_key *k = &s->series[i].key;
		size_t before = t->n_rows;

		if (s->series[i].tracepoint != TP_XDP_DEVMAP_XMIT || s->series[i].overflow ||
		    !t->rates->since[i].events || snapshot_find_netdev(s, k->netns, k->ifindex))
			continue;
		add_attached(t, (struct row){ .id = row_id_device(k->netns, k->ifindex),
					      .netns = k->netns,
					      .ifindex = k->ifindex,
					      .order = s->series[i].id });
		if (t->n_rows == before)
			continue;
		/* for its name */
		t->row[before].n_series = 1;
		*array_append(t->series_idx, t->n_series, t->cap_series) = i;
	}
}

/* Devices with XDP, and devices that the filter names. */
void table_add_devices(struct table *t, bool all)
{
	const struct snapshot *s = t->rates->to;
	struct filter_term term;
	bool named = filter_device(t->options.filter, &term);

	add_series(t, device_is_attached);
	for (size_t i = 0; i < snapshot_n_netdevs(s); i++) {
		const struct netdev *d = &snapshot_netdevs(s)[i];

		if (is_attached_device(d) ||
		    (!d->gone && (all || (named && !strcasecmp(d->name, term.text)))))
			add_attached(t, (struct row){ .id = row_id_device(d->netns, d->ifindex),
						      .netns = d->netns,
						      .ifindex = d->ifindex,
						      .order = ORDER_ATTACHED + i });
	}
	table_add_verdicts(t);
}

static void add_devices(struct table *t)
{
	table_add_devices(t, false);
}

static bool program_is_attached(const struct table *t, const struct row *row)
{
	return row_walk_first(t->rates, t->rates->to, &netdevs_by_program, row->prog_id);
}

/* Parts of dispatchers are attached to no device, but have verdicts of their own. */
static void add_parts(struct table *t)
{
	size_t n;
	const struct program *p = programs(t->rates->to, &n);

	for (size_t i = 0; i < n; i++) {
		if (!p[i].part_of || !p[i].verdicts)
			continue;
		*array_append(t->row, t->n_rows, t->cap_rows) =
			(struct row){ .id = row_id_program(p[i].prog_id),
				      .prog_id = p[i].prog_id,
				      .tracepoint = -1,
				      .cpu = -1,
				      .series_idx = t->n_series,
				      .tp_counts = t->n_tp_counts,
				      .order = ORDER_ATTACHED + p[i].prog_id };
	}
}

static void add_programs(struct table *t)
{
	const struct snapshot *s = t->rates->to;

	add_series(t, program_is_attached);
	for (size_t i = 0; i < snapshot_n_netdevs(s); i++) {
		const uint32_t prog_id[] = { snapshot_netdevs(s)[i].prog_id,
					     snapshot_netdevs(s)[i].skb_prog_id };

		for (int k = 0; k < 2; k++)
			if (prog_id[k] && is_attached_device(&snapshot_netdevs(s)[i]))
				add_attached(t,
					     (struct row){ .id = row_id_program(prog_id[k]),
							   .prog_id = prog_id[k],
							   .order = ORDER_ATTACHED + prog_id[k] });
	}
	add_parts(t);
	table_add_verdicts(t);
}

/* "eth0", or "eth0 (blue)" if it is not in namespace `here`. */
static void device_text(const struct table *t, const char *name, uint32_t netns, uint32_t here,
			char *buf, size_t size)
{
	char ns[SNAPSHOT_NAME_LEN * 2];

	if (netns == here || !netns_text(netns, t->options.netns, ns, sizeof(ns)))
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, "%s (%s)", name, ns);
}

/* The current name, or the last that a series had. */
static enum cell_state name_cell(const struct table *t, const struct row *row,
				 const struct netdev *d, struct cell *cell)
{
	struct netdev_ref ref = { .name = "" };
	uint64_t youngest = 0;

	if (d)
		memcpy(ref.name, d->name, sizeof(ref.name));
	for (size_t i = 0; i < row->n_series && !(d && d->name[0]); i++) {
		const struct series *s = row_series(t, row, i);
		struct netdev_ref seen = series_netdev(s);

		if (s->id < youngest || !*seen.name)
			continue;
		youngest = s->id;
		ref = seen;
	}
	return cell_set_named(cell, ref.name, "ifindex", row->ifindex);
}

bool finding_is_at_row(const struct finding *f, const void *of)
{
	const struct netdev_ref *to = &f->location.to;
	const struct row *row = of;

	return row->ifindex && (finding_is_from(f, row->netns, row->ifindex) ||
				(to->netns == row->netns && to->ifindex == row->ifindex));
}

static enum cell_state other_cell(const struct table *t, const struct netdev *d, uint32_t netns,
				  uint32_t ifindex, struct cell *cell)
{
	const struct netdev *other = snapshot_find_netdev(t->rates->to, netns, ifindex);

	if (!ifindex)
		return CELL_NONE;
	if (!other)
		return cell_set_text(cell, "ifindex %u", ifindex);
	device_text(t, other->name, netns, d->netns, cell->text, sizeof(cell->text));
	return CELL_VALUE;
}

/* How fast a counter of the device grows. */
static enum cell_state count_cell(const struct table *t, const struct row *row,
				  const struct netdev *d, enum netdev_count which,
				  struct cell *cell)
{
	const struct rates *r = t->rates;
	const struct netdev *before =
		r->from ? snapshot_find_netdev(r->from, row->netns, row->ifindex) : NULL;
	double rate;
	uint64_t n;

	if (row->cpu >= 0)
		return CELL_NONE;
	/* not read in a namespace that was not entered */
	if (!netdev_count(d, which, &n))
		return CELL_MISSING;
	if (!before)
		return CELL_NOT_YET;
	if (!netdev_grew(before, d, which, &n))
		return CELL_NONE;
	cell->age = rates_count_age(r, d, which);
	rate = per_second((double)n, r->seconds);
	if (which >= NETDEV_DRIVER_COUNT && !netdev_per_s(d, which, &rate))
		return CELL_NOT_YET;
	if (n || rate > 0)
		cell->tone = TONE_LOST;
	return cell_set_real(cell, CELL_RATE, rate);
}

enum cell_state cell_of_device(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct netdev *d = device_of(t, row);
	/* attached now; series may have an earlier program */
	uint32_t prog_id = d ? netdev_program(d) : 0;
	enum cell_state state;
	char text[NETDEV_FEATURES_LEN];

	switch (cell->column - columns) {
	case COL_DEVICE:
		state = name_cell(t, row, d, cell);
		return state == CELL_NONE ? CELL_MISSING : state;
	case COL_NETNS:
		state = cell_set_netns(t, row->netns, cell);
		return state == CELL_NONE ? CELL_MISSING : state;
	case COL_WARNING:
		return cell_add_findings(t, cell, finding_is_at_row, row);
	case COL_PROGRAM:
		return prog_id ? cell_set_named(cell, d->prog_name, "id", prog_id)
			       : cell_of_series(t, row, cell);
	case COL_PROG_ID:
		return prog_id ? cell_set_text(cell, "%u", prog_id) : cell_of_series(t, row, cell);
	/* n/a: its namespace could not be entered */
	case COL_MODE:
		return d ? cell_set_text(cell, "%s", netdev_mode_name(d->mode)) : CELL_MISSING;
	case COL_LINK:
		return d ? cell_set_text(cell, "%s", netdev_state_name(d)) : CELL_MISSING;
	case COL_MTU:
		if (row->cpu >= 0)
			return CELL_NONE;
		return d ? cell_set_count(cell, d->mtu) : CELL_MISSING;
	case COL_RX_MISSED_RATE:
		return count_cell(t, row, d, netdev_missed(d), cell);
	case COL_HW_DROP_RATE:
		return count_cell(t, row, d, NETDEV_RX_DROPPED, cell);
	case COL_PEER:
		if (!d)
			return CELL_MISSING;
		return d->peer_ifindex ? other_cell(t, d, d->peer_netns, d->peer_ifindex, cell)
				       : other_cell(t, d, d->netns, d->lower_ifindex, cell);
	case COL_MASTER:
		return d ? other_cell(t, d, d->netns, d->master_ifindex, cell) : CELL_MISSING;
	case COL_FEATURES:
		if (!d || !d->has_features)
			return CELL_MISSING;
		return cell_set_text(cell, "%s",
				     netdev_features_text(d->features, text, sizeof(text)));
	case COL_DRIVER:
		return d && netdev_driver(d)[0] ? cell_set_text(cell, "%s", netdev_driver(d))
						: CELL_MISSING;
	default:
		return cell_of_series(t, row, cell);
	}
}

void locate_device(const struct table *t, const struct row *row, struct location *location)
{
	const struct netdev *d = device_of(t, row);

	location->dev.netns = row->netns;
	location->dev.ifindex = row->ifindex;
	location->prog_id = d ? d->prog_id : 0;
	if (d)
		memcpy(location->dev.name, d->name, sizeof(location->dev.name));
}

static int devices_missing(const struct table *t, const struct snapshot_host *host, char *buf,
			   size_t size)
{
	int len = no_data_silent(t->rates, t->options.netns, t->options.switch_by, buf, size);

	return len + no_data_netdevs(t->rates->to, host, buf + len, size - (size_t)len);
}

const struct row_kind rows_devices = {
	.add = add_devices,
	.cell = cell_of_device,
	.locate = locate_device,
	.missing = devices_missing,
};

/* The devices in a cell. A name is unique within its namespace. */
struct device_list {
	struct cell *cell;
	size_t len, n;
	bool full;
	struct {
		const char *name;
		uint32_t netns;
	} device[SNAPSHOT_TEXT_LEN / 3]; /* "a, " */
};

static void list_device(const struct table *t, struct device_list *list, const char *name,
			uint32_t netns)
{
	struct cell *cell = list->cell;
	char text[SNAPSHOT_NAME_LEN * 3];

	for (size_t i = 0; i < list->n; i++)
		if (list->device[i].netns == netns && !strcmp(list->device[i].name, name))
			return;
	list->full = list->len >= sizeof(cell->text) - 1 || list->n == SNAPSHOT_TEXT_LEN / 3;
	if (!*name || list->full)
		return;
	list->device[list->n].name = name;
	list->device[list->n++].netns = netns;
	device_text(t, name, netns, 0, text, sizeof(text));
	list->len += (size_t)snprintf(cell->text + list->len, sizeof(cell->text) - list->len,
				      "%s%s", list->len ? ", " : "", text);
}

static enum cell_state devices_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct snapshot *to = t->rates->to;
	const struct program *p = program_find(to, row->prog_id);
	uint32_t prog_id = p && p->part_of ? p->part_of : row->prog_id;
	struct device_list list = { .cell = cell };
	const struct netdev *d;
	struct row_walk w;

	for (size_t i = 0; i < row->n_series && !list.full; i++) {
		const struct series *s = row_series(t, row, i);

		d = snapshot_find_netdev(to, s->key.netns, s->key.ifindex);
		list_device(t, &list, d ? d->name : s->ifname, s->key.netns);
	}
	row_walk_begin(&w, t->rates, to, &netdevs_by_program, prog_id);
	while (!list.full && (d = row_walk_next(&w)))
		list_device(t, &list, d->name, d->netns);
	return list.n ? CELL_VALUE : CELL_NONE;
}

/* For an attached program; n/a if unknown, as in a recording of an older xdptop. */
static enum cell_state holder_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct program *p = program_find(t->rates->to, row->prog_id);
	const enum column_id column = (enum column_id)(cell->column - columns);
	char text[SNAPSHOT_NAME_LEN * 2];
	const char *is;

	if (!p)
		return program_is_attached(t, row) ? CELL_MISSING : CELL_NONE;
	if (column == COL_AGE)
		return p->loaded_at.tv_sec ? cell_set_age(t, &p->loaded_at, cell) : CELL_MISSING;
	is = column == COL_OWNER ? program_owner(p, text, sizeof(text))
				 : program_held(p, text, sizeof(text));
	return is ? cell_set_text(cell, "%s", is) : CELL_MISSING;
}

static enum cell_state runs_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct program *p = program_find(t->rates->to, row->prog_id);

	if (!p)
		return program_is_attached(t, row) ? CELL_MISSING : CELL_NONE;
	if (p->runs != PROGRAM_RUNS_ON)
		return p->runs ? CELL_OFF : CELL_MISSING;
	if (cell->column == &columns[COL_RUNS_RATE])
		return cell_set_real(cell, CELL_RATE, p->runs_per_s);
	return p->ns_per_run > 0 ? cell_set_real(cell, CELL_RATE, p->ns_per_run) : CELL_NONE;
}

static enum cell_state verdicts_cell(const struct table *t, const struct row *row,
				     struct cell *cell)
{
	const struct program *p = program_find(t->rates->to, row->prog_id);

	char unseen[64];

	if (!p || !p->verdicts)
		return CELL_NONE;
	if (p->verdicts == PROGRAM_VERDICTS_REFUSED) {
		cell->tone = TONE_WARN;
		return cell_set_text(cell, "refused: %s", p->verdicts_reason);
	}
	if (!program_unseen(p, t->rates->base, unseen, sizeof(unseen)))
		return cell_set_text(cell, "%s", program_verdicts_name(p->verdicts));
	return cell_set_text(cell, "%s; uncounted %s", program_verdicts_name(p->verdicts), unseen);
}

static enum cell_state program_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct snapshot *to = t->rates->to;
	const struct netdev *d;
	const char *name = "";

	switch (cell->column - columns) {
	case COL_DEVICES:
		return devices_cell(t, row, cell);
	case COL_PROG_ID:
		return cell_set_text(cell, "%u", row->prog_id);
	case COL_OWNER:
	case COL_HELD:
	case COL_AGE:
		return holder_cell(t, row, cell);
	case COL_RUNS_RATE:
	case COL_RUN_NS:
		return runs_cell(t, row, cell);
	case COL_VERDICTS:
		return verdicts_cell(t, row, cell);
	case COL_PROGRAM:
		if (row->n_series)
			break;
		for_each_row (d, t->rates, to, &netdevs_by_program, row->prog_id)
			if (d->prog_id == row->prog_id && d->prog_name[0])
				name = d->prog_name;
		if (!*name && program_find(to, row->prog_id))
			name = program_find(to, row->prog_id)->prog_name;
		return cell_set_named(cell, name, "id", row->prog_id);
	default:
		break;
	}
	return cell_of_series(t, row, cell);
}

static void locate_program(const struct table *t, const struct row *row, struct location *location)
{
	const struct program *p = program_find(t->rates->to, row->prog_id);

	location->prog_id = row->prog_id;
	if (p)
		memcpy(location->prog_name, p->prog_name, sizeof(location->prog_name));
}

static int programs_missing(const struct table *t, const struct snapshot_host *host, char *buf,
			    size_t size)
{
	return no_data_silent(t->rates, t->options.netns, t->options.switch_by, buf, size);
}

const struct row_kind rows_programs = {
	.missing = programs_missing,
	.add = add_programs,
	.cell = program_cell,
	.locate = locate_program,
};
