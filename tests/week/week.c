// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A week in a minute: writes the segments that --record would have written on a machine with known
 * incidents. The batch output and the recorder are the program's own. Only the snapshots and their
 * clocks are made here.
 *
 *   week DIR [DEVICES [INTERVAL_S [DAYS [END [KEEP_BYTES [PROGRESS [ACTIVE]]]]]]]
 *
 * END is in seconds since 1970. The file PROGRESS always has how many snapshots were made, how many
 * of them are on disk for sure, and the size and the inode of the segment with the last of these: 4
 * numbers of 64 bits. ACTIVE devices (5) have traffic in an interval. Each odd device has an XDP
 * program that redirects to the next one. Prints one line per incident: FROM TO CODE DEVICE, where
 * FROM and TO are in seconds since 1970. The same arguments always make the same files.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/array.h"
#include "base/clock.h"
#include "base/event_loop.h"
#include "model/snapshot.h"
#include "output/batch.h"
#include "source/programs.h"
#include "source/softnet.h"

#define NETNS 4026531840u
#define CPUS  4
#define MAP   7
#define DAY   86400
#define DAYS  7
#define END   1795252500 /* 2026-11-21T09:15:00Z */
#define FIRST 40         /* id of the first program */

struct incident {
	int day; /* before the last midnight; 0 = after it */
	unsigned int at, seconds;
	uint32_t device; /* an odd one */
	int err;         /* of its redirects; 0 = none fails */
	uint32_t down;   /* device that is down; 0 = none */
	bool replaced;   /* it begins when the device's program is replaced */
	const char *code;
};

/* clang-format off */
static const struct incident incidents[] = {
	{ 5, 14 * 3600 + 1800, 300, 1, -EMSGSIZE, 0, false, "frame-too-big" },
	{ 3, 22 * 3600, 120, 1, 0, 0, true, "program-replaced" },
	{ 1, 3 * 3600, 600, 1, -ENETDOWN, 2, false, "target-down" },
	{ 0, 3 * 3600, 600, 1, -ENETDOWN, 2, true, "target-down" },
};

/* What ends a run: the next one begins later. A reboot also starts the monotonic clock again. */
static const struct { int day; unsigned int at, pause; bool reboot; } ends[] = {
	{ 4, 12 * 3600, 600, false },
	{ 2, 6 * 3600, 180, true },
	{ 0, 0, 0, false }, /* the end */
};
/* clang-format on */

#define INCIDENTS (sizeof(incidents) / sizeof(incidents[0]))
#define RUNS      (sizeof(ends) / sizeof(ends[0]))

struct week {
	struct source source; /* first, because callers hold a source */
	uint32_t devices, active;
	int64_t start, end, midnight; /* CLOCK_REALTIME, s */
	int64_t now_ns;               /* CLOCK_REALTIME */
	int64_t run_end;
	int64_t boot_ns; /* CLOCK_REALTIME when CLOCK_MONOTONIC was 0 */
	int64_t interval_ns;
	uint64_t seq, random;
	uint64_t *packets; /* that each device received; never reset */
	uint64_t *passed;  /* of each odd device, on to the next one; never reset */
	uint64_t *sent;    /* of each odd device, in this run */
	uint64_t failed[INCIDENTS];
	bool was[INCIDENTS];
};

static uint64_t progress[4];
static uint64_t synced[2];
static int progress_fd = -1;

static void say_progress(void)
{
	if (progress_fd >= 0 && pwrite(progress_fd, progress, sizeof(progress), 0) < 0)
		perror("week");
}

/* Replaces libc's, to be fast, and to know what a power failure could not take. */
int fdatasync(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -1;
	synced[0] = (uint64_t)st.st_size;
	synced[1] = st.st_ino;
	return 0;
}

static void *need(void *p)
{
	if (!p) {
		fputs("week: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

/* Knuth's MMIX generator. */
static uint32_t draw(struct week *w, uint32_t below)
{
	w->random = w->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((w->random >> 33) % below);
}

static int64_t day_time(const struct week *w, int day, unsigned int at)
{
	return w->midnight - (int64_t)day * DAY + at;
}

static bool is_now(const struct week *w, const struct incident *i)
{
	int64_t from = day_time(w, i->day, i->at);

	return w->now_ns >= from * (int64_t)NSEC_PER_SEC &&
	       w->now_ns < (from + i->seconds) * (int64_t)NSEC_PER_SEC;
}

/* How many times the program of a device was replaced until a time. */
static uint32_t replacements(const struct week *w, uint32_t device, int64_t ns)
{
	uint32_t n = 0;

	for (size_t i = 0; i < INCIDENTS; i++)
		n += incidents[i].replaced && incidents[i].device == device &&
		     ns >= day_time(w, incidents[i].day, incidents[i].at) * (int64_t)NSEC_PER_SEC;
	return n;
}

static uint32_t program_of(const struct week *w, uint32_t device, int64_t ns)
{
	return device % 2 ? FIRST + device + 10000 * replacements(w, device, ns) : 0;
}

static bool is_down(const struct week *w, uint32_t device)
{
	for (size_t i = 0; i < INCIDENTS; i++)
		if (incidents[i].down == device && is_now(w, &incidents[i]))
			return true;
	return false;
}

static void add_devices(struct week *w, struct snapshot *to)
{
	for (uint32_t device = 1; device <= w->devices; device++) {
		struct netdev *d = need(snapshot_add_netdev(to));

		d->netns = NETNS;
		d->ifindex = device;
		snprintf(d->name, sizeof(d->name), "eth%u", device);
		strcpy(d->driver, "virtio_net");
		d->mode = device % 2 ? NETDEV_NATIVE : NETDEV_NONE;
		d->prog_id = program_of(w, device, w->now_ns);
		strcpy(d->prog_name, d->prog_id ? "lb" : "");
		d->up = d->running = !is_down(w, device);
		d->has_features = true;
		d->features = NETDEV_XDP_BASIC | NETDEV_XDP_REDIRECT | NETDEV_XDP_NDO_XMIT;
		d->mtu = 1500;
		netdev_set_count(d, NETDEV_RX_PACKETS, w->packets[device]);
		netdev_set_count(d, NETDEV_RX_MISSED, 0);
		netdev_set_count(d, NETDEV_TX_PACKETS, w->passed[device - 1]);
	}
}

static void add_programs(const struct week *w, struct snapshot *to)
{
	for (uint32_t n = 0; n <= replacements(w, 1, w->now_ns); n++)
		for (uint32_t device = 1; device <= w->devices; device += 2) {
			uint32_t id = FIRST + device + 10000 * n;
			struct program *p;

			if (program_of(w, device, w->now_ns) != id)
				continue;
			p = need(snapshot_add_row(to, DATA_SOURCE_PROGRAMS, sizeof(*p)));
			p->prog_id = id;
			p->attach = PROGRAM_LINK;
			p->link_id = id;
			p->sight = PROGRAM_SIGHT_ALL;
			p->pinned = PROGRAM_NOT_PINNED;
			p->holders = 1;
			p->pid = 812;
			p->loaded_at.tv_sec = (time_t)w->start - DAY;
			strcpy(p->prog_name, "lb");
			strcpy(p->comm, "lbd");
		}
}

static void add_series(struct snapshot *to, uint64_t id, uint32_t tp, struct series_key key,
		       struct series_counters total)
{
	struct series *s = need(snapshot_add_series(to));

	s->id = id;
	s->tracepoint = tp;
	s->key = key;
	s->total = total;
	s->last_seen = to->wall;
	snprintf(s->ifname, sizeof(s->ifname), "eth%u", key.ifindex);
	snprintf(s->to_ifname, sizeof(s->to_ifname), "eth%u", key.target);
	if (key.prog_id)
		strcpy(s->prog_name, "lb");
	to->tp[tp].events += total.events;
}

static void add_all_series(const struct week *w, struct snapshot *to)
{
	for (size_t i = 0; i < INCIDENTS; i++) {
		int64_t from = day_time(w, incidents[i].day, incidents[i].at);
		struct series_key key = { .netns = NETNS,
					  .ifindex = incidents[i].device,
					  .to_netns = NETNS,
					  .target = incidents[i].device + 1,
					  .prog_id = program_of(w, incidents[i].device,
								from * (int64_t)NSEC_PER_SEC),
					  .map_type = SERIES_MAP_DEVMAP,
					  .map_id = MAP,
					  .code = incidents[i].err };

		if (w->failed[i])
			add_series(to, i + 1, TP_XDP_REDIRECT_ERR, key,
				   (struct series_counters){ .events = w->failed[i],
							     .packets = w->failed[i],
							     .drops = w->failed[i] });
	}
	for (uint32_t device = 1; device <= w->devices; device += 2) {
		struct series_key key = {
			.netns = NETNS, .ifindex = device, .to_netns = NETNS, .target = device + 1
		};

		if (w->sent[device])
			add_series(to, INCIDENTS + device, TP_XDP_DEVMAP_XMIT, key,
				   (struct series_counters){ .events = w->sent[device] / 16,
							     .packets = w->sent[device] });
	}
}

static void add_cpus(struct week *w, struct snapshot *to)
{
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		struct softnet_cpu *c = need(snapshot_add_row(to, DATA_SOURCE_SOFTNET, sizeof(*c)));

		c->cpu = cpu;
		c->processed = w->packets[1] / CPUS;
	}
}

static void add_change(struct snapshot *to, enum change change, uint32_t device, uint32_t prog_id,
		       const char *old_value, const char *new_value)
{
	struct event *e = need(snapshot_add_event(to));

	e->time = to->wall;
	e->tracepoint = TP_NONE;
	e->change = change;
	e->cpu = -1;
	e->key.netns = NETNS;
	e->key.ifindex = device;
	e->key.prog_id = prog_id;
	snprintf(e->ifname, sizeof(e->ifname), "eth%u", device);
	strcpy(e->prog_name, prog_id ? "lb" : "");
	snprintf(e->old_value, sizeof(e->old_value), "%s", old_value);
	snprintf(e->new_value, sizeof(e->new_value), "%s", new_value);
	snprintf(e->text, sizeof(e->text), "%s -> %s", *old_value ? old_value : "none", new_value);
}

static void add_changes(struct week *w, struct snapshot *to)
{
	for (size_t n = 0; n < INCIDENTS; n++) {
		const struct incident *i = &incidents[n];
		uint32_t id = program_of(w, i->device, w->now_ns);
		bool now = is_now(w, i);
		char before[64], after[64];

		snprintf(before, sizeof(before), "%u lb native, link", id - 10000);
		snprintf(after, sizeof(after), "%u lb native, link", id);
		if (i->replaced && now && !w->was[n])
			add_change(to, CHANGE_PROGRAM_REPLACED, i->device, id, before, after);
		if (i->down && now != w->was[n])
			add_change(to, now ? CHANGE_LINK_DOWN : CHANGE_LINK_UP, i->down, 0,
				   now ? "up" : "down", now ? "down" : "up");
		w->was[n] = now;
	}
}

/* Lets an interval pass: most devices are idle in most intervals, as on a real machine. */
static void pass(struct week *w)
{
	w->now_ns += w->interval_ns;
	for (uint32_t n = 0; n < w->active; n++) {
		uint32_t device = !n ? 1 : w->active < w->devices ? 1 + draw(w, w->devices) : n + 1;
		uint32_t packets = 1000 + draw(w, 100000);

		w->packets[device] += packets;
		if (device % 2 && !is_down(w, device + 1)) {
			w->sent[device] += packets;
			w->passed[device] += packets;
		}
	}
	for (size_t i = 0; i < INCIDENTS; i++)
		if (incidents[i].err && is_now(w, &incidents[i]))
			w->failed[i] += 100 + draw(w, 100);
}

static int sample(struct source *source, struct snapshot *to)
{
	struct week *w = (struct week *)source;

	if (w->now_ns > w->run_end)
		return 1;
	to->seq = w->seq++;
	to->wall = ns_to_timespec(w->now_ns);
	to->mono_ns = (uint64_t)(w->now_ns - w->boot_ns);
	to->cpus_online = CPUS;
	to->page_size = 4096;
	for (int i = 0; i < TP_COUNT; i++) {
		struct tp_count *tp = &to->tp[i];

		snprintf(tp->name, sizeof(tp->name), "%s", tracepoints[i].name);
		tp->state = !*tp->name ? TP_MISSING : tracepoints[i].on ? TP_ON : TP_OFF;
		tp->on_ns = tp->state == TP_ON ? to->mono_ns : 0;
		tp->ns_per_event = tp->cpu_percent = -1;
		tp->cost_cpu = -1;
	}
	add_devices(w, to);
	add_cpus(w, to);
	add_programs(w, to);
	add_all_series(w, to);
	add_changes(w, to);
	pass(w);
	progress[1] = progress[0];
	memcpy(&progress[2], synced, sizeof(synced));
	/* the base is not written */
	progress[0] += to->seq > 0;
	say_progress();
	return 0;
}

static void keep_open(struct source *source)
{
	(void)source;
}

static int record(struct week *w, const struct recorder_config *config, size_t run)
{
	static const struct source_ops ops = { .sample = sample, .close = keep_open };
	struct output_config output = { .format = &output_json, .sort = -1 };
	struct batch_config batch = { .recording = "week" };
	struct timespec wall = ns_to_timespec(w->now_ns);
	struct error error = { 0 };
	struct recorder recorder;
	int code;

	w->source.ops = &ops;
	w->source.host.start = wall;
	w->source.end_reason = "signal";
	w->seq = 0;
	memset(w->sent, 0, (w->devices + 2) * sizeof(*w->sent));
	memset(w->failed, 0, sizeof(w->failed));
	if (recorder_open(&recorder, config, false, &wall, (uint64_t)(w->now_ns - w->boot_ns),
			  &error))
		return error_print(&error);
	snprintf(recorder.boot_id, sizeof(recorder.boot_id), "%08x-0000-4000-8000-%012u",
		 (unsigned int)w->end, run > 1 ? 2 : 1);
	code = batch_run(&w->source, &recorder.sink, NULL, &recorder, &output, &batch);
	recorder_close(&recorder);
	return code;
}

static long argument(int argc, char **argv, int i, long initial)
{
	return argc > i ? atol(argv[i]) : initial;
}

int main(int argc, char **argv)
{
	struct recorder_config config = { .path = argc > 1 ? argv[1] : NULL };
	struct week w = { .devices = (uint32_t)argument(argc, argv, 2, 2), .source.fd = -1 };
	double interval = argc > 3 ? atof(argv[3]) : 5;
	double days = argc > 4 ? atof(argv[4]) : DAYS;
	int code = 0;

	if (!config.path || w.devices < 2 || interval <= 0) {
		fputs("week DIR [DEVICES [INTERVAL_S [DAYS [END [KEEP_BYTES [PROGRESS "
		      "[ACTIVE]]]]]]]\n",
		      stderr);
		return 2;
	}
	w.end = argument(argc, argv, 5, END);
	config.keep_bytes = (uint64_t)argument(argc, argv, 6, 0);
	w.active = (uint32_t)argument(argc, argv, 8, 5);
	if (w.active > w.devices)
		w.active = w.devices;
	if (argc > 7 && *argv[7])
		progress_fd = open(argv[7], O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	w.midnight = w.end - w.end % DAY;
	w.start = w.end - (int64_t)(days * DAY);
	w.interval_ns = seconds_to_ns(interval);
	w.now_ns = w.start * (int64_t)NSEC_PER_SEC;
	w.boot_ns = w.now_ns - 1000 * (int64_t)NSEC_PER_SEC;
	w.packets = need(calloc(w.devices + 2, sizeof(*w.packets)));
	w.passed = need(calloc(w.devices + 2, sizeof(*w.passed)));
	w.sent = need(calloc(w.devices + 2, sizeof(*w.sent)));
	strcpy(w.source.host.hostname, "edge1");
	strcpy(w.source.host.kernel, "6.18.0");
	strcpy(w.source.host.backend, "btf");
	strcpy(w.source.host.version, "week");
	w.source.host.cpus_possible = w.source.host.cpus_online = CPUS;
	w.source.host.page_size = 4096;
	w.source.host.delay_s = interval;
	w.source.host.devices = NETDEVS_ALL;
	for (size_t i = 0; i < INCIDENTS; i++) {
		int64_t from = day_time(&w, incidents[i].day, incidents[i].at);

		if (from >= w.start && from < w.end)
			printf("%lld %lld %s eth%u\n", (long long)from,
			       (long long)(from + incidents[i].seconds), incidents[i].code,
			       incidents[i].device);
	}
	for (size_t run = 0; run < RUNS && !code; run++) {
		int64_t end = run + 1 < RUNS ? day_time(&w, ends[run].day, ends[run].at) : w.end;

		if (end < w.start)
			continue;
		w.run_end = end * (int64_t)NSEC_PER_SEC;
		code = record(&w, &config, run);
		w.now_ns = (end + ends[run].pause) * (int64_t)NSEC_PER_SEC;
		if (ends[run].reboot)
			w.boot_ns = w.now_ns - 20 * (int64_t)NSEC_PER_SEC;
	}
	free(w.packets);
	free(w.passed);
	free(w.sent);
	return code;
}
