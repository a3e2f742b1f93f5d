// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include "base/array.h"
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
	return i ? NULL : &finding_record;
}

const void *data_source_rows(const struct snapshot *s, enum data_source_id id, size_t *n)
{
	*n = s->rows[id].n;
	return s->rows[id].row;
}

/* Index of the first row that is not ordered before `like`. */
static size_t lower_bound(const struct snapshot *s, enum data_source_id id, const void *like)
{
	size_t size = data_sources[id]->row_size, low = 0, high = s->rows[id].n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (data_sources[id]->compare((char *)s->rows[id].row + middle * size, like) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void *data_source_row_at(const struct snapshot *s, enum data_source_id id, size_t at)
{
	return (char *)s->rows[id].row + at * data_sources[id]->row_size;
}

void *data_source_row(const struct snapshot *s, enum data_source_id id, const void *like)
{
	size_t at = lower_bound(s, id, like);

	if (at == s->rows[id].n || data_sources[id]->compare(data_source_row_at(s, id, at), like))
		return NULL;
	return data_source_row_at(s, id, at);
}

bool data_source_sort(struct snapshot *s, enum data_source_id id)
{
	return array_sort(s->rows[id].row, s->rows[id].n, data_sources[id]->row_size,
			  data_sources[id]->compare);
}
