// SPDX-License-Identifier: GPL-2.0-or-later
#include "explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "names.h"

/* A number as people copy it out of other tools: 95 or -95; 0 when it is none. */
static int parse_errno(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	return end == text || *end || n < -4095 || n > 4095 ? 0 : (int)labs(n);
}

static bool explain_errno(const char *name)
{
	int err = errno_find(name);
	const char *known;

	if (err <= 0)
		err = parse_errno(name);
	known = err > 0 ? errno_name(err) : NULL;
	if (!known)
		return false;
	printf("%s (-%d): %s\n", known, err, strerror(err));
	return true;
}

static bool explain_act(const char *name)
{
	char buf[24];
	int act = act_find(name);

	if (act < 0)
		return false;
	printf("%s (%d): an action that an XDP program returns\n", act_name(act, buf, sizeof(buf)),
	       act);
	return true;
}

static bool explain_tracepoint(const char *name)
{
	int id = tracepoint_find(name);

	if (id < 0)
		return false;
	printf("%s: %s\nfires: %s\n", name, tracepoints[id].what, tracepoints[id].fires);
	return true;
}

static void explain_all(void)
{
	int i;

	for (i = 0; i < TP_COUNT; i++) {
		if (tracepoints[i].name[0])
			printf("%-28s %s\n", tracepoints[i].name, tracepoints[i].what);
	}
}

int explain(const struct options *options)
{
	const char *name = options->explain;
	char near[160];

	if (!name) {
		explain_all();
	} else if (!explain_tracepoint(name) && !explain_act(name) && !explain_errno(name)) {
		tracepoint_suggest(name, near, sizeof(near));
		fprintf(stderr, "xdptop: --explain: nothing known about '%.40s'; %s%s\n", name,
			near[0] ? "nearest: "
				: "give an errno, an action or a tracepoint, "
				  "or nothing for all",
			near);
		return EXIT_USAGE;
	}
	return EXIT_DONE;
}
