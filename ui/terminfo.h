/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TERMINFO_H
#define TERMINFO_H

/* A terminfo entry as a value of $TERMINFO. */
struct terminfo_entry {
	const char *name, *value;
};

/*
 * For machines whose database lacks them. The last one has no name. Only the static program has
 * them (contrib/static/terminfo). Elsewhere this is NULL.
 */
extern const struct terminfo_entry terminfo_entries[] __attribute__((weak));

#endif
