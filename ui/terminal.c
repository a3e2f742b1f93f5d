// SPDX-License-Identifier: GPL-2.0-or-later
#include "terminal.h"

#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>
#include "base/format.h"
#include "base/memory.h"
#include "base/sanitize.h"

/*
 * The only writable globals, because signal handlers get no argument. All but `ended` and `armed`
 * are written before the handlers are installed.
 */
static struct {
	int fd;
	struct termios before;
	char bytes[256];
	size_t length;
	bool armed;
} saved;

static volatile sig_atomic_t ended;

static const int crashes[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL };
static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* poll() is async-signal-safe; POLLOUT on a tty means that most of its buffer is free. */
static bool is_stuck(void)
{
	struct pollfd p = { .fd = saved.fd, .events = POLLOUT };

	return poll(&p, 1, 0) < 1 || !(p.revents & POLLOUT);
}

/* Async-signal-safe calls only. Drops pending output of a stuck terminal to make room. */
static void give_back(void)
{
	ssize_t n;

	if (is_stuck())
		tcflush(saved.fd, TCOFLUSH);
	n = write(saved.fd, saved.bytes, saved.length);
	(void)n;
	tcsetattr(saved.fd, TCSANOW, &saved.before);
}

/* SA_RESETHAND: raise() gets the default action. */
static void crash_handler(int signal)
{
	give_back();
	raise(signal);
}

/*
 * curses would retry the interrupted write forever. _exit() is safe, because the kernel detaches
 * all programs with the process.
 */
static void end_handler(int signal)
{
	int err = errno;

	if (is_stuck()) {
		give_back();
		_exit(0);
	}
	ended = 1;
	/* A write that begins after this check may still block, so check again. */
	alarm(1);
	errno = err;
}

/* When there is no memory: see base/memory.h. */
static void quick_exit_handler(void)
{
	if (saved.armed)
		give_back();
}

void terminal_restore_init(int fd, const struct termios *before)
{
	at_quick_exit(quick_exit_handler);
	saved.fd = fd;
	saved.before = *before;
	saved.length = 0;
}

/* Appends a terminfo string without its padding. Ignores NULL and (char *)-1. */
static void terminal_restore_add(const char *sequence)
{
	if (!sequence || sequence == (const char *)-1)
		return;
	while (*sequence && saved.length < sizeof(saved.bytes)) {
		/* "$<20>": padding in ms, for terminals of the 1970s. */
		if (sequence[0] == '$' && sequence[1] == '<') {
			while (*sequence && *sequence != '>')
				sequence++;
			if (*sequence)
				sequence++;
			continue;
		}
		saved.bytes[saved.length++] = *sequence++;
	}
}

void terminal_restore_arm(bool on)
{
	/* The handler of a stack overflow needs another stack. */
	static char stack[16384];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction crash = { .sa_handler = on ? crash_handler : SIG_DFL,
				   .sa_flags = SA_RESETHAND | SA_NODEFER | SA_ONSTACK };
	struct sigaction end = { .sa_handler = on ? end_handler : SIG_DFL }, now;

	saved.armed = on;
	alarm(0);
	sigemptyset(&crash.sa_mask);
	sigfillset(&end.sa_mask);
	if (on)
		sigaltstack(&alternate, NULL);
	for (size_t i = 0; i < COUNT(crashes); i++)
		sigaction(crashes[i], &crash, NULL);
	/* Signals that the caller ignores (nohup) stay ignored. */
	for (size_t i = 0; i < COUNT(ends); i++)
		if (!sigaction(ends[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaction(ends[i], &end, NULL);
	/* discard a pending SIGALRM, which would end the program */
	if (!on) {
		signal(SIGALRM, SIG_IGN);
		signal(SIGALRM, SIG_DFL);
	}
}

void terminal_restore_open(bool open)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < COUNT(ends); i++)
		sigaddset(&set, ends[i]);
	sigprocmask(open ? SIG_UNBLOCK : SIG_BLOCK, &set, NULL);
}

bool terminal_restore_ended(void)
{
	return ended;
}

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
		[STYLE_CRITICAL] = { A_BOLD, A_BOLD, COLOR_RED },
		[STYLE_WARNING] = { A_BOLD, A_BOLD, COLOR_YELLOW },
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
				 "TERM is not set, so the terminal's capabilities are unknown; try "
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

static void terminal_free(struct terminal *t)
{
	free(t->copy);
	if (t->in != stdin)
		fclose(t->in);
	free(t);
}

/* For a crash and a stuck terminal, where curses cannot be asked. */
static void restore_collect(const struct terminal *t)
{
	/* Attributes, colours, cursor keys, cursor, previous screen. */
	static const char *const restore[] = { "sgr0", "op", "rmkx", "cnorm", "rmcup" };

	terminal_restore_add("\030"); /* CAN ends a sequence that was cut off */
	if (has_margins() && exit_ca_mode)
		terminal_restore_add(MARGINS_OFF);
	for (size_t i = 0; i < sizeof(restore) / sizeof(restore[0]); i++)
		terminal_restore_add(tigetstr(restore[i]));
	if (t->modes)
		terminal_restore_add(MODES_OFF);
	/* Without an alternate screen, output continues below. */
	if (!exit_ca_mode)
		terminal_restore_add("\r\n");
}

/* curses has shorts for sizes, and needs 80 bytes for each cell. */
#define HEIGHT_MAX 1024
#define WIDTH_MAX  2048

/* The size of the terminal that is drawn on. False = unknown. */
static bool size_read(struct winsize *size)
{
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, size) || !size->ws_row || !size->ws_col)
		return false;
	if (size->ws_row > HEIGHT_MAX)
		size->ws_row = HEIGHT_MAX;
	if (size->ws_col > WIDTH_MAX)
		size->ws_col = WIDTH_MAX;
	return true;
}

/* newterm() believes these. */
static void size_tell(void)
{
	struct winsize size;
	char number[16];

	unsetenv("LINES");
	unsetenv("COLUMNS");
	if (!size_read(&size))
		return;
	snprintf(number, sizeof(number), "%u", size.ws_row);
	setenv("LINES", number, 1);
	snprintf(number, sizeof(number), "%u", size.ws_col);
	setenv("COLUMNS", number, 1);
}

int terminal_start(struct terminal **out, bool ascii, bool no_color, bool mouse,
		   struct error *error)
{
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
	t = memory_new(1, sizeof(*t));
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
	size_tell();
	t->curses = newterm(NULL, stdout, t->in);
	t->keys = t->curses ? newpad(1, 1) : NULL;
	if (!t->keys) {
		if (t->curses)
			delscreen(t->curses);
		terminal_free(t);
		return terminal_refuse(error, "curses cannot use this terminal", "");
	}
	set_term(t->curses);
	t->keyboard.mouse = mouse;
	t->utf8 = !ascii && !strcmp(nl_langinfo(CODESET), "UTF-8");
	t->blocks = t->utf8 && strcmp(getenv("TERM"), "linux");
	t->color = !no_color && !(env && *env) && has_colors() && start_color() == OK;
	if (t->color && use_default_colors() != OK)
		t->color = false; /* black on a white terminal is worse than no colour */
	/*
	 * Terminals with a mouse count as xterm, because they ignore modes that they do not know.
	 */
	t->modes = key_mouse;
	styles_set(t);
	modes_set(t);
	keyboard_open(&t->keyboard, t->keys);
	restore_collect(t);
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

	if (size_read(&size) && (size.ws_row != LINES || size.ws_col != COLS))
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
	attr_t selected = style & STYLE_SELECTED ? A_REVERSE : 0;
	int begin = 0, end;

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
	end = (int)strlen(line);
	if (selected) {
		/* in reverse the colour of a blank would show */
		begin = (int)strspn(line, " ");
		while (end > begin && line[end - 1] == ' ')
			end--;
	}
	move(y, x);
	attrset(t->attr[STYLE_PLAIN] | selected);
	addnstr(line, begin);
	attrset(t->attr[style & (STYLE_RIGHT - 1)] | selected);
	addnstr(line + begin, end - begin);
	attrset(t->attr[STYLE_PLAIN] | selected);
	addstr(line + end);
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
		memory_missing();
	free(t->copy);
	t->copy = copy;
	return true;
}

static void copy_send(struct terminal *t)
{
	const char *at = t->copy;
	ssize_t n = 1;

	for (size_t left = at ? strlen(at) : 0; left && n > 0; left -= (size_t)n, at += n)
		n = write(STDOUT_FILENO, at, left);
	free(t->copy);
	t->copy = NULL;
}

void terminal_flush(struct terminal *t)
{
	bool show = t->cursor_y >= 0;

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
	terminal_restore_open(true);
	refresh();
	copy_send(t);
	terminal_restore_open(false);
}
