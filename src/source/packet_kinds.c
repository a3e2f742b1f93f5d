// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/packet_kinds.h"

#include "model/packet_header.h"
#include "schema/record_field.h"
#include "source/data_source.h"
#include "source/live_source.h"
#include "source/verdicts.h"

#define ROWS_MAX 1024
/* Beyond ROWS_MAX, kinds are summed up, in at most five rows of a program and verdict. */
#define SUMS_MAX 1024

static const uint32_t lengths[] = { 64, 128, 256, 512, 1024, 1518 };

_Static_assert(offsetof(struct packet_kind, gone) % sizeof(uint32_t) == 0, "no padding in the key");

struct packet_kinds {
	struct live *live;
	struct packet_kind *row; /* sorted */
	size_t n, cap;
};

DATA_SOURCE_ROWS(packet_kinds, struct packet_kind, DATA_SOURCE_PACKET_KINDS)

ROW_NUMBER(program_of, struct packet_kind, k, k->prog_id)

const struct row_key packet_kinds_by_program = { DATA_SOURCE_PACKET_KINDS, 1,
						 .number = program_of };

bool packet_kinds_covers(const struct capture_filter *f)
{
	return f->acts == (1u << VERDICT_ACTS) - 1 && !f->n && !f->code.n;
}

static uint64_t packets_since(const struct snapshot *from, const struct packet_kind *k)
{
	const struct packet_kind *was = data_source_row(from, DATA_SOURCE_PACKET_KINDS, k);

	return was && was->packets <= k->packets ? k->packets - was->packets : k->packets;
}

uint64_t packet_kind_grew(const struct rates *r, const struct packet_kind *k)
{
	return r->from ? packets_since(r->from, k) : 0;
}

uint64_t packet_kind_since(const struct rates *r, const struct packet_kind *k)
{
	return r->base ? packets_since(r->base, k) : k->packets;
}

/* clang-format off */
static const struct record_field fields[] = {
	FIELDS_OF_SNAPSHOT,
	FIELD_REAL("interval_s", field_get_real, seconds),
	ROW_FIELD_ID("prog_id", struct packet_kind, prog_id),
	ROW_FIELD_TEXT("prog_name", struct packet_kind, prog_name),
	ROW_FIELD_GONE("counted", struct packet_kind, gone),
	ROW_FIELD_NAME("act", struct packet_kind, act, verdict_names),
	ROW_FIELD_TEXT("ethertype", struct packet_kind, ethertype),
	ROW_FIELD_TEXT("protocol", struct packet_kind, protocol),
	ROW_FIELD_ID("length_to", struct packet_kind, length_to),
	FIELD("packets", COUNT, 0, field_get_interval, field_set_interval, ROW_MEMBER(struct packet_kind, packets)),
	FIELD("packets_total", COUNT, 0, field_get_u64, field_set_u64, ROW_MEMBER(struct packet_kind, packets)),
};
/* clang-format on */

static const struct record_object object = RECORD_OBJECT("packet_kind", fields);

static size_t place_of(const struct packet_kinds *kinds, const struct packet_kind *k)
{
	return array_lower_bound(kinds->row, kinds->n, row,
				 compare_words(row, k, PACKET_KIND_WORDS) < 0);
}

static bool has(const struct packet_kinds *kinds, size_t at, const struct packet_kind *k)
{
	return at < kinds->n && !compare_words(&kinds->row[at], k, PACKET_KIND_WORDS);
}

/* Of a full table. Random types and protocols cannot hide ARP and neighbour discovery in it. */
static struct packet_kind sum_of(const struct packet_kind *k)
{
	struct packet_kind sum = { k->prog_id, k->act, .ethertype = "other" };

	if (!strcmp(k->ethertype, PACKET_ARP) || *k->protocol)
		memcpy(sum.ethertype, k->ethertype, sizeof(sum.ethertype));
	if (!strcmp(k->protocol, PACKET_ND))
		memcpy(sum.protocol, k->protocol, sizeof(sum.protocol));
	return sum;
}

void packet_kinds_add(struct packet_kinds *kinds, const struct packet *p)
{
	const struct capture_record *r = &p->record;
	struct packet_kind k = { .prog_id = r->prog_id,
				 .act = r->act < VERDICT_UNKNOWN ? r->act : VERDICT_UNKNOWN };
	struct packet_header h;
	size_t at;

	if (!kinds)
		return;
	packet_header_read(&h, r->bytes, r->n);
	memcpy(k.ethertype, h.ethertype, sizeof(k.ethertype));
	memcpy(k.protocol, h.transport, sizeof(k.protocol));
	for (size_t i = sizeof(lengths) / sizeof(lengths[0]); i-- && r->length <= lengths[i];)
		k.length_to = lengths[i];
	at = place_of(kinds, &k);
	if (!has(kinds, at, &k) && kinds->n >= ROWS_MAX) {
		k = sum_of(&k);
		at = place_of(kinds, &k);
	}
	if (!has(kinds, at, &k)) {
		if (kinds->n == ROWS_MAX + SUMS_MAX)
			return;
		memcpy(k.prog_name, p->prog_name, sizeof(k.prog_name));
		array_replace(kinds->row, kinds->n, kinds->cap, at, at, &k, 1);
	}
	kinds->row[at].packets++;
}

/* Rows of programs that have ended are dropped. */
static int kinds_sample(void *state, struct snapshot *to)
{
	struct packet_kinds *kinds = state;
	size_t kept = 0;

	for (size_t i = 0; i < kinds->n; i++)
		if (program_find(to, kinds->row[i].prog_id))
			kinds->row[kept++] = kinds->row[i];
	kinds->n = kept;
	snapshot_put_rows(to, DATA_SOURCE_PACKET_KINDS, kinds->row, kept, sizeof(*kinds->row));
	return 0;
}

static void kinds_close(void *state)
{
	struct packet_kinds *kinds = state;

	if (kinds->live)
		kinds->live->packet_kinds = NULL;
	free(kinds->row);
}

static int kinds_open(void *state, struct live *live, struct error *error)
{
	struct packet_kinds *kinds = state;

	if (!live->trace->verdicts)
		return error_set(error, 1, "packets are read only with --verdicts");
	if (!live->trace->captures)
		return error_set(error, 1, "only root may read packets");
	if (live->no_packets)
		return error_set(error, 1, "%s", live->no_packets);
	kinds->live = live;
	live->packet_kinds = kinds;
	return 0;
}

const struct data_source packet_kinds_source = {
	.name = "packet_kinds",
	.help = "a sample of packets by kind, with --verdicts, while the packets view asks for it",
	ROW_TYPE(struct packet_kind, gone, ROWS_MAX + SUMS_MAX),
	ROW_GONE(struct packet_kind),
	ROW_COUNTERS(struct packet_kind, packets),
	.record = &object,
	.state_size = sizeof(struct packet_kinds),
	.open = kinds_open,
	.sample = kinds_sample,
	.close = kinds_close,
};
