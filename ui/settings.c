// SPDX-License-Identifier: GPL-2.0-or-later
#include "settings.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "actions.h"
#include "base/privilege.h"

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

/* Finds the file's directory; false = neither variable is an absolute path, or one is too long. */
static bool directory(char *buf, size_t size)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int len;

	if (xdg && *xdg == '/')
		len = snprintf(buf, size, "%s/xdptop", xdg);
	else if (home && *home == '/')
		len = snprintf(buf, size, "%s/.config/xdptop", home);
	else
		return false;
	return len < (int)size;
}

/* Under sudo, the caller's file is trusted as well. */
static bool owner_trusted(uid_t owner)
{
	const char *caller = getenv("SUDO_UID");

	if (owner == path_user())
		return true;
	return privilege_borrowed() && caller && (uid_t)strtoul(caller, NULL, 10) == owner;
}

/*
 * Under sudo the caller controls the path: with a symlink as directory, xdptop would read any file
 * of root named config and show its first line in a message.
 */
static int open_file(const char *dir)
{
	int flags = O_PATH | O_DIRECTORY | O_CLOEXEC | (privilege_borrowed() ? O_NOFOLLOW : 0);
	int at = open(dir, flags), fd, err;

	if (at < 0)
		return -1;
	/* O_NONBLOCK: open() of a FIFO must not block */
	fd = openat(at, "config", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	err = errno;
	close(at);
	errno = err;
	return fd;
}

static bool is_root(uid_t owner)
{
	return !owner;
}

/* Reads an open file if its owner is trusted, and only they can write it. */
static int file_load(struct settings *s, int fd, const char *path, bool (*trusted)(uid_t owner),
		     struct error *error)
{
	struct error bad;
	struct stat st;
	FILE *file;

	if (fd < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return 0;
		return error_set(error, -errno, "settings not read: %s: %.120s", strerror(errno),
				 path);
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !trusted(st.st_uid) || st.st_mode & 022) {
		close(fd);
		return error_set(error, -EPERM,
				 "settings not read, because the file is not %s or others can "
				 "write to it: %.120s",
				 trusted == is_root ? "root's" : "yours", path);
	}
	file = fdopen(fd, "r");
	if (!file)
		memory_missing();
	settings_read(s, file, &bad);
	fclose(file);
	if (bad.text[0])
		error_set(error, 0, "settings, %s: %.120s", bad.text, path);
	return 0;
}

/*
 * Reads SETTINGS_OF_ALL, which must belong to root; then $XDG_CONFIG_HOME/xdptop/config, else
 * ~/.config/xdptop/config, if it is a regular file owned by the user (under sudo, or by the
 * caller). Nobody else may be able to write it. A missing file is not an error. Returns 0 or
 * -errno; error->text is set for a bad line too, "" = none.
 */
static int settings_load(struct settings *s, struct error *error)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	char dir[PATH_MAX - 16], path[PATH_MAX];
	struct error own = { 0 };
	int err, own_err;

	error->text[0] = '\0';
	err = file_load(s, open(SETTINGS_OF_ALL, flags), SETTINGS_OF_ALL, is_root, error);
	if (!directory(dir, sizeof(dir)))
		return err;
	snprintf(path, sizeof(path), "%s/config", dir);
	own_err = file_load(s, open_file(dir), path, owner_trusted, &own);
	if (own.text[0])
		*error = own;
	return own_err ?: err;
}

/* Opens a directory, created if needed; -EPERM if anyone but this user may write there. */
static int directory_make(int at, const char *name)
{
	const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(at, name, flags);
	struct stat st;

	if (fd < 0 && errno == ENOENT && !mkdirat(at, name, 0700))
		fd = openat(at, name, flags);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && st.st_uid == path_user() && !(st.st_mode & 022))
		return fd;
	close(fd);
	return -EPERM;
}

/* Finds the place of the file. Creates its directory and the one above if needed. */
static int file_place(const char *dir, struct path_place *p, struct error *error)
{
	char parent[PATH_MAX];
	struct error cause;
	int fd = -1, err;

	snprintf(parent, sizeof(parent), "%s", dir);
	do
		*strrchr(parent, '/') = '\0';
	while (parent[0] && parent[strlen(parent) - 1] == '/');
	err = path_walk(parent, p, &cause);
	if (!err) {
		/* Create nothing in a directory that another user can change. */
		fd = directory_make(p->dir, p->name);
		close(p->dir);
		p->dir = fd < 0 ? fd : directory_make(fd, strrchr(dir, '/') + 1);
		err = p->dir < 0 ? p->dir : 0;
		snprintf(p->name, sizeof(p->name), "config");
		error_set(&cause, err, "%s",
			  err == -EPERM ? "the directory is not yours, or others can write to it"
					: strerror(-err));
	}
	if (fd >= 0)
		close(fd);
	if (err)
		error_set(error, err, "not saved, %s: %.120s", cause.text, dir);
	return err;
}

int settings_directory(void)
{
	char dir[PATH_MAX - 32];
	struct path_place place;
	struct error error;

	if (!directory(dir, sizeof(dir)) || file_place(dir, &place, &error))
		return -1;
	return place.dir;
}

/* The written file must parse without errors. */
static int check(const struct settings *s, FILE *file, struct error *error)
{
	struct settings again;

	rewind(file);
	settings_init(&again, &s->options);
	settings_read(&again, file, error);
	return error->text[0] ? -EIO : 0;
}

/*
 * Writes a temporary file, checks it and renames it; never as root into a directory of another
 * user. Returns 0 with the path in error->text, or -errno and *error.
 */
static int settings_save(const struct settings *s, struct error *error)
{
	char dir[PATH_MAX - 32], temp[NAME_MAX + 1];
	struct error bad = { 0 };
	struct path_place place;
	FILE *file = NULL;
	int fd, err;

	if (!directory(dir, sizeof(dir)))
		return error_set(error, -ENOENT,
				 "not saved: neither XDG_CONFIG_HOME nor HOME is set");
	err = file_place(dir, &place, error);
	if (err)
		return err;
	fd = path_temp(&place, temp, 0600);
	if (fd >= 0)
		file = fdopen(fd, "w+");
	err = file ? settings_write(s, file) : fd < 0 ? fd : -errno;
	if (!err && fsync(fd))
		err = -errno;
	if (!err)
		err = check(s, file, &bad);
	if (file && fclose(file) && !err)
		err = -errno;
	else if (!file && fd >= 0)
		close(fd);
	if (!err && renameat(place.dir, temp, place.dir, place.name))
		err = -errno;
	if (err && fd >= 0)
		unlinkat(place.dir, temp, 0);
	path_place_close(&place);
	if (err)
		return error_set(error, err, "not saved, %s: %.120s/config",
				 bad.text[0] ? bad.text : strerror(-err), dir);
	return error_set(error, 0, "%s/config", dir);
}

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
