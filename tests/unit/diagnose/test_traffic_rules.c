// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about packet handling, programs and devices: when they appear, and when not. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "source/data_source.h"
#include "source/softnet.h"
#include "source/maps.h"
#include "unit/made_finding.h"
#include "unit/test.h"

/* A flow with all packets on CPU 5: number of bulks and packets. */
static void bulks(struct fixture *f, uint32_t to, uint64_t events, uint64_t packets)
{
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, to), COUNTS(events, packets));
	made_cpu(&f->to, 5, COUNTS(events, packets));
}

FINDING_TEST(test_bulking)
{
	f->to.cpus_online = 2; /* too few for cpu-skew */
	bulks(f, 4, 100000, 100000);
	bulks(f, 5, 100000, 200000);
	bulks(f, 6, 99999, 99999);
	/* a cpumap's program is flushed after 8 */
	bulks(f, 7, 100000, 800000);
	/* none of these CPUs is busy */
	bulks(f, 8, 60000, 60000);
	made_cpu(&f->to, 6, COUNTS(60000, 60000));
	f->to.series[4].total = COUNTS(120000, 120000);
	/* generic cpumap has no bulks */
	came(f, TP_XDP_CPUMAP_ENQUEUE, redirect(SERIES_MAP_CPUMAP, 7, 2, 0),
	     COUNTS(500000, 500000));
	made_cpu(&f->to, 5, COUNTS(500000, 500000));
	update(f);
	says(expect_only(f, "poor-bulking"), "bulks have 1.00 packets on average (maximum 16) on "
					     "CPU 5");
	assert_int_equal(f->findings.finding[0].location.to.ifindex, 4);
}

/* Their bulks of 1 do not say anything about a receive queue. */
FINDING_TEST(test_flushes_each)
{
	struct netdev *d = device(f, MADE_NETNS, 3, "eth3");

	f->to.cpus_online = 2; /* too few for cpu-skew */
	strcpy(d->driver, "atlantic");
	d->mode = NETDEV_NATIVE;
	d->prog_id = 42;
	bulks(f, 4, 100000, 100000);
	came(f, TP_XDP_CPUMAP_ENQUEUE, redirect(SERIES_MAP_CPUMAP, 7, 2, 0),
	     COUNTS(500000, 500001));
	made_cpu(&f->to, 5, COUNTS(500000, 500001));
	update(f);
	assert_int_equal(f->findings.n, 0);
	strcpy(snapshot_netdevs(&f->to)[0].driver, "igb");
	f->to.mono_ns++;
	update(f);
	assert_int_equal(f->findings.n, 2);
}

static void skewed(struct fixture *f, uint64_t most)
{
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(2000, 32000));
	made_cpu(&f->to, 0, COUNTS(100, 32000 - most));
	made_cpu(&f->to, 5, COUNTS(1900, most));
}

FINDING_TEST(test_skew)
{
	skewed(f, 30000);
	update(f);
	says(expect_only(f, "cpu-skew"), "CPU 5 handles 93.8 %");
}

/* A device's targets form one row: with a CPU each, all is well. */
FINDING_TEST(test_skew_sums)
{
	skewed(f, 30000);
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 5), COUNTS(2000, 32000));
	made_cpu(&f->to, 1, COUNTS(2000, 32000));
	update(f);
	assert_int_equal(f->findings.n, 0);
}

/* Packets of other devices in between are not added. */
FINDING_TEST(test_skew_of_each)
{
	skewed(f, 30000);
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(6, 4), COUNTS(2000, 32000));
	made_cpu(&f->to, 1, COUNTS(1000, 16000));
	made_cpu(&f->to, 2, COUNTS(1000, 16000));
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 5), COUNTS(100, 1000));
	made_cpu(&f->to, 0, COUNTS(100, 1000));
	update(f);
	says(expect_only(f, "cpu-skew"), "CPU 5 handles 90.9 %");
}

FINDING_TEST(test_no_skew)
{
	/* too few CPUs */
	skewed(f, 30000);
	f->to.cpus_online = 3;
	update(f);
	assert_int_equal(f->findings.n, 0);
	/* 80 % is not over 80 % */
	f->to.n_series = f->to.n_cpu = 0;
	f->to.cpus_online = 8;
	f->to.mono_ns += 1;
	skewed(f, 25600);
	update(f);
	assert_int_equal(f->findings.n, 0);
}

FINDING_TEST(test_generic)
{
	device(f, MADE_NETNS, 3, "eth3")->mode = NETDEV_GENERIC;
	device(f, MADE_NETNS, 4, "eth4")->mode = NETDEV_GENERIC; /* without events */
	came(f, TP_XDP_REDIRECT, made_to_device(3, 4, 7), COUNTS(5));
	came(f, TP_NET_DEV_QUEUE, made_xmit(4, 0), COUNTS(5));
	update(f);
	assert_int_equal(expect_only(f, "generic-mode")->location.dev.ifindex, 3);
}

/* xdp_redirect is off: its program has a map to redirect through, and packets come in. */
FINDING_TEST(test_generic_unseen)
{
	struct snapshot *of[] = { &f->from, &f->to };
	struct map_entry *map = snapshot_add_row(&f->to, DATA_SOURCE_MAPS, sizeof(*map));

	*map = (struct map_entry){
		.map_id = 7, .user = { 42 }, .users_total = 1, .users_known = true
	};
	for (uint64_t i = 0; i < 2; i++) {
		struct netdev *d = snapshot_add_netdev(of[i]);

		*d = (struct netdev){ .netns = BLUE,
				      .ifindex = 3,
				      .kind = "veth",
				      .mode = NETDEV_GENERIC,
				      .prog_id = 42 };
		netdev_set_count(d, NETDEV_RX_PACKETS, 10 * i);
	}
	update(f);
	expect_only(f, "generic-mode");
	findings_free(&f->findings);
	/* nothing comes in */
	netdev_set_count(snapshot_netdevs(&f->from), NETDEV_RX_PACKETS, 10);
	f->to.mono_ns++;
	update(f);
	assert_int_equal(f->findings.n, 0);
}

/* In two modes the program decides. */
FINDING_TEST(test_generic_multi)
{
	struct netdev *d = device(f, MADE_NETNS, 3, "eth3");

	d->mode = NETDEV_MULTI;
	d->prog_id = 42;
	d->skb_prog_id = 43;
	came(f, TP_XDP_REDIRECT, made_to_device(3, 4, 7), COUNTS(5));
	update(f);
	assert_int_equal(f->findings.n, 0);
	f->to.series[0].key.prog_id = 43;
	f->to.mono_ns += 1;
	update(f);
	expect_only(f, "generic-mode");
}

/* Without native mode it is not a fault. */
TEST(test_generic_only)
{
	static const struct {
		const char *driver;
		int64_t features;
		enum finding_severity severity;
	} cases[] = {
		{ "e1000e", 0, FINDING_INFO },
		{ "e1000e", -1, FINDING_INFO },
		{ "", 0, FINDING_INFO },
		{ "", -1, FINDING_WARNING },
		{ "bond", 0, FINDING_WARNING },
		{ "igb", -1, FINDING_WARNING },
		{ "", NETDEV_XDP_BASIC, FINDING_WARNING },
		/* its flags are those of a leased queue, and it takes no program */
		{ "netkit", NETDEV_XDP_BASIC, FINDING_INFO },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct finding *finding;
		struct fixture *f = fixture_new();
		struct netdev *d;

		d = device(f, MADE_NETNS, 3, "eth3");
		d->mode = NETDEV_GENERIC;
		strcpy(strcmp(cases[i].driver, "netkit") ? d->driver : d->kind, cases[i].driver);
		d->has_features = cases[i].features >= 0;
		d->features = cases[i].features > 0 ? (uint64_t)cases[i].features : 0;
		came(f, TP_XDP_REDIRECT, made_to_device(3, 4, 7), COUNTS(5));
		update(f);
		finding = expect_only(f, "generic-mode");
		assert_int_equal(finding->severity, cases[i].severity);
		assert_int_equal(!strstr(finding->remedy.text, "native mode"),
				 finding->severity == FINDING_INFO);
		fixture_free(f);
	}
}

/* Only for a program in native mode; other devices have other drivers. */
FINDING_TEST(test_silent)
{
	struct netdev *d = device(f, MADE_NETNS, 3, "eth3");

	strcpy(d->driver, "gve");
	d->mode = NETDEV_NATIVE;
	d->prog_id = 42;
	d = device(f, MADE_NETNS, 4, "eth4");
	strcpy(d->driver, "gve");
	d = device(f, MADE_NETNS, 5, "bond0");
	strcpy(d->kind, "bond");
	d->mode = NETDEV_NATIVE;
	d = device(f, MADE_NETNS, 6, "eth6");
	strcpy(d->driver, "otx2");
	d->mode = NETDEV_NATIVE;
	d = device(f, MADE_NETNS, 7, "eth7");
	strcpy(d->driver, "gve");
	d->mode = NETDEV_NATIVE;
	d->gone = true;
	update(f);
	says(expect_only(f, "driver-is-silent"), "eth3 (+531840): the driver gve");
	says(expect_only(f, "driver-is-silent"), "rx_xdp_aborted");
	assert_int_equal(f->findings.finding[0].severity, FINDING_INFO);
	assert_int_equal(f->findings.finding[0].location.dev.ifindex, 3);
}

static void failed_attach(struct snapshot *s)
{
	struct event *e = snapshot_add_event(s);

	*e = (struct event){ .tracepoint = TP_LINK_ATTACH_FAILED, .key.netns = BLUE, .pid = 812 };
	strcpy(e->comm, "loader");
}

/* Native mode first, then generic: at once, or an interval later. */
FINDING_TEST(test_attach_generic)
{
	struct netdev *d = device(f, BLUE, 4, "eth4");

	d->skb_prog_id = 7; /* from before */
	made_sort_netdevs(&f->to);
	*snapshot_add_netdev(&f->from) = *d;
	device(f, MADE_NETNS, 5, "eth5")->skb_prog_id = 8; /* elsewhere */
	failed_attach(&f->to);
	update(f);
	assert_int_equal(expect_only(f, "attach-failed")->severity, FINDING_WARNING);
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	f->to.n_event = 0;
	((struct netdev *)snapshot_find_netdev(&f->to, BLUE, 4))->skb_prog_id = 9;
	update(f);
	assert_int_equal(expect(f, "attach-failed")->severity, FINDING_INFO);
	/* another attempt */
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	failed_attach(&f->to);
	update(f);
	assert_int_equal(expect(f, "attach-failed")->severity, FINDING_WARNING);
}

FINDING_TEST(test_attach_failed)
{
	const struct finding *finding;
	struct event *e;

	for (int i = 0; i < 3; i++) {
		e = snapshot_add_event(&f->to);
		*e = (struct event){ .tracepoint = TP_LINK_ATTACH_FAILED,
				     .key.netns = BLUE,
				     .pid = 812 };
		strcpy(e->comm, i < 2 ? "myxdp" : "other");
		strcpy(e->text, "no {dev} or {what} here");
	}
	e = snapshot_add_event(&f->to);
	e->tracepoint = TP_MEM_CONNECT;
	update(f);
	assert_int_equal(f->findings.n, 2);
	finding = &f->findings.finding[0];
	if (!strstr(finding->text, "myxdp"))
		finding = &f->findings.finding[1];
	says(finding, "myxdp[812]");
	says(finding, "no {dev} or {what} here");
	assert_int_equal(finding->count, 2);
	assert_int_equal(finding->location.dev.netns, BLUE);
}

FINDING_TEST(test_xdptop_itself)
{
	made_off(&f->to, TP_XDP_REDIRECT, TP_SHED);
	strcpy(f->to.tp[TP_XDP_REDIRECT].reason, "12 % of CPU 3");
	f->from.tp[TP_XDP_EXCEPTION].missed = 5;
	f->to.tp[TP_XDP_EXCEPTION].missed = 9;
	f->from.tp[TP_XDP_BULK_TX].missed = f->to.tp[TP_XDP_BULK_TX].missed = 9; /* from before */
	f->to.tp[TP_NET_DEV_QUEUE].overflow = 1;
	update(f);
	assert_int_equal(f->findings.n, 3);
	says(expect(f, "shed"), "12 % of CPU 3");
	assert_int_equal(expect(f, "shed")->cause_offset, 0); /* without a location */
	assert_int_equal(expect(f, "missed")->count, 4);
	assert_int_equal(expect(f, "missed")->tracepoint, TP_XDP_EXCEPTION);
	assert_int_equal(expect(f, "overflow")->tracepoint, TP_NET_DEV_QUEUE);
}

static void put_cpu(struct snapshot *s, struct softnet_cpu cpu)
{
	memcpy(snapshot_add_row(s, DATA_SOURCE_SOFTNET, sizeof(cpu)), &cpu, sizeof(cpu));
	data_source_sort(s, DATA_SOURCE_SOFTNET);
}

/* A backlog that overflowed before the interval, or on a new CPU, is not a finding. */
FINDING_TEST(test_cpu_overrun)
{
	const struct finding *finding;

	put_cpu(&f->from, (struct softnet_cpu){ .cpu = 1, .processed = 10, .dropped = 5 });
	put_cpu(&f->from, (struct softnet_cpu){ .cpu = 3, .processed = 10, .dropped = 10 });
	put_cpu(&f->to, (struct softnet_cpu){ .cpu = 0, .processed = 10, .dropped = 9 });
	put_cpu(&f->to,
		(struct softnet_cpu){ .cpu = 1, .processed = 90, .dropped = 5, .time_squeeze = 4 });
	put_cpu(&f->to, (struct softnet_cpu){ .cpu = 3, .processed = 90, .dropped = 10 });
	update(f);
	assert_int_equal(f->findings.n, 0);
	put_cpu(&f->to, (struct softnet_cpu){ .cpu = 3, .processed = 90, .dropped = 17 });
	f->findings.started = false; /* the same snapshot again */
	update(f);
	finding = expect_only(f, "cpu-overrun");
	assert_int_equal(finding->count, 7);
	assert_true(finding->loss.per_s == 7);
	assert_int_equal(finding->location.to_cpu, 3);
	assert_int_equal(finding->tracepoint, TP_NONE);
	says(finding, "CPU 3: its backlog is full");
	assert_non_null(strstr(finding->commands, "awk '$1 == 3'"));
}
