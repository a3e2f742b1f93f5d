// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes the shown snapshot to a file, as a recording. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/sanitize.h"
#include "actions.h"
#include "snapshot_export.h"

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
	screen_say(s, false, "Saved to %s; replay with xdptop -r %s", p->text, p->text);
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
