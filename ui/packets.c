// SPDX-License-Identifier: GPL-2.0-or-later
#include "packets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "source/verdicts.h"

const char packet_titles[] = "TIME     VERDICT    Q PROTOCOL     LEN SOURCE > DESTINATION";

int packets_open(struct packets *p)
{
	memset(p, 0, sizeof(*p));
	p->entry = calloc(PACKETS_MAX, sizeof(*p->entry));
	return p->entry ? 0 : -ENOMEM;
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
	e->time = packet->time;
	e->record = *packet->record;
	snprintf(e->ifname, sizeof(e->ifname), "%s", packet->ifname);
	snprintf(e->prog_name, sizeof(e->prog_name), "%s", packet->prog_name);
	snprintf(e->netns, sizeof(e->netns), "%s", packet->netns ?: "");
	packet_header_read(&e->header, e->record.bytes, e->record.n);
	set_kind(e);
	p->taken++;
}

void packet_line(const struct packet_entry *e, char *buf, size_t size)
{
	const struct packet_header *h = &e->header;
	char clock[16], from[PACKET_END_LEN], to[PACKET_END_LEN];

	format_clock(clock, sizeof(clock), &e->time);
	snprintf(buf, size, "%-8s %-8s %3u %-11s %5u %s > %s%s", clock, verdict_name(e->record.act),
		 e->record.queue, h->protocol, e->record.length, packet_end_text(&h->source, from),
		 packet_end_text(&h->destination, to), h->vlan);
}

/* Whether the line, the device or the program has each word; case does not matter. */
static bool is_shown(const struct packets *p, const struct packet_entry *e)
{
	char line[256], all[512], words[sizeof(p->filter)], *save = NULL;

	if (!p->filter[0])
		return true;
	packet_line(e, line, sizeof(line));
	snprintf(all, sizeof(all), "%s %s %s", line, e->ifname, e->prog_name);
	snprintf(words, sizeof(words), "%s", p->filter);
	for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
		if (!strcasestr(all, word))
			return false;
	return true;
}

size_t packets_shown(const struct packets *p, const struct packet_entry *shown[PACKETS_MAX])
{
	size_t kept = p->taken < PACKETS_MAX ? (size_t)p->taken : PACKETS_MAX, n = 0;

	for (size_t back = 1; back <= kept; back++) {
		const struct packet_entry *e = &p->entry[(p->taken - back) % PACKETS_MAX];

		if (is_shown(p, e))
			shown[n++] = e;
	}
	return n;
}

static int kind_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Insert a kind among the most frequent; equal ones are in order of their names. */
static size_t frequency_insert(struct packet_frequency to[PACKETS_FREQUENT], size_t n,
			       struct packet_frequency new)
{
	size_t at = n;

	while (at && to[at - 1].n < new.n)
		at--;
	if (at == PACKETS_FREQUENT)
		return n;
	n += n < PACKETS_FREQUENT;
	memmove(&to[at + 1], &to[at], (n - at - 1) * sizeof(*to));
	to[at] = new;
	return n;
}

size_t packets_frequent(const struct packet_entry *const *shown, size_t n,
			struct packet_frequency to[PACKETS_FREQUENT])
{
	const char *kind[PACKETS_MAX];
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		kind[i] = shown[i]->kind;
	qsort(kind, n, sizeof(kind[0]), kind_compare);
	for (size_t i = 0, end; i < n; i = end) {
		end = i + 1;
		while (end < n && !strcmp(kind[i], kind[end]))
			end++;
		found = frequency_insert(to, found, (struct packet_frequency){ kind[i], end - i });
	}
	return found;
}
