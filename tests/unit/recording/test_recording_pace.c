// SPDX-License-Identifier: GPL-2.0-or-later
/* When a snapshot of a recording is ready: from a pipe, after a pause of its writer, at a pace. */
#include <errno.h>
#include <unistd.h>
#include "recording/recording_assemble.h"
#include "unit/recording/made_recording.h"
#include "unit/test.h"

/* From a pipe: never waits, and a snapshot is ready when it has its rows. */
TEST(test_pipe)
{
	char *text = record_seconds(2, false), *second = strstr(text, "\"seq\":2,"), path[32];
	struct recording_config config = replay_of(path);
	struct snapshot to = { 0 };
	struct source *source = NULL;
	struct error error = { 0 };
	int fds[2];

	while (second[-1] != '\n')
		second--;
	assert_int_equal(pipe(fds), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	assert_int_equal(write(fds[1], text, (size_t)(second - text)), second - text);
	assert_int_equal(open_recording(&source, &config, &error), 0);
	/* more rows may follow: the writer has only just paused */
	assert_int_equal(source->ops->sample(source, &to), -EAGAIN);
	assert_true(source->fd >= 0);
	assert_int_equal(write(fds[1], second, strlen(second)), strlen(second));
	assert_int_equal(sample_next(source, &to), 0);
	assert_int_equal(to.seq, 0);
	snapshot_clear(&to);
	assert_int_equal(sample_next(source, &to), 0);
	assert_int_equal(to.seq, 1);
	assert_false(source->last);
	snapshot_clear(&to);
	assert_int_equal(sample_next(source, &to), 0);
	assert_int_equal(to.seq, 2);
	assert_true(source->last);
	assert_int_equal(source->ops->sample(source, &to), -EAGAIN);
	close(fds[1]);
	assert_int_equal(sample_next(source, &to), 1);
	assert_string_equal(source->end_reason, "count");
	assert_int_equal(source->ops->toggle(source, TP_XDP_REDIRECT, true), -EOPNOTSUPP);
	source->ops->close(source);
	close(fds[0]);
	snapshot_free(&to);
	free(text);
}

/* As if everything had been read long ago. */
static void pause_writer(struct source *source)
{
	((struct recording *)source)->read_ns = 0;
}

/* A writer that pauses within a line has not finished its snapshot, however long it pauses. */
TEST(test_pause)
{
	char *text = record_seconds(1, false), path[32];
	struct error error = { 0 };
	struct recording_config config = replay_of(path);
	struct snapshot to = { 0 };
	struct source *source = NULL;
	int fds[2];
	size_t half = strlen(after_line(text, 2)) / 2, rest;

	half = (size_t)(after_line(text, 2) - text) + half;
	while (text[half] == '\n' || text[half - 1] == '\n')
		half++;
	assert_int_equal(pipe(fds), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	assert_int_equal(write(fds[1], text, half), half);
	assert_int_equal(open_recording(&source, &config, &error), 0);
	assert_int_equal(source->ops->sample(source, &to), -EAGAIN);
	pause_writer(source);
	assert_int_equal(source->ops->sample(source, &to), -EAGAIN);
	/* after the line's end a pause means that this was all */
	rest = strcspn(text + half, "\n") + 1;
	assert_int_equal(write(fds[1], text + half, rest), rest);
	assert_int_equal(source->ops->sample(source, &to), -EAGAIN);
	pause_writer(source);
	assert_int_equal(source->ops->sample(source, &to), 0);
	snapshot_clear(&to);
	assert_int_equal(sample_next(source, &to), 0);
	assert_int_equal(to.seq, 1);
	assert_false(source->last);
	source->ops->close(source);
	close(fds[0]);
	close(fds[1]);
	snapshot_free(&to);
	free(text);
}

/* At a pace: not early, and due() knows the remaining time. */
TEST(test_pace)
{
	char *text = record_seconds(2, false), path[64];
	struct error error = { 0 };
	struct recording_config config = replay_of(path);
	struct snapshot to = { 0 };
	struct source *source = NULL;

	put_file(path, text, strlen(text));
	config.speed = 0.01; /* a second takes 100 s */
	assert_int_equal(open_recording(&source, &config, &error), 0);
	unlink(path);
	assert_int_equal(sample_next(source, &to), 0);
	assert_int_equal(source->ops->sample(source, &to), -EAGAIN);
	assert_in_range(source->ops->due(source), 50000, 100001);
	source->ops->close(source);
	snapshot_free(&to);
	free(text);
}
