/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times as a user gives them. */
#pragma once

#include <stdbool.h>
#include <time.h>

#define TIME_TEXT_FORMS "09:15, 09:15:30, 2026-11-21 09:15, +90 or -5m"

/*
 * Local time, by default on the day of *t, or UTC if it ends with Z, or a number of
 * seconds, minutes, hours or days from *t. False = none of these; *t is then undefined.
 */
bool time_text_parse(const char *text, struct timespec *t);
/* The same from *base. A time without a date is the last one up to *base, or the first from it. */
bool time_text_parse_near(const char *text, const struct timespec *base, bool after,
			  struct timespec *t);
