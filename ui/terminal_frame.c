// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "terminal_frame.h"

FILE *terminal_frame_open(struct terminal_frame *f)
{
	f->memory = memfd_create("frame", MFD_CLOEXEC);
	f->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	return fdopen(f->out, "w");
}

void terminal_frame_close(struct terminal_frame *f, FILE *out)
{
	if (f->memory >= 0)
		close(f->memory);
	if (out)
		fclose(out);
	free(f->bytes);
}

void terminal_frame_begin(struct terminal_frame *f)
{
	f->size = f->sent = 0;
	dup3(f->memory, f->out, O_CLOEXEC);
}

bool terminal_frame_end(struct terminal_frame *f)
{
	off_t size = lseek(f->memory, 0, SEEK_CUR);
	char *bytes;

	dup3(STDOUT_FILENO, f->out, O_CLOEXEC);
	if (size <= 0)
		return true;
	bytes = realloc(f->bytes, (size_t)size + 1);
	if (bytes) {
		f->bytes = bytes;
		f->size = (size_t)size;
		bytes[size] = '\0';
	}
	return lseek(f->memory, 0, SEEK_SET) == 0 && bytes &&
	       pread(f->memory, bytes, f->size, 0) == size;
}

/*
 * Any control character begins something else, but REP, which repeats the character before it: it
 * may not be parted from that.
 */
static bool may_cut(const char *at)
{
	if (strncmp(at, "\033[", 2) != 0)
		return (unsigned char)*at < ' ';
	return at[2 + strspn(at + 2, "0123456789")] != 'b';
}

size_t terminal_frame_piece(const struct terminal_frame *f, size_t room)
{
	const char *bytes = f->bytes + f->sent;
	size_t left = f->size - f->sent, n = room;

	if (left <= room)
		return left;
	while (n && !may_cut(bytes + n))
		n--;
	if (!n)
		for (n = room; n < left && !may_cut(bytes + n);)
			n++;
	return n;
}

bool terminal_frame_send(struct terminal_frame *f, size_t piece)
{
	ssize_t n = write(STDOUT_FILENO, f->bytes + f->sent, piece);

	if (n > 0)
		f->sent += (size_t)n;
	return n == (ssize_t)piece;
}
