// SPDX-License-Identifier: GPL-2.0-or-later
#include "history.h"

#include <math.h>
#include <stdio.h>
#include "base/array.h"
#include "base/clock.h"

struct history_rate {
	struct history_key key;
	int64_t head;    /* newest second written */
	int64_t created; /* first second written */
	int64_t active;  /* newest second with a value above 0 */
	float peak, held;
	float *value; /* ring of HISTORY_SECONDS */
};

void history_free(struct history *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->rate[i].value);
	free(h->rate);
	memset(h, 0, sizeof(*h));
}

static int ring_index(int64_t second)
{
	int i = (int)(second % HISTORY_SECONDS);

	return i < 0 ? i + HISTORY_SECONDS : i;
}

static bool is_before(const struct history_key *a, const struct history_key *b)
{
	if (a->view != b->view)
		return a->view < b->view;
	return a->row != b->row ? a->row < b->row : a->column < b->column;
}

static struct history_rate *rate_find(const struct history *h, const struct history_key *key)
{
	return array_find(h->rate, h->n, e, is_before(&e->key, key), !is_before(key, &e->key));
}

/* Evicts the rate that has been idle longest; false = all are active now. */
static bool history_evict(struct history *h)
{
	size_t oldest = 0;

	for (size_t i = 1; i < h->n; i++)
		if (h->rate[i].active < h->rate[oldest].active)
			oldest = i;
	if (h->rate[oldest].active >= (int64_t)h->to)
		return false;
	free(h->rate[oldest].value);
	h->n--;
	memmove(&h->rate[oldest], &h->rate[oldest + 1], (h->n - oldest) * sizeof(*h->rate));
	return true;
}

void history_step(struct history *h, double from, double to, unsigned int marks)
{
	int64_t first = (int64_t)from + 1, last = (int64_t)to;

	if (!h->stepped)
		h->first = from;
	/* Samples within one second are averaged, weighted by duration. */
	h->weight = h->stepped && last == (int64_t)h->to ? h->weight + to - from : to - from;
	h->is_full = false;
	h->from = from;
	h->to = to;
	h->stepped = true;
	if (last - first >= HISTORY_SECONDS)
		first = last - HISTORY_SECONDS + 1;
	for (int64_t s = first; s <= last; s++)
		h->mark[ring_index(s)] = 0;
	h->mark[ring_index(last)] |= (uint8_t)marks;
}

static struct history_rate *rate_new(struct history *h, struct history_key key, int64_t first)
{
	struct history_rate *r;

	h->is_full = h->is_full || (h->n == HISTORY_RATES && !history_evict(h));
	if (h->is_full)
		return NULL;
	r = array_insert(h->rate, h->n, h->cap,
			 array_lower_bound(h->rate, h->n, e, is_before(&e->key, &key)));
	*r = (struct history_rate){ .key = key,
				    .created = first,
				    .head = first - 1,
				    .peak = NAN,
				    .held = NAN,
				    .value = memory_new(HISTORY_SECONDS, sizeof(*r->value)) };
	return r;
}

void history_add(struct history *h, struct history_key key, float value)
{
	int64_t last = (int64_t)h->to, first = (int64_t)h->from + 1;
	struct history_rate *r = rate_find(h, &key);

	if (first > last)
		first = last;
	/* idle rates must not evict, because they would evict each other in turn */
	if (!r && !isnan(value) && (value > 0 || h->n < HISTORY_RATES))
		r = rate_new(h, key, first);
	if (!r)
		return;
	if (last - HISTORY_SECONDS > r->head)
		r->head = last - HISTORY_SECONDS;
	if (r->head == last) {
		/* the newest second already has a value, so average */
		float *to = &r->value[ring_index(last)];
		double part = h->weight > 0 ? (h->to - h->from) / h->weight : 1;

		*to = isnan(*to) ? value : *to + (float)part * (value - *to);
	}
	while (r->head < last) {
		r->head++;
		r->value[ring_index(r->head)] = r->head < first ? NAN : value;
	}
	r->peak = fmaxf(r->peak, value);
	if (value > 0)
		r->active = last;
}

/* First second of `n` spans. The last span contains `at`. */
static int64_t first_second(const struct history *h, double at, int seconds, int n)
{
	int64_t last = (int64_t)(at > 0 ? at : h->to);

	return (last / seconds - (n - 1)) * seconds;
}

bool history_get(const struct history *h, struct history_key key, double at, int seconds, int n,
		 float *out)
{
	const struct history_rate *r = rate_find(h, &key);
	int64_t second = first_second(h, at, seconds, n);

	for (int i = 0; i < n; i++) {
		out[i] = NAN;
		for (int k = 0; k < seconds; k++, second++)
			if (r && second <= r->head && second >= r->created &&
			    second > r->head - HISTORY_SECONDS)
				out[i] = fmaxf(out[i], r->value[ring_index(second)]);
	}
	return r != NULL;
}

void history_marks(const struct history *h, double at, int seconds, int n, uint8_t *out)
{
	int64_t newest = (int64_t)h->to, second = first_second(h, at, seconds, n);

	for (int i = 0; i < n; i++) {
		out[i] = 0;
		for (int k = 0; k < seconds; k++, second++)
			if (second <= newest && second > newest - HISTORY_SECONDS)
				out[i] |= h->mark[ring_index(second)];
	}
}

float history_peak(const struct history *h, struct history_key key)
{
	const struct history_rate *r = rate_find(h, &key);

	return !r ? NAN : h->held ? r->held : r->peak;
}

void history_hold_peaks(struct history *h, bool hold)
{
	h->held = hold;
	for (size_t i = 0; i < h->n; i++)
		h->rate[i].held = h->rate[i].peak;
}

void history_forget_peaks(struct history *h)
{
	for (size_t i = 0; i < h->n; i++)
		h->rate[i].peak = h->rate[i].held = NAN;
}

double history_age(const struct history *h)
{
	return h->to - h->first;
}

void row_history_free(struct row_history *h)
{
	history_free(&h->history);
	table_free(&h->table);
}

static unsigned int marks(const struct rates *r)
{
	unsigned int marks = r->to->gap ? HISTORY_GAP : 0;

	for (int i = 0; i < TP_COUNT; i++)
		if (r->from->tp[i].state != r->to->tp[i].state)
			marks |= HISTORY_TOGGLE;
	return marks;
}

static void view_take(struct row_history *h, const struct rates *rates,
		      const struct findings *findings, enum view_id view,
		      const struct view_state *state)
{
	struct table_options options = { .view = &views[view], .sort = -1, .findings = findings };
	bool wanted[COLUMN_COUNT] = { false };
	uint8_t ids[COLUMN_COUNT];
	int n = view_state_rates(state, view, ids);

	if (!n || table_build(&h->table, rates, &options))
		return;
	for (int i = 0; i < n; i++)
		wanted[ids[i]] = wanted[columns[ids[i]].beside] = true;
	for (size_t i = 0; i < h->table.n_rows; i++) {
		struct history_key key = { .view = (int)view, .row = h->table.row[i].id };

		if (rates_cancelled(rates))
			return;
		for (key.column = 0; key.column < COLUMN_COUNT; key.column++) {
			struct cell cell;

			if (!wanted[key.column] || !columns[key.column].rate)
				continue;
			table_cell(&h->table, i, (enum column_id)key.column, &cell);
			history_add(&h->history, key,
				    cell.state == CELL_VALUE ? (float)cell.real : NAN);
		}
	}
}

void row_history_add(struct row_history *h, const struct rates *rates,
		     const struct findings *findings, const struct view_state state[VIEW_COUNT],
		     bool replay)
{
	double to = ns_to_seconds(rates->to->mono_ns);

	if (!rates->from || rates->seconds <= 0)
		return;
	history_step(&h->history, to - rates->seconds, to, marks(rates));
	/* nothing is known about the time in a gap of a recording */
	for (enum view_id view = 0; view < VIEW_COUNT && !(rates->to->gap && replay); view++)
		view_take(h, rates, findings, view, &state[view]);
}

double row_history_sort_value(const struct row_history *h, struct history_key key, int column,
			      double at)
{
	float second[TREND_CELLS * TREND_SECONDS];
	double sum = 0;
	int n = 0;

	if (column == SCREEN_COL_PEAK)
		return history_peak(&h->history, key);
	history_get(&h->history, key, at, 1, TREND_CELLS * TREND_SECONDS, second);
	for (int i = 0; i < TREND_CELLS * TREND_SECONDS; i++) {
		if (isnan(second[i]))
			continue;
		sum += second[i];
		n++;
	}
	return n ? sum / n : NAN;
}

bool row_history_trend(const struct row_history *h, struct history_key key, double at,
		       bool as_blocks, char *buf, size_t size)
{
	static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const digits[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9" };
	const float levels = as_blocks ? 8 : 10;
	float cell[TREND_CELLS], most = 0;
	size_t len = 0;

	buf[0] = '\0';
	if (!history_get(&h->history, key, at, TREND_SECONDS, TREND_CELLS, cell))
		return false;
	for (int i = 0; i < TREND_CELLS; i++)
		most = fmaxf(most, cell[i]);
	for (int i = 0; i < TREND_CELLS && len < size; i++) {
		int level = cell[i] > 0 ? 1 + (int)(cell[i] / most * (levels - 1.001f)) : 0;

		len += (size_t)snprintf(buf + len, size - len, "%s",
					isnan(cell[i]) ? " "
					: as_blocks    ? blocks[level]
						       : digits[level]);
	}
	return most > 0;
}
