// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/capture_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/array.h"
#include "base/clock.h"
#include "base/path_walk.h"
#include "base/version.h"
#include "source/verdicts.h"

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

static void pcapng_packet(struct pcapng_block *b, uint32_t interface, const struct packet *p)
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

static void pcapng_statistics(struct pcapng_block *b, uint32_t interface, int64_t from_ns,
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

/* An interface of the file: one program on one device. */
struct capture_interface {
	uint32_t prog_id, netns, ifindex;
	char ifname[CAPTURE_NAME_LEN + 1]; /* a device can be renamed */
	bool first; /* of the program: has the counts, which are those of all its devices */
};

struct capture_file {
	int fd;
	const char *path;
	bool quiet; /* no messages */
	struct path_place place;
	int64_t begun_ns;
	off_t end; /* of the last whole block */
	struct capture_interface *interface;
	size_t n, cap;
	uint64_t written, unwritten; /* packets */
	int err;                     /* of the first write that failed */
	struct pcapng_block block;
};

static int64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return timespec_to_ns(&now);
}

/* Appends the block. After an error the file ends with the last whole one. */
static int write_block(struct capture_file *f)
{
	size_t at = 0;

	while (at < f->block.n && !f->err) {
		ssize_t n = write(f->fd, f->block.bytes + at, f->block.n - at);

		f->err = n < 0 && errno != EINTR ? -errno : 0;
		if (f->err && !f->quiet)
			message("--capture %s: %s; no more packets are written", f->path,
				strerror(-f->err));
		at += n > 0 ? (size_t)n : 0;
	}
	if (!f->err)
		f->end += (off_t)at;
	else if (ftruncate(f->fd, f->end) && !f->quiet)
		message("--capture %s: its last packet is incomplete", f->path);
	return f->err;
}

const char *capture_text(const struct capture_config *config, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (uint32_t act = 0; act < VERDICT_ACTS && len < size; act++)
		if (config->acts >> act & 1)
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ", " : "",
						verdict_name(act));
	if (len < size)
		snprintf(buf + len, size - len,
			 ": the first %d bytes of at most %" PRIu64
			 " packets a second from each program%s%s%s%s",
			 CAPTURE_BYTES, config->rate,
			 config->both ? ", before and after the program" : "",
			 config->filter ? ", of those with '" : "", config->filter ?: "",
			 config->filter ? "'" : "");
	return buf;
}

static void file_free(struct capture_file *f)
{
	if (!f)
		return;
	close(f->fd);
	path_place_close(&f->place);
	free(f->interface);
	free(f);
}

void capture_file_remove(struct capture_file *f)
{
	if (f)
		unlinkat(f->place.dir, f->place.name, 0);
	file_free(f);
}

struct capture_file *capture_file_attach(int fd, const char *path,
					 const struct capture_config *config,
					 const struct snapshot_host *host)
{
	struct capture_file *f = memory_new(1, sizeof(*f));
	char os[80], what[CAPTURE_TEXT];

	f->fd = fd;
	f->path = path;
	f->quiet = true;
	f->place.dir = -1;
	f->begun_ns = wall_ns();
	snprintf(os, sizeof(os), "Linux %s", host->kernel);
	pcapng_section(&f->block, os, "xdptop " XDPTOP_VERSION,
		       capture_text(config, what, sizeof(what)));
	write_block(f);
	return f;
}

int capture_file_open(struct capture_file **f, const struct capture_config *config,
		      const struct snapshot_host *host, struct error *error)
{
	struct path_place place;
	int err = path_walk(config->path, &place, error), fd;

	*f = NULL;
	if (err)
		return err;
	fd = path_create(&place, 0600);
	if (fd >= 0)
		*f = capture_file_attach(fd, config->path, config, host);
	err = fd < 0 ? fd : (*f)->err;
	if (err && fd >= 0)
		unlinkat(place.dir, place.name, 0);
	if (err) {
		path_place_close(&place);
		file_free(*f);
		*f = NULL;
		return error_set(error, err, "%s%s", strerror(-err),
				 err == -EEXIST ? "; give the name of a new file" : "");
	}
	(*f)->place = place;
	(*f)->quiet = false;
	return 0;
}

/* The number of the packet's interface, which is written if it is new. -1 = it could not be. */
static int64_t interface_of(struct capture_file *f, const struct packet *p)
{
	const struct capture_record *r = &p->record;
	struct capture_interface *is;
	char text[256], netns[32];
	bool first = true;

	for (size_t i = f->n; i-- > 0;) {
		is = &f->interface[i];
		if (is->prog_id == r->prog_id && is->netns == r->netns &&
		    is->ifindex == r->ifindex && !strcmp(is->ifname, p->ifname))
			return (int64_t)i;
		first &= is->prog_id != r->prog_id;
	}
	is = array_append(f->interface, f->n, f->cap);
	*is = (struct capture_interface){ r->prog_id, r->netns, r->ifindex, "", first };
	memcpy(is->ifname, p->ifname, sizeof(is->ifname));
	snprintf(netns, sizeof(netns), "ns:%u", r->netns);
	snprintf(text, sizeof(text), "ifindex %u, netns %s, XDP program %s id %u", r->ifindex,
		 p->netns[0] ? p->netns : netns, p->prog_name, r->prog_id);
	pcapng_interface(&f->block, p->ifname, text);
	return write_block(f) ? -1 : (int64_t)f->n - 1;
}

void capture_file_packet(void *file, const struct packet *p)
{
	struct capture_file *f = file;
	int64_t interface = f->err ? -1 : interface_of(f, p);
	bool is_before = p->record.stage == CAPTURE_PAIR_BEFORE; /* one of two blocks */

	if (interface >= 0)
		pcapng_packet(&f->block, (uint32_t)interface, p);
	if (interface < 0 || write_block(f))
		f->unwritten += !is_before;
	else
		f->written += !is_before;
}

static void write_counts(struct capture_file *f, struct source *source)
{
	int64_t now_ns = wall_ns();

	for (size_t i = 0; i < f->n && !f->err; i++) {
		struct capture_counts n;

		if (!f->interface[i].first)
			continue;
		source->ops->captured(source, f->interface[i].prog_id, &n);
		pcapng_statistics(&f->block, (uint32_t)i, f->begun_ns, now_ns, &n,
				  "counts of the program on all its devices");
		write_block(f);
	}
}

int capture_file_end(struct capture_file *f)
{
	int err = f->err;

	file_free(f);
	return err;
}

int capture_file_close(struct capture_file *f, struct source *source, bool quiet)
{
	struct capture_counts n = { 0 };
	const char *why;
	int code;

	if (!f)
		return EXIT_DONE;
	why = source->ops->captured(source, 0, &n);
	write_counts(f, source);
	if (why)
		message("--capture %s: some packets were not read: %s", f->path, why);
	if (!quiet)
		message("--capture %s: %" PRIu64 " of %" PRIu64
			" packets written; left out: %" PRIu64 " by --capture-rate, %" PRIu64
			" without room",
			f->path, f->written, n.matched, n.refused, n.lost + f->unwritten);
	if (n.unread && !quiet)
		message("--capture %s: %" PRIu64
			" packets were not compared: the filter needs bytes of fragments, which "
			"are not read",
			f->path, n.unread);
	code = f->err ? EXIT_FILE : why ? EXIT_FAILED : EXIT_DONE;
	file_free(f);
	return code;
}
