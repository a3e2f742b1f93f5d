// SPDX-License-Identifier: GPL-2.0-or-later
/* A sink in memory, whose oldest frames are discarded: what stays is not moved each time. */
#include <stdlib.h>
#include <string.h>
#include "output/sink.h"
#include "unit/test.h"

#define FRAMES 20000

TEST(test_discard)
{
	size_t moved = 0, start = 0; /* bytes */
	struct sink s;

	sink_attach(&s, "memory", -1);
	for (int i = 0; i < FRAMES; i++) {
		fprintf(s.file, "%099d\n", i);
		assert_int_equal(sink_commit(&s), 0);
		if (s.start < start)
			moved += s.used;
		if (sink_pending(&s) > 100 * 100)
			sink_discard(&s, 100);
		start = s.start;
	}
	assert_int_equal(sink_pending(&s), 100 * 100);
	assert_int_equal(s.written, FRAMES * 100);
	assert_int_equal(strtoul(s.queue + s.start, NULL, 10), FRAMES - 100);
	assert_true(moved <= 2 * s.written);
	sink_close(&s);
}
