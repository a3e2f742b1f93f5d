// SPDX-License-Identifier: GPL-2.0-or-later
/* Written settings read back the same; bad lines are named and skipped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ui/settings.h"
#include "unit/test.h"

static void init(struct settings *s)
{
	struct options options;

	options_default(&options);
	settings_init(s, &options);
}

static void refused(const char *line, const char *word)
{
	struct settings s, before;
	struct error error = { 0 };

	init(&s);
	init(&before);
	assert_int_not_equal(settings_line(&s, line, &error), 0);
	if (!strstr(error.text, word))
		print_error("%s: '%s' does not name '%s'\n", line, error.text, word);
	assert_non_null(strstr(error.text, word));
	assert_memory_equal(&s, &before, sizeof(s));
}

static void taken(struct settings *s, const char *line)
{
	struct error error = { 0 };
	int err = settings_line(s, line, &error);

	if (err)
		print_error("%s: %s\n", line, error.text);
	assert_int_equal(err, 0);
}

TEST(test_lines)
{
	struct settings s;

	init(&s);
	taken(&s, "");
	taken(&s, "   \n");
	taken(&s, "# view = nosuch\n");
	assert_int_equal(s.options.given, 0);
	taken(&s, " view=flows \n");
	taken(&s, "interval = 0.25");
	taken(&s, "copy = always");
	taken(&s, "all = yes");
	taken(&s, "per_cpu = no");
	taken(&s, "tracepoints = default,+xdp_redirect,-net_dev_queue");
	for (size_t i = 0; i < n_option_rows; i++)
		assert_int_equal(option_given(&s.options, &option_rows[i]),
				 option_rows[i].setting != NULL);
	assert_int_equal(s.options.output.view, VIEW_FLOWS);
	assert_true(s.options.batch.delay_s == 0.25);
	assert_int_equal(s.copy_always, 1);
	assert_true(s.options.output.all);
	assert_false(s.options.output.per_cpu);
	assert_true(s.options.trace.tracepoints >> TP_XDP_REDIRECT & 1);
	assert_false(s.options.trace.tracepoints >> TP_NET_DEV_QUEUE & 1);
	taken(&s, "flows.sort = ifname");
	assert_int_equal(s.view_state[VIEW_FLOWS].sort, COL_DEVICE);
	assert_false(s.view_state[VIEW_FLOWS].descending);
	taken(&s, "flows.sort = drops_per_s:asc");
	assert_int_equal(s.view_state[VIEW_FLOWS].sort, COL_DROPS_RATE);
	assert_false(s.view_state[VIEW_FLOWS].descending);
	taken(&s, "flows.sort = peak:asc");
	assert_int_equal(s.view_state[VIEW_FLOWS].sort, SCREEN_COL_PEAK);
	assert_false(s.view_state[VIEW_FLOWS].descending);
	taken(&s, "flows.sort = trend");
	assert_int_equal(s.view_state[VIEW_FLOWS].sort, SCREEN_COL_TREND);
	assert_true(s.view_state[VIEW_FLOWS].descending);
	taken(&s, "overview.sort = drops_per_s");
	assert_int_equal(s.view_state[VIEW_OVERVIEW].sort, COL_DROPS_RATE);
	taken(&s, "overview.sort = table");
	assert_int_equal(s.view_state[VIEW_OVERVIEW].sort, -1);
	taken(&s, "errors.columns = errname, ifname:20,peak, trend");
	assert_true(s.view_state[VIEW_ERRORS].columns.custom);
	assert_int_equal(s.view_state[VIEW_ERRORS].columns.n, 4);
	assert_int_equal(s.view_state[VIEW_ERRORS].columns.id[0], COL_ERROR);
	assert_int_equal(s.view_state[VIEW_ERRORS].columns.width[COL_DEVICE], 20);
	assert_int_equal(s.view_state[VIEW_ERRORS].columns.id[3], SCREEN_COL_TREND);
}

TEST(test_refused)
{
	refused("view", "NAME = VALUE");
	refused("view = nosuch", "'nosuch'");
	refused("colour = red", "'colour'");
	refused("interval = 0", "0.1 to 3600");
	refused("interval = 1e9", "0.1 to 3600");
	refused("interval = nan", "0.1 to 3600");
	refused("interval = 1 x", "0.1 to 3600");
	refused("mouse = perhaps", "yes");
	refused("all = 1", "yes");
	refused("tracepoints = nosuch", "'nosuch'");
	refused("nosuch.sort = table", "'nosuch'");
	refused("flows.sort = nosuch", "'nosuch'");
	refused("flows.sort = drops_per_s:up", "':up'");
	refused("flows.color = red", "'color'");
	refused("flows.columns = ", "no columns");
	refused("flows.columns = ifname,nosuch", "'nosuch'");
	refused("flows.columns = ifname,ifname", "twice");
	refused("flows.columns = drops_per_s:2", "'2'");
	refused("flows.columns = ifname:1000", "'1000'");
	refused("flows.columns = ifname:x", "'x'");
}

/* The file does not change options from the command line, but bad values are still reported. */
TEST(test_locked)
{
	struct options options;
	struct settings s;
	char *argv[] = { "xdptop", "-v", "overview", "-a", NULL };
	struct error error = { 0 };

	assert_int_equal(options_parse(&options, 4, argv, &error), 0);
	settings_init(&s, &options);
	taken(&s, "view = flows");
	taken(&s, "all = no");
	taken(&s, "interval = 5");
	assert_int_equal(s.options.output.view, VIEW_OVERVIEW);
	assert_true(s.options.output.all);
	assert_true(s.options.batch.delay_s == 5);
	assert_int_not_equal(settings_line(&s, "view = nosuch", &error), 0);
}

TEST(test_file)
{
	static const char text[] = "view = errors\nbad line\nmouse = perhaps\ninterval = 5\n";
	struct settings s, again;
	struct error error = { 0 };
	char *written = NULL;
	size_t size = 0;
	FILE *f = fmemopen((void *)text, sizeof(text) - 1, "r");

	init(&s);
	settings_read(&s, f, &error);
	fclose(f);
	assert_non_null(strstr(error.text, "line 2"));
	assert_int_equal(s.options.output.view, VIEW_ERRORS);
	assert_true(s.options.batch.delay_s == 5);
	assert_int_equal(s.no_mouse, 0);

	taken(&s, "stack.columns = ifname:33,bytes_per_s");
	taken(&s, "stack.sort = bytes_per_s:asc");
	taken(&s, "tracepoints = none,+xdp_redirect");
	f = open_memstream(&written, &size);
	assert_int_equal(settings_write(&s, f), 0);
	fclose(f);
	f = fmemopen(written, size, "r");
	init(&again);
	settings_read(&again, f, &error);
	fclose(f);
	assert_string_equal(error.text, "");
	free(written);
	/* Unknown tracepoints have no name to save. */
	s.options.trace.tracepoints |= ~((1u << TP_VERDICTS) - 1) & again.options.trace.tracepoints;
	assert_memory_equal(&s, &again, sizeof(s));
}

/* The example has every setting, with its default. */
TEST(test_example)
{
	FILE *f = fopen("doc/xdptop.conf", "r");
	char line[256], name[64], *written = NULL, *at;
	struct settings s, defaults;
	size_t size, names = 0;
	FILE *to;

	assert_non_null(f);
	init(&s);
	init(&defaults);
	s.options.given = UINT32_MAX;
	to = open_memstream(&written, &size);
	assert_int_equal(settings_write(&s, to), 0);
	fclose(to);
	s.options.given = 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "#%63[a-z_.] =", name) != 1)
			continue;
		taken(&s, line + 1);
		/* of the views one is enough */
		if (strchr(name, '.'))
			continue;
		names++;
		at = strstr(written, name);
		assert_non_null(at);
		assert_true(at[strlen(name)] == ' ' && (at == written || at[-1] == '\n'));
	}
	fclose(f);
	for (at = written; (at = strstr(at, " = ")); at++) {
		char *begin = at;

		while (begin > written && begin[-1] != '\n')
			begin--;
		names -= !memchr(begin, '.', (size_t)(at - begin));
	}
	assert_int_equal(names, 0);
	free(written);
	s.options.given = defaults.options.given;
	assert_memory_equal(&s.options, &defaults.options, sizeof(s.options));
	assert_int_equal(s.no_mouse, defaults.no_mouse);
}
