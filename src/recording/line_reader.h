/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines from a file, pipe or terminal, without ever waiting for one and within bounded memory.
 */
#ifndef XDPTOP_LINE_READER_H
#define XDPTOP_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_READER_MAX (1u << 20) /* longer lines are skipped */

struct line_reader {
	int fd; /* not owned */
	char *buf;
	size_t start, used, size;
	size_t scanned;  /* bytes from start on that hold no line end */
	uint64_t bytes;  /* read so far */
	uint64_t number; /* of the line read last, from 1 on */
	bool end;        /* nothing follows what is in buf */
	bool skipping;   /* inside of a line that is too long */
	bool cut;        /* the line read last had no line end: it was the file's last */
};

void line_reader_init(struct line_reader *r, int fd);
/*
 * 1 = *line is the next one, without its end, valid until the next call; 0 = no more; -EAGAIN =
 * nothing to read now; -EMSGSIZE = a line was too long and has been skipped; else -errno.
 */
int line_reader_next(struct line_reader *r, const char **line, size_t *len);
/* Whether what was read so far ends within a line. */
bool line_reader_inside(const struct line_reader *r);
/* Forgets what was read: its fd has been set to the first line again. */
void line_reader_rewind(struct line_reader *r);
void line_reader_free(struct line_reader *r);

#endif
