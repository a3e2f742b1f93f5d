/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers as text of bounded width, the same in every locale. Nothing here allocates.
 */
#ifndef XDPTOP_FORMAT_H
#define XDPTOP_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum number_style {
	NUMBER_SI,      /* 999, 1.23k, 12.3M: at most 6 characters; exact below 10,000 */
	NUMBER_RAW,     /* all digits */
	NUMBER_GROUPED, /* 1,234,567 */
};

/*
 * All return the length written, as snprintf does, and always terminate. SI style never exceeds 6
 * characters for any uint64_t and grows monotonically (no width jump between 999999 and 1000000).
 */
int format_count(char *buf, size_t size, uint64_t n, enum number_style style);
/* A rate: fractions below 10 ("0.25", "3.1"), "0" only for exactly zero, "<0.01" below. */
int format_rate(char *buf, size_t size, double n, enum number_style style);
/* A mean: "1.00", "15.9", "1500": two decimals below 10, one below 100. */
int format_average(char *buf, size_t size, double n, enum number_style style);
/* "0", "<0.1", "12.5", "100"; below 100 never shown as 100. Without the sign. */
int format_percent(char *buf, size_t size, double percent);
/* "3s", "4m10s", "2h05m", "3d04h", "100d" */
int format_age(char *buf, size_t size, double seconds);
/* "2026-11-21T09:15:00.123456Z" */
int format_time(char *buf, size_t size, const struct timespec *t);
/* "09:15:00" local time */
int format_clock(char *buf, size_t size, const struct timespec *t);
/* "2026-11-21 09:15:00" local time */
int format_date(char *buf, size_t size, const struct timespec *t);
/* Columns that printable UTF-8 text takes on the screen (wcwidth; bytes when not UTF-8). */
int format_width(const char *text);
/* Copy at most `width` columns of text, padded with blanks to exactly that, cut marked by `+`. */
void format_fit(char *buf, size_t size, const char *text, int width, bool right);
/* Where a text has the number of a namespace or map, as in "eth0 (ns:4026532524)"; in bytes. */
struct id_span {
	uint16_t at;     /* of the label, "ns:" */
	uint16_t label;  /* length of the label */
	uint16_t digits; /* behind the label; 0 = the text has no such number */
};

/* before, label, number and after in a row; *id is set to where the number is. */
int format_id(char *buf, size_t size, const char *before, const char *label, uint32_t number,
	      const char *after, struct id_span *id);
/*
 * In place: cut the label and first digits of the number when the text is wider than `width`
 * columns. Inodes and map ids differ in their last digits: "+6532524", "eth0 (+6532524)". The text
 * stays as it is where this is not enough.
 */
void format_cut_id(char *text, int width, const struct id_span *id);

#endif
