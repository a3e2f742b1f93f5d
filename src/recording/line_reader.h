/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a file, pipe or terminal. Never blocks, and uses bounded memory. Decompresses input that
 * begins as a zstd file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longer lines are skipped: the objects of {"a":[{},{},...]} take 264 times its length. */
#define LINE_READER_MAX (64u << 10)
/*
 * Largest window of a compressed file as a power of 2: decompressing takes that much memory. High
 * levels of zstd(1) use 8 MiB, --ultra and --long more.
 */
#define LINE_READER_WINDOW 23

struct line_reader {
	int fd;         /* not owned */
	int64_t offset; /* in a regular file, of the next read; -1 = where the fd is */
	char *buf;
	size_t start, used, size;
	size_t scanned;  /* bytes after `start` known to have no newline */
	uint64_t bytes;  /* bytes of the file read so far */
	uint64_t number; /* of the last line; the first is 1 */
	bool grows;      /* set by the caller: at the end of the file, more will follow */
	bool waits;      /* for that */
	bool end;        /* end of file: buf has the rest */
	bool skipping;   /* inside a line that is too long */
	bool cut;        /* the last line had no newline: the file ends in it, or damage follows */
	int damage;      /* to be returned at the end */
	uint64_t end_ns; /* return to the caller at this time (CLOCK_MONOTONIC); 0 = never */
	struct unpacker *unpacker; /* NULL = not compressed */
};

/* Reads from where the fd is, unless the caller then sets the offset. */
void line_reader_init(struct line_reader *r, int fd);
/*
 * 1 = *line is the next line without its newline, valid until the next call; 0 = no more lines;
 * -EAGAIN = no input now, or end_ns has passed; -EMSGSIZE = the next line is too long and is
 * skipped; -EUCLEAN = compressed data is damaged here, -E2BIG = its window exceeds
 * LINE_READER_WINDOW, and no more lines follow; else -errno.
 */
int line_reader_next(struct line_reader *r, const char **line, size_t *len);
/* Whether the input so far ends inside a line. */
bool line_reader_inside(const struct line_reader *r);
/* How many bytes of the file the lines so far took; approximate if it is compressed. */
uint64_t line_reader_at(const struct line_reader *r);
/* Start over at the start of a regular file, perhaps another one. end_ns stays. */
void line_reader_start(struct line_reader *r, int fd);
void line_reader_free(struct line_reader *r);
