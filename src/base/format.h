/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and times as text of bounded width, the same in every locale. Nothing allocates. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <stdio.h>

enum number_style {
	NUMBER_SI,  /* 9999, 12.3k, 1.23M: exact below 10,000, never more than 5 characters */
	NUMBER_RAW, /* all digits */
};

/* All return a length as snprintf() does, and terminate buf. A NAN is "?". */
int format_count(char *buf, size_t size, uint64_t n, enum number_style style);
/* A rate >= 0: "<0.01", "0.25", "3.1", "13"; "0" only for 0. */
int format_rate(char *buf, size_t size, double n, enum number_style style);
/* A mean >= 0: "<0.01", "1.00", "15.9", "1500". */
int format_average(char *buf, size_t size, double n, enum number_style style);
/* "0", "<0.1", "12.5", "100"; 99.99 is "99.9". Without a % sign. */
int format_percent(char *buf, size_t size, double percent);
/* "3s", "4m10s", "2h05m", "3d04h", "100d" */
int format_age(char *buf, size_t size, double seconds);
/* " 3s ago", "" if it is 0. Returns buf. */
const char *format_ago(char *buf, size_t size, double seconds);
/* A short time: "804ns", "1.204us", "35.12ms", "-1.204us", "12.04s"; an age from 1000 s. */
int format_gap(char *buf, size_t size, double seconds);
/* "2026-11-21T09:15:00.123456Z" */
int format_time(char *buf, size_t size, const struct timespec *t);
/* "2026-11-21T09:15:00.123456789Z" */
int format_time_ns(char *buf, size_t size, const struct timespec *t);
/* "09:15:00" local time */
int format_clock(char *buf, size_t size, const struct timespec *t);
/* "09:15:00.123456789" local time */
int format_clock_ns(char *buf, size_t size, const struct timespec *t);
/* "2026-11-21 09:15:00" local time */
int format_date(char *buf, size_t size, const struct timespec *t);
/* Columns of a printable text on the screen. A byte that is not UTF-8 takes one. */
int format_width(const char *text);
/*
 * Copies `width` columns of text: padded with blanks, or cut and marked with `+`, after a word if
 * that is in the second half.
 */
void format_fit(char *buf, size_t size, const char *text, int width, bool right);
/* A terminated text that grows in its owner's array. */
struct format_text {
	char *buf;
	size_t size, len;
};

/* Appends; truncates what does not fit. */
void __attribute__((format(printf, 2, 3)))
format_add(struct format_text *t, const char *format, ...);
/*
 * Writes ASCII text and a newline, broken at blanks into lines of at most `width` columns. The
 * cursor is at column `at`. Further lines are indented by `indent`.
 */
void wrap(FILE *to, const char *text, int at, int indent, int width);
/* Copies the first line of a text to buf and returns the rest. NULL = there is none. */
const char *next_line(const char *text, char *buf, size_t size);
