// SPDX-License-Identifier: GPL-2.0-or-later
/* Consequences are reported with their cause, not as separate findings. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "unit/made_nic.h"
#include "unit/test.h"

/*
 * Two sockets of eth3 in slots 3 and 4, each on the queue of that number; an entry leads to each.
 */
static void two_sockets(struct fixture *f)
{
	map(f, XSKS, BPF_MAP_TYPE_XSKMAP, 8, "xsks");
	for (uint32_t q = 3; q < 5; q++) {
		entry(f, q)->socket_inode = 100 + q;
		bound(f, 100 + q, q)->rx.fill = 2048;
		came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_XSKMAP, XSKS, q, -ENOBUFS),
		     COUNTS(0));
	}
}

/* An interval in which redirects find the rings full; the second socket is read. */
static void full(struct fixture *f, uint64_t first, uint64_t second, bool reads_first)
{
	step(f);
	socket_at(f, 0)->received += reads_first;
	f->to.series[0].total.events += first;
	socket_at(f, 0)->rx_queue_full += first;
	f->to.series[1].total.events += second;
	socket_at(f, 1)->received += 1000;
	update(f);
}

static const struct finding *listed(struct fixture *f, const char *code)
{
	for (size_t i = 0; i < f->findings.n_listed; i++)
		if (!strcmp(f->findings.finding[i].code->name, code))
			return &f->findings.finding[i];
	return NULL;
}

/* Nobody reads the first, so its full ring is a consequence. The second is read too slowly. */
FINDING_TEST(test_follows)
{
	const struct finding *cause, *follows;

	two_sockets(f);
	full(f, 50, 0, false);
	assert_int_equal(f->findings.n, 0);
	full(f, 60, 0, false);
	assert_int_equal(f->findings.n, 2);
	assert_int_equal(f->findings.n_listed, 1);
	assert_int_equal(f->findings.n_active, 1);
	cause = listed(f, "xsk-not-polled");
	follows = expect(f, "xsk-ring-full");
	assert_string_equal(cause->consequences, "xsk-ring-full");
	assert_ptr_equal(findings_consequence(&f->findings, cause, NULL), follows);
	assert_null(findings_consequence(&f->findings, cause, follows));
	assert_ptr_equal(findings_cause(&f->findings, follows), cause);
	assert_ptr_equal(findings_cause(&f->findings, cause), cause);
	/* never reported as a finding, so its change is not either */
	assert_true(cause->changed && !follows->changed);
	/* the cause itself has no loss */
	assert_true(isnan(cause->lost_per_s));
	assert_true(cause->loss.per_s == 60);
	assert_int_equal(cause->loss.count, 60);
	assert_int_equal(cause->loss.total, 110);
	full(f, 70, 5, false);
	assert_false(listed(f, "xsk-not-polled")->changed);
	full(f, 70, 5, false);
	assert_int_equal(f->findings.n_listed, 2);
	assert_int_equal(listed(f, "xsk-ring-full")->location.queue, 4);
	assert_null(listed(f, "xsk-ring-full")->consequences);
}

/* When the cause has gone, it becomes a finding. */
FINDING_TEST(test_outlives)
{
	two_sockets(f);
	full(f, 50, 0, false);
	full(f, 60, 0, false);
	for (int i = 0; i < FINDING_HOLD_S; i++) {
		full(f, 60, 0, true);
	}
	assert_false(listed(f, "xsk-not-polled")->active);
	assert_null(listed(f, "xsk-not-polled")->consequences);
	assert_true(listed(f, "xsk-ring-full")->changed);
	assert_int_equal(f->findings.n_active, 1);
	/* as a consequence again it is reported as cleared */
	full(f, 60, 0, false);
	full(f, 60, 0, false);
	assert_null(listed(f, "xsk-ring-full"));
	assert_true(expect(f, "xsk-ring-full")->changed);
	full(f, 60, 0, false);
	assert_false(expect(f, "xsk-ring-full")->changed);
}

/* Both end: a consequence does not outlive its cause for the hold time. */
FINDING_TEST(test_ends)
{
	two_sockets(f);
	full(f, 50, 0, false);
	full(f, 60, 0, false);
	full(f, 60, 0, true);
	for (int i = 0; i < 2 * FINDING_HOLD_S; i++) {
		full(f, 0, 0, true);
		assert_null(listed(f, "xsk-ring-full"));
		assert_false(expect(f, "xsk-ring-full")->changed);
	}
	assert_int_equal(f->findings.n_active, 0);
	assert_int_equal(f->findings.n_listed, 1);
}

/* An empty fill ring, as seen from the socket and from redirects. */
FINDING_TEST(test_fill_ring)
{
	two_sockets(f);
	for (int i = 0; i < 2; i++) {
		socket_at(f, i)->rx.fill = 0;
		socket_at(f, i)->zerocopy = false;
		socket_at(f, i)->fill.fill = i * 2000;
		f->to.series[i].key.code = -ENOMEM;
	}
	for (int i = 0; i < 2; i++) {
		step(f);
		socket_at(f, 0)->rx_fill_ring_empty += 7;
		socket_at(f, 0)->rx_dropped += 7;
		f->to.series[0].total.events += 7;
		update(f);
	}
	assert_int_equal(f->findings.n_listed, 1);
	assert_string_equal(listed(f, "xsk-starved")->consequences, "xsk-fill-empty");
	assert_true(listed(f, "xsk-starved")->loss.per_s == 7);
}

/* Queue 7 of 8 has no socket; the program aborts this many packets elsewhere. */
TEST(test_aborted)
{
	for (int elsewhere = 0; elsewhere < 1000; elsewhere += 900) {
		struct fixture *f = fixture_new();

		nic(f, "ice");
		map(f, XSKS, BPF_MAP_TYPE_XSKMAP, 64, "xsks");
		for (uint32_t q = 0; q < 7; q++)
			entry(f, q)->socket_inode = 100 + q;
		for (uint32_t q = 0; q < 7; q++)
			bound(f, 100 + q, q)->fill.fill = 2000;
		made_verdict(&f->to, 42, XDP_ABORTED, 0)->queue = 7;
		made_sort_verdicts(&f->to);
		exception(f, XDP_ABORTED, 0);
		for (int k = 0; k < 2; k++) {
			size_t n;
			struct verdict *v;

			step(f);
			v = (struct verdict *)verdicts(&f->to, &n);
			for (size_t i = 0; i < n; i++)
				if (v[i].act == XDP_ABORTED)
					v[i].packets += v[i].queue == 7 ? 1000 : elsewhere;
			f->to.series[0].total.events += 1000 + elsewhere;
			update(f);
		}
		if (elsewhere) {
			assert_non_null(listed(f, "aborted"));
			assert_null(listed(f, "xsk-queue-without-socket")->consequences);
		} else {
			assert_null(listed(f, "aborted"));
			assert_string_equal(listed(f, "xsk-queue-without-socket")->consequences,
					    "aborted");
			assert_true(listed(f, "xsk-queue-without-socket")->loss.per_s == 1000);
		}
		fixture_free(f);
	}
}

/* A rule leads to an existing code that leads nowhere itself. */
TEST(test_table)
{
	const struct finding_code *code, *to;

	for (size_t i = 0; (code = finding_code_at(i)); i++) {
		for (const struct rule *r = code->rules; r->subject; r++) {
			if (!r->leads_to)
				continue;
			to = finding_code_find(r->leads_to);
			assert_non_null(to);
			for (const struct rule *t = to->rules; t->subject; t++)
				assert_null(t->leads_to);
		}
	}
}
