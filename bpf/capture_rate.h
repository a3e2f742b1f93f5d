/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rate of a capture. The including file defines time_of(slot), which returns where the time of
 * the slot's last packet is; NULL = no such slot.
 */
#pragma once

#include "capture.h"

#define CAPTURE_SECOND_NS 1000000000ULL

/*
 * Take the slot whose packet is the oldest, if that was a second ago. So no second, wherever it
 * begins, has more packets than there are slots. Meanwhile other CPUs get none.
 */
static __always_inline bool rate_take(struct capture_control *control, __u64 now)
{
	__u64 free_ns = *(volatile __u64 *)&control->free_ns, *taken, *oldest;

	if (now < free_ns ||
	    __sync_val_compare_and_swap(&control->free_ns, free_ns, -1ULL) != free_ns)
		return false;
	taken = time_of(control->slot++);
	if (control->slot >= control->rate || control->slot >= CAPTURE_RATE_MAX)
		control->slot = 0;
	oldest = time_of(control->slot);
	if (taken)
		*taken = now;
	__sync_lock_test_and_set(&control->free_ns, (oldest ? *oldest : now) + CAPTURE_SECOND_NS);
	return taken;
}
