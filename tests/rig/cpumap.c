// SPDX-License-Identifier: GPL-2.0-or-later
#include "cpumap.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <linux/bpf.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outcome.h"
#include "rig.skel.h"
#include "stop.h"

#define QSIZE      8192
#define SLOW_QSIZE 16384 /* the kernel's limit: lasts while the sender waits */
#define CHUNK      4096  /* frames between waits for the kthread, so that the queue never fills */
#define COMM_MAX   15    /* length of a kthread's name before Linux 5.17 */

/* The last online CPU, which usually differs from the sender's. The file reads like "0,2-3". */
static int target_cpu(void)
{
	FILE *file = fopen("/sys/devices/system/cpu/online", "re");
	int cpu = 0, c;

	if (!file)
		return 0;
	while (fscanf(file, "%d", &cpu) == 1)
		do {
			c = fgetc(file);
		} while (c != EOF && c != ',' && c != '-');
	fclose(file);
	return cpu;
}

int cpumap_prepare(struct scene *scene)
{
	int cpu = target_cpu();

	scene->bpf->rodata->target_cpu = cpu;
	return bpf_map__set_max_entries(scene->bpf->maps.rig_cpumap, cpu + 1);
}

int cpumap_prepare_program(struct scene *scene)
{
	bpf_program__set_autoload(scene->bpf->progs.rig_on_cpu, true);
	return cpumap_prepare(scene);
}

int cpumap_prepare_abort(struct scene *scene)
{
	bpf_program__set_autoload(scene->bpf->progs.rig_abort_cpu, true);
	return cpumap_prepare(scene);
}

int cpumap_prepare_slow(struct scene *scene)
{
	bpf_program__set_autoload(scene->bpf->progs.rig_on_slow_cpu, true);
	return cpumap_prepare(scene);
}

/* 1 = the thread with this name sleeps, 0 = it runs, -ESRCH = no such thread. */
static int thread_asleep(const char *pid, const char *name)
{
	char path[300], comm[64] = "", state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return -ESRCH; /* it has ended */
	if (fscanf(file, "%*d (%63[^)]) %c", comm, &state) != 2)
		comm[0] = '\0';
	fclose(file);
	if (strcmp(comm, name) && (strlen(comm) != COMM_MAX || strncmp(comm, name, COMM_MAX)))
		return -ESRCH;
	return state == 'S';
}

/*
 * Whether the thread of our entry sleeps. After a flush, which wakes it, it only sleeps when its
 * queue is empty: cpu_map_kthread_run(). 1, 0, or -ESRCH if /proc does not show it.
 */
static int cpumap_idle(struct scene *scene)
{
	const struct dirent *entry;
	int err, idle = -ESRCH;
	struct expect row;
	char name[64];
	DIR *proc;

	err = outcome_set_map(scene, &row);
	if (err)
		return err;
	snprintf(name, sizeof(name), "cpumap/%u/map:%lld", scene->bpf->rodata->target_cpu,
		 (long long)row.field[FIELD_MAP_ID]);
	proc = opendir("/proc");
	if (!proc)
		return -errno;
	while (idle && (entry = readdir(proc))) {
		int asleep = atoi(entry->d_name) > 0 ? thread_asleep(entry->d_name, name) : -ESRCH;

		if (asleep != -ESRCH)
			idle = asleep;
	}
	closedir(proc);
	return idle;
}

/* Waits until everything sent to the thread is counted. */
static int cpumap_wait_idle(struct scene *scene)
{
	unsigned int looks = 0;
	int idle, err;

	/* twice: a thread about to sleep looks asleep, but has not checked its queue yet */
	for (int i = 0; i < 2; i++) {
		err = frame_settle();
		while (!err && !(idle = cpumap_idle(scene)))
			err = stop_look_again(&looks);
		if (err || idle < 0)
			return err ? err : idle;
	}
	return 0;
}

static int cpumap_add_cpu(struct scene *scene, __u32 qsize, int program)
{
	struct bpf_cpumap_val value = { .qsize = qsize, .bpf_prog.fd = program };
	__u32 cpu = scene->bpf->rodata->target_cpu;
	int err = bpf_map_update_elem(scene->map_fd, &cpu, &value, BPF_ANY);

	if (!err && cpumap_idle(scene) == -ESRCH)
		strcpy(scene->skip, "/proc does not show the kernel's threads");
	return err;
}

int cpumap_arm(struct scene *scene)
{
	return cpumap_add_cpu(scene, QSIZE, 0);
}

int cpumap_arm_full(struct scene *scene)
{
	return cpumap_add_cpu(scene, 1, 0);
}

int cpumap_arm_program(struct scene *scene)
{
	return cpumap_add_cpu(scene, QSIZE, bpf_program__fd(scene->bpf->progs.rig_on_cpu));
}

int cpumap_arm_abort(struct scene *scene)
{
	return cpumap_add_cpu(scene, QSIZE, bpf_program__fd(scene->bpf->progs.rig_abort_cpu));
}

int cpumap_arm_slow(struct scene *scene)
{
	return cpumap_add_cpu(scene, SLOW_QSIZE,
			      bpf_program__fd(scene->bpf->progs.rig_on_slow_cpu));
}

/*
 * The kthread's tracepoint fires before frames reach the stack (cpu_map_kthread_run), so everything
 * has fired once the stack has refused the last frame.
 */
int cpumap_fire(struct scene *scene, uint32_t count)
{
	int err = 0;

	while (count && !err) {
		uint32_t n = count < CHUNK ? count : CHUNK;

		err = scene_fire_frames(scene, n);
		if (!err)
			err = scene_wait_dropped(scene, scene->frames);
		count -= n;
	}
	return err;
}

/* Sends from the thread's CPU, or from any other. */
static int fire_from(struct scene *scene, bool own,
		     int (*fire)(struct scene *scene, uint32_t count), uint32_t count)
{
	cpu_set_t before, from;
	int err;

	if (sched_getaffinity(0, sizeof(before), &before))
		return -errno;
	from = before;
	if (own)
		CPU_ZERO(&from);
	if (own)
		CPU_SET(scene->bpf->rodata->target_cpu, &from);
	else
		CPU_CLR(scene->bpf->rodata->target_cpu, &from);
	/* with a single CPU there is no other */
	sched_setaffinity(0, sizeof(from), &from);
	err = fire(scene, count);
	sched_setaffinity(0, sizeof(before), &before);
	return err;
}

int cpumap_fire_same(struct scene *scene, uint32_t count)
{
	return fire_from(scene, true, cpumap_fire, count);
}

/* On the thread's CPU the sender would preempt it, which the kernel counts as a pause. */
int cpumap_fire_slow(struct scene *scene, uint32_t count)
{
	return fire_from(scene, false, scene_fire_frames, count);
}

/* The stack sees no frames: everything is counted once the thread sleeps. */
int cpumap_fire_abort(struct scene *scene, uint32_t count)
{
	int err = 0;

	while (count && !err) {
		uint32_t n = count < CHUNK ? count : CHUNK;

		err = scene_fire_frames(scene, n);
		if (!err)
			err = cpumap_wait_idle(scene);
		count -= n;
	}
	return err;
}

int cpumap_fire_program(struct scene *scene, uint32_t count)
{
	int err = 0;

	while (count && !err) {
		uint32_t n = count < CHUNK ? count : CHUNK;

		err = scene_fire_frames(scene, n);
		/* even frames pass, counted from 0 */
		if (!err)
			err = scene_wait_dropped(scene, (scene->frames + 1) / 2);
		count -= n;
	}
	return err;
}

/* @dropped frames were refused by the queue. */
static int add_rows(struct scene *scene, uint64_t dropped)
{
	struct expect *row = scene_add_row(scene, TP_XDP_REDIRECT);
	int cpu = scene->bpf->rodata->target_cpu;
	int err;

	expect_set_from(row, &scene->in);
	row->field[FIELD_TO_NETNS] = SERIES_NULL;
	row->field[FIELD_TO_IFINDEX] = SERIES_NULL;
	row->field[FIELD_TO_CPU] = cpu;
	row->field[FIELD_ACT] = XDP_REDIRECT;
	row->field[FIELD_ERR] = 0;
	expect_set_frames(row, scene->frames);
	err = outcome_set_program(scene, row);
	if (!err)
		err = outcome_set_map(scene, row);
	if (err)
		return err;

	/* The other two tracepoints know neither device nor program. */
	row = scene_add_row(scene, TP_XDP_CPUMAP_ENQUEUE);
	row->field[FIELD_TO_CPU] = cpu;
	row->field[FIELD_MAP_ID] = scene->rows[0].field[FIELD_MAP_ID];
	row->field[FIELD_PACKETS] = scene->frames;
	row->field[FIELD_DROPS] = dropped;
	if (scene->entry == ENTRY_LIVE)
		row->field[FIELD_EVENTS] = scene->bulks_cpumap;

	row = scene_add_row(scene, TP_XDP_CPUMAP_KTHREAD);
	row->field[FIELD_MAP_ID] = scene->rows[0].field[FIELD_MAP_ID];
	row->field[FIELD_PACKETS] = scene->frames - dropped;
	/* Up to 5.14 this includes frames that the stack refused, here all of them. */
	if (scene->has_live)
		row->field[FIELD_DROPS] = 0;
	row->field[FIELD_XDP_PASS] = 0;
	row->field[FIELD_XDP_DROP] = 0;
	row->field[FIELD_XDP_REDIRECT] = 0;
	outcome_add_fed(scene);
	return 0;
}

int cpumap_expect(struct scene *scene)
{
	return add_rows(scene, 0);
}

int cpumap_expect_full(struct scene *scene)
{
	struct link_counters now;
	int err = cpumap_wait_idle(scene);

	if (!err)
		err = link_read_counters(&scene->in, &now);
	if (err)
		return err;
	/* Frames that did not reach the stack were refused by the queue. */
	return add_rows(scene, scene->frames - (now.rx_dropped - scene->start.rx_dropped));
}

int cpumap_expect_program(struct scene *scene)
{
	int err = cpumap_wait_idle(scene);

	/* if the program drops the very last frame, the stack never sees it */
	if (!err)
		err = add_rows(scene, 0);
	if (err)
		return err;

	scene->rows[2].field[FIELD_XDP_PASS] = (scene->frames + 1) / 2;
	scene->rows[2].field[FIELD_XDP_DROP] = scene->frames / 2;
	return err;
}

int cpumap_expect_abort(struct scene *scene)
{
	int err = add_rows(scene, 0);

	if (!err)
		scene->rows[2].field[FIELD_XDP_DROP] = scene->frames;
	return err;
}

int cpumap_expect_slow(struct scene *scene)
{
	int err = cpumap_expect_full(scene);

	if (!err)
		scene->rows[2].field[FIELD_XDP_PASS] = scene->rows[2].field[FIELD_PACKETS];
	return err;
}
