// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures user space on machines larger than this one: reads snapshots from a fake kernel memory
 * of S series on C CPUs, and builds tables over them. Prints a line per figure: NAME SERIES CPUS
 * MILLISECONDS (median of several rounds).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "table/filter.h"
#include "tracing/series_table.h"
#include "table/table.h"

#define ROUNDS 21

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void report(const char *name, uint32_t series, uint32_t cpus, double ms[ROUNDS])
{
	qsort(ms, ROUNDS, sizeof(*ms), compare);
	printf("%s %u %u %.3f\n", name, series, cpus, ms[ROUNDS / 2]);
}

static void *need(void *p)
{
	if (!p) {
		fputs("bench: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

/* A kernel's memory with every series active on every CPU, and a table that knows their slots. */
static void make(struct probe_memory *m, struct series_table *s, uint32_t series, uint32_t cpus)
{
	static __u64 created;
	struct series_cpu *cpu = need(calloc(cpus, sizeof(*cpu)));

	memset(m, 0, sizeof(*m));
	for (uint32_t i = 0; i < cpus; i++)
		cpu[i].meter[TP_XDP_DEVMAP_XMIT].events = 1;
	m->cpu = cpu;
	m->cpus = cpus;
	m->slots = TP_COUNT + 4096;
	m->created = &created;
	m->info = need(calloc(m->slots, sizeof(struct series_info)));
	m->counter = need(calloc((size_t)cpus * m->slots, sizeof(struct series_counters)));
	created += series;
	for (uint32_t i = 0; i < series; i++) {
		struct series_info *info = &m->info[TP_COUNT + i];

		info->key.netns = 4026531840u + i / 50;
		info->key.ifindex = i % 50;
		info->key.to_netns = info->key.netns;
		info->key.target = 100 + i % 7;
		info->key.prog_id = i % 3 + 1;
		info->key.code = i % 5 ? 0 : -95;
		info->tracepoint = i % 5 ? TP_XDP_DEVMAP_XMIT : TP_XDP_REDIRECT_ERR;
		snprintf(info->ifname, sizeof(info->ifname), "eth%u", i % 50);
		info->live = 1;
	}
	series_table_init(s, m);
	if (series_table_find(s, m))
		need(NULL);
}

static void count(struct probe_memory *m, uint32_t series)
{
	for (uint32_t cpu = 0; cpu < m->cpus; cpu++)
		for (uint32_t i = 0; i < series; i++) {
			struct series_counters *c =
				&m->counter[(size_t)cpu * m->slots + TP_COUNT + i];

			c->events += i + 1;
			c->packets += 16 * i;
			c->drops += i % 3;
		}
}

static void measure(uint32_t series, uint32_t cpus)
{
	const struct view *view = &views[view_find("flows")];
	struct table_options options = { .view = view, .sort = view->sort, .descending = true };
	double read[ROUNDS], rates_ms[ROUNDS], table_ms[ROUNDS], filter_ms[ROUNDS];
	struct snapshot snapshots[2] = { 0 };
	struct filter *filter = NULL;
	struct rates rates = { 0 };
	struct table table = { 0 };
	struct probe_memory memory;
	struct series_table slots;
	struct error error = { 0 };

	make(&memory, &slots, series, cpus);
	if (filter_parse("device=eth7 drops_per_s>0", &filter, &error) &&
	    filter_parse("eth7", &filter, &error))
		need(NULL);
	for (int round = 0; round < ROUNDS; round++) {
		struct snapshot *to = &snapshots[round % 2], *from = &snapshots[!(round % 2)];
		double start;

		count(&memory, series);
		snapshot_clear(to);
		to->mono_ns = (round + 1) * 1000000000ULL;
		for (int tp = 0; tp < TP_COUNT; tp++) {
			to->tp[tp].state = TP_ON;
			to->tp[tp].on_ns = to->mono_ns;
		}
		start = now_ms();
		series_table_read(&slots, &memory, to);
		read[round] = now_ms() - start;
		if (to->n_series != series || to->n_cpu != (size_t)series * cpus) {
			fprintf(stderr, "bench: %zu series on %zu CPUs were read\n", to->n_series,
				to->n_cpu);
			exit(1);
		}
		start = now_ms();
		rates_set(&rates, round ? from : NULL, to, NULL);
		rates_ms[round] = now_ms() - start;
		options.filter = NULL;
		start = now_ms();
		if (table_build(&table, &rates, &options))
			need(NULL);
		table_ms[round] = now_ms() - start;
		options.filter = filter;
		start = now_ms();
		if (table_build(&table, &rates, &options))
			need(NULL);
		filter_ms[round] = now_ms() - start;
	}
	report("sample", series, cpus, read);
	report("rates", series, cpus, rates_ms);
	report("table", series, cpus, table_ms);
	report("filter", series, cpus, filter_ms);
	filter_free(filter);
	table_free(&table);
	rates_free(&rates);
	snapshot_free(&snapshots[0]);
	snapshot_free(&snapshots[1]);
	series_table_free(&slots);
	free((void *)memory.cpu);
	free(memory.info);
	free(memory.counter);
}

int main(void)
{
	static const struct {
		uint32_t series, cpus;
	} sizes[] = { { 10, 2 },    { 1000, 2 },   { 4096, 2 },   { 10, 64 },
		      { 1000, 64 }, { 1000, 128 }, { 1000, 255 }, { 4096, 512 } };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		measure(sizes[i].series, sizes[i].cpus);
	return 0;
}
