/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of interfaces, programs and processes are untrusted bytes: ESC, quotes, invalid UTF-8 and
 * bidi controls are legal in them. They pass here once, where they enter user space; every later
 * stage may print them.
 */
#ifndef XDPTOP_SANITIZE_H
#define XDPTOP_SANITIZE_H

#include <stddef.h>

/*
 * Copy at most `len` bytes of `raw` (ends early at NUL) into buf as valid UTF-8 without control,
 * format (bidi, zero-width) or invalid bytes: each such byte becomes \xNN, a backslash is doubled.
 * Never splits an escape; always terminates; returns the length. 4 * len + 1 bytes always suffice.
 */
int sanitize(char *buf, size_t size, const char *raw, size_t len);
/*
 * The same for text that claims to have passed here before, such as a name in a recording: nothing
 * unprintable gets through, and what is printable, backslashes included, stays as it is.
 */
int sanitize_keep_escapes(char *buf, size_t size, const char *text, size_t len);

#endif
