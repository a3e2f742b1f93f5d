// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cost.skel.h"
#include "json.h"

#define LOOPBACK 1
#define RUNS     20000
#define FEW_RUNS 200 /* in all bursts no more than a capture copies in a second */
#define BURSTS   5

static int runs(const char *with)
{
	return strcmp(with, "capture") ? RUNS : FEW_RUNS;
}

/* ns per run: the shortest of several bursts; negative = it failed. */
static double measure(int program, const char *with)
{
	char frame[64] = { 0 };
	double least = -1;

	for (int i = 0; i < BURSTS; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = frame, .data_size_in = sizeof(frame),
			    .repeat = runs(with));

		if (bpf_prog_test_run_opts(program, &run))
			return -1;
		if (least < 0 || run.duration < least)
			least = run.duration;
	}
	return least;
}

/* A counter that every machine has, including guests. */
static int open_counter(struct cost_bpf *of)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK };
	int fd = (int)syscall(__NR_perf_event_open, &attr, -1, 0, -1, 0);
	__u32 cpu = 0;

	if (fd < 0 || bpf_map_update_elem(bpf_map__fd(of->maps.counters), &cpu, &fd, 0))
		return -errno;
	return fd;
}

/* The object for this target, or with an empty program; NULL = it cannot be loaded. */
static struct cost_bpf *load_for(int target, bool empty)
{
	struct cost_bpf *bpf = cost_bpf__open();
	struct bpf_program *p;

	if (!bpf)
		return NULL;
	bpf_object__for_each_program (p, bpf->obj) {
		bool wanted = p != bpf->progs.rig_cost && empty == (p == bpf->progs.rig_empty);

		bpf_program__set_autoload(p, wanted);
		if (wanted && bpf_program__set_attach_target(p, target, "rig_cost"))
			wanted = false;
	}
	if (!cost_bpf__load(bpf) && !cost_bpf__attach(bpf))
		return bpf;
	cost_bpf__destroy(bpf);
	return NULL;
}

static double measure_with(int program, const char *with)
{
	struct cost_bpf *bpf = NULL;
	int fd = -1;
	double ns;

	if (!strcmp(with, "statistics")) {
		fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
		if (fd < 0)
			return -1;
	} else if (!strcmp(with, "empty") || !strcmp(with, "profile")) {
		bpf = load_for(program, !strcmp(with, "empty"));
		if (!bpf)
			return -1;
		fd = open_counter(bpf);
	}
	ns = measure(program, with);
	if (fd >= 0)
		close(fd);
	cost_bpf__destroy(bpf);
	return ns;
}

/* Prints the mean time of runs. */
static void print(const char *with, double ns)
{
	struct json json;

	json_begin(&json, stdout, "cost");
	json_string(&json, "with", with);
	json_number(&json, "runs", ns < 0 ? 0 : BURSTS * runs(with));
	json_number(&json, "ns", (int64_t)ns);
	json_end(&json);
	fflush(stdout);
}

static struct cost_bpf *attach_cost(void)
{
	struct cost_bpf *bpf = cost_bpf__open();
	struct bpf_program *p;

	if (!bpf)
		return NULL;
	bpf_object__for_each_program (p, bpf->obj)
		bpf_program__set_autoload(p, p == bpf->progs.rig_cost);
	if (!cost_bpf__load(bpf) && !bpf_xdp_attach(LOOPBACK, bpf_program__fd(bpf->progs.rig_cost),
						    XDP_FLAGS_SKB_MODE, NULL))
		return bpf;
	cost_bpf__destroy(bpf);
	return NULL;
}

int cost_run(void)
{
	struct cost_bpf *bpf = attach_cost();
	char with[64];

	if (!bpf) {
		fprintf(stderr, "rig: cost: %s\n", strerror(errno));
		return 1;
	}
	print("ready", 0);
	while (fgets(with, sizeof(with), stdin)) {
		with[strcspn(with, "\n")] = '\0';
		print(with, measure_with(bpf_program__fd(bpf->progs.rig_cost), with));
	}
	bpf_xdp_detach(LOOPBACK, XDP_FLAGS_SKB_MODE, NULL);
	cost_bpf__destroy(bpf);
	return 0;
}
