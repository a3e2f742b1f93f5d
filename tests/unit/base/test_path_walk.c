// SPDX-License-Identifier: GPL-2.0-or-later
/* Root's path leads where root meant, whatever others put into their directories. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/path_walk.h"
#include "unit/test.h"

#define OTHER 65534

static char top[32];

static int enter_top(void **state)
{
	strcpy(top, "/tmp/xdptop-path-XXXXXX");
	return !mkdtemp(top) || chdir(top) || chmod(top, 0755) || mkdir("dir", 0755) ||
	       mkdir("there", 0755) || close(creat("there/file", 0600));
}

static int remove_top(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command);
}

static void leads(const char *path, const char *dir, const char *name)
{
	struct error error = { 0 };
	struct path_place p;
	struct stat want, got;

	assert_int_equal(path_walk(path, &p, &error), 0);
	assert_string_equal(p.name, name);
	assert_int_equal(stat(dir, &want) | fstat(p.dir, &got), 0);
	assert_true(want.st_ino == got.st_ino && want.st_dev == got.st_dev);
	path_place_close(&p);
	assert_int_equal(p.dir, -1);
}

static void fails(const char *path, int err, const char *word)
{
	struct path_place p;
	struct error error = { 0 };

	assert_int_equal(path_walk(path, &p, &error), err);
	assert_int_equal(p.dir, -1);
	if (!strstr(error.text, word ? word : strerror(-err)))
		fail_msg("'%s' is not in: %s", word ? word : strerror(-err), error.text);
}

TEST_WITH(test_leads, enter_top, remove_top)
{
	char path[128];

	leads("new", ".", "new");
	leads("./dir//new", "dir", "new");
	leads("dir/../there/file", "there", "file");
	snprintf(path, sizeof(path), "%s/dir/new", top);
	leads(path, "dir", "new");
	assert_int_equal(symlink("../there/file", "dir/file"), 0);
	leads("dir/file", "there", "file");
	/* to a missing name, through a second link, and from the root */
	assert_int_equal(symlink("later", "there/next"), 0);
	snprintf(path, sizeof(path), "%s/there", top);
	assert_int_equal(symlink(path, "dir/back"), 0);
	leads("dir/back/next", "there", "later");
	leads("/dev/stdout", "/proc/self/fd", "1");
}

TEST_WITH(test_fails, enter_top, remove_top)
{
	char path[NAME_MAX + 8];

	fails("", -EISDIR, NULL);
	fails("/", -EISDIR, NULL);
	fails("dir/", -EISDIR, NULL);
	fails("none/new", -ENOENT, NULL);
	fails("there/file/new", -ENOTDIR, NULL);
	assert_int_equal(symlink("loop", "loop"), 0);
	fails("loop", -ELOOP, NULL);
	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	fails(path, -ENAMETOOLONG, NULL);
}

/* In a directory that everybody can write, the name may become a link at any moment. */
TEST_WITH(test_directory_of_all, enter_top, remove_top)
{
	assert_int_equal(symlink("../there/file", "dir/file"), 0);
	assert_int_equal(symlink("../there", "dir/back"), 0);
	assert_int_equal(chmod("dir", 0777), 0);
	fails("dir/new", -EPERM, "anyone could replace 'new' with a link");
	fails("dir/back/new", -EPERM, "'back'");
	assert_int_equal(chmod("dir", 01777), 0);
	leads("dir/new", "dir", "new");
	leads("dir/file", "there", "file");
	assert_int_equal(chmod("dir", 0755), 0);
}

TEST_WITH(test_link_of_another, enter_top, remove_top)
{
	if (geteuid())
		skip();
	assert_int_equal(symlink("../there/file", "dir/trap"), 0);
	assert_int_equal(symlink("../there", "dir/door"), 0);
	assert_int_equal(lchown("dir/trap", OTHER, OTHER) | lchown("dir/door", OTHER, OTHER), 0);
	fails("dir/trap", -EPERM, "'trap' is a symbolic link owned by user 65534");
	fails("dir/door/new", -EPERM, "'door' is a symbolic link owned by user 65534");
	/* after a link of root */
	assert_int_equal(symlink("dir/trap", "fine"), 0);
	fails("fine", -EPERM, "'trap'");
}

TEST_WITH(test_shared, enter_top, remove_top)
{
	struct path_place p;
	struct error error = { 0 };

	assert_int_equal(path_walk("dir/new", &p, &error), 0);
	assert_false(p.shared);
	path_place_close(&p);
	assert_int_equal(chmod("dir", 0775), 0);
	assert_int_equal(path_walk("dir/new", &p, &error), 0);
	assert_true(p.shared);
	path_place_close(&p);
	assert_int_equal(chmod("dir", 0755), 0);
}

TEST_WITH(test_temp, enter_top, remove_top)
{
	struct error error = { 0 };
	char temp[2][NAME_MAX + 1];
	struct path_place p;
	mode_t mask = umask(0);
	struct stat st;
	int fd[2];

	umask(mask);
	assert_int_equal(path_walk("dir/new.prom", &p, &error), 0);
	for (int i = 0; i < 2; i++) {
		fd[i] = path_temp(&p, temp[i], i ? 0644 : 0600);
		assert_true(fd[i] >= 0);
		assert_int_equal(strncmp(temp[i], "new.prom.", 9), 0);
		assert_int_equal(fstatat(p.dir, temp[i], &st, 0), 0);
		assert_int_equal(st.st_mode & 07777, i ? 0644 & ~mask : 0600);
		close(fd[i]);
	}
	assert_string_not_equal(temp[0], temp[1]);
	memset(p.name, 'a', NAME_MAX);
	assert_int_equal(path_temp(&p, temp[0], 0600), -ENAMETOOLONG);
	path_place_close(&p);
}
