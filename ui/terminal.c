// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>
#include <ncurses.h>
#include <term.h>
#include "base/format.h"
#include "base/sanitize.h"
#include "key.h"
#include "terminal_restore.h"
#include "terminal.h"
#include "terminfo.h"

/* ms to wait for the rest of a sequence after ESC. */
#define ESC_MS 25
/* Longest line: 4 bytes per cell. */
#define LINE_BYTES 4096
/*
 * Bracketed paste (newer terminfo calls it BE and BD), and reports of clicks and the wheel, with
 * numbers instead of bytes.
 */
#define PASTE_ON    "\033[?2004h"
#define MOUSE_ON    "\033[?1000h\033[?1006h"
#define MARGINS_OFF "\033[r" /* also moves the cursor to the first line */
#define MODES_OFF   "\033[?1006l\033[?1000l\033[?2004l"

static void styles_set(struct terminal *t)
{
	static const struct {
		attr_t mono, colored;
		short color;
	} styles[STYLE_COUNT] = {
		[STYLE_PLAIN] = { A_NORMAL, A_NORMAL, -1 },
		[STYLE_BOLD] = { A_BOLD, A_BOLD, -1 },
		[STYLE_DIM] = { A_NORMAL, A_DIM, -1 },
		[STYLE_COLUMN_HEADER] = { A_UNDERLINE, A_UNDERLINE, -1 },
		[STYLE_SORT] = { A_UNDERLINE | A_BOLD, A_UNDERLINE | A_BOLD, -1 },
		[STYLE_GOOD] = { A_NORMAL, A_NORMAL, COLOR_GREEN },
		[STYLE_DROPS] = { A_BOLD, A_NORMAL, COLOR_RED },
		[STYLE_WARN] = { A_BOLD, A_NORMAL, COLOR_YELLOW },
		[STYLE_KEY] = { A_REVERSE, A_REVERSE, -1 },
		[STYLE_GRAPH] = { A_NORMAL, A_NORMAL, COLOR_CYAN },
	};

	/*
	 * Styles without a colour get a pair as well, because from a colour to none, curses would
	 * reset all attributes, which takes three times the bytes.
	 */
	for (int i = 0; i < STYLE_COUNT; i++) {
		t->attr[i] = t->color ? styles[i].colored : styles[i].mono;
		if (!t->color)
			continue;
		init_pair((short)(i + 1), styles[i].color, -1);
		if (no_color_video > 0)
			t->attr[i] &= ~(A_STANDOUT * (attr_t)no_color_video);
		t->attr[i] &= termattrs();
		t->attr[i] |= COLOR_PAIR(i + 1);
	}
	idlok(stdscr, TRUE); /* scroll rows that move instead of writing them again */
	bkgdset(' ' | t->attr[STYLE_PLAIN]);
}

/* Scrolling sets margins, and a frame that was cut off leaves them set. */
static bool has_margins(void)
{
	return change_scroll_region && !strncmp(change_scroll_region, "\033[", 2);
}

static int terminal_refuse(struct error *error, const char *cause, const char *when)
{
	return error_set(error, -ENOTTY,
			 "TERM=%.40s: %s; try `TERM=xterm xdptop`%s, or `xdptop -b` for plain text",
			 getenv("TERM"), cause, when);
}

/* Loads the entry from the database, else the built-in one. */
static bool terminfo_load(const char *name, int *err)
{
	const struct terminfo_entry *e = terminfo_entries;

	if (setupterm(name, STDOUT_FILENO, err) == OK)
		return true;
	while (e && e->name && strcmp(e->name, name))
		e++;
	return e && e->name && !setenv("TERMINFO", e->value, 1) &&
	       setupterm(name, STDOUT_FILENO, err) == OK;
}

/* Checks $TERM before newterm(), because on an error curses would end the program. */
static int terminfo_check(struct error *error)
{
	const char *name = getenv("TERM");
	bool placed;
	int err = 0;

	if (!name || !*name)
		return error_set(error, -ENOTTY,
				 "TERM is not set, so the terminal's abilities are unknown; try "
				 "`TERM=xterm xdptop`, or `xdptop -b` for plain text");
	if (!terminfo_load(name, &err))
		/* curses does not even look for a name that is too long for a file */
		return terminal_refuse(
			error,
			err < 0 && strlen(name) <= NAME_MAX
				? "the terminfo database is not installed"
				: "this machine has no such entry in its terminfo database",
			"");
	placed = cursor_address || (cursor_down && cursor_home);
	del_curterm(cur_term); /* newterm() loads its own */
	return placed ? 0
		      : terminal_refuse(error, "this terminal cannot place its cursor",
					" if it can");
}

/* resizeterm() queues a KEY_RESIZE before the user's input: skip it. */
static int next_key(void *arg)
{
	int c;

	do
		c = wgetch(arg);
	while (c == KEY_RESIZE);
	return c;
}

/*
 * Leaves to ui/keyboard.c what curses takes only in part (mouse reports) or has no code for:
 * extended capabilities, keys with modifiers. Call it after keypad(), which reads terminfo.
 */
static void keys_leave(void)
{
	define_key(NULL, KEY_MOUSE);
	for (int code = KEY_MAX + 1; code < KEY_MAX + 256; code++)
		define_key(NULL, code);
}

/* Not through curses' buffer, whose next flush may be far off. */
static void modes_write(const struct terminal *t, const char *modes)
{
	if (!t->modes)
		return;
	fputs(modes, stdout);
	fflush(stdout);
}

/* Sets the modes that endwin() resets, PASTE_ON and MOUSE_ON. */
static void modes_set(struct terminal *t)
{
	modes_write(t, PASTE_ON);
	if (t->keyboard.mouse)
		modes_write(t, MOUSE_ON);
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(t->keys, TRUE);
	nodelay(t->keys, TRUE);
	set_escdelay(ESC_MS);
	t->cursor_y = t->cursor_x = -1;
	t->cursor_shown = 0;
	curs_set(0);
}

static void nothing(int signal)
{
}

/*
 * curses ignores SIGTSTP while it draws, and the kernel discards a pending signal when it becomes
 * ignored (kernel/signal.c, do_sigaction()), so ^Z would be lost. curses keeps an existing handler.
 */
static void keep_stops(void)
{
	struct sigaction keep = { .sa_handler = nothing }, now;

	if (!sigaction(SIGTSTP, NULL, &now) && now.sa_handler == SIG_DFL)
		sigaction(SIGTSTP, &keep, NULL);
}

/* Bytes of the largest frame. */
#define FRAME_MOST (4 << 20)

/*
 * curses writes a whole frame at once. On a slow line that would block, and keys and signals would
 * wait. So curses draws into memory, and the terminal gets a piece whenever it has room.
 */
static bool frame_open(struct frame *f)
{
	f->memory = memfd_create("frame", MFD_CLOEXEC);
	/* RLIMIT_FSIZE limits memory as well, so text beyond it would be missing on the screen */
	if (f->memory >= 0 && ftruncate(f->memory, FRAME_MOST)) {
		close(f->memory);
		f->memory = -1;
	}
	f->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	f->file = fdopen(f->out, "w");
	return f->file;
}

static void frame_close(struct frame *f)
{
	if (f->memory >= 0)
		close(f->memory);
	if (f->file)
		fclose(f->file);
}

/* Without memory, dup3() fails and curses writes to the terminal. */
static void frame_begin(struct frame *f)
{
	dup3(f->memory, f->out, O_CLOEXEC);
}

static void frame_end(struct frame *f)
{
	f->size = lseek(f->memory, 0, SEEK_CUR);
	f->sent = 0;
	lseek(f->memory, 0, SEEK_SET);
	dup3(STDOUT_FILENO, f->out, O_CLOEXEC);
}

/*
 * A tty reports room (POLLOUT) with fewer than 256 bytes in its queue, a pseudo-terminal when it
 * takes 256 more. So a piece of this size does not block.
 */
#define PIECE 256

static bool frame_send(struct frame *f)
{
	char piece[PIECE];
	ssize_t n = 1;

	while (f->sent < f->size && n > 0 && !terminal_restore_stuck(0)) {
		off_t left = f->size - f->sent;

		/* after this frame is the rest of a longer one */
		n = pread(f->memory, piece, left < PIECE ? (size_t)left : PIECE, f->sent);
		n = n > 0 ? write(STDOUT_FILENO, piece, (size_t)n) : n;
		f->sent += n > 0 ? n : 0;
	}
	return f->sent >= f->size;
}

static void terminal_free(struct terminal *t)
{
	frame_close(&t->frame);
	free(t->copy);
	if (t->in != stdin)
		fclose(t->in);
	free(t);
}

int terminal_start(struct terminal **out, bool ascii, bool no_color, bool mouse,
		   struct error *error)
{
	/* Attributes, colours, cursor keys, cursor, previous screen. */
	static const char *const restore[] = { "sgr0", "op", "rmkx", "cnorm", "rmcup" };
	const char *env = getenv("NO_COLOR");
	struct termios before;
	struct terminal *t;
	int err;

	*out = NULL;
	if (!isatty(STDOUT_FILENO))
		return error_set(error, -ENOTTY,
				 "stdout is not a terminal; use `xdptop -b` for plain text");
	err = terminfo_check(error);
	if (err)
		return err;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->in = isatty(STDIN_FILENO) ? stdin : fopen("/dev/tty", "r");
	if (!t->in) {
		err = -errno;
		error_set(error, err,
			  "no terminal to read keys from (/dev/tty: %s); use `xdptop -b` for plain "
			  "text",
			  strerror(errno));
		free(t);
		return err;
	}
	t->input = fileno(t->in);
	tcgetattr(t->input, &before);
	terminal_restore_init(STDOUT_FILENO, &before);
	keep_stops();
	t->curses = frame_open(&t->frame) ? newterm(NULL, t->frame.file, t->in) : NULL;
	t->keys = t->curses ? newpad(1, 1) : NULL;
	if (!t->keys) {
		if (t->curses)
			delscreen(t->curses);
		terminal_free(t);
		return terminal_refuse(error, "curses cannot use this terminal", "");
	}
	set_term(t->curses);
	t->keyboard.next = next_key;
	t->keyboard.arg = t->keys;
	t->keyboard.mouse = mouse;
	t->utf8 = !ascii && !strcmp(nl_langinfo(CODESET), "UTF-8");
	t->blocks = t->utf8 && strcmp(getenv("TERM"), "linux");
	t->color = !no_color && !(env && *env) && has_colors() && start_color() == OK;
	if (t->color && use_default_colors() != OK)
		t->color = false; /* black on a white terminal is worse than no colour */
	/*
	 * Terminals with a mouse are like xterm, because they ignore modes that they do not know.
	 */
	t->modes = key_mouse;
	styles_set(t);
	modes_set(t);
	keys_leave();
	if (has_margins() && exit_ca_mode)
		terminal_restore_add(MARGINS_OFF);
	for (size_t i = 0; i < sizeof(restore) / sizeof(restore[0]); i++)
		terminal_restore_add(tigetstr(restore[i]));
	if (t->modes)
		terminal_restore_add(MODES_OFF);
	/* Without an alternate screen, output continues below. */
	if (!exit_ca_mode)
		terminal_restore_add("\r\n");
	terminal_restore_arm(true);
	*out = t;
	return 0;
}

static void leave(struct terminal *t)
{
	terminal_restore_arm(false);
	/*
	 * Discard unsent output: it would delay the end on a slow line, and endwin() would block on
	 * a stalled one. CAN ends a sequence that was cut off. curses believes that all was sent
	 * and does not repeat it: reset margins, attributes and the cursor by hand.
	 */
	t->frame.sent = t->frame.size;
	tcflush(STDOUT_FILENO, TCOFLUSH);
	fputc('\030', stdout);
	if (has_margins())
		fputs(MARGINS_OFF, stdout);
	modes_write(t, MODES_OFF);
	putp(exit_attribute_mode);
	fflush(stdout);
	curs_set(0);
	curs_set(1);
	endwin();
}

void terminal_leave(struct terminal *t)
{
	leave(t);
}

void terminal_return(struct terminal *t)
{
	terminal_restore_arm(true);
	terminal_restore_open(true);
	erase();
	refresh();
	terminal_restore_open(false);
	modes_set(t);
	terminal_resize(t);
	terminal_redraw(t);
}

void terminal_stop(struct terminal *t)
{
	if (!t)
		return;
	leave(t);
	delscreen(t->curses);
	terminal_free(t);
}

void terminal_resize(struct terminal *t)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		return;
	if (size.ws_row != LINES || size.ws_col != COLS)
		resizeterm(size.ws_row, size.ws_col);
}

void terminal_redraw(struct terminal *t)
{
	t->redraw = true;
}

void terminal_begin(struct terminal *t)
{
	t->width = COLS;
	t->height = LINES;
	t->cursor_y = t->cursor_x = -1;
	erase();
}

static void ascii_only(char *text)
{
	char *to = text;

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x80)
			*to++ = *text;
		else if (c >= 0xc0)
			*to++ = '?';
	}
	*to = '\0';
}

void terminal_put(struct terminal *t, int y, int x, int width, unsigned int style, const char *text)
{
	char printable[LINE_BYTES], line[LINE_BYTES];

	if (y < 0 || y >= LINES || x < 0 || x >= COLS)
		return;
	if (width > COLS - x)
		width = COLS - x;
	if (width > LINE_BYTES / 4 - 1)
		width = LINE_BYTES / 4 - 1;
	if (width < 1)
		return;
	/* names are sanitized already; options and paths are not */
	sanitize_text(printable, sizeof(printable), text, strlen(text));
	if (!t->utf8)
		ascii_only(printable);
	format_fit(line, sizeof(line), printable, width, style & STYLE_RIGHT);
	attrset(t->attr[style & (STYLE_RIGHT - 1)] | (style & STYLE_SELECTED ? A_REVERSE : 0));
	mvaddstr(y, x, line);
}

void terminal_cursor(struct terminal *t, int y, int x)
{
	t->cursor_y = y;
	t->cursor_x = x < COLS ? x : COLS - 1;
}

bool terminal_copy(struct terminal *t, const char *base64, bool always)
{
	const char *ms = tigetstr("Ms");
	char *copy;

	/* every entry with Ms has this sequence, so no tparm() */
	if (!always && (!ms || ms == (const char *)-1 || strncmp(ms, "\033]52;", 5) != 0))
		return false;
	if (asprintf(&copy, "\033]52;c;%s\a", base64) < 0)
		return false;
	free(t->copy);
	t->copy = copy;
	return true;
}

static void copy_send(struct terminal *t)
{
	const char *at = t->copy;
	ssize_t n = 1;

	for (size_t left = at ? strlen(at) : 0; left && n > 0; left -= (size_t)n, at += n)
		n = write(t->frame.out, at, left);
	free(t->copy);
	t->copy = NULL;
}

static void frame_draw(struct terminal *t)
{
	bool show = t->cursor_y >= 0;

	frame_begin(&t->frame);
	if (t->redraw)
		clearok(curscr, TRUE);
	t->redraw = false;
	attrset(t->attr[STYLE_PLAIN]);
	leaveok(stdscr, !show);
	if (show != t->cursor_shown) {
		curs_set(show);
		t->cursor_shown = show;
	}
	if (show)
		move(t->cursor_y, t->cursor_x);
	refresh();
	copy_send(t);
	frame_end(&t->frame);
}

static bool frame_write(struct terminal *t)
{
	bool sent;

	terminal_restore_open(true);
	sent = frame_send(&t->frame);
	terminal_restore_open(false);
	return sent;
}

bool terminal_ready(struct terminal *t)
{
	return frame_write(t) && !terminal_restore_stuck(0);
}

bool terminal_flush(struct terminal *t)
{
	frame_draw(t);
	return frame_write(t);
}
