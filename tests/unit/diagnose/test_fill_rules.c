// SPDX-License-Identifier: GPL-2.0-or-later
/* map-nearly-full: when it appears, its text, and when it stays quiet. */
#include <linux/bpf.h>
#include <math.h>
#include <string.h>
#include "source/data_source.h"
#include "source/map_fill.h"
#include "source/programs.h"
#include "unit/made_finding.h"
#include "unit/test.h"

#define CODE "map-nearly-full"

static struct map_fill *map(struct fixture *f, uint32_t type, uint64_t entries, uint64_t max)
{
	struct map_fill *m = snapshot_add_row(&f->to, DATA_SOURCE_MAP_FILLS, sizeof(*m));

	assert_non_null(m);
	*m = (struct map_fill){ .map_id = 7,
				.map_type = type,
				.map_name = "blocked",
				.state = MAP_FILL_COUNTED,
				.entries = entries,
				.max_entries = max,
				.user = { 42 },
				.users_total = 1 };
	return m;
}

FINDING_TEST(test_full)
{
	const struct finding *finding;
	struct program *p = snapshot_add_row(&f->to, DATA_SOURCE_PROGRAMS, sizeof(*p));
	struct netdev *d = device(f, BLUE, 3, "eth3");

	*p = (struct program){ .prog_id = 42, .prog_name = "fw" };
	d->prog_id = 42;
	map(f, BPF_MAP_TYPE_HASH, 1000, 1000);
	update(f);
	finding = expect_only(f, CODE);
	assert_int_equal(finding->severity, FINDING_WARNING);
	says(finding, "blocked (id 7): all its 1000 entries are in use: the kernel refuses a new "
		      "one with E2BIG");
	assert_string_equal(finding->location.prog_name, "fw");
	assert_int_equal(finding->location.dev.ifindex, 3);
	assert_true(runs(finding, "bpftool map show id 7"));
	/* not a loss: what the program does then is unknown */
	assert_true(isnan(finding->lost_per_s));
}

TEST(test_types)
{
	static const struct {
		uint32_t type;
		uint64_t entries, max;
		const char *text;
	} of[] = {
		{ BPF_MAP_TYPE_LPM_TRIE, 1000, 1000, "refuses a new one with ENOSPC" },
		{ BPF_MAP_TYPE_PERCPU_HASH, 900, 1000, "90.0 % of its 1000 entries are in use" },
		{ BPF_MAP_TYPE_HASH, 1024, 1024, "E2BIG" },
		{ BPF_MAP_TYPE_HASH, 64, 64, "E2BIG" },
		{ BPF_MAP_TYPE_LRU_HASH, 1000, 1000, "evicts old entries" },
		{ BPF_MAP_TYPE_LRU_PERCPU_HASH, 15360, 16384, "evicts old entries" },
		/* quiet */
		{ BPF_MAP_TYPE_HASH, 899, 1000, NULL },
		{ BPF_MAP_TYPE_LRU_HASH, 15359, 16384, NULL },
		{ BPF_MAP_TYPE_LRU_HASH, 749, 1000, NULL },
		/* a table of a fixed content */
		{ BPF_MAP_TYPE_HASH, 63, 63, NULL },
		{ BPF_MAP_TYPE_HASH, 0, 0, NULL },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		struct fixture *f = fixture_new();

		map(f, of[i].type, of[i].entries, of[i].max);
		update(f);
		if (of[i].text)
			says(expect_only(f, CODE), of[i].text);
		else
			expect_not(f, CODE);
		fixture_free(f);
	}
}

/* Between 75 % and 90 % only a map that grew three times in a row, and is full in minutes. */
TEST(test_soon)
{
	static const struct {
		uint64_t entries;
		uint32_t rises;
		double growth;
		bool is_found;
	} of[] = {
		{ 750, 3, 10, true },   { 749, 3, 10, false }, { 750, 2, 10, false },
		{ 750, 3, 0.8, false }, { 750, 0, 0, false },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		struct fixture *f = fixture_new();
		struct map_fill *m = map(f, BPF_MAP_TYPE_HASH, of[i].entries, 1000);

		m->has_growth = true;
		m->growth = of[i].growth;
		m->rises = of[i].rises;
		update(f);
		if (of[i].is_found) {
			assert_int_equal(expect_only(f, CODE)->severity, FINDING_INFO);
			says(expect_only(f, CODE), "75.0 % of its 1000 entries are in use, and it "
						   "grows by 10 a second: it is full in 25 s");
		} else {
			expect_not(f, CODE);
		}
		fixture_free(f);
	}
}

/* It clears when entries are deleted, and an unknown number says nothing. */
FINDING_TEST(test_clears)
{
	struct map_fill *m = map(f, BPF_MAP_TYPE_HASH, 1000, 1000);

	update(f);
	assert_true(expect_only(f, CODE)->active);
	m = data_source_row(&f->to, DATA_SOURCE_MAP_FILLS, &(struct map_fill){ .map_id = 7 });
	m->entries = 10;
	f->to.mono_ns += FINDING_HOLD_S * MADE_S;
	again(f);
	assert_false(expect_only(f, CODE)->active);
	m = data_source_row(&f->to, DATA_SOURCE_MAP_FILLS, &(struct map_fill){ .map_id = 7 });
	m->entries = 1000;
	m->state = MAP_FILL_UNCOUNTED;
	f->to.mono_ns += FINDING_HOLD_S * MADE_S;
	again(f);
	assert_false(expect_only(f, CODE)->active);
}
