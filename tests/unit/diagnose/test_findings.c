// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings come and go, each at its location; every errno and action leads to the right one. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "unit/made_finding.h"
#include "unit/test.h"

#define IFINDEX SERIES_MAP_ID_IFINDEX

/* tracepoint, map type, map id, target, code, drops -> finding; codes without a rule give none */
static const struct {
	uint32_t tp, map_type, map_id, target;
	int code;
	uint64_t count[4];
	const char *finding, *text;
} simple[] = {
	{ TP_XDP_REDIRECT_ERR, 0, IFINDEX, 4, -ENETDOWN, { 5 }, "target-down", "down" },
	{ TP_XDP_REDIRECT_ERR, SERIES_MAP_DEVMAP, 7, 4, -EMSGSIZE, { 5 }, "frame-too-big", "MTU" },
	{ TP_XDP_REDIRECT_ERR,
	  SERIES_MAP_DEVMAP_HASH,
	  7,
	  4,
	  -EOPNOTSUPP,
	  { 5 },
	  "target-cannot-receive",
	  "cannot transmit" },
	{ TP_XDP_REDIRECT_ERR,
	  0,
	  IFINDEX,
	  99,
	  -EINVAL,
	  { 5 },
	  "no-such-ifindex",
	  "ifindex 99, which is not" },
	{ TP_XDP_REDIRECT_ERR, 0, IFINDEX, 0, -EINVAL, { 5 }, "no-such-ifindex", "ifindex 0" },
	{ TP_XDP_REDIRECT_ERR, 0, 0, 0, -EBADRQC, { 5 }, "no-redirect-helper", "helper" },
	{ TP_XDP_REDIRECT_ERR, 0, 0, 0, -EINVAL, { 5 }, "no-redirect-helper", "helper" },
	{ TP_XDP_REDIRECT_ERR, SERIES_MAP_XSKMAP, 7, 0, -ENOBUFS, { 5 }, "xsk-ring-full", "ring" },
	{ TP_XDP_REDIRECT_ERR, SERIES_MAP_XSKMAP, 7, 0, -ENOMEM, { 5 }, "xsk-fill-empty", "fill" },
	{ TP_XDP_REDIRECT_ERR, SERIES_MAP_XSKMAP, 7, 0, -ENXIO, { 5 }, "xsk-unbound", "bound" },
	{ TP_XDP_REDIRECT_ERR,
	  SERIES_MAP_XSKMAP,
	  7,
	  0,
	  -EINVAL,
	  { 5 },
	  "xsk-wrong-queue",
	  "queue" },
	{ TP_XDP_REDIRECT_ERR, SERIES_MAP_XSKMAP, 7, 0, -ENOSPC, { 5 }, "xsk-no-space", "UMEM" },
	{ TP_XDP_REDIRECT_ERR,
	  SERIES_MAP_CPUMAP,
	  7,
	  2,
	  -ENOSPC,
	  { 5 },
	  "cpumap-queue-full",
	  "CPU 2" },
	{ TP_XDP_REDIRECT_ERR,
	  SERIES_MAP_DEVMAP,
	  7,
	  4,
	  -EOVERFLOW,
	  { 5 },
	  "redirect-failed",
	  "EOVERFLOW: " },
	{ TP_XDP_REDIRECT_ERR,
	  SERIES_MAP_DEVMAP,
	  7,
	  4,
	  -4000,
	  { 5 },
	  "redirect-failed",
	  "errno 4000" },
	{ TP_XDP_EXCEPTION, 0, 0, 0, 0, { 5 }, "aborted", "empty map slot" },
	{ TP_XDP_EXCEPTION, 0, 0, 0, 5, { 5 }, "bad-return-value", "returned 5" },
	{ TP_XDP_EXCEPTION, 0, 0, 0, 77, { 5 }, "bad-return-value", "returned 77" },
	{ TP_XDP_EXCEPTION, 0, 0, 0, -1, { 5 }, "bad-return-value", "returned -1" },
	{ TP_XDP_EXCEPTION, 0, 0, 0, 3, { 5 }, "tx-failed", "XDP_TX" },
	{ TP_XDP_EXCEPTION, 0, 0, 0, 4, { 5 }, "redirect-failed", "not support XDP_REDIRECT" },
	{ TP_XDP_BULK_TX, 0, 0, 0, -ENXIO, { 5, 0, 50 }, "tx-failed", "peer" },
	{ TP_XDP_BULK_TX, 0, 0, 0, 0, { 5, 30, 50 }, "tx-failed", "was full" },
	{ TP_XDP_DEVMAP_XMIT, 0, 0, 4, -ENETDOWN, { 5, 0, 50 }, "target-down", "carrier" },
	{ TP_XDP_DEVMAP_XMIT, 0, 0, 4, -ENXIO, { 5, 0, 50 }, "target-not-ready", "not ready" },
	{ TP_XDP_DEVMAP_XMIT,
	  0,
	  0,
	  4,
	  -EINVAL,
	  { 5, 0, 50 },
	  "target-not-ready",
	  "down or resetting" },
	{ TP_XDP_DEVMAP_XMIT, 0, 0, 4, -EIO, { 5, 0, 50 }, "target-ring-full", "ionic" },
	{ TP_XDP_DEVMAP_XMIT, 0, 0, 4, -EBUSY, { 5, 0, 50 }, "target-ring-full", "gve" },
	{ TP_XDP_DEVMAP_XMIT,
	  0,
	  0,
	  4,
	  0,
	  { 5, 30, 50 },
	  "target-ring-full",
	  "or a devmap program" },
	/* with an errno the whole bulk is lost, even if the driver counts no drop */
	{ TP_XDP_DEVMAP_XMIT, 0, 0, 4, -ENXIO, { 5 }, "target-not-ready", "not ready" },
	{ TP_XDP_CPUMAP_ENQUEUE,
	  SERIES_MAP_CPUMAP,
	  7,
	  2,
	  0,
	  { 5, 40, 9 },
	  "cpumap-queue-full",
	  "CPU 2" },
	{ TP_XDP_CPUMAP_KTHREAD,
	  SERIES_MAP_CPUMAP,
	  7,
	  2,
	  0,
	  { 5, 40, 9 },
	  "cpumap-no-memory",
	  "memory" },
	/* nothing is lost */
	{ TP_XDP_REDIRECT, SERIES_MAP_DEVMAP, 7, 4, 0, { 5 }, NULL, NULL },
	{ TP_XDP_DEVMAP_XMIT, 0, 0, 4, 0, { 5, 30 }, NULL, NULL },
	{ TP_XDP_BULK_TX, 0, 0, 0, 0, { 5, 30 }, NULL, NULL },
	{ TP_XDP_CPUMAP_ENQUEUE, SERIES_MAP_CPUMAP, 7, 2, 0, { 5, 40 }, NULL, NULL },
	{ TP_XDP_CPUMAP_KTHREAD, SERIES_MAP_CPUMAP, 7, 2, 0, { 5, 40 }, NULL, NULL },
	{ TP_NET_DEV_QUEUE, 0, 0, 0, 0, { 500000, 500000 }, NULL, NULL },
};

TEST(test_simple)
{
	for (size_t i = 0; i < sizeof(simple) / sizeof(simple[0]); i++) {
		const struct finding *finding;
		struct fixture *f = fixture_new();

		came(f, simple[i].tp,
		     redirect(simple[i].map_type, simple[i].map_id, simple[i].target,
			      simple[i].code),
		     made_counts(simple[i].count));
		update(f);
		if (simple[i].finding && !f->findings.n) {
			again(f);
			assert_int_equal(expect(f, simple[i].finding)->rule->intervals +
						 expect(f, simple[i].finding)->rule->bursts,
					 2);
		}
		if (simple[i].finding) {
			finding = expect_only(f, simple[i].finding);
			says(finding, simple[i].text);
			assert_int_equal(finding->tracepoint, simple[i].tp);
			assert_true(finding->active && finding->seen);
			assert_true(finding->count > 0);
			assert_null(strchr(finding->text, '{'));
			assert_null(strstr(finding->commands, "{in"));
		} else if (f->findings.n) {
			fail_msg("row %zu: %s", i, f->findings.finding[0].text);
		}
		fixture_free(f);
	}
}

/* Meanings that do not apply to the kernel that counted are not given. */
TEST(test_kernels)
{
	static const struct {
		uint16_t kernel;
		bool full, stack;
	} cases[] = { { KERNEL(6, 18), false, false },
		      { KERNEL(6, 1), false, false },
		      { KERNEL(5, 15), true, false },
		      { KERNEL(5, 10), true, true },
		      { 0, true, true } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *f = fixture_new();

		f->to.kernel = cases[i].kernel;
		came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_XSKMAP, 7, 0, -ENOSPC), COUNTS(5));
		came(f, TP_XDP_CPUMAP_KTHREAD, redirect(SERIES_MAP_CPUMAP, 7, 2, 0),
		     COUNTS(5, 40, 9));
		came(f, TP_XDP_REDIRECT_ERR, redirect(0, IFINDEX, 0, -EINVAL), COUNTS(5));
		update(f);
		assert_int_equal(strstr(expect(f, "xsk-no-space")->text, "fill ring") != NULL,
				 cases[i].full);
		assert_int_equal(strstr(expect(f, "cpumap-no-memory")->text, "the stack") != NULL,
				 cases[i].stack);
		assert_int_equal(strstr(expect(f, "no-such-ifindex")->text, "no helper") != NULL,
				 cases[i].stack);
		fixture_free(f);
	}
	assert_int_equal(kernel_version("6.18.44-cloud-amd64"), KERNEL(6, 18));
	assert_int_equal(kernel_version("7.3-rc7"), KERNEL(7, 3));
	assert_int_equal(kernel_version(""), 0);
	assert_int_equal(kernel_version("999.1"), 0);
	assert_int_equal(kernel_version("6"), 0);
}

/* A rule that an earlier one of the same rank hides is never reached. */
static void expect_reachable(const struct rule *rule)
{
	const struct finding_code *code;

	for (size_t i = 0; (code = finding_code_at(i)); i++) {
		for (const struct rule *r = code->rules; r->subject; r++) {
			if (r == rule)
				return;
			assert_false(r->subject == RULE_LOSS && !r->when &&
				     rule_rank(r) == rule_rank(rule) && r->code == rule->code &&
				     !(rule->tracepoints & ~r->tracepoints) &&
				     (!r->redirect ||
				      (rule->redirect && !(rule->redirect & ~r->redirect))));
		}
	}
}

/* Every code is found by its name and has rules; each rule can be reached. */
TEST(test_tables)
{
	const struct finding_code *code;

	for (size_t i = 0; (code = finding_code_at(i)); i++) {
		assert_ptr_equal(finding_code_find(code->name), code);
		assert_int_equal(finding_code_index(code), i);
		assert_true(strlen(code->meaning) > 20);
		if (!code->rules->subject)
			fail_msg("%s has no rule", code->name);
		for (const struct rule *r = code->rules; r->subject; r++) {
			assert_true((r->tracepoints || r->subject == RULE_CPU ||
				     r->subject == RULE_NETDEV || r->subject == RULE_MAP ||
				     r->subject == RULE_POOL || r->subject == RULE_SOCKET ||
				     r->subject == RULE_UNUSED || r->subject == RULE_REFUSED) &&
				    r->per);
			if (r->subject == RULE_LOSS)
				expect_reachable(r);
		}
	}
	assert_null(finding_code_find("nothing"));
}

/* A cause may lead to several codes, depending on conditions; a rule for any error comes last. */
TEST(test_causes_of_codes)
{
	struct series_key key = redirect(SERIES_MAP_DEVMAP, 7, 4, -ENETDOWN);
	const struct cause *cause = cause_find(KERNEL(6, 18), TP_XDP_REDIRECT_ERR, &key);

	assert_true(finding_has_cause(finding_code_find("target-down"), cause));
	assert_true(finding_has_cause(finding_code_find("broadcast-member"), cause));
	assert_false(finding_has_cause(finding_code_find("redirect-failed"), cause));
	assert_false(finding_has_cause(finding_code_find("xsk-unbound"), cause));
	key.code = -EOVERFLOW;
	cause = cause_find(KERNEL(6, 18), TP_XDP_REDIRECT_ERR, &key);
	assert_true(finding_has_cause(finding_code_find("redirect-failed"), cause));
	assert_false(finding_has_cause(finding_code_find("target-down"), cause));
}

/* One per location: equal device and program are one finding, another target is another. */
FINDING_TEST(test_places)
{
	const struct finding *finding;

	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -ENETDOWN), COUNTS(5));
	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 8, 4, -ENETDOWN), COUNTS(7));
	update(f);
	finding = expect_only(f, "target-down");
	assert_int_equal(finding->count, 12);
	assert_int_equal(finding->location.dev.netns, MADE_NETNS);
	assert_int_equal(finding->location.dev.ifindex, 3);
	assert_int_equal(finding->location.to.netns, BLUE);
	assert_int_equal(finding->location.to.ifindex, 4);
	assert_int_equal(finding->location.prog_id, 42);
	assert_string_equal(finding->location.prog_name, "prog42");
	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 5, -ENETDOWN), COUNTS(5));
	f->to.mono_ns += MADE_S;
	update(f);
	assert_int_equal(f->findings.n, 2);
}

/* Without evidence the words stay, whatever happens to the names. */
FINDING_TEST(test_renamed)
{
	const struct finding *finding;
	struct netdev *d;

	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -ENETDOWN), COUNTS(5));
	device(f, MADE_NETNS, 3, "eth3");
	device(f, BLUE, 4, "old4");
	update(f);
	says(expect_only(f, "target-down"), "-> old4");
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	d = (struct netdev *)snapshot_find_netdev(&f->to, BLUE, 4);
	strcpy(d->name, "new4");
	update(f);
	finding = expect_only(f, "target-down");
	tells(finding, "-> old4");
	tells(finding, "administratively down");
	assert_non_null(strstr(finding->commands, " link set dev old4 up"));
	assert_int_equal(finding->total, 5);
	/* after it is gone, another device has its ifindex */
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += 2 * FINDING_HOLD_S * MADE_S;
	d = (struct netdev *)snapshot_find_netdev(&f->to, BLUE, 4);
	strcpy(d->name, "other4");
	update(f);
	assert_int_equal(f->findings.n_active, 0);
	tells(expect_only(f, "target-down"), "-> old4");
}

/* While its cause lasts, a finding's words are updated, and the change is reported. */
FINDING_TEST(test_words)
{
	const struct finding *finding;
	struct netdev *d;

	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -EMSGSIZE), COUNTS(5));
	device(f, MADE_NETNS, 3, "eth3");
	device(f, BLUE, 4, "old4")->mtu = 1400;
	update(f);
	assert_true(expect_only(f, "frame-too-big")->changed);
	again(f);
	finding = expect_only(f, "frame-too-big");
	assert_int_equal(finding->total, 10);
	assert_false(finding->changed);
	/* another name in text and commands, once the next interval has evidence, too */
	d = (struct netdev *)snapshot_find_netdev(&f->to, BLUE, 4);
	strcpy(d->name, "new4");
	again(f);
	assert_false(expect_only(f, "frame-too-big")->changed);
	again(f);
	finding = expect_only(f, "frame-too-big");
	assert_true(finding->seen && finding->changed);
	tells(finding, "eth3 (+531840) -> new4 (+532222): ");
	assert_non_null(strstr(finding->commands, " link show dev new4"));
	again(f);
	assert_false(expect_only(f, "frame-too-big")->changed);
	/* another text of the rule */
	d = (struct netdev *)snapshot_find_netdev(&f->to, BLUE, 4);
	d->mtu = 1300;
	again(f);
	tells(expect_only(f, "frame-too-big"), "MTU of 1400");
	again(f);
	finding = expect_only(f, "frame-too-big");
	assert_true(finding->changed);
	tells(finding, "MTU of 1300");
	/* the last interval has evidence before the mend, and the state after it */
	d = (struct netdev *)snapshot_find_netdev(&f->to, BLUE, 4);
	d->mtu = 9000;
	again(f);
	assert_false(expect_only(f, "frame-too-big")->changed);
	d = (struct netdev *)snapshot_find_netdev(&f->to, MADE_NETNS, 3);
	strcpy(d->name, "wan3");
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	update(f);
	finding = expect_only(f, "frame-too-big");
	assert_true(!finding->seen && finding->changed);
	tells(finding,
	      "eth3 (+531840) -> new4 (+532222): frames are longer than the target's MTU of "
	      "1300");
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	update(f);
	assert_false(expect_only(f, "frame-too-big")->changed);
}

FINDING_TEST(test_clears)
{
	struct findings copy = { 0 };
	struct timespec first;

	came(f, TP_XDP_REDIRECT_ERR, redirect(0, 0, 0, -EBADRQC), COUNTS(5));
	update(f);
	first = expect(f, "no-redirect-helper")->first;
	assert_int_equal(f->findings.n_active, 1);
	assert_true(expect(f, "no-redirect-helper")->changed);
	assert_ptr_equal(strstr(expect(f, "no-redirect-helper")->text, "eth3"),
			 expect(f, "no-redirect-helper")->text);
	/* the same snapshot changes nothing */
	update(f);
	assert_int_equal(expect(f, "no-redirect-helper")->total, 5);
	findings_copy(&copy, &f->findings);
	/* no events for a while */
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += 2 * MADE_S;
	f->to.wall.tv_sec += 2;
	update(f);
	assert_true(expect(f, "no-redirect-helper")->active);
	assert_false(expect(f, "no-redirect-helper")->seen);
	assert_true(expect(f, "no-redirect-helper")->changed);
	assert_int_equal(expect(f, "no-redirect-helper")->last.tv_sec, first.tv_sec);
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += FINDING_HOLD_S * MADE_S;
	f->to.wall.tv_sec += FINDING_HOLD_S;
	update(f);
	assert_false(expect(f, "no-redirect-helper")->active);
	assert_true(expect(f, "no-redirect-helper")->changed);
	assert_int_equal(f->findings.n_active, 0);
	/* it returns */
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	f->to.wall.tv_sec += 1;
	f->to.series[0].total.events += 3;
	update(f);
	assert_true(expect(f, "no-redirect-helper")->active);
	assert_int_equal(expect(f, "no-redirect-helper")->first.tv_sec, f->to.wall.tv_sec);
	assert_int_equal(expect(f, "no-redirect-helper")->count, 3);
	assert_int_equal(expect(f, "no-redirect-helper")->total, 8);
	assert_int_equal(copy.n_active, 1);
	findings_free(&copy);
}

/* Without an interval there is no evidence. */
FINDING_TEST(test_first_snapshot)
{
	came(f, TP_XDP_REDIRECT_ERR, redirect(0, 0, 0, -EBADRQC), COUNTS(5));
	rates_set(&f->rates, NULL, &f->to, NULL);
	assert_int_equal(findings_update(&f->findings, &f->rates, NULL), 0);
	assert_int_equal(f->findings.n, 0);
}

static void expect_order(struct fixture *f, const char *a, const char *b, const char *c)
{
	const char *names[] = { a, b, c };

	assert_int_equal(f->findings.n, 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(f->findings.finding[i].code->name, names[i]);
}

/* The largest loss comes first, whatever its age; then findings without loss; information last. */
FINDING_TEST(test_order)
{
	f->to.cpus_online = 2;
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(100000, 100000));
	made_cpu(&f->to, 0, COUNTS(100000, 100000));
	made_off(&f->to, TP_XDP_REDIRECT, TP_SHED);
	came(f, TP_XDP_EXCEPTION, redirect(0, 0, 0, 77), COUNTS(5));
	update(f);
	expect_order(f, "bad-return-value", "shed", "poor-bulking");
	assert_true(isnan(expect(f, "poor-bulking")->lost_per_s));
	assert_true(isnan(expect(f, "shed")->lost_per_s));
	assert_true(expect(f, "bad-return-value")->lost_per_s == 5);
	/*
	 * in 2 s the older one loses 100, the new one 300, though only its program's intended drops
	 */
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += 2 * MADE_S;
	f->to.wall.tv_sec += 2;
	for (int i = 0; i < TP_COUNT; i++)
		if (f->to.tp[i].state == TP_ON)
			f->to.tp[i].on_ns += 2 * MADE_S;
	f->to.series[1].total.events += 100;
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 5), COUNTS(20, 0, 300))->to_prog_id = 9;
	update(f);
	assert_string_equal(f->findings.finding[0].code->name, "bad-return-value");
	assert_true(f->findings.finding[0].lost_per_s == 50);
	assert_true(expect(f, "egress-program-drops")->lost_per_s == 150);
	assert_int_equal(f->findings.finding[f->findings.n_active - 1].severity, FINDING_INFO);
	/* without losses: the most severe first, then the oldest */
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	f->to.wall.tv_sec++;
	update(f);
	assert_string_equal(f->findings.finding[0].code->name, "bad-return-value");
	assert_true(f->findings.finding[0].lost_per_s == 0);
	assert_int_equal(f->findings.finding[f->findings.n_active - 1].severity, FINDING_INFO);
}

FINDING_TEST(test_many)
{
	for (uint32_t i = 1; i <= FINDINGS_MAX + 10; i++) {
		struct series_key key = redirect(0, 0, 0, -EBADRQC);

		key.ifindex = i;
		came(f, TP_XDP_REDIRECT_ERR, key, COUNTS(5));
	}
	update(f);
	assert_int_equal(f->findings.n, FINDINGS_MAX);
	assert_int_equal(f->findings.truncated, 10);
	/* cleared ones make room */
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += 2 * FINDING_HOLD_S * MADE_S;
	update(f);
	assert_int_equal(f->findings.n_active, 0);
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	came(f, TP_XDP_EXCEPTION, redirect(0, 0, 0, 0), COUNTS(5));
	update(f);
	assert_int_equal(f->findings.n, FINDINGS_MAX);
	assert_int_equal(f->findings.truncated, 0);
	expect(f, "aborted");
}

/* The series of a full table has no identity and no location. */
FINDING_TEST(test_overflow_series)
{
	static const struct series_key none;

	came(f, TP_XDP_REDIRECT_ERR, none, COUNTS(5))->overflow = true;
	update(f);
	assert_int_equal(f->findings.n, 0);
}

/* Once is not enough; later the earlier count is included. */
FINDING_TEST(test_intervals)
{
	const struct finding *finding;
	time_t first;

	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_XSKMAP, 7, 0, -ENXIO), COUNTS(5));
	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_XSKMAP, 7, 1, -ENXIO), COUNTS(7));
	update(f);
	assert_int_equal(f->findings.n, 0);
	/* an interval without it: it starts again */
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	f->to.series[1].total.events += 7;
	f->to.wall.tv_sec++;
	first = f->to.wall.tv_sec;
	update(f);
	finding = expect_only(f, "xsk-unbound");
	assert_int_equal(finding->location.socket, 1);
	assert_int_equal(finding->first.tv_sec, first - 1);
	assert_int_equal(finding->count, 7);
	assert_int_equal(finding->total, 14);
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += 2 * FINDING_HOLD_S * MADE_S;
	f->to.series[0].total.events += 5;
	update(f);
	assert_int_equal(f->findings.n_active, 0);
	assert_int_equal(f->findings.n, 1);
	/* the same after it was cleared */
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	f->to.series[1].total.events++;
	update(f);
	assert_int_equal(f->findings.n_active, 0);
	again(f);
	finding = expect_only(f, "xsk-unbound");
	assert_true(finding->active);
	assert_int_equal(finding->total, 16);
}

/* A switch ends the counting, not the loss. */
FINDING_TEST(test_uncounted)
{
	uint32_t tp = TP_XDP_REDIRECT_ERR;
	const struct finding *finding;

	came(f, tp, redirect(0, IFINDEX, 4, -ENETDOWN), COUNTS(5));
	update(f);
	for (int off = 0; off < 2 * FINDING_HOLD_S; off++) {
		snapshot_copy(&f->from, &f->to);
		f->to.mono_ns += MADE_S;
		f->to.tp[tp].state = off % 2 ? TP_SHED : TP_OFF;
		update(f);
		finding = expect(f, "target-down");
		assert_true(finding->active);
		assert_string_equal(finding->uncounted, off % 2 ? " was shed" : " is off");
	}
	for (int on = 0; on <= FINDING_HOLD_S; on++) {
		snapshot_copy(&f->from, &f->to);
		f->to.mono_ns += MADE_S;
		f->to.tp[tp].state = TP_ON;
		f->to.tp[tp].on_ns += MADE_S;
		update(f);
		finding = expect(f, "target-down");
		assert_null(finding->uncounted);
		assert_int_equal(finding->active, on + 1 < FINDING_HOLD_S);
	}
}

/*
 * Two stages count the same packets, and are read at different times, even before it is a finding.
 */
FINDING_TEST(test_stages)
{
	static const uint64_t err[] = { 40, 60, 50, 50, 0 }, drops[] = { 50, 50, 60, 40, 0 };
	uint64_t a = 0, b = 0;

	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_CPUMAP, 7, 2, -ENOSPC), COUNTS(0));
	came(f, TP_XDP_CPUMAP_ENQUEUE, redirect(SERIES_MAP_CPUMAP, 7, 2, 0), COUNTS(0));
	for (size_t i = 0; i < sizeof(err) / sizeof(err[0]); i++) {
		const struct finding *finding;

		snapshot_copy(&f->from, &f->to);
		f->to.mono_ns += MADE_S;
		f->to.series[0].total.events = a += err[i];
		f->to.series[1].total.drops = b += drops[i];
		f->to.series[1].total.events += drops[i] != 0;
		update(f);
		if (!i)
			continue;
		finding = expect_only(f, "cpumap-queue-full");
		assert_int_equal(finding->total, a > b ? a : b);
	}
	assert_int_equal(expect_only(f, "cpumap-queue-full")->total, 200);
}

/* A slow target is one finding for all its senders, which are named. */
FINDING_TEST(test_sources)
{
	const struct finding *finding;
	char text[128];

	device(f, MADE_NETNS, 3, "eth3")->prog_id = 42;
	device(f, MADE_NETNS, 9, "lan0");
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 9), COUNTS(5, 30, 50));
	update(f);
	finding = expect_only(f, "target-ring-full");
	says(finding, "eth3 (+531840) -> lan0: ");
	assert_int_equal(finding->location.dev.ifindex, 3);
	assert_int_equal(finding->location.prog_id, 42);
	finding_sources_text(finding, text, sizeof(text));
	assert_string_equal(text, "");
	for (uint32_t i = 4; i < 6; i++)
		came(f, TP_XDP_DEVMAP_XMIT, made_xmit(i, 9), COUNTS(5, 30, 100));
	again(f);
	again(f);
	finding = expect_only(f, "target-ring-full");
	assert_true(finding->changed);
	tells(finding, "eth3 (+531840), eth4 (+531840), eth5 (+531840) -> lan0: the target ");
	assert_string_equal(finding->text + finding->cause_offset,
			    strstr(finding->text, "the target "));
	/* the place stays: it began with one source */
	assert_int_equal(finding->location.dev.ifindex, 3);
	assert_int_equal(finding->location.prog_id, 42);
	assert_int_equal(finding->location.to.ifindex, 9);
	assert_int_equal(finding->count, 250);
	assert_true(finding_is_from(finding, MADE_NETNS, 5));
	assert_false(finding_is_from(finding, MADE_NETNS, 6));
	assert_true(runs(finding, "ethtool -S lan0"));
	/* with only one of them the text stays, and with any other subset */
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	f->to.series[1].total.drops += 7;
	f->to.series[1].total.events += 1;
	update(f);
	assert_false(expect_only(f, "target-ring-full")->changed);
	for (uint32_t i = 10; i < 20; i++)
		came(f, TP_XDP_DEVMAP_XMIT, made_xmit(i, 9), COUNTS(5, 30, 1));
	again(f);
	finding = expect_only(f, "target-ring-full");
	finding_sources_text(finding, text, sizeof(text));
	assert_string_equal(text, "eth3, eth4, eth5, eth10, ...");
	says(finding, "eth10 (+531840), ... -> lan0: the target ");
	/* after it was over, a new one names the current senders */
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += 2 * FINDING_HOLD_S * MADE_S;
	update(f);
	assert_int_equal(f->findings.n_active, 0);
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	f->to.series[1].total.drops += 7;
	f->to.series[1].total.events += 1;
	update(f);
	says(expect_only(f, "target-ring-full"), "eth4 (+531840) -> lan0: ");
	/* another target is another finding */
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 8), COUNTS(5, 30, 1));
	f->to.mono_ns++;
	update(f);
	assert_int_equal(f->findings.n_active, 2);
}
