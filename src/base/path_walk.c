// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/path_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MAX 40 /* MAXSYMLINKS, include/linux/namei.h */

uid_t path_user(void)
{
	return (uid_t)setfsuid((uid_t)-1);
}

static bool is_trusted(uid_t owner)
{
	return owner == 0 || owner == path_user();
}

static bool is_proc(int dir)
{
	struct statfs fs;

	return !fstatfs(dir, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* Whether a name in the directory can be trusted for as long as the path is used. */
static int check_directory(struct path_place *p, const char *name, struct error *error)
{
	struct stat st;

	if (fstat(p->dir, &st))
		return -errno;
	p->shared = !is_trusted(st.st_uid) || st.st_mode & (S_IWGRP | S_IWOTH);
	if (!(st.st_mode & S_IWOTH) || st.st_mode & S_ISVTX)
		return 0;
	return error_set(
		error, -EPERM,
		"anyone could replace '%.80s' with a link, because everyone can write to its "
		"directory",
		name);
}

/* Prepend the target of the link to `rest`. */
static int link_follow(int link, const struct stat *st, const char *name, char *rest,
		       struct error *error)
{
	char target[PATH_MAX];
	ssize_t n;

	if (!is_trusted(st->st_uid))
		return error_set(error, -EPERM,
				 "'%.80s' is a symbolic link owned by user %u, who could point it "
				 "anywhere",
				 name, (unsigned int)st->st_uid);
	n = readlinkat(link, "", target, sizeof(target));
	if (n < 0)
		return -errno;
	if ((size_t)n + strlen(rest) >= PATH_MAX)
		return -ENAMETOOLONG;
	memmove(rest + n, rest, strlen(rest) + 1);
	memcpy(rest, target, (size_t)n);
	return 0;
}

static int enter(struct path_place *p, int dir)
{
	if (dir < 0)
		return -errno;
	path_place_close(p);
	p->dir = dir;
	return 0;
}

/* Take the next name of `rest`, and enter it or stay: 0; 1 = it was the last. */
static int step(struct path_place *p, char *rest, int *links, struct error *error)
{
	size_t slashes = strspn(rest, "/"), len = strcspn(rest + slashes, "/");
	bool last = !rest[slashes + len];
	struct stat st;
	int fd, err;

	if (!len)
		return -EISDIR;
	if (len >= sizeof(p->name))
		return -ENAMETOOLONG;
	memcpy(p->name, rest + slashes, len);
	p->name[len] = '\0';
	memmove(rest, rest + slashes + len, strlen(rest + slashes + len) + 1);
	err = check_directory(p, p->name, error);
	if (err)
		return err;
	fd = openat(p->dir, p->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return last && errno == ENOENT ? 1 : -errno;
	err = fstat(fd, &st) ? -errno : 0;
	if (!err && S_ISLNK(st.st_mode) && is_proc(p->dir)) {
		/* its text need not be a path, and nobody else puts links there */
		p->proc = last;
		if (!last)
			err = enter(p, openat(p->dir, p->name, O_PATH | O_CLOEXEC));
		last = p->proc;
	} else if (!err && S_ISLNK(st.st_mode)) {
		err = ++*links > LINKS_MAX ? -ELOOP : link_follow(fd, &st, p->name, rest, error);
		if (!err && rest[0] == '/')
			err = enter(p, open("/", O_PATH | O_CLOEXEC));
		last = false;
	} else if (!err && !last) {
		/* if this is a file, the next name fails with ENOTDIR */
		return enter(p, fd);
	}
	close(fd);
	return err ? err : last;
}

int path_walk(const char *path, struct path_place *p, struct error *error)
{
	char rest[PATH_MAX];
	int links = 0, err;

	error->text[0] = '\0';
	*p = (struct path_place){ .dir = open(*path == '/' ? "/" : ".", O_PATH | O_CLOEXEC) };
	err = p->dir < 0 ? -errno : strlen(path) >= sizeof(rest) ? -ENAMETOOLONG : 0;
	if (!err)
		strcpy(rest, path);
	while (!err)
		err = step(p, rest, &links, error);
	if (err == 1)
		return 0;
	path_place_close(p);
	if (!error->text[0])
		error_set(error, err, "%s", strerror(-err));
	return err;
}

int path_create(const struct path_place *p, mode_t mode)
{
	int fd =
		openat(p->dir, p->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);

	return fd < 0 ? -errno : fd;
}

void path_place_close(struct path_place *p)
{
	if (p->dir >= 0)
		close(p->dir);
	p->dir = -1;
}

int path_temp(const struct path_place *p, char temp[NAME_MAX + 1], mode_t mode)
{
	unsigned int random;
	int fd;

	do {
		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			return -EIO;
		if (snprintf(temp, NAME_MAX + 1, "%s.%08x", p->name, random) > NAME_MAX)
			return -ENAMETOOLONG;
		fd = openat(p->dir, temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	} while (fd < 0 && errno == EEXIST);
	return fd < 0 ? -errno : fd;
}
