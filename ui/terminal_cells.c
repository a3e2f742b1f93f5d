// SPDX-License-Identifier: GPL-2.0-or-later
#define NCURSES_WIDECHAR 1 /* glibc asks for it by _GNU_SOURCE, musl does not */
#include <string.h>
#include <wchar.h>
#include <ncurses.h>
#include <term.h>
#include "terminal_cells.h"

/* Wider screens are written by curses. */
#define COLUMNS 1024

static bool knows(const char *name, const char *sequence)
{
	const char *known = tigetstr(name);

	return known && known != (const char *)-1 && !strcmp(known, sequence);
}

bool terminal_cells_abilities(struct ansi_abilities *can)
{
	const char *red = has_colors() ? tiparm(set_a_foreground, COLOR_RED) : NULL;

	*can = (struct ansi_abilities){
		.addresses = knows("hpa", "\033[%i%p1%dG") && knows("vpa", "\033[%i%p1%dd"),
		.erases = knows("ech", "\033[%p1%dX"),
		.scrolls = knows("csr", "\033[%i%p1%d;%p2%dr") && knows("il", "\033[%p1%dL") &&
			   knows("dl", "\033[%p1%dM"),
		.undoes = knows("rmul", "\033[24m"),
	};
	return knows("cup", "\033[%i%p1%d;%p2%dH") && knows("el", "\033[K") && knows("cr", "\r") &&
	       knows("cub1", "\b") && eat_newline_glitch && (!red || !strcmp(red, "\033[31m"));
}

/* false = it has not the place of one cell. */
static bool cell_take(const cchar_t *from, wchar_t *cell)
{
	static const struct {
		attr_t attr;
		wchar_t look;
	} looks[] = {
		{ A_BOLD, CELL_BOLD },
		{ A_DIM, CELL_DIM },
		{ A_UNDERLINE, CELL_UNDERLINE },
		{ A_REVERSE, CELL_REVERSE },
	};
	wchar_t text[CCHARW_MAX + 1];
	short pair, color = -1, ground;
	attr_t attr;

	if (getcchar(from, text, &attr, &pair, NULL) == ERR || text[1] || wcwidth(*text) != 1)
		return false;
	if (pair)
		pair_content(pair, &color, &ground);
	*cell = *text;
	/* what a blank does not show makes no difference */
	if (*text == ' ' && !(attr & (A_UNDERLINE | A_REVERSE)))
		return true;
	*cell |= CELL_COLOR(color);
	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++)
		if (attr & looks[i].attr)
			*cell |= looks[i].look;
	return true;
}

bool terminal_cells_take(struct ansi_screen *s)
{
	cchar_t cells[COLUMNS + 1];

	if (s->width > COLUMNS)
		return false;
	for (int y = 0; y < s->height; y++) {
		mvin_wchnstr(y, 0, cells, s->width);
		for (int x = 0; x < s->width; x++)
			if (!cell_take(&cells[x], &s->now[y * s->width + x]))
				return false;
	}
	return true;
}
