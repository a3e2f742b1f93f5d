// SPDX-License-Identifier: GPL-2.0-or-later
#include "wrap.h"

#include <string.h>

void wrap(FILE *to, const char *text, int at, int indent, int width)
{
	int room = width - at;

	while ((int)strlen(text) > room && room > 0) {
		int cut = room;

		while (cut > 0 && text[cut] != ' ')
			cut--;
		if (!cut)
			break; /* a word longer than a line stays whole */
		fprintf(to, "%.*s\n%*s", cut, text, indent, "");
		text += cut + 1;
		room = width - indent;
	}
	fprintf(to, "%s\n", text);
}
