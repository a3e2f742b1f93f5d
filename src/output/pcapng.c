// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/pcapng.h"

#include <stdio.h>
#include <string.h>
#include "base/clock.h"

enum {
	BLOCK_INTERFACE = 1,
	BLOCK_STATISTICS = 5,
	BLOCK_PACKET = 6,
	BLOCK_SECTION = 0x0a0d0d0a,
};

#define BYTE_ORDER_MAGIC  0x1a2b3c4d
#define LINKTYPE_ETHERNET 1
#define NANOSECONDS       9 /* negative power of 10 */
#define VERDICT_XDP       2 /* Linux_eBPF_XDP */

enum {
	OPT_END = 0,
	OPT_COMMENT = 1,
	SECTION_OS = 3,
	SECTION_APPLICATION = 4,
	INTERFACE_NAME = 2,
	INTERFACE_DESCRIPTION = 3,
	INTERFACE_RESOLUTION = 9,
	PACKET_ID = 5,
	PACKET_QUEUE = 6,
	PACKET_VERDICT = 7,
	STATISTICS_START = 2,
	STATISTICS_END = 3,
	STATISTICS_ACCEPTED = 6,
	STATISTICS_DROPPED = 7,
	STATISTICS_DELIVERED = 8,
};

/* Room that is kept for the end of the options and the second length. */
#define TAIL 8

static void bytes_add(struct pcapng_block *b, const void *from, size_t n)
{
	size_t padded = (n + 3) / 4 * 4;

	if (b->n + padded + TAIL > sizeof(b->bytes))
		return;
	memcpy(b->bytes + b->n, from, n);
	memset(b->bytes + b->n + n, 0, padded - n);
	b->n += padded;
}

static void u32_add(struct pcapng_block *b, uint32_t value)
{
	bytes_add(b, &value, sizeof(value));
}

/* Times have their high half first, in either byte order. */
static void time_add(struct pcapng_block *b, int64_t ns)
{
	u32_add(b, (uint32_t)((uint64_t)ns >> 32));
	u32_add(b, (uint32_t)ns);
}

static void option_add(struct pcapng_block *b, uint16_t code, const void *value, size_t n)
{
	const uint16_t head[2] = { code, (uint16_t)n };

	if (n > UINT16_MAX || b->n + sizeof(head) + n + 3 + TAIL > sizeof(b->bytes))
		return;
	bytes_add(b, head, sizeof(head));
	bytes_add(b, value, n);
}

static void option_add_text(struct pcapng_block *b, uint16_t code, const char *text)
{
	if (text[0])
		option_add(b, code, text, strlen(text));
}

static void option_add_time(struct pcapng_block *b, uint16_t code, int64_t ns)
{
	const uint32_t halves[2] = { (uint32_t)((uint64_t)ns >> 32), (uint32_t)ns };

	option_add(b, code, halves, sizeof(halves));
}

static void block_begin(struct pcapng_block *b, uint32_t type)
{
	b->n = 0;
	u32_add(b, type);
	u32_add(b, 0); /* the length, later */
}

static void block_end(struct pcapng_block *b)
{
	uint32_t length = (uint32_t)b->n + TAIL;

	memset(b->bytes + b->n, OPT_END, sizeof(uint32_t));
	memcpy(b->bytes + sizeof(uint32_t), &length, sizeof(length));
	memcpy(b->bytes + b->n + sizeof(uint32_t), &length, sizeof(length));
	b->n = length;
}

void pcapng_section(struct pcapng_block *b, const char *os, const char *program,
		    const char *comment)
{
	const uint16_t version[2] = { 1, 0 };
	const uint64_t unknown_length = UINT64_MAX;

	block_begin(b, BLOCK_SECTION);
	u32_add(b, BYTE_ORDER_MAGIC);
	bytes_add(b, version, sizeof(version));
	bytes_add(b, &unknown_length, sizeof(unknown_length));
	option_add_text(b, SECTION_OS, os);
	option_add_text(b, SECTION_APPLICATION, program);
	option_add_text(b, OPT_COMMENT, comment);
	block_end(b);
}

void pcapng_interface(struct pcapng_block *b, const char *name, const char *description)
{
	const uint16_t link[2] = { LINKTYPE_ETHERNET, 0 };
	const uint8_t resolution = NANOSECONDS;

	block_begin(b, BLOCK_INTERFACE);
	bytes_add(b, link, sizeof(link));
	u32_add(b, CAPTURE_BYTES);
	option_add_text(b, INTERFACE_NAME, name);
	option_add_text(b, INTERFACE_DESCRIPTION, description);
	option_add(b, INTERFACE_RESOLUTION, &resolution, sizeof(resolution));
	block_end(b);
}

void pcapng_packet(struct pcapng_block *b, uint32_t interface, const struct packet *p)
{
	const struct capture_record *r = &p->record;
	uint8_t verdict[1 + sizeof(uint64_t)] = { VERDICT_XDP };
	uint64_t act = r->act, pair = r->ktime_ns << 16 | (r->cpu & 0xffff);
	char comment[48];

	memcpy(verdict + 1, &act, sizeof(act));
	snprintf(comment, sizeof(comment), "CPU %u%s", r->cpu,
		 r->stage == CAPTURE_PAIR_BEFORE  ? ", before the program"
		 : r->stage == CAPTURE_PAIR_AFTER ? ", after the program"
						  : "");
	block_begin(b, BLOCK_PACKET);
	u32_add(b, interface);
	time_add(b, timespec_to_ns(&p->time));
	u32_add(b, r->n);
	u32_add(b, r->length > r->n ? r->length : r->n);
	bytes_add(b, r->bytes, r->n);
	/* the same in both packets of a pair */
	if (r->stage != CAPTURE_AFTER)
		option_add(b, PACKET_ID, &pair, sizeof(pair));
	option_add(b, PACKET_QUEUE, &r->queue, sizeof(r->queue));
	option_add(b, PACKET_VERDICT, verdict, sizeof(verdict));
	option_add_text(b, OPT_COMMENT, comment);
	block_end(b);
}

void pcapng_statistics(struct pcapng_block *b, uint32_t interface, int64_t from_ns,
		       int64_t until_ns, const struct capture_counts *n, const char *comment)
{
	uint64_t left_out = n->refused + n->lost, copied = n->matched - left_out;

	block_begin(b, BLOCK_STATISTICS);
	u32_add(b, interface);
	time_add(b, until_ns);
	option_add_time(b, STATISTICS_START, from_ns);
	option_add_time(b, STATISTICS_END, until_ns);
	option_add(b, STATISTICS_ACCEPTED, &n->matched, sizeof(n->matched));
	option_add(b, STATISTICS_DROPPED, &left_out, sizeof(left_out));
	option_add(b, STATISTICS_DELIVERED, &copied, sizeof(copied));
	option_add_text(b, OPT_COMMENT, comment);
	block_end(b);
}
