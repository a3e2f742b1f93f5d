/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exit codes: an interface to scripts, see the manual page. */
#pragma once

enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,        /* while running */
	EXIT_USAGE = 2,         /* the command line */
	EXIT_PRIVILEGE = 3,     /* a capability is missing */
	EXIT_NO_TRACEPOINT = 4, /* no requested tracepoint could be attached */
	EXIT_FILE = 5,          /* an output or input file */
	EXIT_FINDINGS = 6,      /* --check or --diff found something */
};
