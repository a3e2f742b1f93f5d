// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include "base/array.h"

#define SINK_FULL  (4u << 20)  /* bytes that wait for space on the disk: snapshots are skipped */
#define SINK_EAGER (64u << 10) /* from which an unfinished snapshot is also written */

static void append(struct sink *s, const char *data, size_t len)
{
	/* the compressor may keep what it gets */
	if (!len)
		return;
	/* do not move all of it each time for a frame that is discarded */
	if (s->start > s->used) {
		memcpy(s->queue, s->queue + s->start, s->used);
		s->start = 0;
	}
	array_reserve(s->queue, s->size, s->start + s->used + len);
	memcpy(s->queue + s->start + s->used, data, len);
	s->used += len;
	s->written += len;
}

static void compress(struct sink *s, const char *data, size_t len, ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = { data, len, 0 };
	char buf[16 << 10];
	size_t left;

	do {
		ZSTD_outBuffer out = { buf, sizeof(buf), 0 };

		left = ZSTD_compressStream2(s->zstd, &out, &in, end);
		/* it can fail for no other reason */
		if (ZSTD_isError(left))
			memory_missing();
		append(s, buf, out.pos);
	} while (end == ZSTD_e_continue ? in.pos < in.size : left > 0);
}

/* Waits until it can be written to. Without s->await a signal ends the process. 0 or -errno. */
static int await_room(const struct sink *s)
{
	struct pollfd fd = { .fd = s->fd, .events = POLLOUT };

	return poll(&fd, 1, s->await ? 0 : -1) || !s->await ? 0 : s->await(s->ctx);
}

int sink_pump(struct sink *s)
{
	while (s->used && s->fd >= 0 && !s->err) {
		/* a pipe with room takes so many bytes, so signals are seen while it is full */
		size_t len = s->await && s->used > PIPE_BUF ? PIPE_BUF : s->used;
		ssize_t n;

		s->err = await_room(s);
		if (s->err)
			break;
		n = write(s->fd, s->queue + s->start, len);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		s->is_disk_full =
			n < 0 && s->waits_for_space && (errno == ENOSPC || errno == EDQUOT);
		if (s->is_disk_full)
			break;
		if (n < 0) {
			/* its other end was closed, as that of a pipe */
			s->err = errno == EIO && s->is_terminal ? -EPIPE : -errno;
			break;
		}
		s->start += (size_t)n;
		s->used -= (size_t)n;
	}
	if (!s->used)
		s->start = 0;
	return s->err;
}

/* For fopencookie(): 0 = error. */
static ssize_t sink_write(void *cookie, const char *data, size_t len)
{
	struct sink *s = cookie;

	if (!s->err && s->zstd)
		compress(s, data, len, ZSTD_e_continue);
	else if (!s->err)
		append(s, data, len);
	if (!s->err && !s->replace && s->used >= SINK_EAGER)
		sink_pump(s);
	if (s->err)
		errno = -s->err;
	return s->err ? 0 : (ssize_t)len;
}

void sink_await(struct sink *s, int (*await)(void *ctx), void *ctx)
{
	char path[32];
	int fd;

	s->await = await;
	s->ctx = ctx;
	s->is_terminal = isatty(s->fd);
	if (!s->is_terminal)
		return;
	/*
	 * A terminal with room may take less. O_NONBLOCK belongs to the open file description,
	 * which it shares with the shell and others, so open it again; without that, a stopped
	 * terminal may block.
	 */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", s->fd);
	fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0)
		sink_swap(s, fd);
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
	/* only the open must not wait */
	return fcntl(s->fd, F_SETFL, O_WRONLY) ? -errno : 0;
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

static void open_writer(struct sink *s)
{
	cookie_io_functions_t io = { .write = sink_write };

	if (is_compressed(s->name)) {
		s->zstd = ZSTD_createCCtx();
		if (!s->zstd)
			memory_missing();
		/* lets a reader detect damage */
		ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_checksumFlag, 1);
	}
	s->file = fopencookie(s, "w", io);
	if (!s->file)
		memory_missing();
	/* only one thread writes here */
	__fsetlocking(s->file, FSETLOCKING_BYCALLER);
}

int sink_open(struct sink *s, const char *path, bool replace)
{
	int err;

	*s = (struct sink){ .name = path ? path : "stdout", .fd = STDOUT_FILENO };
	err = path ? open_path(s, replace) : 0;
	if (err)
		sink_close(s);
	else
		open_writer(s);
	return err;
}

void sink_attach(struct sink *s, const char *name, int fd)
{
	*s = (struct sink){ .name = name, .fd = fd, .own = true };
	open_writer(s);
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
		compress(s, NULL, 0, end);
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
