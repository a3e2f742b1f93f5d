// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes the shown snapshot to a file, as a recording. Writes the commands that the details show to
 * a file (key w), or to the clipboard (key C).
 */
#include "export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "actions.h"
#include "base/memory.h"
#include "base/sanitize.h"
#include "explain/explain.h"
#include "screen_table.h"

static int write_json(struct screen *s, FILE *file)
{
	const struct output_format *json = &output_json;
	const struct rates *r = snapshots_rates(&s->snapshots);
	struct output_config config = { .per_cpu = true, .all = true, .sort = -1 };
	struct output out = { .file = file,
			      .config = &config,
			      .host = &s->source->host,
			      .netns = s->netns,
			      .findings = findings_shown(s),
			      .first = true };
	int err;

	err = json->begin(&out);
	if (!err)
		err = json->snapshot(&out, r, true);
	if (!err)
		err = json->end(&out, r->to, "count");
	if (json->free)
		json->free(&out);
	return err;
}

/* After privilege_drop(), files can be created only below that directory (src/base/landlock.h). */
static const char *where(int err)
{
	return err == -EACCES || err == -EPERM ? "; it must be below the directory where xdptop "
						 "was started"
					       : "";
}

int export_create(struct prompt *p, mode_t mode, struct path_place *kept)
{
	struct path_place place;
	struct error cause;
	int err, fd;

	if (!p->text[0])
		return -EINVAL;
	err = path_walk(p->text, &place, &cause);
	if (err)
		return error_set(&p->error, err, "%s%s: %.120s", cause.text,
				 err == -EACCES ? where(err) : "", p->text);
	fd = path_create(&place, mode);
	if (fd >= 0 && kept)
		*kept = place;
	else
		path_place_close(&place);
	return fd >= 0 ? fd
		       : error_set(&p->error, fd, "%s%s: %.120s", strerror(-fd), where(fd),
				   p->text);
}

bool export_failed(struct prompt *p, int err, bool left)
{
	if (err)
		error_set(&p->error, err, "%s%s: %.120s", strerror(-err),
			  left ? "; the part already written is kept" : "", p->text);
	return err;
}

static bool file_accept(struct screen *s)
{
	struct prompt *p = &s->prompt;
	struct path_place place;
	struct sink sink;
	bool left;
	int fd = export_create(p, 0644, &place), err;

	if (fd < 0)
		return false;
	sink_attach(&sink, p->text, fd);
	err = write_json(s, sink.file);
	/* stdio reports only a failure; the sink has the cause */
	if (err && sink.err)
		err = sink.err;
	if (!err)
		err = sink_end(&sink);
	sink_close(&sink);
	left = err && unlinkat(place.dir, place.name, 0);
	path_place_close(&place);
	if (export_failed(p, err, left))
		return false;
	screen_say(s, false, "saved to %s; replay with xdptop -r %s", p->text, p->text);
	return true;
}

static const struct prompt_kind prompt_file = {
	.label = "Write this snapshot to: ",
	.brief = "Write to: ",
	.accept = file_accept,
};

void export_open(struct screen *s)
{
	char path[PATH_MAX];

	if (!getcwd(path, sizeof(path)))
		snprintf(path, sizeof(path), "the directory where xdptop was started");
	if (strcmp(path, "/") != 0)
		sanitize(s->start_directory, sizeof(s->start_directory), path, strlen(path));
}

void export_ask(struct screen *s, const struct prompt_kind *kind, const struct timespec *at,
		const char *suffix)
{
	char stamp[32], name[64];
	struct tm tm;

	if (!s->start_directory[0]) {
		screen_say(
			s, true,
			"xdptop writes no files in /; start it elsewhere, or use -o json > FILE");
		return;
	}
	localtime_r(&at->tv_sec, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	snprintf(name, sizeof(name), "xdptop-%s.%s", stamp, suffix);
	prompt_open(&s->prompt, kind, name);
	snprintf(s->prompt.note, sizeof(s->prompt.note), "Only below %s", s->start_directory);
}

void snapshot_export(struct screen *s)
{
	const struct rates *r = snapshots_rates(&s->snapshots);

	if (!r || !r->from) {
		screen_say(s, false, "nothing to write before the first interval is over");
		return;
	}
	export_ask(s, &prompt_file, &r->to->wall, "jsonl");
}

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
	screen_say(s, false, "commands saved to %s; read it, then run sh %s", p->text, p->text);
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
