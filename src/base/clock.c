// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"

#include <stdlib.h>

/*
 * If the offset changes by more than this, somebody set the clock, because two readings differ by
 * less. Both clocks are slewed alike.
 */
#define STEP_NS (2 * NSEC_PER_MSEC)

/* The offset between the clocks, from the reading that took the least time. */
static int64_t read_offset(void)
{
	uint64_t least = UINT64_MAX;
	int64_t offset = 0;

	for (int i = 0; i < 3; i++) {
		uint64_t before = clock_ns(), after;
		struct timespec wall;

		clock_gettime(CLOCK_REALTIME, &wall);
		after = clock_ns();
		if (after - before >= least)
			continue;
		least = after - before;
		offset = timespec_to_ns(&wall) - (int64_t)(before + least / 2);
	}
	return offset;
}

void clock_wall_update(int64_t *offset_ns)
{
	int64_t now = read_offset();

	if (llabs(now - *offset_ns) > STEP_NS)
		*offset_ns = now;
}

struct timespec clock_since_boot(const struct timespec *wall, uint64_t since_boot_ns)
{
	struct timespec boot;
	int64_t at = 0;

	if (!clock_gettime(CLOCK_BOOTTIME, &boot))
		at = timespec_to_ns(wall) - (timespec_to_ns(&boot) - (int64_t)since_boot_ns);
	return at >= NSEC_PER_SEC ? ns_to_timespec(at) : (struct timespec){ 0 };
}
