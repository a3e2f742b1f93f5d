// SPDX-License-Identifier: GPL-2.0-or-later
/* The commands that the details show: to a file (key w), or to the clipboard (key C). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/memory.h"
#include "explain/explain.h"
#include "actions.h"
#include "screen_table.h"
#include "snapshot_export.h"

/* Terminals limit the length. This is about xterm's limit. */
#define COPY_MAX 65536

struct commands {
	FILE *to;
	bool comments; /* what the commands are about, as comments of a shell */
	int n;
};

/* A line has only printable bytes. */
static void command_line(void *ctx, enum explain_style style, const char *label, const char *text)
{
	struct commands *c = ctx;
	bool is_what = !strcmp(label, "what") || strstr(label, "fix");

	if (style == EXPLAIN_COMMAND) {
		fprintf(c->to, "%s\n", text);
		c->n++;
	} else if (c->comments && (style == EXPLAIN_TITLE || is_what)) {
		fprintf(c->to, "# %s\n", text);
	}
}

/* Writes the commands of the selected row. Returns how many there are. */
static int write_commands(struct screen *s, FILE *to, bool comments)
{
	struct commands c = { .to = to, .comments = comments };
	const struct explain_lines lines = {
		.line = command_line,
		.ctx = &c,
		.ascii = !s->terminal->utf8,
	};
	long at = table_selected(s);
	const struct row *row = at < 0 ? NULL : &s->table.row[at];
	const struct table *t = row ? table_of(&s->table, &row) : &s->table;

	if (row && !row->more)
		row_explain(t, row, &lines);
	return c.n;
}

static char *base64(const char *text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t len = strlen(text), n = 0;
	char *out = memory_new(4 * (len / 3 + 1) + 1, 1);

	for (size_t i = 0; i < len; i += 3) {
		uint32_t bits = 0;

		for (size_t k = 0; k < 3; k++)
			bits = bits << 8 | (i + k < len ? (unsigned char)text[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			out[n++] = i + k > len ? '=' : digits[bits >> (18 - 6 * k) & 63];
	}
	return out;
}

/* The commands alone; free() it. NULL = there are none; the status line then says so. */
static char *commands_text(struct screen *s)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	int n;

	if (!to)
		memory_missing();
	n = write_commands(s, to, false);
	if (fclose(to))
		memory_missing();
	if (n && size <= COPY_MAX)
		return text;
	free(text);
	screen_say(s, false, "no commands here");
	return NULL;
}

static int write_script(struct screen *s, FILE *to)
{
	char date[32];
	struct tm tm;

	localtime_r(&snapshots_newest(&s->snapshots)->wall.tv_sec, &tm);
	strftime(date, sizeof(date), "%F %T", &tm);
	fprintf(to,
		"#!/bin/sh\n# xdptop on %s, %s\n# Read it before you run it: some commands change "
		"the system.\n",
		s->source->host.hostname, date);
	write_commands(s, to, true);
	return fflush(to) || ferror(to) ? -EIO : 0;
}

static bool commands_accept(struct screen *s)
{
	struct prompt *p = &s->prompt;
	int fd = export_create(p, 0600, NULL), err;
	FILE *to;

	if (fd < 0)
		return false;
	to = fdopen(fd, "w");
	if (!to)
		memory_missing();
	err = write_script(s, to);
	if (fclose(to) && !err)
		err = -EIO;
	if (export_failed(p, err, true))
		return false;
	screen_say(s, false, "Commands saved to %s; read it, then: sh %s", p->text, p->text);
	return true;
}

static const struct prompt_kind prompt_commands = {
	.label = "Write the commands to: ",
	.brief = "Write to: ",
	.accept = commands_accept,
};

void commands_export(struct screen *s)
{
	char *text = commands_text(s);

	if (!text)
		return;
	free(text);
	export_ask(s, &prompt_commands, &snapshots_newest(&s->snapshots)->wall, "sh");
}

void commands_copy(struct screen *s)
{
	char *text = commands_text(s), *encoded = text ? base64(text) : NULL;

	free(text);
	if (!encoded)
		return;
	if (terminal_copy(s->terminal, encoded, s->copy_always))
		screen_say(s, false, "sent to the terminal to copy (OSC 52)");
	else
		screen_say(s, true,
			   "this terminal is not known to support copying (OSC 52); set copy = "
			   "always if it does");
	free(encoded);
}
