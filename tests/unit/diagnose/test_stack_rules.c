// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets that a stack drops because of a program: when that is said, and when it is not. */
#include <string.h>
#include "unit/made_finding.h"
#include "unit/made_verdicts.h"
#include "unit/test.h"

#define PEER 6

/* eth3 has a program and redirects to eth4. Each has eth6 in another namespace as its peer. */
static void set_up(struct fixture *f, uint32_t tp)
{
	for (uint32_t i = 3; i <= PEER; i++) {
		struct netdev *d = device(f, i == PEER ? BLUE : MADE_NETNS, i, "");

		sprintf(d->name, "eth%u", i);
		strcpy(d->kind, "veth");
		d->prog_id = i == 3 ? 42 : 0;
		d->peer_netns = i == PEER ? MADE_NETNS : BLUE;
		d->peer_ifindex = i == PEER ? 4 : PEER;
		netdev_set_count(d, NETDEV_RX_PACKETS, 0);
		netdev_set_count(d, NETDEV_RX_OTHERHOST, 0);
		for (int c = NETDEV_DRIVER_COUNT; c < NETDEV_COUNTS; c++)
			netdev_set_count(d, (enum netdev_count)c, 0);
	}
	came(f, tp,
	     tp == TP_XDP_BULK_TX ? (struct series_key){ .netns = MADE_NETNS, .ifindex = 3 }
				  : made_xmit(3, 4),
	     COUNTS(0));
	made_sort_netdevs(&f->to);
}

/* An interval with so many frames sent by XDP, and so many received by eth3. */
static void step(struct fixture *f, uint64_t sent, uint64_t received)
{
	struct netdev *d = (struct netdev *)snapshot_find_netdev(&f->to, MADE_NETNS, 3);

	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	f->to.wall.tv_sec++;
	for (int i = 0; i < TP_COUNT; i++)
		f->to.tp[i].on_ns += f->to.tp[i].state == TP_ON ? MADE_S : 0;
	f->to.series[0].total.packets += sent;
	f->to.series[0].total.events += sent;
	netdev_set_count(d, NETDEV_RX_PACKETS, d->count[NETDEV_RX_PACKETS] + received);
}

static void drops(struct fixture *f, uint32_t netns, uint32_t ifindex, enum netdev_count which,
		  uint64_t packets)
{
	struct netdev *d = (struct netdev *)snapshot_find_netdev(&f->to, netns, ifindex);

	netdev_set_count(d, which, d->count[which] + packets);
	if (which >= NETDEV_DRIVER_COUNT)
		d->per_s[which - NETDEV_DRIVER_COUNT] = (float)packets;
}

static const struct {
	uint32_t tp;
	uint64_t sent, dropped;
	bool found;
} macs[] = {
	{ TP_XDP_DEVMAP_XMIT, 1000, 990, true },
	{ TP_XDP_BULK_TX, 1000, 990, true },
	/* a part of them: not what a program does to each packet */
	{ TP_XDP_DEVMAP_XMIT, 1000, 890, false },
	/* few, as when a neighbour's address has just changed */
	{ TP_XDP_DEVMAP_XMIT, 99, 99, false },
	{ TP_XDP_DEVMAP_XMIT, 1000, 0, false },
};

TEST(test_wrong_macs)
{
	for (size_t i = 0; i < sizeof(macs) / sizeof(macs[0]); i++) {
		struct fixture *f = fixture_new();
		const struct finding *finding;

		made_on(&f->to, TP_XDP_BULK_TX);
		set_up(f, macs[i].tp);
		for (int n = 0; n < 3; n++) {
			step(f, macs[i].sent, 1000);
			drops(f, BLUE, PEER, NETDEV_RX_OTHERHOST, macs[i].dropped);
			update(f);
		}
		if (!macs[i].found) {
			expect_not(f, "mac-not-rewritten");
		} else {
			finding = expect(f, "mac-not-rewritten");
			assert_int_equal(finding->severity, FINDING_WARNING);
			says(finding, "the stack of eth6 drops 990 packets a second (otherhost)");
			assert_true(runs(finding, "-s -s link show dev eth6"));
		}
		fixture_free(f);
	}
}

static const struct {
	uint64_t received, dropped;
	bool attached, found;
} checksums[] = {
	{ 1000, 990, true, true },
	{ 1000, 890, true, false },
	{ 99, 99, true, false },
	{ 1000, 990, false, false },
};

TEST(test_wrong_checksums)
{
	for (size_t i = 0; i < sizeof(checksums) / sizeof(checksums[0]); i++) {
		struct fixture *f = fixture_new();
		const struct finding *finding;
		struct netdev *d;

		set_up(f, TP_XDP_DEVMAP_XMIT);
		d = (struct netdev *)snapshot_find_netdev(&f->to, MADE_NETNS, 3);
		d->prog_id = checksums[i].attached ? 42 : 0;
		made_program(&f->to, 42);
		/* counters are read in every second interval */
		for (int n = 0; n < 8; n++) {
			step(f, 0, checksums[i].received / 2);
			if (n % 2)
				drops(f, MADE_NETNS, 3, NETDEV_CSUM_ERRORS, checksums[i].dropped);
			update(f);
		}
		if (!checksums[i].found) {
			expect_not(f, "checksum-broken");
		} else {
			finding = expect(f, "checksum-broken");
			assert_int_equal(finding->severity, FINDING_WARNING);
			assert_int_equal(finding->location.prog_id, 42);
			says(finding, "the stack drops 990 packets a second for a wrong checksum");
		}
		fixture_free(f);
	}
}
