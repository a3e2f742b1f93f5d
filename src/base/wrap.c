// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/wrap.h"

#include <string.h>

void wrap(FILE *to, const char *text, int at, int indent, int width)
{
	int room = width - at;

	while ((int)strlen(text) > room) {
		int cut = room > 0 ? room : 0;

		while (cut > 0 && text[cut] != ' ')
			cut--;
		/* a word longer than a line stays whole */
		if (!cut)
			cut = (int)strcspn(text, " ");
		if (!text[cut])
			break;
		fprintf(to, "%.*s\n%*s", cut, text, indent, "");
		text += cut + 1;
		room = width - indent;
	}
	fprintf(to, "%s\n", text);
}

const char *next_line(const char *lines, char *buf, size_t size)
{
	size_t len;

	if (!lines || !*lines)
		return NULL;
	len = strcspn(lines, "\n");
	snprintf(buf, size, "%.*s", (int)len, lines);
	return lines + len + (lines[len] == '\n');
}
