/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that keys write: asks for a path, and creates a new file there. Overwrites nothing. */
#pragma once

#include <time.h>
#include "base/error.h"
#include "base/path_walk.h"

struct prompt_kind;
struct screen;

/*
 * Creates a file. Fails if it exists. Returns the descriptor, and *place for unlinkat() and
 * path_place_close(); or -errno and *error.
 */
int export_create(const char *path, mode_t mode, struct path_place *place, struct error *error);
/* Notes the directory that files can be written below. Call before privilege_drop(). */
void export_open(struct screen *s);
/*
 * Asks for the path of a file, and says where it can be. If it can be nowhere, shows a message
 * instead. The suggested name has this time.
 */
void export_ask(struct screen *s, const struct prompt_kind *kind, const struct timespec *at,
		const char *suffix);
