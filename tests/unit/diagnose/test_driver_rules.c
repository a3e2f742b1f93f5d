// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules for counters of devices and drivers: their conditions, and when they stay quiet. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "unit/made_sockets.h"
#include "unit/made_verdicts.h"
#include "unit/test.h"

/* A NIC eth3 with a native program; all counters of the device are known. */
static struct netdev *nic(struct fixture *f, const char *driver)
{
	struct netdev *d = device(f, MADE_NETNS, 3, "eth3");

	strcpy(d->driver, driver);
	d->mode = NETDEV_NATIVE;
	d->prog_id = 42;
	for (int i = 0; i < NETDEV_DRIVER_COUNT; i++)
		netdev_set_count(d, i, 0);
	return d;
}

static struct netdev *nic_at(struct fixture *f, size_t i)
{
	return &snapshot_netdevs(&f->to)[i];
}

/* The driver's counter is read again: it grew by n in 5 s. */
static void read_count(struct fixture *f, enum netdev_count which, uint64_t n)
{
	struct netdev *d = nic_at(f, 0);

	netdev_set_count(d, which, d->count[which] + n);
	d->per_s[which - NETDEV_DRIVER_COUNT] = (float)n / 5;
}

/* xdp_devmap_xmit of frames to it, in the first series. */
static void transmit(struct fixture *f, uint64_t packets, uint64_t drops)
{
	struct series_counters count = { .events = 100, .packets = packets, .drops = drops };

	series_counters_add(&f->to.series[0].total, &count);
	f->to.tp[TP_XDP_DEVMAP_XMIT].events += count.events;
}

/* An interval in which the device does not change. */
static void pause_once(struct fixture *f)
{
	step(f);
	update(f);
}

static bool has(struct fixture *f, const char *code)
{
	for (size_t i = 0; i < f->findings.n; i++)
		if (!strcmp(f->findings.finding[i].code->name, code))
			return true;
	return false;
}

/* Lost at the port or in the cloud's network, in two readings in a row, and not in the next. */
TEST(test_lost_before)
{
	static const struct {
		const char *driver, *code, *text;
		enum netdev_count count;
		enum finding_severity severity;
		bool loses;
	} cases[] = {
		{ "mlx5_core", "nic-discards",
		  "discards 40 packets a second at its port (2.0 % of the incoming packets)",
		  NETDEV_RX_DISCARDS, FINDING_CRITICAL, true },
		{ "ena", "cloud-limit", "delays or drops 40 packets a second, because",
		  NETDEV_LIMIT_EXCEEDED, FINDING_WARNING, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *f = fixture_new();
		const struct finding *finding;

		netdev_set_count(nic(f, cases[i].driver), cases[i].count, 7);
		for (int k = 0; k < 3; k++) {
			pause_once(f);
			step(f);
			nic_at(f, 0)->count[NETDEV_RX_PACKETS] += 9800;
			read_count(f, cases[i].count, k ? 200 : 0);
			update(f);
			assert_int_equal(f->findings.n, k == 2);
		}
		finding = expect_only(f, cases[i].code);
		assert_int_equal(finding->severity, cases[i].severity);
		says(finding, cases[i].text);
		assert_true(runs(finding, "ethtool -S eth3"));
		/* a limit also delays packets */
		assert_int_equal(finding->lost_per_s > 0, cases[i].loses);
		step(f);
		read_count(f, cases[i].count, 0);
		update(f);
		assert_false(expect_only(f, cases[i].code)->seen);
		fixture_free(f);
	}
}

FINDING_TEST(test_overrun)
{
	struct netdev *d = nic(f, "ixgbe");
	const struct finding *finding;

	f->alone = true;
	netdev_set_setting(d, NETDEV_RX_RING, 512);
	netdev_set_setting(d, NETDEV_RX_RING_MAX, 4096);
	for (int i = 0; i < 2; i++) {
		step(f);
		nic_at(f, 0)->count[NETDEV_RX_PACKETS] += 98000;
		nic_at(f, 0)->count[NETDEV_RX_MISSED] += 2000;
		update(f);
		assert_int_equal(f->findings.n, i);
	}
	finding = expect_only(f, "rx-ring-overrun");
	assert_int_equal(finding->severity, FINDING_CRITICAL);
	assert_true(finding->lost_per_s == 2000);
	assert_int_equal(finding->total, 4000);
	says(finding, "no free buffer in its receive ring for 2000 packets a second (2.0 % of");
	says(finding, "512 descriptors (maximum 4096)");
	assert_true(runs(finding, "ethtool -G eth3 rx 4096"));
	/* fewer of them; the ring is at its maximum */
	step(f);
	netdev_set_setting(nic_at(f, 0), NETDEV_RX_RING, 4096);
	nic_at(f, 0)->count[NETDEV_RX_PACKETS] += 98000;
	nic_at(f, 0)->count[NETDEV_RX_MISSED] += 200;
	update(f);
	finding = expect_only(f, "rx-ring-overrun");
	assert_int_equal(finding->severity, FINDING_WARNING);
	says(finding, "4096 descriptors, the maximum");
	assert_false(runs(finding, "ethtool -G"));
	assert_true(runs(finding, "ethtool -S eth3"));
}

/*
 * The kernel lacks a part of the losses that the driver counts, between two readings. Losses that
 * the kernel has are in the driver's counter as well.
 */
FINDING_TEST(test_overrun_of_driver)
{
	struct netdev *d = nic(f, "vmxnet3");
	const struct finding *finding;

	netdev_set_count(d, NETDEV_RX_OUT_OF_BUFFER, 7);
	for (int i = 0; i < 3; i++) {
		pause_once(f);
		assert_int_equal(f->findings.n, 0);
		step(f);
		nic_at(f, 0)->count[NETDEV_RX_PACKETS] += 9900;
		nic_at(f, 0)->count[NETDEV_RX_MISSED] += i ? 40 : 0;
		read_count(f, NETDEV_RX_OUT_OF_BUFFER, i ? 100 : 0);
		update(f);
		assert_int_equal(f->findings.n, 0);
	}
	pause_once(f);
	finding = expect_only(f, "rx-ring-overrun");
	assert_int_equal(finding->severity, FINDING_CRITICAL);
	assert_true(finding->lost_per_s == 20);
	says(finding, "for 20 packets a second (1.0 % of");
	step(f);
	read_count(f, NETDEV_RX_OUT_OF_BUFFER, 0);
	update(f);
	assert_false(expect_only(f, "rx-ring-overrun")->seen);
}

TEST(test_no_overrun)
{
	enum {
		NO_PROGRAM,
		NEW_PROGRAM,
		FEW,
		SELDOM,
		BACK,
		UNKNOWN,
		ONCE,
		STARVED,
		UNLISTED,
		CASES
	};

	for (int i = 0; i < CASES; i++) {
		struct fixture *f = fixture_new();
		struct netdev *d;

		d = nic(f, "ixgbe");
		d->prog_id = i == NO_PROGRAM ? 0 : 42;
		d->count[NETDEV_RX_MISSED] = 100000;
		if (i == UNKNOWN)
			d->counted &= ~BIT(NETDEV_RX_MISSED);
		if (i == STARVED)
			bound(f, 100, 0);
		if (i == UNLISTED)
			left_out(f, d->netns, 1);
		for (int k = 0; k < 4; k++) {
			step(f);
			if (i == NEW_PROGRAM)
				nic_at(f, 0)->prog_id = k % 2 ? 42 : 0;
			nic_at(f, 0)->count[NETDEV_RX_PACKETS] += i == SELDOM ? 100 : 1000000;
			if (i == BACK)
				nic_at(f, 0)->count[NETDEV_RX_MISSED] -= 20000;
			else if (i != ONCE || k == 1)
				nic_at(f, 0)->count[NETDEV_RX_MISSED] += i == FEW      ? 900
									 : i == SELDOM ? 9
										       : 20000;
			update(f);
			assert_false(has(f, "rx-ring-overrun"));
		}
		fixture_free(f);
	}
}

/* Only a counter shows XDP_TX of virtio_net with a full ring, and it includes redirects. */
FINDING_TEST(test_tx_full)
{
	struct netdev *d = nic(f, "virtio_net");
	const struct finding *finding;

	netdev_set_setting(d, NETDEV_TX_RING_MAX, 256);
	read_count(f, NETDEV_XDP_XMIT_ERRORS, 0);
	expect_quiet(f);
	for (int i = 0; i < 2; i++) {
		step(f);
		read_count(f, NETDEV_XDP_XMIT_ERRORS, 1500);
		update(f);
		assert_int_equal(f->findings.n, i);
		if (!i)
			pause_once(f);
	}
	finding = expect_only(f, "tx-full");
	assert_int_equal(finding->severity, FINDING_CRITICAL);
	assert_true(finding->lost_per_s == 300);
	says(finding, "300 XDP_TX packets a second are lost");
	says(finding, "txN_xdp_tx_drops");
	assert_true(runs(finding, "ethtool -G eth3 tx 256"));
	/* between two readings it stays active */
	pause_once(f);
	finding = expect_only(f, "tx-full");
	assert_true(finding->seen && finding->lost_per_s == 300);
	/* it ends with a reading without growth */
	step(f);
	read_count(f, NETDEV_XDP_XMIT_ERRORS, 0);
	update(f);
	assert_false(expect_only(f, "tx-full")->seen);
	/* frames redirected to it at the same time are different ones */
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(9, 3), COUNTS(10, 100, 0));
	for (int i = 0; i < 2; i++) {
		step(f);
		transmit(f, 1000, 10);
		read_count(f, NETDEV_XDP_XMIT_ERRORS, 1500);
		update(f);
	}
	assert_true(expect(f, "tx-full")->seen);
	assert_false(has(f, "queued-not-sent"));
}

TEST(test_no_tx_full)
{
	enum { REPORTS, VETH, GENERIC, ONCE, RESET, TOLD, UNKNOWN, CASES };
	static const char *const drivers[CASES] = { [REPORTS] = "ixgbe", [VETH] = "veth" };

	for (int i = 0; i < CASES; i++) {
		struct fixture *f = fixture_new();

		nic(f, drivers[i] ?: "virtio_net")->mode =
			i == GENERIC ? NETDEV_GENERIC : NETDEV_NATIVE;
		if (i == TOLD)
			came(f, TP_XDP_DEVMAP_XMIT, made_xmit(9, 3), COUNTS(10, 100, 0));
		read_count(f, NETDEV_XDP_XMIT_ERRORS, 10000);
		update(f);
		for (int k = 0; k < 4; k++) {
			step(f);
			if (i == RESET)
				nic_at(f, 0)->count[NETDEV_XDP_XMIT_ERRORS] /= 2;
			else if (i != UNKNOWN)
				read_count(f, NETDEV_XDP_XMIT_ERRORS, i == ONCE && k ? 0 : 1500);
			if (i == TOLD)
				transmit(f, 0, 1500);
			update(f);
			assert_false(has(f, "tx-full"));
		}
		fixture_free(f);
	}
}

/* Frames that the target accepted but did not send. */
FINDING_TEST(test_queued_not_sent)
{
	const struct finding *finding;

	nic(f, "gve")->prog_id = 0;
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(9, 3), COUNTS(100, 1000, 0));
	read_count(f, NETDEV_XDP_XMIT_ERRORS, 0);
	expect_quiet(f);
	for (int i = 0; i < 2; i++) {
		step(f);
		transmit(f, 1000, 0);
		read_count(f, NETDEV_XDP_XMIT_ERRORS, 500);
		update(f);
		assert_int_equal(f->findings.n, i);
	}
	finding = expect_only(f, "queued-not-sent");
	assert_true(finding->lost_per_s == 100);
	says(finding, "eth3 (+531840): frames are redirected to it and count as sent");
	says(finding, "its driver gve could not send 100 of them a second");
	says(finding, "tx_xdp_xmit_errors");
	assert_true(runs(finding, "ip -s link show dev eth3") || !finding->location.dev.netns);
	/* losses that xdp_devmap_xmit reports are not reported again */
	for (int i = 0; i < 12; i++) {
		step(f);
		transmit(f, 0, 500);
		read_count(f, NETDEV_XDP_XMIT_ERRORS, 500);
		update(f);
	}
	assert_false(expect(f, "queued-not-sent")->active);
}

/* A driver whose tx_packets include frames of XDP. */
TEST(test_lag)
{
	enum { LAGS, SENDS, FEW, OTHER, NO_CARRIER, CASES };

	for (int i = 0; i < CASES; i++) {
		struct fixture *f = fixture_new();

		nic(f, i == OTHER ? "mlx5_core" : "igb")->running = i != NO_CARRIER;
		came(f, TP_XDP_DEVMAP_XMIT, made_xmit(9, 3), COUNTS(100, 1000, 0));
		for (int k = 0; k < 4; k++) {
			step(f);
			transmit(f, i == FEW ? 900 : 9000, 0);
			nic_at(f, 0)->count[NETDEV_TX_PACKETS] += i == SENDS ? 8000 : 100;
			update(f);
			assert_true(has(f, "queued-not-sent") == (i == LAGS && k > 1));
		}
		if (i == LAGS)
			says(expect_only(f, "queued-not-sent"),
			     "9000 frames a second are redirected to it and count as sent "
			     "(xdp_devmap_xmit), but it sent only 100 packets a second in all");
		fixture_free(f);
	}
}

static void returned(struct fixture *f, uint32_t act, uint64_t n)
{
	((struct verdict *)f->to.rows[DATA_SOURCE_VERDICTS].row)[act].packets += n;
}

static void failed_again(struct fixture *f, uint64_t n)
{
	f->to.series[0].total.events += n;
	f->to.tp[TP_XDP_EXCEPTION].events += n;
}

/* XDP_TX that the driver takes and does not send, counted by --verdicts or by the driver. */
TEST(test_tx_not_sent)
{
	enum {
		VERDICTS,
		COUNTER,
		DROPPED,
		SENDS,
		FEW,
		OTHER,
		NO_CARRIER,
		ERRORS,
		TOLD,
		GENERIC,
		CASES
	};
	const struct series_key failed = {
		.netns = MADE_NETNS, .ifindex = 3, .prog_id = 42, .code = XDP_TX
	};

	for (int i = 0; i < CASES; i++) {
		struct fixture *f = fixture_new();
		bool is_lost = i <= DROPPED;
		struct netdev *d = nic(f, i == OTHER ? "mlx5_core" : "virtio_net");

		d->running = i != NO_CARRIER;
		d->mode = i == GENERIC ? NETDEV_GENERIC : NETDEV_NATIVE;
		netdev_set_count(d, NETDEV_TX_PACKETS, 0);
		read_count(f, NETDEV_XDP_XMIT_ERRORS, 0);
		read_count(f, NETDEV_XDP_TX, 0);
		if (i == VERDICTS) {
			made_program(&f->to, 42);
			for (uint32_t act = 0; act < VERDICT_ACTS; act++)
				made_verdict(&f->to, 42, act, 0);
		}
		if (i == TOLD)
			came(f, TP_XDP_EXCEPTION, failed, COUNTS(5000));
		update(f);
		for (int k = 0; k < 5; k++) {
			uint64_t n = i == FEW ? 900 : 9000;

			step(f);
			if (i == VERDICTS)
				returned(f, XDP_TX, n);
			else
				read_count(f, NETDEV_XDP_TX, n);
			read_count(f, NETDEV_XDP_XMIT_ERRORS, i == ERRORS ? 5000 : 0);
			if (i == TOLD)
				failed_again(f, 5000);
			nic_at(f, 0)->count[NETDEV_TX_PACKETS] += i == SENDS ? 8000 : 100;
			if (i == DROPPED)
				netdev_set_count(nic_at(f, 0), NETDEV_TX_DROPPED, 70 * k);
			update(f);
			if (is_lost && k == 4)
				assert_true(has(f, "tx-not-sent"));
			if (!is_lost || k < 2)
				assert_false(has(f, "tx-not-sent"));
		}
		if (i == DROPPED)
			says(expect(f, "tx-not-sent"), "; tx_dropped grew by 70");
		if (i == VERDICTS) {
			says(expect(f, "tx-not-sent"),
			     "eth3 (+531840): the program returns XDP_TX for 9000 packets a "
			     "second, and no tracepoint or driver counter counts them as failed, "
			     "but the device sent only 100 packets a second in all");
			assert_true(expect(f, "tx-not-sent")->lost_per_s == 8900);
		}
		fixture_free(f);
	}
}

/* The unreported losses, with numbers. */
FINDING_TEST(test_silent)
{
	const struct finding *finding;

	f->alone = true;
	nic(f, "gve");
	read_count(f, NETDEV_XDP_ABORTED, 12);
	pause_once(f);
	finding = expect_only(f, "driver-is-silent");
	assert_int_equal(finding->severity, FINDING_INFO);
	says(finding, "the driver gve does not report failures as xdp_exception");
	says(finding, ", xdp_aborted 12");
	read_count(f, NETDEV_XDP_TX_ERRORS, 0);
	pause_once(f);
	for (int i = 0; i < 2; i++) {
		step(f);
		read_count(f, NETDEV_XDP_TX_ERRORS, 50);
		update(f);
	}
	finding = expect_only(f, "driver-is-silent");
	assert_int_equal(finding->severity, FINDING_WARNING);
	says(finding, "xdp_tx_errors 100 (10 a second)");
	assert_true(finding->lost_per_s == 10);
}

/* A driver that reports XDP_ABORTED, but not bad values. */
FINDING_TEST(test_partly_silent)
{
	const struct finding *finding;

	nic(f, "ena");
	read_count(f, NETDEV_XDP_ABORTED, 0);
	read_count(f, NETDEV_XDP_INVALID, 0);
	for (int i = 0; i < 3; i++) {
		step(f);
		read_count(f, NETDEV_XDP_ABORTED, 500);
		update(f);
		assert_int_equal(f->findings.n, 0);
	}
	for (int i = 0; i < 2; i++) {
		step(f);
		read_count(f, NETDEV_XDP_INVALID, 500);
		update(f);
	}
	finding = expect_only(f, "driver-is-silent");
	assert_int_equal(finding->severity, FINDING_WARNING);
	says(finding,
	     "ena counts losses that it does not report as xdp_exception: xdp_invalid 1000");
	assert_null(strstr(finding->text, "aborted"));
}

/* The program is detached, and the link is down for 3 s. */
FINDING_TEST(test_reset)
{
	const struct finding *finding;

	nic(f, "igb");
	pause_once(f);
	step(f);
	nic_at(f, 0)->prog_id = 0;
	nic_at(f, 0)->mode = NETDEV_NONE;
	expect_quiet(f);
	step(f);
	nic_at(f, 0)->running = false;
	update(f);
	finding = expect_only(f, "device-reset");
	assert_int_equal(finding->severity, FINDING_WARNING);
	says(finding, "an XDP program was detached, and the driver reset the device, which has "
		      "no carrier now");
	for (int i = 0; i < 2; i++)
		pause_once(f);
	says(expect_only(f, "device-reset"), "which has had no carrier for 2.0 s");
	step(f);
	nic_at(f, 0)->running = true;
	update(f);
	says(expect_only(f, "device-reset"), "which had no carrier for 3.0 s");
	assert_true(runs(expect_only(f, "device-reset"), "dmesg | grep -F -e eth3"));
	/* reported once: it clears */
	for (int i = 0; i < 11; i++)
		pause_once(f);
	assert_false(expect_only(f, "device-reset")->active);
}

/* The device was first seen with its program: the returning carrier reveals it. */
FINDING_TEST(test_reset_of_new)
{
	struct netdev *d;

	pause_once(f);
	step(f);
	d = nic(f, "igb");
	d->running = false;
	d->count[NETDEV_CARRIER_CHANGES] = 3;
	expect_quiet(f);
	step(f);
	expect_quiet(f);
	step(f);
	nic_at(f, 0)->running = true;
	update(f);
	says(expect_only(f, "device-reset"), "was attached, and the driver reset the device");
	says(expect_only(f, "device-reset"), "no carrier for 2.0 s");
}

/* Faster than an interval. */
FINDING_TEST(test_short_reset)
{
	nic(f, "igb")->prog_id = 0;
	step(f);
	nic_at(f, 0)->prog_id = 43;
	nic_at(f, 0)->count[NETDEV_CARRIER_CHANGES] += 2;
	update(f);
	says(expect_only(f, "device-reset"), "was attached, and");
	says(expect_only(f, "device-reset"), "no carrier for up to 1.0 s");
}

TEST(test_no_reset)
{
	enum { NO_CHANGE, LONG_AGO, DOWN, RESTART, VIRTUAL, FIRST_LINK, NO_LOSS, STARTED, CASES };

	for (int i = 0; i < CASES; i++) {
		struct fixture *f = fixture_new();
		struct netdev *d;

		if (i != FIRST_LINK) {
			d = nic(f, "igb");
			if (i == VIRTUAL)
				strcpy(d->kind, "veth");
			if (i == STARTED)
				d->running = false;
		}
		if (i != STARTED)
			pause_once(f);
		step(f);
		if (i == FIRST_LINK) {
			d = nic(f, "igb");
			d->running = false;
			d->count[NETDEV_CARRIER_CHANGES] = 1;
		}
		d = nic_at(f, 0);
		if (i != NO_CHANGE && i != STARTED)
			d->prog_id = 43;
		if (i == LONG_AGO)
			for (int k = 0; k < 10; k++)
				pause_once(f);
		d->running = i == NO_LOSS || i == RESTART;
		d->up = i != DOWN;
		if (i == RESTART) /* down and up within an interval, after another program */
			d->count[NETDEV_CARRIER_CHANGES] += 2;
		update(f);
		expect_not(f, "device-reset");
		step(f);
		nic_at(f, 0)->running = nic_at(f, 0)->up = true;
		update(f);
		expect_not(f, "device-reset");
		fixture_free(f);
	}
}
