// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/capture_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/path_walk.h"
#include "base/version.h"
#include "output/pcapng.h"
#include "source/verdicts.h"

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
		message("--capture %s: its last packet is not whole", f->path);
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
			 " packets a second of each program%s%s%s%s",
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
