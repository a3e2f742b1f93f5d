// SPDX-License-Identifier: GPL-2.0-or-later
/* The packets that the pane keeps and counts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ui/packets.h"
#include "unit/test.h"

static int setup(void **state)
{
	struct packets *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	packets_open(p);
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	packets_free(*state);
	free(*state);
	return 0;
}

/* A packet from 192.0.2.HOST to a port, or of an unknown type without a port. */
static void take(struct packets *p, uint8_t host, uint16_t port)
{
	static const uint8_t head[] = { 2,   0,    0, 0, 0,   13, 2, 0, 0, 0,  0,  10, 8,
					0,   0x45, 0, 0, 46,  0,  0, 0, 0, 64, 17, 0,  0,
					192, 0,    2, 0, 192, 0,  2, 2, 0, 53, 0,  0 };
	struct packet packet = {
		.time = { .tv_sec = 1 },
		.ifname = "eth7",
		.prog_name = "firewall",
		.record = { .n = sizeof(head), .length = 60, .act = 1, .queue = 3 },
	};
	uint8_t *bytes = packet.record.bytes;

	memcpy(bytes, head, sizeof(head));
	bytes[29] = host;
	bytes[36] = (uint8_t)(port >> 8);
	bytes[37] = (uint8_t)port;
	if (!port)
		bytes[12] = 0x88;
	packets_take(p, &packet);
}

TEST_WITH(test_lines, setup, teardown)
{
	const struct packet_entry *entry[PACKETS_MAX];
	struct packets *p = *state;
	char line[256];

	take(p, 7, 80);
	take(p, 8, 0);
	assert_int_equal(packets_shown(p, entry), 2);
	packet_line(entry[1], line, sizeof(line));
	assert_non_null(strstr(line, "DROP       3 UDP            60 192.0.2.7:53 > 192.0.2.2:80"));
	/* the newest is first; its type is unknown */
	packet_line(entry[0], line, sizeof(line));
	assert_non_null(strstr(line, "0x8800         60 02:00:00:00:00:0a > 02:00:00:00:00:0d"));
	p->entry[0].packet.record.act = (uint32_t)-22;
	packet_line(entry[1], line, sizeof(line));
	assert_non_null(strstr(line, " -22        3 UDP "));
	assert_string_equal(entry[0]->kind, "0x8800 02:00:00:00:00:0a");
	assert_string_equal(entry[1]->kind, "UDP 192.0.2.7 port 80");
}

TEST_WITH(test_frequent, setup, teardown)
{
	const struct packet_entry *entry[PACKETS_MAX];
	struct packet_frequency kind[PACKETS_FREQUENT];
	struct packets *p = *state;

	for (uint16_t i = 0; i < 10; i++)
		take(p, i < 7 ? 7 : 8, 80);
	take(p, 9, 443);
	assert_int_equal(packets_frequent(entry, packets_shown(p, entry), kind), 3);
	assert_string_equal(kind[0].kind, "UDP 192.0.2.7 port 80");
	assert_int_equal(kind[0].n, 7);
	assert_int_equal(kind[2].n, 1);
}

/* Only the newest are kept, and only the most frequent are shown. */
TEST_WITH(test_limits, setup, teardown)
{
	const struct packet_entry *entry[PACKETS_MAX];
	struct packet_frequency kind[PACKETS_FREQUENT];
	struct packets *p = *state;

	take(p, 200, 99);
	for (uint16_t i = 0; i < PACKETS_MAX; i++)
		take(p, (uint8_t)(i % 8), 80);
	for (uint16_t i = 0; i < 100; i++)
		take(p, 3, 80);
	assert_int_equal(packets_shown(p, entry), PACKETS_MAX);
	assert_string_equal(entry[0]->header.source.address, "192.0.2.3");
	assert_int_equal(packets_frequent(entry, PACKETS_MAX, kind), PACKETS_FREQUENT);
	assert_string_equal(kind[0].kind, "UDP 192.0.2.3 port 80");
	for (size_t i = 1; i < PACKETS_FREQUENT; i++)
		assert_true(kind[i - 1].n >= kind[i].n);
	p->paused = true;
	take(p, 1, 80);
	assert_int_equal(p->missed, 1);
	assert_int_equal(packets_shown(p, entry), PACKETS_MAX);
	assert_string_equal(entry[0]->header.source.address, "192.0.2.3");
}
