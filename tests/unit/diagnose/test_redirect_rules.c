// SPDX-License-Identifier: GPL-2.0-or-later
/* Why a device does not accept redirected frames, by its driver, features and peer. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "unit/made_sockets.h"
#include "unit/test.h"

#define ABLE (NETDEV_XDP_BASIC | NETDEV_XDP_REDIRECT)
#define FULL (ABLE | NETDEV_XDP_NDO_XMIT | NETDEV_XDP_NDO_XMIT_SG)

/* The target of redirects through devmap 7. features < 0: not reported by the kernel. */
static struct netdev *target(struct fixture *f, const char *driver, int64_t features, int err)
{
	struct netdev *d = device(f, BLUE, 4, "eth4");

	snprintf(d->driver, sizeof(d->driver), "%s", driver);
	d->has_features = features >= 0;
	d->features = features >= 0 ? (uint64_t)features : 0;
	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, err), COUNTS(5));
	return d;
}

static const struct {
	const char *driver;
	int64_t features;
	enum netdev_mode mode;
	const char *finding, *text, *not_text;
} cases[] = {
	{ "igb", ABLE, NETDEV_NONE, "target-needs-program",
	  "eth4 (+532222) sends XDP frames only while it has a native program; attach one", NULL },
	{ "igb", ABLE, NETDEV_GENERIC, "target-needs-program", "native program", NULL },
	/* the program was detached after its features were read */
	{ "igb", FULL, NETDEV_NONE, "target-needs-program", "native program", NULL },
	{ "mlx5_core", ABLE, NETDEV_NONE, "target-needs-program", "native program", NULL },
	{ "bond", ABLE, NETDEV_NONE, "target-needs-program", "each of its slaves", NULL },
	/* it has one: features are read slightly later */
	{ "igb", ABLE, NETDEV_NATIVE, "target-cannot-receive", "only while", NULL },
	/* the driver is unknown */
	{ "", ABLE, NETDEV_NONE, "target-cannot-receive", "cannot transmit XDP frames now", NULL },
	{ "out_of_tree", ABLE, NETDEV_NONE, "target-cannot-receive", "cannot transmit", NULL },
	/* a program does not help */
	{ "nfp", ABLE, NETDEV_NONE, "target-cannot-receive",
	  "never accepts redirected frames: nfp has no ndo_xdp_xmit, and a program on the target "
	  "does not help",
	  NULL },
	{ "nfp", ABLE, NETDEV_NATIVE, "target-cannot-receive", "never accepts", NULL },
	{ "nfp", -1, NETDEV_NONE, "target-cannot-receive", "never accepts", NULL },
	{ "mlx4_en", ABLE, NETDEV_NONE, "target-cannot-receive", "never accepts", NULL },
	/* no features does not mean no native XDP */
	{ "mlx5_core", 0, NETDEV_NONE, "target-cannot-receive", "LRO or HW-GRO", "never" },
	{ "ena", 0, NETDEV_NONE, "target-cannot-receive", "half of its channels", "never" },
	{ "bond", 0, NETDEV_NONE, "target-cannot-receive", "mode", "never" },
	{ "gve", 0, NETDEV_NONE, "target-cannot-receive", "queue format", "never" },
	{ "mvpp2", 0, NETDEV_NONE, "target-cannot-receive", "per CPU", "never" },
	{ "igb", 0, NETDEV_NONE, "target-cannot-receive", "with its current settings", "never" },
	{ "veth", 0, NETDEV_NONE, "target-cannot-receive", "its peer has more", "neither" },
	{ "veth", ABLE, NETDEV_NONE, "target-cannot-receive", "its peer has neither", NULL },
	/* it does if the driver never had it */
	{ "e1000e", 0, NETDEV_NONE, "target-cannot-receive",
	  "never transmits XDP frames: its driver does not support native XDP", "setting" },
	{ "", 0, NETDEV_NONE, "target-cannot-receive", "or one of its settings", NULL },
	/* before 6.3 the kernel reports none */
	{ "e1000e", -1, NETDEV_NONE, "target-cannot-receive",
	  "e1000e has no ndo_xdp_xmit in this kernel (before Linux 6.3), and a program on the "
	  "target does not help",
	  "later" },
	{ "ena", -1, NETDEV_NONE, "target-cannot-receive", "with a later kernel it sends", NULL },
	{ "", -1, NETDEV_NONE, "target-cannot-receive", "cannot transmit XDP frames now", NULL },
};

TEST(test_cannot_receive)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct finding *finding;
		struct fixture *f = fixture_new();

		target(f, cases[i].driver, cases[i].features, -EOPNOTSUPP)->mode = cases[i].mode;
		update(f);
		finding = expect_only(f, cases[i].finding);
		says(finding, cases[i].text);
		if (cases[i].not_text && strstr(finding->text, cases[i].not_text))
			fail_msg("%s: %s", cases[i].driver, finding->text);
		/* drivers that never accept frames are not advised to load a program */
		if (strstr(finding->text, "a program on the target does not help")) {
			assert_null(strstr(finding->remedy.text, "load an XDP program"));
			assert_null(strstr(finding->commands, "xdpdrv"));
		}
		fixture_free(f);
	}
}

/* Devices above others: the lower one transmits. The lower device may not be known. */
TEST(test_upper_devices)
{
	static const struct {
		const char *kind, *text;
		uint32_t vlan_id, lower;
	} upper[] = {
		{ "vlan",
		  "eth4 (+532222): the target is VLAN 100 on eth5, and a VLAN device cannot", 100,
		  5 },
		{ "vlan", "its driver does not support native XDP", 100, 6 },
		{ "macvlan", "the target's kind is macvlan, on eth5", 0, 5 },
		{ "ipvlan", "the target's kind is ipvlan, on eth5", 0, 5 },
		{ "vxlan", "its driver does not support native XDP", 0, 5 },
		{ "bridge", "the target is a bridge, which cannot transmit XDP frames", 0, 0 },
	};

	for (size_t i = 0; i < sizeof(upper) / sizeof(upper[0]); i++) {
		struct fixture *f = fixture_new();
		const struct finding *finding;
		struct netdev *d;

		device(f, BLUE, 5, "eth5");
		d = target(f, "", 0, -EOPNOTSUPP);
		strcpy(d->kind, upper[i].kind);
		d->vlan_id = upper[i].vlan_id;
		d->lower_ifindex = upper[i].lower;
		update(f);
		finding = expect_only(f, "target-cannot-receive");
		says(finding, upper[i].text);
		assert_int_equal(finding->location.peer.ifindex,
				 strstr(upper[i].text, "on eth5") ? 5 : 0);
		fixture_free(f);
	}
}

/* Before 6.3 the driver refuses. If it is down, or has a program, the cause is different. */
TEST(test_needed_program)
{
	for (int i = 0; i < 5; i++) {
		struct fixture *f = fixture_new();
		struct netdev *d;

		d = device(f, MADE_NETNS, 4, "eth4");
		strcpy(d->driver, i == 4 ? "mvneta" : "bnxt_en");
		d->up = i != 1;
		d->mode = i == 2 ? NETDEV_NATIVE : NETDEV_NONE;
		d->has_features = i == 3;
		d->features = FULL;
		came(f, TP_XDP_DEVMAP_XMIT, with_code(made_xmit(3, 4), i ? -EINVAL : -ENXIO),
		     COUNTS(5, 0, 80));
		update(f);
		expect_only(f, i ? "target-not-ready" : "target-needs-program");
		fixture_free(f);
	}
}

/* Ingress in generic mode, and a target that is up at both ends of the interval. */
static struct netdev *broadcast(struct fixture *f, const char *driver, int err)
{
	struct netdev *in = device(f, MADE_NETNS, 3, "eth3");

	strcpy(in->driver, driver);
	in->mode = NETDEV_GENERIC;
	in->skb_prog_id = 42;
	in->mtu = 1500;
	target(f, "igb", FULL, err)->mtu = 1500;
	made_sort_netdevs(&f->to);
	*snapshot_add_netdev(&f->from) = snapshot_netdevs(&f->to)[0];
	*snapshot_add_netdev(&f->from) = snapshot_netdevs(&f->to)[1];
	return (struct netdev *)snapshot_find_netdev(&f->to, BLUE, 4);
}

FINDING_TEST(test_broadcast_down)
{
	const struct finding *finding;

	broadcast(f, "igb", -ENETDOWN);
	update(f);
	assert_int_equal(expect_only(f, "generic-mode")->severity, FINDING_WARNING);
	again(f);
	finding = expect(f, "broadcast-member");
	assert_int_equal(f->findings.n, 2);
	says(finding, "eth3 (+531840), prog42 (id 42): a device, a member of the map, is "
		      "down, and eth4, which the map key names, is up");
	assert_int_equal(finding->location.to.ifindex, 0);
	assert_int_equal(finding->location.map_id, 7);
	assert_non_null(strstr(finding->commands, "bpftool map dump id 7"));
	assert_null(strstr(finding->commands, "eth4"));
}

/* A target is not blamed in the interval in which it first appears. */
FINDING_TEST(test_broadcast_first)
{
	broadcast(f, "igb", -ENETDOWN);
	f->from.rows[DATA_SOURCE_NETDEVS].n = 0;
	update(f);
	expect_only(f, "generic-mode");
	again(f);
	expect(f, "broadcast-member");
	assert_int_equal(f->findings.n, 2);
}

/* It was down when packets came: at the start or at the end of the interval. */
TEST(test_really_down)
{
	for (int i = 0; i < 3; i++) {
		struct fixture *f = fixture_new();
		struct netdev *d;

		d = broadcast(f, "igb", -ENETDOWN);
		if (i == 0)
			d->up = false;
		else if (i == 1)
			((struct netdev *)snapshot_find_netdev(&f->from, BLUE, 4))->up = false;
		else /* native mode checks each member in advance */
			((struct netdev *)snapshot_find_netdev(&f->to, MADE_NETNS, 3))
				->skb_prog_id = 0;
		update(f);
		says(expect(f, "target-down"), "-> eth4");
		fixture_free(f);
	}
}

FINDING_TEST(test_broadcast_mtu)
{
	f->alone = true;
	broadcast(f, "igb", -EMSGSIZE);
	update(f);
	again(f);
	says(expect(f, "broadcast-member"), "but not for eth4, which the map key names");
	/* its MTU was raised in the interval */
	((struct netdev *)snapshot_find_netdev(&f->from, BLUE, 4))->mtu = 1400;
	f->to.mono_ns++;
	update(f);
	says(expect(f, "frame-too-big"), "MTU of 1500");
}

/* A veth's TSO packets exceed every MTU; a smaller MTU is the cause itself. */
FINDING_TEST(test_tso)
{
	struct netdev *in, *d = broadcast(f, "veth", -EMSGSIZE);
	const struct finding *finding;

	f->alone = true;
	update(f);
	finding = expect(f, "frame-too-big");
	says(finding, "TSO packets from its peer");
	assert_non_null(strstr(finding->remedy.text, "tso off gso off"));
	assert_false(runs(finding, "tso"));
	in = (struct netdev *)snapshot_find_netdev(&f->to, MADE_NETNS, 3);
	in->peer_netns = MADE_NETNS;
	in->peer_ifindex = 8;
	device(f, MADE_NETNS, 8, "eth8");
	again(f);
	assert_true(runs(expect(f, "frame-too-big"), "ethtool -K eth8 tso off gso off"));
	d = (struct netdev *)snapshot_find_netdev(&f->to, BLUE, 4);
	d->mtu = 1400;
	f->to.mono_ns++;
	update(f);
	says(expect(f, "frame-too-big"), "MTU of 1400");
	assert_non_null(strstr(expect(f, "frame-too-big")->remedy.text, "tso"));
	/* native mode has no TSO packets */
	d = (struct netdev *)snapshot_find_netdev(&f->to, MADE_NETNS, 3);
	d->skb_prog_id = 0;
	f->to.mono_ns++;
	update(f);
	says(expect(f, "frame-too-big"), "MTU of 1400");
	assert_null(strstr(expect(f, "frame-too-big")->remedy.text, "tso"));
}

/* Frames of the ingress MTU fit once the target and, for a veth, its peer have that MTU. */
TEST(test_raised_mtu)
{
	for (int i = 0; i < 4; i++) {
		struct fixture *f = fixture_new();
		struct netdev *to = target(f, i == 1 ? "igb" : "veth", FULL, -EMSGSIZE);
		const struct finding *finding;

		to->mtu = 1500;
		to->peer_netns = BLUE;
		to->peer_ifindex = 9;
		if (i == 3)
			netdev_set_setting(to, NETDEV_MTU_MAX, 3000);
		device(f, BLUE, 9, "eth9")->mtu = i == 2 ? 9000 : 1500;
		device(f, MADE_NETNS, 3, "eth3")->mtu = 3400;
		update(f);
		finding = expect_only(f, "frame-too-big");
		assert_int_equal(runs(finding, "ip link set dev eth4 mtu 3400"), i != 3);
		assert_int_equal(runs(finding, "ip link set dev eth9 mtu 3400"), i == 0);
		fixture_free(f);
	}
}

/* Certain in generic mode; in native mode the target must be able to, for three intervals. */
FINDING_TEST(test_broadcast_of_frags)
{
	struct netdev *in, *to = broadcast(f, "igb", -EOPNOTSUPP);

	to->features = 0;
	for (int i = 0; i < 3; i++) {
		if (i)
			again(f);
		else
			update(f);
		in = (struct netdev *)snapshot_find_netdev(&f->to, MADE_NETNS, 3);
		in->mode = NETDEV_NATIVE;
		in->skb_prog_id = 0;
		to = (struct netdev *)snapshot_find_netdev(&f->to, BLUE, 4);
		to->features = FULL;
		to->mode = NETDEV_NATIVE;
		assert_int_equal(f->findings.n, i < 2 ? 1 : 2);
	}
	says(expect(f, "broadcast-member"), "several buffers cannot be broadcast");
	/* without multi-buffer transmit the target is the cause */
	f->alone = true;
	to->features &= ~(uint64_t)NETDEV_XDP_NDO_XMIT_SG;
	f->to.mono_ns++;
	update(f);
	says(expect(f, "target-cannot-receive"), "one buffer");
}

/* bpf_redirect() has no broadcast. */
FINDING_TEST(test_no_map)
{
	broadcast(f, "igb", -EMSGSIZE);
	f->to.series[0].key = redirect(0, SERIES_MAP_ID_IFINDEX, 4, -EMSGSIZE);
	update(f);
	expect(f, "frame-too-big");
}

/* Ends of a veth whose programs send back, by XDP_TX or redirect, and whose stacks send. */
static void pair(struct fixture *f, bool redirects)
{
	for (uint32_t i = 3; i <= 4; i++) {
		struct netdev *d = device(f, MADE_NETNS, i, i == 3 ? "eth3" : "eth4");
		const struct series_key key = { .netns = MADE_NETNS, .ifindex = i };

		d->peer_netns = MADE_NETNS;
		d->peer_ifindex = 7 - i;
		came(f, TP_NET_DEV_QUEUE, key, COUNTS(0));
		if (redirects && i == 4)
			came(f, TP_XDP_DEVMAP_XMIT, made_xmit(4, 4), COUNTS(0));
		else
			came(f, TP_XDP_BULK_TX, key, COUNTS(0));
	}
	/* redirected to an end by another device */
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(9, 3), COUNTS(0));
}

TEST(test_loop)
{
	static const struct {
		uint64_t packets[5]; /* of the series from pair() */
		bool redirects, loops;
	} ends[] = {
		{ { 0, 500000, 0, 500040, 0 }, false, true },
		{ { 0, 500040, 0, 500000, 0 }, true, true },
		/* new frames arrive, and leave after a while */
		{ { 50000, 500000, 0, 500000, 50000 }, false, true },
		/* one or both ends echo what the other receives */
		{ { 0, 500000, 500000, 0, 0 }, false, false },
		{ { 0, 500000, 500000, 0, 0 }, true, false },
		{ { 500000, 500000, 500000, 500000, 0 }, false, false },
		{ { 0, 500000, 0, 500000, 500000 }, false, false },
		/* incoming frames are unknown, as from pktgen, but the ends differ */
		{ { 0, 500000, 0, 480000, 0 }, false, false },
		{ { 0, 5000, 0, 5000, 0 }, false, false },
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct fixture *f = fixture_new();
		const struct finding *finding;

		pair(f, ends[i].redirects);
		for (int interval = 0; interval < 2; interval++) {
			assert_int_equal(f->findings.n, 0);
			step(f);
			for (size_t n = 0; n < 5; n++) {
				struct series *s = &f->to.series[n];
				uint64_t events = ends[i].packets[n] / 16;

				s->total.packets += ends[i].packets[n];
				s->total.events += events;
				f->to.tp[s->tracepoint].events += events;
			}
			update(f);
		}
		assert_int_equal(f->findings.n, ends[i].loops);
		if (ends[i].loops) {
			finding = expect_only(f, "redirect-loop");
			says(finding, ": XDP programs on it and on its peer eth4 send the same "
				      "frames back to each other: 500k a second");
			assert_true(isnan(finding->loss.per_s));
		}
		fixture_free(f);
	}
}

/* Without a reference (NOT_SURE) redirects to the member must not have failed (BALANCED). */
enum {
	MEMBER_DOWN,
	ALL_UP,
	ROUND_ROBIN,
	BY_HASH,
	TWO_MAPS,
	NOT_READ,
	NOT_SURE,
	BALANCED,
	BROADCASTS
};

/* eth3 broadcasts to eth4 and eth5 through devmap 7, which also has eth6. */
TEST(test_broadcast_left_out)
{
	for (int how = 0; how < BROADCASTS; how++) {
		struct fixture *f = fixture_new();

		for (uint32_t i = 3; i <= 6; i++) {
			struct netdev *d = device(f, MADE_NETNS, i, "eth3");

			d->name[3] = (char)('0' + i);
			d->prog_id = i == 3 ? 42 : 0;
			d->up = i < 6 || how == ALL_UP;
		}
		for (uint32_t id = 7; id < 7 + 1 + (how == TWO_MAPS); id++) {
			struct map_entry *m = map(f, id, BPF_MAP_TYPE_DEVMAP, 8, "ports");

			m->slots_read = how == NOT_READ ? 4 : 8;
			for (uint32_t i = 3; i <= 6; i++) {
				struct map_entry *member = entry(f, i);

				member->to_netns = MADE_NETNS;
				member->to_ifindex = i;
			}
		}
		came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(0));
		came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 5), COUNTS(0));
		came(f, TP_XDP_REDIRECT, redirect(SERIES_MAP_DEVMAP, 7, 0, 0), COUNTS(0));
		if (how >= NOT_SURE)
			made_off(&f->to, TP_XDP_REDIRECT, TP_OFF);
		if (how == BALANCED) {
			struct series_key key = redirect(SERIES_MAP_DEVMAP, 7, 6, -ENETDOWN);

			key.to_netns = MADE_NETNS;
			came(f, TP_XDP_REDIRECT_ERR, key, COUNTS(0));
		}
		for (int interval = 0; interval < 2; interval++) {
			const uint64_t n[] = { 1000, how == BY_HASH ? 900 : 1001,
					       how >= NOT_SURE      ? 0
					       : how == ROUND_ROBIN ? 2001
								    : 1001,
					       1000 };

			step(f);
			for (size_t i = 0; i < f->to.n_series; i++) {
				struct series *s = &f->to.series[i];

				s->total.events += n[i];
				s->total.packets += n[i];
				f->to.tp[s->tracepoint].events += n[i];
			}
			update(f);
			if (how == BALANCED)
				expect_not(f, "broadcast-member");
			else
				assert_int_equal(f->findings.n,
						 (how == MEMBER_DOWN || how == NOT_SURE) &&
							 interval);
		}
		if (how == NOT_SURE)
			says(expect_only(f, "broadcast-member"),
			     "to every member of the map except eth6, which is down. A broadcast");
		if (how == MEMBER_DOWN) {
			const struct finding *finding = expect_only(f, "broadcast-member");

			says(finding, "skips eth6, which is down. The kernel does not report");
			assert_int_equal(finding->severity, FINDING_INFO);
			assert_int_equal(finding->location.map_id, 7);
			assert_true(runs(finding, "ip link set dev eth6 up"));
		}
		fixture_free(f);
	}
}
