/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a row to others that are about the same. */
#ifndef XDPTOP_UI_GOTO_ROW_H
#define XDPTOP_UI_GOTO_ROW_H

#include "screen.h"

/* A row whose CPUs are shown, by its id in a view without filter. */
struct cpus_of {
	enum view_id view;
	uint64_t id;
	char name[128];
};

/*
 * The row whose CPUs belong to the selected row: itself, or the one that a finding or event is
 * about. False = none has; *why says so.
 */
bool cpus_find(const struct screen *s, struct cpus_of *of, const char **why);
/*
 * Builds all rows of a view in table order, the filter is for those that are listed; or the CPUs of
 * the row `drill`. 0 or -ENOMEM.
 */
int rows_build(const struct screen *s, enum view_id view, uint64_t drill, struct table *t);

#endif
