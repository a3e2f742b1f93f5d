/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names nearest to a mistyped one, for "nearest: a, b" in messages about tracepoints, columns,
 * views and options.
 */
#pragma once

#include <stddef.h>

#define SUGGESTIONS_MAX 3

/* The nearest of the names that were added, best first. */
struct suggestions {
	const char *best[SUGGESTIONS_MAX];
	int score[SUGGESTIONS_MAX];
	int n;
};

/* Names must stay valid. Skips a name that was added before. */
void suggestions_add(struct suggestions *s, const char *word, const char *name);
/* Comma separated; "" when none is near. Returns how many. */
int suggestions_text(const struct suggestions *s, char *buf, size_t size);

/*
 * name(i) for i < n are the candidates; NULL or "" is skipped. Writes at most three, best first,
 * comma separated; "" when none is near. Returns how many.
 */
int suggest(const char *word, const char *(*name)(size_t i), size_t n, char *buf, size_t size);
/* The same; if none is near, names in which up to half of the letters differ. */
int suggest_loose(const char *word, const char *(*name)(size_t i), size_t n, char *buf,
		  size_t size);
