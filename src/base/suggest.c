// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "base/suggest.h"

#define NAME_MAX_LEN 64 /* longer words match nothing */

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

static void add_near(struct suggestions *s, const char *word, const char *name, bool loose)
{
	int near = score(word, name, loose), at;

	if (near == INT_MAX)
		return;
	for (int i = 0; i < s->n; i++)
		if (!strcmp(s->best[i], name))
			return;
	/* stable: equal scores keep the caller's order */
	for (at = s->n; at > 0 && s->score[at - 1] > near; at--)
		;
	if (at == SUGGESTIONS_MAX)
		return;
	for (int j = s->n < SUGGESTIONS_MAX ? s->n : SUGGESTIONS_MAX - 1; j > at; j--) {
		s->best[j] = s->best[j - 1];
		s->score[j] = s->score[j - 1];
	}
	s->best[at] = name;
	s->score[at] = near;
	s->n += s->n < SUGGESTIONS_MAX;
}

void suggestions_add(struct suggestions *s, const char *word, const char *name)
{
	add_near(s, word, name, false);
}

int suggestions_text(const struct suggestions *s, char *buf, size_t size)
{
	size_t len = 0;

	if (size)
		buf[0] = '\0';
	for (int i = 0; i < s->n && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%s", i ? ", " : "", s->best[i]);
	return s->n;
}

static int suggest_names(const char *word, const char *(*name)(size_t i), size_t n, bool loose,
			 char *buf, size_t size)
{
	struct suggestions s = { .n = 0 };

	for (size_t i = 0; i < n; i++) {
		const char *candidate = name(i);

		if (candidate && *candidate)
			add_near(&s, word, candidate, loose);
	}
	return suggestions_text(&s, buf, size);
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
