// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "tracing/backend.h"
#include "tracing/overhead.h"
#include "inventory/netdev_monitor.h"
#include "inventory/bpf_iters.h"
#include "tracing/attach.h"
#include "model/kernel_names.h"
#include "model/netns_names.h"
#include "inventory/bpf_objects.h"
#include "base/clock.h"
#include "base/exit_code.h"
#include "base/sanitize.h"
#include "tracing/probe.h"
#include "source/live_source.h"
#include "tracing/series_names.h"
#include "tracing/series_table.h"
#include "model/target.h"
#include "model/tracepoint.h"

/* How long a sample waits for news of the devices; they come with the next one else. */
#define DEVICES_WAIT_MS 10
/* Processes are asked for so often, and sooner where a series is new. */
#define PROCESSES_NS         (10 * NSEC_PER_SEC)
#define PROCESSES_CREATED_NS NSEC_PER_SEC

struct live_source {
	struct source source; /* first: a source is what the callers hold */
	struct probe *probe;
	struct series_table slots;
	struct overhead cost;
	struct bpf_iters *iterators;
	struct bpf_objects *objects;    /* NULL = no names by id */
	struct netdev_monitor *devices; /* NULL = nothing can be known of them */
	uint64_t last_ns;
	uint64_t processes_ns; /* when processes were asked for last */
	bool processes_stale;  /* series were created since */
	uint64_t named;        /* the last series whose names were looked at */
	bool started;
	/* while events are drained */
	struct snapshot *to;
	bool failed;
};

static const char *mem_type_name(uint32_t type)
{
	/* enum xdp_mem_type, include/net/xdp.h */
	static const char *const names[] = { "page_shared", "page_order0", "page_pool",
					     "xsk_buff_pool" };

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : "unknown";
}

/* What failed: "EOPNOTSUPP to eth1 (blue)", "drops to CPU 3 (map 5): 7 of 8 frames". */
static void failure_text(char *buf, size_t size, const struct series_event *e,
			 struct netns_names *names)
{
	const struct tracepoint *tp = &tracepoints[e->tracepoint];
	struct series s = { .tracepoint = e->tracepoint, .key = e->key };
	const char *error = e->key.code ? errno_name(e->key.code) : "drops";
	char target[SNAPSHOT_TEXT_LEN / 2] = "", number[24], frames[48] = "";
	int all = tp->has & HAS_TO_CPU ? e->drops : e->sent + e->drops;

	snprintf(number, sizeof(number), "errno %d", -e->key.code);
	if (tp->has & HAS_ACT)
		error = act_name(e->key.code, number, sizeof(number));
	sanitize(s.to_ifname, sizeof(s.to_ifname), e->to_ifname, sizeof(e->to_ifname));
	target_text(&s, names, target, sizeof(target));
	/* the cpumap counts its drops in processed, but in generic mode; devmap and TX do not */
	if (tp->has & HAS_TO_CPU && e->sent > e->drops)
		all = e->sent;
	if (tp->bulk)
		snprintf(frames, sizeof(frames), ": %d of %d frames lost", e->drops, all);
	snprintf(buf, size, "%s%s%s%s", error ? error : number,
		 !target[0]                        ? ""
		 : e->tracepoint == TP_XDP_BULK_TX ? ", "
						   : " to ",
		 target, frames);
}

static void event_text(char *buf, size_t size, const struct series_event *e,
		       struct netns_names *names)
{
	switch (e->tracepoint) {
	case TP_MEM_CONNECT:
		if (e->queue != SERIES_QUEUE_UNKNOWN) {
			snprintf(buf, size, "%s id %u, rx queue %u", mem_type_name(e->mem_type),
				 e->mem_id, e->queue);
			break;
		}
		/* fall through */
	case TP_MEM_DISCONNECT:
		snprintf(buf, size, "%s id %u", mem_type_name(e->mem_type), e->mem_id);
		break;
	case TP_LINK_ATTACH_FAILED:
		/* the driver set no message: bpf_xdp_link_attach() passes extack._msg as it is */
		if (!e->text[0])
			snprintf(buf, size, "(no message)");
		else
			sanitize(buf, size, e->text, sizeof(e->text));
		break;
	default:
		failure_text(buf, size, e, names);
	}
}

/* aux->name holds so many characters (BPF_OBJ_NAME_LEN): a longer name is cut there. */
static bool is_cut(const char *name)
{
	return strlen(name) >= SERIES_NAME_LEN - 1;
}

/* The whole name in place of a cut one, or of none; false = not known yet. */
static bool full_name(struct bpf_objects *o, uint32_t prog_id, char name[SNAPSHOT_NAME_LEN])
{
	const char *full = "";

	if (prog_id && (!name[0] || is_cut(name)))
		full = bpf_objects_program(o, prog_id);
	if (full && !strncmp(full, name, strlen(name)))
		memcpy(name, full, strlen(full) + 1);
	return full;
}

static void live_source_event(void *ctx, const struct series_event *e)
{
	struct live_source *s = ctx;
	struct event *to = snapshot_add_event(s->to);
	/* bpf_ktime_get_ns() is CLOCK_MONOTONIC */
	int64_t ns = timespec_to_ns(&s->to->wall) - (int64_t)(s->to->mono_ns - e->ktime_ns);

	if (!to) {
		s->failed = true;
		return;
	}
	to->time = ns_to_timespec(ns);
	to->tracepoint = e->tracepoint;
	to->cpu = e->cpu;
	to->key = e->key;
	to->pid = e->pid;
	sanitize(to->comm, sizeof(to->comm), e->comm, sizeof(e->comm));
	sanitize(to->ifname, sizeof(to->ifname), e->ifname, sizeof(e->ifname));
	sanitize(to->to_ifname, sizeof(to->to_ifname), e->to_ifname, sizeof(e->to_ifname));
	sanitize(to->prog_name, sizeof(to->prog_name), e->prog_name, sizeof(e->prog_name));
	full_name(s->objects, to->key.prog_id, to->prog_name);
	to->left_out = e->left_out;
	event_text(to->text, sizeof(to->text), e, s->source.netns);
}

static void live_source_cost(struct live_source *s, double seconds, struct snapshot *to)
{
	const struct probe_memory *m = probe_memory(s->probe);

	overhead_update(&s->cost, m->cpu, seconds);
	for (int tp = 0; tp < TP_COUNT; tp++) {
		struct tp_count *t = &to->tp[tp];
		int cpu = s->cost.busiest[tp];

		t->ns_per_event = s->cost.ns[tp];
		t->cost_cpu = cpu;
		t->cpu_percent = -1;
		if (seconds > 0 && t->state == TP_ON)
			t->cpu_percent = cpu < 0 ? 0 : overhead_percent(&s->cost, cpu, tp);
		for (uint32_t i = 0; i < m->cpus; i++) {
			t->timed += m->cpu[i].meter[tp].timed;
			t->timed_ns += m->cpu[i].meter[tp].timed_ns;
		}
	}
}

/* Only at the first sample: whoever drops privileges has done so, and threads have their own. */
static int live_source_start(struct live_source *s)
{
	int err = attach_start(probe_attach(s->probe));

	if (!err && s->devices)
		err = netdev_monitor_start(s->devices);
	s->started = !err;
	return err;
}

static bool map_name(struct bpf_objects *o, const struct series_key *key,
		     char name[SNAPSHOT_NAME_LEN])
{
	const char *full = "";

	if (key->map_type && key->map_id != SERIES_MAP_ID_IFINDEX)
		full = bpf_objects_map(o, key->map_id);
	if (full)
		snprintf(name, SNAPSHOT_NAME_LEN, "%s", full);
	return full;
}

static void live_source_objects(struct live_source *s)
{
	for (size_t i = 0; i < s->slots.n; i++) {
		struct slot *slot = &s->slots.slot[i];
		bool program, map;

		if (slot->has_objects)
			continue;
		program = full_name(s->objects, slot->series.key.prog_id, slot->series.prog_name);
		map = map_name(s->objects, &slot->series.key, slot->series.map_name);
		slot->has_objects = program && map;
	}
}

static void take_process(void *ctx, const struct object_process *p)
{
	char name[NETNS_OWNER_NAME_LEN];

	netns_owner_name(name, sizeof(name), p->comm, sizeof(p->comm), (int)p->pid, p->cgroup,
			 sizeof(p->cgroup));
	netns_owners_add(ctx, p->netns, (int)p->pid, p->start, name);
}

static void live_source_processes(struct live_source *s, uint64_t now_ns)
{
	struct netns_owners owners = { 0 };

	if (!bpf_objects_processes(s->objects, take_process, &owners))
		netns_names_set_owners(s->source.netns, &owners, true);
	netns_owners_free(&owners);
	s->processes_ns = now_ns;
	s->processes_stale = false;
}

/* Series just created, and what has changed about the others. */
static void live_source_names(struct live_source *s, uint64_t now_ns, uint64_t asked_ns)
{
	uint64_t age = now_ns - s->processes_ns;
	bool fresh;

	s->processes_stale |= s->slots.next_id > s->named;
	if (age >= (s->processes_stale ? PROCESSES_CREATED_NS : PROCESSES_NS))
		live_source_processes(s, now_ns);
	for (size_t i = s->slots.n; i-- > 0 && s->slots.slot[i].series.id > s->named;)
		netns_names_check(s->source.netns, s->slots.slot[i].series.key.netns);
	s->named = s->slots.next_id;
	live_source_objects(s);
	if (!s->devices)
		return;
	fresh = netdev_monitor_known_since(s->devices, asked_ns);
	series_names_update(&s->slots, netdev_monitor_hold(s->devices), fresh);
	netdev_monitor_release(s->devices);
}

static int live_source_devices(struct live_source *s, struct snapshot *to)
{
	int err;

	if (!s->devices)
		return 0;
	err = netdev_table_fill(netdev_monitor_hold(s->devices), to);
	netdev_monitor_release(s->devices);
	to->netns_unreadable = netdev_monitor_unreadable(s->devices);
	for (size_t i = 0; i < snapshot_n_netdevs(to); i++)
		full_name(s->objects, snapshot_netdevs(to)[i].prog_id,
			  snapshot_netdevs(to)[i].prog_name);
	return err;
}

static int live_source_sample(struct source *source, struct snapshot *to)
{
	struct live_source *s = (struct live_source *)source;
	uint64_t asked_ns;
	int err = s->started ? 0 : live_source_start(s);

	if (err)
		return err;
	asked_ns = clock_ns();
	if (s->devices)
		netdev_monitor_refresh(s->devices, DEVICES_WAIT_MS);
	clock_gettime(CLOCK_REALTIME, &to->wall);
	to->mono_ns = clock_ns();
	probe_states(s->probe, to->mono_ns, to->tp);
	live_source_cost(s, s->last_ns ? ns_to_seconds(to->mono_ns - s->last_ns) : 0, to);
	s->last_ns = to->mono_ns;
	err = series_table_find(&s->slots, s->probe);
	if (!err) {
		live_source_names(s, to->mono_ns, asked_ns);
		err = series_table_read(&s->slots, s->probe, to);
	}
	if (!err)
		err = live_source_devices(s, to);
	if (err)
		return err;
	s->to = to;
	err = probe_events(s->probe, live_source_event, s);
	if (err || s->failed)
		return err ? err : -ENOMEM;
	to->events_lost = *probe_memory(s->probe)->events_lost;
	series_table_recycle(&s->slots, s->probe, to->mono_ns);
	return 0;
}

static int live_source_toggle(struct source *source, unsigned int tracepoint, int on)
{
	return attach_toggle(probe_attach(((struct live_source *)source)->probe), tracepoint, on);
}

static int live_source_suspend(struct source *source, bool stop)
{
	struct live_source *s = (struct live_source *)source;

	attach_suspend(probe_attach(s->probe), stop);
	if (stop && s->devices)
		netdev_monitor_leave(s->devices);
	return 0;
}

static int live_source_capability_check(struct source *source)
{
	return probe_capability_check(((struct live_source *)source)->probe);
}

static void live_source_close(struct source *source)
{
	struct live_source *s = (struct live_source *)source;

	if (!s)
		return;
	netdev_monitor_close(s->devices);
	bpf_objects_close(s->objects);
	bpf_iters_close(s->iterators);
	netns_names_free(s->source.netns);
	probe_close(s->probe);
	series_table_free(&s->slots);
	overhead_free(&s->cost);
	free(s);
}

static const struct source_ops live_source_ops = {
	.sample = live_source_sample,
	.toggle = live_source_toggle,
	.suspend = live_source_suspend,
	.capability_check = live_source_capability_check,
	.close = live_source_close,
};

static void live_source_host(struct snapshot_host *host, const struct probe *probe, double delay_s)
{
	struct utsname name;
	struct cpu_set online;

	if (!uname(&name)) {
		sanitize(host->hostname, sizeof(host->hostname), name.nodename,
			 sizeof(name.nodename));
		sanitize(host->kernel, sizeof(host->kernel), name.release, sizeof(name.release));
	}
	snprintf(host->backend, sizeof(host->backend), "%s", probe_backend_name(probe));
	snprintf(host->version, sizeof(host->version), "%s", XDPTOP_VERSION);
	host->cpus_possible = probe_memory(probe)->cpus;
	if (!cpu_set_read(&online, "online")) {
		host->cpus_online = online.count;
		cpu_set_free(&online);
	}
	clock_gettime(CLOCK_REALTIME, &host->start);
	host->delay_s = delay_s;
}

/* The programs count already; what cannot be learned here costs no more than itself. */
static int live_source_open_devices(struct live_source *s, int *exit_code, char *why,
				    size_t why_size)
{
	struct netns_owners owners = { 0 };
	int err;

	s->source.netns = netns_names_new();
	if (!s->source.netns)
		return -ENOMEM;
	s->objects = bpf_objects_open(s->iterators);
	if (bpf_objects_init_netns(s->objects))
		netns_names_set_init(s->source.netns, bpf_objects_init_netns(s->objects));
	err = netdev_monitor_open(&s->devices, s->iterators, &owners);
	netns_names_set_owners(s->source.netns, &owners, false);
	netns_owners_free(&owners);
	live_source_processes(s, 0);
	s->source.host.devices = s->devices ? netdev_monitor_coverage(s->devices) : NETDEVS_NONE;
	if (s->devices)
		s->source.host.netns_unreadable = netdev_monitor_unreadable(s->devices);
	if (err != -ENOTRECOVERABLE)
		return 0;
	*exit_code = EXIT_FAILED;
	snprintf(why, why_size,
		 "network namespaces: could not go back to the own one after reading the "
		 "others; start it again");
	return err;
}

int live_source_open(struct source **out, const struct trace_config *trace, double delay_s,
		     int *exit_code, char *why, size_t why_size)
{
	struct live_source *s = calloc(1, sizeof(*s));
	int err = -ENOMEM;

	*out = NULL;
	*exit_code = EXIT_FAILED;
	snprintf(why, why_size, "out of memory");
	if (!s)
		return err;
	s->source.ops = &live_source_ops;
	s->source.live = true;
	backend_log(trace->verbose);
	s->iterators = bpf_iters_start();
	err = probe_open(&s->probe, trace, exit_code, why, why_size);
	if (!err) {
		const struct probe_memory *m = probe_memory(s->probe);

		live_source_host(&s->source.host, s->probe, delay_s);
		err = series_table_init(&s->slots, m);
		if (!err)
			err = overhead_init(&s->cost, m->cpus);
		if (!err)
			err = live_source_open_devices(s, exit_code, why, why_size);
	}
	if (err) {
		live_source_close(&s->source);
		return err;
	}
	/* the kernel's BTF was read three times: 10 MB that malloc would keep for nothing */
	malloc_trim(0);
	*out = &s->source;
	return 0;
}

int live_source_list(struct tp_count tp[TP_COUNT], const struct trace_config *trace, int *exit_code,
		     char *why, size_t why_size)
{
	backend_log(trace->verbose);
	return probe_list(tp, trace, exit_code, why, why_size);
}
