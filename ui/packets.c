// SPDX-License-Identifier: GPL-2.0-or-later
#include "packets.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "actions.h"
#include "base/array.h"
#include "base/format.h"
#include "base/memory.h"
#include "pane.h"
#include "screen_table.h"
#include "export.h"
#include "source/verdicts.h"
#include "table/filter_capture.h"
#include "tracing/filter_compiler.h"

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

/*
 * Key y: packets that the program or device of a row dropped or aborted, while the pane is open:
 * the most frequent kinds, and the newest packets.
 */

#define LOST_ACTS (1u << 0 | 1u << 1) /* XDP_ABORTED, XDP_DROP */
/* Body lines from which the most frequent kinds are shown too. */
#define FREQUENT_LINES 12

static bool is_open(const struct screen *s)
{
	for (int i = 1; i <= s->depth; i++)
		if (s->stack[i] == &pane_packets)
			return true;
	return false;
}

void packets_end(struct screen *s)
{
	if (!s->packets.on)
		return;
	s->source->ops->capture(s->source, NULL, NULL, NULL, NULL);
	packets_free(&s->packets);
}

/* Why no packets can be read here; NULL = packets can be read. */
static const char *why_none(const struct screen *s)
{
	if (!s->source->ops->capture)
		return "a recording has no packets";
	if (!s->options->trace.verdicts)
		return "packets are read only where verdicts are counted; start with --verdicts";
	if (s->options->capture.path[0])
		return "--capture is already writing packets to its file";
	if (!s->options->trace.captures)
		return "only root may read packets";
	return NULL;
}

/* The view of kinds has a sample of all packets, unless the pane reads some. */
static void sample_watch(struct screen *s)
{
	bool wanted = s->view == VIEW_PACKETS && !s->packets.on && !why_none(s);
	struct capture_filter all;
	struct error error = { 0 };

	if (wanted == s->samples_packets)
		return;
	all = capture_filter_all((uint32_t)s->options->capture.rate);
	s->samples_packets = wanted;
	if (!s->packets.on &&
	    s->source->ops->capture(s->source, wanted ? &all : NULL, packet_ignore, NULL, &error))
		screen_say(s, true, "packets cannot be read: %s", error_text(&error));
}

void packets_watch(struct screen *s)
{
	if (s->packets.on && !is_open(s))
		packets_end(s);
	sample_watch(s);
}

static int packets_begin(struct screen *s, const struct capture_filter *f, const char *what)
{
	struct error error = { 0 };
	int err;

	packets_open(&s->packets);
	s->source->ops->captured(s->source, 0, &s->packets.before);
	err = s->source->ops->capture(s->source, f, packets_take, &s->packets, &error);
	if (err) {
		packets_free(&s->packets);
		screen_say(s, true, "packets cannot be read: %s", error_text(&error));
		return err;
	}
	s->packets.on = true;
	s->packets.filter = *f;
	snprintf(s->packets.what, sizeof(s->packets.what), "%s", what);
	return 0;
}

void action_packets(struct screen *s)
{
	struct capture_filter f = { .acts = LOST_ACTS, .rate = (uint32_t)s->options->capture.rate };
	long at = table_selected(s);
	const struct row *row = at < 0 ? NULL : &s->table.row[at];
	const struct table *t = row ? table_of(&s->table, &row) : NULL;
	const char *why = why_none(s);
	char text[192] = "no row is selected";

	if (why || !row || row_capture(t, row, &f, text, sizeof(text))) {
		screen_say(s, true, "%s", why ?: text);
		return;
	}
	packets_end(s);
	if (!packets_begin(s, &f, text))
		screen_push(s, &pane_packets);
}

static void packets_title_draw(struct screen *s)
{
	const struct packets *p = &s->packets;
	struct capture_counts n;
	const char *why = s->source->ops->captured(s->source, 0, &n);
	uint64_t left_out = n.refused + n.lost - p->before.refused - p->before.lost;
	char text[1024], paused[64] = "", pcap[sizeof(p->pcap) + 32] = "", unread[64] = "";

	if (p->pcap[0])
		snprintf(pcap, sizeof(pcap), " that match '%s'", p->pcap);
	if (n.unread != p->before.unread)
		snprintf(unread, sizeof(unread), ", %" PRIu64 " not compared (fragments)",
			 n.unread - p->before.unread);
	if (p->paused)
		snprintf(paused, sizeof(paused), "; paused, %" PRIu64 " newer not kept", p->missed);
	if (why)
		snprintf(text, sizeof(text), "  Packets are not read: %s", why);
	else
		snprintf(text, sizeof(text),
			 "  Dropped by %s%s, sampled at %" PRIu64 "/s per program: %" PRIu64
			 " read, %" PRIu64 " left out%s%s",
			 p->what, pcap, s->options->capture.rate, p->taken + p->missed, left_out,
			 unread, paused);
	title_draw(s, why || p->paused ? STYLE_WARN : STYLE_BOLD, text);
}

/* Draws the most frequent kinds. Returns the lines that they take. */
static int frequent_draw(struct screen *s, const struct packet_entry *const *shown, size_t n)
{
	struct packet_frequency kind[PACKETS_FREQUENT];
	size_t kinds = packets_frequent(shown, n, kind);
	int y = s->layout.body_y;
	char line[PACKET_KIND_LEN + 64];

	terminal_put(s->terminal, y++, 0, s->layout.width, STYLE_COLUMN_HEADER,
		     "  COUNT     % PROTOCOL, SOURCE, DESTINATION PORT");
	for (size_t i = 0; i < kinds; i++) {
		char percent[16];

		format_percent(percent, sizeof(percent), 100.0 * (double)kind[i].n / (double)n);
		snprintf(line, sizeof(line), "  %5zu %5s %s", kind[i].n, percent, kind[i].kind);
		terminal_put(s->terminal, y++, 0, s->layout.width, STYLE_PLAIN, line);
	}
	return y - s->layout.body_y + 1;
}

static void packets_draw(struct screen *s)
{
	const struct packet_entry *shown[PACKETS_MAX];
	size_t n = packets_shown(&s->packets, shown);
	struct list *list = &s->packets.list;
	int lines = s->layout.body_lines, used = 0;
	char line[256], cell[300];

	packets_title_draw(s);
	if (!n) {
		terminal_put(s->terminal, s->layout.body_y, 0, s->layout.width, STYLE_PLAIN,
			     "  No such packet has been dropped or aborted yet.");
		return;
	}
	if (lines >= FREQUENT_LINES)
		used = frequent_draw(s, shown, n);
	s->packets_y = s->layout.body_y + used + 1;
	s->packets_lines = lines - used - 1;
	snprintf(line, sizeof(line), "  %s", packet_titles);
	terminal_put(s->terminal, s->packets_y - 1, 0, s->layout.width, STYLE_COLUMN_HEADER, line);
	layout_scroll(list, (int)n, s->packets_lines);
	for (int i = 0; i < s->packets_lines && list->top + i < (int)n; i++) {
		bool selected = list->top + i == list->cursor;

		packet_line(shown[list->top + i], line, sizeof(line));
		snprintf(cell, sizeof(cell), "%s%s", selected ? "> " : "  ", line);
		terminal_put(s->terminal, s->packets_y + i, 0, s->layout.width,
			     selected ? STYLE_SELECTED : STYLE_PLAIN, cell);
	}
}

static struct cursor packets_cursor(struct screen *s)
{
	const struct packet_entry *shown[PACKETS_MAX];

	return (struct cursor){ &s->packets.list, (int)packets_shown(&s->packets, shown),
				s->packets_lines, s->packets_y };
}

/* The device and the program of the selected packet. */
static void packets_status(const struct screen *s, char *buf, size_t size)
{
	const struct packet_entry *shown[PACKETS_MAX];
	size_t n = packets_shown(&s->packets, shown), at = (size_t)s->packets.list.cursor;
	const struct packet *p = at < n ? &shown[at]->packet : NULL;

	buf[0] = '\0';
	if (p)
		snprintf(buf, size, "%s%s%s%s, program %s (id %u), CPU %u, %u of %u bytes read",
			 p->ifname, p->netns[0] ? " (" : "", p->netns, p->netns[0] ? ")" : "",
			 p->prog_name, p->record.prog_id, p->record.cpu, p->record.n,
			 p->record.length);
}

/* Starts again, with packets that match the filter. */
static bool filter_accept(struct screen *s)
{
	struct capture_filter f = s->packets.filter;
	struct prompt *p = &s->prompt;
	char what[sizeof(s->packets.what)];

	f.code.n = 0;
	if (p->text[0] && filter_compile(s->options->capture.compiler, p->text, &f.code, &p->error))
		return false;
	memcpy(what, s->packets.what, sizeof(what));
	packets_end(s);
	if (!packets_begin(s, &f, what))
		memcpy(s->packets.pcap, p->text, sizeof(p->text));
	return true;
}

static const struct prompt_kind prompt_packets = {
	.label = "Packets that match (pcap-filter(7)): ",
	.brief = "Match: ",
	.accept = filter_accept,
};

void packets_filter(struct screen *s)
{
	if (s->packets.on)
		prompt_open(&s->prompt, &prompt_packets, s->packets.pcap);
}

void packets_pause(struct screen *s)
{
	struct packets *p = &s->packets;

	p->paused = !p->paused;
	p->missed = p->paused ? 0 : p->missed;
	screen_say(s, false, p->paused ? "paused; p resumes" : "resumed");
}

static int write_packets(const struct screen *s, struct capture_file *f)
{
	const struct packet_entry *shown[PACKETS_MAX];

	for (size_t i = packets_shown(&s->packets, shown); i-- > 0;)
		capture_file_packet(f, &shown[i]->packet);
	return capture_file_end(f);
}

static bool packets_accept(struct screen *s)
{
	struct prompt *p = &s->prompt;
	struct capture_config config = { .acts = LOST_ACTS,
					 .rate = s->options->capture.rate,
					 .filter = s->packets.pcap[0] ? s->packets.pcap : NULL };
	int fd = export_create(p, 0600, NULL), err;

	if (fd < 0)
		return false;
	err = write_packets(s, capture_file_attach(fd, p->text, &config, &s->source->host));
	if (export_failed(p, err, true))
		return false;
	screen_say(s, false, "packets saved to %s; read them with tshark -r %s", p->text, p->text);
	return true;
}

static const struct prompt_kind prompt_file = {
	.label = "Write these packets to: ",
	.brief = "Write to: ",
	.accept = packets_accept,
};

void packets_export(struct screen *s)
{
	export_ask(s, &prompt_file, &snapshots_newest(&s->snapshots)->wall, "pcapng");
}

const struct pane pane_packets = {
	.context = KEYS_PACKETS,
	.draw = packets_draw,
	.cursor = packets_cursor,
	.status = packets_status,
};
