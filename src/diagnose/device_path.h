/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens to the packets of a device with XDP: how many reach its program, what the program
 * decides, and how many are lost. Each number comes from the best source that has it: verdicts, the
 * driver's counters, tracepoints, the link's counters. A packet is never counted twice, and an
 * unknown number is never 0.
 *
 * This is the only place that adds up the losses of a device, and that decides whether a text may
 * say that nothing is lost: device_path_result().
 */
#pragma once

#include "diagnose/cpumap_losses.h"
#include "diagnose/stack_loss.h"
#include "source/verdicts.h"

enum path_stage {
	PATH_IN, /* never less than the sum of the next four */
	PATH_PASS,
	PATH_DROP, /* XDP_DROP, which the program asked for */
	PATH_TX,
	PATH_REDIRECT,
	/*
	 * What no program asked for: after the program began, at the device that received it; and
	 * what AF_XDP sockets that exist wanted to send.
	 */
	PATH_LOST,
	PATH_STAGES,
};

enum path_source {
	PATH_UNKNOWN,
	PATH_VERDICTS,
	PATH_COUNTER,    /* path_count.counter, of the driver or the link */
	PATH_TRACEPOINT, /* path_count.counter */
	PATH_SOCKETS,    /* AF_XDP sockets */
	PATH_SUM,        /* of several sources */
};

struct path_count {
	enum path_source source;
	uint8_t counter; /* enum netdev_count or tracepoint_id; 0 for other sources */
	bool now;        /* per_s is known */
	uint64_t since;  /* the baseline or, without one, the start of the source's count */
	double per_s;
	/*
	 * > 0: per_s is not that of this interval. Seconds since a counter that it rests on was
	 * read.
	 */
	double age;
};

/* The two parts of a text about something not counted: "xdp_redirect_err", " is off". */
struct path_gap {
	const char *of; /* a tracepoint, or "" */
	const char *says;
};

struct device_path {
	const struct netdev *dev; /* NULL = unknown */
	bool seen;                /* tracepoints reported packets that came in on the device */
	bool target;              /* packets were redirected to the device in the interval */
	enum program_verdicts verdicts;
	struct path_count count[PATH_STAGES];
	struct path_gap drops, losses; /* why PATH_DROP is unknown, and PATH_LOST incomplete */
	struct path_count before;      /* lost before the program: in the NIC, or without memory */
	/*
	 * Cpumaps, as bits of struct cpumap_losses: PATH_LOST includes the losses of own_cpumaps,
	 * but not of shared_cpumaps.
	 */
	uint64_t own_cpumaps, shared_cpumaps;
	double shared_lost_per_s, cpumaps_drop_per_s;
	struct stack_loss after; /* packets that XDP handed on and a stack lost */
};

enum path_result {
	PATH_NOT_YET, /* no interval is over */
	PATH_NO_XDP,
	PATH_LOSES,
	PATH_MAY_LOSE, /* in a cpumap that other devices also use */
	PATH_DROPS,
	PATH_CPUMAP_DROPS, /* the program of a cpumap's entry drops packets */
	PATH_LOSES_BEFORE,
	PATH_DROPS_UNCOUNTED,
	PATH_LOSSES_UNCOUNTED,
	PATH_LOSES_AFTER,      /* XDP lost nothing, but a stack lost packets */
	PATH_LOSES_NOT_BY_XDP, /* what the stacks lost is not known */
	PATH_LOSES_NOTHING,
};

/* Fill *l, in O(the series), and if a map has a loss or drops also O(the devices). */
void device_path_cpumaps(struct cpumap_losses *l, const struct rates *r);
/*
 * Fill *p for a device: O(its series). Without the losses of cpumaps (NULL) it is not known whether
 * anything is lost.
 */
void device_path_set(struct device_path *p, const struct rates *r,
		     const struct cpumap_losses *cpumaps, uint32_t netns, uint32_t ifindex);
/* Whether the device has a program now, as far as is known. */
bool device_path_has_xdp(const struct device_path *p);
/* The result of the last interval: the worst that is known, else what is unknown. */
enum path_result device_path_result(const struct device_path *p);
/* The option that would count drops that are not counted: " (--verdicts)"; "" = none. */
const char *device_path_hint(const struct device_path *p);
/* Seconds since the oldest of the counters was read on which "nothing lost" rests; 0 = now. */
double device_path_age(const struct device_path *p);
/* The result in a few words. Returns the length. */
int device_path_text(const struct device_path *p, char *buf, size_t size);
/* "verdicts", "ethtool -S: rx_queue_*_xdp_drops", "xdp_devmap_xmit"; "" = unknown. */
const char *device_path_source(const struct device_path *p, enum path_stage stage, char *buf,
			       size_t size);

/* A counter since the baseline or, without one, since the device was created; false = unknown. */
bool path_count_since(const struct rates *r, const struct netdev *d, enum netdev_count which,
		      uint64_t *n);
/* Its current rate per second; false = unknown. */
bool path_count_rate(const struct rates *r, const struct netdev *d, enum netdev_count which,
		     double *rate);
