// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/container_ref.h"

#include <string.h>

#define HEX        "0123456789abcdef"
#define STATIC_LEN 32 /* uid of a static pod: the hash of its manifest */

/*
 * The uid after "pod": "pod6b1c2d3e-..." from the cgroupfs driver, "...-pod6b1c2d3e_....slice" from
 * systemd's, where a dash in a name means a slash.
 */
static void parse_uid(char *to, const char *s)
{
	size_t len = strspn(s, HEX "-_");

	if ((len != POD_UID_LEN && len != STATIC_LEN) || !strchr("./\n", s[len]))
		return;
	for (size_t i = 0; i < len; i++)
		to[i] = s[i] == '_' ? '-' : s[i];
	to[len] = '\0';
}

void container_ref_parse(struct container_ref *to, const char *cgroup, size_t len)
{
	char text[4096];
	size_t used = 0;

	while (used < len && used < sizeof(text) - 1 && cgroup[used]) {
		text[used] = cgroup[used];
		used++;
	}
	text[used] = '\0';
	memset(to, 0, sizeof(*to));
	for (const char *s = text; *s;) {
		size_t digits = strspn(s, HEX);

		if (digits == CONTAINER_ID_LEN)
			memcpy(to->id, s, digits);
		if (!digits && !strncmp(s, "pod", 3) && (s == text || strchr("/-", s[-1])))
			parse_uid(to->pod_uid, s + 3);
		s += digits ? digits : 1;
	}
}
