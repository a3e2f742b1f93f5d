// SPDX-License-Identifier: GPL-2.0-or-later
/* The rules that look at more than an errno: what they need, and what must not lead them astray. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "source/data_source.h"
#include "source/softnet.h"
#include "unit/made_finding.h"

static void test_veth_peer(void **state)
{
	struct fixture *f = *state;
	const struct finding *finding;
	struct netdev *d;

	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -EOPNOTSUPP), COUNTS(5));
	d = device(f, BLUE, 4, "veth4");
	strcpy(d->kind, "veth");
	d->peer_netns = BLUE + 1;
	d->peer_ifindex = 9;
	device(f, BLUE + 1, 9, "veth9");
	update(f);
	finding = expect_only(f, "target-cannot-receive");
	says(finding, "veth4 (ns:4026532222): a veth");
	says(finding, "veth9 (ns:4026532223) has neither");
	assert_non_null(strstr(finding->commands, "ethtool -K veth9 gro on"));
}

/* The peer has a program: then it is something else. */
static void test_veth_peer_has_xdp(void **state)
{
	struct fixture *f = *state;
	struct netdev *d;

	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -EOPNOTSUPP), COUNTS(5));
	d = device(f, BLUE, 4, "veth4");
	strcpy(d->kind, "veth");
	d->peer_netns = BLUE + 1;
	d->peer_ifindex = 9;
	device(f, BLUE + 1, 9, "veth9")->mode = NETDEV_NATIVE;
	update(f);
	says(expect_only(f, "target-cannot-receive"), "cannot transmit XDP frames now");
}

/* Nothing that is attached there would help. */
static void test_no_xdp(void **state)
{
	struct fixture *f = *state;
	struct netdev *d = device(f, BLUE, 4, "lo");
	const struct finding *finding;

	d->has_features = true;
	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -EOPNOTSUPP), COUNTS(5));
	update(f);
	finding = expect_only(f, "target-cannot-receive");
	says(finding, "lo (ns:4026532222): the target never transmits");
	assert_int_equal(strncmp(finding->text + finding->cause_offset,
				 "the target never transmits", 26),
			 0);
	assert_null(strstr(finding->remedy.text, "load an XDP program"));
	/* it can, but does not now */
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	f->to.series[0].total.events += 5;
	snapshot_netdevs(&f->to)[0].features = NETDEV_XDP_BASIC | NETDEV_XDP_REDIRECT;
	update(f);
	finding = expect_only(f, "target-cannot-receive");
	says(finding, "cannot transmit XDP frames now");
	assert_non_null(strstr(finding->remedy.text, "load an XDP program"));
}

static void test_multi_buffer(void **state)
{
	struct fixture *f = *state;
	struct netdev *d = device(f, BLUE, 4, "eth4");

	d->has_features = true;
	d->features = NETDEV_XDP_NDO_XMIT;
	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -EOPNOTSUPP), COUNTS(5));
	update(f);
	says(expect_only(f, "target-cannot-receive"), "one buffer");
}

/* -INT_MIN does not exist. */
static void test_errno_min(void **state)
{
	struct fixture *f = *state;

	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, INT_MIN), COUNTS(5));
	update(f);
	says(expect_only(f, "redirect-failed"), "errno 2147483648");
}

static void test_mtu(void **state)
{
	struct fixture *f = *state;

	device(f, BLUE, 4, "eth4")->mtu = 1500;
	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -EMSGSIZE), COUNTS(5));
	update(f);
	says(expect_only(f, "frame-too-big"), "MTU of 1500");
}

static void test_peer_down(void **state)
{
	struct fixture *f = *state;
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

/* XDP_TX names no target: the other end of the veth is it. */
static void test_own_peer(void **state)
{
	struct fixture *f = *state;
	const struct finding *finding;
	struct netdev *d;

	came(f, TP_XDP_BULK_TX, redirect(0, 0, 0, -ENXIO), COUNTS(5, 0, 50));
	d = device(f, MADE_NETNS, 3, "veth3");
	strcpy(d->kind, "veth");
	d->peer_netns = BLUE;
	d->peer_ifindex = 9;
	device(f, BLUE, 9, "veth9")->up = false;
	update(f);
	finding = expect_only(f, "tx-failed");
	says(finding, "veth9 (ns:4026532222), the veth's other end, is down");
	assert_non_null(strstr(finding->commands, "ip link set dev veth9 up"));
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	f->to.series[0].total.events += 5;
	d = (struct netdev *)snapshot_find_netdev(&f->to, BLUE, 9);
	d->up = true;
	update(f);
	finding = expect_only(f, "tx-failed");
	says(finding, "veth9 (ns:4026532222), the veth's other end, cannot receive XDP frames");
	assert_non_null(strstr(finding->commands, "ethtool -K veth9 gro on"));
}

/* An exception at the egress device tells that its devmap program aborted the frames. */
static void test_devmap_program(void **state)
{
	struct fixture *f = *state;

	came(f, TP_XDP_DEVMAP_XMIT, redirect(SERIES_MAP_DEVMAP, 0, 4, 0), COUNTS(5, 0, 80));
	came(f, TP_XDP_EXCEPTION, (struct series_key){ .netns = BLUE, .ifindex = 4, .prog_id = 50 },
	     COUNTS(80));
	update(f);
	assert_int_equal(expect_only(f, "aborted")->location.prog_id, 50);
}

/* Drops of 80 frames for eth4, which redirects brought there through an entry with program 50. */
static struct series *dropped(struct fixture *f)
{
	struct series *redirect;

	made_on(&f->from, TP_XDP_REDIRECT);
	made_on(&f->to, TP_XDP_REDIRECT);
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(5, 0, 80));
	redirect = came(f, TP_XDP_REDIRECT, made_to_device(3, 4, 7), COUNTS(80));
	redirect->to_prog_id = 50;
	strcpy(redirect->to_prog_name, "acl");
	return redirect;
}

static void test_egress_program(void **state)
{
	struct fixture *f = *state;
	const struct finding *finding;
	struct series *other;

	dropped(f);
	/* they went elsewhere, or came from elsewhere */
	came(f, TP_XDP_REDIRECT, made_to_device(3, 5, 7), COUNTS(80));
	came(f, TP_XDP_REDIRECT, made_to_device(9, 4, 7), COUNTS(80))->to_prog_id = 60;
	/* not in this interval */
	other = came(f, TP_XDP_REDIRECT, made_to_device(3, 4, 8), COUNTS(80));
	made_series(&f->from, other->id, TP_XDP_REDIRECT, other->key, other->total);
	update(f);
	finding = expect_only(f, "egress-program-drops");
	assert_int_equal(finding->code->severity, FINDING_INFO);
	assert_int_equal(finding->location.prog_id, 50);
	says(finding, "the devmap program acl");
	assert_non_null(strstr(finding->commands, "bpftool prog show id 50"));
}

/* Nothing is guessed: of what is not counted, of several programs, of a ring that is full. */
static void test_egress_program_unclear(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 7; i++) {
		struct series *redirect;

		f->from.n_series = f->to.n_series = 0;
		f->to.mono_ns += 1;
		findings_free(&f->findings);
		redirect = dropped(f);
		switch (i) {
		case 0:
			redirect->to_prog_id = 0;
			break;
		case 1:
			came(f, TP_XDP_REDIRECT, made_to_device(3, 4, 8), COUNTS(1));
			break;
		case 2:
			came(f, TP_XDP_REDIRECT, made_to_device(3, 4, 8), COUNTS(1))->to_prog_id =
				60;
			break;
		case 3:
			came(f, TP_XDP_REDIRECT, (struct series_key){ 0 }, COUNTS(1))->overflow =
				true;
			break;
		case 4:
			came(f, TP_XDP_DEVMAP_XMIT, with_code(made_xmit(9, 4), -ENOSPC),
			     COUNTS(5, 0, 80));
			break;
		case 5:
			came(f, TP_XDP_REDIRECT, made_to_device(9, 4, 7), COUNTS(80));
			break;
		default:
			f->to.tp[TP_XDP_REDIRECT].on_ns -= MADE_S / 2;
			break;
		}
		update(f);
		for (size_t n = 0; n < f->findings.n; n++)
			assert_string_equal(f->findings.finding[n].code->name, "target-ring-full");
		assert_int_equal(f->findings.n, i == 4 ? 2 : 1);
	}
}

/* That of the program which is attached there tells nothing of this. */
static void test_target_aborts(void **state)
{
	struct fixture *f = *state;

	device(f, BLUE, 4, "eth4")->prog_id = 50;
	came(f, TP_XDP_DEVMAP_XMIT, redirect(SERIES_MAP_DEVMAP, 0, 4, 0), COUNTS(5, 0, 80));
	came(f, TP_XDP_EXCEPTION, (struct series_key){ .netns = BLUE, .ifindex = 4, .prog_id = 50 },
	     COUNTS(80));
	update(f);
	assert_int_equal(f->findings.n, 2);
	expect(f, "aborted");
	expect(f, "target-ring-full");
}

/* A program may give up on a packet in a thousand; the share must be known, and below 1 %. */
static void test_aborted_share(void **state)
{
	struct fixture *f = *state;
	const struct finding *finding;

	came(f, TP_XDP_EXCEPTION, redirect(0, 0, 0, 0), COUNTS(10));
	made_off(&f->from, TP_XDP_REDIRECT, TP_OFF);
	made_off(&f->to, TP_XDP_REDIRECT, TP_OFF);
	update(f);
	assert_int_equal(expect_only(f, "aborted")->severity, FINDING_CRITICAL);
	made_on(&f->to, TP_XDP_REDIRECT);
	came(f, TP_XDP_REDIRECT, made_to_device(3, 4, 7), COUNTS(985));
	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -ENETDOWN), COUNTS(6));
	came(f, TP_XDP_REDIRECT, made_to_device(4, 5, 7), COUNTS(9999)); /* another device's */
	f->to.mono_ns += 1;
	update(f);
	finding = expect(f, "aborted");
	assert_int_equal(finding->severity, FINDING_INFO);
	says(finding, "for 1.0 % of its packets the program gave up");
	f->to.series[1].total.events--;
	f->to.mono_ns += 1;
	update(f);
	finding = expect(f, "aborted");
	assert_int_equal(finding->severity, FINDING_CRITICAL);
	assert_null(strstr(finding->text, "%"));
}

/* Drivers that report a failed redirect twice. */
static void test_echo(void **state)
{
	struct fixture *f = *state;

	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -ENETDOWN), COUNTS(5));
	came(f, TP_XDP_EXCEPTION, redirect(0, 0, 0, 4), COUNTS(5));
	update(f);
	expect_only(f, "target-down");
}

static void test_cpu_busy(void **state)
{
	struct fixture *f = *state;
	struct series *kthread;

	came(f, TP_XDP_CPUMAP_ENQUEUE, redirect(SERIES_MAP_CPUMAP, 7, 2, 0),
	     COUNTS(5000, 40000, 900));
	kthread = came(f, TP_XDP_CPUMAP_KTHREAD, redirect(SERIES_MAP_CPUMAP, 7, 2, 0),
		       COUNTS(5000, 39100));
	kthread->total.sched = 10;
	update(f);
	/* no column of the view has its map */
	assert_int_equal(expect_only(f, "cpumap-cpu-busy")->cause_offset, 0);
}

/* A few hundred packets come without a pause: in the second around them there was time. */
static void test_cpu_burst(void **state)
{
	struct fixture *f = *state;

	came(f, TP_XDP_CPUMAP_ENQUEUE, redirect(SERIES_MAP_CPUMAP, 7, 2, 0),
	     COUNTS(125, 1000, 898));
	came(f, TP_XDP_CPUMAP_KTHREAD, redirect(SERIES_MAP_CPUMAP, 7, 2, 0), COUNTS(102, 102));
	update(f);
	again(f);
	expect_only(f, "cpumap-queue-full");
}

static void test_cpu_sleeps(void **state)
{
	struct fixture *f = *state;
	struct series *kthread;

	came(f, TP_XDP_CPUMAP_ENQUEUE, redirect(SERIES_MAP_CPUMAP, 7, 2, 0),
	     COUNTS(5000, 40000, 900));
	kthread = came(f, TP_XDP_CPUMAP_KTHREAD, redirect(SERIES_MAP_CPUMAP, 7, 2, 0),
		       COUNTS(5000, 39100));
	kthread->total.sched = 3000;
	/* another CPU's is none of its business */
	came(f, TP_XDP_CPUMAP_KTHREAD, redirect(SERIES_MAP_CPUMAP, 7, 3, 0), COUNTS(5000, 39100));
	update(f);
	again(f);
	expect_only(f, "cpumap-queue-full");
}

/* Generic mode reports a full queue twice: one finding, with the device that one of them knows. */
static void test_cpumap_generic(void **state)
{
	struct fixture *f = *state;
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
}

/* Whose packets a queue lost: known where only one can be. */
static void test_origin(void **state)
{
	struct fixture *f = *state;
	const struct finding *finding;

	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(5, 0, 80));
	came(f, TP_XDP_REDIRECT, made_to_device(3, 4, 7), COUNTS(80));
	came(f, TP_XDP_REDIRECT, made_to_device(9, 4, 7), COUNTS(80));
	update(f);
	finding = expect_only(f, "target-ring-full");
	assert_int_equal(finding->location.prog_id, 42);
}

static void test_origin_unclear(void **state)
{
	struct fixture *f = *state;
	struct series_key other = made_to_device(3, 4, 7);

	other.prog_id = 43;
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(5, 0, 80));
	came(f, TP_XDP_REDIRECT, made_to_device(3, 4, 7), COUNTS(80));
	came(f, TP_XDP_REDIRECT, other, COUNTS(80));
	update(f);
	assert_int_equal(expect_only(f, "target-ring-full")->location.prog_id, 0);
}

static void test_bulking(void **state)
{
	struct fixture *f = *state;

	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(10001, 10001));
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 5), COUNTS(10000, 20001));
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 6), COUNTS(9000, 9000));
	/* generic cpumap has no bulks */
	came(f, TP_XDP_CPUMAP_ENQUEUE, redirect(SERIES_MAP_CPUMAP, 7, 2, 0), COUNTS(50000, 50000));
	update(f);
	says(expect_only(f, "poor-bulking"), "1.00");
	assert_int_equal(f->findings.finding[0].location.to.ifindex, 4);
}

static void skewed(struct fixture *f, uint64_t most)
{
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(2000, 32000));
	made_cpu(&f->to, 0, COUNTS(100, 32000 - most));
	made_cpu(&f->to, 5, COUNTS(1900, most));
}

static void test_skew(void **state)
{
	struct fixture *f = *state;

	skewed(f, 30000);
	update(f);
	says(expect_only(f, "cpu-skew"), "CPU 5 handles 93.8 %");
}

/* A device's targets are one row: where each is on a CPU of its own, all is well. */
static void test_skew_sums(void **state)
{
	struct fixture *f = *state;

	skewed(f, 30000);
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 5), COUNTS(2000, 32000));
	made_cpu(&f->to, 1, COUNTS(2000, 32000));
	update(f);
	assert_int_equal(f->findings.n, 0);
}

static void test_no_skew(void **state)
{
	struct fixture *f = *state;

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

static void test_generic(void **state)
{
	struct fixture *f = *state;

	device(f, MADE_NETNS, 3, "eth3")->mode = NETDEV_GENERIC;
	device(f, MADE_NETNS, 4, "eth4")->mode = NETDEV_GENERIC; /* without events */
	came(f, TP_XDP_REDIRECT, made_to_device(3, 4, 7), COUNTS(5));
	came(f, TP_NET_DEV_QUEUE, made_xmit(4, 0), COUNTS(5));
	update(f);
	assert_int_equal(expect_only(f, "generic-mode")->location.dev.ifindex, 3);
}

/* In two modes it is the program that tells. */
static void test_generic_multi(void **state)
{
	struct fixture *f = *state;
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

static void test_attach_failed(void **state)
{
	struct fixture *f = *state;
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

static void test_xdptop_itself(void **state)
{
	struct fixture *f = *state;

	made_off(&f->to, TP_XDP_REDIRECT, TP_SHED);
	strcpy(f->to.tp[TP_XDP_REDIRECT].reason, "12 % of CPU 3");
	f->from.tp[TP_XDP_EXCEPTION].missed = 5;
	f->to.tp[TP_XDP_EXCEPTION].missed = 9;
	f->from.tp[TP_XDP_BULK_TX].missed = f->to.tp[TP_XDP_BULK_TX].missed = 9; /* of before */
	f->to.tp[TP_NET_DEV_QUEUE].overflow = 1;
	update(f);
	assert_int_equal(f->findings.n, 3);
	says(expect(f, "shed"), "12 % of CPU 3");
	assert_int_equal(expect(f, "shed")->cause_offset, 0); /* of no place */
	assert_int_equal(expect(f, "missed")->count, 4);
	assert_int_equal(expect(f, "missed")->tracepoint, TP_XDP_EXCEPTION);
	assert_int_equal(expect(f, "overflow")->tracepoint, TP_NET_DEV_QUEUE);
}

static void put_cpu(struct snapshot *s, struct softnet_cpu cpu)
{
	memcpy(snapshot_add_row(s, DATA_SOURCE_SOFTNET, sizeof(cpu)), &cpu, sizeof(cpu));
	data_source_sort(s, DATA_SOURCE_SOFTNET);
}

/* A backlog that overflowed before the interval, or on a CPU just seen, is no finding. */
static void test_cpu_overrun(void **state)
{
	struct fixture *f = *state;
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
	f->findings.started = false; /* the same snapshot once more */
	update(f);
	finding = expect_only(f, "cpu-overrun");
	assert_int_equal(finding->count, 7);
	assert_int_equal(finding->location.to_cpu, 3);
	assert_int_equal(finding->tracepoint, TP_NONE);
	says(finding, "CPU 3: its backlog is full");
	assert_non_null(strstr(finding->commands, "awk '$1 == 3'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_veth_peer),
		TEST(test_veth_peer_has_xdp),
		TEST(test_multi_buffer),
		TEST(test_no_xdp),
		TEST(test_mtu),
		TEST(test_peer_down),
		TEST(test_errno_min),
		TEST(test_cpu_overrun),
		TEST(test_own_peer),
		TEST(test_devmap_program),
		TEST(test_egress_program),
		TEST(test_egress_program_unclear),
		TEST(test_target_aborts),
		TEST(test_echo),
		TEST(test_aborted_share),
		TEST(test_cpu_busy),
		TEST(test_cpu_burst),
		TEST(test_cpu_sleeps),
		TEST(test_cpumap_generic),
		TEST(test_origin),
		TEST(test_origin_unclear),
		TEST(test_bulking),
		TEST(test_skew),
		TEST(test_skew_sums),
		TEST(test_no_skew),
		TEST(test_generic),
		TEST(test_generic_multi),
		TEST(test_attach_failed),
		TEST(test_xdptop_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
