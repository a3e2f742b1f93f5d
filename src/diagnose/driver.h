/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How each driver with XDP behaves: what it reports, when it accepts redirected frames, and which
 * of its counters show a loss. A row applies to 5.10 to 7.3 unless it says otherwise.
 */
#pragma once

#include "base/format.h"
#include "diagnose/cause.h"
#include "model/netns_names.h"

/* struct driver.reports: what the driver reports as xdp_exception, and how it behaves. */
enum {
	DRIVER_ABORTED = 1 << 0, /* XDP_ABORTED */
	DRIVER_INVALID = 1 << 1, /* a value that is not an action */
	DRIVER_TX = 1 << 2,      /* every XDP_TX that failed */
	DRIVER_ECHO = 1 << 3,    /* a failed redirect, already reported by xdp_redirect_err */
	DRIVER_REPORTS = DRIVER_ABORTED | DRIVER_INVALID | DRIVER_TX | DRIVER_ECHO,
	DRIVER_FLUSHES_EACH = 1 << 4, /* xdp_do_flush() after each packet: bulks of 1 */
	DRIVER_LINK = 1 << 5,         /* its counters are in ip -s link, not in ethtool -S */
	DRIVER_BULK_TX = 1 << 6,      /* xdp_bulk_tx reports every failed XDP_TX */
	DRIVER_DROP_ABORTED = 1 << 7, /* its counter of drops includes aborted and invalid ones */
	DRIVER_DROP_FAILED = 1 << 8,  /* and failed redirects, and failed XDP_TX */
	DRIVER_RX_PASSED = 1 << 9, /* rx_packets of the device has only packets that XDP passed */
	DRIVER_RX_LESS = 1 << 10,  /* they omit dropped packets, and on some kernels others */
};

/* When the driver accepts redirected frames. Known feature flags override all but TARGET_NEVER. */
enum driver_target {
	TARGET_ALWAYS,
	TARGET_FOLLOWS, /* while it has a native program */
	TARGET_PEER,    /* while its peer has a native program or GRO (veth) */
	TARGET_SLAVES,  /* while all slaves do (bond) */
	TARGET_NEVER,   /* no ndo_xdp_xmit, although it has native XDP */
};

struct driver {
	const char *name;     /* the driver's common name, as in doc/drivers.md */
	const char *names;    /* as in netdev_driver(), split at spaces; ? is a character, * the
			       * rest */
	unsigned int reports; /* DRIVER_*; silent without DRIVER_REPORTS, except TARGET_SLAVES */
	enum driver_target target;
	const char *counters; /* counters of lost packets, for texts; NULL = none */
	/* Errors whose cause differs from causes[]; NULL = none. */
	const struct cause *causes; /* the last has tracepoints = 0 */
};

extern const struct driver drivers[];
extern const size_t n_drivers;
/* Why the core refuses redirects to a driver (EOPNOTSUPP), by enum driver_target. */
extern const struct cause target_causes[TARGET_NEVER + 1];

/* The driver of a device; NULL = unknown, or it has no row. d may be NULL. */
const struct driver *driver_of(const struct netdev *d);
/*
 * The driver responsible for a series: the target's for xdp_devmap_xmit and for redirects to a
 * device, else the device's own. NULL = unknown, or generic mode, which needs no driver.
 */
const struct driver *driver_behind(const struct snapshot *s, uint32_t tracepoint,
				   const struct series_key *key);
/*
 * Whether other tracepoints also report the frames of this series. Only in drivers that use libeth
 * does xdp_bulk_tx count frames redirected to the device as well as XDP_TX.
 */
bool driver_repeats(const struct snapshot *s, const struct series *series);
/* As target_text(), but a series that repeats others does not say that frames were sent back. */
int series_target_text(const struct snapshot *s, const struct series *series,
		       struct netns_names *names, char *buf, size_t size);
/* The driver's own cause, else its target kind's; NULL = causes[] has it. */
const struct cause *driver_cause(const struct driver *driver, uint16_t kernel, uint32_t tracepoint,
				 const struct series_key *key);
/* The driver's own cause if the driver is known, else the common one. */
const struct cause *cause_in(const struct snapshot *s, uint32_t tracepoint,
			     const struct series_key *key);
/* Whether a program runs in the device's driver. */
bool driver_has_program(const struct netdev *d);
/* How many channels a driver needs. */
enum driver_channels {
	CHANNELS_ANY,
	CHANNELS_PER_CPU, /* a CPU sends redirected frames on the channel of its number, or fails */
	CHANNELS_SPARE,   /* one per CPU beyond the channels in use, else CPUs share queues */
	CHANNELS_HALF,    /* one more for each channel in use */
	CHANNELS_OF_64,   /* one per CPU for up to 64 CPUs; more CPUs share them */
	CHANNELS_OF_PEER, /* at least as many for receiving as the peer has for sending */
};

struct driver_limits {
	const char *driver; /* struct driver.name */
	enum driver_channels channels;
	/* Bytes of a page that a single-buffer frame cannot use; 0 = the MTU limit is unknown. */
	uint32_t mtu_room;
	uint16_t excludes; /* enum netdev_offload that disable all XDP while they are on */
	bool counts_sent;  /* tx_packets of the device include frames sent by XDP */
	bool one_path; /* XDP_TX and redirects share a path: NETDEV_XDP_XMIT_ERRORS counts both */
};

/* The limits of a driver. NULL if there is no driver, or if none of its limits are known. */
const struct driver_limits *driver_limits_of(const struct driver *driver);
/* The largest MTU for a program without frags on the machine of `s`; 0 = unknown. */
uint32_t driver_mtu_max(const struct driver *driver, const struct snapshot *s);
/* Why a device of this driver can lack all feature flags (6.3+); NULL = unknown. */
const char *driver_no_xdp(const struct driver *driver);
/* Finds a driver by a name as in netdev_driver(); NULL = none. */
const struct driver *driver_find(const char *name);
