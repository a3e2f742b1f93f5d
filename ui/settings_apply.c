// SPDX-License-Identifier: GPL-2.0-or-later
/* What outlives the screen: settings in the user's file, and snapshots written on request. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "output/output.h"
#include "pane.h"
#include "settings.h"

/* Settings give way to what the command line says. */
static void options_win(struct settings *s, const struct options *o)
{
	static const struct {
		enum option_id option;
		enum setting setting;
	} pairs[] = {
		{ OPTION_VIEW, SETTING_VIEW },
		{ OPTION_DELAY, SETTING_INTERVAL },
		{ OPTION_ALL, SETTING_ALL },
		{ OPTION_PER_CPU, SETTING_PER_CPU },
		{ OPTION_TRACEPOINTS, SETTING_TRACEPOINTS },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (options_given(o, pairs[i].option))
			s->given &= ~(1u << pairs[i].setting);
}

void settings_apply(struct screen *s)
{
	struct settings set;
	char why[256];

	settings_init(&set);
	settings_load(&set, why, sizeof(why));
	if (why[0])
		screen_say(s, true, "%s", why);
	options_win(&set, s->options);
	if (settings_given(&set, SETTING_VIEW))
		s->view = set.view;
	if (settings_given(&set, SETTING_INTERVAL) && s->source->live)
		s->interval_s = set.interval_s;
	if (settings_given(&set, SETTING_UNIT))
		s->unit = set.unit;
	if (settings_given(&set, SETTING_NUMBERS))
		s->numbers = set.numbers;
	if (settings_given(&set, SETTING_ALL))
		s->all = set.all;
	if (settings_given(&set, SETTING_PER_CPU))
		s->per_cpu = set.per_cpu;
	for (int i = 0; i < VIEW_COUNT; i++) {
		struct view_state *state = &s->view_state[i];

		if (set.view_state[i].sorted)
			view_state_sort(state, set.view_state[i].sort,
					set.view_state[i].descending);
		if (set.view_state[i].columns.custom)
			state->columns = set.view_state[i].columns;
	}
	s->tracepoints_given = settings_given(&set, SETTING_TRACEPOINTS);
	s->tracepoints_wanted = set.tracepoints;
}

void settings_apply_tracepoints(struct screen *s)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);

	if (!s->tracepoints_given || !s->source->live || !now)
		return;
	s->tracepoints_given = false;
	for (unsigned int i = 0; i < TP_COUNT; i++) {
		bool want = s->tracepoints_wanted >> i & 1, on = now->tp[i].state == TP_ON;

		if (tracepoints[i].name && *tracepoints[i].name && want != on &&
		    (on || now->tp[i].state == TP_OFF))
			s->source->ops->toggle(s->source, i, want);
	}
}

/* One that failed or is missing here is wanted as at the start: the file may go elsewhere. */
static uint32_t tracepoints_now(const struct screen *s)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);
	uint32_t set = 0;

	for (int i = 0; i < TP_COUNT; i++) {
		enum tp_state state = now ? now->tp[i].state : TP_MISSING;
		bool on = state == TP_ON || state == TP_SHED ||
			  (state != TP_OFF && tracepoints[i].on);

		set |= (uint32_t)on << i;
	}
	return set;
}

void settings_store(struct screen *s)
{
	struct settings set;
	char why[256];

	settings_init(&set);
	set.given = (1u << SETTING_COUNT) - 1;
	set.view = s->view;
	set.interval_s = s->interval_s;
	set.unit = s->unit;
	set.numbers = s->numbers;
	set.all = s->all;
	set.per_cpu = s->per_cpu;
	set.tracepoints = tracepoints_now(s);
	/* A recording says nothing about how to look at this machine. */
	if (!s->source->live)
		set.given &= ~(1u << SETTING_INTERVAL | 1u << SETTING_TRACEPOINTS);
	for (int i = 0; i < VIEW_COUNT; i++)
		set.view_state[i] =
			(struct settings_view){ .sorted = true,
						.sort = s->view_state[i].sort,
						.descending = s->view_state[i].descending,
						.columns = s->view_state[i].columns };
	if (settings_save(&set, why, sizeof(why)))
		screen_say(s, true, "%s", why);
	else
		screen_say(s, false, "settings saved: %s", why);
}

static int write_json(struct screen *s, FILE *file)
{
	const struct output_format *json = output_format_find("json");
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

static bool saved_write(struct screen *s, const char *path, char *why, size_t size)
{
	/* Never over a file that is there: it may be the evidence of the incident before. */
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644), err;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (!file) {
		snprintf(why, size, "%s: %.120s", strerror(errno), path);
		if (fd >= 0)
			close(fd);
		return false;
	}
	err = write_json(s, file);
	if (fclose(file) && !err)
		err = -errno;
	if (err) {
		unlink(path);
		snprintf(why, size, "%s: %.120s", strerror(-err), path);
		return false;
	}
	screen_say(s, false, "written, xdptop -r shows it: %s", path);
	return true;
}

static bool file_accept(struct screen *s)
{
	struct prompt *p = &s->prompt;

	return p->text[0] && saved_write(s, p->text, p->why, sizeof(p->why));
}

const struct prompt_kind prompt_file = {
	.label = "Write this snapshot to: ",
	.brief = "Write to: ",
	.accept = file_accept,
};

void snapshot_export(struct screen *s)
{
	const struct rates *r = snapshots_rates(&s->snapshots);
	char name[64];
	struct tm tm;

	if (!r || !r->from) {
		screen_say(s, false, "nothing to write before the first interval is over");
		return;
	}
	localtime_r(&r->to->wall.tv_sec, &tm);
	strftime(name, sizeof(name), "xdptop-%Y%m%d-%H%M%S.jsonl", &tm);
	prompt_open(s, &prompt_file, name);
}
