/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings over an interval of 1 s between handmade snapshots. */
#pragma once

#include <stdlib.h>
#include "diagnose/finding_code.h"
#include "diagnose/findings.h"
#include "made.h"

#define BLUE 4026532222u

struct fixture {
	struct snapshot from, to;
	struct rates rates;
	struct findings findings;
	size_t counted; /* series of the last update */
	bool alone; /* forget the findings before each update, so that each interval is judged */
};

static inline struct fixture *fixture_new(void)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	made_snapshot(&f->from, 10);
	made_snapshot(&f->to, 11);
	f->to.cpus_online = 8;
	f->to.page_size = 4096;
	f->to.kernel = KERNEL(6, 18);
	return f;
}

static inline void fixture_free(struct fixture *f)
{
	findings_free(&f->findings);
	rates_free(&f->rates);
	snapshot_free(&f->from);
	snapshot_free(&f->to);
	free(f);
}

static inline int setup(void **state)
{
	*state = fixture_new();
	return 0;
}

static inline int teardown(void **state)
{
	fixture_free(*state);
	return 0;
}

/* A series that appeared in the interval. */
static inline struct series *came(struct fixture *f, uint32_t tp, struct series_key key,
				  struct series_counters count)
{
	return made_series(&f->to, f->to.n_series + 1, tp, key, count);
}

static inline struct netdev *device(struct fixture *f, uint32_t netns, uint32_t ifindex,
				    const char *name)
{
	struct netdev *d = snapshot_add_netdev(&f->to);

	assert_non_null(d);
	*d = (struct netdev){ .netns = netns, .ifindex = ifindex, .up = true, .running = true };
	snprintf(d->name, sizeof(d->name), "%s", name);
	return d;
}

static inline void update(struct fixture *f)
{
	made_sort_netdevs(&f->to);
	if (f->alone)
		f->findings.n = f->findings.n_takers = 0;
	rates_set(&f->rates, &f->from, &f->to, NULL);
	assert_int_equal(findings_update(&f->findings, &f->rates, NULL), 0);
	f->counted = f->to.n_series;
	for (size_t i = 0; i < f->findings.n; i++) {
		const struct finding *finding = &f->findings.finding[i];

		/* alerts rely on it: tests/tables/fill */
		assert_true(finding->consequences || finding->severity <= finding->code->severity);
	}
}

/* Another interval with the same counts again for each series, including series added since. */
static inline void again(struct fixture *f)
{
	snapshot_copy(&f->from, &f->to);
	for (; f->from.n_series > f->counted; f->from.n_series--) {
		const struct series *added = &f->from.series[f->from.n_series - 1];

		f->from.tp[added->tracepoint].events -= added->total.events;
	}
	f->to.mono_ns += MADE_S;
	f->to.wall.tv_sec++;
	for (int i = 0; i < TP_COUNT; i++)
		if (f->to.tp[i].state == TP_ON)
			f->to.tp[i].on_ns += MADE_S;
	for (size_t i = 0; i < f->counted; i++) {
		series_counters_add(&f->to.series[i].total, &f->rates.delta[i]);
		f->to.tp[f->to.series[i].tracepoint].events += f->rates.delta[i].events;
	}
	update(f);
}

/* Expects a code exactly once, at its place; returns the finding. */
static inline const struct finding *expect(struct fixture *f, const char *code)
{
	const struct finding *found = NULL;

	for (size_t i = 0; i < f->findings.n; i++) {
		if (strcmp(f->findings.finding[i].code->name, code))
			continue;
		assert_null(found);
		found = &f->findings.finding[i];
	}
	if (!found)
		fail_msg("no %s", code);
	return found;
}

static inline const struct finding *expect_only(struct fixture *f, const char *code)
{
	const struct finding *found = expect(f, code);

	if (f->findings.n != 1)
		fail_msg("%s and %zu more", code, f->findings.n - 1);
	return found;
}

static inline void expect_not(const struct fixture *f, const char *code)
{
	for (size_t i = 0; i < f->findings.n; i++)
		if (!strcmp(f->findings.finding[i].code->name, code))
			fail_msg("%s", f->findings.finding[i].text);
}

/* What the last interval with evidence says, whether it is told yet or not. */
static inline void says(const struct finding *finding, const char *part)
{
	if (!strstr(finding->next.text, part))
		fail_msg("'%s' does not say '%s'", finding->next.text, part);
}

static inline bool runs(const struct finding *finding, const char *command)
{
	return strstr(finding->next.commands, command);
}

/* What the finding itself says. */
static inline void tells(const struct finding *finding, const char *part)
{
	if (!strstr(finding->text, part))
		fail_msg("'%s' does not tell '%s'", finding->text, part);
}

static inline struct series_key redirect(uint32_t map_type, uint32_t map_id, uint32_t target,
					 int err)
{
	return (struct series_key){ .netns = MADE_NETNS,
				    .ifindex = 3,
				    .prog_id = 42,
				    .to_netns = map_type == SERIES_MAP_DEVMAP ? BLUE : 0,
				    .map_type = map_type,
				    .map_id = map_id,
				    .target = target,
				    .code = err };
}

/* A test with the argument struct fixture *f. */
#define FINDING_TEST(name) TEST_OF(name, setup, teardown, struct fixture *f)
