// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "base/suggest.h"

#define NAME_MAX_LEN    64 /* longer words match nothing */
#define SUGGESTIONS_MAX 3

/* Edits (insert, delete, replace, swap of neighbours) from a to b, ignoring case. */
static int distance(const char *a, const char *b)
{
	int row[3][NAME_MAX_LEN + 1];
	int n = (int)strlen(b);

	for (int j = 0; j <= n; j++)
		row[0][j] = j;
	for (int i = 1; a[i - 1]; i++) {
		int *two_above = row[(i + 1) % 3], *above = row[(i + 2) % 3], *now = row[i % 3];

		now[0] = i;
		for (int j = 1; j <= n; j++) {
			bool same = !strncasecmp(&a[i - 1], &b[j - 1], 1);
			int best = above[j - 1] + !same;

			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && two_above[j - 2] + 1 < best &&
			    !strncasecmp(&a[i - 1], &b[j - 2], 1) &&
			    !strncasecmp(&a[i - 2], &b[j - 1], 1))
				best = two_above[j - 2] + 1;
			now[j] = best;
		}
	}
	return row[strlen(a) % 3][n];
}

/*
 * Lower is nearer; INT_MAX = no match. Order: misspelled names, names that contain the word, names
 * that begin with a misspelling of it.
 */
static int score(const char *word, const char *name, bool loose)
{
	char start[NAME_MAX_LEN + 1];
	size_t len = strlen(word);
	int d;

	if (!len || len > NAME_MAX_LEN || strlen(name) > NAME_MAX_LEN)
		return INT_MAX;
	d = distance(word, name);
	if (d <= 2 && d < (int)len)
		return d;
	if (len >= 3 && strcasestr(name, word))
		return 3;
	if (d <= (int)len / 3)
		return 3 + d;
	if (loose && d <= (int)len / 2)
		return NAME_MAX_LEN + d;
	snprintf(start, sizeof(start), "%.*s", (int)len, name);
	return len >= 4 && distance(word, start) <= 1 ? 2 * NAME_MAX_LEN : INT_MAX;
}

static int suggest_names(const char *word, const char *(*name)(size_t i), size_t n, bool loose,
			 char *buf, size_t size)
{
	const char *best[SUGGESTIONS_MAX] = { 0 };
	int scores[SUGGESTIONS_MAX], n_best = 0;
	size_t len = 0;

	if (size)
		buf[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		const char *candidate = name(i);
		int s, at;

		if (!candidate || !*candidate)
			continue;
		s = score(word, candidate, loose);
		if (s == INT_MAX)
			continue;
		/* stable: equal scores keep the caller's order */
		for (at = n_best; at > 0 && scores[at - 1] > s; at--)
			;
		if (at == SUGGESTIONS_MAX)
			continue;
		for (int j = n_best < SUGGESTIONS_MAX ? n_best : SUGGESTIONS_MAX - 1; j > at; j--) {
			best[j] = best[j - 1];
			scores[j] = scores[j - 1];
		}
		best[at] = candidate;
		scores[at] = s;
		if (n_best < SUGGESTIONS_MAX)
			n_best++;
	}
	for (int i = 0; i < n_best && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%s", i ? ", " : "", best[i]);
	return n_best;
}

int suggest(const char *word, const char *(*name)(size_t i), size_t n, char *buf, size_t size)
{
	return suggest_names(word, name, n, false, buf, size);
}

int suggest_loose(const char *word, const char *(*name)(size_t i), size_t n, char *buf, size_t size)
{
	int found = suggest_names(word, name, n, false, buf, size);

	return found ? found : suggest_names(word, name, n, true, buf, size);
}
