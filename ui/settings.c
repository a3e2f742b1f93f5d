// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "settings.h"

#define LINE_MAX_BYTES 2048

void settings_init(struct settings *s, const struct options *options)
{
	memset(s, 0, sizeof(*s));
	s->options = *options;
	s->locked = options->given;
	for (int i = 0; i < VIEW_COUNT; i++)
		view_state_init(&s->view_state[i], (enum view_id)i);
}

/* Settings without a command-line option: one word of a list, stored as its index. */
static const struct {
	const char *name;
	const char *words[4];
	size_t target;
} choices[] = {
	{ "mouse", { "yes", "no" }, offsetof(struct settings, no_mouse) },
	{ "copy", { "terminfo", "always" }, offsetof(struct settings, copy_always) },
};
#define N_CHOICES (sizeof(choices) / sizeof(choices[0]))

static int choice_parse(struct settings *s, size_t choice, const char *value, struct error *error)
{
	const char *const *words = choices[choice].words;

	error_set(error, -EINVAL, "'%.40s' is invalid; give", value);
	for (unsigned int i = 0; words[i]; i++) {
		size_t len = strlen(error->text);

		if (!strcmp(words[i], value)) {
			*(unsigned int *)((char *)s + choices[choice].target) = i;
			return 0;
		}
		snprintf(error->text + len, sizeof(error->text) - len, "%s %s", i ? "," : "",
			 words[i]);
	}
	return -EINVAL;
}

/* The command line overrides the settings file, but the file's line is still checked. */
static int option_parse(struct settings *s, const struct option_row *row, const char *value,
			struct error *error)
{
	struct options ignored = s->options;
	bool locked = s->locked >> (row - option_rows) & 1;

	return option_set(locked ? &ignored : &s->options, row, value, error);
}

/* Parses COLUMN[:asc|:desc], or `table` for table order. */
static int sort_parse(struct view_state *state, char *value, struct error *error)
{
	char *direction = strchr(value, ':');
	int column;

	if (direction)
		*direction++ = '\0';
	column = screen_column_find(value);
	if (column < 0 && strcmp(value, "table"))
		return error_set(error, -EINVAL, "no column '%.40s' to sort by", value);
	if (direction && strcmp(direction, "asc") && strcmp(direction, "desc"))
		return error_set(error, -EINVAL, "':%.40s' is neither :asc nor :desc", direction);
	view_state_sort(state, column,
			direction ? !strcmp(direction, "desc")
				  : column >= 0 && screen_column(column)->descending);
	return 0;
}

/* Parses COLUMN[:WIDTH], comma separated. */
static int columns_parse(struct view_state *state, char *value, struct error *error)
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
		    memchr(choice.id, id, (size_t)choice.n))
			return error_set(error, -EINVAL, "%s '%.40s'",
					 id < 0 ? "no column" : "listed twice: column", word);
		if (width) {
			int cells = atoi(width);

			if (cells < screen_column_least(id) || cells > SCREEN_COLUMN_MOST)
				return error_set(error, -EINVAL, "'%.40s' is not a width for %s",
						 width, word);
			choice.width[id] = (uint8_t)cells;
		}
		choice.id[choice.n++] = (uint8_t)id;
	}
	if (!choice.n)
		return error_set(error, -EINVAL, "no columns at all");
	state->columns = choice;
	return 0;
}

static int view_state_parse(struct settings *s, char *name, char *value, struct error *error)
{
	char *what = strchr(name, '.');
	int view;

	*what++ = '\0';
	view = view_find(name);
	if (view < 0)
		return error_set(error, -EINVAL, "no view '%.40s'", name);
	if (!strcmp(what, "sort"))
		return sort_parse(&s->view_state[view], value, error);
	if (!strcmp(what, "columns"))
		return columns_parse(&s->view_state[view], value, error);
	return error_set(error, -EINVAL, "a view has no setting '%.40s'", what);
}

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text + strspn(text, " \t");
}

int settings_line(struct settings *s, const char *line, struct error *error)
{
	char copy[LINE_MAX_BYTES], *name, *value;

	snprintf(copy, sizeof(copy), "%s", line);
	name = trim(copy);
	if (!*name || *name == '#')
		return 0;
	value = strchr(name, '=');
	if (!value)
		return error_set(error, -EINVAL, "it is not NAME = VALUE");
	*value++ = '\0';
	name = trim(name);
	value = trim(value);
	if (strchr(name, '.'))
		return view_state_parse(s, name, value, error);
	for (size_t i = 0; i < n_option_rows; i++)
		if (option_rows[i].setting && !strcmp(option_rows[i].setting, name))
			return option_parse(s, &option_rows[i], value, error);
	for (size_t i = 0; i < N_CHOICES; i++)
		if (!strcmp(choices[i].name, name))
			return choice_parse(s, i, value, error);
	return error_set(error, -EINVAL, "no setting '%.40s'", name);
}

void settings_read(struct settings *s, FILE *file, struct error *error)
{
	char line[LINE_MAX_BYTES];
	struct error bad;
	unsigned int number = 0;

	error->text[0] = '\0';
	while (fgets(line, sizeof(line), file)) {
		number++;
		if (settings_line(s, line, &bad) && !error->text[0])
			error_set(error, -EINVAL, "line %u is skipped: %s", number, bad.text);
	}
}

static void view_state_write(const struct view_state *state, const char *name, FILE *f)
{
	const struct column_choice *choice = &state->columns;

	fprintf(f, "%s.sort = %s:%s\n", name,
		state->sort < 0 ? "table" : screen_column(state->sort)->name,
		state->descending ? "desc" : "asc");
	if (!choice->custom)
		return;
	fprintf(f, "%s.columns = ", name);
	for (int i = 0; i < choice->n; i++) {
		fprintf(f, "%s%s", i ? "," : "", screen_column(choice->id[i])->name);
		if (choice->width[choice->id[i]])
			fprintf(f, ":%d", choice->width[choice->id[i]]);
	}
	fputc('\n', f);
}

int settings_write(const struct settings *s, FILE *f)
{
	fputs("# Settings of xdptop, written by its key W. Options on the command line override "
	      "them.\n",
	      f);
	for (size_t i = 0; i < n_option_rows; i++) {
		if (!option_rows[i].setting || !option_given(&s->options, &option_rows[i]))
			continue;
		fprintf(f, "%s = ", option_rows[i].setting);
		option_print(&s->options, &option_rows[i], f);
		fputc('\n', f);
	}
	for (size_t i = 0; i < N_CHOICES; i++)
		fprintf(f, "%s = %s\n", choices[i].name,
			choices[i].words[*(unsigned int *)((char *)s + choices[i].target)]);
	for (int i = 0; i < VIEW_COUNT; i++)
		view_state_write(&s->view_state[i], views[i].name, f);
	return fflush(f) || ferror(f) ? -EIO : 0;
}
