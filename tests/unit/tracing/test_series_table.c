// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts of the programs are in the snapshot, whatever CPU they ran on. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include "tracing/series_table.h"
#include "unit/test.h"

#define CPUS  512
#define SLOTS (TP_COUNT + 4)

struct fixture {
	struct probe_memory memory;
	struct series_cpu *cpu;
	__u64 created;
	struct series_table table;
	struct snapshot snapshot;
};

static int freed;

/* Replacements for libbpf's: the hash of series, and the stack of free slots. */
int bpf_map_delete_elem(int fd, const void *key)
{
	return 0;
}

int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	freed++;
	return 0;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->cpu = calloc(CPUS, sizeof(*f->cpu));
	f->memory = (struct probe_memory){
		.cpu = f->cpu,
		.counter = calloc((size_t)CPUS * SLOTS, sizeof(*f->memory.counter)),
		.info = calloc(SLOTS, sizeof(*f->memory.info)),
		.created = &f->created,
		.cpus = CPUS,
		.slots = SLOTS,
	};
	*state = f;
	series_table_init(&f->table, &f->memory);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	series_table_free(&f->table);
	snapshot_free(&f->snapshot);
	free(f->cpu);
	free(f->memory.counter);
	free(f->memory.info);
	free(f);
	return 0;
}

/* As a program does. */
static void count(struct fixture *f, uint32_t cpu, uint32_t slot, uint64_t events)
{
	if (slot >= TP_COUNT && !f->memory.info[slot].live) {
		f->memory.info[slot].tracepoint = TP_XDP_REDIRECT_ERR;
		f->memory.info[slot].key.ifindex = slot;
		f->memory.info[slot].live = 1;
		f->created++;
	}
	f->cpu[cpu].meter[slot < TP_COUNT ? slot : TP_XDP_REDIRECT_ERR].events += events;
	f->memory.counter[(size_t)cpu * SLOTS + slot].events += events;
}

static const struct snapshot *sample(struct fixture *f)
{
	snapshot_clear(&f->snapshot);
	assert_int_equal(series_table_find(&f->table, &f->memory), 0);
	series_table_read(&f->table, &f->memory, &f->snapshot);
	return &f->snapshot;
}

/* The last CPU was never online at a sample: this machine does not even have it. */
TEST_OF(test_every_possible_cpu, setup, teardown, struct fixture *f)
{
	const struct snapshot *to;

	assert_int_equal(sample(f)->n_series, 0);
	count(f, 0, TP_COUNT, 5);
	count(f, CPUS - 1, TP_COUNT, 1000);
	to = sample(f);
	assert_true(to->cpus_online > 0 && to->cpus_online < CPUS);
	assert_int_equal(to->tp[TP_XDP_REDIRECT_ERR].events, 1005);
	assert_int_equal(to->n_series, 1);
	assert_int_equal(to->series[0].total.events, 1005);
	assert_int_equal(to->n_cpu, 2);
	assert_int_equal(to->cpu[0].cpu, 0);
	assert_int_equal(to->cpu[1].cpu, CPUS - 1);
	assert_int_equal(to->cpu[1].count.events, 1000);
}

struct counting {
	volatile __u64 *events;
	volatile bool ended;
};

static void *go_on_counting(void *arg)
{
	struct counting *c = arg;

	while (!c->ended)
		++*c->events;
	return NULL;
}

/* A program counts while counters are read. */
TEST_OF(test_cpus_add_up, setup, teardown, struct fixture *f)
{
	struct counting counting;
	const struct snapshot *to;
	pthread_t thread;
	int left = 2000;

	count(f, 3, TP_COUNT, 1);
	counting = (struct counting){
		.events = (volatile __u64 *)&f->memory.counter[(size_t)3 * SLOTS + TP_COUNT].events,
	};
	assert_int_equal(pthread_create(&thread, NULL, go_on_counting, &counting), 0);
	do
		to = sample(f);
	while (to->series[0].total.events == to->cpu[0].count.events && --left);
	counting.ended = true;
	pthread_join(thread, NULL);
	assert_int_equal(to->series[0].total.events, to->cpu[0].count.events);
}

TEST_OF(test_overflow_on_every_possible_cpu, setup, teardown, struct fixture *f)
{
	const struct snapshot *to;

	count(f, CPUS - 1, TP_XDP_REDIRECT_ERR, 7);
	to = sample(f);
	assert_int_equal(to->tp[TP_XDP_REDIRECT_ERR].overflow, 7);
	assert_int_equal(to->tp[TP_XDP_REDIRECT_ERR].events, 7);
}

/* A reused slot starts at zero on every CPU; the tracepoint keeps the earlier counts. */
TEST_OF(test_taken_back, setup, teardown, struct fixture *f)
{
	const struct series_counters *last =
		&f->memory.counter[(size_t)(CPUS - 1) * SLOTS + TP_COUNT];
	const struct snapshot *to;

	count(f, CPUS - 1, TP_COUNT, 3);
	sample(f);
	freed = 0;
	f->table.slot[0].state = SLOT_IFINDEX_REUSED;
	series_table_recycle(&f->table, &f->memory, 1000);
	/* a program had just begun to, on a CPU without earlier counts */
	count(f, CPUS - 2, TP_COUNT, 4);
	series_table_recycle(&f->table, &f->memory, 60000000000);
	assert_int_equal(freed, 1);
	assert_int_equal(last->events, 0);
	assert_int_equal(last[-SLOTS].events, 0);
	to = sample(f);
	assert_int_equal(to->n_series, 0);
	assert_int_equal(to->tp[TP_XDP_REDIRECT_ERR].events, 7);
}

static const struct series *look(struct fixture *f, uint32_t to_prog_id, uint32_t changes)
{
	f->memory.info[TP_COUNT].to_prog_id = to_prog_id;
	f->memory.info[TP_COUNT].to_prog_changes += changes;
	return &sample(f)->series[0];
}

/* The current program of a devmap entry; none if entries alternate. */
TEST_OF(test_devmap_program, setup, teardown, struct fixture *f)
{
	count(f, 0, TP_COUNT, 5);
	assert_int_equal(look(f, 50, 0)->to_prog_id, 50);
	strcpy(f->table.slot[0].series.to_prog_name, "old");
	f->table.slot[0].has_objects = true;
	assert_string_equal(look(f, 50, 0)->to_prog_name, "old");
	assert_true(f->table.slot[0].has_objects);
	assert_int_equal(look(f, 60, 1)->to_prog_id, 60);
	assert_string_equal(f->snapshot.series[0].to_prog_name, "");
	assert_false(f->table.slot[0].has_objects);
	assert_int_equal(look(f, 50, 7)->to_prog_id, 0);
	assert_int_equal(look(f, 60, 7)->to_prog_id, 0);
	assert_int_equal(look(f, 60, 0)->to_prog_id, 60);
	assert_int_equal(look(f, 0, 1)->to_prog_id, 0);
}
