// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules for what programs returned: their conditions, and when they stay quiet. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "diagnose/verdict_past.h"
#include "source/packet_kinds.h"
#include "unit/made_nic.h"
#include "unit/test.h"

#define WINDOW VERDICT_WINDOW_S

/* Seconds with n dropped packets each. */
static void drop(struct fixture *f, int seconds, uint64_t n)
{
	for (int i = 0; i < seconds; i++) {
		step(f);
		returns(f, XDP_DROP, n);
		update(f);
	}
}

/* It is found after ten seconds of drops, and names the change before the first of them. */
FINDING_TEST(test_drops_all_after_replacement)
{
	struct event *e;

	nic(f, "ice");
	step(f);
	returns(f, XDP_PASS, 150);
	update(f);
	step(f);
	e = snapshot_add_event(&f->to);
	assert_non_null(e);
	*e = (struct event){ .tracepoint = TP_NONE,
			     .cpu = -1,
			     .change = CHANGE_PROGRAM_REPLACED,
			     .time = f->to.wall,
			     .key = { .netns = MADE_NETNS, .ifindex = 3 },
			     .ifname = "eth3",
			     .text = "prog41 (id 41) by prog42 (id 42)" };
	e->time.tv_sec -= 2;
	update(f);
	f->to.n_event = 0;
	drop(f, WINDOW + 1, 150);
	if (!strstr(expect(f, "program-drops-all")->changes, "prog41 (id 41) by prog42 (id 42)"))
		fail_msg("%s", expect(f, "program-drops-all")->changes);
}

FINDING_TEST(test_drops_all)
{
	const struct finding *finding;

	nic(f, "ice");
	drop(f, WINDOW - 1, 150);
	assert_false(has(f, "program-drops-all"));
	drop(f, 1, 150);
	finding = expect(f, "program-drops-all");
	assert_int_equal(finding->severity, FINDING_WARNING);
	assert_int_equal(finding->location.prog_id, 42);
	assert_true(finding->lost_per_s == 150);
	/* including the ten seconds before the finding */
	assert_int_equal(finding->count, 150);
	assert_int_equal(finding->total, 150 * WINDOW);
	says(finding, "eth3 (+531840), prog42 (id 42): it drops every packet: 150 a second, 15.0k "
		      "bytes, for "
		      "10 s or longer");
	assert_null(strstr(finding->text, "%"));
	assert_true(runs(finding, "bpftool prog dump xlated id 42"));
	assert_true(runs(finding, "ip link set dev eth3 xdpdrv off"));
	assert_false(runs(finding, "link detach"));
	/* it stays, even while traffic pauses, until the window is over */
	drop(f, WINDOW - 1, 0);
	assert_true(expect(f, "program-drops-all")->seen);
	assert_int_equal(expect(f, "program-drops-all")->total, 150 * WINDOW);
	drop(f, 1, 0);
	assert_false(expect(f, "program-drops-all")->seen);
	/* one packet that passes ends it at once */
	drop(f, WINDOW + 5, 150);
	assert_true(expect(f, "program-drops-all")->seen);
	assert_int_equal(expect(f, "program-drops-all")->total, 150 * (2 * WINDOW + 5));
	step(f);
	returns(f, XDP_DROP, 150);
	returns(f, XDP_PASS, 1);
	update(f);
	assert_false(expect(f, "program-drops-all")->seen);
	drop(f, WINDOW - 1, 150);
	assert_false(expect(f, "program-drops-all")->active);
}

/* Attached by a link, in generic mode; verdicts other than XDP_DROP also lose packets. */
FINDING_TEST(test_drops_all_ways)
{
	struct netdev *d = nic(f, "ice");
	const struct finding *finding;

	d->mode = NETDEV_GENERIC;
	d->skb_prog_id = 42;
	program_at(f, 0)->attach = PROGRAM_LINK;
	program_at(f, 0)->link_id = 7;
	for (int i = 0; i < WINDOW; i++) {
		step(f);
		returns(f, XDP_DROP, 90);
		returns(f, XDP_ABORTED, 10);
		update(f);
	}
	finding = expect(f, "program-drops-all");
	says(finding, "; 90.0 % with XDP_DROP, the others with XDP_ABORTED");
	assert_true(runs(finding, "bpftool link detach id 7"));
	assert_false(runs(finding, " off"));
	says(expect(f, "aborted"), "for 10.0 % of its packets");
}

/* The dispatcher of libxdp has the device's verdicts; the part that drops is named. */
FINDING_TEST(test_drops_all_part)
{
	const struct finding *finding;

	nic(f, "ice");
	program_at(f, 0)->parts = 2;
	for (uint32_t part = 50; part < 52; part++) {
		made_program(&f->to, part)->part_of = 42;
		made_verdict(&f->to, part, XDP_DROP, 0);
	}
	for (int i = 0; i < WINDOW; i++) {
		step(f);
		returns(f, XDP_DROP, 100);
		verdict_at(f, VERDICT_ACTS + 1)->packets += 100;
		update(f);
	}
	finding = expect(f, "program-drops-all");
	assert_int_equal(finding->location.prog_id, 42);
	says(finding, "; its part prog51 (id 51) returns XDP_DROP");
	assert_true(runs(finding, "bpftool prog dump xlated id 51"));
	assert_true(runs(finding, "bpftool prog show id 42"));
	assert_false(runs(finding, " off"));
}

/* From a tenth of the incoming packets on; exact by verdicts. */
FINDING_TEST(test_drops_many)
{
	const struct finding *finding;

	nic(f, "ice");
	step(f);
	returns(f, XDP_DROP, 99);
	update(f);
	assert_int_equal(f->findings.n, 0);
	step(f);
	returns(f, XDP_DROP, 499);
	returns(f, XDP_PASS, 4501);
	update(f);
	assert_int_equal(f->findings.n, 0);
	step(f);
	returns(f, XDP_DROP, 500);
	returns(f, XDP_PASS, 4500);
	update(f);
	finding = expect_only(f, "program-drops");
	assert_int_equal(finding->severity, FINDING_INFO);
	assert_int_equal(finding->location.prog_id, 42);
	assert_int_equal(finding->count, 500);
	assert_true(isnan(finding->lost_per_s));
	says(finding, "prog42 (id 42): it drops 500 packets a second by XDP_DROP, 10.0 % of the "
		      "incoming ones (counted by verdicts)");
	assert_true(runs(finding, "xdpdump -i eth3 --rx-capture exit"));
	drop(f, 1, 0);
	assert_false(expect_only(f, "program-drops")->seen);
	/* a consequence of program-drops-all */
	drop(f, WINDOW + 1, 150);
	assert_string_equal(expect(f, "program-drops-all")->consequences, "program-drops");
}

/* Of the parts that drop, the one that drops most. */
FINDING_TEST(test_drops_many_part)
{
	const struct finding *finding;

	nic(f, "ice");
	program_at(f, 0)->parts = 2;
	for (uint32_t part = 50; part < 52; part++) {
		made_program(&f->to, part)->part_of = 42;
		made_verdict(&f->to, part, XDP_DROP, 0);
	}
	step(f);
	returns(f, XDP_DROP, 500);
	returns(f, XDP_PASS, 500);
	verdict_at(f, VERDICT_ACTS)->packets += 1;
	verdict_at(f, VERDICT_ACTS + 1)->packets += 499;
	update(f);
	finding = expect(f, "program-drops");
	assert_int_equal(finding->location.prog_id, 42);
	says(finding, "(counted by verdicts); its part prog51 (id 51) returns XDP_DROP");
	assert_true(runs(finding, "bpftool prog dump xlated id 51"));
}

/* Without verdicts: by the driver's counter, without packets that the finding `aborted` has. */
FINDING_TEST(test_drops_many_of_driver)
{
	struct netdev *d = nic(f, "veth");
	const struct finding *finding;

	program_at(f, 0)->verdicts = PROGRAM_VERDICTS_UNKNOWN;
	strcpy(d->kind, "veth");
	for (int i = 0; i < 5; i++) {
		step(f);
		d = nic_at(f, 0);
		/* read every second */
		netdev_set_count(d, NETDEV_RX_PACKETS, (uint64_t)i * 5000);
		netdev_set_count(d, NETDEV_XDP_DROP, (uint64_t)i * 4000);
		d->per_s[NETDEV_XDP_DROP - NETDEV_DRIVER_COUNT] = i ? 4000 : -1;
		if (i == 4)
			exception(f, XDP_ABORTED, 4000);
		update(f);
		if (i < 2)
			assert_int_equal(f->findings.n, 0);
		if (i != 2)
			continue;
		finding = expect_only(f, "program-drops");
		says(finding, "4000 packets a second by XDP_DROP, 80.0 % of the incoming ones "
			      "(counted by ethtool -S: rx_queue_*_xdp_drops)");
	}
	assert_true(expect(f, "aborted")->seen);
	assert_false(expect(f, "program-drops")->seen);
	/* until the counter is read again, its rate is still that of the aborted packets */
	step(f);
	update(f);
	assert_false(expect(f, "aborted")->seen);
	assert_false(expect(f, "program-drops")->seen);
	/* the counter may have them */
	f->to.tp[TP_XDP_EXCEPTION].state = TP_OFF;
	step(f);
	netdev_set_count(nic_at(f, 0), NETDEV_RX_PACKETS, 25000);
	netdev_set_count(nic_at(f, 0), NETDEV_XDP_DROP, 20000);
	update(f);
	says(expect(f, "program-drops"),
	     "by XDP_DROP or XDP_ABORTED (xdp_exception is not counted)");
}

/* Readings of the driver's counters, every second, with the program that is attached then. */
static void reads(struct fixture *f, uint32_t prog_id, uint64_t packets, uint64_t drops)
{
	struct netdev *d;

	step(f);
	d = nic_at(f, 0);
	d->prog_id = prog_id;
	netdev_set_count(d, NETDEV_RX_PACKETS, d->count[NETDEV_RX_PACKETS] + packets);
	netdev_set_count(d, NETDEV_XDP_DROP, d->count[NETDEV_XDP_DROP] + drops);
	d->per_s[NETDEV_XDP_DROP - NETDEV_DRIVER_COUNT] = (float)drops;
	update(f);
}

static const struct finding *of_program(const struct fixture *f, uint32_t prog_id)
{
	for (size_t i = 0; i < f->findings.n; i++)
		if (f->findings.finding[i].location.prog_id == prog_id)
			return &f->findings.finding[i];
	return NULL;
}

/* The program that replaces one is not blamed for its drops, which the driver counts together. */
FINDING_TEST(test_drops_of_replaced)
{
	struct netdev *d = nic(f, "veth");
	const struct finding *finding;

	program_at(f, 0)->verdicts = PROGRAM_VERDICTS_UNKNOWN;
	made_program(&f->to, 43)->verdicts = PROGRAM_VERDICTS_UNKNOWN;
	strcpy(d->kind, "veth");
	update(f);
	for (int i = 0; i < 4; i++)
		reads(f, 42, 5000, 4000);
	finding = expect_only(f, "program-drops");
	assert_true(finding->seen);
	reads(f, 43, 5000, 2000);
	reads(f, 43, 5000, 100);
	reads(f, 43, 5000, 0);
	assert_null(of_program(f, 43));
	/* its own drops are its own */
	for (int i = 0; i < 4; i++)
		reads(f, 43, 5000, 3000);
	finding = of_program(f, 43);
	assert_non_null(finding);
	says(finding, "3000 packets a second by XDP_DROP, 60.0 %");
	/* an interval without the link's counters */
	step(f);
	d = nic_at(f, 0);
	d->counted &= ~(uint32_t)BIT(NETDEV_RX_PACKETS);
	netdev_set_count(d, NETDEV_XDP_DROP, d->count[NETDEV_XDP_DROP] + 3000);
	update(f);
	for (int i = 0; i < 3; i++) {
		reads(f, 43, 5000, 3000);
		says(of_program(f, 43), "60.0 %");
	}
}

/* A bond's program runs on lower devices, which do not show it. */
TEST(test_drops_all_below)
{
	for (int shared = 0; shared < 2; shared++) {
		struct fixture *f = fixture_new();
		struct netdev *d = nic(f, "");

		strcpy(d->kind, "bond");
		device(f, MADE_NETNS, 9, "slave0");
		if (shared)
			device(f, MADE_NETNS, 10, "bond1")->prog_id = 42;
		for (uint32_t act = 0; act < VERDICT_ACTS; act++)
			verdict_at(f, act)->ifindex = 9;
		for (int i = 0; i < WINDOW + 1; i++) {
			step(f);
			returns(f, XDP_DROP, 100);
			nic_at(f, 0)->count[NETDEV_RX_PACKETS] += 100;
			update(f);
		}
		if (shared)
			assert_int_equal(f->findings.n, 0);
		else
			assert_int_equal(expect_only(f, "program-drops-all")->location.dev.ifindex,
					 3);
		fixture_free(f);
	}
}

/* Not all packets, too few, or not completely known. */
TEST(test_drops_all_quiet)
{
	enum { ONE_PASSES, FEW, LATE, AGAIN, MISSED, OFF, REFUSED, ONLY_ABORTED, NOT_ASKED, CASES };

	for (int i = 0; i < CASES; i++) {
		struct fixture *f = fixture_new();

		nic(f, "ice");
		if (i == NOT_ASKED)
			program_at(f, 0)->verdicts = PROGRAM_VERDICTS_UNKNOWN;
		for (int t = 0; t < 3 * WINDOW; t++) {
			step(f);
			returns(f, i == ONLY_ABORTED ? XDP_ABORTED : XDP_DROP,
				i == FEW ? 99 + 100 * (t % WINDOW == 0) : 1000);
			returns(f, XDP_TX, i == ONE_PASSES && t % (WINDOW - 1) == 0);
			if (i == AGAIN && t % (WINDOW - 1) == 0)
				for (uint32_t act = 0; act < VERDICT_ACTS; act++)
					verdict_at(f, act)->trace++;
			program_at(f, 0)->verdicts_missed += i == MISSED;
			if (i == OFF || i == REFUSED || i == LATE)
				program_at(f, 0)->verdicts =
					i == OFF             ? PROGRAM_VERDICTS_OFF
					: i == REFUSED       ? PROGRAM_VERDICTS_REFUSED
					: t < 2 * WINDOW + 1 ? PROGRAM_VERDICTS_ASKED
							     : PROGRAM_VERDICTS_ON;
			update(f);
			if (has(f, "program-drops-all"))
				fail_msg("case %d: %s", i, f->findings.finding[0].text);
		}
		fixture_free(f);
	}
}

/* Seconds in which the device receives n packets each. */
static void receive(struct fixture *f, int seconds, uint64_t n)
{
	for (int i = 0; i < seconds; i++) {
		step(f);
		nic_at(f, 0)->count[NETDEV_RX_PACKETS] += n;
		update(f);
	}
}

FINDING_TEST(test_sees_nothing)
{
	const struct finding *finding;

	nic(f, "vmxnet3");
	receive(f, WINDOW - 1, 200);
	assert_int_equal(f->findings.n, 0);
	receive(f, 1, 200);
	finding = expect_only(f, "program-sees-nothing");
	assert_int_equal(finding->severity, FINDING_WARNING);
	assert_true(isnan(finding->lost_per_s));
	says(finding,
	     "eth3 (+531840), prog42 (id 42): the device received 200 packets a second for 10 s");
	assert_true(runs(finding, "ethtool -S eth3"));
	assert_int_equal(finding->total, 200 * WINDOW);
	receive(f, WINDOW / 2, 200);
	assert_true(expect_only(f, "program-sees-nothing")->seen);
	assert_int_equal(expect_only(f, "program-sees-nothing")->total, 200 * WINDOW * 3 / 2);
	/* it runs for a packet */
	step(f);
	nic_at(f, 0)->count[NETDEV_RX_PACKETS] += 200;
	returns(f, XDP_PASS, 1);
	update(f);
	assert_false(expect_only(f, "program-sees-nothing")->seen);
	receive(f, WINDOW - 1, 200);
	assert_false(expect_only(f, "program-sees-nothing")->active);
}

/* The trace of a program that never ran has no row. */
FINDING_TEST(test_sees_nothing_at_all)
{
	nic(f, "vmxnet3");
	f->to.rows[DATA_SOURCE_VERDICTS].n = 0;
	receive(f, WINDOW, 200);
	expect_only(f, "program-sees-nothing");
}

TEST(test_sees_nothing_quiet)
{
	enum {
		RUNS,
		FEW,
		ONE_JUMP,
		GENERIC,
		OFFLOAD,
		UNKNOWN,
		NO_CARRIER,
		ASKED,
		BELOW,
		NEW,
		CASES
	};

	for (int i = 0; i < CASES; i++) {
		struct fixture *f = fixture_new();
		struct netdev *d = nic(f, "vmxnet3");

		d->mode = i == GENERIC ? NETDEV_GENERIC : i == OFFLOAD ? NETDEV_OFFLOAD : d->mode;
		d->running = i != NO_CARRIER;
		d->counted &= i == UNKNOWN ? 0 : ~0u;
		if (i == ASKED)
			program_at(f, 0)->verdicts = PROGRAM_VERDICTS_ASKED;
		if (i == BELOW) /* a VF of netvsc */
			verdict_at(f, XDP_PASS)->ifindex = 9;
		made_sort_verdicts(&f->to);
		for (int t = 0; t < 3 * WINDOW; t++) {
			step(f);
			nic_at(f, 0)->count[NETDEV_RX_PACKETS] +=
				i == FEW        ? 99
				: i == ONE_JUMP ? (t == 5) * 100000 + (t % 9 == 0)
						: 1000;
			/* VERDICT_ACTS - 1: the other device's row is the last */
			verdict_at(f, i == BELOW ? VERDICT_ACTS - 1 : XDP_PASS)->packets +=
				(i == RUNS || i == BELOW) && t % (WINDOW - 1) == 0;
			nic_at(f, 0)->prog_id = i == NEW && t % (WINDOW + 1) == 0 ? 7 : 42;
			update(f);
			expect_not(f, "program-sees-nothing");
		}
		fixture_free(f);
	}
}

static void bad_value(struct fixture *f)
{
	step(f);
	returns(f, XDP_PASS, 97);
	returns(f, VERDICT_UNKNOWN, 3);
	update(f);
}

/* If xdp_exception is off, or the driver does not report bad values. */
TEST(test_unknown)
{
	for (int off = 0; off < 2; off++) {
		struct fixture *f = fixture_new();
		const struct finding *finding;

		nic(f, off ? "ice" : "ena");
		if (off)
			made_off(&f->to, TP_XDP_EXCEPTION, TP_OFF);
		bad_value(f);
		finding = expect(f, "verdict-unknown");
		assert_int_equal(finding->severity, FINDING_CRITICAL);
		assert_true(finding->lost_per_s == 3);
		says(finding,
		     "eth3 (+531840), prog42 (id 42): for 3.0 % of its packets (3.0 a "
		     "second) the program "
		     "returned a value that is not a valid XDP action, so the kernel drops "
		     "these packets");
		says(finding, off ? "xdp_exception, which reports the value, is not counted"
				  : "the driver ena does not report them");
		assert_true(runs(finding, "dmesg | grep -F 'XDP return value'"));
		fixture_free(f);
	}
}

/* If xdp_exception reports it: once is enough, with the share. */
FINDING_TEST(test_unknown_told)
{
	nic(f, "ice");
	step(f);
	returns(f, XDP_PASS, 97);
	returns(f, VERDICT_UNKNOWN, 3);
	exception(f, 77, 3);
	update(f);
	says(expect_only(f, "bad-return-value"),
	     "for 3.0 % of its packets the program returned 77");
	/* counted slightly later */
	bad_value(f);
	bad_value(f);
	expect_only(f, "bad-return-value");
}

/* In generic mode the kernel reports it; an unknown driver may report it later. */
FINDING_TEST(test_unknown_of_any)
{
	struct netdev *d = nic(f, "");

	d->mode = NETDEV_GENERIC;
	bad_value(f);
	bad_value(f);
	bad_value(f);
	assert_int_equal(f->findings.n, 0);
	nic_at(f, 0)->mode = NETDEV_NATIVE;
	bad_value(f);
	assert_int_equal(f->findings.n, 0);
	bad_value(f);
	says(expect_only(f, "verdict-unknown"), "its driver did not report them");
	exception(f, 77, 1);
	bad_value(f);
	assert_false(expect(f, "verdict-unknown")->seen);
}

/* Packets of queue 7 of 8, which has no socket, and of queue 0. */
static void returned(struct fixture *f, uint32_t act, uint64_t there, uint64_t elsewhere)
{
	size_t n;
	struct verdict *v = (struct verdict *)verdicts(&f->to, &n);

	for (size_t i = 0; i < n; i++)
		if (v[i].act == act)
			v[i].packets += v[i].queue == 7 ? there : elsewhere;
}

/*
 * The program's verdicts for the queue are known: exactly what came in, whatever else is counted.
 */
TEST(test_queues_verdicts)
{
	static const struct {
		uint32_t act;
		uint64_t there, elsewhere; /* and 1000 redirected on another queue */
		int severity;              /* -1 = nothing */
		const char *says;
	} cases[] = {
		{ XDP_ABORTED, 1000, 0, FINDING_CRITICAL,
		  "50.0 % of the device's packets came in there, and the program returned "
		  "ABORTED for 1000" },
		{ XDP_PASS, 1000, 0, FINDING_INFO, "returned PASS for 1000" },
		{ XDP_PASS, 0, 1000, -1, "" },   /* steered to queues with a socket */
		{ XDP_ABORTED, 5, 0, -1, "" },   /* rare */
		{ XDP_ABORTED, 0, 900, -1, "" }, /* elsewhere */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *f = fixture_new();

		nic(f, "ice");
		map(f, XSKS, BPF_MAP_TYPE_XSKMAP, 64, "xsks");
		for (uint32_t q = 0; q < 7; q++)
			entry(f, q)->socket_inode = 100 + q;
		for (uint32_t q = 0; q < 7; q++)
			bound(f, 100 + q, q)->fill.fill = 2000;
		made_verdict(&f->to, 42, cases[i].act, 0)->queue = 7;
		made_sort_verdicts(&f->to);
		step(f);
		for (int k = 0; k < 2; k++, step(f)) {
			nic_at(f, 0)->count[NETDEV_RX_PACKETS] += 9000;
			returns(f, XDP_REDIRECT, 1000);
			returned(f, cases[i].act, cases[i].there, cases[i].elsewhere);
			update(f);
		}
		assert_int_equal(has(f, "xsk-queue-without-socket"), cases[i].severity >= 0);
		if (cases[i].severity >= 0) {
			const struct finding *finding = expect(f, "xsk-queue-without-socket");

			assert_int_equal(finding->severity, cases[i].severity);
			says(finding, cases[i].says);
		}
		fixture_free(f);
	}
}

/* Packets of queues 0 to 3 on CPUs 0 to 3, all returned as XDP_PASS. */
TEST(test_skew)
{
	static const struct {
		uint32_t cpu[4];
		uint64_t packets[4];
		uint32_t cpus;
		const char *says; /* NULL = nothing */
	} cases[] = {
		{ { 5, 1, 2, 3 },
		  { 99000, 500, 500, 0 },
		  8,
		  "CPU 5 handles 99.0 % of the packets (8 CPUs in all). They come in on receive "
		  "queue 0 "
		  "of 4" },
		{ { 5, 5, 5, 5 },
		  { 25000, 25000, 25000, 25000 },
		  8,
		  "they come in on 4 receive queues of 4, and that CPU serves all of these" },
		{ { 0, 1, 2, 3 }, { 25000, 25000, 25000, 25000 }, 8, NULL },
		{ { 5, 1, 2, 3 }, { 9900, 50, 50, 0 }, 8, NULL },
		{ { 1, 1, 1, 1 }, { 99000, 500, 500, 0 }, 2, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *f = fixture_new();

		netdev_set_setting(nic(f, "ice"), NETDEV_CHANNELS, 4);
		f->to.cpus_online = cases[i].cpus;
		f->to.rows[DATA_SOURCE_VERDICTS].n = 0;
		for (uint32_t q = 0; q < 4; q++) {
			made_verdict(&f->to, 42, XDP_PASS, 0)->queue = q;
			verdict_at(f, q)->cpu = cases[i].cpu[q];
		}
		step(f);
		for (uint32_t q = 0; q < 4; q++)
			verdict_at(f, q)->packets += cases[i].packets[q];
		/* some of them, handled by one CPU */
		came(f, TP_XDP_REDIRECT, made_to_device(3, 4, 7), COUNTS(20000));
		made_cpu(&f->to, 6, COUNTS(20000));
		made_on(&f->to, TP_XDP_REDIRECT);
		update(f);
		if (cases[i].says)
			says(expect_only(f, "cpu-skew"), cases[i].says);
		else
			assert_int_equal(f->findings.n, 0);
		fixture_free(f);
	}
}

/* Packets of the sample by kind: one row each. */
static void sampled(struct fixture *f, const char *ethertype, const char *protocol, uint32_t act,
		    uint64_t n)
{
	struct packet_kind like = { .prog_id = 42, .act = act, .length_to = 64 }, *row;

	strcpy(like.ethertype, ethertype);
	strcpy(like.protocol, protocol);
	row = (struct packet_kind *)data_source_row(&f->to, DATA_SOURCE_PACKET_KINDS, &like);
	if (!row) {
		row = snapshot_add_row(&f->to, DATA_SOURCE_PACKET_KINDS, sizeof(*row));
		*row = like;
		data_source_sort(&f->to, DATA_SOURCE_PACKET_KINDS);
		row = (struct packet_kind *)data_source_row(&f->to, DATA_SOURCE_PACKET_KINDS,
							    &like);
	}
	row->packets += n;
}

TEST(test_drops_arp)
{
	static const struct {
		uint64_t dropped, passed, nd_dropped, others;
		const char *says; /* NULL = nothing */
	} cases[] = {
		{ 2, 0, 0, 0, "it drops ARP (6 of 6 in a sample" },
		{ 20, 2, 0, 0, "it drops ARP (60 of 66 in a sample" },
		{ 0, 0, 2, 0, "it drops IPv6 neighbour discovery (6 of 6 in a sample" },
		{ 2, 0, 2, 0, "it drops ARP and IPv6 neighbour discovery (12 of 12 in a sample" },
		/* too few, or mostly passed, or a firewall that drops others */
		{ 1, 0, 0, 100, NULL },
		{ 20, 3, 0, 0, NULL },
		{ 0, 2, 0, 100, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *f = fixture_new();

		nic(f, "ice");
		for (int seconds = 0; seconds < 3; seconds++) {
			step(f);
			sampled(f, "ARP", "", XDP_DROP, cases[i].dropped);
			sampled(f, "ARP", "", XDP_PASS, cases[i].passed);
			sampled(f, "IPv6", "ICMPv6 ND", XDP_ABORTED, cases[i].nd_dropped);
			sampled(f, "IPv4", "TCP", XDP_DROP, cases[i].others);
			update(f);
		}
		if (cases[i].says)
			says(expect_only(f, "drops-arp"), cases[i].says);
		else
			assert_int_equal(f->findings.n, 0);
		/* quiet when it is mended */
		step(f);
		sampled(f, "ARP", "", XDP_PASS, 5);
		update(f);
		assert_false(f->findings.n && f->findings.finding[0].seen);
		fixture_free(f);
	}
}
