// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/driver.h"

#define A_I   DRIVER_ABORTED | DRIVER_INVALID
#define A_I_T A_I | DRIVER_TX
#define ALL   A_I_T | DRIVER_ECHO

/*
 * Names: struct ethtool_drvinfo.driver, which is the driver of the parent device where a driver
 * does not fill it, and the kind of a virtual device.
 */
/* clang-format off */
const struct driver drivers[] = {
	/* virtual devices */
	{ "veth", "veth", A_I, TARGET_PEER,
	  "rx_queue_N_drops, rx_queue_N_xdp_tx_errors, tx_queue_N_xdp_xmit_errors" },
	{ "virtio_net", "virtio_net", A_I, TARGET_FOLLOWS,
	  "rxN_xdp_drops, txN_xdp_tx_drops" },
	{ "tun", "tun", A_I | DRIVER_FLUSHES_EACH, TARGET_ALWAYS,
	  "link rx_dropped, tx_dropped" },
	{ "bonding", "bonding bond", 0, TARGET_SLAVES, NULL },
	{ "vmxnet3", "vmxnet3", A_I, TARGET_FOLLOWS,
	  "xdp drops, xdp aborted, xdp xmit err" },
	{ "xen-netfront", "vif xen_netfront", DRIVER_ABORTED | DRIVER_TX | DRIVER_ECHO, TARGET_ALWAYS,
	  NULL },
	{ "netvsc", "hv_netvsc", DRIVER_ABORTED | DRIVER_ECHO, TARGET_ALWAYS,
	  "rx_queue_N_xdp_drop" },
	/* clouds */
	{ "mana", "mana", DRIVER_ABORTED | DRIVER_ECHO, TARGET_ALWAYS,
	  "rx_N_xdp_drop" },
	{ "ena", "ena", DRIVER_ABORTED | DRIVER_ECHO, TARGET_FOLLOWS,
	  "rx_xdp_aborted, rx_xdp_invalid, xdp_tx_prepare_ctx_err" },
	{ "gve", "gve", 0, TARGET_FOLLOWS,
	  "rx_xdp_aborted[N], rx_xdp_tx_errors[N], rx_xdp_redirect_errors[N], rx_xdp_alloc_fails[N], "
	  "tx_xdp_xmit_errors" },
	/* NICs; mlx5 is TARGET_FOLLOWS in 7.2, with features to say so */
	{ "mlx5", "mlx5_core", ALL, TARGET_ALWAYS,
	  "tx_xdp_full, tx_xdp_err, rx_xdp_tx_full, rx_xdp_drop, rx_out_of_buffer" },
	{ "mlx4", "mlx4_en mlx4_core", ALL, TARGET_NEVER,
	  "rx_xdp_redirect_fail, rx_xdp_tx_full" },
	{ "i40e", "i40e", ALL, TARGET_FOLLOWS, "tx_busy, rx_pg_alloc_fail" },
	{ "ice", "ice", ALL, TARGET_FOLLOWS, "tx_busy, rx_dropped.nic" },
	{ "ixgbe", "ixgbe", ALL, TARGET_FOLLOWS, "alloc_rx_page_failed" },
	{ "ixgbevf", "ixgbevf", A_I_T, TARGET_NEVER, NULL },
	{ "igb", "igb", ALL, TARGET_FOLLOWS, "rx_queue_N_alloc_failed" },
	{ "igc", "igc", ALL, TARGET_FOLLOWS, "rx_queue_N_alloc_failed" },
	{ "idpf", "idpf", ALL, TARGET_FOLLOWS, NULL },
	{ "bnxt", "bnxt_en", ALL, TARGET_FOLLOWS, NULL },
	{ "qede", "qede", A_I_T, TARGET_ALWAYS, "xdp_no_pass, stopped_cnt" },
	{ "sfc", "sfc sfc?siena", ALL, TARGET_ALWAYS, "rx_xdp_bad_drops" },
	{ "nfp", "nfp nfp_netvf", A_I_T, TARGET_NEVER, NULL },
	{ "aquantia", "atlantic", ALL | DRIVER_FLUSHES_EACH, TARGET_ALWAYS, "Queue[N] XdpAbort" },
	{ "ionic", "ionic", ALL, TARGET_ALWAYS, "xdp_aborted" },
	{ "otx2", "rvu?nicpf rvu?nicvf octeontx2-nic*", DRIVER_ABORTED, TARGET_FOLLOWS, NULL },
	{ "funeth", "funeth", A_I, TARGET_FOLLOWS, "tx_xdp_full" },
	{ "nicvf", "nicvf thunder-nicvf", A_I, TARGET_NEVER, NULL },
	{ "fbnic", "fbnic", A_I, TARGET_NEVER, NULL },
	/* parts of a chip */
	{ "mvneta", "mvneta", A_I, TARGET_ALWAYS, "rx_xdp_tx_errors, tx_xdp_xmit_errors" },
	{ "mvpp2", "mvpp2", A_I, TARGET_ALWAYS, "rx_xdp_tx_errors, tx_xdp_xmit_errors" },
	{ "stmmac", "st_gmac st_xgmac st_mac100 dwmac*", A_I, TARGET_FOLLOWS,
	  "link rx_dropped" },
	{ "cpsw", "cpsw*", A_I | DRIVER_FLUSHES_EACH, TARGET_ALWAYS, "link tx_dropped" },
	{ "am65-cpsw", "am65-cpsw*", ALL, TARGET_ALWAYS, "link rx_dropped, tx_dropped" },
	{ "icssg", "icssg*", ALL, TARGET_ALWAYS, "link rx_dropped, tx_dropped" },
	{ "netsec", "netsec", A_I, TARGET_ALWAYS, NULL },
	{ "dpaa2", "fsl_dpaa2_eth", A_I, TARGET_ALWAYS, "[drv] xdp drop" },
	{ "dpaa", "fsl_dpa fsl_dpaa_eth", A_I | DRIVER_ECHO, TARGET_ALWAYS,
	  "link tx_errors" },
	{ "enetc", "fsl_enetc* nxp_enetc*", A_I, TARGET_ALWAYS,
	  "Rx ring N redirect failures, Tx ring N XDP drops" },
	{ "fec", "fec", ALL, TARGET_FOLLOWS, "rx_xdp_drop, rx_xdp_tx_errors" },
	{ "tsnep", "tsnep", ALL, TARGET_ALWAYS, NULL },
	{ "mtk", "mtk_soc_eth", A_I, TARGET_ALWAYS, "rx_xdp_tx_errors, tx_xdp_xmit_errors" },
	{ "lan966x", "lan966x*", A_I, TARGET_ALWAYS, NULL },
};
/* clang-format on */

const size_t n_drivers = sizeof(drivers) / sizeof(drivers[0]);
