// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/row_walk.h"

#include "base/array.h"
#include "base/hash.h"

void row_indexes_free(struct row_indexes *x)
{
	for (size_t i = 0; x && i < ROW_INDEXES_MAX; i++) {
		free(x->index[i].entry);
		free(x->index[i].bucket);
	}
	free(x);
}

static size_t find_bucket(const struct row_index *x, uint64_t number)
{
	return hash_add(hash_seed(), number) & (x->n_buckets - 1);
}

static uint64_t number_of(const struct row_key *key, const char *row, unsigned int i)
{
	if (key->number)
		return key->number(row, i);
	return ((const uint32_t *)(row + key->ids))[i] ?: ROW_NO_NUMBER;
}

static void index_fill(struct row_index *x, const struct row_walk *w)
{
	x->n = 0;
	x->n_buckets = 64;
	while (x->n_buckets < w->n)
		x->n_buckets *= 2;
	array_reserve(x->bucket, x->cap_buckets, x->n_buckets);
	memset(x->bucket, 0, x->n_buckets * sizeof(*x->bucket));
	/* last row first, so that each bucket is in the order of the rows */
	for (size_t row = w->n; row--;) {
		for (unsigned int i = 0; i < w->key->n; i++) {
			uint64_t number = number_of(w->key, w->row + row * w->size, i);
			uint32_t *bucket = &x->bucket[find_bucket(x, number)];
			struct row_entry *entry;

			if (number == ROW_NO_NUMBER)
				continue;
			entry = array_append(x->entry, x->n, x->cap);
			*entry = (struct row_entry){ number, (uint32_t)row, *bucket };
			*bucket = (uint32_t)x->n;
		}
	}
}

/* NULL = ROW_INDEXES_MAX reached. */
static const struct row_index *find_index(const struct rates *r, const struct snapshot *s,
					  const struct row_walk *w)
{
	struct row_indexes *all = r->indexes;

	for (size_t i = 0; all && i < all->n; i++)
		if (all->index[i].key == w->key && all->index[i].of == s)
			return &all->index[i];
	if (!all || all->n == ROW_INDEXES_MAX)
		return NULL;
	index_fill(&all->index[all->n], w);
	all->index[all->n].key = w->key;
	all->index[all->n].of = s;
	return &all->index[all->n++];
}

void row_walk_begin(struct row_walk *w, const struct rates *r, const struct snapshot *s,
		    const struct row_key *key, uint64_t number)
{
	*w = (struct row_walk){ .key = key, .number = number };
	if (!s)
		return;
	if (key->rows == ROW_SERIES) {
		w->row = (const char *)s->series;
		w->size = sizeof(*s->series);
		w->n = s->n_series;
	} else {
		w->row = s->rows[key->rows].row;
		w->size = s->rows[key->rows].size;
		w->n = s->rows[key->rows].n;
	}
	if (!w->n)
		return;
	w->index = find_index(r, s, w);
	if (w->index)
		w->at = w->index->bucket[find_bucket(w->index, number)];
}

const void *row_walk_next(struct row_walk *w)
{
	while (w->index && w->at) {
		const struct row_entry *entry = &w->index->entry[w->at - 1];

		w->at = entry->next;
		if (entry->number == w->number)
			return w->row + entry->row * w->size;
	}
	while (!w->index && w->at < w->n) {
		const char *row = w->row + w->at++ * w->size;

		for (unsigned int i = 0; i < w->key->n; i++)
			if (number_of(w->key, row, i) == w->number)
				return row;
	}
	return NULL;
}

const void *row_walk_first(const struct rates *r, const struct snapshot *s,
			   const struct row_key *key, uint64_t number)
{
	struct row_walk w;

	row_walk_begin(&w, r, s, key, number);
	return row_walk_next(&w);
}

static uint64_t program_of(const struct netdev *d, unsigned int i)
{
	uint32_t id = i ? d->skb_prog_id : d->prog_id;

	return id && !(i && id == d->prog_id) ? id : ROW_NO_NUMBER;
}

ROW_NUMBER(program_now, struct netdev, d, d->gone ? ROW_NO_NUMBER : program_of(d, i))
ROW_NUMBER(program_last, struct netdev, d, d->gone ? program_of(d, i) : ROW_NO_NUMBER)
ROW_NUMBER(is_bond, struct netdev, d, d->gone || strcmp(d->kind, "bond") ? ROW_NO_NUMBER : true)

const struct row_key netdevs_by_program = { DATA_SOURCE_NETDEVS, 2, .number = program_now };
const struct row_key gone_netdevs_by_program = { DATA_SOURCE_NETDEVS, 2, .number = program_last };
const struct row_key bonds = { DATA_SOURCE_NETDEVS, 1, .number = is_bond };

ROW_NUMBER(netns_of_vlan, struct netdev, d,
	   d->gone || strcmp(d->kind, "vlan") ? ROW_NO_NUMBER : d->netns)

const struct row_key vlans_by_netns = { DATA_SOURCE_NETDEVS, 1, .number = netns_of_vlan };

ROW_NUMBER(device_of, struct series, s, row_number(s->key.netns, s->key.ifindex))
ROW_NUMBER(target_of, struct series, s, row_number(s->key.to_netns, s->key.target))
ROW_NUMBER(place_of, struct series, s, row_number(s->key.map_id, s->key.target))

const struct row_key series_by_device = { ROW_SERIES, 1, .number = device_of };
const struct row_key series_by_target = { ROW_SERIES, 1, .number = target_of };
const struct row_key series_by_map = { ROW_SERIES, 1, .number = place_of };
const struct row_key series_by_program = ROW_KEY_IDS(ROW_SERIES, struct series, key.prog_id);
