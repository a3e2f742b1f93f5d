// SPDX-License-Identifier: GPL-2.0-or-later
/* The files that a replay reads. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/event_loop.h"
#include "recording/recording_assemble.h"

/* Whether input and output are the same file, which would be truncated or never end. */
static bool is_output(int input, const char *output)
{
	struct stat st, own;
	int err = output ? stat(output, &st) : fstat(STDOUT_FILENO, &st);

	return !err && S_ISREG(st.st_mode) && !fstat(input, &own) && st.st_dev == own.st_dev &&
	       st.st_ino == own.st_ino;
}

static int open_directory(struct recording *r, int dir, struct error *error)
{
	int err = segments_of_directory(&r->files, dir);

	if (err == -ENOENT)
		return error_set(error, err,
				 "%s: no recording in this directory; xdptop --record %s makes one",
				 r->name, r->name);
	if (err)
		return error_set(error, err, "%s: %s; run as a user who may read it", r->name,
				 strerror(-err));
	if (r->files.unreadable && !r->quiet)
		message("%s: %zu segment%s cannot be opened: %s", r->name, r->files.unreadable,
			r->files.unreadable == 1 ? "" : "s", strerror(-r->files.why));
	if (r->files.left_out && !r->quiet)
		message("%s: only the newest %d segments are read; %zu are older", r->name,
			SEGMENTS_MAX, r->files.left_out);
	for (size_t i = 0; i < r->files.n; i++)
		r->source.size += r->files.segment[i].size;
	r->source.segments = true;
	r->regular = true;
	return 0;
}

int recording_open_files(struct recording *r, const char *output, struct error *error)
{
	bool standard = !strcmp(r->span.path, "-");
	int fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
			  : open(r->span.path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct stat st;
	int err = 0;

	r->name = standard ? "stdin" : r->span.shown;
	record_reader_init(&r->reader, fd);
	if (fd < 0 || fstat(fd, &st) < 0) {
		err = -errno;
		return error_set(error, err, "%s: %s; give a file that xdptop -o json has written",
				 r->name, strerror(-err));
	}
	if (S_ISDIR(st.st_mode)) {
		err = open_directory(r, fd, error);
	} else {
		r->regular = S_ISREG(st.st_mode);
		r->source.size = r->regular ? (uint64_t)st.st_size : 0;
		segments_of_file(&r->files, fd, r->source.size);
	}
	if (isatty(fd))
		return error_set(
			error, -EINVAL,
			"%s: it is a terminal; give a file that xdptop -o json has written",
			r->name);
	for (size_t i = 0; i < r->files.n && !err; i++)
		if (is_output(r->files.segment[i].fd, output))
			err = error_set(error, -EINVAL,
					"%s: the output would overwrite the recording being read; "
					"give it another file",
					r->name);
	return err;
}

uint64_t recording_at(const struct recording *r)
{
	return r->files.segment[r->segment].before + line_reader_at(&r->reader.lines);
}

void recording_read_from(struct recording *r, size_t segment)
{
	const struct segment *to = &r->files.segment[segment];

	record_reader_start(&r->reader, to->fd);
	r->segment = segment;
	if (!r->files.directory)
		return;
	r->reader.lines.grows = r->source.grows && segment + 1 == r->files.n;
	snprintf(r->segment_name, sizeof(r->segment_name), "%s/%s", r->span.shown, to->name);
	r->name = r->segment_name;
}

uint64_t recording_late_ns(const struct recording *r)
{
	return (uint64_t)seconds_to_ns(3 * r->source.host.delay_s) + 5 * NSEC_PER_SEC;
}

void recording_await(struct recording *r)
{
	uint64_t idle_ns = clock_ns() - r->read_ns;
	int more = idle_ns > recording_late_ns(r) / 4 ? segments_more(&r->files) : 0;

	if (more || idle_ns > recording_late_ns(r))
		r->reader.lines.grows = false;
	r->source.no_more = more < 0 ? more : 0;
}

bool recording_go_on(struct recording *r)
{
	if (!r->files.directory || event_loop_ends())
		return false;
	r->was_damaged |= r->reader.damaged;
	if (r->segment + 1 >= r->files.n)
		return false;
	recording_read_from(r, r->segment + 1);
	return true;
}
