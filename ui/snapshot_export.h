/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that the screen writes. */
#ifndef XDPTOP_UI_SNAPSHOT_EXPORT_H
#define XDPTOP_UI_SNAPSHOT_EXPORT_H

#include <stddef.h>
#include "base/path_walk.h"

/*
 * Makes a new file to write to. The descriptor, and *place is for unlinkat() and
 * path_place_close(); or -errno, with a message in why.
 */
int export_create(const char *path, struct path_place *place, char *why, size_t size);

#endif
