/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings file: W writes it, the next start reads it; one `name = value` per line. It holds
 * the options whose row in option_rows names a setting.
 */
#pragma once

#include "cli/options.h"
#include "view_state.h"

struct settings {
	uint64_t locked;        /* bits as in options.given: the file does not change these */
	struct options options; /* only options with option_row.setting */
	unsigned int no_mouse, copy_always;       /* 0, 1 */
	struct view_state view_state[VIEW_COUNT]; /* default if not in the file */
};

/* Starts with `options`, and locks those given on the command line. */
void settings_init(struct settings *s, const struct options *options);
/*
 * Parses one line. Returns 0, even for blank lines and `#` comments; or -EINVAL and *error, and *s
 * unchanged.
 */
int settings_line(struct settings *s, const char *line, struct error *error);
/* Parses a file. Skips bad lines; error->text names the first with its number, "" = none. */
void settings_read(struct settings *s, FILE *file, struct error *error);
/* Writes the given options, and all other settings. 0 or -errno. */
int settings_write(const struct settings *s, FILE *file);

#define SETTINGS_OF_ALL "/etc/xdptop.conf"
/*
 * Opens the directory that settings_save() needs, and creates it if needed, which is not possible
 * after privilege_drop(). Returns an O_PATH descriptor, or -1 if nothing can be saved.
 */
int settings_directory(void);
