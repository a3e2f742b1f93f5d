// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "ansi_screen.h"
#include "base/array.h"
#include "line_move.h"

#define LOOK   (~CELL_CHARACTER)
#define SHAPES (CELL_UNDERLINE | CELL_REVERSE) /* attributes that a blank shows */
/* What scrolling must save, in cells, and how often in a frame. */
#define SCROLL_GAIN 20
#define MOVES       3
/* Lines below the cursor in which the next cells are looked for. */
#define NEAR 5
/* Fewer blanks are written. */
#define ERASE_LEAST 4
/* Bytes of a way that there is not. */
#define NO_WAY 1000

/* Cells of a line that change. */
struct run {
	int y, first, end;
	bool done;
};

struct update {
	struct ansi_screen *s;
	FILE *out;
	struct run *runs;
	size_t n;
	size_t *line;  /* line[y]: the first of its runs; one more entry is their end */
	size_t oldest; /* none before it is left */
};

static int digits(int n)
{
	return n < 10 ? 1 : n < 100 ? 2 : n < 1000 ? 3 : 4;
}

static wchar_t *cell(const struct ansi_screen *s, wchar_t *cells, int y, int x)
{
	return cells + (long)y * s->width + x;
}

/* Any look writes a blank, but those that show on one. */
static bool looks_right(const struct ansi_screen *s, wchar_t c)
{
	return c == ' ' ? !(s->look & SHAPES) : (c & LOOK) == s->look;
}

/* Returns the bytes of the way within a line; goes it, if `out`. */
static int go_across(const struct ansi_screen *s, int x, FILE *out)
{
	int far = abs(x - s->x), steps = far == 1 && x > s->x ? 3 : 3 + digits(far);
	int address = s->can.addresses ? 3 + digits(x + 1) : NO_WAY;

	if (x == s->x)
		return 0;
	if (!x) {
		if (out)
			fputc('\r', out);
		return 1;
	}
	if (s->x >= s->width) /* terminals differ in what leads away from there */
		return NO_WAY;
	if (x < s->x && far <= steps && far <= address) {
		for (int i = 0; out && i < far; i++)
			fputc('\b', out);
		return far;
	}
	if (out && address < steps)
		fprintf(out, "\033[%dG", x + 1);
	else if (out && far == 1)
		fputs("\033[C", out);
	else if (out)
		fprintf(out, "\033[%d%c", far, x < s->x ? 'D' : 'C');
	return address < steps ? address : steps;
}

/* As above, to another line in the same column. No tty changes a VT, as it does a newline. */
static int go_down(const struct ansi_screen *s, int y, FILE *out)
{
	int far = y - s->y, address = s->can.addresses ? 3 + digits(y + 1) : NO_WAY;

	if (far >= 0 && far <= address) {
		for (int i = 0; out && i < far; i++)
			fputc('\v', out);
		return far;
	}
	if (out)
		fprintf(out, "\033[%dd", y + 1);
	return address;
}

static int character(wchar_t c, char *to)
{
	mbstate_t state = { 0 };
	size_t n = wcrtomb(to, c & CELL_CHARACTER, &state);

	if (n != (size_t)-1)
		return (int)n;
	*to = '?';
	return 1;
}

/* As above, to the right over what the terminal shows: it is written once more. */
static int go_over(const struct ansi_screen *s, int x, int most, FILE *out)
{
	char bytes[MB_LEN_MAX];
	int cost = 0;

	for (int i = s->x; i < x; i++) {
		wchar_t c = *cell(s, s->now, s->y, i);
		int n = character(c, bytes);

		cost += n;
		if (cost > most || !looks_right(s, c))
			return NO_WAY;
		if (out)
			fwrite(bytes, 1, (size_t)n, out);
	}
	return cost;
}

/* Bytes of the shortest way to a cell; goes it, if `out`. */
static int go(struct ansi_screen *s, int y, int x, FILE *out)
{
	int address = (x ? 4 + digits(x + 1) : 3) + digits(y + 1), over = NO_WAY;
	int steps = s->y < 0 ? NO_WAY : go_across(s, x, NULL) + go_down(s, y, NULL);
	int least = steps < address ? steps : address;

	if (s->y == y && s->x < x)
		over = go_over(s, x, least, NULL);
	if (!out)
		return over < least ? over : least;
	if (over <= least) {
		go_over(s, x, over, out);
	} else if (steps <= address) {
		go_across(s, x, out);
		go_down(s, y, out);
	} else if (x) {
		fprintf(out, "\033[%d;%dH", y + 1, x + 1);
	} else {
		fprintf(out, "\033[%dH", y + 1);
	}
	s->y = y;
	s->x = x;
	return 0;
}

/* SGR parameters from one look to another; `anew`: from 0, whatever it was. */
static int parameters(wchar_t from, wchar_t to, bool anew, char *text)
{
	static const struct {
		wchar_t look;
		char on[2], off[3];
	} attributes[] = {
		{ CELL_BOLD, "1", "22" },
		{ CELL_DIM, "2", "22" },
		{ CELL_UNDERLINE, "4", "24" },
		{ CELL_REVERSE, "7", "27" },
	};
	int color = CELL_COLOR_OF(to);
	char *p = text;

	if (anew)
		p = stpcpy(p, "0;");
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (from & ~to & attributes[i].look) {
			/* the end of one is the other's, too */
			if (i < 2)
				from &= ~(CELL_BOLD | CELL_DIM);
			p = stpcpy(stpcpy(p, attributes[i].off), ";");
		}
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (to & ~from & attributes[i].look)
			p = stpcpy(stpcpy(p, attributes[i].on), ";");
	if (color != CELL_COLOR_OF(from))
		p += color < 0 ? sprintf(p, "39;") : sprintf(p, "3%d;", color);
	if (p > text)
		p--;
	*p = '\0';
	return (int)(p - text);
}

/* Bytes that change the look, which is known or is to be none; changes it, if `out`. */
static int look_set(struct ansi_screen *s, wchar_t look, FILE *out)
{
	char anew[32], change[32], *text = anew;
	int n = parameters(0, look, true, anew), m;

	if (look == s->look)
		return 0;
	if (!look)
		n = 0;
	anew[n] = '\0';
	if (s->can.undoes) {
		m = parameters(s->look, look, false, change);
		if (m < n) {
			text = change;
			n = m;
		}
	}
	if (out) {
		fprintf(out, "\033[%sm", text);
		s->look = look;
	}
	return n + 3;
}

/* Bytes from here to a run, its first look included. */
static int run_cost(struct ansi_screen *s, const struct run *r)
{
	wchar_t c = *cell(s, s->now, r->y, r->first);

	return go(s, r->y, r->first, NULL) + (looks_right(s, c) ? 0 : look_set(s, c & LOOK, NULL));
}

/*
 * Of the runs on both sides of the cursor in this line and those below it, and the first one left,
 * that of the shortest way. What is passed on the left needs a long way later: it comes first.
 */
static struct run *run_next(struct update *u)
{
	struct ansi_screen *s = u->s;
	struct run *best;
	int least;

	while (u->oldest < u->n && u->runs[u->oldest].done)
		u->oldest++;
	if (u->oldest == u->n)
		return NULL;
	best = &u->runs[u->oldest];
	least = run_cost(s, best);
	for (int y = s->y < 0 ? s->height : s->y; y < s->height && y < s->y + NEAR; y++) {
		struct run *sides[2] = { NULL, NULL };

		for (size_t i = u->line[y]; i < u->line[y + 1] && !sides[1]; i++)
			if (!u->runs[i].done)
				sides[u->runs[i].first >= s->x] = &u->runs[i];
		for (int i = 0; i < 2; i++) {
			int cost = sides[i] ? run_cost(s, sides[i]) + i : NO_WAY;

			if (cost < least) {
				least = cost;
				best = sides[i];
			}
		}
	}
	return best;
}

/* The line is blank from x on. */
static bool blank_behind(const struct ansi_screen *s, int y, int x)
{
	for (; x < s->width; x++)
		if (*cell(s, s->now, y, x) != ' ')
			return false;
	return true;
}

static void run_write(struct update *u, struct run *r)
{
	struct ansi_screen *s = u->s;
	const struct run *line_end = u->runs + u->line[r->y + 1];
	int end = r->end, blanks;
	char bytes[MB_LEN_MAX];
	bool rest, more;

	r->done = true;
	go(s, r->y, r->first, u->out);
	while (end > r->first && *cell(s, s->now, r->y, end - 1) == ' ')
		end--;
	blanks = r->end - end;
	rest = blanks && blank_behind(s, r->y, end);
	more = rest && r + 1 < line_end;
	if (!more && (blanks < ERASE_LEAST || !(rest || s->can.erases)))
		end = r->end;
	for (; s->x < end; s->x++) {
		wchar_t c = *cell(s, s->now, r->y, s->x);

		if (!looks_right(s, c))
			look_set(s, c & LOOK, u->out);
		fwrite(bytes, 1, (size_t)character(c, bytes), u->out);
	}
	if (end == r->end)
		return;
	if (!looks_right(s, ' '))
		look_set(s, 0, u->out);
	if (!rest) {
		fprintf(u->out, "\033[%dX", blanks);
		return;
	}
	fputs("\033[K", u->out);
	while (++r < line_end)
		r->done = true;
}

static int runs_find(struct update *u)
{
	const struct ansi_screen *s = u->s;
	size_t cap = 0;

	for (int y = 0; y < s->height; y++) {
		const wchar_t *now = cell(s, s->now, y, 0), *shown = cell(s, s->shown, y, 0);

		u->line[y] = u->n;
		for (int x = 0, first; x < s->width; x++) {
			if (now[x] == shown[x])
				continue;
			for (first = x; x < s->width && now[x] != shown[x]; x++)
				;
			if (array_reserve(u->runs, cap, u->n + 1))
				return -ENOMEM;
			u->runs[u->n++] = (struct run){ y, first, x, false };
		}
	}
	u->line[s->height] = u->n;
	return 0;
}

/* Moves lines of the terminal to where similar ones are to be. */
static void scroll(struct ansi_screen *s, const struct line_move *move, FILE *out)
{
	int top = move->by < 0 ? move->first + move->by : move->first, n = abs(move->by);
	int bottom = move->by > 0 ? move->last + move->by : move->last;
	wchar_t *to = cell(s, s->shown, move->first, 0), *bare;

	if (!looks_right(s, ' '))
		look_set(s, 0, out);
	fprintf(out, "\033[%d;%dr\033[%dH\033[", top + 1, bottom + 1, top + 1);
	if (n > 1)
		fprintf(out, "%d", n);
	fprintf(out, "%c\033[r", move->by > 0 ? 'M' : 'L');
	s->y = s->x = 0;
	wmemmove(to, to + (long)move->by * s->width,
		 (size_t)(move->last - move->first + 1) * (size_t)s->width);
	bare = cell(s, s->shown, move->by > 0 ? bottom - n + 1 : top, 0);
	wmemset(bare, ' ', (size_t)n * (size_t)s->width);
}

int ansi_screen_resize(struct ansi_screen *s, int height, int width)
{
	size_t size = (size_t)height * (size_t)width;
	wchar_t *now = calloc(2 * size, sizeof(*now));

	if (!now)
		return -ENOMEM;
	free(s->now);
	s->now = now;
	s->shown = now + size;
	s->height = height;
	s->width = width;
	ansi_screen_cleared(s);
	return 0;
}

void ansi_screen_cleared(struct ansi_screen *s)
{
	wmemset(s->shown, ' ', (size_t)s->height * (size_t)s->width);
	s->y = -1;
	s->look = LOOK_UNKNOWN;
}

void ansi_screen_free(struct ansi_screen *s)
{
	free(s->now);
	s->now = s->shown = NULL;
	s->height = s->width = 0;
}

int ansi_screen_write(struct ansi_screen *s, FILE *out)
{
	struct update u = { .s = s, .out = out };
	struct line_move move;
	struct run *r;
	int err;

	if (s->look == LOOK_UNKNOWN)
		look_set(s, 0, out);
	for (int n = 0; s->can.scrolls && n < MOVES; n++) {
		move = line_move_find(s->now, s->shown, s->height, s->width, SCROLL_GAIN);
		if (!move.gain)
			break;
		scroll(s, &move, out);
	}
	u.line = calloc((size_t)s->height + 1, sizeof(*u.line));
	err = u.line ? runs_find(&u) : -ENOMEM;
	while (!err && (r = run_next(&u)))
		run_write(&u, r);
	if (!err)
		wmemcpy(s->shown, s->now, (size_t)s->height * (size_t)s->width);
	free(u.runs);
	free(u.line);
	return err;
}

void ansi_screen_move(struct ansi_screen *s, int y, int x, FILE *out)
{
	go(s, y, x, out);
}
