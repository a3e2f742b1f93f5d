// SPDX-License-Identifier: GPL-2.0-or-later
/* Words wrapped to a width; an event log that keeps the newest events. */
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/format.h"
#include "model/event_log.h"
#include "ui/text.h"
#include "unit/test.h"

static int set_utf8(void **state)
{
	return !setlocale(LC_CTYPE, "C.UTF-8");
}

TEST_WITH(test_wrap, set_utf8, NULL)
{
	struct text t = { 0 };

	text_clear(&t, 20);
	text_add(&t, 3, 6, "key", "one two three four five");
	assert_int_equal(t.n, 2);
	assert_string_equal(t.line[0].text, "key   one two three");
	assert_string_equal(t.line[1].text, "      four five");
	assert_int_equal(t.line[1].style, 3);
	/* A head wider than its column, a word wider than the line, runs of blanks. */
	text_add(&t, 0, 4, "longhead", "x");
	assert_string_equal(t.line[2].text, "longhead x");
	text_add(&t, 0, 0, "", "%s y", "abcdefghijklmnopqrstuvwxyz");
	assert_string_equal(t.line[3].text, "abcdefghijklmnopqrstuvwxyz");
	assert_string_equal(t.line[4].text, "y");
	text_add(&t, 0, 0, "", "a  'b  c'");
	assert_string_equal(t.line[5].text, "a  'b  c'");
	text_free(&t);
	assert_int_equal(t.n, 0);
}

/* Wrapped commands work when pasted: a shell drops a backslash and its newline. */
TEST_WITH(test_commands, set_utf8, NULL)
{
	static const char *const commands[] = {
		"ethtool -S eth0",
		"ps -eLo psr,pcpu,comm --sort=-pcpu | awk '$1 == 3' | head",
		"ip -n 'a b' -d link show dev \"$(printf 'e\\047t\\040h\\033')\"",
		"ip -n 'it'\\''s a b' link",
		"nsenter --net=$(find /proc/*/ns /proc/*/fd -lname 'net:\\[402\\]' -print) ip "
		"link",
	};
	/* quoted text must not be broken, since the shell keeps the backslash there */
	static const char *const whole[] = { "'$1 == 3'", "'a b'", "'s a b'" };
	enum { N_WHOLE = sizeof(whole) / sizeof(whole[0]) };
	struct text t = { 0 };

	for (int width = 8; width < 100; width++) {
		for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
			char pasted[256] = "";
			bool found[N_WHOLE] = { 0 };

			text_clear(&t, width);
			text_add_command(&t, 0, 4, commands[i]);
			for (size_t k = 0; k < t.n; k++) {
				const char *line = t.line[k].text;
				size_t len;

				line += strspn(line, " ");
				len = strlen(line);
				if (k + 1 < t.n)
					assert_string_equal(line + len - 2, " \\");
				snprintf(pasted + strlen(pasted), sizeof(pasted) - strlen(pasted),
					 "%.*s", (int)(k + 1 < t.n ? len - 1 : len), line);
				for (size_t w = 0; w < N_WHOLE; w++)
					found[w] |= strstr(line, whole[w]) != NULL;
			}
			assert_string_equal(pasted, commands[i]);
			for (size_t w = 0; w < N_WHOLE; w++)
				assert_int_equal(found[w], strstr(commands[i], whole[w]) != NULL);
			assert_true(4 + (int)strlen(commands[i]) > width || t.n == 1);
		}
	}
	text_free(&t);
}

TEST_WITH(test_every_width, set_utf8, NULL)
{
	struct text t = { 0 };

	for (int width = -1; width <= 300; width++) {
		text_clear(&t, width);
		for (int indent = 0; indent < 40; indent += 13)
			text_add(&t, 0, indent, "網路", "the 網路 is a cafe\u0301 of n words");
		assert_true(t.n >= 4);
		for (size_t i = 0; i < t.n && width >= 12; i++)
			assert_true(format_width(t.line[i].text) <= width);
	}
	text_free(&t);
}

static void take(struct event_log *l, int from, int n)
{
	struct snapshot s;

	snapshot_init(&s);
	for (int i = 0; i < n; i++) {
		struct event *e = snapshot_add_event(&s);

		assert_non_null(e);
		e->pid = (uint32_t)(from + i);
	}
	event_log_take(l, &s);
	snapshot_free(&s);
}

TEST_WITH(test_event_log, set_utf8, NULL)
{
	struct event_log l = { 0 };

	assert_int_equal(event_log_count(&l), 0);
	take(&l, 1, 0);
	assert_int_equal(event_log_count(&l), 0);
	take(&l, 1, 3);
	assert_int_equal(event_log_count(&l), 3);
	assert_int_equal(event_log_get(&l, 0)->pid, 3);
	assert_int_equal(event_log_get(&l, 2)->pid, 1);
	take(&l, 4, 2 * EVENT_LOG_MAX);
	assert_int_equal(event_log_count(&l), EVENT_LOG_MAX);
	assert_int_equal(event_log_get(&l, 0)->pid, 3 + 2 * EVENT_LOG_MAX);
	assert_int_equal(event_log_get(&l, EVENT_LOG_MAX - 1)->pid, 4 + EVENT_LOG_MAX);
	event_log_free(&l);
}
