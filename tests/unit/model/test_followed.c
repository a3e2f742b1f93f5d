// SPDX-License-Identifier: GPL-2.0-or-later
/* The arguments of followed events, by the kernel's names. */
#include <string.h>
#include "model/followed.h"
#include "model/tracepoint.h"
#include "unit/test.h"

/* A change has no tracepoint, so no arguments. */
TEST(test_no_tracepoint)
{
	assert_null(followed_fields(TP_NONE)->name);
}

static void assert_args(uint32_t tracepoint, struct followed e, const char *expected)
{
	char text[256];
	int len;

	e.event.tracepoint = tracepoint;
	len = followed_args_text(&e, text, sizeof(text));
	assert_int_equal(len, strlen(text));
	assert_string_equal(text, expected);
}

TEST(test_args)
{
	struct followed e = { .known = ~0u };

	for (uint64_t i = 0; i < FOLLOW_ARGS; i++)
		e.arg[i] = i + 1;
	e.event.cpu = 3;
	e.event.key = (struct series_key){ 1, 2, 3, 4, 5, SERIES_MAP_DEVMAP, 6, -6 };
	assert_args(TP_XDP_REDIRECT_ERR, e,
		    "prog_id=5 act=REDIRECT ifindex=2 err=-6 to_ifindex=4 map_id=6 map_index=1");
	assert_args(TP_XDP_DEVMAP_XMIT, e,
		    "from_ifindex=2 act=REDIRECT to_ifindex=4 drops=2 sent=1 err=-6");
	assert_args(TP_XDP_BULK_TX, e, "ifindex=2 act=TX drops=2 sent=1 err=-6");
	assert_args(TP_XDP_CPUMAP_ENQUEUE, e,
		    "map_id=6 act=REDIRECT cpu=3 drops=2 processed=1 to_cpu=4");
	assert_args(TP_XDP_CPUMAP_KTHREAD, e,
		    "map_id=6 act=REDIRECT cpu=3 drops=2 processed=1 sched=3 xdp_pass=4 xdp_drop=5 "
		    "xdp_redirect=6");
	strcpy(e.event.ifname, "eth0");
	e.arg[FOLLOW_PROTOCOL] = 0x86dd;
	assert_args(TP_NET_DEV_QUEUE, e,
		    "len=1 name=eth0 protocol=0x86dd queue_mapping=3 gso_segs=4");
	strcpy(e.event.text, "a=1");
	assert_args(TP_LINK_ATTACH_FAILED, e, "msg=a=1");
	assert_args(TP_OTHER + 1, e, "a=1");
	e.event.key.code = 0;
	assert_args(TP_XDP_EXCEPTION, e, "prog_id=5 act=ABORTED ifindex=2");
	e.known = 0;
	assert_args(TP_MEM_CONNECT, e, "ifindex=2");
	e.kind = FOLLOWED_LOST;
	assert_args(TP_XDP_REDIRECT, e, "lost: the ring was full");
}

/* The tracepoint's record for targets that are not devices. */
TEST(test_redirect)
{
	struct followed e = { .known = 1, .arg = { 9 } };

	e.event.key =
		(struct series_key){ .target = 2, .map_type = SERIES_MAP_CPUMAP, .map_id = 6 };
	assert_args(TP_XDP_REDIRECT, e,
		    "prog_id=0 act=REDIRECT ifindex=0 err=0 to_ifindex=0 map_id=6 map_index=9");
	e.event.key = (struct series_key){ .target = 2, .map_type = SERIES_MAP_SOME_DEVMAP };
	assert_args(TP_XDP_REDIRECT, e,
		    "prog_id=0 act=REDIRECT ifindex=0 err=0 to_ifindex=2 map_id=0 map_index=9");
	e.event.key = (struct series_key){ .target = 2, .map_id = SERIES_MAP_ID_IFINDEX };
	e.known = 0;
	assert_args(TP_XDP_REDIRECT, e,
		    "prog_id=0 act=REDIRECT ifindex=0 err=0 to_ifindex=2 map_id=2147483647 "
		    "map_index=0");
}
