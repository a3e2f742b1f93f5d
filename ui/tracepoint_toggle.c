// SPDX-License-Identifier: GPL-2.0-or-later
/* The view of tracepoints, where they are switched. */
#include <errno.h>
#include <string.h>
#include "actions.h"
#include "pane.h"
#include "screen_table.h"

/* Delay of the early sample that shows the new state after a toggle. */
#define TOGGLE_SHOWN_NS (150 * NSEC_PER_MSEC)

/* Toggles a tracepoint and shows the result in the status line. */
static void toggle(struct screen *s, unsigned int id)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);
	const char *name = tracepoint_label(s, id);
	const char digit[] = { tracepoints[id].key, '\0' }, *key = *digit ? digit : "Space";
	const struct tp_count *tp;
	int on;

	if (!now)
		return;
	tp = &now->tp[id];
	/* Turn it on again if the budget shed it. */
	on = s->source->ops->toggle(s->source, id, tp->state == TP_SHED ? 1 : -1);
	if (on == -EOPNOTSUPP) {
		screen_say(s, true, "%s: cannot switch tracepoints in a recording (it was %s)",
			   name, tp_state_name(tp->state));
	} else if (on == -ENOENT) {
		screen_say(s, true, "%s is %s: %s", name, tp_state_name(tp->state),
			   tp->reason[0] ? tp->reason : "not in this kernel");
	} else if (on < 0) {
		screen_say(s, true, "%s cannot be switched: %s", name, strerror(-on));
	} else if (!on) {
		screen_say(s, false, "%s is off (%s switches it on again). Not counted: %s", name,
			   key, tracepoints[id].what);
	} else if (!tracepoints[id].per_packet) {
		screen_say(s, false, "%s is on (%s switches it off)", name, key);
	} else if (tp->ns_per_event >= 0) {
		screen_say(s, false, "%s is on (%s switches it off). It has cost %.0f ns per event",
			   name, key, tp->ns_per_event);
	} else {
		screen_say(s, false,
			   "%s is on (%s switches it off). It fires for each packet; see column NS",
			   name, key);
	}
	if (on >= 0)
		s->sample_at_ns = clock_ns() + TOGGLE_SHOWN_NS;
}

/* In a recording, where nothing can be switched, Space samples as in the other views. */
void tracepoint_toggle(struct screen *s)
{
	if (!s->source->live)
		action_sample(s);
	else if (table_pick(s))
		toggle(s, (unsigned int)s->table.row[table_selected(s)].tracepoint);
}

void tracepoint_digit(struct screen *s)
{
	for (unsigned int i = 0; i < TP_COUNT; i++)
		if (tracepoints[i].key == s->key)
			toggle(s, i);
}

void action_verdicts(struct screen *s)
{
	if (!snapshots_newest(&s->snapshots) || *tracepoint_label(s, TP_VERDICTS))
		toggle(s, TP_VERDICTS);
	else if (s->source->live)
		screen_say(s, true,
			   "start with --verdicts to count what programs drop, pass and redirect");
	else
		screen_say(s, true,
			   "this recording has no verdicts; it was made without --verdicts");
}
