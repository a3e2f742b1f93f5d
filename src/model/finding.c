// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/finding.h"

static const char *const severity_names[FINDING_SEVERITIES] = {
	[FINDING_INFO] = "info",
	[FINDING_WARNING] = "warning",
	[FINDING_CRITICAL] = "critical",
};

const char *finding_severity_name(enum finding_severity severity)
{
	return (size_t)severity < FINDING_SEVERITIES ? severity_names[severity] : "unknown";
}
