// SPDX-License-Identifier: GPL-2.0-or-later
/* The ten minutes before key o: what is kept, within bounds, and that it is a recording. */
#include <stdlib.h>
#include "base/clock.h"
#include "ui/screen_record.h"
#include "unit/recording/made_recording.h"

/* Adds seconds `from` to `to`, each as one snapshot. */
static void add(struct past *p, uint64_t from, uint64_t to)
{
	struct snapshot_host host = { .hostname = "host", .delay_s = 1 };
	struct output out = { .host = &host, .netns = netns_names_new() };
	struct snapshot s[2] = { 0 };
	struct rates rates = { 0 };

	fake_snapshot(&s[from % 2], from);
	for (uint64_t i = from + 1; i <= to; i++) {
		snapshot_clear(&s[i % 2]);
		fake_snapshot(&s[i % 2], i);
		rates_set(&rates, &s[(i + 1) % 2], &s[i % 2], NULL);
		past_add(p, &rates, &out);
	}
	netns_names_free(out.netns);
	rates_free(&rates);
	snapshot_free(&s[0]);
	snapshot_free(&s[1]);
}

/* Replays it: number of snapshots, and the sums at its start and end. */
static void replay(struct past *p, uint64_t *first, uint64_t *last, uint64_t *n, uint64_t *events)
{
	char path[64], *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct recording_config config = replay_of(path);
	struct source *source;
	struct snapshot s = { 0 };
	struct error error;

	fputs("{\"type\":\"header\",\"schema\":1}\n", file);
	assert_int_equal(past_write(p, file), 0);
	fclose(file);
	assert_null(strstr(text + 1, "{\"type\":\"header\""));
	put_file(path, text, size);
	assert_int_equal(open_recording(&source, &config, &error), 0);
	for (*n = 0; !sample_next(source, &s); ++*n) {
		if (*n == 1)
			*first = s.seq;
		*last = s.seq;
		*events = s.tp[TP_XDP_REDIRECT_ERR].events;
		snapshot_clear(&s);
	}
	source->ops->close(source);
	snapshot_free(&s);
	unlink(path);
	free(text);
}

TEST(test_ten_minutes)
{
	struct past p = { 0 };
	uint64_t first, last, n, events;
	struct snapshot s = { 0 };

	assert_null(past_begin(&p));
	add(&p, 0, 30);
	replay(&p, &first, &last, &n, &events);
	assert_int_equal(first, 1);
	assert_int_equal(last, 30);
	add(&p, 30, 2000);
	replay(&p, &first, &last, &n, &events);
	assert_in_range(first, 2000 - 660, 2000 - 600);
	assert_int_equal(last, 2000);
	assert_int_equal(n, last - first + 2);
	fake_snapshot(&s, 2000);
	assert_int_equal(events, s.tp[TP_XDP_REDIRECT_ERR].events);
	assert_int_equal(past_begin(&p)->tv_sec, s.wall.tv_sec - (time_t)(2000 - first + 1));
	snapshot_free(&s);
	past_free(&p);
	assert_null(past_begin(&p));
}

/* Events of text that hardly compresses. */
TEST(test_bounded)
{
	struct snapshot_host host = { .delay_s = 1 };
	struct output out = { .host = &host, .netns = netns_names_new() };
	struct snapshot s[2] = { 0 };
	struct rates rates = { 0 };
	struct past p = { 0 };
	uint64_t random = 1;

	fake_snapshot(&s[0], 0);
	for (uint64_t i = 1; i <= 300; i++) {
		struct snapshot *to = &s[i % 2];

		snapshot_clear(to);
		fake_snapshot(to, i);
		for (int j = 0; j < 1000; j++) {
			struct event *e = snapshot_add_event(to);

			*e = (struct event){ .time = to->wall };
			for (size_t k = 0; k + 1 < sizeof(e->text); k++) {
				random = random * 6364136223846793005u + 1442695040888963407u;
				e->text[k] = (char)('!' + (random >> 33) % 90);
			}
		}
		rates_set(&rates, &s[(i + 1) % 2], to, NULL);
		past_add(&p, &rates, &out);
		assert_in_range(sink_pending(&p.sink), 1, PAST_BYTES + PAST_BYTES / 2);
		assert_in_range(p.n, 1, PAST_FRAMES);
	}
	assert_true(p.n > 1);
	netns_names_free(out.netns);
	rates_free(&rates);
	snapshot_free(&s[0]);
	snapshot_free(&s[1]);
	past_free(&p);
}
