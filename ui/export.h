/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that keys write: asks for a path, and creates a new file there. Overwrites nothing. */
#pragma once

#include <time.h>
#include "base/path_walk.h"

struct prompt;
struct prompt_kind;
struct screen;

/*
 * Creates the file that the prompt names, which must not exist. Returns the descriptor, and *place
 * (may be NULL) for unlinkat() and path_place_close(); or -errno with an error in the prompt.
 */
int export_create(struct prompt *p, mode_t mode, struct path_place *place);
/* Whether writing has failed, which the prompt then says. `left`: the file still exists. */
bool export_failed(struct prompt *p, int err, bool left);
/* Notes the directory that files can be written below. Call before privilege_drop(). */
void export_open(struct screen *s);
/*
 * Asks for the path of a file, and says where it can be. If no file can be written, shows a
 * message instead. The suggested name has this time.
 */
void export_ask(struct screen *s, const struct prompt_kind *kind, const struct timespec *at,
		const char *suffix);
