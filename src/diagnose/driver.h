/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each driver with XDP does of its own: what it reports, when it takes redirected frames, and
 * which of its counters tell of a loss. A row is true for 5.10 to 7.3 except where it says so.
 */
#ifndef XDPTOP_DRIVER_H
#define XDPTOP_DRIVER_H

#include "base/format.h"
#include "diagnose/cause.h"
#include "model/netns_names.h"
#include "model/snapshot.h"

/* struct driver.reports: what it reports as xdp_exception, and how it behaves. */
enum {
	DRIVER_ABORTED = 1 << 0, /* XDP_ABORTED */
	DRIVER_INVALID = 1 << 1, /* a value that is no action */
	DRIVER_TX = 1 << 2,      /* every XDP_TX that failed */
	DRIVER_ECHO = 1 << 3,    /* a failed redirect, which xdp_redirect_err has told already */
	DRIVER_REPORTS = DRIVER_ABORTED | DRIVER_INVALID | DRIVER_TX | DRIVER_ECHO,
	DRIVER_FLUSHES_EACH = 1 << 4, /* xdp_do_flush() after each packet: bulks of 1 */
	DRIVER_LINK = 1 << 5,         /* ip -s link has its counters, not ethtool -S */
	DRIVER_BULK_TX = 1 << 6,      /* xdp_bulk_tx tells every XDP_TX that failed */
};

/* When it takes redirected frames. Features that are known say it better, but for TARGET_NEVER. */
enum driver_target {
	TARGET_ALWAYS,
	TARGET_FOLLOWS, /* while it has a native program */
	TARGET_PEER,    /* while its peer has a native program or GRO (veth) */
	TARGET_SLAVES,  /* while all slaves do (bond) */
	TARGET_NEVER,   /* no ndo_xdp_xmit, although it has native XDP */
};

struct driver {
	const char *name;  /* as people call it, and as doc/drivers.md does */
	const char *names; /* as netdev_driver() has it, by spaces; ? any character, * the rest */
	unsigned int reports; /* DRIVER_*; none of DRIVER_REPORTS = silent, but for TARGET_SLAVES */
	enum driver_target target;
	const char *counters; /* of what is lost, for people; NULL = none */
	/* Where an error means more or something else than in causes[]; NULL = nowhere. */
	const struct cause *causes; /* the last has tracepoints 0 */
};

extern const struct driver drivers[];
extern const size_t n_drivers;
/* Why the core finds that a driver takes no frames (EOPNOTSUPP), by enum driver_target. */
extern const struct cause target_causes[TARGET_NEVER + 1];

/* Of a device; NULL = unknown, or one without a row. d may be NULL. */
const struct driver *driver_of(const struct netdev *d);
/*
 * The driver that decided what a series counted: of the target for xdp_devmap_xmit and redirects to
 * a device, else of the device itself. NULL = unknown, or generic mode, which asks no driver.
 */
const struct driver *driver_behind(const struct snapshot *s, uint32_t tracepoint,
				   const struct series_key *key);
/*
 * Whether other tracepoints tell of the frames of this series as well. On libeth's drivers, and
 * there alone, xdp_bulk_tx has frames that were redirected to the device beside those of XDP_TX.
 */
bool driver_repeats(const struct snapshot *s, const struct series *series);
/* As target_text(), where a series that repeats others does not say that frames were sent back. */
int series_target_text(const struct snapshot *s, const struct series *series,
		       struct netns_names *names, char *buf, size_t size, struct id_span *id);
/* Its own cause, else the one by when it is a target; NULL = as in causes[]. */
const struct cause *driver_cause(const struct driver *driver, uint16_t kernel, uint32_t tracepoint,
				 const struct series_key *key);
/* The driver's own where a device of the snapshot has a driver that is known, else the common one.
 */
const struct cause *cause_in(const struct snapshot *s, uint32_t tracepoint,
			     const struct series_key *key);
/* A program runs in its driver. */
bool driver_has_program(const struct netdev *d);
/* What a driver asks of a device's settings. */
enum driver_channels {
	CHANNELS_ANY,
	CHANNELS_PER_CPU, /* a CPU sends redirected frames on the channel of its number, or not */
	CHANNELS_SPARE,   /* one for each CPU beside those in use, else queues are shared */
	CHANNELS_HALF,    /* a second one for each in use */
	CHANNELS_OF_64,   /* one for each of 64 CPUs, which more share */
	CHANNELS_OF_PEER, /* as many for receiving as its peer has for sending */
};

struct driver_limits {
	const char *driver; /* struct driver.name */
	enum driver_channels channels;
	/* A frame of one buffer fits a page but for these bytes; 0 = its limit is not known. */
	uint32_t mtu_room;
	uint16_t excludes; /* enum netdev_offload that leave it no XDP at all while they are on */
	bool counts_sent;  /* the device's tx_packets have the frames that XDP gave it */
	bool one_path;     /* XDP_TX goes the way of redirects: NETDEV_XDP_XMIT_ERRORS has both */
};

/* NULL = nothing is known, or no driver. */
const struct driver_limits *driver_limits_of(const struct driver *driver);
/* The largest MTU for a program without frags on the machine of `s`; 0 = not known. */
uint32_t driver_mtu_max(const struct driver *driver, const struct snapshot *s);
/* Why it can have no feature bit at all (6.3+), native XDP or not; NULL = nothing is known. */
const char *driver_no_xdp(const struct driver *driver);
/* By a name as netdev_driver() has it; NULL = none. */
const struct driver *driver_find(const char *name);

#endif
