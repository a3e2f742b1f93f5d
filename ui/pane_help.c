// SPDX-License-Identifier: GPL-2.0-or-later
/* Help text, generated from the tables of keys, views, columns, findings and tracepoints. */
#include <string.h>
#include "diagnose/finding_code.h"
#include "pane.h"

static void heading(struct text *t, const char *name)
{
	text_add(t, STYLE_PLAIN, 0, "", " ");
	text_add(t, STYLE_SORT, 0, "", "%s", name);
}

static void keys_text(struct text *t)
{
	for (size_t i = 0; i < n_key_rows; i++) {
		char names[80];

		if (key_rows[i].group)
			text_add(t, STYLE_SORT, 0, "", "%s", key_rows[i].group);
		key_row_names(names, sizeof(names), &key_rows[i]);
		text_add(t, STYLE_PLAIN, 16, names, "%s", key_rows[i].help);
	}
}

/* Cells of an entry on the first page, and of its keys. */
#define HERE_WIDTH 26
#define HERE_NAMES 12

/*
 * The keys that work where the help was opened, side by side on one page. Neighbours with one label
 * are one entry with the first key of each, because all keys are below.
 */
static void keys_here(struct screen *s)
{
	struct {
		const struct key_row *row;
		char names[HERE_NAMES];
	} here[128];
	int n = 0, across = s->text.width / HERE_WIDTH, lines;

	for (size_t i = 0; i < n_key_rows && n < (int)(sizeof(here) / sizeof(here[0])); i++) {
		char first[HERE_NAMES], second[HERE_NAMES];

		/* the mouse has no room on the first page */
		if (!(key_rows[i].contexts & s->help_context) ||
		    (key_rows[i].code[0] >= KEYCODE_CLICK &&
		     key_rows[i].code[0] <= KEYCODE_WHEEL_DOWN))
			continue;
		if (!n || strcmp(here[n - 1].row->label, key_rows[i].label)) {
			here[n].row = &key_rows[i];
			key_row_names(here[n++].names, HERE_NAMES, &key_rows[i]);
			continue;
		}
		key_code_name(first, sizeof(first), here[n - 1].row->code[0]);
		key_code_name(second, sizeof(second), key_rows[i].code[0]);
		if (strlen(first) + strlen(second) + 2 <= HERE_NAMES)
			snprintf(here[n - 1].names, HERE_NAMES, "%s %s", first, second);
	}
	across = across < 1 ? 1 : across;
	lines = (n + across - 1) / across;
	text_add(&s->text, STYLE_SORT, 0, "", "Keys here");
	for (int y = 0; y < lines; y++) {
		char line[1024] = "", cell[HERE_WIDTH + 32];

		for (int i = y; i < n; i += lines) {
			snprintf(cell, sizeof(cell), "%-*s %-*s", HERE_NAMES - 1, here[i].names,
				 HERE_WIDTH - HERE_NAMES, here[i].row->label);
			strncat(line, cell, sizeof(line) - strlen(line) - 1);
		}
		text_add(&s->text, STYLE_PLAIN, 0, "", "%s", line);
	}
	text_add(&s->text, STYLE_DIM, 0, "",
		 "Below: all keys, numbers, views, columns, findings. Space pages, / searches.");
	text_add(&s->text, STYLE_PLAIN, 0, "", " ");
}

static const char *const notes[] = {
	"A cell without a value shows `·` (no interval yet; `.` without UTF-8), `off` (its "
	"tracepoint is off), `n/a` (not in this kernel or mode) or `-` (does not apply). An "
	"unknown value is never shown as 0. `~` means that the number was read before this "
	"interval.",
	"`!` left of a row means that XDP lost packets in the last interval or, in the follow "
	"view, that earlier events are not listed. `*` marks a CPU with at least twice the mean "
	"load of the row's CPUs, `>` the selected row.",
	"Rows are sorted every 3 seconds, and after each key that sorts or filters.",
	"XDP_DROP and XDP_PASS fire no tracepoint: only --verdicts counts what a program drops or "
	"passes. Without it, `ethtool -S DEVICE` shows the driver's counters, and `xdpdump -i "
	"DEVICE --rx-capture exit` shows each packet with its verdict.",
	"A redirect that succeeds is queued, not sent: xdp_devmap_xmit, xdp_cpumap_* or the socket "
	"counts sent packets.",
	"Many drivers report a failed redirect twice, as xdp_redirect_err and as xdp_exception "
	"(REDIRECT): never add the two.",
	"For xdp_cpumap_enqueue, `packets` includes the drops (native mode); for xdp_devmap_xmit, "
	"it does not, and the drops include frames that a devmap program dropped.",
	"In generic (skb) mode, xdp_devmap_xmit does not fire. XDP tracepoints carry no length: "
	"only net_dev_queue and verdicts have bytes.",
	"Totals are exact: nothing is sampled. The header shows events that were missed or had no "
	"room.",
};

void help_fill(struct screen *s)
{
	const struct finding_code *code;
	struct text *t = &s->text;

	keys_here(s);
	keys_text(t);
	heading(t, "What the numbers mean");
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
		text_add(t, STYLE_PLAIN, 2, "*", "%s", notes[i]);
	heading(t, "Views");
	for (int i = 0; i < VIEW_COUNT; i++)
		text_add(t, STYLE_PLAIN, 16, views[i].name, "%s", views[i].help);
	heading(t, "Columns (names as the filter and -s take them)");
	for (int i = 0; i < SCREEN_COLUMN_COUNT; i++) {
		const struct column *c = screen_column(i);

		text_add(t, STYLE_PLAIN, 16, c->name, "%s%s%s%s", c->help, *c->unit ? " [" : "",
			 c->unit, *c->unit ? "]" : "");
	}
	heading(t, "Findings");
	for (size_t i = 0; (code = finding_code_at(i)); i++)
		text_add(t, STYLE_PLAIN, 24, code->name, "%s (%s)", code->meaning,
			 finding_severity_name(code->severity));
	heading(t, "Tracepoints");
	for (int i = 0; i < TP_COUNT; i++)
		if (*tracepoints[i].name)
			text_add(t, STYLE_PLAIN, 4, "", "%c %s (%s): %s",
				 tracepoints[i].key ? tracepoints[i].key : '-', tracepoints[i].name,
				 tracepoints[i].fires, tracepoints[i].what);
}
