// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets of a sample, by kind. */
#include <stdlib.h>
#include "model/packet_header.h"
#include "source/data_source.h"
#include "source/packet_kinds.h"
#include "source/programs.h"
#include "unit/made_verdicts.h"
#include "unit/test.h"

#define SOURCE data_sources[DATA_SOURCE_PACKET_KINDS]

static struct packet_kinds *kinds;
static struct snapshot s;

static int begin(void **state)
{
	kinds = calloc(1, SOURCE->state_size);
	made_program(&s, 42);
	return 0;
}

static int end(void **state)
{
	SOURCE->close(kinds);
	free(kinds);
	snapshot_free(&s);
	return 0;
}

/* The last two bytes of the Ethernet header, at least, are there. */
static void add(uint32_t prog_id, uint32_t act, uint16_t type, uint32_t length)
{
	struct packet p = { .prog_name = "prog",
			    .record = {
				    .prog_id = prog_id, .act = act, .length = length, .n = 14 } };

	p.record.bytes[12] = (uint8_t)(type >> 8);
	p.record.bytes[13] = (uint8_t)type;
	packet_kinds_add(kinds, &p);
}

static const struct packet_kind *sampled(size_t *n)
{
	s.rows[DATA_SOURCE_PACKET_KINDS].n = 0;
	assert_int_equal(SOURCE->sample(kinds, &s), 0);
	return packet_kinds(&s, n);
}

TEST_WITH(test_kinds, begin, end)
{
	static const struct {
		uint32_t length, to;
	} of[] = { { 0, 64 },      { 64, 64 },     { 65, 128 }, { 1024, 1024 },
		   { 1025, 1518 }, { 1518, 1518 }, { 1519, 0 }, { UINT32_MAX, 0 } };
	const struct packet_kind *k;
	uint64_t all = 0;
	size_t n;

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		add(42, 1, 0x0806, of[i].length);
	add(42, 4000000000, 0x86dd, 60);
	add(43, 1, 0x0806, 60); /* of a program that is not there any more */
	k = sampled(&n);
	assert_int_equal(n, 6);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(k[i].prog_id, 42);
		assert_string_equal(k[i].ethertype, k[i].act == 1 ? PACKET_ARP : "IPv6");
		assert_true(k[i].act == 1 || k[i].act == VERDICT_UNKNOWN);
		assert_true(!i || data_source_compare(SOURCE, &k[i - 1], &k[i]) < 0);
		all += k[i].packets;
		for (size_t at = 0; k[i].act == 1 && at < sizeof(of) / sizeof(of[0]); at++)
			all -= of[at].to == k[i].length_to;
	}
	assert_int_equal(all, 1);
}

/* However many kinds come, the rows are limited, and no packet is lost from the sums. */
TEST_WITH(test_limit, begin, end)
{
	const struct packet_kind *k;
	uint64_t all = 0, others = 0, arp = 0;
	size_t n;

	for (uint32_t type = 1536; type < 1536 + 9000; type++)
		add(42, type & 1, (uint16_t)type, 60);
	add(42, 1, 0x0806, 60); /* not hidden by all of these */
	k = sampled(&n);
	assert_true(n <= SOURCE->max_rows);
	for (size_t i = 0; i < n; i++) {
		all += k[i].packets;
		arp += k[i].act == 1 && !strcmp(k[i].ethertype, PACKET_ARP);
		others += strcmp(k[i].ethertype, "other") ? 0 : k[i].packets;
	}
	assert_int_equal(all, 9001);
	assert_int_equal(arp, 1);
	assert_true(others > 0 && others < 9000);
	packet_kinds_add(NULL, &(struct packet){ 0 });
}

TEST(test_covers)
{
	struct capture_filter all = capture_filter_all(10), few = all;

	assert_true(packet_kinds_covers(&all));
	few.acts &= ~2u;
	assert_false(packet_kinds_covers(&few));
	few = all;
	few.n = 1;
	assert_false(packet_kinds_covers(&few));
	few = all;
	few.code.n = 1;
	assert_false(packet_kinds_covers(&few));
}
