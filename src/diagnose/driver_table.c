// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/bpf.h>
#include "diagnose/driver.h"

/* clang-format off */
#define A_I   DRIVER_ABORTED | DRIVER_INVALID
#define A_I_T A_I | DRIVER_TX
#define ALL   A_I_T | DRIVER_ECHO
#define DROP_ALL DRIVER_DROP_ABORTED | DRIVER_DROP_FAILED

/* Rows of causes. Paths are relative to drivers/net/. */
#define CAUSES(...) (const struct cause[]){ __VA_ARGS__, { 0 } }
#define XMIT(...) XMIT_OF(0, __VA_ARGS__)
#define XMIT_OF(kernels, err, meaning, next, commands, file) \
	{ AT_XMIT, REDIRECT_ANY | (kernels), err, meaning, { next, commands }, "drivers/net/" file }
#define NO_XMIT(meaning, next, commands) \
	{ AT_REDIRECT_ERR, REDIRECT_TO_DEVICE, -EOPNOTSUPP, meaning, { next, commands }, \
	  "kernel/bpf/devmap.c, __xdp_enqueue()" }
#define ACT(act, meaning, next, commands, file) \
	{ AT_EXCEPTION, REDIRECT_ANY, act, meaning, { next, commands }, "drivers/net/" file }
/* A lost XDP_TX frame is also in xdp_exception, a lost redirected frame in xdp_devmap_xmit. */
#define LIBETH_FULL \
	{ AT_BULK_TX, REDIRECT_ANY, -ENXIO, \
	  "the transmit ring is full (XDP_TX and redirects; fragments and retries count)", \
	  { SLOWER "; xdp_devmap_xmit also counts the redirected frames", \
	    "{in}ethtool -g {dev}\n{in}ethtool -S {dev}" }, \
	  "include/net/libeth/xdp.h, __libeth_xdp_tx_flush_bulk()" }
/* Frames are dropped without an errno. The ethtool -S counter has their number. */
#define FULL(counter, file) \
	XMIT(0, "the target's transmit ring is full, or a devmap program dropped frames", \
	     SLOWER "; ethtool -S TARGET counts it as " counter, RING, file)
#define UNSUPPORTED(file) \
	ACT(XDP_REDIRECT, "this driver does not support XDP_REDIRECT: it drops the packet", \
	    "attach the program in generic mode, or to another device", \
	    "{in}ethtool -i {dev}", file)
#define RETRIED(file) \
	{ AT_REDIRECT_ERR, REDIRECT_XSKMAP, -ENOBUFS, \
	  "the AF_XDP receive ring is full; zero-copy on 6.1 keeps the frame and retries", \
	  { "have its program read faster; XDP_STATISTICS counts each try as rx_ring_full", \
	    "{sockets}" }, "drivers/net/" file }

#define SLOWER  "use a larger TX ring (ethtool -G), more queues, or a slower sender"
#define PROGRAM "load an XDP program on the target (it may just return XDP_PASS)"
#define LINK    "{ip_to} -d link show dev {to}"
#define NET     LINK "\n{in_to}bpftool net"
#define QUEUES  "{in_to}ethtool -l {to}"
#define RING    "{in_to}ethtool -g {to}\n{in_to}ethtool -S {to}"
#define INTEL   "ethernet/intel/"

const struct cause target_causes[TARGET_NEVER + 1] = {
	[TARGET_ALWAYS] = NO_XMIT(
		"the frames have several buffers, or a setting of the target forbids XDP",
		"lower the ingress MTU; check the target's rings, channels and offloads",
		LINK "\n" QUEUES),
	[TARGET_FOLLOWS] = NO_XMIT(
		"the target sends XDP frames only while it has a native program",
		PROGRAM "; if the target has one, lower the MTU, because frames of several buffers "
			"do not fit", NET),
	[TARGET_PEER] = NO_XMIT(
		"the target cannot transmit XDP frames now: its peer has neither XDP nor GRO, or "
		"too many TX queues",
		"load an XDP program on the peer, or (not on 5.10) switch GRO on there; the peer "
		"must not have more TX queues than the veth has RX queues (ethtool -L)",
		"{ip_peer} -d link show dev {peer}\n" QUEUES "\n{in_peer}ethtool -K {peer} gro on"),
	[TARGET_SLAVES] = NO_XMIT(
		"a slave of the bond does not accept XDP frames, or the bond's mode does not "
		"support XDP",
		"load an XDP program on the bond (each slave needs one); the modes with XDP are "
		"round-robin, active-backup, 802.3ad and xor, without the hash vlan+srcmac",
		LINK "\n{ip_to} -d link show master {to}"),
	[TARGET_NEVER] = NO_XMIT(
		"the target's driver never accepts redirected frames, although it supports native "
		"XDP",
		"choose another target, or let the stack send (XDP_PASS); a program on the target "
		"does not help",
		"{in_to}ethtool -i {to}"),
};

/*
 * Names as in struct ethtool_drvinfo.driver; if a driver leaves it empty, its parent device's
 * driver; for a virtual device its kind.
 */
const struct driver drivers[] = {
	/* virtual devices */
	{ "veth", "veth", A_I | DRIVER_BULK_TX | DRIVER_DROP_ABORTED, TARGET_PEER,
	  "rx_queue_N_drops, rx_queue_N_xdp_tx_errors, tx_queue_N_xdp_xmit_errors",
	  CAUSES(XMIT(0, "the ring of the veth's peer is full, a frame exceeds its MTU, or a "
		      "devmap program dropped frames",
		      "speed up the receiver behind the peer, and make both MTUs equal, because "
		      "since 6.1 one long frame also loses the rest of its bulk. ethtool -S TARGET "
		      "counts lost frames as tx_queue_N_xdp_xmit_errors",
		      LINK "\n{ip_peer} -d link show dev {peer}\n{in_to}ethtool -S {to}",
		      "veth.c, veth_xdp_xmit()"),
		 XMIT_OF(UP_TO(6, 2), -ENXIO, "the veth's peer is down, or has neither XDP nor GRO",
			 "bring the peer up, and load an XDP program there or (not on 5.10) switch GRO on",
			 "{ip_peer} -d link show dev {peer}\n{ip_peer} link set dev {peer} up\n"
			 "{in_peer}ethtool -K {peer} gro on", "veth.c, veth_xdp_xmit()"),
		 XMIT(-ENXIO, "the veth's peer is down", "bring the peer up",
		      "{ip_peer} -d link show dev {peer}\n{ip_peer} link set dev {peer} up",
		      "veth.c, veth_xdp_xmit()"),
		 { AT_BULK_TX, REDIRECT_ANY, -ENXIO,
		   "the veth peer cannot receive XDP frames: it is down, or has no XDP program",
		   { "bring the peer up, and load an XDP program there (GRO alone does not help)",
		     "{ip} -d link show dev {dev}\n{ip_peer} -d link show dev {peer}\n"
		     "{ip_peer} link set dev {peer} up" },
		   "drivers/net/veth.c, veth_xdp_xmit()" },
		 ACT(XDP_TX, "the buffer could not be converted to an XDP frame: not enough "
			     "headroom or tailroom",
		     "xdp_bulk_tx reports a full ring instead",
		     "{ip} -d link show dev {dev}\n{in}ethtool -S {dev}", "veth.c, veth_xdp_tx()")) },
	{ "virtio_net", "virtio_net", A_I | DROP_ALL, TARGET_FOLLOWS,
	  "rxN_xdp_drops, txN_xdp_tx_drops",
	  CAUSES(XMIT(0, "the TX ring is full, the frame has too little headroom, or a devmap "
		      "program dropped frames",
		      SLOWER "; ethtool -S TARGET counts it as txN_xdp_tx_drops",
		      RING, "virtio_net.c, virtnet_xdp_xmit()"),
		 XMIT(-ENXIO, "the target has no XDP program, and without one it has no XDP TX queues",
		      PROGRAM, NET, "virtio_net.c, virtnet_xdp_xmit()"),
		 ACT(XDP_TX, "XDP_TX has no queue to send on; the driver counts a full ring, but "
			     "does not report it",
		     "attach the program again; ethtool -S counts a full ring as txN_xdp_tx_drops",
		     "{in}ethtool -l {dev}\n{in}ethtool -S {dev}",
		     "virtio_net.c, virtnet_xdp_handler()")) },
	{ "tun", "tun", A_I | DRIVER_FLUSHES_EACH | DRIVER_LINK | DRIVER_RX_LESS, TARGET_ALWAYS,
	  "rx_dropped, tx_dropped",
	  CAUSES(XMIT(0, "the ring to the program that reads the tap is full, or a devmap program "
		      "dropped frames",
		      "have that program read faster (vhost, more queues), or give the tap a "
		      "longer txqueuelen (tx_dropped of the link counts these)",
		      "{ip_to} -s -d link show dev {to}", "tun.c, tun_xdp_xmit()"),
		 XMIT(-ENXIO, "no program has the tap open",
		      "start the program that reads it, such as its virtual machine", LINK,
		      "tun.c, tun_xdp_xmit()")) },
	{ "bonding", "bonding bond", 0, TARGET_SLAVES, NULL,
	  CAUSES(XMIT(-ENXIO, "no slave of the bond can send now",
		      "make sure that a slave is up and has carrier",
		      LINK "\n{ip_to} -d link show master {to}",
		      "bonding/bond_main.c, bond_xdp_xmit()")) },
	{ "vmxnet3", "vmxnet3", A_I, TARGET_FOLLOWS, "xdp drops, xdp aborted, xdp xmit err, pkts rx OOB",
	  CAUSES(FULL("xdp xmit err", "vmxnet3/vmxnet3_xdp.c, vmxnet3_xdp_xmit()"),
		 XMIT(-EINVAL, "the target is resetting", "wait; dmesg says why the target resets",
		      "dmesg | grep -F -e {to}", "vmxnet3/vmxnet3_xdp.c, vmxnet3_xdp_xmit()")) },
	{ "xen-netfront", "vif xen_netfront", DRIVER_ABORTED | DRIVER_TX | DRIVER_ECHO, TARGET_ALWAYS,
	  NULL,
	  CAUSES(XMIT(-ENODEV, "the target's backend is broken",
		      "attach the device again, or restart the guest", "dmesg | grep -F -e {to}",
		      "xen-netfront.c, xennet_xdp_xmit()")) },
	{ "netvsc", "hv_netvsc", DRIVER_ABORTED | DRIVER_ECHO, TARGET_ALWAYS, "rx_queue_N_xdp_drop",
	  CAUSES(XMIT(0, "the VF that sends for the target is gone, its ring is full, or a devmap "
		      "program dropped frames",
		      "check the VF (its master is the target) and its counters",
		      "{ip_to} -d link show master {to}\n{in_to}ethtool -S {to}",
		      "hyperv/netvsc_bpf.c, netvsc_ndoxdp_xmit()")) },
	/* clouds */
	{ "mana", "mana", DRIVER_ABORTED | DRIVER_ECHO, TARGET_ALWAYS, "rx_N_xdp_drop",
	  CAUSES(XMIT(0, "the target's port is down, its ring is full, or a devmap program dropped "
			 "frames",
		      "check the link first; then " SLOWER, LINK "\n" RING,
		      "ethernet/microsoft/mana/mana_bpf.c, mana_xdp_xmit()")) },
	{ "ena", "ena", DRIVER_ABORTED | DRIVER_ECHO, TARGET_FOLLOWS,
	  "rx_xdp_aborted, rx_xdp_invalid, xdp_tx_prepare_ctx_err, pps_allowance_exceeded",
	  CAUSES(XMIT(-ENXIO, "the target has no XDP program", PROGRAM, NET,
		      "ethernet/amazon/ena/ena_xdp.c, ena_xdp_xmit()"),
		 NO_XMIT("the target has no native program, or uses more than half of its channels",
			 PROGRAM "; XDP needs one more queue for each channel, so use at most half "
			 "of the channels (ethtool -L)", NET "\n" QUEUES),
		 ACT(XDP_TX, "the buffer could not be converted to an XDP frame; a failed send is "
			     "not reported",
		     "ethtool -S counts failed sends as xdp_tx_prepare_ctx_err",
		     "{in}ethtool -S {dev}", "ethernet/amazon/ena/ena_xdp.h, ena_xdp_execute()")) },
	{ "gve", "gve", 0, TARGET_FOLLOWS,
	  "rx_xdp_aborted[N], rx_xdp_tx_errors[N], rx_xdp_redirect_errors[N], rx_xdp_alloc_fails[N], "
	  "tx_xdp_xmit_errors",
#define GVE "ethernet/google/gve/, gve_xdp_xmit()"
	  CAUSES(FULL("tx_xdp_xmit_errors", GVE),
		 XMIT(-EBUSY, "the target's transmit ring is full",
		      SLOWER "; ethtool -S TARGET counts it as tx_xdp_xmit_errors", RING, GVE),
		 XMIT(-ENOMEM, "no memory for the frame in the target's transmit ring",
		      SLOWER "; check memory pressure", RING "\nfree -m", GVE),
		 XMIT(-EINVAL, "the target has no XDP program", PROGRAM, NET, GVE),
		 XMIT(-EOPNOTSUPP, "the target's queue format cannot transmit XDP frames",
		      "choose another queue format or target", "{in_to}ethtool -i {to}", GVE)) },
#undef GVE
	/* NICs; in 7.2 mlx5 is TARGET_FOLLOWS, which its feature flags show */
	{ "mlx5", "mlx5_core", ALL | DROP_ALL | DRIVER_RX_PASSED, TARGET_ALWAYS,
	  "tx_xdp_full, tx_xdp_err, rx_xdp_tx_full, rx_xdp_drop (all kinds), rx_out_of_buffer, "
	  "rx_discards_phy",
#define MLX5 "ethernet/mellanox/mlx5/core/en/xdp.c, mlx5e_xdp_xmit()"
	  CAUSES(FULL("tx_xdp_full or tx_xdp_err", MLX5),
		 XMIT(-ENETDOWN, "the target's channels are closed or being reconfigured",
		      "bring the target up, or stop changing its settings. The target needs no XDP "
		      "program",
		      LINK "\n{in_to}ethtool {to}", MLX5),
		 XMIT(-ENXIO, "the CPU's number is not below the target's number of channels",
		      "use as many channels as CPUs (ethtool -L), or receive only on low CPUs", QUEUES, MLX5),
		 NO_XMIT("LRO or HW-GRO is on (up to 6.12), or the target has no native program (7.2)",
			 "switch LRO and HW-GRO off (ethtool -K); on 7.2, also load an XDP program",
			 "{in_to}ethtool -k {to}\n" NET)) },
#undef MLX5
	{ "mlx4", "mlx4_en mlx4_core", ALL, TARGET_NEVER, "rx_xdp_redirect_fail, rx_xdp_tx_full", NULL },
	{ "i40e", "i40e", ALL, TARGET_FOLLOWS, "tx_busy, rx_pg_alloc_fail",
	  CAUSES(FULL("tx_busy", INTEL "i40e/i40e_txrx.c, i40e_xdp_xmit()"),
		 XMIT(-ENXIO, "the target has fewer queue pairs than CPUs, is being configured, or "
		      "has no program",
		      "use as many queue pairs as CPUs (ethtool -L); load an XDP program on the "
		      "target",
		      QUEUES "\n" NET, INTEL "i40e/i40e_txrx.c, i40e_xdp_xmit()"),
		 RETRIED(INTEL "i40e/i40e_xsk.c, i40e_run_xdp_zc()")) },
	{ "ice", "ice", ALL, TARGET_FOLLOWS, "tx_busy, rx_dropped.nic",
	  CAUSES(FULL("tx_busy", INTEL "ice/ice_txrx.c, ice_xdp_xmit()"),
		 XMIT(-ENXIO, "the target has no XDP program or, on 5.10, fewer rings than CPUs",
		      PROGRAM, NET "\n" QUEUES, INTEL "ice/ice_txrx.c, ice_xdp_xmit()"),
		 RETRIED(INTEL "ice/ice_xsk.c, ice_run_xdp_zc()")) },
	{ "ixgbe", "ixgbe", ALL, TARGET_FOLLOWS, "alloc_rx_page_failed, rx_no_dma_resources",
	  CAUSES(XMIT(-ENETDOWN, "the target is down or resetting; since 7.2, it may also have "
				 "no carrier",
		      "check ip link, the cable, and dmesg for resets", LINK "\n{in_to}ethtool {to}",
		      INTEL "ixgbe/ixgbe_main.c, ixgbe_xdp_xmit()"),
		 XMIT(-ENXIO, "the target has no XDP program, or its transmit queue is disabled",
		      PROGRAM, NET, INTEL "ixgbe/ixgbe_main.c, ixgbe_xdp_xmit()")) },
	{ "ixgbevf", "ixgbevf", A_I_T, TARGET_NEVER, NULL,
	  CAUSES(UNSUPPORTED(INTEL "ixgbevf/ixgbevf_main.c, ixgbevf_run_xdp()")) },
	{ "igb", "igb", ALL, TARGET_FOLLOWS, "rx_queue_N_alloc_failed, rx_queue_N_drops",
	  CAUSES(XMIT(-ENXIO, "the target has no XDP program, or its transmit queue is disabled",
		      PROGRAM, NET, INTEL "igb/igb_main.c, igb_xdp_xmit()")) },
	{ "igc", "igc", ALL, TARGET_FOLLOWS, "rx_queue_N_alloc_failed, rx_queue_N_drops",
	  CAUSES(XMIT(-ENETDOWN, "the target has no carrier", "check the cable and the other end",
		      LINK "\n{in_to}ethtool {to}", INTEL "igc/igc_main.c, igc_xdp_xmit()")) },
	{ "idpf", "idpf", ALL, TARGET_FOLLOWS, NULL,
	  CAUSES(XMIT(-ENETDOWN, "the target's link is down", "check the link, and dmesg for resets",
		      LINK "\n{in_to}ethtool {to}", INTEL "idpf/xdp.c, idpf_xdp_xmit()"),
		 ACT(XDP_TX, "XDP_TX frames were not sent; one event is counted for a whole bulk",
		     "check the ring size, the link and ethtool -S",
		     "{in}ethtool -g {dev}\n{in}ethtool -S {dev}", INTEL "libeth/xdp.c"),
		 LIBETH_FULL) },
	{ "bnxt", "bnxt_en", ALL, TARGET_FOLLOWS, NULL,
	  CAUSES(XMIT(-EINVAL, "the target is down, is closing, or has no XDP program",
		      "bring it up; " PROGRAM, NET,
		      "ethernet/broadcom/bnxt/bnxt_xdp.c, bnxt_xdp_xmit()"),
		 ACT(XDP_REDIRECT, "the redirect failed (see xdp_redirect_err), or there was no "
		     "memory to refill the ring",
		     "check xdp_redirect_err of the same device; if it has none, check memory "
		     "pressure",
		     "free -m", "ethernet/broadcom/bnxt/bnxt_xdp.c, bnxt_rx_xdp()")) },
	{ "qede", "qede", A_I_T, TARGET_ALWAYS, "xdp_no_pass, stopped_cnt",
	  CAUSES(XMIT(-ENETDOWN, "the target is down, or has no XDP program and therefore no "
				 "XDP transmit queues",
		      "bring it up; " PROGRAM, NET, "ethernet/qlogic/qede/qede_fp.c, qede_xdp_transmit()"),
		 ACT(XDP_TX, "XDP_TX failed because the ring is full, or there was no memory to "
			     "refill the receive ring",
		     "check the ring size and memory pressure",
		     "{in}ethtool -g {dev}\n{in}ethtool -S {dev}\nfree -m",
		     "ethernet/qlogic/qede/qede_fp.c, qede_rx_xdp()"),
		 ACT(XDP_REDIRECT, "there was no memory to refill the receive ring, so the packet "
				   "is dropped",
		     "check memory pressure", "free -m",
		     "ethernet/qlogic/qede/qede_fp.c, qede_rx_xdp()")) },
	{ "sfc", "sfc sfc?siena", ALL, TARGET_ALWAYS, "rx_xdp_bad_drops",
	  CAUSES(XMIT(-EINVAL, "the target is down, or has no XDP transmit queue for this CPU",
		      "bring the target up, and use as many channels as CPUs (ethtool -L)",
		      LINK "\n" QUEUES,
		      "ethernet/sfc/tx.c, efx_xdp_tx_buffers()"),
		 XMIT(-EIO, "the target's transmit queue is full", SLOWER, RING,
		      "ethernet/sfc/tx.c, efx_xdp_tx_buffers()")) },
	{ "nfp", "nfp nfp_netvf", A_I_T, TARGET_NEVER, NULL,
	  CAUSES(UNSUPPORTED("ethernet/netronome/nfp/nfd3/dp.c, nfp_nfd3_rx()")) },
	{ "aquantia", "atlantic", ALL | DRIVER_FLUSHES_EACH, TARGET_ALWAYS, "Queue[N] XdpAbort",
	  CAUSES(ACT(XDP_PASS, "the driver could not build an skb for the packet",
		     "check memory pressure", "free -m",
		     "ethernet/aquantia/atlantic/aq_ring.c, aq_xdp_run_prog()")) },
	{ "ionic", "ionic", ALL, TARGET_ALWAYS, "xdp_aborted",
#define IONIC "ethernet/pensando/ionic/ionic_txrx.c, ionic_xdp_xmit()"
	  CAUSES(XMIT(-EIO, "the target's transmit queue is stopped or full", SLOWER, RING, IONIC),
		 XMIT(-EPERM, "the first frame of the bulk could not be mapped for DMA",
		      "check dmesg, the IOMMU, and swiotlb", "dmesg | grep -F -e {to}", IONIC)) },
#undef IONIC
	{ "otx2", "rvu?nicpf rvu?nicvf octeontx2-nic*", DRIVER_ABORTED, TARGET_FOLLOWS, NULL,
	  CAUSES(XMIT(-ENXIO, "the target has no XDP program",
		      PROGRAM "; use at least as many queues as CPUs, because the driver does not "
			      "check that",
		      NET "\n" QUEUES, "ethernet/marvell/octeontx2/nic/otx2_pf.c, otx2_xdp_xmit()")) },
	{ "funeth", "funeth", A_I, TARGET_FOLLOWS, "tx_xdp_full",
	  CAUSES(FULL("tx_xdp_full", "ethernet/fungible/funeth/funeth_tx.c, fun_xdp_xmit_frames()"),
		 XMIT(-ENXIO, "the CPU's number is not below the target's number of XDP queues",
		      "use as many queues as CPUs (ethtool -L), or receive only on low CPUs", QUEUES,
		      "ethernet/fungible/funeth/funeth_tx.c, fun_xdp_xmit_frames()")) },
	{ "nicvf", "nicvf thunder-nicvf", A_I, TARGET_NEVER, NULL,
	  CAUSES(UNSUPPORTED("ethernet/cavium/thunder/nicvf_main.c, nicvf_xdp_rx()")) },
	{ "fbnic", "fbnic", A_I, TARGET_NEVER, NULL,
	  CAUSES(UNSUPPORTED("ethernet/meta/fbnic/fbnic_txrx.c, fbnic_run_xdp()")) },
	/* SoC network controllers */
	{ "mvneta", "mvneta", A_I, TARGET_ALWAYS, "rx_xdp_tx_errors, tx_xdp_xmit_errors",
	  CAUSES(FULL("tx_xdp_xmit_errors", "ethernet/marvell/mvneta.c, mvneta_xdp_xmit()")) },
	{ "mvpp2", "mvpp2", A_I, TARGET_ALWAYS, "rx_xdp_tx_errors, tx_xdp_xmit_errors",
	  CAUSES(FULL("tx_xdp_xmit_errors", "ethernet/marvell/mvpp2/mvpp2_main.c, mvpp2_xdp_xmit()"),
		 NO_XMIT("the target's buffer pools are not per CPU, or frames have several buffers",
			 "lower the MTU of the target and of the ingress", LINK)) },
	{ "stmmac", "st_gmac st_xgmac st_mac100 dwmac*", A_I | DRIVER_LINK, TARGET_FOLLOWS, "rx_dropped",
	  CAUSES(XMIT(0, "the ring is full, a frame exceeds the schedule's max_sdu, or a devmap "
		      "program dropped frames",
		      SLOWER "; check max-sdu of the target's taprio",
		      "{in_to}tc qdisc show dev {to}\n" RING,
		      "ethernet/stmicro/stmmac/stmmac_main.c, stmmac_xdp_xmit_xdpf()")) },
	{ "cpsw", "cpsw*", A_I | DRIVER_FLUSHES_EACH | DRIVER_LINK, TARGET_ALWAYS, "tx_dropped",
	  CAUSES(XMIT(0, "a frame is shorter than 60 bytes, the ring is full, or a devmap program "
		      "dropped frames",
		      "have the program pad short frames (bpf_xdp_adjust_tail()); the link "
		      "counts dropped frames as tx_dropped",
		      "{ip_to} -s link show dev {to}", "ethernet/ti/cpsw_priv.c, cpsw_xdp_tx_frame()")) },
	{ "am65-cpsw", "am65-cpsw*", ALL | DRIVER_LINK, TARGET_ALWAYS, "rx_dropped, tx_dropped", NULL },
	{ "icssg", "icssg*", ALL | DRIVER_LINK, TARGET_ALWAYS, "rx_dropped, tx_dropped", NULL },
	{ "netsec", "netsec", A_I, TARGET_ALWAYS, NULL, NULL },
	{ "dpaa2", "fsl_dpaa2_eth", A_I, TARGET_ALWAYS,
	  "[drv] xdp drop, [hw] rx nobuffer discards", NULL },
	{ "dpaa", "fsl_dpa fsl_dpaa_eth", A_I | DRIVER_ECHO | DRIVER_LINK, TARGET_ALWAYS, "tx_errors", NULL },
	{ "enetc", "fsl_enetc* nxp_enetc*", A_I, TARGET_ALWAYS,
	  "Rx ring N redirect failures, Tx ring N XDP drops",
	  CAUSES(FULL("Tx ring N XDP drops", "ethernet/freescale/enetc/enetc.c, enetc_xdp_xmit()"),
		 XMIT(-ENETDOWN, "the target is down or has no carrier",
		      "check the cable and the other end", LINK "\n{in_to}ethtool {to}",
		      "ethernet/freescale/enetc/enetc.c, enetc_xdp_xmit()")) },
	{ "fec", "fec", ALL, TARGET_FOLLOWS, "rx_xdp_drop, rx_xdp_tx_errors",
	  CAUSES(ACT(XDP_PASS, "the driver could not build an skb for the packet",
		     "check memory pressure", "free -m", "ethernet/freescale/fec_main.c")) },
	{ "tsnep", "tsnep", ALL, TARGET_ALWAYS, NULL, NULL },
	{ "mtk", "mtk_soc_eth", A_I, TARGET_ALWAYS, "rx_xdp_tx_errors, tx_xdp_xmit_errors",
	  CAUSES(FULL("tx_xdp_xmit_errors", "ethernet/mediatek/mtk_eth_soc.c, mtk_xdp_xmit()")) },
	{ "lan966x", "lan966x*", A_I, TARGET_ALWAYS, NULL, NULL },
};
/* clang-format on */

const size_t n_drivers = sizeof(drivers) / sizeof(drivers[0]);
