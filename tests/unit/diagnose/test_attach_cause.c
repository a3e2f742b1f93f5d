// SPDX-License-Identifier: GPL-2.0-or-later
/* Refused attaches: the meaning of each message of the kernel and its drivers, and the remedy. */
#include <stdlib.h>
#include <string.h>
#include "diagnose/attach_cause.h"
#include "source/programs.h"
#include "unit/made_finding.h"
#include "unit/test.h"

static struct event *refusal(struct fixture *f, uint32_t ifindex, const char *text)
{
	struct event *e = snapshot_add_event(&f->to);

	*e = (struct event){ .tracepoint = TP_NETLINK_EXTACK,
			     .key = { .netns = BLUE, .ifindex = ifindex },
			     .pid = 812 };
	strcpy(e->comm, "loader");
	strcpy(e->ifname, "eth4");
	snprintf(e->text, sizeof(e->text), "%s", text);
	return e;
}

/* Messages of 6.1, 6.12 and 7.3, with part of the cause and of the first command. */
static const struct {
	const char *text, *says, *command;
} messages[] = {
	{ "veth: Peer MTU is too large to set XDP", "the peer", "link set dev eth5 mtu 3506" },
	{ "veth: XDP expects number of rx queues not less than peer tx queues", "TX queues",
	  "ethtool -L eth5 tx $(" },
	{ "virtio_net: MTU too large to enable XDP without frags", "several buffers",
	  "dev eth4 mtu 3506" },
	{ "virtio_net: MTU too large to enable XDP", "one buffer", "dev eth4 mtu 3506" },
	{ "i40e: MTU too large for linear frames and XDP prog does not support frags",
	  "several buffers", "dev eth4 mtu 1500" },
	{ "ice: MTU is too large for linear frames and XDP prog does not support frags",
	  "several buffers", "dev eth4 mtu 1500" },
	{ "ionic: MTU is too large for XDP without frags support", "several buffers",
	  "dev eth4 mtu 1500" },
	{ "atlantic: prog does not support XDP frags", "several buffers", "dev eth4 mtu 1500" },
	{ "ena: Failed to set xdp program, the current MTU is larger than the maximum allowed MTU. "
	  "Check the dmesg for more info",
	  "one buffer", "dev eth4 mtu 3498" },
	{ "vmxnet3: MTU 9000 too large for XDP", "one buffer", "dev eth4 mtu 1500" },
	{ "hv_netvsc: XDP: mtu too large", "one buffer", "dev eth4 mtu 1500" },
	{ "mana: XDP: mtu too large", "one buffer", "dev eth4 mtu 1500" },
	{ "nfp: MTU too large w/ XDP enabled", "one buffer", "dev eth4 mtu 1500" },
	{ "MTU 9000 larger than 3502 without XDP frag support", "one buffer", "dev eth4 mtu 3502" },
	{ "MTU(9000) > 3498, too big for an XDP program not aware of multi buffer", "one buffer",
	  "dev eth4 mtu 3498" },
	{ "igc: Jumbo frames not supported", "above 1500", "dev eth4 mtu 1500" },
	{ "igb: The RX buffer size is too small for the frame size", "one receive buffer",
	  "dev eth4 mtu 1500" },
	{ "stmmac: Jumbo frames not supported", "above 1500", "dev eth4 mtu 1500" },
	{ "ena: Failed to set xdp program, there is no enough space for allocating XDP queues, "
	  "Check "
	  "the dmesg for more info",
	  "half of the channels", "ethtool -L eth4 combined $(( $(" },
	{ "virtio_net: Too few free TX rings available", "for each CPU",
	  "ethtool -L eth4 combined $(( $(" },
	{ "nfp: Insufficient number of TX rings w/ XDP enabled", "TX queue for each channel",
	  "ethtool -L eth4 combined" },
	{ "ice: Not enough Tx resources for XDP", "for each CPU", "ethtool -L eth4 combined" },
	{ "ionic: XDP not available with split Tx/Rx interrupts", "split",
	  "ethtool -L eth4 rx 0 tx 0 combined" },
	{ "virtio_net: Can't set XDP while host is implementing GRO_HW/CSUM, disable GRO_HW/CSUM "
	  "first",
	  "the host passes on", "ethtool -k eth4" },
	{ "virtio_net: Can't set XDP while host is implementing LRO/CSUM, disable LRO/CSUM first",
	  "the host passes on", "ethtool -k eth4" },
	{ "hv_netvsc: XDP: not support LRO", "merges", "ethtool -K eth4 lro off" },
	{ "can't set XDP while HW-GRO/LRO is on, disable them first", "merges",
	  "ethtool -K eth4 rx-gro-hw off lro off" },
	{ "unable to install XDP to device using tcp-data-split", "headers and data",
	  "ethtool -G eth4 tcp-data-split off" },
	{ "unable to propagate XDP to device using memory provider", "memory of a process",
	  "ethtool -l eth4" },
	{ "Can't replace active BPF XDP link", "belongs to a BPF link",
	  "bpftool net show dev eth4" },
	{ "Can't replace active XDP program with BPF link", "over netlink",
	  "link set dev eth4 xdpdrv off" },
	{ "XDP program already attached", "UPDATE_IF_NOEXIST", "link set dev eth4 xdpdrv off" },
	{ "Active program does not match expected",
	  "the program was replaced "
	  "after",
	  "link show dev eth4" },
	{ "Cannot attach when an upper device already has a program", "its bond",
	  "link show dev eth4" },
	{ "Native and generic XDP can't be active at the same time", "program in the other mode",
	  "link set dev eth4 xdpdrv off" },
	{ "No native XDP support for the current bonding mode", "only in the modes",
	  "link show dev eth4" },
	{ "Slave device does not support XDP", "all of its slaves", "link show master eth4" },
	{ "Underlying driver does not support XDP in native mode", "only generic mode works",
	  "ethtool -i eth4" },
	{ "BPF_XDP_CPUMAP programs can not be attached to a device", "cpumap", NULL },
	{ "Using offloaded program without HW_MODE flag is not supported", "offload to a NIC",
	  "ethtool -i eth4" },
	{ "ice: Please provide working DDP firmware package in order to use XDP", "safe mode",
	  "dmesg | grep -i ddp" },
};

TEST_WITH(test_each_message, setup, teardown)
{
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		const char *text = messages[i].text;
		const struct finding *finding;
		struct fixture *f = fixture_new();
		struct netdev *d;

		d = device(f, BLUE, 4, "eth4");
		snprintf(d->kind, sizeof(d->kind), "%s", strstr(text, "veth: ") ? "veth" : "");
		snprintf(d->driver, sizeof(d->driver), "%s",
			 strstr(text, "virtio")  ? "virtio_net"
			 : strstr(text, "ena: ") ? "ena"
						 : "");
		d->peer_netns = BLUE;
		d->peer_ifindex = 5;
		device(f, BLUE, 5, "eth5");
		refusal(f, 4, text);
		update(f);
		finding = expect_only(f, "attach-failed");
		assert_int_equal(finding->location.dev.ifindex, 4);
		says(finding, "eth4 (");
		says(finding, "loader[812] could not attach an XDP program: ");
		says(finding, text);
		says(finding, messages[i].says);
		assert_non_null(finding->remedy.text);
		if (!messages[i].command)
			assert_string_equal(finding->commands, "");
		else if (!strstr(finding->commands, messages[i].command))
			fail_msg("%s: %s", text, finding->commands);
		fixture_free(f);
	}
}

/* It is shown unchanged, with general advice. */
TEST_OF(test_unknown_message, setup, teardown, struct fixture *f)
{
	const struct finding *finding;

	assert_null(attach_cause(refusal(f, 4, "something new")));
	update(f);
	finding = expect_only(f, "attach-failed");
	assert_non_null(strstr(finding->remedy.text, "do what the message asks for"));
	assert_string_equal(finding->text + strlen(finding->text) - strlen(": something new"),
			    ": something new");
}

/* vmxnet3 reports this and still takes the program. */
TEST_OF(test_no_refusal, setup, teardown, struct fixture *f)
{
	refusal(f, 4, "vmxnet3: LRO is not supported with XDP");
	update(f);
	assert_int_equal(f->findings.n, 0);
}

/* One finding per device, process and message, and one for an unknown device. */
TEST_OF(test_places, setup, teardown, struct fixture *f)
{
	struct event *e;

	refusal(f, 4, "XDP program already attached");
	refusal(f, 4, "XDP program already attached");
	refusal(f, 5, "XDP program already attached");
	e = refusal(f, 0, "XDP program already attached");
	e->ifname[0] = '\0';
	update(f);
	assert_int_equal(f->findings.n, 3);
	for (size_t i = 0; i < f->findings.n; i++) {
		const struct finding *finding = &f->findings.finding[i];
		uint32_t ifindex = finding->location.dev.ifindex;

		assert_int_equal(finding->count, ifindex == 4 ? 2 : 1);
		assert_int_equal(!strstr(finding->text, "to an unknown device"), !!ifindex);
		assert_int_equal(!strstr(finding->commands, "xdpdrv off"), !ifindex);
		assert_non_null(strstr(finding->commands, "-d link show"));
	}
}

/* In lockdown refusals have no device. Each reason has its finding and count. */
TEST_OF(test_several_messages, setup, teardown, struct fixture *f)
{
	static const struct {
		const char *text, *next;
		uint64_t n;
	} cases[] = {
		{ "XDP program already attached", "detach the old program", 5 },
		{ "Only one XDP mode flag can be set", "name one mode", 4 },
		{ "something new", "do what the message asks for", 3 },
	};
	const size_t n_cases = sizeof(cases) / sizeof(cases[0]);

	for (size_t i = 0; i < n_cases; i++)
		for (uint64_t n = 0; n < cases[i].n; n++)
			refusal(f, 0, cases[i].text)->ifname[0] = '\0';
	update(f);
	assert_int_equal(f->findings.n, n_cases);
	for (size_t i = 0; i < n_cases; i++) {
		const struct finding *finding = f->findings.finding;

		while (finding < f->findings.finding + n_cases &&
		       !strstr(finding->text, cases[i].text))
			finding++;
		assert_true(finding < f->findings.finding + n_cases);
		assert_int_equal(finding->total, cases[i].n);
		assert_non_null(strstr(finding->remedy.text, cases[i].next));
	}
}

/* The owner of the attached program. */
TEST_OF(test_attached, setup, teardown, struct fixture *f)
{
	struct netdev *d = device(f, BLUE, 4, "eth4");
	struct program *p = snapshot_add_row(&f->to, DATA_SOURCE_PROGRAMS, sizeof(*p));

	d->prog_id = 12;
	*p = (struct program){ .prog_id = 12,
			       .attach = PROGRAM_NETLINK,
			       .sight = PROGRAM_SIGHT_ALL,
			       .pinned = PROGRAM_NOT_PINNED,
			       .holders = 1,
			       .pid = 77,
			       .prog_name = "fw",
			       .comm = "daemon" };
	refusal(f, 4, "XDP program already attached");
	update(f);
	says(expect_only(f, "attach-failed"), "; fw (id 12) is attached (owner: daemon[77])");
}

TEST_OF(test_not_for_what_is_attached, setup, teardown, struct fixture *f)
{
	struct program *p = snapshot_add_row(&f->to, DATA_SOURCE_PROGRAMS, sizeof(*p));

	device(f, BLUE, 4, "eth4")->prog_id = 12;
	*p = (struct program){ .prog_id = 12, .prog_name = "fw" };
	refusal(f, 4, "LRO is on");
	update(f);
	assert_null(strstr(expect_only(f, "attach-failed")->text, "is attached"));
}

/* A generic program on another device does not matter. */
TEST_OF(test_generic_instead, setup, teardown, struct fixture *f)
{
	*snapshot_add_netdev(&f->from) = *device(f, BLUE, 4, "eth4");
	device(f, BLUE, 5, "eth5")->skb_prog_id = 8;
	refusal(f, 4, "Underlying driver does not support XDP in native mode");
	update(f);
	assert_int_equal(expect_only(f, "attach-failed")->severity, FINDING_WARNING);
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	f->to.n_event = 0;
	((struct netdev *)snapshot_find_netdev(&f->to, BLUE, 4))->skb_prog_id = 9;
	update(f);
	assert_int_equal(expect_only(f, "attach-failed")->severity, FINDING_INFO);
}
