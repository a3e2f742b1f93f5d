/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that is always there: if there is none, the program says so and ends, as htop and tmux do,
 * and the terminal is restored. Sizes that others choose are bounded before they get here.
 */
#pragma once

#include <stddef.h>

/* Call first in main(): the message comes after the terminal is restored (at_quick_exit()). */
void memory_begin(void);
/* Ends the program, for memory that a library did not get. */
void memory_missing(void) __attribute__((noreturn));

/* n zeroed elements. */
void *memory_new(size_t n, size_t size);
/* n elements, those of `old` (may be NULL) first. Invalidates pointers into it. */
void *memory_resize(void *old, size_t n, size_t size);
/* A copy of a text, and of its first bytes. */
char *memory_text(const char *text);
char *memory_text_part(const char *text, size_t len);

/*
 * Ends the program if there is no memory for the objects of a JSON text of len bytes. Call it
 * before json-c parses the text, because json-c does not check all that it allocates: if an
 * allocation fails, json_tokener_parse_ex() calls strlen(NULL), or reports the text as invalid.
 */
void json_memory(size_t len);
