// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings before the first sample, and after W. */
#include <string.h>
#include "pane.h"
#include "settings.h"

/* Settings give way to what the command line says. */
static void options_win(struct settings *s, const struct options *o)
{
	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];

		if (row->setting && option_given(o, row))
			s->given &= ~(1u << settings_find(row->setting));
	}
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
	memcpy(s->view_state, set.view_state, sizeof(s->view_state));
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
	memcpy(set.view_state, s->view_state, sizeof(set.view_state));
	if (settings_save(&set, why, sizeof(why)))
		screen_say(s, true, "%s", why);
	else
		screen_say(s, false, "settings saved: %s", why);
}
