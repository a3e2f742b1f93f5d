// SPDX-License-Identifier: GPL-2.0-or-later
/* Main loop: wait, sample, handle keys, draw. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/format.h"
#include "base/message.h"
#include "follow.h"
#include "pane.h"
#include "terminal_restore.h"

const struct pane *screen_pane(const struct screen *s)
{
	return s->stack[s->depth];
}

bool screen_is_alone(const struct screen *s)
{
	return s->drill || views[s->view].rows->alone;
}

enum key_context screen_context(const struct screen *s)
{
	if (s->layout.too_small)
		return KEYS_TOO_SMALL;
	if (s->prompt.kind)
		return KEYS_PROMPT;
	if (s->depth && screen_pane(s) == &pane_details && screen_is_alone(s))
		return KEYS_DETAILS_ALONE;
	if (s->depth)
		return screen_pane(s)->context;
	if (s->drill)
		return KEYS_CPUS;
	return s->view == VIEW_OVERVIEW     ? KEYS_OVERVIEW
	       : views[s->view].rows->alone ? KEYS_ALONE
	       : views[s->view].rows->list  ? KEYS_LIST
					    : KEYS_TABLE;
}

void screen_push(struct screen *s, const struct pane *pane)
{
	if (s->depth + 1 < PANE_DEPTH && screen_pane(s) != pane)
		s->stack[++s->depth] = pane;
}

void screen_pop(struct screen *s)
{
	if (s->depth)
		s->depth--;
}

void screen_say(struct screen *s, bool warn, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(s->message, sizeof(s->message), format, ap);
	va_end(ap);
	s->warn = warn;
}

void screen_end(struct screen *s, int exit_code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(s->why, sizeof(s->why), format, ap);
	va_end(ap);
	s->exit_code = exit_code;
	s->done = true;
}

/* The selection follows its row; if the row is gone or filtered out, it keeps its position. */
static void selection_restore(struct screen *s)
{
	struct view_state *state = table_state(s);
	long at;

	if (!state->picked) {
		state->list.cursor = 0;
		return;
	}
	at = table_find(&s->table, state->wanted);
	if (at < 0)
		at = table_find(&s->table, state->selected);
	if (at >= 0) {
		state->list.cursor = (int)at;
		return;
	}
	if (state->list.cursor >= (int)s->table.n_rows)
		state->list.cursor = s->table.n_rows ? (int)s->table.n_rows - 1 : 0;
	if (s->table.n_rows)
		state->selected = s->table.row[state->list.cursor].id;
}

const struct findings *findings_shown(const struct screen *s)
{
	return s->snapshots.paused ? &s->findings_still : &s->findings;
}

void view_show(struct screen *s, enum view_id view)
{
	/* A filter that was put aside is in force again, unless another one was typed. */
	if (s->filter)
		filter_free(s->came_from.filter);
	else
		s->filter = s->came_from.filter;
	s->came_from = (struct came_from){ 0 };
	if (view != VIEW_FOLLOW)
		follow_end(s);
	if (!views[s->view].rows->list)
		s->before_list = s->view;
	s->view = view;
	s->drill = 0;
	s->depth = 0;
	screen_rebuild(s);
}

struct history_key screen_history_key(const struct screen *s, uint64_t row)
{
	return (struct history_key){ .view = (int)s->view,
				     .column = view_state_rate(&s->view_state[s->view], s->view),
				     .row = row };
}

/* Sort key of the screen columns. */
static double sort_value(const void *ctx, const struct row *row)
{
	const struct screen *s = ctx;
	const struct view_state *state = &s->view_state[s->view];

	return row_history_sort_value(&s->row_history, screen_history_key(s, row->id), state->sort,
				      ns_to_seconds(snapshots_rates(&s->snapshots)->to->mono_ns));
}

/* Least lines of a block of the overview. */
#define BLOCK_LINES 3

/* A quarter of the screen for each block. */
static size_t block_rows(const struct screen *s)
{
	int lines = s->layout.body_lines / 4;

	return lines > BLOCK_LINES ? (size_t)lines : BLOCK_LINES;
}

/* Rows are sorted again after this time, or when the user changes the view. */
#define ORDER_NS (3 * NSEC_PER_SEC)

/* Without an interval there are no rates to sort by. */
static bool order_stays(struct screen *s, const struct rates *rates)
{
	uint64_t now_ns = rates->to->mono_ns;

	if (s->ordered_ns && now_ns - s->ordered_ns < ORDER_NS)
		return true;
	s->ordered_ns = rates->from ? now_ns : 0;
	return false;
}

static void rebuild(struct screen *s)
{
	const struct rates *rates = snapshots_rates(&s->snapshots);
	struct view_state *state = table_state(s);
	struct table_options options = {
		.view = &views[s->view],
		.filter = s->drill ? NULL : s->filter,
		.sort = state->sort,
		.descending = state->descending,
		.sort_value = sort_value,
		.sort_ctx = s,
		.block_rows = block_rows(s),
		.all = s->all,
		.per_cpu = s->per_cpu && !s->drill && !views[s->view].rows->list,
		.drill = s->drill,
		.fold = true,
		.unit = s->unit,
		.keys = true,
		.switch_by = s->source->live ? SWITCH_KEY : SWITCH_NOT,
		.netns = s->netns,
		.findings = findings_shown(s),
		.events = s->snapshots.paused ? &s->events_still : &s->events,
		.followed = s->snapshots.paused ? &s->followed_still : &s->followed,
	};

	if (!rates)
		return;
	options.keep_order = order_stays(s, rates);
	if (table_build(&s->table, rates, &options)) {
		screen_end(s, EXIT_FAILED, "out of memory for the table");
		return;
	}
	selection_restore(s);
}

void screen_rebuild(struct screen *s)
{
	s->ordered_ns = 0;
	memset(s->content, 0, sizeof(s->content));
	rebuild(s);
}

/* -n: the last snapshot stays visible for its interval, so the next one ends the run. */
static bool is_enough(struct screen *s)
{
	const struct batch_config *batch = &s->options->batch;
	uint64_t now_ns = snapshots_newest(&s->snapshots)->mono_ns;

	if (!s->begun_ns)
		s->begun_ns = now_ns;
	/* the first sample, and the one after a gap, complete no interval */
	return (batch->iterations && s->intervals > batch->iterations) ||
	       (batch->seconds > 0 && ns_to_seconds(now_ns - s->begun_ns) >= batch->seconds);
}

/* Takes one, and adds it to what is known of those before. Returns as sample() does. */
static int take(struct screen *s)
{
	int err = snapshots_sample(&s->snapshots);

	if (err < 0 && err != -EAGAIN)
		screen_end(s, EXIT_FAILED, "sampling failed: %s", strerror(-err));
	if (err)
		return err;
	event_log_take(&s->events, snapshots_newest(&s->snapshots));
	follow_take(s);
	err = findings_update(&s->findings, &s->snapshots.live, s->netns);
	if (err)
		screen_end(s, EXIT_FAILED, "out of memory for the findings");
	row_history_add(&s->row_history, &s->snapshots.live, &s->findings, s->view_state);
	replay_control_base(s);
	s->intervals += s->snapshots.live.from && !s->snapshots.live.to->gap;
	return err;
}

static void sample_take(struct screen *s)
{
	int err = s->back.number ? replay_control_back(s, take) : take(s);

	s->sample_at_ns = 0;
	if (err == -EAGAIN)
		return;
	s->steps -= s->steps > 0;
	if (err < 0)
		return;
	if (err == 1) {
		s->steps = 0;
		screen_say(s, false, "the recording ends here; q quits");
		return;
	}
	screen_record_sample(s);
	if (is_enough(s))
		s->done = true;
	rebuild(s);
}

void screen_sample(struct screen *s)
{
	if (s->snapshots.ended)
		return;
	sample_take(s);
	/* Restarts the interval: the next deadline could be a millisecond away. */
	if (s->source->live)
		event_loop_set(&s->loop, follow_interval(s));
}

void screen_restart(struct screen *s)
{
	screen_record_end(s);
	snapshots_restart(&s->snapshots);
	row_history_free(&s->row_history);
	event_log_clear(&s->events);
	follow_log_free(&s->followed);
	findings_free(&s->findings);
	s->table.n_rows = 0;
}

void screen_set_interval(struct screen *s, double seconds)
{
	const double before = s->interval_s;
	int err;

	s->interval_s = seconds;
	err = event_loop_set(&s->loop, follow_interval(s));
	if (err) {
		s->interval_s = before;
		screen_say(s, true, "the interval stays: %s", strerror(-err));
		return;
	}
	screen_say(s, false, "a sample every %g s", seconds);
}

void screen_suspend(struct screen *s)
{
	sigset_t stop, before;
	struct sigaction sa = { .sa_handler = SIG_DFL }, old;
	int err = 0;

	if (s->source->ops->suspend)
		s->source->ops->suspend(s->source, true);
	terminal_leave(s->terminal);
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigaction(SIGTSTP, &sa, &old);
	raise(SIGTSTP);
	/* Stops here. In an orphaned process group the kernel discards the stop. */
	sigprocmask(SIG_UNBLOCK, &stop, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	/* Handled below: consume it, or signal_take() would see another stop. */
	sigemptyset(&stop);
	sigaddset(&stop, SIGCONT);
	sigtimedwait(&stop, NULL, &(struct timespec){ 0 });
	sigaction(SIGTSTP, &old, NULL);
	if (s->source->ops->suspend)
		err = s->source->ops->suspend(s->source, false);
	terminal_return(s->terminal);
	s->snapshots.gap = s->source->live;
	if (s->source->live)
		screen_sample(s);
	if (err)
		screen_say(s, true, "not all tracepoints could be attached again: %s",
			   strerror(-err));
}

static void too_small_draw(struct screen *s)
{
	const char *text = s->layout.width >= 32 ? "Too small: xdptop needs 40x10; q quits"
						 : "needs 40x10; q quits";
	int width = format_width(text), x = (s->layout.width - width) / 2;

	terminal_put(s->terminal, s->layout.height / 2, x > 0 ? x : 0, width, STYLE_BOLD, text);
}

static void panes_draw(struct screen *s)
{
	int spots;

	s->n_spots = 0;
	header_draw(s);
	spots = s->n_spots;
	if (screen_pane(s)->over)
		s->stack[s->depth - 1]->draw(s);
	s->n_spots = spots; /* what lies below takes no clicks */
	screen_pane(s)->draw(s);
	footer_draw(s);
	if (s->prompt.kind)
		prompt_draw(&s->prompt, s->terminal, &s->layout);
}

static void draw(struct screen *s)
{
	int height = s->layout.height;

	s->loop.want_room = !terminal_ready(s->terminal);
	if (s->loop.want_room)
		return;
	terminal_begin(s->terminal);
	layout_set(&s->layout, s->terminal->width, s->terminal->height);
	if (s->layout.height != height)
		screen_rebuild(s); /* with blocks of that height */
	if (s->layout.too_small)
		too_small_draw(s);
	else
		panes_draw(s);
	s->loop.want_room = !terminal_flush(s->terminal);
}

#define KEY(function, ...) function,
static void (*const functions[])(struct screen *s) = {
#include "key_table.h"
};
#undef KEY

void key_say_nothing(struct screen *s)
{
	char name[16];

	key_code_name(name, sizeof(name), s->key);
	screen_say(s, false, "%s does nothing here; ? lists the keys", name);
}

void screen_key(struct screen *s, int code)
{
	const struct key_row *row = key_row_find(screen_context(s), code);

	if (code & KEYCODE_PASTED) {
		if (s->prompt.kind)
			prompt_key(&s->prompt, s, code & ~KEYCODE_PASTED);
		else
			screen_say(s, false, "pasted text is no keys; / takes it as a filter");
		return;
	}
	s->message[0] = '\0';
	if (!row && s->layout.too_small)
		return;
	if (!row && s->prompt.kind) {
		prompt_key(&s->prompt, s, code);
		return;
	}
	s->key = code;
	if (!row) {
		key_say_nothing(s);
		return;
	}
	s->step = row->step;
	functions[row - key_rows](s);
}

static void signal_take(struct screen *s, int signal)
{
	switch (signal) {
	case SIGWINCH:
		terminal_resize(s->terminal);
		break;
	case SIGTSTP:
		screen_suspend(s);
		break;
	case SIGCONT:
		/* After SIGSTOP, which cannot be caught: the shell may have changed the modes. */
		terminal_return(s->terminal);
		s->snapshots.gap = s->source->live;
		break;
	case SIGHUP:
	case SIGINT:
	case SIGTERM:
	case SIGQUIT:
		s->done = true;
		break;
	}
}

/* Poll interval for a recording that comes through a pipe. */
#define PIPE_MS 100

/* ms until an early sample (live) or the next snapshot (replay); -1 = none */
static int early_ms(const struct screen *s)
{
	uint64_t now = clock_ns();
	int ms;

	if (s->source->live) {
		if (!s->sample_at_ns)
			return -1;
		return s->sample_at_ns <= now ? 0
					      : (int)((s->sample_at_ns - now) / NSEC_PER_MSEC + 1);
	}
	/* A paused replay does not advance. */
	if (s->snapshots.ended || !s->source->ops->due)
		return -1;
	if ((s->snapshots.paused || (s->by_step && !s->steps)) && !s->source->seeking &&
	    !s->back.number)
		return -1;
	ms = s->source->ops->due(s->source);
	return ms < 0 ? PIPE_MS : ms;
}

static void wait_once(struct screen *s)
{
	enum loop_event what;
	int signal = 0, code, early = early_ms(s), err;
	int look = source_look_ms(s->source, s->follow.on);
	bool looks = look >= 0 && (early < 0 || early > look);

	s->still = false;
	s->loop.more = early >= 0 && !s->source->live ? s->source->fd : -1;
	err = event_loop_wait(&s->loop, looks ? look : early, &what, &signal);
	if (err == -EAGAIN) {
		s->still = looks;
		if (looks)
			s->source->ops->look(s->source);
		else
			screen_sample(s);
		return;
	}
	if (err) {
		screen_end(s, EXIT_FAILED, "waiting for input failed: %s", strerror(-err));
		return;
	}
	switch (what) {
	case LOOP_INTERVAL:
		if (s->source->live)
			sample_take(s);
		break;
	case LOOP_INPUT:
		s->still = true;
		while (!s->done && (code = keyboard_key(&s->terminal->keyboard)) != KEYCODE_NONE) {
			screen_key(s, code);
			s->still = false;
		}
		break;
	case LOOP_SIGNAL:
		signal_take(s, signal);
		break;
	case LOOP_HANGUP:
	case LOOP_CLOSED:
		s->done = true;
		break;
	case LOOP_MORE:
		screen_sample(s);
		break;
	case LOOP_ROOM: /* the loop draws again */
		break;
	}
}

static void say_tracer_ended(struct screen *s)
{
	const char *why = source_tracer_ended(s->source, &s->tracer);

	if (!why)
		return;
	screen_say(s, true, "%s; dmesg may say why; start xdptop again", why);
	s->still = false;
}

/* -s sorts the start view: call it when command line and settings have set that. */
static void sort_set(struct screen *s)
{
	const struct output_config *output = &s->options->output;
	struct view_state *state = &s->view_state[s->view];

	if (output->sort < 0)
		return;
	view_state_sort(state, output->sort,
			output->sort_descending < 0 ? columns[output->sort].descending
						    : output->sort_descending != 0);
}

/* As batch mode does: with what happened until now. */
static void record_leave(struct screen *s)
{
	if (!s->record.on)
		return;
	if (s->source->live) {
		screen_record_last(s);
		sample_take(s);
	}
	screen_record_end(s);
	if (s->warn && !s->exit_code)
		screen_end(s, EXIT_FILE, "%s", s->message);
	else if (s->warn || !s->options->batch.quiet)
		message("%s", s->message);
}

int screen_run(struct source *source, const struct options *options)
{
	struct screen *s = calloc(1, sizeof(*s));
	int err, exit_code;

	if (!s) {
		message("out of memory");
		return EXIT_FAILED;
	}
	s->source = source;
	s->options = options;
	s->interval_s = source->host.delay_s;
	s->by_step = options->recording.step;
	s->stack[0] = &pane_table;
	s->loop = (struct event_loop){
		.timer = -1, .signals = -1, .input = -1, .more = -1, .output = -1
	};
	settings_apply(s);
	sort_set(s);
	snapshots_open(&s->snapshots, source);
	s->netns = source->netns ? source->netns : netns_names_new();
	if (filter_parse(options->output.filter, &s->filter, s->why, sizeof(s->why))) {
		s->exit_code = EXIT_USAGE;
		goto out;
	}
	/* Blocks signals first: none may end the program between two terminal modes. */
	err = event_loop_open(&s->loop, source->live ? s->interval_s : 0, -1);
	if (err) {
		screen_end(s, EXIT_FAILED, "no timer or signals: %s", strerror(-err));
		goto out;
	}
	if (terminal_start(&s->terminal, options->output.ascii, options->no_color, !s->no_mouse,
			   s->why, sizeof(s->why))) {
		s->exit_code = EXIT_FAILED;
		goto out;
	}
	s->loop.input = s->terminal->input;
	s->loop.output = STDOUT_FILENO;
	s->steps = 1; /* the first is read to its end, however long that takes */
	sample_take(s);
	settings_apply_tracepoints(s);
	while (!s->done) {
		say_tracer_ended(s);
		if (!s->still)
			draw(s);
		if (terminal_restore_ended())
			break;
		wait_once(s);
	}
out:
	terminal_stop(s->terminal);
	record_leave(s);
	event_loop_close(&s->loop);
	exit_code = s->exit_code;
	if (exit_code)
		message("%s", s->why);
	table_free(&s->table);
	row_history_free(&s->row_history);
	event_log_free(&s->events);
	event_log_free(&s->events_still);
	follow_log_free(&s->followed);
	follow_log_free(&s->followed_still);
	findings_free(&s->findings);
	findings_free(&s->findings_still);
	snapshots_close(&s->snapshots);
	if (s->netns != source->netns)
		netns_names_free(s->netns);
	filter_free(s->filter);
	filter_free(s->came_from.filter);
	text_free(&s->text);
	free(s);
	return exit_code;
}
