// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <string.h>
#include "base/format.h"
#include "base/sanitize.h"
#include "key.h"
#include "prompt.h"

/* Minimum width for the long label. */
#define WIDE 70

void prompt_open(struct prompt *p, const struct prompt_kind *kind, const char *text)
{
	*p = (struct prompt){ .kind = kind };
	snprintf(p->text, sizeof(p->text), "%s", text);
	snprintf(p->before, sizeof(p->before), "%s", text);
	p->at = strlen(p->text);
	p->is_suggestion = *text;
}

/* Offset of the previous UTF-8 character; char_after(): of the next. */
static size_t char_before(const char *text, size_t at)
{
	if (!at)
		return 0;
	do
		at--;
	while (at && ((unsigned char)text[at] & 0xc0) == 0x80);
	return at;
}

static size_t char_after(const char *text, size_t at)
{
	if (!text[at])
		return at;
	do
		at++;
	while (((unsigned char)text[at] & 0xc0) == 0x80);
	return at;
}

static void cut(struct prompt *p, size_t from, size_t to)
{
	memmove(p->text + from, p->text + to, strlen(p->text + to) + 1);
	p->at = from;
}

static bool insert(struct prompt *p, int c)
{
	char bytes[MB_LEN_MAX];
	size_t n = wcrtomb(bytes, (wchar_t)c, &(mbstate_t){ 0 }), len = strlen(p->text);

	/* the text is UTF-8: other encodings share only ASCII with it */
	if (n == (size_t)-1 || (c >= 0x80 && strcmp(nl_langinfo(CODESET), "UTF-8"))) {
		error_set(&p->error, -EINVAL, "only ASCII in this locale");
		return false;
	}
	if (len + n >= sizeof(p->text)) {
		error_set(&p->error, -EINVAL, "at most %zu bytes", sizeof(p->text) - 1);
		return false;
	}
	memmove(p->text + p->at + n, p->text + p->at, len - p->at + 1);
	memcpy(p->text + p->at, bytes, n);
	p->at += n;
	return true;
}

/* Start of the word before `at`, for ^W. */
static size_t word_before(const char *text, size_t at)
{
	while (at && text[at - 1] == ' ')
		at--;
	while (at && text[at - 1] != ' ')
		at--;
	return at;
}

enum edit { EDIT_NOTHING, EDIT_MOVED, EDIT_CHANGED };

/* Edits the line with the keys of readline. */
static enum edit edit(struct prompt *p, int code)
{
	size_t at = p->at;

	switch (code) {
	case KEYCODE_LEFT:
	case KEYCODE_CTRL('B'):
		p->at = char_before(p->text, at);
		return EDIT_MOVED;
	case KEYCODE_RIGHT:
	case KEYCODE_CTRL('F'):
		p->at = char_after(p->text, at);
		return EDIT_MOVED;
	case KEYCODE_HOME:
	case KEYCODE_CTRL('A'):
		p->at = 0;
		return EDIT_MOVED;
	case KEYCODE_END:
	case KEYCODE_CTRL('E'):
		p->at = strlen(p->text);
		return EDIT_MOVED;
	case KEYCODE_BACKSPACE:
		cut(p, char_before(p->text, at), at);
		return EDIT_CHANGED;
	case KEYCODE_DELETE:
	case KEYCODE_CTRL('D'):
		cut(p, at, char_after(p->text, at));
		return EDIT_CHANGED;
	case KEYCODE_CTRL('K'):
		cut(p, at, strlen(p->text));
		return EDIT_CHANGED;
	case KEYCODE_CTRL('U'):
		cut(p, 0, at);
		return EDIT_CHANGED;
	case KEYCODE_CTRL('W'):
		cut(p, word_before(p->text, at), at);
		return EDIT_CHANGED;
	default:
		if (code < ' ' || code >= KEYCODE_SPECIAL || (code >= 0x7f && code < 0xa0))
			return EDIT_NOTHING;
		if (p->is_suggestion)
			cut(p, 0, strlen(p->text));
		return insert(p, code) ? EDIT_CHANGED : EDIT_MOVED;
	}
}

void prompt_key(struct prompt *p, struct screen *s, int code)
{
	enum edit edited;
	char name[16];

	if (code == KEYCODE_ENTER) {
		if (p->kind->accept(s))
			p->kind = NULL;
		return;
	}
	if (code == KEYCODE_ESC) {
		if (p->kind->cancel)
			p->kind->cancel(s);
		p->kind = NULL;
		return;
	}
	edited = edit(p, code);
	p->is_suggestion = p->is_suggestion && edited == EDIT_NOTHING;
	switch (edited) {
	case EDIT_CHANGED:
		p->error.text[0] = '\0';
		if (p->kind->changed)
			p->kind->changed(s);
		break;
	case EDIT_NOTHING:
		key_code_name(name, sizeof(name), code);
		error_set(&p->error, -EINVAL, "%s does nothing here; Enter accepts, Esc cancels",
			  name);
		break;
	case EDIT_MOVED:
		break;
	}
}

/* Draws label and text, scrolled to keep the cursor visible, and the error. */
void prompt_draw(const struct prompt *p, struct terminal *t, const struct layout *layout)
{
	int y = layout->footer_y, width = layout->width;
	const char *name = width < WIDE ? p->kind->brief : p->kind->label;
	int label = format_width(name), room, at;
	/* the text up to the cursor, and all of it */
	char before[4 * PROMPT_SIZE], shown[4 * PROMPT_SIZE];
	size_t from = 0;

	room = width - label - 1;
	terminal_put(t, y, 0, label, STYLE_BOLD, name);
	sanitize_text(before, sizeof(before), p->text, p->at);
	sanitize_text(shown, sizeof(shown), p->text, sizeof(p->text));
	while (format_width(before + from) >= room)
		from = char_after(before, from);
	at = format_width(before + from);
	terminal_put(t, y, label, room + 1, STYLE_PLAIN, shown + from);
	if (p->is_suggestion)
		terminal_put(t, y, label, at, STYLE_SELECTED, shown + from);
	if (p->error.text[0] || p->note[0]) {
		int y_why = layout->status_y >= 0 ? layout->status_y : y - 1;

		terminal_put(t, y_why, 0, width, p->error.text[0] ? STYLE_WARN : STYLE_BOLD,
			     p->error.text[0] ? p->error.text : p->note);
	}
	terminal_cursor(t, y, label + at);
}
