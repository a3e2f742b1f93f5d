// SPDX-License-Identifier: GPL-2.0-or-later
#include "packets.h"

#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/format.h"
#include "base/memory.h"
#include "source/verdicts.h"

const char packet_titles[] = "TIME     VERDICT    Q PROTOCOL     LEN SOURCE > DESTINATION";

void packets_open(struct packets *p)
{
	memset(p, 0, sizeof(*p));
	p->entry = memory_new(PACKETS_MAX, sizeof(*p->entry));
}

void packets_free(struct packets *p)
{
	free(p->entry);
	memset(p, 0, sizeof(*p));
}

static void set_kind(struct packet_entry *e)
{
	const struct packet_header *h = &e->header;
	char port[16] = "";

	if (h->destination.port >= 0)
		snprintf(port, sizeof(port), " port %d", h->destination.port);
	snprintf(e->kind, sizeof(e->kind), "%s %s%s", h->protocol, h->source.address, port);
}

void packets_take(void *packets, const struct packet *packet)
{
	struct packets *p = packets;
	struct packet_entry *e = &p->entry[p->taken % PACKETS_MAX];

	if (p->paused) {
		p->missed++;
		return;
	}
	e->packet = *packet;
	packet_header_read(&e->header, packet->record.bytes, packet->record.n);
	set_kind(e);
	p->taken++;
}

void packet_line(const struct packet_entry *e, char *buf, size_t size)
{
	const struct capture_record *r = &e->packet.record;
	const struct packet_header *h = &e->header;
	char clock[16], from[PACKET_END_LEN], to[PACKET_END_LEN], act[16];

	format_clock(clock, sizeof(clock), &e->packet.time);
	/* an invalid value is a clue: it is often an errno */
	if (r->act < VERDICT_UNKNOWN)
		snprintf(act, sizeof(act), "%s", verdict_name(r->act));
	else
		snprintf(act, sizeof(act), "%d", (int32_t)r->act);
	snprintf(buf, size, "%-8s %-8s %3u %-11s %5u %s > %s%s", clock, act, r->queue, h->protocol,
		 r->length, packet_end_text(&h->source, from), packet_end_text(&h->destination, to),
		 h->vlan);
}

size_t packets_shown(const struct packets *p, const struct packet_entry *shown[PACKETS_MAX])
{
	size_t n = p->taken < PACKETS_MAX ? (size_t)p->taken : PACKETS_MAX;

	for (size_t i = 0; i < n; i++)
		shown[i] = &p->entry[(p->taken - 1 - i) % PACKETS_MAX];
	return n;
}

static int kind_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The most frequent first; equal ones by name. */
COMPARE(frequency_compare, struct packet_frequency, ORDER(y->n, x->n) ?: strcmp(x->kind, y->kind))

size_t packets_frequent(const struct packet_entry *const *shown, size_t n,
			struct packet_frequency to[PACKETS_FREQUENT])
{
	struct packet_frequency all[PACKETS_MAX];
	const char *kind[PACKETS_MAX];
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		kind[i] = shown[i]->kind;
	qsort(kind, n, sizeof(kind[0]), kind_compare);
	for (size_t i = 0, end; i < n; i = end) {
		end = i + 1;
		while (end < n && !strcmp(kind[i], kind[end]))
			end++;
		all[found++] = (struct packet_frequency){ kind[i], end - i };
	}
	qsort(all, found, sizeof(all[0]), frequency_compare);
	found = found < PACKETS_FREQUENT ? found : PACKETS_FREQUENT;
	memcpy(to, all, found * sizeof(*to));
	return found;
}
