/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A frame on its way to the terminal. curses writes to a descriptor, and all at once: it writes to
 * memory, from which the terminal gets pieces. What was not sent can be dropped.
 */
#ifndef XDPTOP_UI_TERMINAL_FRAME_H
#define XDPTOP_UI_TERMINAL_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct terminal_frame {
	int out;    /* where curses writes: the terminal, while it draws the memory */
	int memory; /* -1 = there is none: all of a frame goes to the terminal at once */
	char *bytes;
	size_t size, sent;
};

/* What newterm() takes for output; NULL = errno. */
FILE *terminal_frame_open(struct terminal_frame *f);
void terminal_frame_close(struct terminal_frame *f, FILE *out);

/* Between these, curses draws. false = it is lost for want of memory. */
void terminal_frame_begin(struct terminal_frame *f);
bool terminal_frame_end(struct terminal_frame *f);

/* Bytes of what is left that go next: about `room`, of whole sequences. */
size_t terminal_frame_piece(const struct terminal_frame *f, size_t room);
/* Writes them; false = in part. */
bool terminal_frame_send(struct terminal_frame *f, size_t piece);

#endif
