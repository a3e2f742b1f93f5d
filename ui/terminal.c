// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>
#include <ncurses.h>
#include <term.h>
#include "base/clock.h"
#include "base/format.h"
#include "key.h"
#include "terminal_restore.h"
#include "terminal.h"
#include "terminfo.h"

/* ms to wait for the rest of a sequence after ESC. */
#define ESC_MS 25
/* Longest line: 4 bytes per cell. */
#define LINE_BYTES 4096
/*
 * Pasted text comes in brackets (newer terminfo calls it BE and BD); clicks and the wheel, with
 * numbers in place of bytes.
 */
#define PASTE_ON    "\033[?2004h"
#define MOUSE_ON    "\033[?1000h\033[?1006h"
#define MARGINS_OFF "\033[r" /* the cursor goes to the first line */
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
	 * Styles without a colour get a pair, too: from a colour to none, curses would reset all
	 * attributes, which takes three times the bytes.
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
	idlok(stdscr, TRUE); /* rows that move are scrolled, not written again */
	bkgdset(' ' | t->attr[STYLE_PLAIN]);
}

/* Scrolling sets margins, which a frame that was cut leaves behind. */
static bool has_margins(void)
{
	return change_scroll_region && !strncmp(change_scroll_region, "\033[", 2);
}

static int refuse(char *why, size_t size, const char *cause, const char *when)
{
	snprintf(why, size,
		 "TERM=%.40s: %s; try `TERM=xterm xdptop`%s, or `xdptop -b` for plain text",
		 getenv("TERM"), cause, when);
	return -ENOTTY;
}

/* From the database, else what is built in. */
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

/* Checks $TERM before newterm(): on an error curses would end the program. */
static int terminfo_check(char *why, size_t size)
{
	const char *name = getenv("TERM");
	bool placed;
	int err = 0;

	if (!name || !*name) {
		snprintf(why, size,
			 "TERM is not set, so the terminal's abilities are unknown; try "
			 "`TERM=xterm xdptop`, or `xdptop -b` for plain text");
		return -ENOTTY;
	}
	if (!terminfo_load(name, &err))
		/* curses does not even look for a name longer than that of a file */
		return refuse(why, size,
			      err < 0 && strlen(name) <= NAME_MAX
				      ? "the terminfo database is not installed"
				      : "this machine has no such entry in its terminfo database",
			      "");
	placed = cursor_address || (cursor_down && cursor_home);
	del_curterm(cur_term); /* newterm() loads its own */
	return placed ? 0
		      : refuse(why, size, "this terminal cannot place its cursor", " if it can");
}

/* resizeterm() puts a KEY_RESIZE in front of what is typed: it is no key. */
static int next_key(void *arg)
{
	int c;

	do
		c = wgetch(arg);
	while (c == KEY_RESIZE);
	return c;
}

/*
 * Leaves to ui/keyboard.c what curses takes in part only (reports of a mouse) or has no code for:
 * extended capabilities, keys with modifiers. Call it behind keypad(), which reads terminfo.
 */
static void keys_leave(void)
{
	define_key(NULL, KEY_MOUSE);
	for (int code = KEY_MAX + 1; code < KEY_MAX + 256; code++)
		define_key(NULL, code);
}

/* Not through the buffer of curses, whose next flush may be far. */
static void modes_write(const struct terminal *t, const char *modes)
{
	if (!t->modes)
		return;
	fputs(modes, stdout);
	fflush(stdout);
}

/* Modes that endwin() resets, and its own. */
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
 * ignored (kernel/signal.c, do_sigaction()): ^Z would be lost. curses keeps an existing handler.
 */
static void keep_stops(void)
{
	struct sigaction keep = { .sa_handler = nothing }, now;

	if (!sigaction(SIGTSTP, NULL, &now) && now.sa_handler == SIG_DFL)
		sigaction(SIGTSTP, &keep, NULL);
}

/* DSR: the terminal answers CSI 0 n once it has come to it. */
#define QUESTION "\033[5n"
/* How long an answer may take. */
#define ANSWER_NS (2 * NSEC_PER_SEC)
/*
 * A line is slow when it takes longer than this. What was sent cannot be taken back, and holds up
 * the end: such a line gets what it takes in a second, but no less than ROOM_LEAST, which a long
 * delay would else bring to nothing. So does one that has not answered yet.
 */
#define SLOW_NS    NSEC_PER_SEC
#define ROOM_LEAST 512

static void ask(struct terminal *t)
{
	/* asked once, the first time: most that do not answer ignore it */
	if (!t->modes || (t->asked && !t->asks))
		return;
	modes_write(t, QUESTION);
	t->asked = true;
	t->asked_ns = clock_ns();
	t->asked_bytes = t->unasked_bytes;
	t->unasked_bytes = 0;
	t->keyboard.asked = t->answers;
	t->keyboard.answered = false;
}

/* Few bytes tell of the delay: only a piece that filled the room shows that there is more. */
static void room_measure(struct terminal *t)
{
	size_t rate = (size_t)(t->asked_bytes * NSEC_PER_SEC / (t->took_ns + 1));

	if (t->took_ns > SLOW_NS || (t->frame.sent < t->frame.size && rate > t->room))
		t->room = rate > ROOM_LEAST ? rate : ROOM_LEAST;
}

static void answer_take(struct terminal *t)
{
	if (!t->keyboard.answered)
		return;
	t->keyboard.answered = t->keyboard.asked = false;
	if (t->asked_ns) {
		t->took_ns = clock_ns() - t->asked_ns;
		room_measure(t);
	}
	t->asked_ns = 0;
	t->asks = t->answers = true;
}

int terminal_busy_ms(struct terminal *t)
{
	uint64_t now = clock_ns(), until;

	answer_take(t);
	/* the first answer is waited for, too: whether the line is slow is not known before it */
	if (!t->asked_ns || (t->asks && !t->answers))
		return 0;
	until = t->asked_ns + ANSWER_NS;
	if (t->answers)
		until += 2 * t->took_ns + t->asked_bytes * NSEC_PER_SEC / ROOM_LEAST;
	if (now < until)
		return (int)((until - now) / NSEC_PER_MSEC) + 1;
	if (!t->asks)
		t->room = SIZE_MAX;
	t->keyboard.asked = t->answers = false;
	return 0;
}

/*
 * An answer that comes behind the end would be the shell's input. What is typed behind it is for
 * the shell, what is typed before it is lost: a stop, which comes back to it, waits only for a
 * terminal that has answered before.
 */
static void answer_await(struct terminal *t, bool stop)
{
	uint64_t now = clock_ns(),
		 until = t->answers ? now + ANSWER_NS : t->asked_ns + ANSWER_NS * !stop;
	struct pollfd p = { .fd = t->input, .events = POLLIN };

	answer_take(t); /* with the key that ends it */
	for (; t->asked_ns && now < until; now = clock_ns()) {
		if (poll(&p, 1, (int)((until - now) / NSEC_PER_MSEC) + 1) < 1 ||
		    p.revents & (POLLHUP | POLLERR))
			break;
		if (keyboard_answer(&t->keyboard))
			answer_take(t);
	}
	t->asked_ns = 0;
}

static void release(struct terminal *t)
{
	terminal_frame_close(&t->frame, t->out);
	if (t->in != stdin)
		fclose(t->in);
	free(t);
}

int terminal_start(struct terminal **out, bool ascii, bool no_color, bool mouse, char *why,
		   size_t size)
{
	/* Attributes, colours, cursor keys, cursor, previous screen. */
	static const char *const restore[] = { "sgr0", "op", "rmkx", "cnorm", "rmcup" };
	const char *env = getenv("NO_COLOR");
	struct termios before;
	struct terminal *t;
	int err;

	*out = NULL;
	if (!isatty(STDOUT_FILENO)) {
		snprintf(why, size, "stdout is not a terminal; use `xdptop -b` for plain text");
		return -ENOTTY;
	}
	err = terminfo_check(why, size);
	if (err)
		return err;
	t = calloc(1, sizeof(*t));
	if (!t) {
		snprintf(why, size, "out of memory");
		return -ENOMEM;
	}
	t->in = isatty(STDIN_FILENO) ? stdin : fopen("/dev/tty", "r");
	if (!t->in) {
		err = -errno;
		snprintf(why, size,
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
	t->out = terminal_frame_open(&t->frame);
	t->curses = t->out ? newterm(NULL, t->out, t->in) : NULL;
	t->keys = t->curses ? newpad(1, 1) : NULL;
	if (!t->keys) {
		if (t->curses)
			delscreen(t->curses);
		release(t);
		return refuse(why, size, "curses cannot use this terminal", "");
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
	/* Terminals with a mouse are of xterm's kind: they ignore modes that they do not know. */
	t->modes = key_mouse;
	t->room = t->modes ? ROOM_LEAST : SIZE_MAX;
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

static void leave(struct terminal *t, bool stop)
{
	answer_await(t, stop);
	terminal_restore_arm(false);
	/*
	 * What was not sent would hold up the end on a slow line, and endwin() would block on a
	 * stalled one. CAN ends a sequence that was cut. curses believes that all was sent: what
	 * it does not write twice, the cursor of a prompt and attributes, is given back by hand, as
	 * are the margins of lines that were to move.
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
	leave(t, true);
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
	leave(t, false);
	delscreen(t->curses);
	release(t);
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

/* Replaces each non-ASCII UTF-8 character by `?`. */
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
	char plain[LINE_BYTES], line[LINE_BYTES];

	if (y < 0 || y >= LINES || x < 0 || x >= COLS)
		return;
	if (width > COLS - x)
		width = COLS - x;
	if (width > LINE_BYTES / 4 - 1)
		width = LINE_BYTES / 4 - 1;
	if (width < 1)
		return;
	if (!t->utf8) {
		snprintf(plain, sizeof(plain), "%s", text);
		ascii_only(plain);
		text = plain;
	}
	format_fit(line, sizeof(line), text, width, style & STYLE_RIGHT);
	attrset(t->attr[style & (STYLE_RIGHT - 1)] | (style & STYLE_SELECTED ? A_REVERSE : 0));
	mvaddstr(y, x, line);
}

void terminal_cursor(struct terminal *t, int y, int x)
{
	t->cursor_y = y;
	t->cursor_x = x < COLS ? x : COLS - 1;
}

static void frame_draw(struct terminal *t)
{
	bool show = t->cursor_y >= 0;

	terminal_frame_begin(&t->frame);
	if (t->redraw)
		clearok(curscr, TRUE);
	attrset(t->attr[STYLE_PLAIN]);
	leaveok(stdscr, !show);
	if (show != t->cursor_shown) {
		curs_set(show);
		t->cursor_shown = show;
	}
	if (show)
		move(t->cursor_y, t->cursor_x);
	refresh();
	t->redraw = !terminal_frame_end(&t->frame);
}

bool terminal_flush(struct terminal *t)
{
	bool fresh = t->frame.sent == t->frame.size;
	size_t piece;

	/*
	 * A blocking write would delay signals and the timer. POLLOUT tells of room for a byte: a
	 * terminal that was stalled gets no more than a piece at once.
	 */
	if (terminal_restore_stuck(0)) {
		t->room = ROOM_LEAST;
		return false;
	}
	terminal_restore_open(true);
	if (fresh)
		frame_draw(t);
	piece = terminal_frame_piece(&t->frame, t->room);
	t->unasked_bytes += piece;
	if (piece && terminal_frame_send(&t->frame, piece))
		ask(t);
	terminal_restore_open(false);
	return fresh && t->frame.sent == t->frame.size;
}
