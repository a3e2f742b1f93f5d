// SPDX-License-Identifier: GPL-2.0-or-later
#include "demo.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json.h"
#include "scene.h"
#include "stimulus.h"
#include "stop.h"

#define LOOP_MS   50
#define EVERY_CPU (-1)

/*
 * Who does what. @rate is a mean per second; with a @period it swings between zero and twice the
 * mean within this many seconds, so that some problems come and go.
 */
struct act {
	const char *stimulus;
	const char *ifname;
	const char *out_ifname;
	double rate;
	double period;
	int cpu;        /* modulo the number of CPUs */
	uint32_t burst; /* fired only when at least this many are due */
	bool live;      /* by test runs: full bulks, but each run waits for about 20 ms */
};

static const struct act acts[] = {
	{ "redirect", "eth1", "lan0", 600, 0, 0, 1, false }, /* --here */
	{ "redirect", "eth0", "wan0", 2000, 40, EVERY_CPU, 500, true },
	{ "redirect-hash", "eth2", "lan1", 250, 25, 1, 1, false },
	{ "redirect-ifindex", "veth-web", "veth-lb", 300, 15, EVERY_CPU, 1, false },
	{ "cpumap", "eth3", NULL, 800, 30, 0, 1, false },
	{ "cpumap-prog", "eth4", NULL, 200, 0, 0, 1, false },
	{ "cpumap-full", "eth5", NULL, 400, 50, 0, 128, true },
	{ "bulk-tx", "veth-echo", NULL, 350, 20, 1, 1, false },
	{ "bulk-tx-fail", "veth-dead", NULL, 40, 0, 0, 1, false },
	{ "bulk-tx-full", "veth-slow", NULL, 60, 35, 1, 1, false },
	{ "devmap-full", "eth6", "jumbo0", 50, 45, 0, 1, false },
	{ "devmap-prog", "eth7", "acl0", 120, 0, 1, 1, false },
	{ "devmap-enxio", "eth8", "unplugged0", 25, 60, 0, 1, false },
	{ "einval", "veth-old", NULL, 30, 20, 0, 1, false },
	{ "same-ifindex", "eth0", NULL, 10, 0, 1, 5, false },
	{ "emsgsize", "tunnel0", "wan1", 15, 30, 0, 1, false },
	{ "eopnotsupp", "eth9", "veth-plain", 70, 0, EVERY_CPU, 1, false },
	{ "eopnotsupp-lo", "veth-lo", NULL, 5, 0, 0, 1, false },
	{ "enetdown", "eth10", "wan2", 20, 25, 1, 1, false },
	{ "ebadrqc", "veth-bug", NULL, 8, 0, 0, 1, false },
	{ "aborted", "veth-fw", NULL, 35, 20, EVERY_CPU, 1, false },
	{ "aborted-generic", "wlan0", NULL, 12, 0, 0, 1, false },
	{ "aborted-empty", "veth-map", NULL, 18, 30, 1, 1, false },
	{ "badact", "veth-77", NULL, 6, 0, 0, 1, false },
	{ "generic", "eth11", "usb0", 90, 25, 1, 1, false },
	{ "xskmap", "eth12", NULL, 45, 40, 0, 1, false },
	{ "xskmap-enomem", "eth13", NULL, 9, 0, 1, 1, false },
	{ "xskmap-enxio", "eth14", NULL, 4, 0, 0, 1, false },
	{ "queue", "eth15", NULL, 700, 20, EVERY_CPU, 1, false },
	{ "attach-fail", NULL, NULL, 0.3, 0, 0, 1, false },
	{ "attach-refused", NULL, NULL, 0.5, 0, 0, 1, false },
};

#define N_ACTS (sizeof(acts) / sizeof(acts[0]))

struct demo {
	struct scene scenes[N_ACTS];
	bool on[N_ACTS];
	double due[N_ACTS];
	int cpus[CPU_SETSIZE];
	int n_cpus;
	unsigned int tick;
};

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* A triangle from 0 to twice the mean and back. */
static double act_rate(const struct act *act, double t)
{
	double phase;

	if (!act->period)
		return act->rate;
	phase = t / act->period;
	phase -= (uint64_t)phase;
	return act->rate * 4 * (phase < 0.5 ? phase : 1 - phase);
}

static void demo_pin(const struct demo *demo, const struct act *act)
{
	unsigned int cpu = act->cpu == EVERY_CPU ? demo->tick : (unsigned int)act->cpu;
	cpu_set_t set;

	if (!demo->n_cpus)
		return;
	CPU_ZERO(&set);
	CPU_SET(demo->cpus[cpu % demo->n_cpus], &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static int act_fire(struct demo *demo, unsigned int i, uint32_t count)
{
	struct scene *scene = &demo->scenes[i];

	demo_pin(demo, &acts[i]);
	/* Nobody relies on the numbers here, so do not wait for them. */
	if (scene->stimulus->fire && !(scene->stimulus->flags & WAITS))
		return scene->stimulus->fire(scene, count);
	return scene_fire_frames(scene, count);
}

static int demo_open(struct demo *demo, const char *named, bool here)
{
	cpu_set_t set;
	int err = 0;

	if (!sched_getaffinity(0, sizeof(set), &set))
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET(cpu, &set))
				demo->cpus[demo->n_cpus++] = cpu;
	for (unsigned int i = 0; i < N_ACTS && !err; i++) {
		struct scene_options options = {
			.ifname = acts[i].ifname,
			.out_ifname = acts[i].out_ifname,
			.packets = !acts[i].live,
			.here = here && !i,
		};

		if (named)
			snprintf(options.named, sizeof(options.named), "%s%u", named, i + 1);
		err = scene_open(&demo->scenes[i], stimulus_find(acts[i].stimulus), &options);
		demo->on[i] = !err && !demo->scenes[i].skip[0];
		if (!err && stop_requested())
			err = -EINTR;
	}
	return err;
}

static void demo_play(struct demo *demo, double seconds)
{
	double start = now_s(), last = start, t = start;

	for (; !seconds || t - start < seconds; t = now_s()) {
		double passed = t - last > 1 ? 1 : t - last; /* no burst after a suspend */

		last = t;
		demo->tick++;
		for (unsigned int i = 0; i < N_ACTS; i++) {
			uint32_t count;
			int err;

			if (!demo->on[i])
				continue;
			demo->due[i] += passed * act_rate(&acts[i], t - start);
			count = demo->due[i];
			if (count < acts[i].burst)
				continue;
			demo->due[i] -= count;
			err = act_fire(demo, i, count);
			if (err == -EINTR)
				return;
			if (err) {
				scene_error(&demo->scenes[i], "fire", err);
				demo->on[i] = false;
			}
		}
		if (stop_wait(-1, LOOP_MS))
			return;
	}
}

static void line_print(const char *type)
{
	struct json json;

	json_begin(&json, stdout, type);
	json_end(&json);
}

static int usage_error(void)
{
	fputs("usage: rig demo [--here] [--seconds S] [--named PREFIX]\n", stderr);
	return 2;
}

int demo_run(int argc, char **argv)
{
	const char *named = NULL;
	double seconds = 0;
	struct demo *demo;
	bool here = false;
	int err;

	for (int i = 1; i < argc; i++) {
		char *end = "";

		if (!strcmp(argv[i], "--here"))
			here = true;
		else if (i + 1 == argc)
			return usage_error();
		else if (!strcmp(argv[i], "--seconds"))
			seconds = strtod(argv[++i], &end);
		else if (!strcmp(argv[i], "--named"))
			named = argv[++i];
		else
			return usage_error();
		if (*end || seconds < 0)
			return usage_error();
	}
	demo = calloc(1, sizeof(*demo));
	if (!demo)
		return 1;
	err = stop_with_parent();
	if (!err)
		err = demo_open(demo, named, here);
	if (!err) {
		line_print("ready");
		demo_play(demo, seconds);
		line_print("done");
	}
	for (unsigned int i = 0; i < N_ACTS; i++)
		scene_close(&demo->scenes[i]);
	free(demo);
	return err && err != -EINTR ? 1 : 0;
}
