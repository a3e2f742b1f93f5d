/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times as a user gives them. */
#ifndef XDPTOP_TIME_TEXT_H
#define XDPTOP_TIME_TEXT_H

#include <stdbool.h>
#include <time.h>

#define TIME_TEXT_FORMS "09:15, 09:15:30, 2026-11-21 09:15, +90 or -5m"

/*
 * Local time, by default on the day of *t, or a number of seconds, minutes or hours from *t. False
 * = neither; *t is then undefined.
 */
bool time_text_parse(const char *text, struct timespec *t);

#endif
