// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/change.h"

#include <string.h>

#define CHANGE_WORD(id, letter, name, help) [CHANGE_##id] = { name, help, letter },
const struct change_word change_words[CHANGES] = { { "", "", 0 }, CHANGE_ROWS(CHANGE_WORD) };

enum change change_find(const char *name)
{
	for (int i = 1; i < CHANGES; i++)
		if (!strcmp(change_words[i].name, name))
			return (enum change)i;
	return CHANGE_NONE;
}
