/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What W saves and the next start finds again: one `name = value` a line. An option is saved when
 * its row in option_rows names a setting. No curses.
 */
#ifndef XDPTOP_UI_SETTINGS_H
#define XDPTOP_UI_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/format.h"
#include "cli/options.h"
#include "view_state.h"

struct settings {
	uint32_t locked;        /* as options.given: options that the file does not change */
	struct options options; /* those with a setting: option_row.setting */
	enum rate_unit unit;
	enum number_style numbers;
	struct view_state view_state[VIEW_COUNT]; /* the view's own where not in the file */
};

/* As without a file. What `options` gives, no line changes. */
void settings_init(struct settings *s, const struct options *options);
/*
 * One line into *s: 0, also for blank lines and `#` comments; -EINVAL with what is wrong with it in
 * `why`, and *s as before.
 */
int settings_line(struct settings *s, const char *line, char *why, size_t size);
/* A whole file; bad lines are skipped, the first is told in `why` with its number ("" = none). */
void settings_read(struct settings *s, FILE *file, char *why, size_t size);
/* Of the options those that are given, and all else. 0 or -errno. */
int settings_write(const struct settings *s, FILE *file);

/*
 * The user's file: $XDG_CONFIG_HOME/xdptop/config, else ~/.config/xdptop/config. It is read when it
 * is a regular file of the user who runs this (under sudo, of the caller) that nobody else may
 * write; no file is no error. 0, or -errno with a message.
 */
int settings_load(struct settings *s, char *why, size_t size);
/*
 * Written beside it, read back, and renamed; never as root into a directory of somebody else. 0
 * and the path in `why`, or -errno with a message.
 */
int settings_save(const struct settings *s, char *why, size_t size);

#endif
