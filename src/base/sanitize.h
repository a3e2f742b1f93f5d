/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of interfaces, programs and processes are untrusted: the kernel allows ESC, quotes, invalid
 * UTF-8 and bidi controls. They are sanitized once, where they enter; all later code prints them.
 */
#ifndef XDPTOP_SANITIZE_H
#define XDPTOP_SANITIZE_H

#include <stddef.h>

/*
 * Copy at most `len` bytes of `raw` (ends early at NUL) into buf as valid UTF-8 without control,
 * format (bidi, zero-width) or invalid bytes, letters that run from right to left, and, in a UTF-8
 * locale, combining ones: each such byte becomes \xNN, a backslash is doubled.
 * Never splits an escape; always terminates; returns the length. 4 * len + 1 bytes always suffice.
 */
int sanitize(char *buf, size_t size, const char *raw, size_t len);
/*
 * The same for text that was sanitized before, such as a name in a recording: keeps its escapes. A
 * backslash that begins none is doubled, so that in all sanitized text each backslash does.
 */
int sanitize_keep_escapes(char *buf, size_t size, const char *text, size_t len);
/*
 * The same for what the user typed, such as a filter or a path: a backslash stays as it is. To do
 * it again changes nothing.
 */
int sanitize_text(char *buf, size_t size, const char *text, size_t len);
/*
 * snprintf() of sanitized text: what does not fit ends behind a whole character or escape. Returns
 * the length of what is there.
 */
int sanitize_format(char *buf, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Length of the escape at s: 2 = a doubled backslash, 4 = \xNN, 0 = none. Reads len bytes at most,
 * none behind a NUL.
 */
size_t sanitize_escape(const char *s, size_t len);

#endif
