// SPDX-License-Identifier: GPL-2.0-or-later
#include "demo.h"

#include <stdio.h>

int demo_run(int argc, char **argv)
{
	fputs("rig: demo: not yet\n", stderr);
	return 1;
}
