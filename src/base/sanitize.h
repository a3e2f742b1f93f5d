/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of interfaces, programs and processes are untrusted: the kernel allows ESC, quotes, invalid
 * UTF-8 and bidi controls. They are sanitized once, where they enter. All later code prints them.
 */
#pragma once

#include <stddef.h>

/*
 * Copy at most `len` bytes of `raw` (ends early at NUL) into buf as valid UTF-8. Each byte of a
 * control or format character (bidi, zero-width), of a right-to-left letter, of a combining
 * character (in a UTF-8 locale) and each invalid byte becomes \xNN. A backslash is doubled. Never
 * splits an escape; always terminates; returns the length. 4 * len + 1 bytes always suffice.
 */
int sanitize(char *buf, size_t size, const char *raw, size_t len);
/*
 * The same for text that was sanitized before, such as a name in a recording: keeps its escapes.
 * Any other backslash is doubled, so that in sanitized text each backslash begins an escape.
 */
int sanitize_keep_escapes(char *buf, size_t size, const char *text, size_t len);
/*
 * The same for text that the user typed, such as a filter or a path: a backslash stays as it is.
 * Repeating it changes nothing.
 */
int sanitize_text(char *buf, size_t size, const char *text, size_t len);
/*
 * snprintf() of sanitized text, truncated after a whole character or escape. Returns the length of
 * the result.
 */
int sanitize_format(char *buf, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Length of the escape at s: 2 = a doubled backslash, 4 = \xNN, 0 = none. Reads at most len bytes,
 * and none after a NUL.
 */
size_t sanitize_escape(const char *s, size_t len);
