// SPDX-License-Identifier: GPL-2.0-or-later
/* The finding `aborted`: its counts and its share, depending on which counter has the packets. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "diagnose/verdict_past.h"
#include "unit/made_nic.h"
#include "unit/test.h"

/* A program may abort one packet in a thousand; the share must be known, and below 1 %. */
FINDING_TEST(test_share)
{
	const struct finding *finding;

	f->alone = true;
	came(f, TP_XDP_EXCEPTION, redirect(0, 0, 0, 0), COUNTS(10));
	made_off(&f->from, TP_XDP_REDIRECT, TP_OFF);
	made_off(&f->to, TP_XDP_REDIRECT, TP_OFF);
	update(f);
	finding = expect_only(f, "aborted");
	assert_int_equal(finding->severity, FINDING_WARNING);
	says(finding, "; the share of these packets is not known");
	made_on(&f->to, TP_XDP_REDIRECT);
	came(f, TP_XDP_REDIRECT, made_to_device(3, 4, 7), COUNTS(985));
	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -ENETDOWN), COUNTS(6));
	came(f, TP_XDP_REDIRECT, made_to_device(4, 5, 7), COUNTS(9999)); /* another device's */
	f->to.mono_ns += 1;
	update(f);
	finding = expect(f, "aborted");
	assert_int_equal(finding->severity, FINDING_INFO);
	says(finding, "for at most 1.0 % of its packets the program returned XDP_ABORTED");
	f->to.series[1].total.events--;
	f->to.mono_ns += 1;
	update(f);
	finding = expect(f, "aborted");
	assert_int_equal(finding->severity, FINDING_WARNING);
	assert_null(strstr(finding->text, "%"));
}

/* Without xdp_redirect: frames sent to one target, since each could be a copy. */
FINDING_TEST(test_share_of_sent)
{
	f->alone = true;
	made_off(&f->from, TP_XDP_REDIRECT, TP_OFF);
	made_off(&f->to, TP_XDP_REDIRECT, TP_OFF);
	came(f, TP_XDP_EXCEPTION, redirect(0, 0, 0, 0), COUNTS(10));
	for (uint32_t i = 4; i < 6; i++)
		came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, i), COUNTS(70, 900, 90));
	update(f);
	assert_int_equal(expect(f, "aborted")->severity, FINDING_WARNING);
	f->to.series[2].total.packets++;
	f->to.mono_ns++;
	update(f);
	assert_int_equal(expect(f, "aborted")->severity, FINDING_INFO);
	says(expect(f, "aborted"), "for at most 1.0 % of its packets");
}

/* The device's own counter suffices without xdp_redirect. */
FINDING_TEST(test_share_of_device)
{
	struct netdev *d = device(f, MADE_NETNS, 3, "eth3"), *was;

	f->alone = true;
	made_off(&f->from, TP_XDP_REDIRECT, TP_OFF);
	made_off(&f->to, TP_XDP_REDIRECT, TP_OFF);
	d->prog_id = 42;
	netdev_set_count(d, NETDEV_RX_PACKETS, 0);
	d->count[NETDEV_RX_PACKETS] = 5000;
	was = snapshot_add_netdev(&f->from);
	*was = *d;
	was->count[NETDEV_RX_PACKETS] = 4000;
	came(f, TP_XDP_EXCEPTION, redirect(0, 0, 0, 0), COUNTS(10));
	update(f);
	assert_int_equal(expect_only(f, "aborted")->severity, FINDING_CRITICAL);
	says(expect_only(f, "aborted"), "for 1.0 % of its packets");
	was->count[NETDEV_RX_PACKETS] = 3999;
	f->to.mono_ns++;
	update(f);
	assert_int_equal(expect_only(f, "aborted")->severity, FINDING_INFO);
	/* a counter that lacks these packets proves nothing */
	was->count[NETDEV_RX_PACKETS] = 4999;
	f->to.mono_ns++;
	update(f);
	assert_int_equal(expect_only(f, "aborted")->severity, FINDING_WARNING);
	/* all packets, though it was read slightly earlier */
	was->count[NETDEV_RX_PACKETS] = 4991;
	f->to.mono_ns++;
	update(f);
	assert_int_equal(expect_only(f, "aborted")->severity, FINDING_CRITICAL);
	says(expect_only(f, "aborted"), "for 100 % of its packets");
	was->count[NETDEV_RX_PACKETS] = 4999;
	/* then redirects provide the share, if counted */
	made_on(&f->to, TP_XDP_REDIRECT);
	came(f, TP_XDP_REDIRECT, made_to_device(3, 4, 7), COUNTS(1000));
	f->to.mono_ns++;
	update(f);
	assert_int_equal(expect(f, "aborted")->severity, FINDING_INFO);
}

/* In another namespace the counters of the pod's end are unknown, but the host's end has them. */
FINDING_TEST(test_share_of_peer)
{
	struct netdev *pod = device(f, BLUE, 3, "eth0"), *host;
	struct series_key key = { .netns = BLUE, .ifindex = 3, .prog_id = 42 };

	f->alone = true;
	strcpy(pod->kind, "veth");
	pod->prog_id = 42;
	pod->peer_netns = MADE_NETNS;
	pod->peer_ifindex = 7;
	netdev_set_count(device(f, MADE_NETNS, 7, "veth7"), NETDEV_TX_PACKETS, 0);
	made_sort_netdevs(&f->to);
	step(f);
	host = (struct netdev *)snapshot_find_netdev(&f->to, MADE_NETNS, 7);
	host->count[NETDEV_TX_PACKETS] = 2500;
	came(f, TP_XDP_EXCEPTION, key, COUNTS(10));
	update(f);
	assert_int_equal(expect_only(f, "aborted")->severity, FINDING_INFO);
	says(expect_only(f, "aborted"), "for 0.4 % of its packets");
	host->count[NETDEV_TX_PACKETS] = 20;
	f->to.mono_ns++;
	update(f);
	assert_int_equal(expect_only(f, "aborted")->severity, FINDING_CRITICAL);
	says(expect_only(f, "aborted"), "for 50.0 % of its packets");
}

/* The share of exceptions refers to all verdicts of the program. */
FINDING_TEST(test_share_of_verdicts)
{
	const struct finding *finding;

	f->alone = true;
	/* the device counts packets that the program did not see */
	nic(f, "ice");
	step(f);
	nic_at(f, 0)->count[NETDEV_RX_PACKETS] += 100000;
	returns(f, XDP_PASS, 90);
	returns(f, XDP_ABORTED, 10);
	exception(f, XDP_ABORTED, 10);
	update(f);
	finding = expect_only(f, "aborted");
	assert_int_equal(finding->severity, FINDING_CRITICAL);
	assert_int_equal(finding->count, 10);
	assert_true(finding->lost_per_s == 10);
	says(finding, "eth3 (+531840), prog42 (id 42): for 10.0 % of its packets the program "
		      "returned XDP_ABORTED");
	step(f);
	returns(f, XDP_PASS, 9990);
	returns(f, XDP_ABORTED, 10);
	f->to.series[0].total.events += 10;
	f->to.tp[TP_XDP_EXCEPTION].events += 10;
	update(f);
	finding = expect_only(f, "aborted");
	assert_int_equal(finding->severity, FINDING_INFO);
	says(finding, "for 0.1 % of its packets");
	assert_int_equal(finding->count, 10);
}

/* Without exceptions verdicts lead to the same finding. */
FINDING_TEST(test_verdicts_alone)
{
	const struct finding *finding;
	uint64_t id;

	nic(f, "gve");
	made_off(&f->to, TP_XDP_EXCEPTION, TP_OFF);
	step(f);
	returns(f, XDP_PASS, 90);
	returns(f, XDP_ABORTED, 10);
	update(f);
	finding = expect(f, "aborted");
	assert_int_equal(finding->severity, FINDING_CRITICAL);
	assert_true(finding->lost_per_s == 10);
	says(finding, "for 10.0 % of its packets the program returned XDP_ABORTED");
	assert_true(runs(finding, "bpftool prog show id 42"));
	id = finding->id;
	made_on(&f->to, TP_XDP_EXCEPTION);
	step(f);
	exception(f, XDP_ABORTED, 10);
	update(f);
	assert_int_equal(expect(f, "aborted")->id, id);
	/* few of many */
	step(f);
	returns(f, XDP_PASS, 100000);
	returns(f, XDP_ABORTED, 10);
	update(f);
	assert_int_equal(expect(f, "aborted")->next.severity, FINDING_INFO);
	/* none */
	step(f);
	returns(f, XDP_PASS, 100000);
	update(f);
	assert_false(expect(f, "aborted")->seen);
}

/*
 * Verdicts are read slightly later than exceptions, so at the edge of an interval packets are in
 * only one of the two counters. None is counted twice, and a program that aborts everything aborts
 * 100 %.
 */
FINDING_TEST(test_moment)
{
	static const uint64_t told[] = { 900, 1050, 1020, 980, 950, 0 },
			      seen[] = { 1000, 1030, 990, 1010, 970, 0 };
	uint64_t total = 0;

	nic(f, "ice");
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		const struct finding *finding;

		step(f);
		returns(f, XDP_ABORTED, seen[i]);
		if (!i)
			exception(f, XDP_ABORTED, told[i]);
		f->to.series[0].total.events += i ? told[i] : 0;
		update(f);
		total += seen[i];
		finding = expect_only(f, "aborted");
		assert_int_equal(finding->total, total);
		assert_int_equal(finding->seen, seen[i] != 0);
		if (finding->seen)
			assert_int_equal(finding->count, seen[i]);
		assert_true(finding->lost_per_s == (double)seen[i]);
		says(finding, "for 100 % of its packets");
		assert_int_equal(finding->severity, FINDING_CRITICAL);
	}
	/* the last exceptions are counted an interval late */
	step(f);
	f->to.series[0].total.events += 100;
	update(f);
	assert_false(expect_only(f, "aborted")->seen);
	assert_int_equal(expect_only(f, "aborted")->total, total);
	/* it starts again with unknown verdicts: the exceptions have everything */
	step(f);
	f->to.mono_ns += FINDING_HOLD_S * MADE_S;
	update(f);
	step(f);
	program_at(f, 0)->verdicts = PROGRAM_VERDICTS_OFF;
	f->to.series[0].total.events += 250;
	update(f);
	assert_int_equal(expect_only(f, "aborted")->total, total + 250);
}

/* The same for a bad value, which verdicts do not distinguish. */
FINDING_TEST(test_moment_of_value)
{
	f->alone = true;
	nic(f, "ice");
	step(f);
	returns(f, VERDICT_UNKNOWN, 1000);
	exception(f, 77, 900);
	update(f);
	says(expect_only(f, "bad-return-value"),
	     "for 100 % of its packets the program returned 77");
	step(f);
	returns(f, VERDICT_UNKNOWN, 1000);
	f->to.series[0].total.events += 500;
	exception(f, 78, 500);
	update(f);
	assert_null(strchr(expect_only(f, "bad-return-value")->text, '%'));
}
