// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "history.h"

struct history_row {
	unsigned int view;
	uint64_t row;
	int64_t head;    /* newest second written */
	int64_t created; /* first second written */
	int64_t active;  /* newest second with a value above 0 */
	float peak[HISTORY_VALUES], held[HISTORY_VALUES];
	float value[HISTORY_SECONDS][HISTORY_VALUES];
};

void history_free(struct history *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->row[i]);
	memset(h, 0, sizeof(*h));
}

static int ring_index(int64_t second)
{
	int i = (int)(second % HISTORY_SECONDS);

	return i < 0 ? i + HISTORY_SECONDS : i;
}

static size_t row_place(const struct history *h, unsigned int view, uint64_t row)
{
	return array_lower_bound(h->row, h->n, e,
				 (*e)->view < view || ((*e)->view == view && (*e)->row < row));
}

static struct history_row *row_find(const struct history *h, unsigned int view, uint64_t row)
{
	size_t at = row_place(h, view, row);

	return at < h->n && h->row[at]->view == view && h->row[at]->row == row ? h->row[at] : NULL;
}

/* Evicts the row idle for longest, unless all are active now. */
static bool evict(struct history *h)
{
	size_t oldest = 0;

	for (size_t i = 1; i < h->n; i++)
		if (h->row[i]->active < h->row[oldest]->active)
			oldest = i;
	if (h->row[oldest]->active >= (int64_t)h->to)
		return false;
	free(h->row[oldest]);
	h->n--;
	memmove(&h->row[oldest], &h->row[oldest + 1], (h->n - oldest) * sizeof(*h->row));
	return true;
}

void history_step(struct history *h, double from, double to, unsigned int marks)
{
	int64_t first = (int64_t)from + 1, last = (int64_t)to;

	if (!h->stepped)
		h->first = from;
	/* Samples within one second are averaged, weighted by duration. */
	h->weight = h->stepped && last == (int64_t)h->to ? h->weight + to - from : to - from;
	h->from = from;
	h->to = to;
	h->stepped = true;
	if (last - first >= HISTORY_SECONDS)
		first = last - HISTORY_SECONDS + 1;
	for (int64_t s = first; s <= last; s++)
		h->mark[ring_index(s)] = 0;
	h->mark[ring_index(last)] |= (uint8_t)marks;
}

/* Merges into the newest second, which has a value already. */
static void second_add(struct history *h, struct history_row *r, const float *value)
{
	float *to = r->value[ring_index((int64_t)h->to)];
	double part = h->weight > 0 ? (h->to - h->from) / h->weight : 1;

	for (int i = 0; i < HISTORY_VALUES; i++)
		to[i] = isnan(to[i]) ? value[i] : to[i] + (float)part * (value[i] - to[i]);
}

static bool is_busy(const float *value)
{
	for (int i = 0; i < HISTORY_VALUES; i++)
		if (value[i] > 0)
			return true;
	return false;
}

void history_add(struct history *h, unsigned int view, uint64_t row, const float *known, int n)
{
	static const float none[HISTORY_VALUES] = { NAN, NAN, NAN, NAN };
	float value[HISTORY_VALUES];
	int64_t last = (int64_t)h->to, first = (int64_t)h->from + 1;
	struct history_row *r = row_find(h, view, row);
	size_t at;

	if (first > last)
		first = last;
	for (int k = 0; k < HISTORY_VALUES; k++)
		value[k] = k < n ? known[k] : NAN;
	if (!r) {
		/* an idle row must not evict: idle rows would evict each other in turns */
		if (h->n == HISTORY_ROWS && (!is_busy(value) || !evict(h)))
			return;
		r = calloc(1, sizeof(*r));
		if (!r)
			return;
		*r = (struct history_row){
			.view = view, .row = row, .created = first, .head = first - 1
		};
		for (int k = 0; k < HISTORY_VALUES; k++)
			r->peak[k] = r->held[k] = NAN;
		at = row_place(h, view, row);
		memmove(&h->row[at + 1], &h->row[at], (h->n++ - at) * sizeof(*h->row));
		h->row[at] = r;
	}
	if (last - HISTORY_SECONDS > r->head)
		r->head = last - HISTORY_SECONDS;
	if (r->head == last)
		second_add(h, r, value);
	while (r->head < last) {
		r->head++;
		memcpy(r->value[ring_index(r->head)], r->head < first ? none : value,
		       sizeof(value));
	}
	for (int k = 0; k < HISTORY_VALUES; k++) {
		if (isnan(value[k]))
			continue;
		if (isnan(r->peak[k]) || value[k] > r->peak[k])
			r->peak[k] = value[k];
		if (value[k] > 0)
			r->active = last;
	}
}

bool history_get(const struct history *h, unsigned int view, uint64_t row, int which, double at,
		 int seconds, float *out)
{
	const struct history_row *r = row_find(h, view, row);
	int64_t last = (int64_t)(at > 0 ? at : h->to);

	for (int i = 0; i < seconds; i++) {
		int64_t second = last - (seconds - 1 - i);

		out[i] = NAN;
		if (r && second <= r->head && second >= r->created &&
		    second > r->head - HISTORY_SECONDS)
			out[i] = r->value[ring_index(second)][which];
	}
	return r != NULL;
}

void history_marks(const struct history *h, double at, int seconds, uint8_t *out)
{
	int64_t newest = (int64_t)h->to, last = (int64_t)(at > 0 ? at : h->to);

	for (int i = 0; i < seconds; i++) {
		int64_t second = last - (seconds - 1 - i);

		out[i] = 0;
		if (second <= newest && second > newest - HISTORY_SECONDS &&
		    second >= (int64_t)h->first)
			out[i] = h->mark[ring_index(second)];
	}
}

float history_peak(const struct history *h, unsigned int view, uint64_t row, int which)
{
	const struct history_row *r = row_find(h, view, row);

	return r ? (h->held ? r->held : r->peak)[which] : NAN;
}

void history_hold_peaks(struct history *h, bool hold)
{
	h->held = hold;
	for (size_t i = 0; i < h->n; i++)
		memcpy(h->row[i]->held, h->row[i]->peak, sizeof(h->row[i]->held));
}

void history_forget_peaks(struct history *h)
{
	for (size_t i = 0; i < h->n; i++)
		for (int k = 0; k < HISTORY_VALUES; k++)
			h->row[i]->peak[k] = h->row[i]->held[k] = NAN;
}

double history_age(const struct history *h)
{
	return h->to - h->first;
}
