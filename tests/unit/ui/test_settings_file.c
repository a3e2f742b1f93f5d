// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ui/settings.h"
#include "unit/test.h"

/* In place of libc's. */
FILE *fdopen(int fd, const char *mode)
{
	errno = ENOMEM;
	return NULL;
}

TEST(test_no_memory)
{
	char dir[] = "/tmp/settings.XXXXXX", path[64];
	struct settings settings;
	struct options options;
	struct error error = { 0 };
	FILE *file;

	options_default(&options);
	settings_init(&settings, &options);
	assert_non_null(mkdtemp(dir));
	assert_int_equal(setenv("XDG_CONFIG_HOME", dir, 1), 0);
	snprintf(path, sizeof(path), "%s/xdptop", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chdir(path), 0);
	umask(077);
	file = fopen("config", "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(settings_load(&settings, &error), -ENOMEM);
	assert_non_null(strstr(error.text, "settings not read: Cannot allocate memory: "));
	assert_non_null(strstr(error.text, path));
	unlink("config");
	rmdir(path);
	rmdir(dir);
}
