// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Follows events as the monitor does, without its screen and outputs. Reads commands from stdin and
 * answers each with a line; `sample` first prints a line per event, unless -q is given:
 *
 *   follow NAME[,NAME...] [WORD=VALUE ...]   0 or -errno and why; without names: stop
 *   sample                                   the sums since the last `follow`
 *   count NAME[,NAME...] [WORD=VALUE ...]    events of matching series at the last sample
 *   toggle NAME                              switch counting on or off
 *
 * Words: members of struct series_key, ifname, to_ifname, prog_name; "or" begins an alternative.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/privilege.h"
#include "model/followed.h"
#include "model/tracepoint.h"
#include "source/live_source.h"

static bool quiet;
static uint64_t lines, lost, lost_rows;

#define WORD(member)                                                              \
	{                                                                         \
#member, offsetof(struct series_key, member), sizeof(__u32), true \
	}

static const struct {
	const char *name;
	size_t offset, size;
	bool number;
} words[] = {
	WORD(netns),
	WORD(ifindex),
	WORD(to_netns),
	WORD(target),
	WORD(prog_id),
	WORD(map_type),
	WORD(map_id),
	WORD(code),
	{ "ifname", FOLLOW_IFNAME * 8, SERIES_NAME_LEN, false },
	{ "to_ifname", FOLLOW_TO_IFNAME * 8, SERIES_NAME_LEN, false },
	{ "prog_name", FOLLOW_PROG_NAME * 8, SERIES_NAME_LEN, false },
};

static void add_word(struct follow_choices *c, const char *word)
{
	struct follow_choice *choice = &c->choice[c->n - 1];
	const char *value = strchr(word, '=');

	for (size_t i = 0; value && i < sizeof(words) / sizeof(words[0]); i++) {
		char *at = (char *)choice->value + words[i].offset;
		uint32_t number = (uint32_t)strtoll(value + 1, NULL, 0);

		if (strncmp(word, words[i].name, (size_t)(value - word)) ||
		    words[i].name[value - word])
			continue;
		if (words[i].number)
			memcpy(at, &number, sizeof(number));
		else
			strncpy(at, value + 1, words[i].size);
		memset((char *)choice->mask + words[i].offset, 0xff, words[i].size);
		c->by_name |= !words[i].number;
	}
}

static uint32_t find(const struct snapshot *s, const char *name)
{
	for (uint32_t id = 0; id < TP_COUNT; id++)
		if (s->tp[id].state != TP_MISSING && !strcmp(s->tp[id].name, name))
			return BIT(id);
	return 0;
}

static void parse(struct follow_filter *filter, const struct snapshot *s, char *names)
{
	char *rest = names ? strchr(names, ' ') : NULL, *name;

	memset(filter, 0, sizeof(*filter));
	if (rest)
		*rest++ = '\0';
	for (name = names ? strtok(names, ",") : NULL; name; name = strtok(NULL, ","))
		filter->tracepoints |= find(s, name);
	for (name = rest ? strtok(rest, " ") : NULL; name; name = strtok(NULL, " ")) {
		if (!filter->choices.n || !strcmp(name, "or"))
			filter->choices.n++;
		add_word(&filter->choices, name);
	}
}

static void do_follow(struct source *source, const struct snapshot *s, char *names)
{
	struct follow_filter filter;
	struct error error = { 0 };
	int err;

	parse(&filter, s, names);
	lines = lost = lost_rows = 0;
	err = source->ops->follow(source, &filter, &error);
	printf("{\"follow\":%d,\"why\":\"%s\"}\n", err, error.text);
}

static void do_toggle(struct source *source, const char *name)
{
	printf("{\"toggle\":%d}\n",
	       source->ops->toggle(source, (unsigned int)tracepoint_find(name), -1));
}

static void do_count(const struct snapshot *s, char *names)
{
	static const char none[SERIES_NAME_LEN];
	struct follow_filter filter;
	uint64_t events = 0;

	parse(&filter, s, names);
	for (size_t i = 0; i < s->n_series; i++)
		if (follow_filter_match(&filter, s->series[i].tracepoint, &s->series[i].key, none,
					none, none))
			events += s->series[i].total.events;
	printf("{\"count\":%" PRIu64 "}\n", events);
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

/* Whether a request was not applied yet. */
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

	trace.tracepoints = BIT(TP_VERDICTS) - 1;
	while ((opt = getopt(argc, argv, "qvcr:b:t:")) != -1) {
		quiet |= opt == 'q';
		trace.verbose |= opt == 'v';
		if (opt == 'c')
			trace.backend = BACKEND_CLASSIC;
		if (opt == 'r')
			trace.follow_events = (uint32_t)strtoul(optarg, NULL, 0);
		if (opt == 't')
			trace.tracepoints = BIT(tracepoint_find(optarg));
		if (opt == 'b')
			trace.budget = strtod(optarg, NULL);
	}
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
	snapshot_free(&s);
	source->ops->close(source);
	return err ? 1 : 0;
}
