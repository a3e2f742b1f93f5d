/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The destination of an output: stdout, a file, or a file that rename(2) replaces at each snapshot.
 * A slow reader blocks the writer. A file whose name ends in .zst is compressed: each commit can be
 * read back.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include "base/path_walk.h"

struct sink {
	const char *name;        /* for messages: the path or "stdout" */
	FILE *file;              /* to write to */
	int fd;                  /* to poll; -1 when replaced */
	bool own;                /* sink_close() closes fd */
	bool replace;            /* a new file at each commit */
	bool waits_for_space;    /* what a full disk does not take is queued */
	bool is_disk_full;       /* the last write found it full; only with waits_for_space */
	bool regular;            /* a regular file, which sink_begin() empties */
	bool is_terminal;        /* as sink_await() found it */
	struct path_place place; /* of the file while it is opened or replaced */
	char temp[NAME_MAX + 1]; /* name of the new file there */
	char *queue;             /* `used` bytes from `start` are not yet written */
	size_t start, used, size;
	struct ZSTD_CCtx_s *zstd; /* NULL = not compressed */
	uint64_t written;         /* bytes, including the queue */
	int err;                  /* first error, -errno */
	int (*await)(void *ctx);  /* see sink_await(); NULL = none */
	void *ctx;
	struct error error; /* of the last failure to open; no text = errno is enough */
};

/*
 * path NULL = stdout; the pointer is kept. Links of other users are not followed, see path_walk().
 * With `replace`, sets the umask of the process to 022. Returns 0; or -errno, with *s closed.
 */
int sink_open(struct sink *s, const char *path, bool replace);
/*
 * The same for a regular file opened as fd, which the sink then owns; -1 = in memory: all stays in
 * the queue.
 */
void sink_attach(struct sink *s, const char *name, int fd);
/* Continues in another regular file, opened as fd. The queue must be empty, after sink_end(). */
void sink_swap(struct sink *s, int fd);
/* The directory in which commits replace the file, O_PATH; -1 = none. The caller closes it. */
int sink_directory(struct sink *s);
/* Before the first byte: empties an existing file. 0 or -errno. */
int sink_begin(struct sink *s);
/*
 * While the reader takes nothing, call `await` instead of blocking in write(). 0 = there is room
 * again; -errno becomes the sink's error. Not for a sink that replaces its file.
 */
void sink_await(struct sink *s, int (*await)(void *ctx), void *ctx);
/* Why sink_open() or sink_commit() failed, for a message, where err is their return value. */
const char *sink_why(const struct sink *s, int err);
/*
 * A snapshot is complete: writes it. 0 or -errno. If a file could not be replaced, s->err is 0:
 * this snapshot is dropped, and the next can be committed.
 */
int sink_commit(struct sink *s);
/* The last sink_commit(), which also ends compressed data. 0 or -errno. */
int sink_end(struct sink *s);
/* Writes the queue, unless it waits for space or is in memory. 0 or -errno. */
int sink_pump(struct sink *s);
/* Bytes in the queue. */
size_t sink_pending(const struct sink *s);
/* Forgets the first n bytes of the queue of a sink in memory. */
void sink_discard(struct sink *s, size_t n);
/* Whether to skip snapshots until the disk has space. */
bool sink_full(const struct sink *s);
/* A closed sink is allowed. */
void sink_close(struct sink *s);
