// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zstd.h>
#include "base/array.h"
#include "base/message.h"

#define CLOCK_SET_NS NSEC_PER_SEC * 60 /* the clock was set if it moved by more */

static bool is_no_space(int err)
{
	return err == ENOSPC || err == EDQUOT;
}

/* The segments in the directory. */
struct listing {
	char oldest[SEGMENT_NAME_LEN]; /* that can be removed; "" = none */
	bool own;                      /* it is r->own[0] */
	uint64_t size;                 /* of all segments */
};

static bool is_own(const struct recorder *r, const char *name)
{
	for (size_t i = 0; i < r->n_own; i++)
		if (!strcmp(r->own[i].name, name))
			return true;
	return false;
}

static void list_segment(const struct recorder *r, const char *name, struct listing *l)
{
	unsigned int number;
	struct stat st;
	int64_t begin;

	if (!segment_name_parse(name, &begin, &number) ||
	    fstatat(r->dir, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return;
	l->size += (uint64_t)st.st_size;
	if (!is_own(r, name) && (!*l->oldest || segment_name_compare(name, l->oldest) < 0))
		strcpy(l->oldest, name);
}

/* Another run's segment is older, whatever the clock said: only one run at a time writes here. */
static int list(const struct recorder *r, struct listing *l)
{
	int fd = openat(r->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *entry;
	DIR *dir;

	*l = (struct listing){ 0 };
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		int err = -errno;

		if (fd >= 0)
			close(fd);
		return err;
	}
	while ((entry = readdir(dir)))
		list_segment(r, entry->d_name, l);
	closedir(dir);
	l->own = !*l->oldest && r->n_own > 1;
	if (l->own)
		strcpy(l->oldest, r->own[0].name);
	return 0;
}

static int remove_oldest(struct recorder *r, const struct listing *l)
{
	if (unlinkat(r->dir, l->oldest, 0) && errno != ENOENT)
		return -errno;
	if (l->own)
		memmove(r->own, r->own + 1, --r->n_own * sizeof(r->own[0]));
	return 0;
}

/*
 * Removes the oldest segments until `bytes` are free, because the disk is full. Not more, because
 * a file system may take a while to free them. 0, or -errno: -ENOENT = no segment is left.
 */
static int make_room(struct recorder *r, uint64_t bytes)
{
	uint64_t before = 0;
	struct listing l;
	int err;

	while (!(err = list(r, &l))) {
		before = before ?: l.size;
		if (l.size + bytes <= before)
			break;
		err = *l.oldest ? remove_oldest(r, &l) : -ENOENT;
		if (err)
			break;
		if (!r->quiet)
			message("%s: the disk is full; removed %s", r->config->path, l.oldest);
	}
	return err;
}

/* Whether the last snapshot of a segment is older than --keep. */
static bool is_expired(const struct recorder *r, const struct listing *l,
		       const struct timespec *wall, uint64_t mono_ns)
{
	int64_t keep_ns = seconds_to_ns(r->config->keep_s) + RECORDER_SEGMENT_NS, begin;
	unsigned int number;

	if (!r->config->keep_s)
		return false;
	if (l->own)
		return (int64_t)(mono_ns - r->own[0].mono_ns) > keep_ns;
	segment_name_parse(l->oldest, &begin, &number);
	return wall->tv_sec - begin > keep_ns / NSEC_PER_SEC;
}

/* Removes segments by size, and by age if by_age. The current segment may still grow. */
static int retain(struct recorder *r, const struct timespec *wall, uint64_t mono_ns, bool by_age)
{
	uint64_t keep = r->config->keep_bytes;
	struct listing l;
	int err = 0;

	while (!err && !(err = list(r, &l)) && l.oldest[0]) {
		if (!(keep && l.size + r->size_max > keep) &&
		    !(by_age && is_expired(r, &l, wall, mono_ns)))
			break;
		err = remove_oldest(r, &l);
	}
	return err;
}

/* Begins a segment, which becomes the current one. The descriptor to write to, or -errno. */
static int create(struct recorder *r, const struct timespec *wall, uint64_t mono_ns)
{
	struct recorder_segment s = { .mono_ns = mono_ns }, *own;
	unsigned int number = 0;
	bool retried = false;
	int fd;

	for (;;) {
		segment_name(s.name, wall->tv_sec, number);
		fd = openat(r->dir, s.name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (fd >= 0)
			break;
		if (errno == EEXIST && number < SEGMENT_NUMBER_MAX) {
			number++;
		} else if (is_no_space(errno) && !retried) {
			retried = true;
			if (make_room(r, 1))
				return -ENOSPC;
		} else {
			return -errno;
		}
	}
	own = array_append(r->own, r->n_own, r->cap_own);
	if (!own) {
		close(fd);
		return -ENOMEM;
	}
	*own = s;
	snprintf(r->path, sizeof(r->path), "%s/%s", r->config->path, s.name);
	r->begun_wall = *wall;
	r->begun_at = r->sink.written;
	/* so that its name outlives a power failure; not every file system can do it */
	(void)!fsync(r->dir);
	return fd;
}

/* The directory must be trusted: a writer removes files there. */
static int open_directory(struct recorder *r, struct error *error)
{
	struct path_place p;
	char inside[PATH_MAX];
	int err;

	if (strlen(r->config->path) + 3 > sizeof(inside))
		return error_set(error, -ENAMETOOLONG, "%s", strerror(ENAMETOOLONG));
	err = path_walk(r->config->path, &p, error);
	if (err == -EISDIR)
		err = 0; /* "/" or "DIR/": its last name is empty */
	else if (!err && mkdirat(p.dir, p.name, 0755) && errno != EEXIST)
		err = error_set(error, -errno, "%s", strerror(errno));
	path_place_close(&p);
	if (err)
		return err;
	/* walks to the directory itself, and says whether others can write to it */
	snprintf(inside, sizeof(inside), "%s/.", r->config->path);
	err = path_walk(inside, &p, error);
	if (err)
		return err;
	r->dir = openat(p.dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = r->dir < 0 ? error_set(error, -errno, "%s", strerror(errno)) : 0;
	if (!err && p.shared)
		err = error_set(error, -EPERM,
				"others can write to this directory; give one that only you can "
				"write to");
	path_place_close(&p);
	return err;
}

static int lock(struct recorder *r, struct error *error)
{
	if (!flock(r->dir, LOCK_EX | LOCK_NB))
		return 0;
	if (errno == EWOULDBLOCK)
		return error_set(error, -EBUSY,
				 "another xdptop --record writes there; stop it, or give another "
				 "directory");
	return error_set(error, -errno, "cannot be locked: %s", strerror(errno));
}

static void set_size_max(struct recorder *r)
{
	struct statvfs fs;

	r->size_max = UINT64_MAX;
	if (!fstatvfs(r->dir, &fs) && fs.f_blocks)
		r->size_max = (uint64_t)fs.f_blocks * fs.f_frsize;
	if (r->config->keep_bytes && r->config->keep_bytes < r->size_max)
		r->size_max = r->config->keep_bytes;
	r->size_max /= RECORDER_SEGMENT_PART;
}

static void read_boot_id(char *boot_id, size_t size)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (f && fgets(boot_id, (int)size, f))
		boot_id[strcspn(boot_id, "\n")] = '\0';
	if (f)
		fclose(f);
}

/*
 * A frame has a few snapshots with much the same text: searching further saves an eighth to a fifth
 * of the disk, and tables of the size of a frame need less memory than the defaults.
 */
static void set_compression(struct ZSTD_CCtx_s *zstd)
{
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 6);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_strategy, ZSTD_lazy2);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, 20);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_hashLog, 16);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_chainLog, 16);
}

int recorder_open(struct recorder *r, const struct recorder_config *config, bool quiet,
		  const struct timespec *wall, uint64_t mono_ns, struct error *error)
{
	int err, fd = -1;

	*r = (struct recorder){
		.config = config, .dir = -1, .quiet = quiet, .started_ns = mono_ns, .sink.fd = -1
	};
	read_boot_id(r->boot_id, sizeof(r->boot_id));
	err = open_directory(r, error);
	if (!err)
		err = lock(r, error);
	if (!err) {
		set_size_max(r);
		fd = create(r, wall, mono_ns);
		err = fd < 0 ? fd : sink_attach(&r->sink, r->path, fd);
		if (!err) {
			r->sink.waits_for_space = true;
			set_compression(r->sink.zstd);
			err = retain(r, wall, mono_ns, false);
		}
		if (err)
			error_set(error, err, "%s", strerror(-err));
	}
	if (err)
		recorder_close(r);
	return err;
}

/* Whether to begin another segment: an hour is over, it is large, or somebody removed it. */
static bool is_segment_over(const struct recorder *r, const struct snapshot *s)
{
	const int64_t hour = RECORDER_SEGMENT_NS / NSEC_PER_SEC;
	struct stat st;

	return s->wall.tv_sec / hour != r->begun_wall.tv_sec / hour ||
	       s->mono_ns - r->own[r->n_own - 1].mono_ns >= RECORDER_SEGMENT_NS ||
	       r->sink.written - r->begun_at >= r->size_max ||
	       (!fstat(r->sink.fd, &st) && !st.st_nlink);
}

static bool is_frame_over(const struct recorder *r, const struct snapshot *s)
{
	uint64_t age_ns = s->mono_ns - r->frame_ns;

	return !r->frame_ns || r->frame_due || age_ns >= RECORDER_FRAME_MAX_NS ||
	       (age_ns >= RECORDER_FRAME_NS &&
		(r->sink.written - r->frame_at >= RECORDER_FRAME_BYTES || is_segment_over(r, s)));
}

/* Whether the clock was set since the current segment began. */
static bool is_clock_set(const struct recorder *r, const struct timespec *wall, uint64_t mono_ns)
{
	int64_t moved = timespec_to_ns(wall) - timespec_to_ns(&r->begun_wall) -
			(int64_t)(mono_ns - r->own[r->n_own - 1].mono_ns);

	return llabs(moved) > CLOCK_SET_NS;
}

/* 0, also if the disk is too full to begin one: the current segment then continues. */
static int next_segment(struct recorder *r, const struct snapshot *s)
{
	int fd = create(r, &s->wall, s->mono_ns);

	if (fd < 0)
		return is_no_space(-fd) ? 0 : fd;
	sink_swap(&r->sink, fd);
	return 0;
}

/* Ends the current frame, and perhaps the segment. */
static int end_frame(struct recorder *r, const struct snapshot *s)
{
	/* while the clock is being set, ages may be wrong */
	bool by_age = !is_clock_set(r, &s->wall, s->mono_ns);
	int err = recorder_commit(r, true);

	if (!err && !sink_pending(&r->sink) && is_segment_over(r, s))
		err = next_segment(r, s);
	return err ?: retain(r, &s->wall, s->mono_ns, by_age);
}

int recorder_begin(struct recorder *r, const struct snapshot_host *host, const struct snapshot *s)
{
	int err;

	if (!is_frame_over(r, s))
		return 0;
	err = r->frame_ns ? end_frame(r, s) : 0;
	if (err)
		return err;
	r->frame_ns = s->mono_ns;
	r->frame_at = r->sink.written;
	r->frame_due = false;
	r->host = *host;
	r->host.mono_ns = s->mono_ns;
	r->host.started_ns = r->started_ns;
	r->host.snapshots_left_out = r->left_out;
	memcpy(r->host.boot_id, r->boot_id, sizeof(r->boot_id));
	return 1;
}

void recorder_leave_out(struct recorder *r, uint64_t snapshots)
{
	r->left_out += snapshots;
	r->frame_due |= snapshots > 0;
}

int recorder_pump(struct recorder *r)
{
	struct sink *s = &r->sink;
	int err = sink_pump(s);

	if (!err && s->is_disk_full && !make_room(r, sink_pending(s)))
		err = sink_pump(s);
	if (s->is_disk_full && !r->waits && !r->quiet)
		message("%s: the disk is full; snapshots wait in memory until it has room",
			r->config->path);
	r->waits = s->is_disk_full;
	return err;
}

int recorder_commit(struct recorder *r, bool end)
{
	int err = end ? sink_end(&r->sink) : sink_commit(&r->sink);

	err = err ?: recorder_pump(r);
	if (!err && fdatasync(r->sink.fd))
		err = -errno;
	return err;
}

void recorder_close(struct recorder *r)
{
	struct stat st;

	if (r->sink.fd >= 0 && !fstat(r->sink.fd, &st) && !st.st_size)
		unlinkat(r->dir, r->own[r->n_own - 1].name, 0);
	sink_close(&r->sink);
	free(r->own);
	r->own = NULL;
	r->n_own = r->cap_own = 0;
	if (r->dir >= 0)
		close(r->dir);
	r->dir = -1;
}
