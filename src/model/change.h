/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can change beside the traffic: programs, devices, their settings, map entries, sockets,
 * CPUs. A change is an event (struct event) without a tracepoint.
 */
#ifndef XDPTOP_CHANGE_H
#define XDPTOP_CHANGE_H

#define CHANGE_VALUE_LEN 128 /* a value before or after; longer ones are cut */

/* clang-format off */
/* Id, name in outputs and filters, meaning. */
#define CHANGE_ROWS(ROW) \
	ROW(PROGRAM_ATTACHED, "program-attached", "a device has an XDP program that it did not have") \
	ROW(PROGRAM_REPLACED, "program-replaced", "a device runs another XDP program, or in another mode") \
	ROW(PROGRAM_DETACHED, "program-detached", "a device has no XDP program any more") \
	ROW(HOLDER_DIED, "holder-died", "no process holds an attached program any more") \
	ROW(LINK_UP, "link-up", "a device was set up, or got a carrier") \
	ROW(LINK_DOWN, "link-down", "a device was set down, or lost its carrier") \
	ROW(RENAMED, "renamed", "a device has another name") \
	ROW(MOVED, "moved", "a device is in another network namespace") \
	ROW(DEVICE_GONE, "device-gone", "a device was deleted, or its network namespace has ended") \
	ROW(MTU, "mtu", "the MTU of a device") \
	ROW(CHANNELS, "channels", "the channels of a device (ethtool -l)") \
	ROW(RX_RING, "rx-ring", "the size of a device's receive rings (ethtool -g)") \
	ROW(TX_RING, "tx-ring", "the size of a device's transmit rings (ethtool -g)") \
	ROW(OFFLOADS, "offloads", "the offloads of a device that matter to XDP (ethtool -k)") \
	ROW(XDP_FEATURES, "xdp-features", "what XDP can do on a device") \
	ROW(ENTRY_ADDED, "entry-added", "a devmap, cpumap or xskmap has a new entry") \
	ROW(ENTRY_CHANGED, "entry-changed", "a map entry leads to another target") \
	ROW(ENTRY_REMOVED, "entry-removed", "a map entry was deleted") \
	ROW(SOCKET_BOUND, "socket-bound", "an AF_XDP socket was bound to a queue") \
	ROW(SOCKET_CLOSED, "socket-closed", "an AF_XDP socket that was bound is closed") \
	ROW(CPU_ON, "cpu-on", "a CPU came online") \
	ROW(CPU_OFF, "cpu-off", "a CPU went offline")
/* clang-format on */

#define CHANGE_ID(id, name, help) CHANGE_##id,
enum change { CHANGE_NONE, CHANGE_ROWS(CHANGE_ID) CHANGES };
#undef CHANGE_ID

struct change_word {
	const char *name, *help;
};

/* By enum change; CHANGE_NONE has "". */
extern const struct change_word change_words[CHANGES];

/* The reverse of change_words[].name; CHANGE_NONE when unknown. */
enum change change_find(const char *name);

#endif
