// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include "model/iter.h"
#include "model/snapshot.h"
#include "model/tracepoint.h"
#include "unit/test.h"

static const char *why(enum iter_id id, enum refusal_step step, int err, const char *kernel)
{
	struct refusal refused[ITER_COUNT] = { 0 };
	static char text[160];

	refused[id] = (struct refusal){ (uint8_t)step, (uint16_t)err };
	return refusal_text(refused, id, kernel, text, sizeof(text));
}

/* "needs Linux X" is said of older kernels only. */
TEST(test_refusal_text)
{
	assert_string_equal(why(ITER_WALK, REFUSED_LOAD, EPERM, "6.18.44-cloud"),
			    "the kernel refuses to load BPF program walk (iter/bpf_map): EPERM");
	assert_string_equal(why(ITER_PINS, REFUSED_ATTACH, ENOMEM, "6.18.44"),
			    "the kernel refuses to attach BPF program bpffs_pins (iter/bpf_map): "
			    "ENOMEM");
	assert_string_equal(why(ITER_WALK, REFUSED_LOAD, EINVAL, "5.15.0"),
			    "bpf_loop() needs Linux 5.17 or later");
	assert_string_equal(why(ITER_WALK, REFUSED_LOAD, EPERM, "5.15.0"),
			    "the kernel refuses to load BPF program walk (iter/bpf_map): EPERM");
	assert_string_equal(why(ITER_LINKS, REFUSED_TARGET, ENOENT, "5.15.0"),
			    "iter/bpf_link needs Linux 5.19 or later");
	assert_string_equal(why(ITER_LINKS, REFUSED_TARGET, ENOENT, "6.18.44"),
			    "this kernel has no iter/bpf_link");
	assert_string_equal(why(ITER_LINKS, REFUSED_NOTHING, 0, "6.18.44"), "");
}

/* A release that cannot be read is not taken for an old one. */
TEST(test_kernel_lacks)
{
	char text[64];

	assert_string_equal(kernel_lacks("6.7.9", "it", KERNEL(6, 8), text, sizeof(text)),
			    "it needs Linux 6.8 or later");
	assert_string_equal(kernel_lacks("6.8.0", "it", KERNEL(6, 8), text, sizeof(text)),
			    "this kernel has no it");
	assert_string_equal(kernel_lacks("", "it", KERNEL(6, 8), text, sizeof(text)),
			    "this kernel has no it");
}

/* All programs that call bpf_loop(), and no others: it is named. */
TEST(test_refused_loops)
{
	struct refusal refused[ITER_COUNT] = { 0 };
	char text[4096];

	for (enum iter_id id = 0; id < ITER_COUNT; id++)
		if (iter_rows[id].loops)
			refused[id] = (struct refusal){ REFUSED_LOAD, EPERM };
	refusals_text(refused, BIT(ITER_SOCKETS), "6.18.44", text, sizeof(text));
	assert_string_equal(text, "No AF_XDP socket is known: the kernel refuses to load BPF "
				  "program xdp_sockets (iter/bpf_map), which calls bpf_loop(): "
				  "EPERM.\n");
	assert_int_equal(refusals_count(refused, BIT(ITER_SOCKETS) | BIT(ITER_FILES)), 1);
}

/* What a recording says comes back, whatever is refused. */
TEST(test_refusals_come_back)
{
	struct refusal refused[ITER_COUNT] = { 0 }, back[ITER_COUNT];
	char text[384];

	assert_null(refusals_give(refused, text, sizeof(text)));
	for (int step = REFUSED_UNTRIED; step <= REFUSED_ATTACH; step++) {
		for (int id = 0; id < ITER_COUNT; id++)
			refused[id] = (struct refusal){ (uint8_t)step, EPERM };
		memset(back, 0, sizeof(back));
		refusals_take(back, refusals_give(refused, text, sizeof(text)));
		assert_memory_equal(back, refused, sizeof(back));
	}
	memset(back, 0, sizeof(back));
	refusals_take(back, "nobody load EPERM,links nowhere EPERM,,x,links attach ENOENT");
	assert_int_equal(refusals_count(back, ~0U), 1);
	assert_int_equal(back[ITER_LINKS].step, REFUSED_ATTACH);
	assert_int_equal(back[ITER_LINKS].err, ENOENT);
	refusals_take(back, "");
}
