// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Follows events as the monitor does, without its screen and outputs. Reads commands from stdin and
 * answers each with a line; `sample` first prints a line per event, unless -q is given:
 *
 *   follow EXPR                 0 or -errno and why; without EXPR: stop
 *   sample                      the sums since the last `follow`
 *   count NAME WORD=NUMBER ...  events of matching series at the last sample
 *   toggle NAME                 switch counting on or off
 *
 * EXPR is that of --follow. Words: members of struct series_key.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/privilege.h"
#include "table/follow_choice.h"
#include "model/tracepoint.h"
#include "source/live_source.h"

static bool quiet;
static uint64_t lines, lost, lost_rows;

static struct follow_choice choice;
static bool follows;

static void do_follow(struct source *source, const struct snapshot *s, const char *expr)
{
	struct follow_filter filter = { 0 };
	struct error error = { 0 };
	int err = 0;

	follow_choice_free(&choice);
	lines = lost = lost_rows = 0;
	if (expr)
		err = follow_choice_parse(&choice, expr, s, &error);
	if (expr && !err)
		filter = follow_choice_series(&choice, s, NULL);
	if (!err)
		err = source->ops->follow(source, &filter, &error);
	follows = expr && !err;
	printf("{\"follow\":%d,\"why\":\"%s\"}\n", err, error.text);
}

#define WORD(member)                                         \
	{                                                    \
#member, offsetof(struct series_key, member) \
	}

static bool matches(const struct series *s, const char *name, size_t len, uint32_t number)
{
	static const struct {
		const char *name;
		size_t offset;
	} words[] = { WORD(netns), WORD(ifindex), WORD(to_netns), WORD(target), WORD(prog_id) };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(words[i].name, name, len) && !words[i].name[len])
			return !memcmp((const char *)&s->key + words[i].offset, &number,
				       sizeof(number));
	return false;
}

static void do_count(const struct snapshot *s, char *rest)
{
	const char *name = strtok(rest, " "), *word, *value;
	bool matching[1024];
	uint64_t events = 0;

	for (size_t i = 0; i < s->n_series && i < 1024; i++)
		matching[i] = !strcmp(s->tp[s->series[i].tracepoint].name, name);
	while ((word = strtok(NULL, " "))) {
		value = strchr(word, '=');
		for (size_t i = 0; value && i < s->n_series && i < 1024; i++)
			matching[i] &= matches(&s->series[i], word, (size_t)(value - word),
					       (uint32_t)strtoul(value + 1, NULL, 10));
	}
	for (size_t i = 0; i < s->n_series && i < 1024; i++)
		events += matching[i] ? s->series[i].total.events : 0;
	printf("{\"count\":%" PRIu64 "}\n", events);
}

static void do_toggle(struct source *source, const char *name)
{
	printf("{\"toggle\":%d}\n",
	       source->ops->toggle(source, (unsigned int)tracepoint_find(name), -1));
}

static void print_event(const struct snapshot *s, const struct followed *e)
{
	char args[1024];

	if (e->kind == FOLLOWED_LOST)
		lost_rows++;
	else
		lines++;
	lost += e->event.left_out;
	if (quiet)
		return;
	followed_args_text(e, args, sizeof(args));
	printf("{\"tracepoint\":\"%s\",\"kind\":%d,\"time_ns\":%" PRId64 ",\"cpu\":%d,"
	       "\"lost\":%" PRIu64 ",\"pid\":%u,\"comm\":\"%s\",\"ifname\":\"%s\","
	       "\"to_ifname\":\"%s\",\"prog_name\":\"%s\",\"netns\":%u,\"to_netns\":%u,"
	       "\"args\":\"%s\"}\n",
	       s->tp[e->event.tracepoint].name, e->kind, timespec_to_ns(&e->event.time),
	       e->event.cpu, e->event.left_out, e->event.pid, e->event.comm, e->event.ifname,
	       e->event.to_ifname, e->event.prog_name, e->event.key.netns, e->event.key.to_netns,
	       args);
}

/* Whether a request has not yet been applied. */
static bool is_pending(const struct snapshot *s)
{
	for (int id = 0; id < TP_COUNT; id++)
		if (s->tp[id].pending)
			return true;
	return false;
}

static int do_sample(struct source *source, struct snapshot *s)
{
	const struct tp_count *tp = &s->tp[TP_FOLLOW];
	int err;

	snapshot_clear(s);
	err = source->ops->sample(source, s);
	if (follows) {
		struct follow_filter filter = follow_choice_series(&choice, s, NULL);

		follow_choice_keep(&choice, s, NULL);
		source->ops->follow_series(source, &filter);
	}
	for (size_t i = 0; i < s->n_followed; i++)
		print_event(s, &s->followed[i]);
	printf("{\"sample\":%d,\"name\":\"%s\",\"state\":\"%s\",\"pending\":%s,\"reason\":\"%s\","
	       "\"lines\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"lost_rows\":%" PRIu64
	       ",\"rows\":%zu,\"seen\":%" PRIu64 ",\"events_lost\":%" PRIu64 ",\"missed\":%" PRIu64
	       ",\"events\":{",
	       err, tp->name, tp_state_name(tp->state), is_pending(s) ? "true" : "false",
	       tp->reason, lines, lost, lost_rows, s->n_followed, tp->events, tp->events_lost,
	       tp->missed);
	for (int id = 0; id < TP_COUNT; id++)
		if (s->tp[id].name[0])
			printf("%s\"%s\":%" PRIu64, id ? "," : "", s->tp[id].name,
			       s->tp[id].events);
	printf("}}\n");
	return err;
}

int main(int argc, char **argv)
{
	struct trace_config trace = { .max_series = 1024, .follow_events = 32768 };
	struct source *source;
	struct snapshot s;
	char line[4096];
	struct error error = { 0 };
	int opt, err = 0;

	while ((opt = getopt(argc, argv, "qvcr:b:t:")) != -1) {
		quiet |= opt == 'q';
		trace.verbose |= opt == 'v';
		if (opt == 'c')
			trace.backend = BACKEND_CLASSIC;
		if (opt == 'r')
			trace.follow_events = (uint32_t)strtoul(optarg, NULL, 0);
		if (opt == 't')
			trace.tracepoints |= BIT(tracepoint_find(optarg));
		if (opt == 'b')
			trace.budget = strtod(optarg, NULL);
	}
	if (!trace.tracepoints)
		trace.tracepoints = (BIT(TP_COUNT) - 1) & ~(BIT(TP_VERDICTS) | BIT(TP_FOLLOW));
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	if (live_source_open(&source, &trace, 1, &error)) {
		printf("{\"error\":\"%s\"}\n", error.text);
		return 1;
	}
	snapshot_init(&s);
	err = do_sample(source, &s);
	fflush(stdout);
	while (!err && fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "follow", 6))
			do_follow(source, &s, line[6] ? line + 7 : NULL);
		else if (!strncmp(line, "count ", 6))
			do_count(&s, line + 6);
		else if (!strncmp(line, "toggle ", 7))
			do_toggle(source, line + 7);
		else
			err = do_sample(source, &s);
		fflush(stdout);
	}
	follow_choice_free(&choice);
	snapshot_free(&s);
	source->ops->close(source);
	return err ? 1 : 0;
}
