// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "model/source.h"
#include "key.h"

#define KEY(function, step, contexts, weight, group, label, help, ...) \
	{ step, contexts, weight, group, label, help, { __VA_ARGS__ } },
const struct key_row key_rows[] = {
#include "key_table.h"
};
#undef KEY

const size_t n_key_rows = sizeof(key_rows) / sizeof(key_rows[0]);

const struct key_row *key_row_find(enum key_context context, int code)
{
	if (code <= 0)
		return NULL;
	for (size_t i = 0; i < n_key_rows; i++) {
		if (!(key_rows[i].contexts & context))
			continue;
		for (int k = 0; k < KEY_CODES && key_rows[i].code[k]; k++)
			if (key_rows[i].code[k] == code)
				return &key_rows[i];
	}
	return NULL;
}

static const struct {
	int code;
	const char *name;
} names[] = {
	{ ' ', "Space" },
	{ KEYCODE_TAB, "Tab" },
	{ KEYCODE_ENTER, "Enter" },
	{ KEYCODE_ESC, "Esc" },
	{ KEYCODE_BACKSPACE, "Backspace" },
	{ KEYCODE_UP, "Up" },
	{ KEYCODE_DOWN, "Down" },
	{ KEYCODE_LEFT, "Left" },
	{ KEYCODE_RIGHT, "Right" },
	{ KEYCODE_PAGE_UP, "PgUp" },
	{ KEYCODE_PAGE_DOWN, "PgDn" },
	{ KEYCODE_HOME, "Home" },
	{ KEYCODE_END, "End" },
	{ KEYCODE_DELETE, "Del" },
	{ KEYCODE_BACK_TAB, "Shift-Tab" },
	{ KEYCODE_CLICK, "Click" },
	{ KEYCODE_WHEEL_UP, "WheelUp" },
	{ KEYCODE_WHEEL_DOWN, "WheelDown" },
};

int key_code_name(char *buf, size_t size, int code)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].code == code)
			return snprintf(buf, size, "%s", names[i].name);
	if (code >= KEYCODE_F(1) && code <= KEYCODE_F(10))
		return snprintf(buf, size, "F%d", code - KEYCODE_F0);
	if (code > 0 && code < ' ')
		return snprintf(buf, size, "^%c", code + '@');
	if (code > ' ' && code < KEYCODE_BACKSPACE)
		return snprintf(buf, size, "%c", code);
	return snprintf(buf, size, "that key");
}

int key_row_names(char *buf, size_t size, const struct key_row *row)
{
	size_t len = 0;

	if (!size)
		return 0;
	buf[0] = '\0';
	for (int k = 0; k < KEY_CODES && row->code[k]; k++) {
		char name[16];

		if (row->code[k] == '1')
			k += 8, snprintf(name, sizeof(name), "1..9");
		else
			key_code_name(name, sizeof(name), row->code[k]);
		if (len + strlen(name) + 2 > size)
			break;
		len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? " " : "", name);
	}
	return (int)len;
}
