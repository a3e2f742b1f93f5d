/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Causes and remedies of errors, by tracepoint, kind of redirect, and errno or action. Every text
 * was checked against the kernel function that it names.
 */
#pragma once

#include "model/finding.h"

/* Sets of tracepoints, bits 1 << id. Kernels before 5.6 have two tracepoints for a redirect. */
enum {
	AT_EXCEPTION = 1 << TP_XDP_EXCEPTION,
	AT_REDIRECT = 1 << TP_XDP_REDIRECT,
	AT_REDIRECT_ERR = 1 << TP_XDP_REDIRECT_ERR,
	AT_XMIT = 1 << TP_XDP_DEVMAP_XMIT,
	AT_BULK_TX = 1 << TP_XDP_BULK_TX,
	AT_ENQUEUE = 1 << TP_XDP_CPUMAP_ENQUEUE,
	AT_KTHREAD = 1 << TP_XDP_CPUMAP_KTHREAD,
	AT_ATTACH = 1 << TP_LINK_ATTACH_FAILED | 1 << TP_NETLINK_EXTACK,
};

/* Kinds of redirect, by helper and map: bits of struct cause.redirect. */
enum {
	REDIRECT_IFINDEX = 1 << 0, /* bpf_redirect() */
	REDIRECT_DEVMAP = 1 << 1,  /* devmap and devmap_hash */
	REDIRECT_CPUMAP = 1 << 2,
	REDIRECT_XSKMAP = 1 << 3,
	REDIRECT_NO_HELPER = 1 << 4, /* XDP_REDIRECT returned, no helper called */
	REDIRECT_OTHER = 1 << 5,
	REDIRECT_ANY = (1 << 6) - 1,
	REDIRECT_TO_DEVICE = REDIRECT_IFINDEX | REDIRECT_DEVMAP,
};

/* struct cause.code for every action above XDP_REDIRECT. */
#define CAUSE_BAD_ACT 5

/* The last kernel to which the row applies, in struct cause.redirect. */
#define UP_TO(major, minor) ((uint32_t)KERNEL(major, minor) << 16)

/* Drivers with TARGET_NEVER (src/diagnose/driver.h), for texts. */
#define DRIVERS_NEVER "mlx4, ixgbevf, nfp, nicvf and fbnic"

struct cause {
	uint32_t tracepoints; /* AT_* */
	uint32_t redirect;   /* REDIRECT_*, only compared at AT_REDIRECT_ERR; may include UP_TO() */
	int code;            /* action, -errno, or 0 = drops without an errno */
	const char *meaning; /* one line, for a cell */
	struct remedy remedy;
	const char *source; /* the kernel function that reports it */
};

extern const struct cause causes[];
extern const size_t n_causes;

/*
 * The common cause for this tracepoint and key in a kernel (struct snapshot.kernel), without
 * drivers' own causes; NULL = none.
 */
const struct cause *cause_find(uint16_t kernel, uint32_t tracepoint, const struct series_key *key);
bool cause_fits(const struct cause *cause, uint16_t kernel, uint32_t tracepoint,
		const struct series_key *key);
/* The KERNEL() of UP_TO(); 0 = the cause applies to all kernels. */
uint16_t cause_up_to(const struct cause *cause);
uint8_t redirect_kind(const struct series_key *key);
/* struct cause.code of a key: its action or -errno; CAUSE_BAD_ACT for every invalid action. */
int cause_code(uint32_t tracepoint, const struct series_key *key);
