/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a file, pipe or terminal: never blocks, and memory is bounded. What begins as a file of
 * zstd is decompressed.
 */
#ifndef XDPTOP_LINE_READER_H
#define XDPTOP_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longer lines are skipped: the tree of a line takes up to 300 times its length. */
#define LINE_READER_MAX (64u << 10)
/*
 * Largest window of a compressed file, 2 to this: so much memory it takes. Higher levels of zstd(1)
 * have 8 MiB, --ultra and --long more.
 */
#define LINE_READER_WINDOW 23

struct line_reader {
	int fd; /* not owned */
	char *buf;
	size_t start, used, size;
	size_t scanned;  /* bytes from start on without a newline */
	uint64_t bytes;  /* read so far, as they are in the file */
	uint64_t number; /* of the last line, from 1 on */
	bool end;        /* end of file: buf has the rest */
	bool skipping;   /* inside a line that was too long */
	bool cut;        /* the last line had no newline: the file ended in it */
	uint64_t end_ns; /* CLOCK_MONOTONIC: the caller wants to be asked from then on; 0 = never */
	struct unpacker *unpacker; /* NULL = it is not compressed */
};

void line_reader_init(struct line_reader *r, int fd);
/*
 * 1 = *line is the next one without its newline, valid until the next call; 0 = no more; -EAGAIN =
 * no input now, or end_ns has passed; -EMSGSIZE = the next one is too long and skipped; -EUCLEAN =
 * what is compressed is damaged here, -E2BIG = its window is larger than LINE_READER_WINDOW, and
 * there is no more; else -errno.
 */
int line_reader_next(struct line_reader *r, const char **line, size_t *len);
/* Whether the input so far ends inside a line. */
bool line_reader_inside(const struct line_reader *r);
/* Bytes of the file that the lines so far took; of a compressed one about. */
uint64_t line_reader_at(const struct line_reader *r);
/* The caller has set the fd to the start of the file: start over. */
void line_reader_rewind(struct line_reader *r);
void line_reader_free(struct line_reader *r);

#endif
