// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules for settings of devices: their conditions, and when they stay quiet. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "diagnose/driver.h"
#include "unit/made_sockets.h"
#include "unit/test.h"

static struct netdev *nic(struct fixture *f, const char *driver, enum netdev_mode mode)
{
	struct netdev *d = device(f, MADE_NETNS, 3, "eth3");

	strcpy(d->driver, driver);
	d->mode = mode;
	d->prog_id = mode == NETDEV_NATIVE ? 42 : 0;
	d->skb_prog_id = mode == NETDEV_GENERIC ? 42 : 0;
	d->mtu = 1500;
	d->has_features = d->has_offloads = true;
	d->features = mode == NETDEV_NATIVE ? NETDEV_XDP_BASIC | NETDEV_XDP_NDO_XMIT : 0;
	return d;
}

static void set_channels(struct netdev *d, uint32_t channels, uint32_t max)
{
	netdev_set_setting(d, NETDEV_CHANNELS, channels);
	netdev_set_setting(d, NETDEV_CHANNELS_MAX, max);
}

/* veth0 with a native program, and its peer pod0 in another namespace. */
static struct netdev *pair(struct fixture *f)
{
	struct netdev *d;

	nic(f, "", NETDEV_NATIVE);
	d = device(f, BLUE, 7, "pod0");
	d->has_offloads = d->has_features = true;
	d->offloads = NETDEV_TX_CSUM_IP | NETDEV_GSO;
	d->mtu = 1500;
	strcpy(d->kind, "veth");
	d->peer_netns = MADE_NETNS;
	d->peer_ifindex = 3;
	d = snapshot_netdevs(&f->to);
	strcpy(d->kind, "veth");
	strcpy(d->name, "veth0");
	d->peer_netns = BLUE;
	d->peer_ifindex = 7;
	return d;
}

/* Frames to eth3, with this outcome. */
static void sent_to(struct fixture *f, uint32_t tp, int err)
{
	came(f, tp, with_code(made_to_device(9, 3, 0), err), COUNTS(10, 10, 0));
}

/* Intervals in which each series counts 10 more events, and devices count packets. */
static void run(struct fixture *f, int intervals, uint64_t packets)
{
	const struct series_counters more = COUNTS(10, 10, 0);

	for (int i = 0; i < intervals; i++) {
		step(f);
		for (size_t k = 0; k < snapshot_n_netdevs(&f->to); k++) {
			struct netdev *was = &snapshot_netdevs(&f->from)[k];
			struct netdev *d = &snapshot_netdevs(&f->to)[k];

			netdev_set_count(was, NETDEV_RX_PACKETS, was->count[NETDEV_RX_PACKETS]);
			netdev_set_count(d, NETDEV_RX_PACKETS,
					 d->count[NETDEV_RX_PACKETS] + packets);
		}
		for (size_t k = 0; k < f->to.n_series; k++) {
			series_counters_add(&f->to.series[k].total, &more);
			f->to.tp[f->to.series[k].tracepoint].events += more.events;
		}
		update(f);
	}
}

/* No finding with this code. */
static void quiet(struct fixture *f, const char *code)
{
	for (size_t i = 0; i < f->findings.n; i++)
		if (!strcmp(f->findings.finding[i].code->name, code))
			fail_msg("%s", f->findings.finding[i].text);
}

static const struct finding *info(struct fixture *f, const char *code)
{
	const struct finding *finding = expect(f, code);

	assert_int_equal(finding->severity, FINDING_INFO);
	assert_true(finding->total == 0 || finding->count);
	return finding;
}

FINDING_TEST(test_few_channels)
{
	const struct finding *finding;

	set_channels(nic(f, "mlx5_core", NETDEV_NATIVE), 4, 6);
	sent_to(f, TP_XDP_REDIRECT, 0);
	run(f, 2, 0);
	finding = info(f, "channels-below-cpus");
	says(finding, "it has 4 channels (maximum 6), and there are 8 CPUs: mlx5 sends");
	says(finding, "CPU 4 and above (ENXIO)");
	assert_true(runs(finding, "ethtool -L eth3 combined 6"));
	sent_to(f, TP_XDP_DEVMAP_XMIT, -ENXIO);
	run(f, 2, 0);
	assert_int_equal(expect(f, "channels-below-cpus")->severity, FINDING_WARNING);
	assert_true(expect(f, "channels-below-cpus")->count);
}

FINDING_TEST(test_no_spare_channels)
{
	const struct finding *finding;
	struct netdev *d = nic(f, "virtio_net", NETDEV_NATIVE);

	set_channels(d, 4, 10);
	netdev_set_count(d, NETDEV_XDP_TX, 100);
	d->per_s[NETDEV_XDP_TX - NETDEV_DRIVER_COUNT] = 20;
	run(f, 2, 0);
	finding = info(f, "channels-below-cpus");
	says(finding,
	     "its 4 channels plus an XDP queue for each of 8 CPUs exceed its maximum of 10");
	says(finding, "under a lock");
	assert_true(runs(finding, "ethtool -L eth3 combined 2"));
}

FINDING_TEST(test_half_of_channels)
{
	const struct finding *finding;

	f->alone = true;
	set_channels(nic(f, "ena", NETDEV_NONE), 8, 8);
	map(f, 5, BPF_MAP_TYPE_DEVMAP, 4, "ports");
	entry(f, 0)->to_netns = MADE_NETNS;
	((struct map_entry *)f->to.rows[DATA_SOURCE_MAPS].row)[1].to_ifindex = 3;
	run(f, 2, 0);
	finding = info(f, "channels-below-cpus");
	says(finding, "its 8 channels (maximum 8) leave no room for XDP's queues");
	assert_true(runs(finding, "ethtool -L eth3 combined 4"));
	sent_to(f, TP_XDP_REDIRECT_ERR, -EOPNOTSUPP);
	run(f, 1, 0);
	assert_int_equal(expect(f, "channels-below-cpus")->severity, FINDING_WARNING);
}

FINDING_TEST(test_shared_queues)
{
	f->to.cpus_online = 96;
	nic(f, "ixgbe", NETDEV_NATIVE);
	sent_to(f, TP_XDP_DEVMAP_XMIT, 0);
	run(f, 2, 0);
	says(info(f, "channels-below-cpus"), "ixgbe has 64 XDP queues for 96 CPUs");
}

FINDING_TEST(test_queues_of_peer)
{
	struct netdev *d = pair(f);
	const struct finding *finding;

	d->mode = NETDEV_GENERIC;
	d->skb_prog_id = 42;
	d->prog_id = d->features = 0;
	set_channels(d, 1, 4);
	run(f, 2, 0);
	finding = info(f, "channels-below-cpus");
	says(finding,
	     "veth0 (+531840): it has 1 receive queue (maximum 4), fewer than its peer pod0");
	assert_true(runs(finding, "ethtool -L pod0 tx 1"));
}

TEST(test_enough_channels)
{
	enum {
		ENOUGH,
		OTHER_DRIVER,
		NO_TARGET,
		UNKNOWN,
		SPARE,
		NOT_USED,
		HALF,
		NATIVE,
		CPUS,
		PEER,
		CASES
	};
	static const struct {
		const char *driver;
		enum netdev_mode mode;
		uint32_t channels, max;
		bool target;
	} cases[CASES] = {
		[ENOUGH] = { "mlx5_core", NETDEV_NATIVE, 8, 8, true },
		[OTHER_DRIVER] = { "ice", NETDEV_NATIVE, 4, 8, true },
		[NO_TARGET] = { "mlx5_core", NETDEV_NATIVE, 4, 8, false },
		[UNKNOWN] = { "mlx5_core", NETDEV_NATIVE, 0, 0, true },
		[SPARE] = { "virtio_net", NETDEV_NATIVE, 8, 16, true },
		[NOT_USED] = { "virtio_net", NETDEV_NATIVE, 1, 1, false },
		[HALF] = { "ena", NETDEV_NONE, 4, 8, true },
		[NATIVE] = { "ena", NETDEV_NATIVE, 8, 8, true },
		[CPUS] = { "ixgbe", NETDEV_NATIVE, 8, 63, true },
		[PEER] = { "veth", NETDEV_NATIVE, 1, 1, true },
	};

	for (int i = 0; i < CASES; i++) {
		struct fixture *f = fixture_new();
		struct netdev *d;

		d = nic(f, cases[i].driver, cases[i].mode);
		d->peer_ifindex = i == PEER ? 3 : 0;
		d->peer_netns = MADE_NETNS;
		if (cases[i].channels)
			set_channels(d, cases[i].channels, cases[i].max);
		if (cases[i].target)
			sent_to(f, TP_XDP_REDIRECT, 0);
		run(f, 3, 0);
		quiet(f, "channels-below-cpus");
		fixture_free(f);
	}
}

/* virtio_net allows a larger MTU after the attach. */
FINDING_TEST(test_raised_mtu)
{
	uint32_t limit = f->to.page_size - 590;
	const struct finding *finding;
	char text[64];

	nic(f, "virtio_net", NETDEV_NATIVE)->mtu = limit + 1;
	run(f, 2, 0);
	finding = info(f, "mtu-above-limit");
	snprintf(text, sizeof(text), "its MTU of %u is above the %u that virtio_net", limit + 1,
		 limit);
	says(finding, text);
	says(finding, "raised after the attach");
	snprintf(text, sizeof(text), "link set dev eth3 mtu %u", limit);
	assert_true(runs(finding, text));
	for (int i = 0; i < 3; i++) {
		struct netdev *d;

		step(f);
		d = snapshot_netdevs(&f->to);
		netdev_set_count(d, NETDEV_XDP_DROP, (uint64_t)(i + 1) * 500);
		d->per_s[NETDEV_XDP_DROP - NETDEV_DRIVER_COUNT] = 100;
		update(f);
	}
	says(info(f, "mtu-above-limit"),
	     "its driver counts 100 more XDP drops a second (rxN_xdp_drops");
}

FINDING_TEST(test_mtu_above_the_devices)
{
	struct netdev *d = nic(f, "ice", NETDEV_NATIVE);

	d->mtu = 9000;
	netdev_set_setting(d, NETDEV_MTU_MAX, 3050);
	run(f, 2, 0);
	says(info(f, "mtu-above-limit"), "its MTU of 9000 is above the 3050 that ice allows");
	/* the lower of two limits applies */
	strcpy(snapshot_netdevs(&f->to)->driver, "virtio_net");
	run(f, 1, 0);
	says(info(f, "mtu-above-limit"), "above the 3050 that virtio_net allows");
}

FINDING_TEST(test_mtu_of_peer)
{
	uint32_t limit = driver_mtu_max(driver_find("veth"), &f->to);
	struct netdev *d = pair(f);
	const struct finding *finding;
	char text[64];

	d->mode = NETDEV_GENERIC;
	d->skb_prog_id = 42;
	d->prog_id = 0;
	snapshot_netdevs(&f->to)[1].mtu = limit + 100;
	run(f, 2, 0);
	finding = info(f, "mtu-above-limit");
	snprintf(text, sizeof(text), "pod0's MTU of %u is above the %u that veth", limit + 100,
		 limit);
	says(finding, text);
	snprintf(text, sizeof(text), "link set dev pod0 mtu %u", limit);
	assert_true(runs(finding, text));
}

TEST(test_mtu_is_fine)
{
	enum {
		AT_LIMIT,
		NO_LIMIT,
		NO_PROGRAM,
		OWN_OF_VETH,
		MAX_UNKNOWN,
		LARGE_PAGES,
		NO_PAGES,
		TINY_PAGES,
		CASES
	};

	for (int i = 0; i < CASES; i++) {
		struct fixture *f = fixture_new();
		struct netdev *d;

		if (i == OWN_OF_VETH) {
			pair(f)->mtu = 9000;
		} else {
			d = nic(f, i == NO_LIMIT ? "mlx5_core" : "virtio_net",
				i == NO_PROGRAM ? NETDEV_NONE : NETDEV_NATIVE);
			d->mtu = i == AT_LIMIT      ? f->to.page_size - 590
				 : i == MAX_UNKNOWN ? 1500
						    : 9000;
			if (i == MAX_UNKNOWN)
				netdev_set_setting(d, NETDEV_MTU_MAX, 0);
			if (i >= LARGE_PAGES)
				f->to.page_size = i == LARGE_PAGES ? 65536
						  : i == NO_PAGES  ? 0
								   : 256;
		}
		run(f, 3, 0);
		quiet(f, "mtu-above-limit");
		fixture_free(f);
	}
}

FINDING_TEST(test_lro)
{
	const struct finding *finding;

	nic(f, "mlx5_core", NETDEV_NONE)->offloads = NETDEV_LRO;
	sent_to(f, TP_XDP_REDIRECT_ERR, -EOPNOTSUPP);
	run(f, 2, 0);
	finding = expect(f, "offload-conflict");
	assert_int_equal(finding->severity, FINDING_WARNING);
	says(finding, "LRO is on, and this driver (mlx5) does not run XDP with it");
	assert_true(runs(finding, "ethtool -K eth3 lro off"));
}

FINDING_TEST(test_gro_hw)
{
	const struct finding *finding;

	nic(f, "mlx5_core", NETDEV_GENERIC)->offloads = NETDEV_GRO_HW;
	run(f, 2, 0);
	finding = info(f, "offload-conflict");
	says(finding, "HW-GRO is on");
	assert_true(runs(finding, "ethtool -K eth3 rx-gro-hw off"));
}

/* Packets merged by GRO reach generic XDP and its AF_XDP sockets, which lose long ones. */
FINDING_TEST(test_merged)
{
	const struct finding *finding;

	f->alone = true;
	nic(f, "ice", NETDEV_GENERIC)->offloads = NETDEV_GRO | NETDEV_GRO_UDP_FWD;
	run(f, 2, 0);
	finding = info(f, "offload-conflict");
	says(finding, "the program gets several UDP datagrams of a flow as one packet");
	assert_true(runs(finding, "ethtool -K eth3 rx-udp-gro-forwarding off"));
	bound(f, 100, 0)->zerocopy = false;
	run(f, 1, 0);
	step(f);
	socket_at(f, 0)->rx_dropped += 7;
	update(f);
	finding = expect(f, "offload-conflict");
	assert_int_equal(finding->severity, FINDING_WARNING);
	assert_int_equal(finding->count, 7);
	says(finding, "its AF_XDP sockets get");
}

FINDING_TEST(test_vlan)
{
	const struct finding *finding;

	nic(f, "ice", NETDEV_NATIVE)->offloads = NETDEV_RXVLAN;
	strcpy(device(f, MADE_NETNS, 8, "eth3.100")->kind, "vlan");
	run(f, 2, 0);
	finding = info(f, "offload-conflict");
	says(finding, "the NIC removes the VLAN tag from a frame before the program sees it");
	assert_true(runs(finding, "ethtool -K eth3 rxvlan off"));
}

/* Both ends of a veth are two findings. */
FINDING_TEST(test_peer_of_veth)
{
	const struct finding *csum = NULL, *gso = NULL;

	pair(f);
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 9), COUNTS(10, 10, 0));
	run(f, 2, 50000);
	assert_int_equal(f->findings.n, 2);
	for (size_t i = 0; i < 2; i++)
		*(strstr(f->findings.finding[i].text, "checksum") ? &csum : &gso) =
			&f->findings.finding[i];
	assert_non_null(csum);
	assert_non_null(gso);
	assert_int_equal(csum->severity, FINDING_INFO);
	says(csum,
	     "with TX checksum offload on. TCP and UDP packets of the peer's own stack leave");
	says(csum, "while ping works");
	assert_true(runs(csum, "ethtool -K pod0 tx off"));
	assert_int_equal(gso->severity, FINDING_INFO);
	says(gso, "native XDP on a veth disables TSO on its peer pod0");
}

TEST(test_no_conflict)
{
	enum {
		CSUM_OFF,
		CSUM_UNKNOWN,
		NO_REDIRECT,
		GENERIC,
		SLOW,
		HAS_TSO,
		NO_GSO,
		BY_XDP,
		NATIVE_UDP,
		NO_GRO,
		NO_VLAN,
		VIRTUAL_VLAN,
		LRO_NATIVE,
		LRO_OTHER,
		CASES
	};

	for (int i = 0; i < CASES; i++) {
		struct fixture *f = fixture_new();
		struct netdev *d;

		if (i < NATIVE_UDP) {
			d = pair(f);
			if (i == GENERIC) {
				d->mode = NETDEV_GENERIC;
				d->skb_prog_id = 42;
				d->prog_id = 0;
			}
			d = &snapshot_netdevs(&f->to)[1];
			if (i == CSUM_OFF || i >= SLOW)
				d->offloads &= (uint16_t)~NETDEV_TX_CSUM;
			d->has_offloads = i != CSUM_UNKNOWN;
			if (i == HAS_TSO)
				d->offloads |= NETDEV_TSO;
			if (i == NO_GSO)
				d->offloads &= (uint16_t)~NETDEV_GSO;
			if (i == BY_XDP) {
				came(f, TP_XDP_DEVMAP_XMIT, made_xmit(9, 7), COUNTS(10, 10, 0));
				f->to.series[0].key.to_netns = BLUE;
			}
			if (i != NO_REDIRECT)
				came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 9), COUNTS(10, 10, 0));
			run(f, 3, i == SLOW || i <= NO_REDIRECT ? 9000 : 50000);
		} else {
			d = nic(f, i == LRO_OTHER ? "ice" : "mlx5_core",
				i == NO_GRO || i == LRO_OTHER ? NETDEV_GENERIC : NETDEV_NATIVE);
			d->offloads = i >= LRO_NATIVE ? NETDEV_LRO : NETDEV_GRO_UDP_FWD;
			if (i == NATIVE_UDP)
				d->offloads |= NETDEV_GRO;
			if (i == NO_VLAN || i == VIRTUAL_VLAN)
				d->offloads = NETDEV_RXVLAN;
			if (i == VIRTUAL_VLAN) {
				strcpy(d->kind, "veth");
				strcpy(device(f, MADE_NETNS, 8, "eth3.100")->kind, "vlan");
			}
			run(f, 3, 50000);
		}
		quiet(f, "offload-conflict");
		fixture_free(f);
	}
}
