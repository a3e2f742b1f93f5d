// SPDX-License-Identifier: GPL-2.0-or-later
#include "bench.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "empty.skel.h"
#include "json.h"
#include "outcome.h"
#include "rig.skel.h"
#include "scene.h"
#include "stimulus.h"
#include "stop.h"

#define KEYS_MAX   8
#define EMPTY_MAX  16
#define SCENES_MAX 32

struct empty {
	char tracepoint[48]; /* "" = free */
	struct empty_bpf *bpf;
};

struct bench {
	struct scene run; /* its devmap has KEYS_MAX targets */
	bool run_open;
	struct link out[KEYS_MAX], peer[KEYS_MAX];
	struct empty empty[EMPTY_MAX];
	struct scene *scenes[SCENES_MAX]; /* by `stimulus`, kept for reuse */
};

static double clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static int bench_answer_error(const char *type, const char *what)
{
	struct json json;

	json_begin(&json, stdout, "error");
	json_string(&json, "command", type);
	json_string(&json, "reason", what);
	json_end(&json);
	return 0;
}

/* Slot 0 is the scene's own target; the others are veth pairs like it. */
static int bench_add_target(struct bench *bench, unsigned int key)
{
	struct link *out = &bench->out[key], *peer = &bench->peer[key];
	struct bpf_devmap_val value = {};
	int err;

	*out = (struct link){ .ns = &bench->run.dst };
	*peer = (struct link){ .ns = &bench->run.dst };
	snprintf(out->name, sizeof(out->name), "rig-out%u", key);
	snprintf(peer->name, sizeof(peer->name), "rig-peer%u", key);
	err = link_add_veth(out, peer, 1500);
	if (!err)
		err = scene_attach(&bench->run, peer, "rig_drop", false);
	if (err)
		return err;
	value.ifindex = out->ifindex;
	err = netns_enter(out->ns);
	return err ? err : bpf_map_update_elem(bench->run.map_fd, &key, &value, BPF_ANY);
}

static int bench_open_run(struct bench *bench)
{
	static const struct stimulus stimulus = {
		.name = "bench",
		.program = "rig_to_keys",
		.map = "rig_devmap",
		.entry = ENTRY_LIVE,
		.target = TARGET_OTHER_NS,
		.flags = PEER_XDP,
	};
	const struct scene_options options = {};
	int err = 0;

	if (bench->run_open)
		return 0;
	err = scene_open(&bench->run, &stimulus, &options);
	for (unsigned int key = 1; !err && key < KEYS_MAX; key++)
		err = scene_error(&bench->run, "targets", bench_add_target(bench, key));
	if (err)
		scene_close(&bench->run);
	else
		bench->run_open = true;
	return err;
}

/*
 * ns_per_packet is CPU time of this thread, because a test run ends with about 20 ms of waiting for
 * RCU. In wall time that is 7 ns per packet at 3 million packets, more than the measured effect.
 * CPU time also excludes other processes. It includes softirqs within the test run, but not those
 * of other CPUs.
 */
static int bench_fire(struct scene *scene, const char *type, uint32_t count)
{
	struct json json;
	double wall, cpu;
	int err;

	wall = clock_ns(CLOCK_MONOTONIC);
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	err = scene->stimulus->fire ? scene->stimulus->fire(scene, count)
				    : scene_fire_frames(scene, count);
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	wall = clock_ns(CLOCK_MONOTONIC) - wall;
	if (err)
		return bench_answer_error(type, strerror(-err));
	json_begin(&json, stdout, type);
	json_string(&json, "name", scene->stimulus->name);
	json_number(&json, "frames", count);
	json_fraction(&json, "ns_per_packet", cpu / count);
	json_fraction(&json, "wall_ns_per_packet", wall / count);
	json_end(&json);
	return 0;
}

static int bench_do_run(struct bench *bench, char **args)
{
	long n = args[0] ? atol(args[0]) : 0;

	if (n <= 0 || n > 1000000000)
		return bench_answer_error("run", "usage: run FRAMES");
	if (bench_open_run(bench))
		return bench_answer_error("run", "set-up failed");
	return bench_fire(&bench->run, "run", n);
}

static int bench_do_keys(struct bench *bench, char **args)
{
	int n = args[0] ? atoi(args[0]) : 0;
	struct json json;

	if (n < 1 || n > KEYS_MAX)
		return bench_answer_error("keys", "usage: keys 1..8");
	if (bench_open_run(bench))
		return bench_answer_error("keys", "set-up failed");
	bench->run.bpf->data->keys = n;
	json_begin(&json, stdout, "keys");
	json_number(&json, "keys", n);
	json_end(&json);
	return 0;
}

static int empty_attach(struct empty *empty, const char *tracepoint)
{
	struct empty_bpf *bpf = empty_bpf__open();
	int err;

	if (!bpf)
		return -errno;
	err = bpf_program__set_attach_target(bpf->progs.rig_nothing, 0, tracepoint);
	if (!err)
		err = empty_bpf__load(bpf);
	if (!err)
		err = empty_bpf__attach(bpf);
	if (err) {
		empty_bpf__destroy(bpf);
		return err;
	}
	empty->bpf = bpf;
	snprintf(empty->tracepoint, sizeof(empty->tracepoint), "%s", tracepoint);
	return 0;
}

static void empty_detach(struct empty *empty)
{
	empty_bpf__destroy(empty->bpf);
	*empty = (struct empty){};
}

static int bench_do_empty(struct bench *bench, char **args)
{
	struct empty *empty = bench->empty;
	struct json json;
	bool on;
	int err;

	if (!args[0] || !args[1] || (strcmp(args[1], "on") && strcmp(args[1], "off")))
		return bench_answer_error("empty", "usage: empty TRACEPOINT on|off");
	on = !strcmp(args[1], "on");
	for (int i = 0; i < EMPTY_MAX; i++, empty++)
		if (!strcmp(empty->tracepoint, on ? "" : args[0]))
			break;
	if (empty == bench->empty + EMPTY_MAX)
		return bench_answer_error("empty", on ? "too many" : "not on");
	if (on) {
		err = empty_attach(empty, args[0]);
		if (err)
			return bench_answer_error("empty", strerror(-err));
	} else {
		empty_detach(empty);
	}
	json_begin(&json, stdout, "empty");
	json_string(&json, "tracepoint", args[0]);
	json_string(&json, "state", args[1]);
	json_end(&json);
	return 0;
}

static int bench_do_stimulus(struct bench *bench, char **args)
{
	const struct stimulus *stimulus = args[0] ? stimulus_find(args[0]) : NULL;
	const struct scene_options options = {};
	long n = args[0] && args[1] ? atol(args[1]) : 0;
	struct scene **scene = NULL;

	if (!stimulus || n <= 0 || n > 1000000000)
		return bench_answer_error("stimulus", "usage: stimulus NAME FRAMES");
	for (int i = 0; i < SCENES_MAX; i++) {
		scene = &bench->scenes[i];
		if (!*scene || (*scene)->stimulus == stimulus)
			break;
	}
	if (!*scene) {
		*scene = calloc(1, sizeof(**scene));
		if (!*scene || scene_open(*scene, stimulus, &options)) {
			if (*scene)
				scene_close(*scene);
			free(*scene);
			*scene = NULL;
			return bench_answer_error("stimulus", "set-up failed");
		}
	}
	if ((*scene)->skip[0])
		return bench_answer_error("stimulus", (*scene)->skip);
	return bench_fire(*scene, "stimulus", n);
}

static int bench_do_quit(struct bench *bench, char **args)
{
	return 1;
}

static const struct {
	const char *name;
	int (*run)(struct bench *bench, char **args); /* returns 1 to end */
} commands[] = {
	{ "run", bench_do_run },           { "keys", bench_do_keys }, { "empty", bench_do_empty },
	{ "stimulus", bench_do_stimulus }, { "quit", bench_do_quit },
};

static int bench_do(struct bench *bench, char *line)
{
	char *args[4] = {};
	int n = 0;

	for (char *word = strtok(line, " \t\n"); word && n < 3; word = strtok(NULL, " \t\n"))
		args[n++] = word;
	if (!args[0])
		return 0;
	for (unsigned int i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(args[0], commands[i].name))
			return commands[i].run(bench, args + 1);
	return bench_answer_error(args[0], "no such command");
}

/* Pins all runs to one CPU, so that their numbers compare. The last CPU is left to the cpumap. */
static void bench_pin(void)
{
	cpu_set_t cpus, one;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &cpus)) {
			CPU_ZERO(&one);
			CPU_SET(cpu, &one);
			sched_setaffinity(0, sizeof(one), &one);
			return;
		}
	}
}

int bench_run(void)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	char line[256];

	if (!bench)
		return 1;
	bench_pin();
	while (!stop_requested() && fgets(line, sizeof(line), stdin))
		if (bench_do(bench, line))
			break;
	for (int i = 0; i < EMPTY_MAX; i++)
		if (bench->empty[i].bpf)
			empty_detach(&bench->empty[i]);
	for (int i = 0; i < SCENES_MAX && bench->scenes[i]; i++) {
		scene_close(bench->scenes[i]);
		free(bench->scenes[i]);
	}
	if (bench->run_open)
		scene_close(&bench->run);
	free(bench);
	return 0;
}
