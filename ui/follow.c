// SPDX-License-Identifier: GPL-2.0-or-later
#include "follow.h"

#include "pane.h"

/* Longest interval in seconds while events are followed. */
#define FOLLOW_INTERVAL 0.2

int follow_views(const struct screen *s)
{
	return s->view == VIEW_FOLLOW || s->followed.event ? VIEW_COUNT : VIEW_COUNT - 1;
}

void follow_take(struct screen *s)
{
	/* live, events may still arrive after follow_end(): ignore them */
	if (s->follow.on) {
		struct snapshot *newest = &s->snapshots.slot[s->snapshots.now];
		struct follow_filter filter =
			follow_choice_series(&s->follow.choice, newest, s->netns);

		follow_choice_keep(&s->follow.choice, newest, s->netns);
		s->source->ops->follow_series(s->source, &filter);
	}
	if (s->follow.on || !s->source->live)
		follow_log_take(&s->followed, snapshots_newest(&s->snapshots));
}

double follow_interval(const struct screen *s)
{
	return s->follow.on && s->interval_s > FOLLOW_INTERVAL ? FOLLOW_INTERVAL : s->interval_s;
}

void follow_end(struct screen *s)
{
	if (!s->follow.on)
		return;
	s->source->ops->follow(s->source, NULL, NULL);
	s->follow.on = false;
	follow_choice_free(&s->follow.choice);
	follow_log_free(&s->followed);
	follow_log_free(&s->followed_still);
	snapshots_forget_followed(&s->snapshots);
	event_loop_set(&s->loop, s->interval_s);
}

static void counts_text(const struct screen *s, const struct follow_log *log, char *buf,
			size_t size)
{
	char events[24], rate[24], lost[24];

	format_count(events, sizeof(events), log->events, NUMBER_SI);
	format_count(lost, sizeof(lost), log->lost, NUMBER_SI);
	snprintf(rate, sizeof(rate), "%s", s->terminal->utf8 ? "·" : ".");
	if (log->since_ns && log->per_s >= 0)
		format_rate(rate, sizeof(rate), log->per_s, NUMBER_SI);
	snprintf(buf, size, "%s events, %s/s, %s lost", events, rate, lost);
}

void follow_title_draw(struct screen *s)
{
	const struct tp_count *tp = &snapshots_rates(&s->snapshots)->to->tp[TP_FOLLOW];
	const struct follow_log *log = s->snapshots.paused ? &s->followed_still : &s->followed;
	const int y = s->layout.column_header_y;
	char text[SNAPSHOT_REASON_LEN + FOLLOW_TEXT_LEN], counts[64];
	int width;

	if (*tp->reason && tp->state != TP_ON) {
		snprintf(text, sizeof(text), "  %s: %s%s", tp_state_name(tp->state), tp->reason,
			 tp->state == TP_SHED ? "; --budget 0 sets no limit" : "");
		title_draw(s, STYLE_WARN, text);
		return;
	}
	counts_text(s, log, counts, sizeof(counts));
	width = s->layout.width - format_width(counts) - 2;
	/* tp->reason is, for example, "without xdp_redirect: ..." */
	snprintf(text, sizeof(text), "  Following %s%s%s", s->follow.choice.text,
		 *tp->reason ? ", " : "", tp->reason);
	title_draw(s, STYLE_BOLD, "");
	terminal_put(s->terminal, y, 0, width, STYLE_BOLD, text);
	terminal_put(s->terminal, y, width + 2, format_width(counts),
		     log->lost ? STYLE_DROPS : STYLE_PLAIN, counts);
}
