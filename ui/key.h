/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Key codes, and the rows of ui/key_table.h for footer, help, man page and tests. No curses:
 * ui/keyboard.c translates terminal input to these codes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Unicode code points, control characters, and codes beyond Unicode. */
enum {
	KEYCODE_NONE = -1,
	KEYCODE_TAB = 9,
	KEYCODE_ENTER = 13,
	KEYCODE_ESC = 27,
	KEYCODE_BACKSPACE = 127,
	KEYCODE_SPECIAL = 0x110000,
	KEYCODE_UP,
	KEYCODE_DOWN,
	KEYCODE_LEFT,
	KEYCODE_RIGHT,
	KEYCODE_PAGE_UP,
	KEYCODE_PAGE_DOWN,
	KEYCODE_HOME,
	KEYCODE_END,
	KEYCODE_DELETE,
	KEYCODE_BACK_TAB,
	KEYCODE_UNKNOWN, /* a key or sequence without a code */
	KEYCODE_CLICK,   /* the cell is in keyboard.x and keyboard.y */
	KEYCODE_WHEEL_UP,
	KEYCODE_WHEEL_DOWN,
	KEYCODE_F0,
	KEYCODE_PASTED = 1 << 24, /* flag: the character was pasted */
};

#define KEYCODE_F(number)    (KEYCODE_F0 + (number)) /* F1 to F10 */
#define KEYCODE_CTRL(letter) ((letter)&0x1f)

/* Where a key works: bits of key_row.contexts. */
enum key_context {
	KEYS_TABLE = 1 << 0,       /* a view of counts */
	KEYS_TRACEPOINTS = 1 << 1, /* the view whose rows can be switched */
	KEYS_LIST = 1 << 2,        /* a list: events, findings, maps */
	KEYS_ALONE = 1 << 3, /* a list whose rows have no CPUs: CPUs, sockets, followed events */
	KEYS_CPUS = 1 << 4,  /* the CPUs of one row */
	KEYS_MENU = 1 << 5,
	KEYS_COLUMNS = 1 << 6,
	KEYS_HELP = 1 << 7,
	KEYS_DETAILS = 1 << 8,       /* the text about a row */
	KEYS_DETAILS_ALONE = 1 << 9, /* the same, for a row without CPUs of its own */
	KEYS_GRAPH = 1 << 10,
	KEYS_PROMPT = 1 << 11,
	KEYS_TOO_SMALL = 1 << 12, /* no pane or prompt is drawn */
	KEYS_PACKETS = 1 << 13,
};

#define KEYS_ANY_TABLE (KEYS_TABLE | KEYS_TRACEPOINTS)
#define KEYS_ANY_LIST  (KEYS_LIST | KEYS_ALONE)
#define KEYS_VIEW      (KEYS_ANY_TABLE | KEYS_ANY_LIST)
#define KEYS_ROWS      (KEYS_VIEW | KEYS_CPUS)
#define KEYS_ABOUT     (KEYS_DETAILS | KEYS_DETAILS_ALONE)
#define KEYS_TEXT      (KEYS_HELP | KEYS_ABOUT)
/* Layers on top of a view, which q closes. */
#define KEYS_LAYERS (KEYS_CPUS | KEYS_MENU | KEYS_COLUMNS | KEYS_TEXT | KEYS_GRAPH | KEYS_PACKETS)
/* Not the prompt, where letters are text. */
#define KEYS_PANES (KEYS_VIEW | KEYS_LAYERS)

#define KEY_CODES 10

/* A row of ui/key_table.h without its function. */
struct key_row {
	int step;
	uint32_t contexts;
	uint8_t weight;
	const char *group;
	const char *label;
	const char *help;
	int code[KEY_CODES]; /* 0-terminated unless full */
};

extern const struct key_row key_rows[];
extern const size_t n_key_rows;

/* The row of a key in a context; NULL = the key does nothing there. */
const struct key_row *key_row_find(enum key_context context, int code);
/* Prints "Enter", "F4", "^L", "q". Returns the length. */
int key_code_name(char *buf, size_t size, int code);
/* Prints all keys of a row, as in "Up k"; digits as "1..9 0". Returns the length. */
int key_row_names(char *buf, size_t size, const struct key_row *row);
