// SPDX-License-Identifier: GPL-2.0-or-later
/* A signal cancels any work on a large snapshot between two rows. */
#include <errno.h>
#include "unit/fake.h"
#include "unit/test.h"

#define ROWS 100

static size_t asked, end_at; /* 0 = never */

/* A signal stays pending. */
static bool is_cancelled(void)
{
	asked++;
	return end_at && asked >= end_at;
}

static void add_rows(struct snapshot *s, uint64_t n)
{
	for (uint32_t i = 0; i < ROWS; i++) {
		struct netdev *d = snapshot_add_netdev(s);
		struct series *series =
			fake_series(s, TP_XDP_EXCEPTION, (struct series_counters){ .events = n });

		d->netns = series->key.netns = 4026531840u;
		d->ifindex = series->key.ifindex = 100 + i;
		d->mode = NETDEV_NATIVE;
		d->prog_id = series->key.prog_id = 1000 + i;
		netdev_set_count(d, NETDEV_RX_PACKETS, n);
	}
}

static void make(struct fake_rates *f)
{
	fake_rates(f, 1, 2);
	add_rows(&f->from, 1);
	add_rows(&f->to, 2);
	f->rates.is_cancelled = is_cancelled;
	rates_set(&f->rates, &f->from, &f->to, NULL);
}

static int write_view(const char *format, enum view_id view, const char *filter, bool per_cpu)
{
	struct fake_rates f;
	struct fake_out o;
	int err;

	make(&f);
	fake_out_open(&o, format);
	o.config.view = view;
	o.config.per_cpu = per_cpu;
	snprintf(o.config.filter, sizeof(o.config.filter), "%s", filter);
	if (o.format->begin)
		assert_int_equal(o.format->begin(&o.out), 0);
	asked = 0;
	err = o.format->snapshot(&o.out, &f.rates, true);
	fake_out_close(&o);
	fake_rates_free(&f);
	return err;
}

/* It checks at least once per row, and not again after it was cancelled. */
static void assert_ends(const char *format, enum view_id view, const char *filter, bool per_cpu)
{
	size_t all;

	end_at = 0;
	assert_int_equal(write_view(format, view, filter, per_cpu), 0);
	all = asked;
	assert_true(all >= ROWS);
	for (size_t at = 1; at <= all; at += all / 20 + 1) {
		end_at = at;
		assert_int_equal(write_view(format, view, filter, per_cpu), -ECANCELED);
		/* each column's width of a table is cancelled separately */
		assert_true(asked <= at + 50);
	}
}

TEST(test_outputs)
{
	assert_ends("json", VIEW_OVERVIEW, "", false);
	assert_ends("csv", VIEW_OVERVIEW, "", true);
	assert_ends("prometheus", VIEW_OVERVIEW, "", false);
	assert_ends("text", VIEW_OVERVIEW, "", false);
	assert_ends("text", VIEW_DEVICES, "", true);
	assert_ends("text", VIEW_PROGRAMS, "device=eth0", false);
}

TEST(test_findings)
{
	struct findings findings = { 0 };
	struct fake_rates f;

	make(&f);
	asked = end_at = 0;
	assert_int_equal(findings_update(&findings, &f.rates, NULL), 0);
	assert_true(asked >= 2 * ROWS);
	findings_free(&findings);
	end_at = asked / 2;
	asked = 0;
	assert_int_equal(findings_update(&findings, &f.rates, NULL), -ECANCELED);
	assert_int_equal(asked, end_at);
	findings_free(&findings);
	fake_rates_free(&f);
}
