// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the settings file is, and when it may be read or written. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/memory.h"
#include "base/privilege.h"
#include "settings.h"

/* Directory of the file; false = neither variable is an absolute path, or it is too long. */
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

/* Under sudo, the caller's file is trusted as well. */
static bool owner_trusted(uid_t owner)
{
	const char *caller = getenv("SUDO_UID");

	if (owner == path_user())
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

static bool is_root(uid_t owner)
{
	return !owner;
}

/* Reads an open file if its owner is trusted, and only they can write it. */
static int file_load(struct settings *s, int fd, const char *path, bool (*trusted)(uid_t owner),
		     struct error *error)
{
	struct error bad;
	struct stat st;
	FILE *file;

	if (fd < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return 0;
		return error_set(error, -errno, "settings not read: %s: %.120s", strerror(errno),
				 path);
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !trusted(st.st_uid) || st.st_mode & 022) {
		close(fd);
		return error_set(error, -EPERM,
				 "settings not read, because the file is not %s or others can "
				 "write to it: %.120s",
				 trusted == is_root ? "root's" : "yours", path);
	}
	file = fdopen(fd, "r");
	if (!file)
		memory_missing();
	settings_read(s, file, &bad);
	fclose(file);
	if (bad.text[0])
		error_set(error, 0, "settings, %s: %.120s", bad.text, path);
	return 0;
}

int settings_load(struct settings *s, struct error *error)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	char dir[PATH_MAX - 16], path[PATH_MAX];
	struct error own = { 0 };
	int err, own_err;

	error->text[0] = '\0';
	err = file_load(s, open(SETTINGS_OF_ALL, flags), SETTINGS_OF_ALL, is_root, error);
	if (!directory(dir, sizeof(dir)))
		return err;
	snprintf(path, sizeof(path), "%s/config", dir);
	own_err = file_load(s, open_file(dir), path, owner_trusted, &own);
	if (own.text[0])
		*error = own;
	return own_err ?: err;
}

/* Opens a directory, created if needed; -EPERM if anyone but this user may write there. */
static int directory_make(int at, const char *name)
{
	const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(at, name, flags);
	struct stat st;

	if (fd < 0 && errno == ENOENT && !mkdirat(at, name, 0700))
		fd = openat(at, name, flags);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && st.st_uid == path_user() && !(st.st_mode & 022))
		return fd;
	close(fd);
	return -EPERM;
}

/* Finds the place of the file. Creates its directory and the one above if needed. */
static int file_place(const char *dir, struct path_place *p, struct error *error)
{
	char parent[PATH_MAX];
	struct error cause;
	int fd = -1, err;

	snprintf(parent, sizeof(parent), "%s", dir);
	do
		*strrchr(parent, '/') = '\0';
	while (parent[0] && parent[strlen(parent) - 1] == '/');
	err = path_walk(parent, p, &cause);
	if (!err) {
		/* Create nothing in a directory that another user can change. */
		fd = directory_make(p->dir, p->name);
		close(p->dir);
		p->dir = fd < 0 ? fd : directory_make(fd, strrchr(dir, '/') + 1);
		err = p->dir < 0 ? p->dir : 0;
		snprintf(p->name, sizeof(p->name), "config");
		error_set(&cause, err, "%s",
			  err == -EPERM ? "the directory is not yours, or others can write to it"
					: strerror(-err));
	}
	if (fd >= 0)
		close(fd);
	if (err)
		error_set(error, err, "not saved, %s: %.120s", cause.text, dir);
	return err;
}

int settings_directory(void)
{
	char dir[PATH_MAX - 32];
	struct path_place place;
	struct error error;

	if (!directory(dir, sizeof(dir)) || file_place(dir, &place, &error))
		return -1;
	return place.dir;
}

/* The written file must parse without errors. */
static int check(const struct settings *s, FILE *file, struct error *error)
{
	struct settings again;

	rewind(file);
	settings_init(&again, &s->options);
	settings_read(&again, file, error);
	return error->text[0] ? -EIO : 0;
}

int settings_save(const struct settings *s, struct error *error)
{
	char dir[PATH_MAX - 32], temp[NAME_MAX + 1];
	struct error bad = { 0 };
	struct path_place place;
	FILE *file = NULL;
	int fd, err;

	if (!directory(dir, sizeof(dir)))
		return error_set(error, -ENOENT,
				 "not saved: neither XDG_CONFIG_HOME nor HOME is set");
	err = file_place(dir, &place, error);
	if (err)
		return err;
	fd = path_temp(&place, temp, 0600);
	if (fd >= 0)
		file = fdopen(fd, "w+");
	err = file ? settings_write(s, file) : fd < 0 ? fd : -errno;
	if (!err && fsync(fd))
		err = -errno;
	if (!err)
		err = check(s, file, &bad);
	if (file && fclose(file) && !err)
		err = -errno;
	else if (!file && fd >= 0)
		close(fd);
	if (!err && renameat(place.dir, temp, place.dir, place.name))
		err = -errno;
	if (err && fd >= 0)
		unlinkat(place.dir, temp, 0);
	path_place_close(&place);
	if (err)
		return error_set(error, err, "not saved, %s: %.120s/config",
				 bad.text[0] ? bad.text : strerror(-err), dir);
	return error_set(error, 0, "%s/config", dir);
}
