// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The header: host, views, findings, and what is not counted. The footer: the selected row or a
 * message, and the keys.
 */
#include <string.h>
#include "follow.h"
#include "pane.h"
#include "source/sockets.h"

#define SEGMENTS    48
#define SEGMENT_LEN 640

/* A line of segments, zero at first. The lightest are dropped when there is no room. */
struct line {
	int n;
	struct layout_segment segment[SEGMENTS];
	char text[SEGMENTS][SEGMENT_LEN];
	enum style style[SEGMENTS];
	enum spot_kind kind[SEGMENTS]; /* what a click does */
	int value[SEGMENTS];
};

/* Adds a segment, unless the text is "". `right`: from the right edge. */
static void line_add(struct line *line, int weight, bool right, enum style style, const char *text)
{
	if (line->n == SEGMENTS || !*text)
		return;
	snprintf(line->text[line->n], sizeof(line->text[0]), "%s", text);
	line->segment[line->n] = (struct layout_segment){
		.width = format_width(line->text[line->n]), .weight = weight, .right = right
	};
	line->style[line->n++] = style;
}

/* Sets what a click on the segment added last does. */
static void line_act(struct line *line, enum spot_kind kind, int value)
{
	line->kind[line->n - 1] = kind;
	line->value[line->n - 1] = value;
}

/* Cells of all segments, `gap` blanks apart. */
static int line_width(const struct line *line, int gap)
{
	int width = line->n ? -gap : 0;

	for (int i = 0; i < line->n; i++)
		width += line->segment[i].width + gap;
	return width;
}

static void line_draw(struct screen *s, struct line *line, int y, int gap)
{
	layout_segments(line->segment, line->n, gap, s->layout.width);
	for (int i = 0; i < line->n; i++) {
		if (line->segment[i].x < 0)
			continue;
		terminal_put(s->terminal, y, line->segment[i].x, line->segment[i].width,
			     line->style[i], line->text[i]);
		if (line->kind[i])
			spot_add(s, y, line->segment[i].x, line->segment[i].width, line->kind[i],
				 line->value[i]);
	}
}

static void mode_add(const struct screen *s, struct line *line)
{
	char buf[160], age[24];
	int width, len;

	if (s->filter) {
		char text[100];

		/* leave room for the rest of the line */
		snprintf(text, sizeof(text), "%s", filter_text(s->filter));
		width = format_width(text) < s->layout.width / 2 ? format_width(text)
								 : s->layout.width / 2;
		len = snprintf(buf, sizeof(buf), "filter: ");
		format_fit(buf + len, sizeof(buf) - (size_t)len, text, width, false);
		line_add(line, 85, true, STYLE_WARN, buf);
	}
	if (s->record.on) {
		len = snprintf(buf, sizeof(buf), "REC ");
		screen_record_status(s, buf + len, sizeof(buf) - (size_t)len);
		line_add(line, 88, true, STYLE_WARN, buf);
	}
	if (s->snapshots.paused) {
		format_age(age, sizeof(age), ns_to_seconds(clock_ns() - s->snapshots.paused_ns));
		snprintf(buf, sizeof(buf), "PAUSED %s", age);
		line_add(line, 90, true, STYLE_WARN, buf);
	}
}

/* source->last ends a run, but another run may follow in the file. */
static bool at_end(const struct screen *s)
{
	const struct source *source = s->source;

	return s->snapshots.ended || (source->last && source->at >= source->size);
}

/* When the recording begins and ends, if known: " 11-14 09:15..11-21 09:15". */
static void span_text(const struct source *source, char *buf, size_t size)
{
	const int64_t ns[] = { source->first_ns, source->last_ns };
	char text[2][16];
	struct tm tm;

	buf[0] = '\0';
	if (!source->last_ns)
		return;
	for (int i = 0; i < 2; i++) {
		struct timespec t = ns_to_timespec(ns[i] > 0 ? ns[i] : 0);

		localtime_r(&t.tv_sec, &tm);
		strftime(text[i], sizeof(text[i]), "%m-%d %H:%M", &tm);
	}
	snprintf(buf, size, " %s..%s", text[0], text[1]);
}

static int replay_status(const struct screen *s, char *buf, size_t size)
{
	const struct source *source = s->source;
	char where[24] = "", speed[24] = "", span[48];
	bool seeking = source->seeking || replay_moves(s);

	span_text(source, span, sizeof(span));
	if (at_end(s) && !seeking && source->no_more)
		return snprintf(buf, size, "recording%s, reading failed: %s", span,
				strerror(-source->no_more));
	if (at_end(s) && !seeking)
		return snprintf(buf, size, "recording%s, at its end", span);
	if (source->grows && !seeking && replay_wall(s) == source->last_ns)
		return snprintf(buf, size, "recording%s, live", span);
	if (source->size)
		snprintf(where, sizeof(where), " %u%%",
			 (unsigned int)(source->at < source->size ? source->at * 100 / source->size
								  : 100));
	if (seeking)
		return snprintf(buf, size, "recording%s, seeking%s", span, where);
	if (!s->by_step && (source->speed < 1 || source->speed > 1))
		snprintf(speed, sizeof(speed), " x%g", source->speed);
	return snprintf(buf, size, "recording%s%s%s", span, where, speed);
}

static void host_draw(struct screen *s, int y)
{
	const struct snapshot_host *host = &s->source->host;
	const struct rates *r = snapshots_rates(&s->snapshots);
	struct line line = { 0 };
	char buf[128];

	line_add(&line, 10, false, STYLE_BOLD, "xdptop");
	line_add(&line, 40, false, STYLE_PLAIN, host->hostname);
	line_add(&line, 20, false, STYLE_PLAIN, host->kernel);
	if (!s->source->live) {
		replay_status(s, buf, sizeof(buf));
		line_add(&line, 60, false, STYLE_WARN, buf);
	}
	mode_add(s, &line);
	snprintf(buf, sizeof(buf), "every %gs", follow_interval(s));
	line_add(&line, 30, true, STYLE_PLAIN, s->by_step ? "stepping" : buf);
	if (r) {
		if (s->source->first_ns)
			format_date(buf, sizeof(buf), &r->to->wall);
		else
			format_clock(buf, sizeof(buf), &r->to->wall);
		line_add(&line, 50, true, STYLE_PLAIN, buf);
	}
	line_draw(s, &line, y, 2);
}

/*
 * Lists the tracepoints of `which` in `state`; `brief` gives only their number. One that is off is
 * an alarm: what it would count goes unseen.
 */
static void state_add(const struct screen *s, struct line *line, const struct snapshot *now,
		      enum tp_state state, uint32_t which, int weight, bool brief)
{
	char buf[160];
	bool off = state == TP_OFF;
	int n = 0,
	    len = snprintf(buf, sizeof(buf), "%s:", off ? "not counted" : tp_state_name(state));

	for (int i = 0; i < TP_COUNT; i++) {
		const char *name = tracepoint_label(s, (unsigned int)i);

		if (now->tp[i].state != state || !*name || !(which & (uint32_t)1 << i))
			continue;
		if (!strncmp(name, "xdp_", 4))
			name += 4;
		if (len < (int)sizeof(buf))
			len += snprintf(buf + len, sizeof(buf) - (size_t)len,
					tracepoints[i].key > '9' ? " %s(%c)" : " %s", name,
					tracepoints[i].key);
		n++;
	}
	if (brief)
		snprintf(buf, sizeof(buf), "%s:%d", tp_state_name(state), n);
	if (n)
		line_add(line, weight, false, off ? STYLE_CRITICAL : STYLE_WARN, buf);
}

static void count_add(struct line *line, int weight, uint64_t n, const char *text)
{
	char buf[64], number[16];

	if (!n)
		return;
	format_count(number, sizeof(number), n, NUMBER_SI);
	snprintf(buf, sizeof(buf), "%s%s", text, number);
	line_add(line, weight, false, STYLE_WARN, buf);
}

static void counting_add(const struct screen *s, struct line *line, bool brief)
{
	const struct rates *r = snapshots_rates(&s->snapshots);
	char process[SEGMENT_LEN], gap[64];

	if (!r)
		return;
	for (int i = 0; i < PROCESSES; i++)
		line_add(line, 84, false, STYLE_WARN,
			 snapshot_process_text(r->to, &s->source->host, i, brief, process,
					       sizeof(process)));
	state_add(s, line, r->to, TP_SHED, UINT32_MAX, 80, brief);
	state_add(s, line, r->to, TP_FAILED, UINT32_MAX, 75, brief);
	/* without these tracepoints losses go unseen; the others are off on purpose */
	state_add(s, line, r->to, TP_OFF, tracepoints_failing(), 78, brief);
	count_add(line, 70, snapshot_total(r->to, missed), brief ? "missed:" : "missed: ");
	count_add(line, 70, snapshot_total(r->to, overflow), brief ? "overflow:" : "overflow: ");
	count_add(line, 70, snapshot_total(r->to, events_lost), brief ? "lost:" : "events lost: ");
	count_add(line, 46, refusals_count(s->source->host.refused, views[s->view].iters),
		  brief ? "refused:" : "BPF programs refused: ");
	count_add(line, 45, r->to->netns_unreadable, brief ? "unread:" : "namespaces not read: ");
	count_add(line, 44, r->to->netdevs_left_out, brief ? "unknown:" : "devices not known: ");
	count_add(line, 43, xdp_sockets_left_out(r->to),
		  brief ? "unlisted:" : "sockets not listed: ");
	if (r->to->gap)
		line_add(line, 72, false, STYLE_WARN,
			 brief ? "gap" : rates_gap_text(r, s->source->live, gap, sizeof(gap)));
}

/*
 * Counts the findings that pass the filter by severity: "2 critical, 1 warning: press x".
 * Findings of severity info have a count of their own, because they affect no packets.
 */
static void findings_add(const struct screen *s, struct line *line, bool brief)
{
	const struct findings *f = findings_shown(s);
	size_t n[FINDING_SEVERITIES] = { 0 }, len = 0;
	char buf[SEGMENT_LEN] = "";

	for (size_t i = 0; i < s->found.n_rows && s->found.row[i].item < f->n_active; i++)
		n[f->finding[s->found.row[i].item].severity]++;
	for (int i = FINDING_CRITICAL; i > FINDING_INFO; i--) {
		const char *name = finding_severity_name((enum finding_severity)i);

		if (n[i] && brief)
			len += (size_t)snprintf(buf + len, sizeof(buf) - len, "%zu%c ", n[i],
						*name);
		else if (n[i])
			len += (size_t)snprintf(buf + len, sizeof(buf) - len, "%s%zu %s%s",
						len ? ", " : "", n[i], name,
						i == FINDING_WARNING && n[i] > 1 ? "s" : "");
	}
	if (len)
		snprintf(buf + len, sizeof(buf) - len, brief ? "(x)" : ": press x");
	line_add(line, 82, false, n[FINDING_CRITICAL] ? STYLE_CRITICAL : STYLE_WARNING, buf);
	if (len)
		line_act(line, SPOT_VIEW, VIEW_FINDINGS);
	count_add(line, 41, f->truncated, brief ? "more:" : "more findings: ");
	if (!n[FINDING_INFO])
		return;
	snprintf(buf, sizeof(buf), brief ? "%zui" : "%zu information%s", n[FINDING_INFO],
		 len ? "" : ": press x");
	line_add(line, 42, false, STYLE_DIM, buf);
	line_act(line, SPOT_VIEW, VIEW_FINDINGS);
}

/*
 * The bar: the views that digits choose, then the current view if no digit chooses it, else "more".
 */
#define BAR (VIEW_DIGITS + 1)

static const char *bar_name(const struct screen *s, int i)
{
	return i < VIEW_DIGITS               ? views[i].name
	       : (int)s->view >= VIEW_DIGITS ? views[s->view].name
					     : "more";
}

struct views_shown {
	int first, last;
	bool numbered; /* with digits, and blanks where the current one has brackets */
};

/* Adds the whole bar, else as much as fits around the current view. */
static struct views_shown views_fit(const struct screen *s, int here, int room)
{
	struct views_shown shown = { .last = BAR - 1 };
	int width = BAR - 1 + 2; /* the gaps, and the brackets */
	bool more;

	for (int i = 0; i < BAR; i++)
		width += (int)strlen(bar_name(s, i));
	/* in these views digits choose a row */
	shown.numbered = s->view != VIEW_TRACEPOINTS && s->view != VIEW_TIMELINE &&
			 width + 2 * (BAR - 1) + 2 * VIEW_DIGITS <= room;
	if (width <= room)
		return shown;
	shown.first = shown.last = here;
	width = (int)strlen(bar_name(s, here)) + 4; /* brackets, `<` and `>` */
	do {
		const int next[] = { shown.last + 1, shown.first - 1 };

		more = false;
		for (int k = 0; k < 2; k++) {
			int name = next[k] >= 0 && next[k] < BAR
					   ? 1 + (int)strlen(bar_name(s, next[k]))
					   : room;

			if (width + name > room)
				continue;
			width += name;
			*(k ? &shown.first : &shown.last) = next[k];
			more = true;
		}
	} while (more);
	return shown;
}

/* `<` and `>` at the ends mean that there are more views. */
static void views_add(const struct screen *s, struct line *line, int room)
{
	const int at = (int)s->view, here = at < VIEW_DIGITS ? at : VIEW_DIGITS;
	const struct views_shown shown = views_fit(s, here, room);

	for (int i = shown.first; i <= shown.last; i++) {
		char buf[64], digit[4] = "";

		if (shown.numbered && i < VIEW_DIGITS)
			snprintf(digit, sizeof(digit), "%d ", i + 1);
		snprintf(buf, sizeof(buf),
			 i == here        ? "%s%s[%s]%s"
			 : shown.numbered ? "%s %s%s %s"
					  : "%s%s%s%s",
			 i && i == shown.first ? "<" : "", digit, bar_name(s, i),
			 i < BAR - 1 && i == shown.last ? ">" : "");
		line_add(line, i == here ? 95 : 35 - i, false, i == here ? STYLE_BOLD : STYLE_PLAIN,
			 buf);
		line_act(line, i < VIEW_DIGITS ? SPOT_VIEW : SPOT_KEY, i < VIEW_DIGITS ? i : 'v');
	}
}

/* Uses the longest form that fits. */
static void state_draw(struct screen *s, int y)
{
	struct line line = { 0 };

	for (int brief = 0; brief < 3; brief++) {
		line.n = 0;
		findings_add(s, &line, brief > 1);
		counting_add(s, &line, brief > 0);
		if (line_width(&line, 2) <= s->layout.width)
			break;
	}
	line_draw(s, &line, y, 2);
}

void header_draw(struct screen *s)
{
	bool state = s->layout.header_lines < 3; /* the views share a line with the rest */
	int room = s->layout.width;
	struct line line = { 0 };

	host_draw(s, s->layout.header_y);
	if (state) {
		findings_add(s, &line, true);
		counting_add(s, &line, true);
		room -= line_width(&line, 1) + 1;
		line.n = 0;
	}
	views_add(s, &line, room);
	if (state) {
		findings_add(s, &line, true);
		counting_add(s, &line, true);
	} else {
		state_draw(s, s->layout.header_y + 2);
	}
	line_draw(s, &line, s->layout.header_y + 1, 1);
}

static void keys_draw(struct screen *s, int y)
{
	enum key_context context = screen_context(s);
	struct line line = { 0 };
	char name[16];

	/* One segment holds key and label, so that both are shown or neither. */
	for (size_t i = 0; i < n_key_rows; i++) {
		const int code = key_rows[i].code[0];
		char buf[64];

		if (!key_rows[i].weight || !(key_rows[i].contexts & context) ||
		    (code == '{' && s->source->live))
			continue;
		key_code_name(name, sizeof(name), key_rows[i].code[0]);
		snprintf(buf, sizeof(buf), "%s %s", name,
			 context & KEYS_VIEW && key_rows[i].code[0] == 'q' && s->n_from ? "back"
			 : code == 'd' && !s->source->live                              ? "go to"
			 : code == KEYCODE_ENTER && context == KEYS_ALONE &&
					 s->view == VIEW_TIMELINE
				 ? "go there"
				 : key_rows[i].label);
		line_add(&line, key_rows[i].weight, false, STYLE_PLAIN, buf);
		line_act(&line, SPOT_KEY, key_rows[i].code[0]);
	}
	line_draw(s, &line, y, 2);
	for (int i = 0; i < line.n; i++) {
		char *blank = strchr(line.text[i] + 1, ' ');

		if (line.segment[i].x < 0 || !blank)
			continue;
		*blank = '\0';
		terminal_put(s->terminal, y, line.segment[i].x, format_width(line.text[i]),
			     STYLE_KEY, line.text[i]);
	}
}

void footer_draw(struct screen *s)
{
	const struct pane *pane = screen_pane(s);
	int y = s->layout.status_y, room;
	struct line line = { 0 };
	char buf[400] = "", place[64] = "";

	if (y >= 0 || !s->message[0])
		keys_draw(s, s->layout.footer_y);
	if (s->message[0])
		terminal_put(s->terminal, y >= 0 ? y : s->layout.footer_y, 0, s->layout.width,
			     s->warn ? STYLE_WARN : STYLE_BOLD, s->message);
	if (y < 0 || s->message[0])
		return;
	if (pane->place)
		pane->place(s, place, sizeof(place));
	line_add(&line, 10, true, STYLE_PLAIN, place);
	line_draw(s, &line, y, 2);
	if (pane->status && snapshots_rates(&s->snapshots))
		pane->status(s, buf, sizeof(buf));
	room = s->layout.width - format_width(place) - 2;
	if (room > 0)
		terminal_put(s->terminal, y, 0, room, STYLE_PLAIN, buf);
}
