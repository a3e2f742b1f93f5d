// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <sys/utsname.h>
#include "base/clock.h"
#include "base/cpu_set.h"
#include "base/libc.h"
#include "base/sanitize.h"
#include "base/version.h"
#include "inventory/bpf_iters.h"
#include "inventory/bpf_objects.h"
#include "inventory/holders.h"
#include "model/netns_names.h"
#include "source/data_source.h"
#include "source/follow.h"
#include "source/live_source.h"
#include "source/pods.h"
#include "source/verdicts_live.h"
#include "tracing/attach.h"
#include "tracing/backend.h"

/* How often processes of namespaces are read, and how often if a series is new. */
#define OWNERS_NS     (10 * NSEC_PER_SEC)
#define OWNERS_NEW_NS NSEC_PER_SEC

struct live_source {
	struct source source; /* first, because callers hold a source */
	struct live live;
	void *state[DATA_SOURCE_COUNT]; /* of each data source; NULL = not available */
	bool started;
};

static void read_owners(struct live *live)
{
	struct netns_owners owners = { 0 };

	if (!bpf_objects_owners(live->objects, &owners)) {
		netns_names_set_owners(live->netns, &owners, true);
		if (live->pods)
			pods_set_owners(live->pods, &owners);
	}
	netns_owners_free(&owners);
	live->owners_ns = live->refreshed_ns;
	live->has_new_series = false;
}

void live_refresh_owners(struct live *live)
{
	uint64_t age = live->refreshed_ns - live->owners_ns;

	if (age >= (live->has_new_series ? OWNERS_NEW_NS : OWNERS_NS))
		read_owners(live);
}

void live_need_netdev(struct live *live, uint32_t netns, uint32_t ifindex)
{
	/* only that source uses them */
	if (ifindex && live->netdevs)
		*array_append(live->need, live->n_need, live->cap_need) =
			(struct netdev_ref){ .netns = netns, .ifindex = ifindex };
}

/* Called at the first sample, because threads must be started after the drop of privileges. */
static int sources_start(struct live_source *s)
{
	int err = 0;

	for (int i = 0; i < DATA_SOURCE_COUNT && !err; i++)
		if (s->state[i] && data_sources[i]->start)
			err = data_sources[i]->start(s->state[i]);
	s->started = !err;
	return err;
}

static int live_source_sample(struct source *source, struct snapshot *to)
{
	struct live_source *s = (struct live_source *)source;
	int err = s->started ? 0 : sources_start(s);

	if (err)
		return err;
	s->live.refreshed_ns = clock_ns();
	for (int i = 0; i < DATA_SOURCE_COUNT; i++)
		if (s->state[i] && data_sources[i]->refresh)
			data_sources[i]->refresh(s->state[i]);
	clock_gettime(CLOCK_REALTIME, &to->wall);
	to->mono_ns = clock_ns();
	to->page_size = source->host.page_size;
	to->kernel = kernel_version(source->host.kernel);
	for (int i = 0; i < DATA_SOURCE_COUNT && !err; i++)
		if (s->state[i])
			err = data_sources[i]->sample(s->state[i], to);
	return err;
}

static int live_source_toggle(struct source *source, unsigned int tracepoint, int on)
{
	return attach_toggle(((struct live_source *)source)->live.attach, tracepoint, on);
}

static int live_source_follow(struct source *source, const struct follow_filter *filter,
			      struct error *error)
{
	struct live_follow *f = ((struct live_source *)source)->live.follow;

	if (f)
		return live_follow(f, filter, error);
	return error_set(error, filter ? -ENOENT : 0, "nothing can be followed in this run");
}

static void live_source_follow_series(struct source *source, const struct follow_filter *filter)
{
	live_follow_series(((struct live_source *)source)->live.follow, filter);
}

static int live_source_capture(struct source *source, const struct capture_filter *filter,
			       packet_fn fn, void *ctx, struct error *error)
{
	void *verdicts = ((struct live_source *)source)->state[DATA_SOURCE_VERDICTS];

	if (verdicts)
		return verdicts_live_capture(verdicts, filter, fn, ctx, error);
	return error_set(error, filter ? -ENOENT : 0, "not without --verdicts");
}

static const char *live_source_captured(struct source *source, uint32_t prog_id,
					struct capture_counts *n)
{
	void *verdicts = ((struct live_source *)source)->state[DATA_SOURCE_VERDICTS];

	*n = (struct capture_counts){ 0 };
	return verdicts ? verdicts_live_captured(verdicts, prog_id, n) : NULL;
}

static void live_source_look(struct source *source)
{
	struct live_source *s = (struct live_source *)source;

	if (s->live.follow)
		live_follow_read(s->live.follow);
	for (int i = 0; i < DATA_SOURCE_COUNT; i++)
		if (s->state[i] && data_sources[i]->look)
			data_sources[i]->look(s->state[i]);
}

static int live_source_suspend(struct source *source, bool stop)
{
	struct live_source *s = (struct live_source *)source;

	for (int i = 0; i < DATA_SOURCE_COUNT; i++)
		if (s->state[i] && data_sources[i]->suspend)
			data_sources[i]->suspend(s->state[i], stop);
	return 0;
}

static int live_source_capability_check(struct source *source)
{
	struct live_source *s = (struct live_source *)source;
	int err = netns_names_readable();

	for (int i = 0; i < DATA_SOURCE_COUNT && !err; i++)
		if (s->state[i] && data_sources[i]->capability_check)
			err = data_sources[i]->capability_check(s->state[i]);
	return err;
}

static void close_state(struct live_source *s, int i)
{
	if (s->state[i] && data_sources[i]->close)
		data_sources[i]->close(s->state[i]);
	free(s->state[i]);
	s->state[i] = NULL;
}

static void live_source_close(struct source *source)
{
	struct live_source *s = (struct live_source *)source;

	if (!s)
		return;
	for (int i = DATA_SOURCE_COUNT; i-- > 0;)
		close_state(s, i);
	holders_close(s->live.holders);
	bpf_objects_close(s->live.objects);
	bpf_iters_close(s->live.iters);
	netns_names_free(s->live.netns);
	free(s->live.need);
	free(s);
}

static const struct source_ops live_source_ops = {
	.sample = live_source_sample,
	.toggle = live_source_toggle,
	.follow = live_source_follow,
	.follow_series = live_source_follow_series,
	.capture = live_source_capture,
	.captured = live_source_captured,
	.look = live_source_look,
	.suspend = live_source_suspend,
	.capability_check = live_source_capability_check,
	.close = live_source_close,
};

static void read_host(struct snapshot_host *host, double delay_s)
{
	struct utsname name;
	struct cpu_set online;

	if (!uname(&name)) {
		sanitize(host->hostname, sizeof(host->hostname), name.nodename,
			 sizeof(name.nodename));
		sanitize(host->kernel, sizeof(host->kernel), name.release, sizeof(name.release));
	}
	snprintf(host->version, sizeof(host->version), "%s", XDPTOP_VERSION);
	if (!cpu_set_read(&online, "online"))
		host->cpus_online = online.count;
	host->page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	clock_gettime(CLOCK_REALTIME, &host->start);
	host->delay_s = delay_s;
}

/* Tracepoints come first, because without them nothing else is useful. */
static int open_sources(struct live_source *s, struct error *error)
{
	struct live *live = &s->live;
	int err = 0;

	for (int i = 0; i < DATA_SOURCE_COUNT && !err; i++) {
		*error = (struct error){ 0 };
		s->state[i] = memory_new(1, data_sources[i]->state_size);
		err = data_sources[i]->open(s->state[i], live, error);
		if (err > 0) {
			snprintf(live->host->absent[i], sizeof(live->host->absent[i]), "%s",
				 error->text);
			close_state(s, i);
			err = 0;
		}
		if (i != DATA_SOURCE_TRACEPOINTS || err)
			continue;
		live->objects = bpf_objects_open(live->iters);
		live->holders = holders_open(live->iters);
		/* a later source forks, and by then there must be no other thread */
		if (live->follow)
			live_follow_ready(live->follow);
		if (bpf_objects_init_netns(live->objects))
			netns_names_set_init(live->netns, bpf_objects_init_netns(live->objects));
	}
	if (!err)
		read_owners(live);
	return err;
}

int live_source_open(struct source **out, const struct trace_config *trace, double delay_s,
		     struct error *error)
{
	struct live_source *s = memory_new(1, sizeof(*s));
	int err;

	*out = NULL;
	s->source.ops = &live_source_ops;
	s->source.live = true;
	s->source.netns = netns_names_new();
	s->live =
		(struct live){ .trace = trace, .host = &s->source.host, .netns = s->source.netns };
	backend_log(trace->verbose);
	read_host(&s->source.host, delay_s);
	s->live.iters = bpf_iters_start(trace->verbose);
	err = open_sources(s, error);
	/* after the last program is attached */
	bpf_iters_refused(s->live.iters, s->source.host.refused);
	if (err) {
		live_source_close(&s->source);
		return err;
	}
	/* return the 10 MB that reading the kernel's BTF three times has left in the heap */
	malloc_trim(0);
	*out = &s->source;
	return 0;
}

int live_source_list(struct tp_count tp[TP_COUNT], struct snapshot_host *host,
		     const struct trace_config *trace, struct error *error)
{
	struct bpf_iters *iters;

	backend_log(trace->verbose);
	read_host(host, 0);
	for (int id = 0; id < ITER_COUNT; id++)
		host->refused[id].step = REFUSED_UNTRIED;
	if (!geteuid()) {
		iters = bpf_iters_start(trace->verbose);
		bpf_iters_trace(iters, ITER_INSTALLS);
		bpf_iters_trace(iters, ITER_BINDS);
		bpf_iters_refused(iters, host->refused);
		bpf_iters_close(iters);
	}
	return probe_list(tp, trace, error);
}
