/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiled terminfo entries, for machines whose database lacks them. Only the static program has
 * them (contrib/static/terminfo).
 */
#pragma once

struct terminfo_entry {
	const char *name, *value;
};

/* The last one has no name. NULL in the dynamic program. */
extern const struct terminfo_entry terminfo_entries[] __attribute__((weak));
