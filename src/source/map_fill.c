// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/map_fill.h"

#include <linux/bpf.h>
#include <stdio.h>
#include "base/clock.h"
#include "base/sanitize.h"
#include "inventory/bpf_iters.h"
#include "inventory/map_iter.h"
#include "schema/record_field.h"
#include "source/attached.h"
#include "source/data_source.h"
#include "source/live_source.h"
#include "source/map_users.h"

const struct map_fill *map_fills(const struct snapshot *s, size_t *n, uint64_t *left_out)
{
	const struct map_fill *row = data_source_rows(s, DATA_SOURCE_MAP_FILLS, n);
	bool has_rest = *n && !row->map_id;

	*left_out = has_rest ? row->left_out ?: UINT64_MAX : 0;
	*n -= has_rest;
	return has_rest ? row + 1 : row;
}

const struct map_fill *map_fill_find(const struct snapshot *s, uint32_t map_id)
{
	return data_source_row(s, DATA_SOURCE_MAP_FILLS, &(struct map_fill){ .map_id = map_id });
}

const struct row_key map_fills_by_user = ROW_KEY_IDS(DATA_SOURCE_MAP_FILLS, struct map_fill, user);

bool map_fill_evicts(const struct map_fill *m)
{
	return m->map_type == BPF_MAP_TYPE_LRU_HASH || m->map_type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

bool map_fill_is_emptied(const struct map_fill *m)
{
	return m->map_type == BPF_MAP_TYPE_PROG_ARRAY;
}

double map_fill_part(const struct map_fill *m)
{
	return m->state == MAP_FILL_COUNTED && m->max_entries
		       ? (double)m->entries / (double)m->max_entries
		       : 0;
}

double map_fill_full_in(const struct map_fill *m)
{
	if (m->state != MAP_FILL_COUNTED || !m->has_growth || !(m->growth > 0) ||
	    m->entries > m->max_entries)
		return NAN;
	return (double)(m->max_entries - m->entries) / m->growth;
}

const char *map_fill_outlook(const struct map_fill *m, char *buf, size_t size)
{
	double s = map_fill_full_in(m);

	*buf = '\0';
	if (m->state == MAP_FILL_COUNTED && m->entries >= m->max_entries)
		snprintf(buf, size, "full");
	else if (s < 100)
		snprintf(buf, size, "full in %.0f s", s);
	else if (s < 100 * 60)
		snprintf(buf, size, "full in %.0f min", s / 60);
	else if (s < 100 * 3600)
		snprintf(buf, size, "full in %.0f h", s / 3600);
	else if (s < 1000.0 * 86400)
		snprintf(buf, size, "full in %.0f d", s / 86400);
	return buf;
}

#define row_of(r) ROW_OF(struct map_fill, r)

GET_IF(get_counted, row_of(r)->state == MAP_FILL_COUNTED, field_get_u64)

static FIELD_SET(set_entries)
{
	row_of(r)->state = MAP_FILL_COUNTED;
	return field_set_u64(f, r, v);
}

GET_COUNT(get_uncounted, row_of(r)->state == MAP_FILL_UNCOUNTED, 1)

static FIELD_SET(set_uncounted)
{
	row_of(r)->state = v->count ? MAP_FILL_UNCOUNTED : row_of(r)->state;
	return true;
}

static FIELD_GET(get_full_in)
{
	double s = map_fill_full_in(row_of(r));

	if (!isnan(s))
		field_give_real(v, s);
}

#define KNOWN(m) KNOWN_BY(struct map_fill, m)

/* clang-format off */
static const struct record_field fields[] = {
	FIELDS_OF_SNAPSHOT,
	ROW_FIELD_ID("map_id", struct map_fill, map_id),
	ROW_FIELD_TEXT("map_name", struct map_fill, map_name),
	ROW_FIELD_MAP_TYPE("map_type", struct map_fill, map_type),
	ROW_FIELD_GONE("used", struct map_fill, gone),
	FIELD("entries", COUNT, 0, get_counted, set_entries, ROW_MEMBER(struct map_fill, entries)),
	ROW_FIELD_COUNT("max_entries", struct map_fill, max_entries, KNOWN(max_entries)),
	ROW_FIELD_REAL("entries_per_s", struct map_fill, growth, KNOWN(has_growth)),
	FIELD("full_in_s", REAL, 0, get_full_in, NULL),
	ROW_FIELD_NUMBER("rises", struct map_fill, rises, KNOWN(has_growth)),
	FIELD("uncounted", COUNT, 0, get_uncounted, set_uncounted),
	ROW_FIELD_KNOWN_TIME("counted_at", struct map_fill, counted_at, OPTIONAL),
	ROW_FIELD_IDS("users", struct map_fill, user),
	ROW_FIELD_NUMBER("users_total", struct map_fill, users_total, KNOWN(map_id)),
	ROW_FIELD_COUNT("added", struct map_fill, added, KNOWN(has_growth), OPTIONAL),
	ROW_FIELD_ID("like_id", struct map_fill, like_id, OPTIONAL),
	ROW_FIELD_ID("like_prog", struct map_fill, like_prog, OPTIONAL),
	ROW_FIELD_COUNT("left_out", struct map_fill, left_out, KNOWN(left_out)),
};
/* clang-format on */

static const struct record_object object = RECORD_OBJECT("map", fields);

static bool has_metric(const void *row, const struct data_source_metric *metric)
{
	const struct map_fill *m = row;

	return m->map_id && m->state == MAP_FILL_COUNTED;
}

static const struct data_source_metric metrics[] = {
	{ "xdptop_map_entries", "Entries of a hash or LPM trie that XDP programs use.",
	  offsetof(struct map_fill, entries) },
	{ "xdptop_map_max_entries", "Entries that the map can hold.",
	  offsetof(struct map_fill, max_entries) },
	{ 0 },
};

void map_fill_count(struct map_fill *row, const struct map_fill_record *now, uint64_t ns)
{
	bool is_first = row->state != MAP_FILL_COUNTED;
	double grown = 0;

	row->map_type = now->type;
	row->max_entries = now->max_entries;
	sanitize(row->map_name, sizeof(row->map_name), now->name, sizeof(now->name));
	if (!now->counted) {
		row->state = MAP_FILL_UNCOUNTED;
		return;
	}
	if (!is_first && ns > row->counted_ns) {
		if (now->entries > row->entries)
			grown = (double)(now->entries - row->entries);
		row->growth = grown / ns_to_seconds((int64_t)(ns - row->counted_ns));
		row->has_growth = true;
		row->rises = grown > 0 ? row->rises + 1 : 0;
		row->added += (uint64_t)grown;
	}
	row->state = MAP_FILL_COUNTED;
	row->entries = now->entries;
	row->counted_ns = ns;
	row->counted_at = (struct timespec){ 0 };
}

struct map_fill_look {
	struct live *live;
	struct map_users users;
	struct attached_programs running;
	struct fill_rows {
		struct map_fill *row; /* ascending */
		size_t n, cap;
	} now, before; /* the last two looks */
	uint32_t *id;  /* maps to count */
	size_t cap_ids;
	uint32_t next; /* the map at which counting resumes, if one reading cannot count all */
	uint64_t look_ns;
	struct timespec look_at; /* CLOCK_REALTIME */
};

/* The map that the record is about. */
static uint32_t map_of(const struct map_user *u)
{
	return u->unused_id ?: u->map_id;
}

COMPARE(by_map, struct map_user, ORDER(map_of(x), map_of(y)) ?: ORDER(x->prog_id, y->prog_id))

/* Add the programs of devmap and cpumap entries to the attached ones. */
static void add_entry_programs(struct map_fill_look *l, const struct snapshot *to)
{
	size_t n;
	const struct map_entry *e = map_entries(to, &n);

	for (size_t i = 0; i < n; i++)
		if (e[i].prog_id)
			*array_append(l->running.id, l->running.n, l->running.cap) = e[i].prog_id;
	array_sort(l->running.id, l->running.n, sizeof(*l->running.id), compare_u32);
}

static bool is_running(const struct map_fill_look *l, const struct map_user *user)
{
	return user->is_part || attached_programs_has(&l->running, user->prog_id);
}

/* Find the maps of running programs, by map, and whether some are unknown. */
static void read_users(struct map_fill_look *l, const struct snapshot *to, bool *complete)
{
	struct map_users *u = &l->users;
	struct map_reading r;
	size_t kept = 0;

	u->n_odd = 0;
	attached_programs_read(&l->running, to);
	add_entry_programs(l, to);
	*complete = !map_iter_read_fill_links(l->live->iters, &r) &&
		    !map_iter_users(l->live->iters, MAPS_FILL, map_users_add, u);
	map_users_update(u, *complete, &r);
	*complete &= u->known && !u->more;
	for (size_t i = 0; i < u->n; i++)
		if (u->pair[i].map_id && is_running(l, &u->pair[i]))
			u->pair[kept++] = u->pair[i];
	u->n = kept;
	for (size_t i = 0; i < u->n_odd; i++)
		if (is_running(l, &u->odd[i]))
			*array_append(u->pair, u->n, u->cap) = u->odd[i];
	array_sort(u->pair, u->n, sizeof(*u->pair), by_map);
}

static struct map_fill *find_row(const struct fill_rows *rows, uint32_t map_id)
{
	return array_find(rows->row, rows->n, e, e->map_id < map_id, e->map_id == map_id);
}

/* Rebuild the rows from the users; rows of the last look keep their counts. */
static void rebuild(struct map_fill_look *l, bool complete)
{
	struct fill_rows *now = &l->now, swap = *now;
	struct map_fill *row = NULL;
	uint64_t left_out = 0;

	*now = l->before;
	l->before = swap;
	now->n = 0;
	for (size_t i = 0; i < l->users.n; i++) {
		const struct map_user *pair = &l->users.pair[i];
		uint32_t map_id = map_of(pair);
		bool is_new = !i || map_of(&pair[-1]) != map_id;
		const struct map_fill *was;

		if (is_new && now->n == MAP_FILL_ROWS_MAX) {
			left_out++;
			row = NULL;
		} else if (is_new) {
			row = array_append(now->row, now->n, now->cap);
			was = find_row(&l->before, map_id);
			if (was)
				*row = *was;
			row->map_id = map_id;
			row->users_total = 0;
			memset(row->user, 0, sizeof(row->user));
			row->like_id = pair->unused_id ? pair->map_id : 0;
			row->like_prog = pair->unused_id ? pair->prog_id : 0;
		}
		if (pair->unused_id)
			continue;
		if (row && row->users_total < MAP_USERS)
			row->user[row->users_total] = pair->prog_id;
		if (row)
			row->users_total++;
	}
	if (complete && !left_out)
		return;
	row = array_insert(now->row, now->n, now->cap, 0);
	row->left_out = complete ? left_out : 0;
}

/* Count the entries of as many maps as a reading can. */
static void count(struct map_fill_look *l)
{
	const struct fill_rows *now = &l->now;
	size_t from = array_lower_bound(now->row, now->n, e, e->map_id < (l->next ?: 1)), n;
	const struct map_fill_record *record;
	size_t n_records;

	n = now->n - from < MAP_FILLS_MAX ? now->n - from : MAP_FILLS_MAX;
	array_reserve(l->id, l->cap_ids, n + 1);
	for (size_t i = 0; i < n; i++)
		l->id[i] = now->row[from + i].map_id;
	l->next = from + n < now->n ? now->row[from + n].map_id : 0;
	/* without the iterator they stay unread; without rows unused maps may be found */
	if (!l->running.n || map_iter_count(l->live->iters, l->id, n, &record, &n_records))
		return;
	for (size_t i = 0; i < n_records; i++) {
		struct map_fill *row = find_row(now, record[i].map_id);

		if (!row)
			continue;
		map_fill_count(row, &record[i], l->look_ns);
		/* a program has come to use the map since the rows were made */
		if (!record[i].unused)
			row->like_id = row->like_prog = 0;
	}
}

static void look(struct map_fill_look *l, const struct snapshot *to)
{
	bool complete;

	read_users(l, to, &complete);
	rebuild(l, complete);
	count(l);
}

static int fills_sample(void *state, struct snapshot *to)
{
	struct map_fill_look *l = state;
	uint64_t now = l->live->refreshed_ns;

	if (!l->look_ns || now - l->look_ns >= MAP_FILL_LOOK_S * (uint64_t)NSEC_PER_SEC) {
		l->look_ns = now;
		l->look_at = to->wall;
		look(l, to);
	} else {
		for (size_t i = 0; i < l->now.n; i++)
			if (l->now.row[i].counted_ns == l->look_ns)
				l->now.row[i].counted_at = l->look_at;
	}
	snapshot_put_rows(to, DATA_SOURCE_MAP_FILLS, l->now.row, l->now.n, sizeof(*l->now.row));
	return 0;
}

static void fills_close(void *state)
{
	struct map_fill_look *l = state;

	map_users_free(&l->users);
	attached_programs_free(&l->running);
	free(l->now.row);
	free(l->before.row);
	free(l->id);
}

static int fills_open(void *state, struct live *live, struct error *error)
{
	struct map_fill_look *l = state;

	l->live = live;
	return !bpf_iters_has(live->iters, ITER_MAP_CONTENTS);
}

const struct data_source map_fills_source = {
	.name = "map_fills",
	.help = "how full the hashes and LPM tries of XDP programs are, from a BPF iterator",
	ROW_TYPE(struct map_fill, gone, MAP_FILL_ROWS_MAX + 1),
	ROW_GONE(struct map_fill),
	.record = &object,
	.metrics = metrics,
	.metric_labels = LABEL_MAP,
	.has_metric = has_metric,
	.totals = true,
	.gauges = true,
	.state_size = sizeof(struct map_fill_look),
	.open = fills_open,
	.sample = fills_sample,
	.close = fills_close,
};
