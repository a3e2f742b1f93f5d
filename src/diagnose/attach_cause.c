// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/attach_cause.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "diagnose/driver.h"

/*
 * ethtool -l prints the maximum first, then the current setting, so awk exits at the first match.
 */
#define MAXIMUM "$({in}ethtool -l {dev} | awk '/^Combined:/ { print $2; exit }')"

#define SHOW_LINK "{ip} -d link show dev {dev}"
#define LOWER_MTU "{ip} link set dev {dev} mtu {number}\n" SHOW_LINK
/* `xdp off` alone means native mode if the driver supports that (net/core/dev.c, dev_xdp_mode()) */
#define DETACH                                 \
	"{ip} link set dev {dev} xdpdrv off\n" \
	"{ip} link set dev {dev} xdpgeneric off\n" SHOW_LINK
#define FRAGS                                                                              \
	"or load the program with BPF_F_XDP_HAS_FRAGS (SEC(\"xdp.frags\")) if the driver " \
	"supports it (rx-sg in the FEATURES column of the devices view)"

struct attach_row {
	const char *text; /* a part of the message, compared without case */
	struct cause cause;
};

#define ROW_OF(code, part, what, fix, commands, source)                                \
	{                                                                              \
		part,                                                                  \
		{                                                                      \
			AT_ATTACH, REDIRECT_ANY, code, what, { fix, commands }, source \
		}                                                                      \
	}
#define ROW(...)      ROW_OF(0, __VA_ARGS__)
#define ROW_BUSY(...) ROW_OF(-EBUSY, __VA_ARGS__)

/* The first matching row is used. Messages of 6.1, 6.12 and 7.3. */
/* clang-format off */
static const struct attach_row rows[] = {
	ROW("Peer MTU is too large",
	    "a frame of the peer's MTU does not fit in one page after XDP's headroom",
	    "lower the MTU of both ends, " FRAGS,
	    "{ip_peer} link set dev {peer} mtu {number}\n"
	    LOWER_MTU,
	    "drivers/net/veth.c, veth_xdp_set()"),
	ROW("rx queues not less than peer tx queues",
	    "the peer has more TX queues than this device has RX queues to run the program on",
	    "give the peer no more TX queues than this device has RX queues",
	    "{in_peer}ethtool -L {peer} tx $({in}ethtool -l {dev} | awk '/^RX:/ { n = $2 } END { print n }')\n"
	    "{in}ethtool -l {dev}",
	    "drivers/net/veth.c, veth_xdp_set()"),
	ROW("peer is detached",
	    "the veth's peer no longer exists",
	    "create the veth pair again",
	    SHOW_LINK,
	    "drivers/net/veth.c, veth_xdp_set()"),
	ROW("frags",
	    "at this MTU a frame needs several buffers, and the program was loaded without support "
	    "for them",
	    "lower the MTU, " FRAGS,
	    LOWER_MTU,
	    "the driver: i40e, ice, virtio_net, ionic, atlantic, bnxt_en"),
	ROW("MTU",
	    "a frame of this MTU does not fit in one buffer after XDP's headroom",
	    "lower the MTU, " FRAGS,
	    LOWER_MTU,
	    "the driver: ena, vmxnet3, virtio_net, nfp, mana, hv_netvsc, ice, i40e"),
	ROW("Jumbo frames",
	    "its driver does not support XDP with an MTU above 1500",
	    "lower the MTU",
	    LOWER_MTU,
	    "the driver: igc, stmmac"),
	ROW("buffer size is too small for the frame size",
	    "a frame of this MTU does not fit in one receive buffer of the NIC (2 or 3 KB)",
	    "lower the MTU",
	    LOWER_MTU,
	    "ethernet/intel/igb/igb_main.c, igb_xdp_setup()"),
	ROW("no enough space for allocating XDP queues",
	    "XDP needs one more TX queue for each channel, so at most half of the channels may be "
	    "in use",
	    "use at most half of the device's channels",
	    "{in}ethtool -L {dev} combined $(( " MAXIMUM " / 2 ))\n"
	    "{in}ethtool -l {dev}",
	    "ethernet/amazon/ena/ena_xdp.c, ena_xdp_set()"),
	ROW("Too few free TX rings",
	    "XDP needs one TX queue for each CPU in addition to the stack's queues, and the host "
	    "offers too few",
	    "use fewer queues, or have the host offer more (for virtio, twice as many queue pairs "
	    "as the guest has CPUs)",
	    "{in}ethtool -L {dev} combined $(( " MAXIMUM " - $(nproc) ))\n"
	    "{in}ethtool -l {dev}",
	    "drivers/net/virtio_net.c, virtnet_xdp_set()"),
	ROW("Insufficient number of TX rings",
	    "XDP needs a TX queue for each channel, and the device does not have enough",
	    "use at most half of the device's channels",
	    "{in}ethtool -L {dev} combined $(( " MAXIMUM " / 2 ))\n"
	    "{in}ethtool -l {dev}",
	    "ethernet/netronome/nfp/nfp_net_common.c, nfp_net_check_config()"),
	ROW("Not enough Tx resources",
	    "XDP needs a TX queue for each CPU, and the device does not have enough left",
	    "use fewer channels, or take queues from other functions of the NIC (VFs)",
	    "{in}ethtool -L {dev} combined $(( " MAXIMUM " / 2 ))\n"
	    "{in}ethtool -l {dev}",
	    "ethernet/intel/ice/ice_main.c, ice_xdp_setup_prog()"),
	ROW("split Tx/Rx",
	    "its channels are split into receive and transmit channels",
	    "use combined channels",
	    "{in}ethtool -L {dev} rx 0 tx 0 combined $(nproc)\n"
	    "{in}ethtool -l {dev}",
	    "ethernet/pensando/ionic/ionic_lif.c, ionic_xdp()"),
	ROW("host is implementing",
	    "the host passes on packets that it merged or whose checksum it did not compute, and "
	    "does not let the guest switch that off",
	    "on the host, give the device "
	    "guest_csum=off,guest_tso4=off,guest_tso6=off,guest_ecn=off,guest_ufo=off in QEMU, or "
	    "ctrl_guest_offloads=on; until then use generic mode",
	    "{in}ethtool -k {dev}",
	    "drivers/net/virtio_net.c, virtnet_xdp_set()"),
	ROW("any_header_sg",
	    "the host wants the virtio header in a separate buffer, but XDP needs the header in "
	    "the packet's buffer",
	    "use a newer host (VIRTIO_F_ANY_LAYOUT or VIRTIO_F_VERSION_1); until then use generic "
	    "mode",
	    "{in}ethtool -i {dev}",
	    "drivers/net/virtio_net.c, virtnet_xdp_set()"),
	ROW("GRO",
	    "the NIC merges packets before the program sees them",
	    "switch the merging off",
	    "{in}ethtool -K {dev} rx-gro-hw off lro off\n"
	    "{in}ethtool -k {dev}",
	    "the driver"),
	ROW("LRO",
	    "the NIC merges packets before the program sees them",
	    "switch LRO off",
	    "{in}ethtool -K {dev} lro off\n"
	    "{in}ethtool -k {dev}",
	    "the driver: hv_netvsc, gve"),
	ROW("tcp-data-split",
	    "the NIC puts TCP headers and data into separate buffers, but the program supports "
	    "only one buffer",
	    "switch the split off, " FRAGS,
	    "{in}ethtool -G {dev} tcp-data-split off\n"
	    "{in}ethtool -g {dev}",
	    "net/core/dev.c, dev_xdp_install()"),
	ROW("memory provider",
	    "a queue receives into the memory of a process (devmem TCP, io_uring), which no "
	    "program may read",
	    "end that process, or attach to another device",
	    "{in}ethtool -l {dev}",
	    "net/core/dev.c, dev_xdp_install()"),
	ROW_BUSY("Can't replace active BPF XDP link",
	    "the attached program belongs to a BPF link: only the link's owner can replace it, "
	    "unless the link is detached",
	    "detach the link (bpftool link detach id LINK), or end the process or remove the pin "
	    "that holds it",
	    "{in}bpftool net show dev {dev}\n"
	    "bpftool link show\n"
	    SHOW_LINK,
	    "net/core/dev.c, dev_xdp_attach()"),
	ROW_BUSY("Can't replace active XDP program with BPF link",
	    "a program is attached over netlink, and a BPF link cannot replace it",
	    "detach that program in its own mode; nothing else detaches it once its loader has "
	    "ended",
	    DETACH,
	    "net/core/dev.c, dev_xdp_attach()"),
	ROW_BUSY("XDP program already attached",
	    "the loader asked not to replace a program (XDP_FLAGS_UPDATE_IF_NOEXIST)",
	    "detach the old program in its mode, or have the loader replace it (ip -force)",
	    DETACH,
	    "net/core/dev.c, dev_xdp_attach()"),
	ROW_BUSY("Active program does not match",
	    "the program was replaced after the loader had looked it up (XDP_FLAGS_REPLACE)",
	    "two loaders use this device; stop one of them, or have both use libxdp",
	    SHOW_LINK "\n"
	    "{in}bpftool net show dev {dev}",
	    "net/core/dev.c, dev_xdp_attach()"),
	ROW("upper device already has a program",
	    "its bond has a program, which also runs for the bond's slaves",
	    "attach to the bond, or detach the bond's program first",
	    SHOW_LINK "\n"
	    "{in}bpftool net",
	    "net/core/dev.c, dev_xdp_attach()"),
	ROW("unset mode is ambiguous",
	    "programs are attached in more than one mode, and the loader did not name a mode",
	    "name the mode: xdpdrv, xdpgeneric or xdpoffload",
	    SHOW_LINK,
	    "net/core/dev.c, dev_xdp_attach()"),
	ROW_BUSY("Native and generic XDP",
	    "the device has a program in the other mode",
	    "detach the program that you do not want, then attach again",
	    DETACH,
	    "net/core/dev.c, dev_xdp_attach()"),
	ROW("current bonding mode",
	    "a bond supports XDP only in the modes round-robin, active-backup, xor and 802.3ad "
	    "(xor and 802.3ad without the hash vlan+srcmac)",
	    "set another mode while the bond has no slaves, or attach to the slaves",
	    SHOW_LINK,
	    "drivers/net/bonding/bond_main.c, bond_xdp_set()"),
	ROW("Slave device does not support XDP",
	    "a bond accepts a program only if all of its slaves do",
	    "find the slave whose driver does not support XDP and remove it from the bond, or use "
	    "generic mode",
	    "{ip} -d link show master {dev}",
	    "drivers/net/bonding/bond_main.c, bond_xdp_set()"),
	ROW("does not support XDP in native mode",
	    "only generic mode works with its driver",
	    "attach in generic mode (xdpgeneric), which costs an skb for each packet, or use a "
	    "device whose driver supports XDP",
	    "{in}ethtool -i {dev}\n"
	    SHOW_LINK,
	    "net/core/dev.c, dev_xdp_attach()"),
	ROW("programs can not be attached to a device",
	    "the program was loaded to run on entries of a devmap or cpumap, not on a device",
	    "load it again without that expected_attach_type (SEC(\"xdp\"))",
	    NULL,
	    "net/core/dev.c, dev_xdp_attach()"),
	ROW("HW_MODE",
	    "the program was loaded for offload to a NIC",
	    "attach it with xdpoffload, or load it again without a device",
	    "{in}ethtool -i {dev}",
	    "net/core/dev.c, dev_xdp_attach()"),
	ROW("bound to different device",
	    "the program was loaded for another device, either to use its metadata or to be "
	    "offloaded to it",
	    "load it again for this device",
	    NULL,
	    "net/core/dev.c, dev_xdp_attach()"),
	ROW("device-bound programs",
	    "the program was loaded for a device (metadata kfuncs), which generic mode does not "
	    "support",
	    "attach it in native mode, or load it again without a device",
	    NULL,
	    "net/core/dev.c, dev_xdp_attach()"),
	ROW("DDP firmware",
	    "the NIC runs in safe mode because it has not loaded its DDP package",
	    "install the firmware (ice.pkg from linux-firmware), then reload the driver",
	    "dmesg | grep -i ddp",
	    "ethernet/intel/ice/ice_main.c, ice_xdp_safe_mode()"),
	ROW("only on PF",
	    "this device is a virtual function",
	    "attach to the physical function, or use generic mode",
	    "{in}ethtool -i {dev}",
	    "ethernet/intel/ice/ice_main.c, ice_xdp()"),
	ROW("Only one XDP mode flag",
	    "the loader asked for several modes",
	    "fix the loader: it must name one mode",
	    NULL,
	    "net/core/dev.c, dev_xdp_attach()"),
	ROW("Invalid XDP flags for BPF link",
	    "the loader attaches through a BPF link, but passed flags that only netlink accepts",
	    "fix the loader: for a link, it may only set flags that select the mode",
	    NULL,
	    "net/core/dev.c, dev_xdp_attach()"),
	ROW("XDP_FLAGS_REPLACE is not specified",
	    "the loader named the program to replace, but did not set XDP_FLAGS_REPLACE",
	    "fix the loader: it must set XDP_FLAGS_REPLACE",
	    NULL,
	    "net/core/dev.c, dev_xdp_attach()"),
};
/* clang-format on */

const struct cause *attach_cause(const struct event *e)
{
	if (!(BIT(e->tracepoint) & AT_ATTACH))
		return NULL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcasestr(e->text, rows[i].text))
			return &rows[i].cause;
	return NULL;
}

bool attach_is_taken(const struct event *e)
{
	/* vmxnet3_xdp.c, vmxnet3_xdp_set() */
	return !strcmp(e->text, "vmxnet3: LRO is not supported with XDP");
}

/* The limit in "MTU 9000 larger than 3502" or "MTU(9000) > 3498"; 0 = the text has none. */
static uint32_t limit_in(const char *text)
{
	static const char *const before[] = { "larger than ", "> ", "max: ", "maximum " };

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		const char *at = strstr(text, before[i]);
		unsigned long n = at ? strtoul(at + strlen(before[i]), NULL, 10) : 0;

		if (n >= 68 && n <= 65535) /* ETH_MIN_MTU to ETH_MAX_MTU */
			return (uint32_t)n;
	}
	return 0;
}

uint32_t attach_mtu(const struct event *e, const struct netdev *d, const struct snapshot *s)
{
	return limit_in(e->text) ?: driver_mtu_max(driver_of(d), s) ?: 1500;
}
