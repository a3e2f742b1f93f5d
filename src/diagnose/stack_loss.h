/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets that XDP handed on, and that a network stack then dropped: on the device itself, on the
 * targets of its redirects, and on the peers of both. Only counters that are read anyway.
 */
#pragma once

#include "model/rates.h"

struct stack_loss {
	const struct netdev *at; /* NULL = none */
	enum netdev_count count;
	double per_s, age; /* age: as rates_age() */
	bool unread;       /* other counters may have grown, but are not known in the interval */
	double oldest;     /* the largest age of the known counters */
};

/* The largest that grew in the interval: O(the device's series). `sends`: there may be XDP_TX. */
void stack_loss_find(struct stack_loss *worst, const struct rates *r, uint32_t netns,
		     uint32_t ifindex, bool sends);
/* "otherhost 4.5k/s on eth1", if `brief` without the device; returns the length. */
int stack_loss_text(const struct stack_loss *l, bool brief, char *buf, size_t size);
