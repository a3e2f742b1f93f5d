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
	ROW(PROGRAM_ATTACHED, 'P', "program-attached", "an XDP program was attached to a device that had none") \
	ROW(PROGRAM_REPLACED, 'P', "program-replaced", "a device's XDP program was replaced, or its mode changed") \
	ROW(PROGRAM_DETACHED, 'P', "program-detached", "a device lost its XDP program") \
	ROW(HOLDER_DIED, 'P', "holder-died", "no process holds an attached program any longer") \
	ROW(SETUP_REFUSED, 'R', "setup-refused", "an attach, or a bind of an AF_XDP socket, was refused") \
	ROW(LINK_UP, 'L', "link-up", "a device was brought up, or got a carrier") \
	ROW(LINK_DOWN, 'L', "link-down", "a device was brought down, or lost its carrier") \
	ROW(LINK_FLAPPED, 'L', "link-flapped", "the carrier of a device was lost and came back") \
	ROW(RENAMED, 'D', "renamed", "a device was renamed") \
	ROW(MOVED, 'D', "moved", "a device was moved to another network namespace") \
	ROW(DEVICE_GONE, 'D', "device-gone", "a device or its network namespace was deleted") \
	ROW(MTU, 'S', "mtu", "a device's MTU changed") \
	ROW(CHANNELS, 'S', "channels", "a device's number of channels changed (ethtool -l)") \
	ROW(RX_RING, 'S', "rx-ring", "the size of a device's receive rings changed (ethtool -g)") \
	ROW(TX_RING, 'S', "tx-ring", "the size of a device's transmit rings changed (ethtool -g)") \
	ROW(OFFLOADS, 'S', "offloads", "a device's offloads that matter to XDP changed (ethtool -k)") \
	ROW(XDP_FEATURES, 'S', "xdp-features", "a device's XDP features changed") \
	ROW(ENTRY_ADDED, 'M', "entry-added", "an entry was added to a devmap, cpumap or xskmap") \
	ROW(ENTRY_CHANGED, 'M', "entry-changed", "a map entry was given another target") \
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
