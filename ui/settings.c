// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "model/source.h"
#include "settings.h"

#define LINE_MAX_BYTES 2048
#define WIDTH_MAX      60

void settings_init(struct settings *s)
{
	memset(s, 0, sizeof(*s));
	for (int i = 0; i < VIEW_COUNT; i++)
		view_state_init(&s->view_state[i], (enum view_id)i);
}

bool settings_given(const struct settings *s, enum setting what)
{
	return s->given >> what & 1;
}

/* The index of a word in a list that ends with NULL, -1 = none of them. */
static int word_find(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], word))
			return i;
	return -1;
}

static int not_one_of(const char *const *words, const char *value, char *why, size_t size)
{
	int len = snprintf(why, size, "'%.40s' is none of", value);

	for (int i = 0; words[i] && len < (int)size; i++)
		len += snprintf(why + len, size - (size_t)len, "%s %s", i ? "," : "", words[i]);
	return -EINVAL;
}

static const char *const switches[] = { "no", "yes", NULL };
static const char *const units[] = { "second", "interval", "baseline", NULL };
static const char *const styles[] = { "si", "raw", "grouped", NULL };

static int view_parse(struct settings *s, const char *value, char *why, size_t size)
{
	int view = view_find(value);

	if (view < 0) {
		snprintf(why, size, "no view '%.40s'", value);
		return -EINVAL;
	}
	s->view = (enum view_id)view;
	return 0;
}

static int view_print(const struct settings *s, FILE *f)
{
	return fputs(views[s->view].name, f);
}

static int interval_parse(struct settings *s, const char *value, char *why, size_t size)
{
	char *end;
	double seconds = strtod(value, &end);

	if (end == value || *end ||
	    !(seconds >= SOURCE_INTERVAL_MIN && seconds <= SOURCE_INTERVAL_MAX)) {
		snprintf(why, size,
			 "'%.40s' is not a number of seconds from " SOURCE_INTERVAL_RANGE, value);
		return -EINVAL;
	}
	s->interval_s = seconds;
	return 0;
}

static int interval_print(const struct settings *s, FILE *f)
{
	return fprintf(f, "%g", s->interval_s);
}

static int unit_parse(struct settings *s, const char *value, char *why, size_t size)
{
	int i = word_find(units, value);

	if (i < 0)
		return not_one_of(units, value, why, size);
	s->unit = (enum rate_unit)i;
	return 0;
}

static int unit_print(const struct settings *s, FILE *f)
{
	return fputs(units[s->unit], f);
}

static int numbers_parse(struct settings *s, const char *value, char *why, size_t size)
{
	int i = word_find(styles, value);

	if (i < 0)
		return not_one_of(styles, value, why, size);
	s->numbers = (enum number_style)i;
	return 0;
}

static int numbers_print(const struct settings *s, FILE *f)
{
	return fputs(styles[s->numbers], f);
}

static int switch_parse(bool *to, const char *value, char *why, size_t size)
{
	int i = word_find(switches, value);

	if (i < 0)
		return not_one_of(switches, value, why, size);
	*to = i;
	return 0;
}

static int all_parse(struct settings *s, const char *value, char *why, size_t size)
{
	return switch_parse(&s->all, value, why, size);
}

static int all_print(const struct settings *s, FILE *f)
{
	return fputs(switches[s->all], f);
}

static int per_cpu_parse(struct settings *s, const char *value, char *why, size_t size)
{
	return switch_parse(&s->per_cpu, value, why, size);
}

static int per_cpu_print(const struct settings *s, FILE *f)
{
	return fputs(switches[s->per_cpu], f);
}

static int tracepoints_parse(struct settings *s, const char *value, char *why, size_t size)
{
	char *bad = NULL;

	if (!tracepoint_parse_set(value, &s->tracepoints, &bad))
		return 0;
	snprintf(why, size, "no tracepoint '%.40s'", bad ? bad : value);
	free(bad);
	return -EINVAL;
}

static int tracepoints_print(const struct settings *s, FILE *f)
{
	int rc = fputs("default", f);

	for (int i = 0; i < TP_COUNT && rc >= 0; i++) {
		bool on = s->tracepoints >> i & 1;

		if (tracepoints[i].name && *tracepoints[i].name && on != tracepoints[i].on)
			rc = fprintf(f, ",%c%s", on ? '+' : '-', tracepoints[i].name);
	}
	return rc;
}

static const struct {
	const char *name;
	int (*parse)(struct settings *s, const char *value, char *why, size_t size);
	int (*print)(const struct settings *s, FILE *f);
} rows[SETTING_COUNT] = {
	[SETTING_VIEW] = { "view", view_parse, view_print },
	[SETTING_INTERVAL] = { "interval", interval_parse, interval_print },
	[SETTING_UNIT] = { "unit", unit_parse, unit_print },
	[SETTING_NUMBERS] = { "numbers", numbers_parse, numbers_print },
	[SETTING_ALL] = { "all", all_parse, all_print },
	[SETTING_PER_CPU] = { "per_cpu", per_cpu_parse, per_cpu_print },
	[SETTING_TRACEPOINTS] = { "tracepoints", tracepoints_parse, tracepoints_print },
};

int settings_find(const char *name)
{
	for (int i = 0; i < SETTING_COUNT; i++)
		if (!strcmp(rows[i].name, name))
			return i;
	return -1;
}

/* COLUMN[:asc|:desc], or `table` for table order */
static int sort_parse(struct view_state *state, char *value, char *why, size_t size)
{
	char *direction = strchr(value, ':');
	int column = -1;

	if (direction)
		*direction++ = '\0';
	if (strcmp(value, "table"))
		column = screen_column_find(value);
	if (column < 0 && strcmp(value, "table")) {
		snprintf(why, size, "no column '%.40s' to sort by", value);
		return -EINVAL;
	}
	if (direction && strcmp(direction, "asc") && strcmp(direction, "desc")) {
		snprintf(why, size, "':%.40s' is neither :asc nor :desc", direction);
		return -EINVAL;
	}
	view_state_sort(state, column,
			direction ? !strcmp(direction, "desc")
				  : column >= 0 && screen_column(column)->descending);
	return 0;
}

/* COLUMN[:WIDTH], comma separated */
static int columns_parse(struct view_state *state, char *value, char *why, size_t size)
{
	struct column_choice choice = { .custom = true };
	char *word, *save;

	for (word = strtok_r(value, ", ", &save); word; word = strtok_r(NULL, ", ", &save)) {
		char *width = strchr(word, ':');
		int id;

		if (width)
			*width++ = '\0';
		id = screen_column_find(word);
		if (id < 0 || choice.n == SCREEN_COLUMN_COUNT ||
		    memchr(choice.id, id, (size_t)choice.n)) {
			snprintf(why, size, "%s '%.40s'", id < 0 ? "no column" : "twice the column",
				 word);
			return -EINVAL;
		}
		if (width) {
			int cells = atoi(width);

			if (cells < (screen_column(id)->number ? screen_column(id)->width : 1) ||
			    cells > WIDTH_MAX) {
				snprintf(why, size, "'%.40s' is no width for %s", width, word);
				return -EINVAL;
			}
			choice.width[id] = (uint8_t)cells;
		}
		choice.id[choice.n++] = (uint8_t)id;
	}
	if (!choice.n) {
		snprintf(why, size, "no columns at all");
		return -EINVAL;
	}
	state->columns = choice;
	return 0;
}

static int view_state_parse(struct settings *s, char *name, char *value, char *why, size_t size)
{
	char *what = strchr(name, '.');
	int view;

	*what++ = '\0';
	view = view_find(name);
	if (view < 0) {
		snprintf(why, size, "no view '%.40s'", name);
		return -EINVAL;
	}
	if (!strcmp(what, "sort"))
		return sort_parse(&s->view_state[view], value, why, size);
	if (!strcmp(what, "columns"))
		return columns_parse(&s->view_state[view], value, why, size);
	snprintf(why, size, "a view has no setting '%.40s'", what);
	return -EINVAL;
}

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text + strspn(text, " \t");
}

int settings_line(struct settings *s, const char *line, char *why, size_t size)
{
	char copy[LINE_MAX_BYTES], *name, *value;
	int i, err;

	snprintf(copy, sizeof(copy), "%s", line);
	name = trim(copy);
	if (!*name || *name == '#')
		return 0;
	value = strchr(name, '=');
	if (!value) {
		snprintf(why, size, "a line is NAME = VALUE");
		return -EINVAL;
	}
	*value++ = '\0';
	name = trim(name);
	value = trim(value);
	if (strchr(name, '.'))
		return view_state_parse(s, name, value, why, size);
	i = settings_find(name);
	if (i < 0) {
		snprintf(why, size, "no setting '%.40s'", name);
		return -EINVAL;
	}
	err = rows[i].parse(s, value, why, size);
	if (!err)
		s->given |= 1u << i;
	return err;
}

void settings_read(struct settings *s, FILE *file, char *why, size_t size)
{
	char line[LINE_MAX_BYTES], bad[160];
	unsigned int number = 0;

	why[0] = '\0';
	while (fgets(line, sizeof(line), file)) {
		number++;
		if (settings_line(s, line, bad, sizeof(bad)) && !why[0])
			snprintf(why, size, "line %u is skipped: %s", number, bad);
	}
}

static int view_state_write(const struct view_state *state, const char *name, FILE *f)
{
	const struct column_choice *choice = &state->columns;

	fprintf(f, "%s.sort = %s:%s\n", name,
		state->sort < 0 ? "table" : screen_column(state->sort)->name,
		state->descending ? "desc" : "asc");
	if (!choice->custom)
		return 0;
	fprintf(f, "%s.columns = ", name);
	for (int i = 0; i < choice->n; i++) {
		fprintf(f, "%s%s", i ? "," : "", screen_column(choice->id[i])->name);
		if (choice->width[choice->id[i]])
			fprintf(f, ":%d", choice->width[choice->id[i]]);
	}
	return fputc('\n', f);
}

int settings_write(const struct settings *s, FILE *f)
{
	fputs("# Settings of xdptop, written by its key W. Options of the command line win.\n", f);
	for (int i = 0; i < SETTING_COUNT; i++) {
		if (!settings_given(s, (enum setting)i))
			continue;
		fprintf(f, "%s = ", rows[i].name);
		rows[i].print(s, f);
		fputc('\n', f);
	}
	for (int i = 0; i < VIEW_COUNT; i++)
		view_state_write(&s->view_state[i], views[i].name, f);
	return fflush(f) || ferror(f) ? -EIO : 0;
}
