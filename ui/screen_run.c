// SPDX-License-Identifier: GPL-2.0-or-later
/* Main loop: wait, sample, handle keys, draw. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "actions.h"
#include "base/memory.h"
#include "follow.h"
#include "pane.h"
#include "screen_run.h"
#include "screen_table.h"
#include "export.h"
#include "terminal.h"

/* -n: the last snapshot stays visible for its interval, so the run ends at the next one. */
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

/* After going back, sets the baseline again when its snapshot is read again. */
static void base_set_again(struct screen *s)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);

	if (!s->replay.has_base ||
	    timespec_to_ns(&now->wall) != timespec_to_ns(&s->snapshots.base.wall))
		return;
	snapshots_baseline(&s->snapshots);
	history_forget_peaks(&s->row_history.history);
	s->replay.has_base = false;
}

/* Returns as source_ops.sample() does. */
static int sample_take(struct screen *s)
{
	int err = snapshots_sample(&s->snapshots);

	if (err < 0 && err != -EAGAIN)
		screen_end(s, EXIT_FAILED, "sampling failed: %s", strerror(-err));
	if (err)
		return err;
	event_log_take(&s->events, snapshots_newest(&s->snapshots));
	follow_take(s);
	err = findings_update(&s->findings, &s->snapshots.live, s->netns);
	s->done |= err == -ECANCELED;
	row_history_add(&s->row_history, &s->snapshots.live, &s->findings, s->view_state,
			!s->source->live);
	base_set_again(s);
	s->intervals += s->snapshots.live.from && !s->snapshots.live.to->gap;
	return err;
}

/* Longest time without a look at the keyboard. */
#define BACK_NS (50 * NSEC_PER_MSEC)

/* Reads on to where the replay goes: 0 when it is there, -EAGAIN while that takes longer; else as
 * sample_take(). */
static int move_take(struct screen *s)
{
	uint64_t end = clock_ns() + BACK_NS;
	int err;

	do {
		err = sample_take(s);
	} while (!err && !s->done && !replay_arrives(s) && clock_ns() < end);
	if (err == -EAGAIN || (!err && !replay_arrives(s)))
		return -EAGAIN;
	replay_arrived(s);
	return err;
}

/* Takes a sample, if one is available, and shows it. Keys ask for one by sample_at_ns or steps. */
static void screen_sample_take(struct screen *s)
{
	int err;

	if (s->replay.searching) {
		replay_search(s);
		return;
	}
	err = replay_moves(s) ? move_take(s) : sample_take(s);

	s->sample_at_ns = 0;
	if (err == -EAGAIN)
		return;
	s->steps -= s->steps > 0;
	if (err < 0)
		return;
	if (err == 1) {
		s->steps = 0;
		if (s->view != VIEW_TIMELINE)
			screen_say(s, false, "the recording ends here; q quits");
		/* no later sample sorts the rows that stay */
		s->ordered_ns = 0;
		screen_refresh(s);
		return;
	}
	screen_record_sample(s);
	if (is_enough(s))
		s->done = true;
	screen_refresh(s);
}

/* The same, and restarts the interval. Does nothing after the end of a recording. */
static void screen_sample(struct screen *s)
{
	if (s->snapshots.ended && !s->replay.searching)
		return;
	screen_sample_take(s);
	/* Restarts the interval: the next deadline could be a millisecond away. */
	if (s->source->live)
		event_loop_set(&s->loop, follow_interval(s));
}

static void suspend(struct screen *s)
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
	/* The process stops here. In an orphaned process group the kernel discards the stop. */
	sigprocmask(SIG_UNBLOCK, &stop, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	/* SIGCONT is handled below, so consume it, or signal_take() would handle it again. */
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
	s->n_spots = spots; /* the pane below takes no clicks */
	screen_pane(s)->draw(s);
	footer_draw(s);
	if (s->prompt.kind)
		prompt_draw(&s->prompt, s->terminal, &s->layout);
}

static void draw(struct screen *s)
{
	int height = s->layout.height;

	terminal_begin(s->terminal);
	layout_set(&s->layout, s->terminal->width, s->terminal->height);
	if (s->layout.height != height)
		screen_rebuild(s); /* blocks depend on the height */
	if (s->layout.too_small)
		too_small_draw(s);
	else
		panes_draw(s);
	terminal_flush(s->terminal);
}

static void signal_take(struct screen *s, int signal)
{
	switch (signal) {
	case SIGWINCH:
		terminal_resize(s->terminal);
		break;
	case SIGTSTP:
		suspend(s);
		break;
	case SIGCONT:
		/*
		 * After SIGSTOP, which cannot be caught, because the shell may have changed the
		 * modes.
		 */
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
	if (s->replay.searching)
		return 0;
	if (s->snapshots.ended || !s->source->ops->due)
		return -1;
	if ((s->snapshots.paused || (s->by_step && !s->steps)) && !s->source->seeking &&
	    !replay_moves(s))
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
	bool reads = incidents_reading(s);

	s->still = false;
	s->loop.more = early >= 0 && !s->source->live ? s->source->fd : -1;
	err = event_loop_wait(&s->loop, looks ? look : reads ? 0 : early, &what, &signal);
	if (err == -EAGAIN && reads) {
		incidents_read(s);
		if (early)
			return;
	}
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
			screen_sample_take(s);
		break;
	case LOOP_INPUT:
		s->still = true;
		incidents_stop_search(s);
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
	case LOOP_ROOM:
		break;
	}
}

static void say_process_ended(struct screen *s)
{
	const char *why = source_process_ended(s->source, s->process);

	if (!why)
		return;
	screen_say(s, true, "%s; dmesg may say why; start xdptop again", why);
	s->still = false;
}

/* -s sorts the start view: call it after settings_apply(). */
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

/* Ends the recording with a last sample, as batch mode does. */
static void record_leave(struct screen *s)
{
	if (!s->record.on)
		return;
	if (s->source->live) {
		screen_record_last(s);
		screen_sample_take(s);
	}
	screen_record_end(s);
	if (s->warn && !s->error.exit_code)
		screen_end(s, EXIT_FILE, "%s", s->message);
	else if (s->warn || !s->options->batch.quiet)
		message("%s", s->message);
}

static void screen_free(struct screen *s)
{
	event_loop_close(&s->loop);
	table_free(&s->table);
	table_free(&s->found);
	row_history_free(&s->row_history);
	event_log_free(&s->events);
	event_log_free(&s->events_still);
	follow_log_free(&s->followed);
	past_free(&s->past);
	follow_log_free(&s->followed_still);
	findings_free(&s->findings);
	findings_free(&s->findings_still);
	snapshots_close(&s->snapshots);
	if (s->netns != s->source->netns)
		netns_names_free(s->netns);
	places_forget(s);
	filter_free(s->filter);
	text_free(&s->text);
	free(s);
}

int screen_open(struct screen **out, struct source *source, const struct options *options,
		struct error *error)
{
	struct screen *s = memory_new(1, sizeof(*s));
	int err;

	*out = NULL;
	s->source = source;
	s->options = options;
	s->interval_s = source->host.delay_s;
	s->by_step = options->recording.step;
	export_open(s);
	s->stack[0] = &pane_table;
	s->loop = (struct event_loop){
		.timer = -1, .signals = -1, .input = -1, .more = -1, .output = -1
	};
	settings_apply(s);
	sort_set(s);
	snapshots_open(&s->snapshots, source);
	s->netns = source->netns ? source->netns : netns_names_new();
	err = filter_parse(options->output.filter, &s->filter, error);
	if (err) {
		error->exit_code = EXIT_USAGE;
		goto out;
	}
	/* Block signals first, as none may end the program while the terminal's modes change. */
	err = event_loop_open(&s->loop, source->live ? s->interval_s : 0, -1);
	if (err) {
		error_set(error, err, "cannot set up the timer and signals: %s", strerror(-err));
		goto out;
	}
	err = terminal_start(&s->terminal, options->output.ascii, options->no_color, !s->no_mouse,
			     error);
	if (err)
		goto out;
	s->loop.input = s->terminal->input;
	s->loop.output = STDOUT_FILENO;
	*out = s;
	return 0;
out:
	screen_free(s);
	return err;
}

void screen_close(struct screen *s)
{
	if (!s)
		return;
	terminal_stop(s->terminal);
	screen_free(s);
}

int screen_run(struct screen *s)
{
	struct error error;

	if (!s->source->live)
		s->interval_s = s->source->host.delay_s;
	if (s->source->is_long && !s->options->output.view_given)
		s->view = VIEW_TIMELINE;
	s->steps = 1; /* when stepping, the first snapshot needs no key */
	if (s->source->start_ns && replay_go(s, s->source->start_ns))
		screen_say(s, true, "going to that time failed");
	screen_sample_take(s);
	settings_apply_tracepoints(s);
	if (s->view == VIEW_TIMELINE)
		s->incidents.again = true;
	while (!s->done) {
		say_process_ended(s);
		packets_watch(s);
		if (!s->still)
			draw(s);
		if (terminal_restore_ended())
			break;
		wait_once(s);
	}
	terminal_stop(s->terminal);
	packets_end(s);
	record_leave(s);
	error = s->error;
	screen_free(s);
	return error.exit_code ? error_print(&error) : EXIT_DONE;
}
