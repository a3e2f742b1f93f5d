// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules for AF_XDP sockets: their conditions, and when they stay quiet. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "source/programs.h"
#include "unit/made_sockets.h"
#include "unit/test.h"

/* Addresses outside the UMEM: one finding per queue; if buffers run out, it gives their number. */
FINDING_TEST(test_fill_invalid)
{
	const struct finding *finding;

	bound(f, 100, 3)->fill.fill = 60;
	bound(f, 101, 3)->fill.fill = 60;
	step(f);
	socket_at(f, 0)->fill_invalid = socket_at(f, 1)->fill_invalid = 7;
	update(f);
	finding = expect_only(f, "xsk-fill-invalid");
	assert_int_equal(finding->severity, FINDING_WARNING);
	assert_int_equal(finding->count, 7);
	says(finding, "poller[812] put 7 invalid addresses into the fill ring of queue 3, "
		      "and the kernel discarded them; the UMEM has 16.8M bytes");
	assert_int_equal(finding->location.socket_inode, 100);
	assert_non_null(strstr(finding->commands, "-p 812"));
	/* nothing else was in the ring */
	step(f);
	for (size_t i = 0; i < 2; i++) {
		socket_at(f, i)->fill_invalid++;
		socket_at(f, i)->rx_fill_ring_empty += 70;
		socket_at(f, i)->fill.fill = 0;
	}
	update(f);
	finding = expect_only(f, "xsk-fill-invalid");
	assert_int_equal(finding->next.severity, FINDING_CRITICAL);
	says(finding, "put 1 invalid address into");
	says(finding, "discarded it, and the ring is empty now");
	for (int k = 0; k < 2; k++) {
		step(f);
		for (size_t i = 0; i < 2; i++)
			socket_at(f, i)->rx_fill_ring_empty += 70;
		update(f);
	}
	says(expect(f, "xsk-starved"),
	     "nothing was received since the socket was created; 8 addresses "
	     "in it were invalid");
	assert_false(expect(f, "xsk-fill-invalid")->seen);
}

/* All of them came before the socket was first seen: they explain why it starves. */
FINDING_TEST(test_starved_by_invalid)
{
	const struct finding *finding;

	bound(f, 100, 3)->fill_invalid = 1024;
	step(f);
	socket_at(f, 0)->rx_fill_ring_empty += 70;
	expect_quiet(f);
	step(f);
	socket_at(f, 0)->rx_fill_ring_empty += 70;
	update(f);
	finding = expect_only(f, "xsk-fill-invalid");
	says(finding, "queue 3 gets no buffers: the fill ring (2048) of poller[812] is empty, and");
	says(finding, "1024 addresses in it were invalid");
	assert_int_equal(finding->severity, FINDING_CRITICAL);
}

/* Zero-copy: the driver asks in vain, holds few buffers, and receives nothing. */
FINDING_TEST(test_starved)
{
	const struct finding *finding;
	struct xdp_socket *s = bound(f, 100, 3);

	map(f, XSKS, BPF_MAP_TYPE_XSKMAP, 8, "xsks");
	entry(f, 3)->socket_inode = 100;
	s->received = 5000;
	s->fill_taken = 5010;
	step(f);
	socket_at(f, 0)->rx_fill_ring_empty += 70;
	expect_quiet(f);
	step(f);
	socket_at(f, 0)->rx_fill_ring_empty += 70;
	update(f);
	finding = expect_only(f, "xsk-starved");
	assert_int_equal(finding->severity, FINDING_CRITICAL);
	says(finding, "queue 3 gets no buffers: the fill ring (2048) of poller[812] is empty");
	says(finding, "found no buffer in it 70 times");
	says(finding, "nothing was received");
	assert_int_equal(finding->count, 70);
	assert_int_equal(finding->total, 140);
	assert_int_equal(finding->location.socket, 3);
	assert_int_equal(finding->location.map_id, XSKS);
	assert_int_equal(finding->location.socket_inode, 100);
	assert_int_equal(finding->location.queue, 3);
	assert_non_null(strstr(finding->commands, "-p 812"));
	assert_non_null(strstr(finding->commands, "ethtool -g eth3"));
	/* it receives with what it gets, which is not enough */
	step(f);
	socket_at(f, 0)->rx_fill_ring_empty += 70;
	socket_at(f, 0)->received += 100;
	socket_at(f, 0)->fill_taken += 100;
	update(f);
	says(expect_only(f, "xsk-starved"), "no buffer left for incoming packets");
}

FINDING_TEST(test_never_filled)
{
	bound(f, 100, 0)->pid = 0;
	step(f);
	for (int i = 0; i < 2; i++, step(f)) {
		socket_at(f, 0)->rx_fill_ring_empty += 7;
		update(f);
	}
	says(expect_only(f, "xsk-starved"), "of its program is empty");
	says(expect_only(f, "xsk-starved"), "since the socket was created");
}

/* Without buffers the driver gets no interrupt, and waits to be woken up. */
FINDING_TEST(test_starved_unasked)
{
	const struct finding *finding;
	struct xdp_socket *s = bound(f, 100, 3);

	s->received = s->fill_taken = 5000;
	step(f);
	expect_quiet(f);
	step(f);
	update(f);
	finding = expect_only(f, "xsk-starved");
	assert_int_equal(finding->severity, FINDING_WARNING);
	says(finding, "is empty, and the driver has none left; nothing was received");
	/* it only sends, and expects no frames */
	socket_at(f, 0)->rx.size = 0;
	step(f);
	update(f);
	assert_true(finding->active && !finding->seen);
}

/* The driver has no buffers though there are some: it was not notified. */
FINDING_TEST(test_need_wakeup)
{
	const struct finding *finding;
	struct xdp_socket *s = bound(f, 100, 3);
	struct netdev *d = device(f, MADE_NETNS, 3, "eth3");

	d->prog_id = 42;
	s->received = s->fill_taken = 5000;
	s->fill.fill = 2048;
	step(f);
	expect_quiet(f);
	step(f);
	update(f);
	finding = expect_only(f, "xsk-need-wakeup");
	says(finding, "queue 3 gets no buffers: 2048 are in the fill ring of poller[812]");
	assert_non_null(strstr(finding->commands, "-p 812"));
}

TEST(test_no_wakeup_needed)
{
	enum { HOLDS, RECEIVES, COPY, ONLY_SENDS, FULL, NO_PROGRAM, DOWN, UNKNOWN, CASES };

	for (int i = 0; i < CASES; i++) {
		struct fixture *f = fixture_new();
		struct xdp_socket *s;
		struct netdev *d;

		s = bound(f, 100, 3);
		s->received = 5000;
		s->fill_taken = 5000 + (i == HOLDS);
		s->fill.fill = 2048;
		s->zerocopy = i != COPY;
		s->rx.size = i == ONLY_SENDS ? 0 : 2048;
		s->rx.fill = i == FULL ? 2048 : 0;
		d = device(f, MADE_NETNS, i == UNKNOWN ? 4 : 3, "eth3");
		d->prog_id = i == NO_PROGRAM ? 0 : 42;
		d->running = i != DOWN;
		step(f);
		for (int k = 0; k < 3; k++, step(f)) {
			socket_at(f, 0)->received += i == RECEIVES;
			socket_at(f, 0)->fill_taken += i == RECEIVES;
			update(f);
			for (size_t n = 0; n < f->findings.n; n++)
				assert_string_not_equal(f->findings.finding[n].code->name,
							"xsk-need-wakeup");
		}
		fixture_free(f);
	}
}

/* In copy mode each missing buffer is a lost frame. */
FINDING_TEST(test_starved_copy)
{
	bound(f, 100, 0)->zerocopy = false;
	step(f);
	for (int i = 0; i < 2; i++, step(f)) {
		socket_at(f, 0)->rx_fill_ring_empty += 7;
		socket_at(f, 0)->received += 50;
		socket_at(f, 0)->rx_dropped += 7;
		update(f);
	}
	says(expect_only(f, "xsk-starved"), "frames were lost");
}

TEST(test_not_starved)
{
	/* the same in two consecutive intervals */
	static const struct {
		uint64_t received, taken; /* before, and in each interval */
		uint64_t more_received, more_taken, empty;
		uint32_t fill;
		bool copy;
	} quiet[] = {
		/* idle: the driver has 512 buffers, asks for more, and there is no traffic */
		{ .received = 5000, .taken = 5512, .empty = 10 },
		/* the driver gets few of many buffers, with some traffic or none */
		{ .received = 5000, .taken = 5032, .empty = 10 },
		{ .received = 5000,
		  .taken = 5032,
		  .more_received = 10,
		  .more_taken = 10,
		  .empty = 10 },
		/* fewer buffers than the driver's ring, all in use */
		{ .received = 5000,
		  .taken = 5512,
		  .more_received = 100000,
		  .more_taken = 100000,
		  .empty = 9000 },
		/* the driver's buffers are unknown, and it receives */
		{ .received = 5000, .more_received = 10, .empty = 10 },
		/* empty now, but nobody asked for buffers */
		{ .received = 5000, .taken = 5016, .more_received = 10, .more_taken = 10 },
		/* the driver has a few buffers, and there is no traffic */
		{ .received = 5000, .taken = 5016 },
		/* in copy mode nobody holds buffers */
		{ .received = 5000, .taken = 5000, .copy = true },
		/* filled again */
		{ .received = 5000, .taken = 5000, .empty = 10, .fill = 1 },
		/* copy mode, nothing lost */
		{ .received = 5000, .taken = 5000, .empty = 10, .copy = true },
	};

	for (size_t i = 0; i < sizeof(quiet) / sizeof(quiet[0]); i++) {
		struct fixture *f = fixture_new();
		struct xdp_socket *s;

		s = bound(f, 100, 0);
		s->zerocopy = !quiet[i].copy;
		s->received = quiet[i].received;
		s->fill_taken = quiet[i].taken;
		s->fill.fill = quiet[i].fill;
		step(f);
		for (int k = 0; k < 3; k++, step(f)) {
			s = socket_at(f, 0);
			s->received += quiet[i].more_received;
			s->fill_taken += quiet[i].more_taken;
			s->rx_fill_ring_empty += quiet[i].empty;
			expect_quiet(f);
		}
		fixture_free(f);
	}
}

/* Two sockets share the ring of a queue: a socket without frames does not starve. */
FINDING_TEST(test_shared_ring)
{
	bound(f, 100, 0);
	bound(f, 101, 0);
	step(f);
	for (int i = 0; i < 3; i++, step(f)) {
		socket_at(f, 0)->rx_fill_ring_empty += 7;
		socket_at(f, 1)->rx_fill_ring_empty += 7;
		socket_at(f, 1)->received += 10;
		expect_quiet(f);
	}
	/* both starve: one finding with the count of their ring; other rings have their own */
	bound(f, 102, 1);
	bound(f, 103, 0)->ifindex++;
	bound(f, 104, 0)->netns++;
	step(f);
	for (int i = 0; i < 2; i++, step(f)) {
		socket_at(f, 0)->rx_fill_ring_empty += 7;
		socket_at(f, 1)->rx_fill_ring_empty += 7;
		for (size_t other = 2; other < 5; other++)
			socket_at(f, other)->received += 10;
		update(f);
	}
	assert_int_equal(expect_only(f, "xsk-starved")->count, 7);
	assert_int_equal(f->findings.finding[0].total, 14);
}

/* A driver asks for buffers even if the socket only sends. */
FINDING_TEST(test_only_sends)
{
	bound(f, 100, 0)->rx.size = 0;
	step(f);
	for (int i = 0; i < 3; i++, step(f)) {
		socket_at(f, 0)->rx_fill_ring_empty += 7;
		expect_quiet(f);
	}
	/* another socket on the ring receives */
	bound(f, 101, 0)->rx_fill_ring_empty = 21;
	step(f);
	for (int i = 0; i < 2; i++, step(f)) {
		socket_at(f, 0)->rx_fill_ring_empty += 7;
		socket_at(f, 1)->rx_fill_ring_empty += 7;
		update(f);
	}
	assert_int_equal(expect_only(f, "xsk-starved")->location.socket_inode, 101);
}

/* Not in consecutive intervals; a new socket; an unbound socket. */
FINDING_TEST(test_starved_needs)
{
	bound(f, 100, 0)->fill_taken = 10;
	step(f);
	for (int i = 0; i < 4; i++, step(f)) {
		socket_at(f, 0)->rx_fill_ring_empty += i % 2 ? 7 : 0;
		expect_quiet(f);
	}
	socket_at(f, 0)->inode = 101;
	for (int i = 0; i < 2; i++, step(f)) {
		socket_at(f, 0)->rx_fill_ring_empty += 7;
		expect_quiet(f);
	}
	socket_at(f, 0)->state = XDP_SOCKET_DEVICE_GONE;
	for (int i = 0; i < 2; i++, step(f)) {
		socket_at(f, 0)->rx_fill_ring_empty += 7;
		expect_quiet(f);
	}
}

FINDING_TEST(test_not_polled)
{
	const struct finding *finding;
	struct xdp_socket *s = bound(f, 100, 3);

	f->alone = true;
	s->received = 9000;
	s->rx.fill = 2048;
	step(f);
	expect_quiet(f);
	step(f);
	update(f);
	finding = expect_only(f, "xsk-not-polled");
	assert_int_equal(finding->severity, FINDING_WARNING);
	says(finding, ": poller[812] does not read queue 3: the RX ring (2048 frames) is full");
	says(finding, "no more can be received");
	/* frames are lost, so buffers do not come back either */
	step(f);
	socket_at(f, 0)->rx_queue_full += 30;
	socket_at(f, 0)->rx_fill_ring_empty += 30;
	update(f);
	finding = expect_only(f, "xsk-not-polled");
	assert_int_equal(finding->severity, FINDING_CRITICAL);
	assert_int_equal(finding->count, 30);
	says(finding, "incoming packets are lost");
}

/* A socket with frames to send, on a device with 8 transmit queues that is up. */
static struct xdp_socket *sender(struct fixture *f)
{
	struct netdev *dev = snapshot_add_netdev(&f->to);
	struct xdp_socket *s = bound(f, 100, 3);

	assert_non_null(dev);
	dev->netns = s->netns;
	dev->ifindex = s->ifindex;
	dev->up = dev->running = true;
	s->zerocopy = false;
	s->rx.size = s->fill.size = 0;
	s->tx_queues = 8;
	s->tx = (struct xdp_ring){ 64, 12 };
	s->completion = (struct xdp_ring){ 64, 0 };
	return s;
}

/* The finding comes with the second interval, and clears when frames are sent. */
static void expect_waiting(struct fixture *f, const char *code, const char *text)
{
	step(f);
	expect_quiet(f);
	step(f);
	update(f);
	says(expect_only(f, code), text);
	assert_int_equal(expect_only(f, code)->severity, FINDING_WARNING);
	for (int i = 0; i <= FINDING_HOLD_S; i++) {
		step(f);
		socket_at(f, 0)->transmitted++;
		update(f);
	}
	assert_int_equal(f->findings.n_active, 0);
}

FINDING_TEST(test_completion_full)
{
	sender(f)->completion.fill = 64;
	expect_waiting(f, "xsk-completion-full",
		       ": poller[812] does not take sent frames back: the completion ring (64) of "
		       "queue 3 is full, so the kernel sends none of the 12 frames in the TX ring");
}

FINDING_TEST(test_tx_not_kicked)
{
	sender(f);
	expect_waiting(f, "xsk-tx-not-kicked",
		       ": 12 frames wait in the TX ring of poller[812] on queue 3, and the kernel "
		       "took none in this interval: in copy mode it sends only when");
}

/* Only while it is in use, and with both values set there is none. */
FINDING_TEST(test_busy_poll)
{
	struct xdp_socket *s = sender(f);

	s->tx.fill = 0;
	s->prefers_busy_poll = true;
	for (int i = 0; i < 2; i++) {
		step(f);
		socket_at(f, 0)->transmitted += 5;
		expect_quiet(f);
	}
	step(f);
	socket_at(f, 0)->transmitted += 5;
	update(f);
	says(expect_only(f, "busy-poll-alone"),
	     "poller[812] prefers busy polling on queue 3 (SO_PREFER_BUSY_POLL), but the queue's");
	step(f);
	socket_at(f, 0)->transmitted += 5;
	socket_at(f, 0)->irqs_deferred = true;
	update(f);
	assert_false(expect(f, "busy-poll-alone")->seen);
}

FINDING_TEST(test_busy_poll_of_an_idle_socket)
{
	struct xdp_socket *s = sender(f);

	s->prefers_busy_poll = true;
	s->tx.fill = 0;
	for (int i = 0; i < 4; i++) {
		step(f);
		expect_quiet(f);
	}
}

FINDING_TEST(test_tx_need_wakeup)
{
	struct xdp_socket *s = sender(f);

	s->zerocopy = s->tx_need_wakeup = true;
	expect_waiting(f, "xsk-tx-not-kicked", ": the ring's need_wakeup flag asks for a call");
}

FINDING_TEST(test_tx_polled)
{
	struct xdp_socket *s = sender(f);

	s->zerocopy = s->tx_need_wakeup = s->prefers_busy_poll = s->irqs_deferred = true;
	expect_waiting(f, "xsk-tx-not-kicked", ": with SO_PREFER_BUSY_POLL, sendto() polls");
}

/* The driver has taken them, and leaves them in the ring. */
FINDING_TEST(test_tx_only_invalid)
{
	struct xdp_socket *s = sender(f);

	s->zerocopy = s->tx_need_wakeup = true;
	s->tx_invalid = s->tx.fill;
	for (int i = 0; i < 3; i++) {
		step(f);
		expect_quiet(f);
	}
}

FINDING_TEST(test_tx_no_queue)
{
	struct xdp_socket *s = sender(f);

	/* the cause, whatever the completion ring has */
	s->completion.fill = 64;
	s->tx_queues = 1;
	expect_waiting(f, "xsk-tx-no-queue",
		       ": poller[812] cannot send on queue 3: the device has 1 transmit queue, "
		       "numbered from 0; 12 frames wait");
}

/* Its queue may be a NIC's, whose transmit queues are not known. */
FINDING_TEST(test_tx_leased_queue)
{
	sender(f)->tx_queues = 1;
	strcpy(snapshot_netdevs(&f->to)->kind, "netkit");
	expect_waiting(f, "xsk-tx-not-kicked", "");
}

/* Nothing to send; a driver that looks by itself. */
FINDING_TEST(test_tx_quiet)
{
	struct xdp_socket *s = sender(f);

	s->tx.fill = 0;
	s->completion.fill = 64;
	for (int i = 0; i < 3; i++, step(f))
		expect_quiet(f);
	s = socket_at(f, 0);
	s->tx.fill = 12;
	s->completion.fill = 0;
	s->zerocopy = true;
	for (int i = 0; i < 3; i++, step(f))
		expect_quiet(f);
}

FINDING_TEST(test_tx_down)
{
	sender(f);
	snapshot_netdevs(&f->to)->up = snapshot_netdevs(&f->to)->running = false;
	expect_waiting(f, "xsk-tx-link-down",
		       ": poller[812] cannot send on queue 3: the device is down; 12 frames wait");
}

FINDING_TEST(test_tx_no_carrier)
{
	sender(f);
	snapshot_netdevs(&f->to)->running = false;
	expect_waiting(f, "xsk-tx-link-down", "queue 3: the device has no carrier; 12 frames wait");
}

/* At once, since these frames are lost; whether or not others are sent. */
FINDING_TEST(test_tx_invalid)
{
	const struct finding *finding;

	sender(f)->tx_invalid = 7;
	step(f);
	expect_quiet(f);
	step(f);
	socket_at(f, 0)->tx_invalid += 50;
	socket_at(f, 0)->transmitted += 50;
	update(f);
	finding = expect_only(f, "xsk-tx-invalid");
	says(finding, ": poller[812] puts invalid descriptors into the TX ring of queue 3, and "
		      "these frames are lost: 50 a second");
	assert_float_equal(finding->loss.per_s, 50, 0.1);
	assert_int_equal(finding->loss.total, 50);
}

/* Full at both ends but read in between; and full for a moment. */
FINDING_TEST(test_polled)
{
	bound(f, 100, 3)->rx.fill = 2048;
	step(f);
	for (int i = 0; i < 3; i++, step(f)) {
		socket_at(f, 0)->received += 100;
		socket_at(f, 0)->rx_queue_full += 100;
		expect_quiet(f);
	}
	for (int i = 0; i < 4; i++, step(f)) {
		socket_at(f, 0)->rx.fill = i % 2 ? 2048 : 2047;
		expect_quiet(f);
	}
	/* no ring: it only sends */
	socket_at(f, 0)->rx = (struct xdp_ring){ 0 };
	for (int i = 0; i < 3; i++, step(f))
		expect_quiet(f);
}

/* eth3 with 8 queues; program 42 has sockets on the first `n`. */
static void some_queues(struct fixture *f, uint32_t n)
{
	struct netdev *d = device(f, MADE_NETNS, 3, "eth3");

	d->prog_id = 42;
	netdev_set_count(d, NETDEV_RX_PACKETS, 0);
	map(f, XSKS, BPF_MAP_TYPE_XSKMAP, 64, "xsks");
	for (uint32_t i = 0; i < n; i++)
		entry(f, i)->socket_inode = 100 + i;
	for (uint32_t i = 0; i < n; i++) {
		struct xdp_socket *s = bound(f, 100 + i, i);

		s->fill_taken = 512;
		s->fill.fill = 2000;
	}
}

/* Packets of eth3 in the interval: to its sockets, elsewhere, and aborted ones among the latter. */
static void traffic(struct fixture *f, uint64_t received, uint64_t elsewhere, uint64_t aborted)
{
	size_t n;

	xdp_sockets(&f->to, &n);
	for (size_t i = 0; i < n; i++)
		socket_at(f, i)->received += received / n;
	snapshot_netdevs(&f->to)->count[NETDEV_RX_PACKETS] += received + elsewhere;
	if (!f->to.n_series)
		came(f, TP_XDP_EXCEPTION,
		     (struct series_key){ .netns = MADE_NETNS, .ifindex = 3, .prog_id = 42 },
		     COUNTS(0));
	f->to.series[0].total.events += aborted;
	f->to.tp[TP_XDP_EXCEPTION].events += aborted;
}

FINDING_TEST(test_queues_aborted)
{
	const struct finding *finding;

	some_queues(f, 4);
	traffic(f, 0, 0, 0);
	step(f);
	for (int i = 0; i < 2; i++, step(f)) {
		traffic(f, 4000, 4000, 4000);
		update(f);
	}
	assert_int_equal(f->findings.n, 2);
	assert_int_equal(f->findings.n_listed, 1);
	finding = expect(f, "aborted");
	says(finding, "its xskmap xsks (id 5) has entries in 4 of 64 slots: 0-3");
	finding = expect(f, "xsk-queue-without-socket");
	assert_int_equal(finding->severity, FINDING_CRITICAL);
	says(finding, "queues 4-7 of 8 have no AF_XDP socket, and no entry in xskmap xsks");
	says(finding, "XDP_ABORTED (4000 in this interval)");
	assert_int_equal(finding->location.map_id, XSKS);
	assert_int_equal(finding->location.prog_id, 42);
	assert_non_null(strstr(finding->commands, "bpftool map dump id 5"));
	assert_non_null(strstr(finding->commands, "ethtool -l eth3"));
}

/* A recording can contain any number: nothing loops up to it. */
FINDING_TEST(test_queues_without_end)
{
	struct map_entry *map;
	size_t n;

	some_queues(f, 4);
	for (size_t i = 0; i < 4; i++)
		socket_at(f, i)->queues = UINT32_MAX;
	traffic(f, 0, 0, 0);
	step(f);
	for (int i = 0; i < 2; i++, step(f)) {
		traffic(f, 4000, 4000, 4000);
		update(f);
	}
	says(expect(f, "xsk-queue-without-socket"), "queues 4-4294967294 of 4294967295 have no");
	map = (struct map_entry *)map_entries(&f->to, &n);
	map->max_entries = UINT32_MAX;
	map->used = UINT32_MAX - 1;
	traffic(f, 4000, 4000, 4000);
	update(f);
	says(expect(f, "aborted"), "in its xskmap xsks (id 5), 4294967231 of 4294967295 slots");
}

/* Packets without a socket go to the stack. */
FINDING_TEST(test_queues_passed)
{
	const struct finding *finding;

	some_queues(f, 7);
	traffic(f, 0, 0, 0);
	step(f);
	for (int i = 0; i < 2; i++, step(f)) {
		traffic(f, 7000, 1000, 0);
		update(f);
	}
	finding = expect_only(f, "xsk-queue-without-socket");
	assert_int_equal(finding->severity, FINDING_INFO);
	says(finding, "queue 7 of 8 has no AF_XDP socket");
	says(finding, "12.5 % of the device's packets reach no socket");
}

/* If not all sockets of the namespace are listed, unlisted ones may have received. */
TEST(test_not_listed)
{
	for (uint32_t netns = 0; netns < 2; netns++) {
		struct fixture *f = fixture_new();

		some_queues(f, 7);
		socket_at(f, 0)->fill_taken = socket_at(f, 0)->fill.fill = 0;
		left_out(f, netns ? MADE_NETNS : BLUE, 1);
		traffic(f, 0, 0, 0);
		step(f);
		for (int i = 0; i < 2; i++, step(f)) {
			traffic(f, 7000, 1000, 0);
			socket_at(f, 0)->rx_fill_ring_empty += 7;
			socket_at(f, 0)->received = 0;
			update(f);
		}
		if (netns)
			assert_int_equal(f->findings.n, 0);
		else
			assert_true(expect(f, "xsk-queue-without-socket") &&
				    expect(f, "xsk-starved"));
		fixture_free(f);
	}
}

TEST(test_queues_quiet)
{
	static const struct {
		uint32_t sockets;
		uint64_t received, elsewhere;
	} quiet[] = {
		{ 8, 4000, 4000 }, /* every queue has a socket */
		{ 4, 4000, 40 },   /* steered to queues with a socket, a few for the stack */
		{ 4, 0, 0 },       /* idle */
		{ 1, 4000, 4000 }, /* a single queue on purpose */
	};

	for (size_t i = 0; i < sizeof(quiet) / sizeof(quiet[0]); i++) {
		struct fixture *f = fixture_new();

		some_queues(f, quiet[i].sockets);
		traffic(f, 0, 0, 0);
		step(f);
		for (int k = 0; k < 3; k++, step(f)) {
			traffic(f, quiet[i].received, quiet[i].elsewhere, 0);
			expect_quiet(f);
		}
		fixture_free(f);
	}
}

/* Nothing is certain, though packets go elsewhere. */
TEST(test_queues_unclear)
{
	enum { ONE_QUEUE, NO_PROGRAM, NOT_READ, BY_OTHER_KEY, NO_MAP, CASES };

	for (int i = 0; i < CASES; i++) {
		struct fixture *f = fixture_new();
		struct map_entry *m;
		size_t n;

		some_queues(f, 4);
		m = (struct map_entry *)map_entries(&f->to, &n);
		for (int k = 0; k < 4 && i == ONE_QUEUE; k++)
			socket_at(f, (size_t)k)->queues = 1;
		if (i == NO_PROGRAM)
			snapshot_netdevs(&f->to)->prog_id = 0;
		if (i == NOT_READ)
			m->slots_read = 32;
		if (i == BY_OTHER_KEY)
			m[4].key = 60;
		if (i == NO_MAP)
			f->to.rows[DATA_SOURCE_MAPS].n = 0;
		traffic(f, 0, 0, 0);
		step(f);
		for (int k = 0; k < 3; k++, step(f)) {
			traffic(f, 4000, 4000, 0);
			expect_quiet(f);
		}
		fixture_free(f);
	}
}

/* It has buffers for packets, but no program can redirect any to it. */
FINDING_TEST(test_in_no_map)
{
	const struct finding *finding;
	struct xdp_socket *s = bound(f, 100, 3);
	struct netdev *d = device(f, MADE_NETNS, 3, "eth3");
	struct program *p = snapshot_add_row(&f->to, DATA_SOURCE_PROGRAMS, sizeof(*p));

	*p = (struct program){
		.prog_id = 42, .maps_known = true, .maps_total = 1, .map = { XSKS }
	};
	strcpy(d->prog_name, "by_queue");
	d->prog_id = 42;
	map(f, XSKS, BPF_MAP_TYPE_XSKMAP, 8, "xsks");
	s->zerocopy = false;
	s->in_map = XDP_SOCKET_IN_NO_MAP;
	s->fill.fill = 64;
	for (int i = 0; i < 2; i++) {
		step(f);
		expect_quiet(f);
	}
	step(f);
	update(f);
	finding = expect_only(f, "xsk-in-no-map");
	assert_int_equal(finding->severity, FINDING_WARNING);
	says(finding,
	     "poller[812] waits for packets on queue 3, but no xskmap has its socket, so no "
	     "packets are redirected to it. eth3 runs by_queue (id 42), which redirects through "
	     "xskmap xsks (id 5)");
	assert_int_equal(finding->location.map_id, XSKS);
	assert_int_equal(finding->location.prog_id, 42);
	assert_true(runs(finding, "bpftool map dump id 5"));
	/* mended */
	step(f);
	socket_at(f, 0)->in_map = XDP_SOCKET_IN_MAP;
	update(f);
	assert_false(expect(f, "xsk-in-no-map")->seen);
}

/* What only sends, shares its queue with a socket in a map, receives, or was not read. */
TEST(test_needs_no_map)
{
	enum { ONLY_SENDS, NO_BUFFERS, SHARES, RECEIVES, UNREAD, CASES };

	for (int of = 0; of < CASES; of++) {
		struct fixture *f = fixture_new();
		struct xdp_socket *s = bound(f, 100, 3);

		s->zerocopy = false;
		s->in_map = of == UNREAD ? XDP_SOCKET_MAP_UNKNOWN : XDP_SOCKET_IN_NO_MAP;
		s->fill.fill = of == NO_BUFFERS ? 0 : 64;
		s->rx.size = of == ONLY_SENDS ? 0 : s->rx.size;
		if (of == SHARES) {
			s = bound(f, 101, 3);
			s->fill.fill = 64;
			s->in_map = XDP_SOCKET_IN_MAP;
		}
		for (int i = 0; i < 4; i++) {
			step(f);
			socket_at(f, 0)->received += of == RECEIVES;
			expect_quiet(f);
		}
		fixture_free(f);
	}
}
