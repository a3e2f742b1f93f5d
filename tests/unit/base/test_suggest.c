// SPDX-License-Identifier: GPL-2.0-or-later
/* What a message suggests instead of an unknown name. */
#include <stdlib.h>
#include <string.h>
#include "base/suggest.h"
#include "unit/test.h"

/* 64 characters: the longest word that is compared. */
#define LONG "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl"

static const char *const names[] = { "drops",     "rate",  NULL,   "",     "drops_total",
				     "drops_per", "state", "date", "late", LONG };

static const char *name(size_t i)
{
	return names[i];
}

static void expect(const char *word, const char *list)
{
	size_t size = strlen(list) + 1;
	char *buf = malloc(size); /* exact, so that ASan sees one byte more */
	char whole[256];
	int n = 0;

	for (const char *p = list; *p; p++)
		n += *p == ',';
	assert_int_equal(suggest(word, name, sizeof(names) / sizeof(names[0]), whole,
				 sizeof(whole)),
			 *list ? n + 1 : 0);
	assert_string_equal(whole, list);
	suggest(word, name, sizeof(names) / sizeof(names[0]), buf, size);
	assert_string_equal(buf, list);
	if (size > 2) {
		/* one byte less truncates */
		char *shorter = malloc(size - 1);

		suggest(word, name, sizeof(names) / sizeof(names[0]), shorter, size - 1);
		assert_memory_equal(shorter, list, size - 2);
		assert_int_equal(shorter[size - 2], '\0');
		free(shorter);
	}
	free(buf);
}

TEST(test_nearest)
{
	/* the name itself, then names that contain it, in table order */
	expect("drops", "drops, drops_total, drops_per");
	expect("DROPS", "drops, drops_total, drops_per");
	/* one edit of each kind: insertion, deletion, replacement, swap */
	expect("droops", "drops");
	expect("dops", "drops");
	expect("dr0ps", "drops, drops_total, drops_per");
	expect("rdops", "drops, drops_total, drops_per");
	expect("drosp", "drops, drops_total, drops_per");
	/* the nearest first, ties in table order, at most three */
	expect("mate", "rate, date, late");
	expect("stat", "state");
	/* a swap at the end of a longer word is one edit, not two */
	expect("drops_toatl", "drops_total");
	/* a third of a long word may be wrong */
	expect("drxxs_totax", "drops_total");
	expect("dxxxs_totax", "");
	/* misspelt beginning of a name */
	expect("dropz_", "drops, drops_total, drops_per");
	/* only parts of at least three characters are searched */
	expect("per", "drops_per");
	expect("xy", "");
	expect("", "");
	expect(LONG, LONG);
	expect(LONG "m", "");
	expect("bcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklm", LONG);
}

/* If no name is near, half a word suffices. */
TEST(test_at_all)
{
	char buf[64];

	assert_int_equal(
		suggest_loose("dxxxs_totax", name, sizeof(names) / sizeof(names[0]), buf, 64), 1);
	assert_string_equal(buf, "drops_total");
	assert_int_equal(suggest_loose("droops", name, sizeof(names) / sizeof(names[0]), buf, 64),
			 1);
	assert_string_equal(buf, "drops");
	assert_int_equal(suggest_loose("xyxyxy", name, sizeof(names) / sizeof(names[0]), buf, 64),
			 0);
	assert_string_equal(buf, "");
}
