// SPDX-License-Identifier: GPL-2.0-or-later
/* Copies settings to the screen at the start, and back to the file on W. */
#include <string.h>
#include "actions.h"
#include "settings.h"

void settings_apply(struct screen *s)
{
	struct settings set;
	struct error error;

	settings_init(&set, s->options);
	settings_load(&set, &error);
	if (error.text[0])
		screen_say(s, true, "%s", error.text);
	s->view = set.options.output.view;
	s->all = set.options.output.all;
	s->per_cpu = set.options.output.per_cpu;
	if (s->source->live)
		s->interval_s = set.options.batch.delay_s;
	s->no_mouse = set.no_mouse;
	s->copy_always = set.copy_always;
	memcpy(s->view_state, set.view_state, sizeof(s->view_state));
	s->tracepoints_wanted = set.options.trace.tracepoints;
}

void settings_apply_tracepoints(struct screen *s)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);

	if (s->tracepoints_wanted == s->options->trace.tracepoints || !s->source->live || !now)
		return;
	for (unsigned int i = 0; i < TP_COUNT; i++) {
		bool want = s->tracepoints_wanted >> i & 1, on = now->tp[i].state == TP_ON;

		if (*tracepoints[i].name && want != on && (on || now->tp[i].state == TP_OFF))
			s->source->ops->toggle(s->source, i, want);
	}
}

/* Failed and missing ones keep their default, because the file may be used on another kernel. */
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

/* In a replay, interval and tracepoints are the recording's, not the user's. */
static bool is_saved(const struct screen *s, const struct option_row *row)
{
	return row->setting && (s->source->live || (strcmp(row->setting, "interval") &&
						    strcmp(row->setting, "tracepoints")));
}

void settings_store(struct screen *s)
{
	struct settings set;
	struct error error;

	settings_init(&set, s->options);
	set.options.given = 0;
	for (size_t i = 0; i < n_option_rows; i++)
		set.options.given |= (uint64_t)is_saved(s, &option_rows[i]) << i;
	/* following is not saved: save the view before it */
	set.options.output.view = s->follow.on ? s->from[s->n_from - 1].view : s->view;
	set.options.output.all = s->all;
	set.options.output.per_cpu = s->per_cpu;
	set.options.batch.delay_s = s->interval_s;
	set.options.trace.tracepoints = tracepoints_now(s);
	set.no_mouse = s->no_mouse;
	set.copy_always = s->copy_always;
	memcpy(set.view_state, s->view_state, sizeof(set.view_state));
	if (settings_save(&set, &error))
		screen_say(s, true, "%s", error.text);
	else
		screen_say(s, false, "settings saved: %s", error.text);
}
