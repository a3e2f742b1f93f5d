// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracing/overhead.h"
#include "unit/float_is.h"
#include "unit/test.h"

/* Time inside a program plus the kernel's time to call it, which is longer for fexit. */
TEST(test_dispatch)
{
	static struct series_cpu cpu[2];
	struct overhead o;

	overhead_init(&o, 2);
	overhead_update(&o, cpu, 0);
	assert_true(o.ns[TP_VERDICTS] < 0);
	for (int tp = 0; tp < TP_COUNT; tp++)
		cpu[1].meter[tp] = (struct series_meter){ .events = 1000000 };
	overhead_update(&o, cpu, 1);
	for (int tp = 0; tp < TP_COUNT; tp++)
		FLOAT_IS(overhead_percent(&o, 1, tp),
			 tp == TP_VERDICTS ? 5.1
			 : tp == TP_FOLLOW ? 0
					   : 3.5,
			 1e-9);
	for (int tp = 0; tp < TP_COUNT; tp++)
		cpu[1].meter[tp] =
			(struct series_meter){ .events = 2000000, .timed = 10, .timed_ns = 200 };
	overhead_update(&o, cpu, 1);
	for (int tp = 0; tp < TP_COUNT; tp++) {
		FLOAT_IS(o.ns[tp], tp == TP_VERDICTS ? 71 : tp == TP_FOLLOW ? 20 : 55, 1e-9);
		assert_int_equal(o.busiest[tp], 1);
	}
	overhead_free(&o);
}
