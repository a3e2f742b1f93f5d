/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data source queues: the receive queues of devices with XDP (model/netdev_queue.h). */
#pragma once

#include "model/netdev_queue.h"
#include "model/rates.h"

/* What a queue received lately, and on which CPU. */
struct queue_load {
	bool known;   /* per_s: from the driver, else from --verdicts */
	double per_s; /* packets */
	double age;   /* as rates_age() */
	/*
	 * The CPU that handles them: of its interrupt or thread or, if they do not name one, the
	 * one that ran the program for most of its packets (--verdicts). -1 = unknown.
	 */
	int cpu;
};

/* Load of a queue in r->to. The driver's rate is that of its last two readings. */
struct queue_load queue_load(const struct rates *r, const struct netdev_queue *q);
