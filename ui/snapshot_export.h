/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XDPTOP_UI_SNAPSHOT_EXPORT_H
#define XDPTOP_UI_SNAPSHOT_EXPORT_H

#include "base/error.h"
#include "base/path_walk.h"

/*
 * Creates a file; fails if it exists. Returns the descriptor, and *place for unlinkat() and
 * path_place_close(); or -errno and *error.
 */
int export_create(const char *path, struct path_place *place, struct error *error);

#endif
