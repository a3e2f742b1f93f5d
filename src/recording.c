// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording.h"

#include <errno.h>
#include <stdio.h>

int recording_open(struct source **s, const struct options *options, int *exit_code, char *why,
		   size_t why_size)
{
	*exit_code = EXIT_FILE;
	snprintf(why, why_size, "%s: replay is not there yet; wait for it", options->read);
	return -EOPNOTSUPP;
}
