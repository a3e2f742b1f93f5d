// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules that need more than an errno: their conditions, and what must not mislead them. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "unit/made_finding.h"
#include "unit/test.h"

FINDING_TEST(test_veth_peer)
{
	const struct finding *finding;
	struct netdev *d;

	f->alone = true;
	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -EOPNOTSUPP), COUNTS(5));
	d = device(f, BLUE, 4, "veth4");
	strcpy(d->kind, "veth");
	d->peer_netns = BLUE + 1;
	d->peer_ifindex = 9;
	device(f, BLUE + 1, 9, "veth9");
	update(f);
	finding = expect_only(f, "target-cannot-receive");
	says(finding, "veth4 (+532222): a veth");
	says(finding, "veth9 (+532223) has neither");
	assert_non_null(strstr(finding->commands, "ethtool -K veth9 gro on"));
	/* with a program the cause is different */
	((struct netdev *)snapshot_find_netdev(&f->to, BLUE + 1, 9))->mode = NETDEV_NATIVE;
	f->to.mono_ns++;
	update(f);
	says(expect_only(f, "target-cannot-receive"), "cannot transmit XDP frames now");
}

/* No program attached there would help. */
FINDING_TEST(test_no_xdp)
{
	struct netdev *d = device(f, BLUE, 4, "lo");
	const struct finding *finding;

	f->alone = true;
	d->has_features = true;
	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -EOPNOTSUPP), COUNTS(5));
	update(f);
	finding = expect_only(f, "target-cannot-receive");
	says(finding, "lo (+532222): the target never transmits");
	assert_int_equal(strncmp(finding->text + finding->cause_offset,
				 "the target never transmits", 26),
			 0);
	assert_null(strstr(finding->remedy.text, "load an XDP program"));
	/* it is able to, but not now */
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	f->to.series[0].total.events += 5;
	snapshot_netdevs(&f->to)[0].features = NETDEV_XDP_BASIC | NETDEV_XDP_REDIRECT;
	update(f);
	finding = expect_only(f, "target-cannot-receive");
	says(finding, "cannot transmit XDP frames now");
	assert_non_null(strstr(finding->remedy.text, "load an XDP program"));
}

FINDING_TEST(test_multi_buffer)
{
	struct netdev *d = device(f, BLUE, 4, "eth4");

	f->alone = true;
	d->has_features = true;
	d->features = NETDEV_XDP_NDO_XMIT;
	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -EOPNOTSUPP), COUNTS(5));
	update(f);
	says(expect_only(f, "target-cannot-receive"), "one buffer");
	/* it can transmit several buffers: then the cause is different */
	snapshot_netdevs(&f->to)[0].features |= NETDEV_XDP_NDO_XMIT_SG;
	f->to.series[0].key.map_type = SERIES_MAP_NONE;
	f->to.series[0].key.map_id = SERIES_MAP_ID_IFINDEX;
	f->to.mono_ns++;
	update(f);
	says(expect_only(f, "target-cannot-receive"), "cannot transmit XDP frames now");
}

/* -INT_MIN does not exist. */
FINDING_TEST(test_errno_min)
{
	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, INT_MIN), COUNTS(5));
	update(f);
	says(expect_only(f, "redirect-failed"), "errno 2147483648");
}

/* The program makes frames longer than the ingress MTU, or that is not known. */
TEST(test_mtu)
{
	for (int in = 0; in < 3; in++) {
		struct fixture *f = fixture_new();
		struct netdev *to = device(f, BLUE, 4, "eth4");

		to->mtu = 1500;
		if (in == 2)
			netdev_set_setting(to, NETDEV_MTU_MAX, 1550);
		if (in)
			device(f, MADE_NETNS, 3, "eth3")->mtu = 1500;
		came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -EMSGSIZE),
		     COUNTS(5));
		update(f);
		says(expect_only(f, "frame-too-big"), "MTU of 1500");
		assert_int_equal(runs(expect_only(f, "frame-too-big"),
				      "link set dev eth4 mtu 1600"),
				 in < 2);
		fixture_free(f);
	}
}

FINDING_TEST(test_peer_down)
{
	struct netdev *d;

	came(f, TP_XDP_DEVMAP_XMIT, redirect(SERIES_MAP_DEVMAP, 0, 4, -ENXIO), COUNTS(5, 0, 80));
	d = device(f, BLUE, 4, "veth4");
	strcpy(d->kind, "veth");
	d->peer_netns = MADE_NETNS;
	d->peer_ifindex = 9;
	device(f, MADE_NETNS, 9, "veth9")->up = false;
	update(f);
	says(expect_only(f, "target-not-ready"), "veth9 is down");
}

/* XDP_TX has no target: use the other end of the veth. */
FINDING_TEST(test_own_peer)
{
	const struct finding *finding;
	struct netdev *d;

	f->alone = true;
	came(f, TP_XDP_BULK_TX, redirect(0, 0, 0, -ENXIO), COUNTS(5, 0, 50));
	d = device(f, MADE_NETNS, 3, "veth3");
	strcpy(d->kind, "veth");
	d->peer_netns = BLUE;
	d->peer_ifindex = 9;
	device(f, BLUE, 9, "veth9")->up = false;
	update(f);
	finding = expect_only(f, "tx-failed");
	says(finding, "veth9 (+532222), the veth's other end, is down");
	assert_non_null(strstr(finding->commands, "ip link set dev veth9 up"));
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	f->to.series[0].total.events += 5;
	d = (struct netdev *)snapshot_find_netdev(&f->to, BLUE, 9);
	d->up = true;
	update(f);
	/* brought up in this interval, so it was the cause */
	says(expect_only(f, "tx-failed"), "is down");
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	f->to.series[0].total.events += 5;
	update(f);
	finding = expect_only(f, "tx-failed");
	says(finding, "veth9 (+532222), the veth's other end, has no native XDP program");
	assert_non_null(strstr(finding->commands, "ip link set dev veth9 xdpdrv obj pass.o"));
	assert_null(strstr(finding->commands, "gro"));
}

/* With GRO its ring takes 256 frames, and nobody takes them out unless it has a program. */
FINDING_TEST(test_own_peer_has_gro)
{
	struct netdev *d;

	came(f, TP_XDP_BULK_TX, redirect(0, 0, 0, 0), COUNTS(5, 0, 50));
	d = device(f, MADE_NETNS, 3, "veth3");
	strcpy(d->kind, "veth");
	d->peer_netns = BLUE;
	d->peer_ifindex = 9;
	d = device(f, BLUE, 9, "veth9");
	d->mtu = 1500;
	update(f);
	says(expect_only(f, "tx-failed"), "veth9 (+532222) has GRO but no native XDP program, so");
	assert_true(runs(expect_only(f, "tx-failed"), "set dev veth9 xdpdrv obj pass.o"));
	d = (struct netdev *)snapshot_find_netdev(&f->to, BLUE, 9);
	d->mode = NETDEV_NATIVE;
	d->prog_id = 12;
	again(f);
	again(f);
	says(expect_only(f, "tx-failed"),
	     "or the program made packets longer than its MTU of 1500");
	assert_false(runs(expect_only(f, "tx-failed"), "pass.o"));
}

/*
 * On a NIC with libeth a redirected frame is also in xdp_bulk_tx: one loss, and no peer to blame.
 */
FINDING_TEST(test_libeth)
{
	struct series_key back = { .netns = MADE_NETNS, .ifindex = 4, .code = -ENXIO };

	came(f, TP_XDP_DEVMAP_XMIT, redirect(0, 0, 4, 0), COUNTS(5, 30, 50));
	came(f, TP_XDP_BULK_TX, back, COUNTS(5, 30, 50));
	strcpy(device(f, MADE_NETNS, 4, "eth4")->driver, "idpf");
	update(f);
	assert_int_equal(expect_only(f, "target-ring-full")->count, 50);
}

/* An exception on the egress device shows that its devmap program aborted the frames. */
FINDING_TEST(test_devmap_program)
{
	came(f, TP_XDP_DEVMAP_XMIT, redirect(SERIES_MAP_DEVMAP, 0, 4, 0), COUNTS(5, 0, 80));
	came(f, TP_XDP_EXCEPTION, (struct series_key){ .netns = BLUE, .ifindex = 4, .prog_id = 50 },
	     COUNTS(80));
	update(f);
	assert_int_equal(expect_only(f, "aborted")->location.prog_id, 50);
}

/* Drops of 80 frames for eth4, after the program of a devmap entry saw them. */
static struct series *dropped(struct fixture *f)
{
	struct series *xmit = came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(5, 0, 80));

	xmit->to_prog_id = 50;
	strcpy(xmit->to_prog_name, "acl");
	return xmit;
}

FINDING_TEST(test_egress_program)
{
	const struct finding *finding;

	dropped(f);
	update(f);
	finding = expect_only(f, "egress-program-drops");
	assert_int_equal(finding->code->severity, FINDING_INFO);
	assert_int_equal(finding->location.prog_id, 50);
	says(finding, "the devmap program acl");
	assert_non_null(strstr(finding->commands, "bpftool prog show id 50"));
}

/* No guesses: the program is unknown, or the ring is full. */
FINDING_TEST(test_egress_program_unclear)
{
	for (int full = 0; full < 2; full++) {
		f->from.n_series = f->to.n_series = 0;
		f->to.mono_ns += 1;
		findings_free(&f->findings);
		if (full)
			came(f, TP_XDP_DEVMAP_XMIT, with_code(made_xmit(9, 4), -ENOSPC),
			     COUNTS(5, 0, 80));
		dropped(f)->to_prog_id = full ? 50 : 0;
		update(f);
		assert_int_equal(expect_only(f, "target-ring-full")->sources.n, 1 + full);
	}
}

/* An exception of the program attached there is unrelated. */
FINDING_TEST(test_target_aborts)
{
	device(f, BLUE, 4, "eth4")->prog_id = 50;
	came(f, TP_XDP_DEVMAP_XMIT, redirect(SERIES_MAP_DEVMAP, 0, 4, 0), COUNTS(5, 0, 80));
	came(f, TP_XDP_EXCEPTION, (struct series_key){ .netns = BLUE, .ifindex = 4, .prog_id = 50 },
	     COUNTS(80));
	update(f);
	assert_int_equal(f->findings.n, 2);
	expect(f, "aborted");
	expect(f, "target-ring-full");
}

/* Whose program an exception belongs to if no device runs it. */
TEST(test_entry_programs)
{
	static const struct {
		uint32_t tp;
		int act;
		uint32_t before, since; /* attached to a device */
		const char *finding, *text;
	} cases[] = {
		{ TP_XDP_DEVMAP_XMIT, 3, 0, 0, "tx-failed",
		  "the program of a devmap entry returned XDP_TX, which is not a valid action" },
		{ TP_XDP_CPUMAP_KTHREAD, 3, 0, 0, "tx-failed",
		  "the program of a cpumap entry returned XDP_TX, which" },
		{ TP_XDP_DEVMAP_XMIT, 4, 0, 0, "redirect-failed",
		  "the program of a devmap entry returned XDP_REDIRECT, which is not" },
		{ TP_XDP_DEVMAP_XMIT, 0, 0, 0, "aborted",
		  "a devmap entry returned XDP_ABORTED for frames that eth4 should have sent" },
		{ TP_XDP_CPUMAP_KTHREAD, 0, 0, 0, "aborted",
		  "a cpumap entry returned XDP_ABORTED for frames that eth4 received" },
		{ TP_XDP_DEVMAP_XMIT, 3, 50, 50, "tx-failed", "XDP_TX failed" },
		{ TP_XDP_DEVMAP_XMIT, 3, 50, 0, "tx-failed", "XDP_TX failed" },
		{ TP_XDP_DEVMAP_XMIT, 3, 0, 50, "tx-failed", "XDP_TX failed" },
		{ TP_XDP_DEVMAP_XMIT, 0, 50, 50, "aborted", "the program returned XDP_ABORTED" },
		/* nothing is redirected through a map */
		{ TP_NET_DEV_QUEUE, 3, 0, 0, "tx-failed", "XDP_TX failed" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct series_key xmit = made_xmit(3, 4);
		struct fixture *f = fixture_new();

		if (cases[i].tp != TP_XDP_DEVMAP_XMIT)
			xmit = (struct series_key){ .target = 4 };
		device(f, MADE_NETNS, 4, "eth4");
		/* such as the program of a bond, whose slave reports */
		device(f, MADE_NETNS, 5, "bond5")->prog_id = cases[i].since;
		*snapshot_add_netdev(&f->from) = snapshot_netdevs(&f->to)[0];
		*snapshot_add_netdev(&f->from) = snapshot_netdevs(&f->to)[1];
		snapshot_netdevs(&f->from)[1].prog_id = cases[i].before;
		came(f, cases[i].tp, xmit, COUNTS(5, 80))->total.xdp_drop = 5;
		came(f, TP_XDP_EXCEPTION,
		     (struct series_key){ .netns = MADE_NETNS,
					  .ifindex = 4,
					  .prog_id = 50,
					  .code = cases[i].act },
		     COUNTS(5));
		update(f);
		says(expect_only(f, cases[i].finding), cases[i].text);
		fixture_free(f);
	}
}

/* A driver without XDP_REDIRECT has its own text, and only if it persists. */
FINDING_TEST(test_no_redirect)
{
	struct netdev *d = device(f, MADE_NETNS, 3, "eth3");

	strcpy(d->driver, "nfp");
	d->mode = NETDEV_NATIVE;
	d->prog_id = 42;
	came(f, TP_XDP_EXCEPTION, redirect(0, 0, 0, 4), COUNTS(5));
	update(f);
	assert_int_equal(f->findings.n, 0);
	again(f);
	says(expect_only(f, "redirect-failed"), "this driver does not support XDP_REDIRECT");
}

/* Drivers that report a failed redirect twice. */
FINDING_TEST(test_echo)
{
	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -ENETDOWN), COUNTS(5));
	came(f, TP_XDP_EXCEPTION, redirect(0, 0, 0, 4), COUNTS(5));
	update(f);
	again(f);
	expect_only(f, "target-down");
}

FINDING_TEST(test_cpu_busy)
{
	const struct finding *finding;
	struct series *kthread;

	came(f, TP_XDP_CPUMAP_ENQUEUE, redirect(SERIES_MAP_CPUMAP, 7, 2, 0),
	     COUNTS(5000, 40000, 900));
	kthread = came(f, TP_XDP_CPUMAP_KTHREAD, redirect(SERIES_MAP_CPUMAP, 7, 2, 0),
		       COUNTS(5000, 39100));
	kthread->total.sched = 10;
	update(f);
	again(f);
	/* the table shows the CPU as target */
	finding = expect_only(f, "cpumap-cpu-busy");
	assert_int_equal(strncmp(finding->text + finding->cause_offset, "its queue is full", 17),
			 0);
}

/* A few hundred packets without a pause: within the second the thread had time to sleep. */
FINDING_TEST(test_cpu_burst)
{
	came(f, TP_XDP_CPUMAP_ENQUEUE, redirect(SERIES_MAP_CPUMAP, 7, 2, 0),
	     COUNTS(125, 1000, 898));
	came(f, TP_XDP_CPUMAP_KTHREAD, redirect(SERIES_MAP_CPUMAP, 7, 2, 0), COUNTS(102, 102));
	update(f);
	again(f);
	expect_only(f, "cpumap-queue-full");
}

FINDING_TEST(test_cpu_sleeps)
{
	struct series *kthread;

	came(f, TP_XDP_CPUMAP_ENQUEUE, redirect(SERIES_MAP_CPUMAP, 7, 2, 0),
	     COUNTS(5000, 40000, 900));
	kthread = came(f, TP_XDP_CPUMAP_KTHREAD, redirect(SERIES_MAP_CPUMAP, 7, 2, 0),
		       COUNTS(5000, 39100));
	kthread->total.sched = 3000;
	/* another CPU does not matter */
	came(f, TP_XDP_CPUMAP_KTHREAD, redirect(SERIES_MAP_CPUMAP, 7, 3, 0), COUNTS(5000, 39100));
	update(f);
	again(f);
	expect_only(f, "cpumap-queue-full");
}

/*
 * Generic mode reports a full queue twice: one finding, with the device from one report, and each
 * packet counted once.
 */
FINDING_TEST(test_cpumap_generic)
{
	const struct finding *finding;
	struct series_key key = redirect(SERIES_MAP_CPUMAP, 7, 2, 0);

	key.netns = key.ifindex = key.prog_id = 0;
	came(f, TP_XDP_CPUMAP_ENQUEUE, key, COUNTS(5, 0, 5));
	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_CPUMAP, 7, 2, -ENOSPC), COUNTS(5));
	update(f);
	again(f);
	finding = expect_only(f, "cpumap-queue-full");
	assert_int_equal(finding->location.dev.ifindex, 3);
	assert_int_equal(finding->location.prog_id, 42);
	assert_int_equal(finding->count, 5);
	assert_true(finding->lost_per_s == 5);
	/* attached for half of the interval only: that changes nothing */
	f->from.tp[TP_XDP_REDIRECT_ERR].on_ns += MADE_S / 2;
	f->to.mono_ns++;
	update(f);
	assert_true(expect_only(f, "cpumap-queue-full")->lost_per_s == 5);
}

/* Whose packets a queue lost, if only one source is possible. */
FINDING_TEST(test_origin)
{
	const struct finding *finding;

	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(5, 0, 80));
	came(f, TP_XDP_REDIRECT, made_to_device(3, 4, 7), COUNTS(80));
	came(f, TP_XDP_REDIRECT, made_to_device(9, 4, 7), COUNTS(80));
	update(f);
	finding = expect_only(f, "target-ring-full");
	assert_int_equal(finding->location.prog_id, 42);
}

FINDING_TEST(test_origin_unclear)
{
	struct series_key other = made_to_device(3, 4, 7);

	other.prog_id = 43;
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(5, 0, 80));
	came(f, TP_XDP_REDIRECT, made_to_device(3, 4, 7), COUNTS(80));
	came(f, TP_XDP_REDIRECT, other, COUNTS(80));
	update(f);
	assert_int_equal(expect_only(f, "target-ring-full")->location.prog_id, 0);
}
