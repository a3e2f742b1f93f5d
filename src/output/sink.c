// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include "base/array.h"

#define SINK_FULL  (4u << 20)  /* queued bytes from which snapshots are skipped */
#define SINK_EAGER (64u << 10) /* from which an unfinished snapshot is also written */

static int append(struct sink *s, const char *data, size_t len)
{
	/* the compressor may keep what it gets */
	if (!len)
		return 0;
	/* do not move all of it each time for a reader that takes little */
	if (s->start > s->used) {
		memcpy(s->queue, s->queue + s->start, s->used);
		s->start = 0;
	}
	if (array_reserve(s->queue, s->size, s->start + s->used + len))
		return -ENOMEM;
	memcpy(s->queue + s->start + s->used, data, len);
	s->used += len;
	s->written += len;
	return 0;
}

static int compress(struct sink *s, const char *data, size_t len, ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = { data, len, 0 };
	char buf[16 << 10];
	size_t left;
	int err = 0;

	do {
		ZSTD_outBuffer out = { buf, sizeof(buf), 0 };

		left = ZSTD_compressStream2(s->zstd, &out, &in, end);
		/* it can fail for no other reason */
		err = ZSTD_isError(left) ? -ENOMEM : append(s, buf, out.pos);
	} while (!err && (end == ZSTD_e_continue ? in.pos < in.size : left > 0));
	return err;
}

/* How many of len bytes to write at once: whole lines, as far as writes to a pipe are atomic. */
static size_t piece(const struct sink *s, size_t len)
{
	const char *from = s->queue + s->start, *end;

	if (s->kind == SINK_PLAIN || len <= PIPE_BUF)
		return len;
	end = memrchr(from, '\n', PIPE_BUF);
	return end ? (size_t)(end + 1 - from) : PIPE_BUF;
}

/* POLLOUT of a pipe means a free page: it takes PIPE_BUF bytes without blocking. */
static bool has_room(const struct sink *s)
{
	struct pollfd fd = { .fd = s->fd, .events = POLLOUT };

	return s->fd >= 0 &&
	       (s->kind == SINK_PLAIN || s->kind == SINK_SOCKET || poll(&fd, 1, 0) > 0);
}

/* Writes all but the last `keep` bytes, as far as possible without blocking. 0 or -errno. */
static int pump(struct sink *s, size_t keep)
{
	while (s->used > keep && !s->err && has_room(s)) {
		const char *from = s->queue + s->start;
		size_t len = piece(s, s->used - keep);
		ssize_t n;

		if (s->kind == SINK_SOCKET)
			n = send(s->fd, from, len, MSG_DONTWAIT | MSG_NOSIGNAL);
		else
			n = write(s->fd, from, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		s->is_disk_full =
			n < 0 && s->waits_for_space && (errno == ENOSPC || errno == EDQUOT);
		if (s->is_disk_full)
			break;
		if (n < 0) {
			s->err = -errno;
			break;
		}
		s->start += (size_t)n;
		s->used -= (size_t)n;
	}
	if (!s->used)
		s->start = 0;
	return s->err;
}

int sink_pump(struct sink *s)
{
	return pump(s, 0);
}

/* Bytes after the last complete line. */
static size_t unfinished(const struct sink *s)
{
	const char *from = s->queue + s->start, *end = memrchr(from, '\n', s->used);

	return end ? s->used - (size_t)(end + 1 - from) : s->used;
}

/* For fopencookie(): 0 = error. */
static ssize_t sink_write(void *cookie, const char *data, size_t len)
{
	struct sink *s = cookie;

	if (!s->err)
		s->err = s->zstd ? compress(s, data, len, ZSTD_e_continue) : append(s, data, len);
	if (!s->err && !s->replace && s->used >= SINK_EAGER)
		pump(s, unfinished(s));
	if (s->err)
		errno = -s->err;
	return s->err ? 0 : (ssize_t)len;
}

/*
 * O_NONBLOCK belongs to the open file description, which a terminal or pipe shares with the shell
 * and others, so setting it would break them. So open the terminal again.
 */
static void open_terminal_again(struct sink *s)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", s->fd);
	fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return; /* small writes after POLLOUT hardly ever block */
	if (s->own)
		close(s->fd);
	s->fd = fd;
	s->own = true;
}

static int open_stream(struct sink *s)
{
	struct stat st;

	if (fstat(s->fd, &st) < 0)
		return -errno;
	s->kind = SINK_PLAIN;
	if (S_ISFIFO(st.st_mode))
		s->kind = SINK_PIPE;
	else if (S_ISSOCK(st.st_mode))
		s->kind = SINK_SOCKET;
	else if (S_ISCHR(st.st_mode) && isatty(s->fd))
		s->kind = SINK_TERMINAL;
	if (s->kind == SINK_TERMINAL)
		open_terminal_again(s);
	return 0;
}

static bool is_stdout(const struct stat *st)
{
	struct stat own;

	return !fstat(STDOUT_FILENO, &own) && own.st_dev == st->st_dev && own.st_ino == st->st_ino;
}

/* Whether it is missing or a regular file, which is replaced; pipes, /dev/stdout etc. are not. */
static bool is_replaceable(const struct path_place *p)
{
	struct stat st;

	return !p->proc && (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) ||
			    (S_ISREG(st.st_mode) && !is_stdout(&st)));
}

static int open_temp(struct sink *s)
{
	/* the suffix is not .prom, because node_exporter reads every *.prom file */
	s->fd = path_temp(&s->place, s->temp, 0644);
	return s->fd < 0 ? s->fd : 0;
}

/* Completes or undoes open_temp(), with the write's err. */
static int close_temp(struct sink *s, int err)
{
	if (!err && renameat(s->place.dir, s->temp, s->place.dir, s->place.name) < 0)
		err = -errno;
	if (err)
		unlinkat(s->place.dir, s->temp, 0);
	close(s->fd);
	s->fd = -1;
	return err;
}

/*
 * Creates the file once, so that a directory that is not writable fails at the start. Any user may
 * read the file, whatever the caller's umask, because after the drop no call can change a mode.
 */
static int open_replaced(struct sink *s)
{
	int err;

	umask(022);
	err = open_temp(s);
	if (!err)
		close_temp(s, -ECANCELED);
	return err;
}

static int open_file(struct sink *s)
{
	const struct path_place *p = &s->place;
	struct stat st;
	int err;

	/* without O_NONBLOCK a FIFO would wait for its reader */
	s->fd = openat(p->dir, p->name,
		       O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
			       (p->proc ? 0 : O_NOFOLLOW),
		       0644);
	s->own = s->fd >= 0;
	err = s->fd < 0 || fstat(s->fd, &st) ? -errno : 0;
	if (err == -ENXIO && !fstatat(p->dir, p->name, &st, 0) && S_ISFIFO(st.st_mode))
		return error_set(&s->error, err, "a FIFO without a reader; start its reader first");
	if (err)
		return err;
	s->regular = S_ISREG(st.st_mode);
	if (s->regular && p->shared && st.st_nlink > 1)
		return error_set(&s->error, -EPERM,
				 "others can write to its directory, and the file has another name "
				 "(a hard link) elsewhere");
	return open_stream(s);
}

static int open_path(struct sink *s, bool replace)
{
	int err = path_walk(s->name, &s->place, &s->error);

	if (err)
		return err;
	s->replace = replace && is_replaceable(&s->place);
	err = s->replace ? open_replaced(s) : open_file(s);
	path_place_close(&s->place);
	return err;
}

static bool is_compressed(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && !strcmp(dot, ".zst");
}

static int open_writer(struct sink *s)
{
	cookie_io_functions_t io = { .write = sink_write };

	if (is_compressed(s->name)) {
		s->zstd = ZSTD_createCCtx();
		if (!s->zstd)
			return -ENOMEM;
		/* lets a reader detect damage */
		ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_checksumFlag, 1);
	}
	s->file = fopencookie(s, "w", io);
	if (!s->file)
		return -ENOMEM;
	/* only one thread writes here */
	__fsetlocking(s->file, FSETLOCKING_BYCALLER);
	return 0;
}

int sink_open(struct sink *s, const char *path, bool replace)
{
	int err;

	*s = (struct sink){ .name = path ? path : "stdout", .fd = STDOUT_FILENO };
	err = path ? open_path(s, replace) : open_stream(s);
	if (!err)
		err = open_writer(s);
	if (err)
		sink_close(s);
	return err;
}

int sink_attach(struct sink *s, const char *name, int fd)
{
	int err;

	*s = (struct sink){ .name = name, .fd = fd, .own = true };
	err = open_writer(s);
	if (err)
		sink_close(s);
	return err;
}

void sink_swap(struct sink *s, int fd)
{
	if (s->own)
		close(s->fd);
	s->fd = fd;
	s->own = true;
}

int sink_directory(struct sink *s)
{
	struct path_place place;

	if (!s->replace || path_walk(s->name, &place, &s->error))
		return -1;
	return place.dir;
}

int sink_begin(struct sink *s)
{
	return s->regular && ftruncate(s->fd, 0) ? -errno : 0;
}

const char *sink_why(const struct sink *s, int err)
{
	return s->error.text[0] ? s->error.text : strerror(-err);
}

static int commit_replacement(struct sink *s)
{
	int err = path_walk(s->name, &s->place, &s->error);

	if (err)
		return err;
	err = open_temp(s);
	if (!err) {
		err = sink_pump(s);
		err = close_temp(s, err);
	}
	path_place_close(&s->place);
	return err;
}

/* Writes a whole snapshot or nothing. An error does not affect later snapshots. */
static int replace_file(struct sink *s)
{
	int err = commit_replacement(s);

	s->start = s->used = 0;
	s->err = 0;
	return err;
}

static int commit(struct sink *s, ZSTD_EndDirective end)
{
	if (fflush(s->file) && !s->err)
		s->err = -errno;
	if (!s->err && s->zstd)
		s->err = compress(s, NULL, 0, end);
	if (s->err)
		return s->err;
	return s->replace ? replace_file(s) : sink_pump(s);
}

int sink_commit(struct sink *s)
{
	/* each replaced file is complete */
	return commit(s, s->replace ? ZSTD_e_end : ZSTD_e_flush);
}

int sink_end(struct sink *s)
{
	return commit(s, ZSTD_e_end);
}

int sink_drain(struct sink *s)
{
	struct pollfd fd = { .fd = s->fd, .events = POLLOUT };

	while (s->used && !s->err) {
		poll(&fd, 1, -1);
		sink_pump(s);
	}
	return s->err;
}

size_t sink_pending(const struct sink *s)
{
	return s->err ? 0 : s->used;
}

void sink_discard(struct sink *s, size_t n)
{
	s->start += n;
	s->used -= n;
}

bool sink_full(const struct sink *s)
{
	return sink_pending(s) > SINK_FULL;
}

void sink_close(struct sink *s)
{
	if (s->file) {
		/* discard what stdio has buffered: an unfinished snapshot */
		s->err = s->err ? s->err : -EPIPE;
		fclose(s->file);
	}
	if (s->own && s->fd >= 0)
		close(s->fd);
	free(s->queue);
	ZSTD_freeCCtx(s->zstd);
	s->zstd = NULL;
	s->file = NULL;
	s->queue = NULL;
	s->start = s->used = s->size = 0;
	s->own = false;
	s->fd = -1;
}
