// SPDX-License-Identifier: GPL-2.0-or-later
/* Path of the settings file, and when it may be read or written. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/privilege.h"
#include "settings.h"

/* Directory of the file; false = neither variable is an absolute path. */
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

/* Under sudo the file of the caller is trusted, too. */
static bool owner_trusted(uid_t owner)
{
	const char *caller = getenv("SUDO_UID");

	if (owner == geteuid())
		return true;
	return privilege_borrowed() && caller && (uid_t)strtoul(caller, NULL, 10) == owner;
}

/*
 * Under sudo the caller controls the path: with a symlink as directory, xdptop would read any file
 * of root named config and show its first line in a message.
 */
static int open_file(const char *dir)
{
	int flags = O_PATH | O_DIRECTORY | O_CLOEXEC | (privilege_borrowed() ? O_NOFOLLOW : 0);
	int at = open(dir, flags), fd, err;

	if (at < 0)
		return -1;
	/* O_NONBLOCK: open() of a FIFO must not block */
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

/* Creates the directory if needed, and checks that only this user can write there. */
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
	/* Create nothing in a directory that another user can change. */
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

/* The written file must parse without errors. */
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
