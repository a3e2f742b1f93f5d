/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where batch output goes: stdout, a file, or a file that is replaced by rename at each snapshot.
 * A reader that does not read never blocks the caller: what does not fit waits in a queue, and
 * lines are handed over whole as long as they are shorter than a pipe takes at once.
 */
#ifndef XDPTOP_SINK_H
#define XDPTOP_SINK_H

#include <stdbool.h>
#include <stdio.h>

struct sink {
	const char *name; /* for messages: the path or "stdout" */
	FILE *file;       /* formats write here */
	int fd;           /* to watch for hangup and room; -1 when replaced */
	enum { SINK_PLAIN, SINK_PIPE, SINK_SOCKET, SINK_TERMINAL } kind;
	bool own;     /* fd is closed with it */
	bool replace; /* a new file each time */
	char *target; /* which one that takes the place of */
	char *temp;   /* its name until the rename */
	char *queue;  /* `used` bytes from `start` on wait */
	size_t start, used, size;
	int err; /* first error, -errno */
};

/* path NULL = stdout. 0 or -errno, and then *s is closed. */
int sink_open(struct sink *s, const char *path, bool replace);
/* All of a snapshot was written: hand it over as far as that does not block. 0 or -errno. */
int sink_commit(struct sink *s);
/* Write what waits, as far as that does not block. 0 or -errno. */
int sink_pump(struct sink *s);
/* Bytes that wait. */
size_t sink_pending(const struct sink *s);
/* More waits than should: leave snapshots out until the reader has caught up. */
bool sink_full(const struct sink *s);
/* Takes a closed one, too. */
void sink_close(struct sink *s);

#endif
