/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Destination of batch output: stdout, a file, or a file that rename(2) replaces at each snapshot.
 * Never blocks: what a slow reader does not take is queued. Lines up to PIPE_BUF are written whole.
 */
#ifndef XDPTOP_SINK_H
#define XDPTOP_SINK_H

#include <stdbool.h>
#include <stdio.h>

struct sink {
	const char *name; /* for messages: the path or "stdout" */
	FILE *file;       /* to write to */
	int fd;           /* to poll; -1 when replaced */
	enum { SINK_PLAIN, SINK_PIPE, SINK_SOCKET, SINK_TERMINAL } kind;
	bool own;     /* sink_close() closes fd */
	bool replace; /* a new file at each commit */
	char *target; /* path of the replaced file */
	char *temp;   /* path of the new file until the rename */
	char *queue;  /* `used` bytes from `start` on are not written */
	size_t start, used, size;
	int err; /* first error, -errno */
};

/* path NULL = stdout. 0 or -errno, and then *s is closed. */
int sink_open(struct sink *s, const char *path, bool replace);
/* A snapshot is complete: write it as far as that does not block. 0 or -errno. */
int sink_commit(struct sink *s);
/* Write the queue as far as that does not block. 0 or -errno. */
int sink_pump(struct sink *s);
/* Bytes in the queue. */
size_t sink_pending(const struct sink *s);
/* Whether to skip snapshots until the reader has caught up. */
bool sink_full(const struct sink *s);
/* A closed sink is allowed. */
void sink_close(struct sink *s);

#endif
