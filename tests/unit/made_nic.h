/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A NIC and its program, whose verdicts are counted, over intervals. */
#pragma once

#include "made_sockets.h"
#include "made_verdicts.h"

/* A NIC eth3 with program 42, whose verdicts are counted; its counter of packets is known. */
static inline struct netdev *nic(struct fixture *f, const char *driver)
{
	struct netdev *d = device(f, MADE_NETNS, 3, "eth3");

	strcpy(d->driver, driver);
	d->mode = NETDEV_NATIVE;
	d->prog_id = 42;
	netdev_set_count(d, NETDEV_RX_PACKETS, 0);
	made_program(&f->to, 42);
	for (uint32_t act = 0; act < VERDICT_ACTS; act++)
		made_verdict(&f->to, 42, act, 0);
	return d;
}

static inline struct netdev *nic_at(struct fixture *f, size_t i)
{
	return &snapshot_netdevs(&f->to)[i];
}

static inline struct program *program_at(struct fixture *f, size_t i)
{
	return (struct program *)f->to.rows[DATA_SOURCE_PROGRAMS].row + i;
}

static inline struct verdict *verdict_at(struct fixture *f, size_t i)
{
	return (struct verdict *)f->to.rows[DATA_SOURCE_VERDICTS].row + i;
}

/* Program 42 returns it for n packets of 100 bytes. */
static inline void returns(struct fixture *f, uint32_t act, uint64_t n)
{
	verdict_at(f, act)->packets += n;
	verdict_at(f, act)->bytes += 100 * n;
}

static inline bool has(struct fixture *f, const char *code)
{
	for (size_t i = 0; i < f->findings.n; i++)
		if (!strcmp(f->findings.finding[i].code->name, code))
			return true;
	return false;
}

static inline void exception(struct fixture *f, int code, uint64_t n)
{
	struct series_key key = { .netns = MADE_NETNS, .ifindex = 3, .prog_id = 42, .code = code };

	came(f, TP_XDP_EXCEPTION, key, COUNTS(n));
}
