// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the settings lie, and when that file may be trusted or written. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/privilege.h"
#include "settings.h"

/* Directory of the file, without it; false when neither variable is set to an absolute path. */
static bool directory(char *buf, size_t size)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int len;

	if (xdg && *xdg == '/')
		len = snprintf(buf, size, "%s/xdptop", xdg);
	else if (home && *home == '/')
		len = snprintf(buf, size, "%s/.config/xdptop", home);
	else
		return false;
	return len < (int)size;
}

/* Whether this user's file is one to take settings from. */
static bool owner_trusted(uid_t owner)
{
	const char *caller = getenv("SUDO_UID");

	if (owner == geteuid())
		return true;
	return privilege_borrowed() && caller && (uid_t)strtoul(caller, NULL, 10) == owner;
}

/*
 * Under sudo the way there is the caller's to bend: with a link in place of the directory, any file
 * of root's that is called config would be read and its first line shown.
 */
static int open_file(const char *dir)
{
	int flags = O_PATH | O_DIRECTORY | O_CLOEXEC | (privilege_borrowed() ? O_NOFOLLOW : 0);
	int at = open(dir, flags), fd, err;

	if (at < 0)
		return -1;
	/* O_NONBLOCK: a FIFO there must not hold the start */
	fd = openat(at, "config", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	err = errno;
	close(at);
	errno = err;
	return fd;
}

int settings_load(struct settings *s, char *why, size_t size)
{
	char dir[PATH_MAX - 16], path[PATH_MAX], bad[200];
	struct stat st;
	FILE *file;
	int fd;

	why[0] = '\0';
	if (!directory(dir, sizeof(dir)))
		return 0;
	snprintf(path, sizeof(path), "%s/config", dir);
	fd = open_file(dir);
	if (fd < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return 0;
		snprintf(why, size, "settings not read: %s: %.120s", strerror(errno), path);
		return -errno;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !owner_trusted(st.st_uid) ||
	    st.st_mode & 022) {
		snprintf(why, size,
			 "settings not read, the file is not yours or others can write it: %.120s",
			 path);
		close(fd);
		return -EPERM;
	}
	file = fdopen(fd, "r");
	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	settings_read(s, file, bad, sizeof(bad));
	fclose(file);
	if (bad[0])
		snprintf(why, size, "settings, %s: %.120s", bad, path);
	return 0;
}

/* The directory, made where it is missing; it has to be of who writes. */
static int directory_make(const char *dir, char *why, size_t size)
{
	char parent[PATH_MAX];
	struct stat st;
	char *slash;

	snprintf(parent, sizeof(parent), "%s", dir);
	slash = strrchr(parent, '/');
	*slash = '\0';
	if (stat(parent, &st) && errno == ENOENT)
		mkdir(parent, 0700);
	/* Nothing of ours may appear in a directory that somebody else can change. */
	if (stat(parent, &st) || st.st_uid != geteuid() || st.st_mode & 022) {
		snprintf(why, size,
			 "not saved, the directory is not yours or others can write it: %.120s",
			 parent);
		return -EPERM;
	}
	if (mkdir(dir, 0700) && errno != EEXIST) {
		int err = -errno;

		snprintf(why, size, "not saved, %s: %.120s", strerror(-err), dir);
		return err;
	}
	if (lstat(dir, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 022) {
		snprintf(why, size,
			 "not saved, the directory is not yours or others can write it: %.120s",
			 dir);
		return -EPERM;
	}
	return 0;
}

/* What was written reads back without a complaint. */
static int check(const struct settings *s, FILE *file, char *why, size_t size)
{
	struct settings again;

	rewind(file);
	settings_init(&again, &s->options);
	settings_read(&again, file, why, size);
	return why[0] ? -EIO : 0;
}

int settings_save(const struct settings *s, char *why, size_t size)
{
	char dir[PATH_MAX - 32], temp[PATH_MAX], path[PATH_MAX], bad[200] = "";
	FILE *file = NULL;
	int fd, err;

	if (!directory(dir, sizeof(dir))) {
		snprintf(why, size, "not saved: neither XDG_CONFIG_HOME nor HOME is set");
		return -ENOENT;
	}
	err = directory_make(dir, why, size);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/config", dir);
	snprintf(temp, sizeof(temp), "%s/config.XXXXXX", dir);
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd >= 0)
		file = fdopen(fd, "w+");
	if (!file) {
		err = -errno;
		if (fd >= 0) {
			close(fd);
			unlink(temp);
		}
		snprintf(why, size, "not saved, %s: %.120s", strerror(-err), dir);
		return err;
	}
	err = settings_write(s, file);
	if (!err && fsync(fileno(file)))
		err = -errno;
	if (!err)
		err = check(s, file, bad, sizeof(bad));
	if (fclose(file) && !err)
		err = -errno;
	if (!err && rename(temp, path))
		err = -errno;
	if (err) {
		unlink(temp);
		snprintf(why, size, "not saved, %s: %.120s", bad[0] ? bad : strerror(-err), path);
		return err;
	}
	snprintf(why, size, "%s", path);
	return 0;
}
