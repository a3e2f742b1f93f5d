// SPDX-License-Identifier: GPL-2.0-or-later
/* Failing redirects to an xskmap if the socket in the slot is known. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "unit/made_sockets.h"
#include "unit/test.h"

/* Another interval with an error of redirects to slot 2 of the xskmap; returns its finding. */
static const struct finding *refused(struct fixture *f, int err, const char *code)
{
	if (!f->to.n_series)
		came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_XSKMAP, XSKS, 2, err), COUNTS(0));
	for (int i = 0; i < 2; i++) {
		step(f);
		f->to.series[0].total.events += 9;
		f->to.tp[TP_XDP_REDIRECT_ERR].events += 9;
		update(f);
	}
	return expect_only(f, code);
}

/* A socket in slot 2 of the xskmap, in copy mode; packets arrive on eth3. */
static struct xdp_socket *in_slot(struct fixture *f)
{
	struct xdp_socket *s = bound(f, 100, 2);

	s->zerocopy = false;
	map(f, XSKS, BPF_MAP_TYPE_XSKMAP, 8, "xsks");
	entry(f, 2)->socket_inode = 100;
	return s;
}

FINDING_TEST(test_named_socket)
{
	const struct finding *finding;

	in_slot(f)->rx.fill = 2000;
	finding = refused(f, -ENOBUFS, "xsk-ring-full");
	says(finding, " -> xsk map 5 [2]: the AF_XDP receive ring is full: poller[812] reads too "
		      "slowly; it holds 2000 of 2048 frames");
	assert_int_equal(finding->location.socket_inode, 100);
	assert_int_equal(finding->location.queue, 2);
	/* another socket is in the slot since: the one that lost is unknown */
	step(f);
	socket_at(f, 0)->inode = 101;
	socket_at(f, 0)->queue = 3;
	((struct map_entry *)map_entry_find(&f->to, XSKS, 2))->socket_inode = 101;
	f->to.series[0].total.events += 9;
	update(f);
	finding = expect_only(f, "xsk-ring-full");
	says(finding, "ring is full: its program reads too slowly");
	assert_int_equal(finding->location.socket_inode, 100);
	assert_int_equal(finding->location.pid, 812);
	assert_int_equal(finding->location.queue, 2);
	/* it loses packets, too: that is another finding, once the next interval agrees */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(f->findings.n, 1);
		step(f);
		f->to.series[0].total.events += 9;
		update(f);
	}
	assert_int_equal(f->findings.n, 2);
	finding = &f->findings.finding[0];
	assert_true(finding->seen && !f->findings.finding[1].seen);
	assert_int_equal(finding->location.socket_inode, 101);
	assert_int_equal(finding->location.queue, 3);
	assert_int_equal(f->findings.finding[1].location.socket_inode, 100);
	tells(&f->findings.finding[1], "poller[812] reads too slowly");
}

FINDING_TEST(test_named_fill)
{
	in_slot(f);
	says(refused(f, -ENOMEM, "xsk-fill-empty"),
	     "the AF_XDP fill ring was empty: poller[812] returns buffers too slowly. The ring now "
	     "holds 0 of 2048");
	socket_at(f, 0)->fill_invalid = 2000;
	says(refused(f, -ENOMEM, "xsk-fill-empty"),
	     "the AF_XDP fill ring was empty: poller[812] returns too few buffers. The ring now "
	     "holds 0 of 2048 buffers; 2000 addresses in it were invalid");
}

/* One interval: nine packets are lost, or none. */
static void late(struct fixture *f, bool lost)
{
	step(f);
	f->to.series[0].total.events += lost ? 9 : 0;
	f->to.tp[TP_XDP_REDIRECT_ERR].events += lost ? 9 : 0;
	update(f);
}

/* A program that was late once is not slow. If it is again within 10 s, it is. */
TEST(test_short_pauses)
{
	for (int named = 0; named < 2; named++) {
		struct fixture *f = fixture_new();
		const struct finding *finding;

		if (named)
			in_slot(f)->fill.fill = 2048;
		came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_XSKMAP, XSKS, 2, -ENOMEM),
		     COUNTS(0));
		for (int i = 0; i < 2 * FINDING_HOLD_S; i += FINDING_HOLD_S) {
			late(f, true);
			for (int k = 1; k < FINDING_HOLD_S; k++)
				late(f, false);
			assert_int_equal(f->findings.n, 0);
		}
		for (int i = 0; i < 4; i++) {
			late(f, false);
			late(f, false);
			late(f, true);
			assert_int_equal(f->findings.n, i > 0);
		}
		finding = expect_only(f, "xsk-fill-empty");
		assert_int_equal(finding->total, 36);
		assert_int_equal(finding->first.tv_sec, f->to.wall.tv_sec - 9);
		fixture_free(f);
	}
}

/* With known sockets no kernel has another reason. */
FINDING_TEST(test_named_chunks)
{
	const struct finding *finding;

	in_slot(f)->chunk_size = 2048;
	finding = refused(f, -ENOSPC, "xsk-no-space");
	says(finding, "larger than a UMEM frame: poller[812] has chunks of 2048 bytes, which hold "
		      "packets of at most 1792 bytes");
	assert_null(strstr(finding->text, "fill ring"));
	assert_null(strstr(finding->remedy.text, "XDP_STATISTICS"));
	device(f, MADE_NETNS, 3, "eth3")->mtu = 3000;
	says(refused(f, -ENOSPC, "xsk-no-space"), "; the MTU of eth3 is 3000");
	socket_at(f, 0)->inode = 101;
	f->to.kernel = KERNEL(5, 15);
	says(refused(f, -ENOSPC, "xsk-no-space"), "the RX ring is full, or the fill ring is empty");
}

FINDING_TEST(test_named_unbound)
{
	in_slot(f)->state = XDP_SOCKET_DEVICE_GONE;
	says(refused(f, -ENXIO, "xsk-unbound"), "of poller[812] has lost its device, which was");
	socket_at(f, 0)->state = XDP_SOCKET_UNBOUND;
	says(refused(f, -ENXIO, "xsk-unbound"), "of poller[812] is not bound: bind()");
	/* now it is */
	socket_at(f, 0)->state = XDP_SOCKET_BOUND;
	says(refused(f, -ENXIO, "xsk-unbound"), "is not bound: its program is starting");
}

FINDING_TEST(test_wrong_queue)
{
	struct netdev *bond;

	in_slot(f)->queue = 1;
	says(refused(f, -EINVAL, "xsk-wrong-queue"),
	     "another device or queue: poller[812] bound it to eth3 queue 1, but these packets "
	     "came in on another queue of that device");
	socket_at(f, 0)->ifindex = 7;
	strcpy(socket_at(f, 0)->ifname, "eth7");
	says(refused(f, -EINVAL, "xsk-wrong-queue"),
	     "poller[812] bound it to eth7 queue 1, but these came in on eth3");
	bond = device(f, MADE_NETNS, 7, "bond0");
	strcpy(bond->kind, "bond");
	says(refused(f, -EINVAL, "xsk-wrong-queue"),
	     "bound it to bond0 queue 1, a bond, whose packets come in on its slaves, "
	     "but these came in on eth3");
	/* a bond of another namespace does not have this slave */
	socket_at(f, 0)->netns = BLUE;
	says(refused(f, -EINVAL, "xsk-wrong-queue"),
	     "bound it to eth7 queue 1, but these came in on eth3");
	/* a queue that a netkit has leased */
	socket_at(f, 0)->nic = (struct xdp_place){ MADE_NETNS, 3, 5 };
	strcpy(socket_at(f, 0)->nic_ifname, "eth3");
	says(refused(f, -EINVAL, "xsk-wrong-queue"),
	     "bound it to eth3 queue 5, but these packets came in on another queue of that device");
	socket_at(f, 0)->nic.ifindex = 9;
	strcpy(socket_at(f, 0)->nic_ifname, "eth9");
	says(refused(f, -EINVAL, "xsk-wrong-queue"),
	     "bound it to eth9 queue 5, but these came in on eth3");
}
