// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/finding.h"

#include <stdio.h>
#include "base/clock.h"

static const char *const severity_names[FINDING_SEVERITIES] = {
	[FINDING_INFO] = "info",
	[FINDING_WARNING] = "warning",
	[FINDING_CRITICAL] = "critical",
};

bool finding_is_from(const struct finding *f, uint32_t netns, uint32_t ifindex)
{
	for (uint8_t i = 0; i < f->sources.n; i++)
		if (f->sources.dev[i].netns == netns && f->sources.dev[i].ifindex == ifindex)
			return true;
	return f->location.dev.netns == netns && f->location.dev.ifindex == ifindex;
}

void finding_sources_text(const struct finding *f, char *buf, size_t size)
{
	const struct finding_sources *s = &f->sources;
	size_t len = 0;

	buf[0] = '\0';
	for (uint8_t i = 0; i < s->n && s->n > 1 && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%s%s", i ? ", " : "",
					s->dev[i].name, s->more && i + 1 == s->n ? ", ..." : "");
}

uint64_t finding_clears_ns(const struct finding *f)
{
	const uint64_t from = f->uncounted_ns > f->last_ns ? f->uncounted_ns : f->last_ns;

	return f->active && !f->seen && !f->uncounted ? from + FINDING_HOLD_S * NSEC_PER_SEC : 0;
}

const char *finding_severity_name(enum finding_severity severity)
{
	return (size_t)severity < FINDING_SEVERITIES ? severity_names[severity] : "unknown";
}
