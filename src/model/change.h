/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can change beside the traffic: programs, devices, their settings, map entries, sockets,
 * CPUs. A change is an event (struct event) without a tracepoint.
 */
#pragma once

#define CHANGE_VALUE_LEN 128 /* a value before or after; longer ones are cut */

/* clang-format off */
/*
 * Id, letter in graphs (P program, R refusal, L link, D device, S setting, M map, X AF_XDP socket, C CPU),
 * name in outputs and filters, meaning.
 */
#define CHANGE_ROWS(ROW) \
	ROW(PROGRAM_ATTACHED, 'P', "program-attached", "a device has an XDP program that it did not have") \
	ROW(PROGRAM_REPLACED, 'P', "program-replaced", "a device has another XDP program or mode") \
	ROW(PROGRAM_DETACHED, 'P', "program-detached", "a device no longer has an XDP program") \
	ROW(HOLDER_DIED, 'P', "holder-died", "no process holds an attached program any longer") \
	ROW(SETUP_REFUSED, 'R', "setup-refused", "an attach, or a bind of an AF_XDP socket, was refused") \
	ROW(LINK_UP, 'L', "link-up", "a device was brought up, or got a carrier") \
	ROW(LINK_DOWN, 'L', "link-down", "a device was brought down, or lost its carrier") \
	ROW(LINK_FLAPPED, 'L', "link-flapped", "the carrier of a device was lost and came back") \
	ROW(RENAMED, 'D', "renamed", "a device has another name") \
	ROW(MOVED, 'D', "moved", "a device is in another network namespace") \
	ROW(DEVICE_GONE, 'D', "device-gone", "a device was deleted, or its network namespace has ended") \
	ROW(MTU, 'S', "mtu", "the MTU of a device") \
	ROW(CHANNELS, 'S', "channels", "the channels of a device (ethtool -l)") \
	ROW(RX_RING, 'S', "rx-ring", "the size of a device's receive rings (ethtool -g)") \
	ROW(TX_RING, 'S', "tx-ring", "the size of a device's transmit rings (ethtool -g)") \
	ROW(OFFLOADS, 'S', "offloads", "the offloads of a device that matter to XDP (ethtool -k)") \
	ROW(XDP_FEATURES, 'S', "xdp-features", "the XDP features of a device") \
	ROW(ENTRY_ADDED, 'M', "entry-added", "a devmap, cpumap or xskmap has a new entry") \
	ROW(ENTRY_CHANGED, 'M', "entry-changed", "a map entry now leads to another target") \
	ROW(ENTRY_REMOVED, 'M', "entry-removed", "a map entry was deleted") \
	ROW(SOCKET_BOUND, 'X', "socket-bound", "an AF_XDP socket was bound to a queue") \
	ROW(SOCKET_CLOSED, 'X', "socket-closed", "a bound AF_XDP socket was closed") \
	ROW(CPU_ON, 'C', "cpu-on", "a CPU came online") \
	ROW(CPU_OFF, 'C', "cpu-off", "a CPU went offline")
/* clang-format on */

#define CHANGE_ID(id, letter, name, help) CHANGE_##id,
enum change { CHANGE_NONE, CHANGE_ROWS(CHANGE_ID) CHANGES };
#undef CHANGE_ID

struct change_word {
	const char *name, *help;
	char letter;
};

/* By enum change; CHANGE_NONE has "". */
extern const struct change_word change_words[CHANGES];

/* The reverse of change_words[].name; CHANGE_NONE when unknown. */
enum change change_find(const char *name);
