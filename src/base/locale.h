/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The character set, once at the start and before the drop of privileges: the static program may
 * write its own locale to a file for a moment.
 */
#pragma once

/*
 * Sets the character set from the environment: UTF-8 if LC_ALL, LC_CTYPE or LANG says so, even if
 * this machine lacks that locale, else ASCII. Numbers stay as in C.
 */
void locale_set(void);

/* LC_CTYPE of C.UTF-8, in the static program (contrib/static/locale.c); elsewhere NULL. */
extern const char locale_ctype[] __attribute__((weak)), locale_ctype_end[] __attribute__((weak));
