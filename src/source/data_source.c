// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/data_source.h"

#define DECLARE(id, source) extern const struct data_source source;
DATA_SOURCES(DECLARE)
#undef DECLARE

#define ROW(id, source) [DATA_SOURCE_##id] = &source,
const struct data_source *const data_sources[DATA_SOURCE_COUNT] = { DATA_SOURCES(ROW) };
#undef ROW

int data_source_find(const char *type)
{
	int i = DATA_SOURCE_COUNT - 1;

	while (i >= 0 && !(data_sources[i]->record && !strcmp(data_sources[i]->record->type, type)))
		i--;
	return i;
}

const struct record_object *data_source_object(size_t i)
{
	for (int type = 0; type < RECORD_LIST; type++)
		if (!i--)
			return &record_objects[type];
	for (int id = 0; id < DATA_SOURCE_COUNT; id++)
		if (data_sources[id]->record && !i--)
			return data_sources[id]->record;
	return !i ? &finding_record : i == 1 ? &incident_record : i == 2 ? &refusal_record : NULL;
}

const void *data_source_rows(const struct snapshot *s, enum data_source_id id, size_t *n)
{
	*n = s->rows[id].n;
	return s->rows[id].row;
}

void *data_source_row_at(const struct snapshot *s, enum data_source_id id, size_t at)
{
	return (char *)s->rows[id].row + at * data_sources[id]->row_size;
}

/*
 * Index of the first row whose first numbers are not ordered before those of `like` or, with
 * `after`, are ordered after them.
 */
static size_t find_bound(const struct snapshot *s, enum data_source_id id, const void *like,
			 size_t words, bool after)
{
	size_t low = 0, high = s->rows[id].n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_words(data_source_row_at(s, id, middle), like, words) < after)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const void *data_source_rows_like(const struct snapshot *s, enum data_source_id id,
				  const void *like, size_t words, size_t *n)
{
	size_t from = find_bound(s, id, like, words, false);

	*n = find_bound(s, id, like, words, true) - from;
	return *n ? data_source_row_at(s, id, from) : NULL;
}

void *data_source_row(const struct snapshot *s, enum data_source_id id, const void *like)
{
	size_t words = data_sources[id]->key_size / sizeof(uint32_t);
	size_t at = s ? find_bound(s, id, like, words, false) : 0;

	if (!s || at == s->rows[id].n ||
	    data_source_compare(data_sources[id], data_source_row_at(s, id, at), like))
		return NULL;
	return data_source_row_at(s, id, at);
}

static int compare_rows(const void *a, const void *b, void *source)
{
	return data_source_compare(source, a, b);
}

bool data_source_sort(struct snapshot *s, enum data_source_id id)
{
	const struct data_source *source = data_sources[id];
	size_t n = s->rows[id].n, i = 1;

	while (i < n && data_source_compare(source, data_source_row_at(s, id, i - 1),
					    data_source_row_at(s, id, i)) <= 0)
		i++;
	if (i < n)
		qsort_r(s->rows[id].row, n, source->row_size, compare_rows, (void *)source);
	return i < n;
}
