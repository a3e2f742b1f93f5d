// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zstd.h>

static bool is_no_space(int err)
{
	return err == ENOSPC || err == EDQUOT;
}

static void list_segment(struct recorder *r, const char *name)
{
	struct recorder_segment s = { 0 };
	unsigned int number;
	struct stat st;

	if (!segment_name_parse(name, &s.begin, &number) ||
	    fstatat(r->dir, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return;
	strcpy(s.name, name);
	s.size = (uint64_t)st.st_size;
	r->size += s.size;
	*array_append(r->segment, r->n, r->cap) = s;
}

COMPARE(compare_names, struct recorder_segment, segment_name_compare(x->name, y->name))

/* Once, because nobody else writes segments here. 0 or -errno. */
static int list(struct recorder *r)
{
	DIR *dir = segment_list(r->dir);
	struct dirent *entry;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		list_segment(r, entry->d_name);
	closedir(dir);
	array_sort(r->segment, r->n, sizeof(*r->segment), compare_names);
	if (r->n)
		r->earlier_end_s = r->segment[r->n - 1].begin + RECORDER_SEGMENT_S;
	return 0;
}

static bool has_oldest(const struct recorder *r)
{
	return r->oldest + 1 < r->n;
}

/* Not the current one. 0 or -errno. */
static int remove_oldest(struct recorder *r)
{
	const struct recorder_segment *s = &r->segment[r->oldest];

	if (unlinkat(r->dir, s->name, 0) && errno != ENOENT)
		return -errno;
	r->size -= s->size;
	r->oldest++;
	return 0;
}

/* Removes segments until `bytes` are free. A file system may take a while to free them. */
static int make_room(struct recorder *r, uint64_t bytes)
{
	uint64_t before = r->size;
	int err = 0;

	while (!err && before - r->size < bytes) {
		const struct recorder_segment *s = &r->segment[r->oldest];

		if (!has_oldest(r) || r->made_room > r->sink.written)
			return -ENOSPC;
		err = remove_oldest(r);
		if (err)
			break;
		r->made_room += s->size;
		if (!r->quiet)
			message("%s: the disk is full; removed %s", r->config->path, s->name);
	}
	return err;
}

/*
 * Whether the last snapshot of a segment is older than --keep. CLOCK_REALTIME can be ahead for a
 * while, for example at boot. So the age of segments of earlier runs is taken at the end of those
 * runs plus the time since this run started, if that is earlier.
 */
static bool is_expired(const struct recorder *r, const struct recorder_segment *s,
		       const struct timespec *wall, uint64_t mono_ns)
{
	int64_t keep_s = (int64_t)r->config->keep_s + RECORDER_SEGMENT_S;
	int64_t now_s = r->earlier_end_s + (int64_t)((mono_ns - r->started_ns) / NSEC_PER_SEC);

	if (!r->config->keep_s)
		return false;
	if (s->mono_ns)
		return (mono_ns - s->mono_ns) / NSEC_PER_SEC > (uint64_t)keep_s;
	return (wall->tv_sec < now_s ? wall->tv_sec : now_s) - s->begin > keep_s;
}

/* Removes segments by size and age. The current segment may still grow. */
static int retain(struct recorder *r, const struct timespec *wall, uint64_t mono_ns)
{
	uint64_t keep = r->config->keep_bytes, current = r->sink.written - r->begun_at;
	const struct recorder_segment *expired = NULL;
	int err = 0;

	for (int i = 0; i < RECORDER_REMOVE_MAX && has_oldest(r) && !err; i++) {
		const struct recorder_segment *s = &r->segment[r->oldest];
		bool is_old = is_expired(r, s, wall, mono_ns);

		if (!is_old && !(keep && r->size + current + r->size_max > keep))
			break;
		err = remove_oldest(r);
		expired = is_old && !s->mono_ns ? s : expired;
	}
	if (expired && !r->quiet)
		message("%s: removed what is older than --keep, up to %s", r->config->path,
			expired->name);
	if (r->oldest > RECORDER_REMOVE_MAX) {
		r->n -= r->oldest;
		memmove(r->segment, r->segment + r->oldest, r->n * sizeof(*r->segment));
		r->oldest = 0;
	}
	return err;
}

/* Begins a segment, which becomes the current one. The descriptor to write to, or -errno. */
static int create(struct recorder *r, const struct timespec *wall, uint64_t mono_ns)
{
	struct recorder_segment s = { .begin = wall->tv_sec, .mono_ns = mono_ns };
	unsigned int number = 0;
	bool retried = false;
	int fd;

	for (;;) {
		segment_name(s.name, s.begin, number);
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
	*array_append(r->segment, r->n, r->cap) = s;
	snprintf(r->path, sizeof(r->path), "%s/%s", r->config->path, s.name);
	r->begun_at = r->sink.written;
	r->header_due = true;
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
				 "another xdptop --record is writing to this directory; stop it, "
				 "or use another directory");
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
 * The snapshots of a segment have much the same text: searching further saves an eighth to a fifth
 * of the disk, and tables of that size need less memory than the defaults.
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

	*r = (struct recorder){ .config = config,
				.dir = -1,
				.quiet = quiet,
				.begun_s = wall->tv_sec,
				.begun_ns = mono_ns,
				.started_ns = mono_ns,
				.sink.fd = -1 };
	read_boot_id(r->boot_id, sizeof(r->boot_id));
	err = open_directory(r, error);
	if (!err)
		err = lock(r, error);
	if (!err) {
		set_size_max(r);
		err = list(r);
		fd = err ?: create(r, wall, mono_ns);
		err = fd < 0 ? fd : 0;
		if (!err) {
			sink_attach(&r->sink, r->path, fd);
			r->sink.waits_for_space = true;
			set_compression(r->sink.zstd);
		}
		if (err)
			error_set(error, err, "%s", strerror(-err));
	}
	if (err)
		recorder_close(r);
	return err;
}

/* Whether to begin another segment: the time is over, it is large, or somebody removed it. */
static bool is_segment_over(const struct recorder *r, const struct snapshot *s)
{
	struct stat st;

	return s->wall.tv_sec / RECORDER_SEGMENT_S != r->begun_s / RECORDER_SEGMENT_S ||
	       s->mono_ns - r->begun_ns >= RECORDER_SEGMENT_S * NSEC_PER_SEC ||
	       r->sink.written - r->begun_at >= r->size_max ||
	       (!fstat(r->sink.fd, &st) && !st.st_nlink);
}

/* 0, even if the disk is too full to begin one: the current segment then continues. */
static int next_segment(struct recorder *r, const struct snapshot *s)
{
	int err = recorder_commit(r, true), fd;

	r->begun_s = s->wall.tv_sec;
	r->begun_ns = s->mono_ns;
	if (err || sink_pending(&r->sink))
		return err;
	r->segment[r->n - 1].size = r->sink.written - r->begun_at;
	fd = create(r, &s->wall, s->mono_ns);
	if (fd < 0)
		return is_no_space(-fd) ? 0 : fd;
	r->size += r->segment[r->n - 2].size;
	sink_swap(&r->sink, fd);
	return 0;
}

int recorder_begin(struct recorder *r, const struct snapshot_host *host, const struct snapshot *s)
{
	int err = is_segment_over(r, s) ? next_segment(r, s) : 0;

	err = err ?: retain(r, &s->wall, s->mono_ns);
	if (err || !r->header_due)
		return err;
	r->header_due = false;
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
	r->header_due |= snapshots > 0;
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
		unlinkat(r->dir, r->segment[r->n - 1].name, 0);
	sink_close(&r->sink);
	free(r->segment);
	r->segment = NULL;
	r->n = r->cap = r->oldest = 0;
	if (r->dir >= 0)
		close(r->dir);
	r->dir = -1;
}
