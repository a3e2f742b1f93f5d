// SPDX-License-Identifier: GPL-2.0-or-later
#include "pane.h"

const struct pane *screen_pane(const struct screen *s)
{
	return s->stack[s->depth];
}

const struct pane *screen_pane_below(const struct screen *s)
{
	int at = s->depth;

	while (at && s->stack[at]->over)
		at--;
	return s->stack[at];
}

bool screen_is_alone(const struct screen *s)
{
	return s->drill || views[s->view].rows->alone;
}

enum key_context screen_context(const struct screen *s)
{
	if (s->layout.too_small)
		return KEYS_TOO_SMALL;
	if (s->prompt.kind)
		return KEYS_PROMPT;
	if (s->depth && screen_pane(s)->context == KEYS_DETAILS && screen_is_alone(s))
		return KEYS_DETAILS_ALONE;
	if (s->depth)
		return screen_pane(s)->context;
	if (s->drill)
		return KEYS_CPUS;
	return s->view == VIEW_TRACEPOINTS  ? KEYS_TRACEPOINTS
	       : views[s->view].rows->alone ? KEYS_ALONE
	       : views[s->view].rows->list  ? KEYS_LIST
					    : KEYS_TABLE;
}

void screen_push(struct screen *s, const struct pane *pane)
{
	if (s->depth + 1 < PANE_DEPTH && screen_pane(s) != pane)
		s->stack[++s->depth] = pane;
}

void screen_pop(struct screen *s)
{
	if (s->depth)
		s->depth--;
}

void screen_say(struct screen *s, bool warn, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(s->message, sizeof(s->message), format, ap);
	va_end(ap);
	s->warn = warn;
}

void screen_end(struct screen *s, int exit_code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(s->error.text, sizeof(s->error.text), format, ap);
	va_end(ap);
	s->error.exit_code = exit_code;
	s->done = true;
}

const struct findings *findings_shown(const struct screen *s)
{
	return s->snapshots.paused ? &s->findings_still : &s->findings;
}

void key_say_nothing(struct screen *s)
{
	char name[16];

	key_code_name(name, sizeof(name), s->key);
	screen_say(s, false, "%s does nothing here; ? lists the keys", name);
}
