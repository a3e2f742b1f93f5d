/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory for the files of a test, removed afterwards. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "test.h"

static char root[32];

static inline int make_root(void **state)
{
	strcpy(root, "/tmp/xdptop-test.XXXXXX");
	return !mkdtemp(root);
}

static inline int remove_root(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}
