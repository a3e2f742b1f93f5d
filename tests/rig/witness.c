// SPDX-License-Identifier: GPL-2.0-or-later
#include "witness.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "witness.skel.h"

#define SERIES_MAX 4096

struct series {
	struct series_key key;
	struct series_counts counts;
	bool expected;
};

struct witness {
	struct witness_bpf *bpf;
	struct series series[SERIES_MAX];
	int n;
};

struct witness *witness_open(void)
{
	struct witness *witness = calloc(1, sizeof(*witness));
	struct btf *btf = btf__load_vmlinux_btf();
	struct bpf_program *program;
	int err = -ENOMEM;

	if (!witness || !btf)
		goto fail;
	witness->bpf = witness_bpf__open();
	if (!witness->bpf)
		goto fail;
	bpf_object__for_each_program (program, witness->bpf->obj) {
		char type[80];

		snprintf(type, sizeof(type), "btf_trace_%s",
			 strchr(bpf_program__section_name(program), '/') + 1);
		if (btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF) < 0)
			bpf_program__set_autoload(program, false);
	}
	err = witness_bpf__load(witness->bpf);
	if (!err)
		err = witness_bpf__attach(witness->bpf);
	if (err)
		goto fail;
	btf__free(btf);
	return witness;
fail:
	fprintf(stderr, "rig: --verify needs kernel BTF and 5.10 or later: %s\n", strerror(-err));
	btf__free(btf);
	witness_close(witness);
	return NULL;
}

static int witness_read(struct witness *witness)
{
	int fd = bpf_map__fd(witness->bpf->maps.series);
	struct series_key *last = NULL;

	witness->n = 0;
	while (witness->n < SERIES_MAX) {
		struct series *series = &witness->series[witness->n];

		if (bpf_map_get_next_key(fd, last, &series->key))
			break;
		last = &series->key;
		series->expected = false;
		/* Such an event has no namespace: exclude other processes by the current task. */
		if (series->key.tracepoint == TP_MEM_DISCONNECT &&
		    series->key.id[FIELD_PID] != getpid())
			series->expected = true;
		if (!bpf_map_lookup_elem(fd, &series->key, &series->counts))
			witness->n++;
	}
	if (witness->bpf->bss->lost) {
		fprintf(stderr, "rig: the witness lost %llu events: its table is full\n",
			(unsigned long long)witness->bpf->bss->lost);
		return 1;
	}
	return 0;
}

static bool series_matches(const struct series *series, const struct expect *row)
{
	if (series->key.tracepoint != row->tracepoint)
		return false;
	for (int i = 0; i < FIELD_IDS; i++)
		if (row->field[i] != EXPECT_ABSENT && row->field[i] != series->key.id[i])
			return false;
	return true;
}

static int number_compare(const char *stimulus, const struct expect *row, const char *what,
			  int64_t want, int64_t got)
{
	if (want == EXPECT_ABSENT || want == got)
		return 0;
	fprintf(stderr, "rig: %s: %s: %s: expected %lld, the kernel fired %lld\n", stimulus,
		series_tracepoints[row->tracepoint], what, (long long)want, (long long)got);
	return 1;
}

static int row_compare(struct witness *witness, const struct expect *row, const char *stimulus)
{
	uint64_t sum[FIELD_MAX] = {};
	int differences = 0;

	for (int i = 0; i < witness->n; i++) {
		struct series *series = &witness->series[i];

		if (series->expected || !series_matches(series, row))
			continue;
		series->expected = true;
		for (int field = FIELD_IDS; field < FIELD_MAX; field++)
			sum[field] += series->counts.count[field - FIELD_IDS];
	}
	for (int field = FIELD_IDS; field < FIELD_MAX; field++)
		differences += number_compare(stimulus, row, series_fields[field],
					      row->field[field], sum[field]);
	differences += number_compare(stimulus, row, "sent_plus_drops", row->sent_plus_drops,
				      sum[FIELD_PACKETS] + sum[FIELD_DROPS]);
	return differences;
}

/* Whether a series belongs to this scene, as far as it can be told; other traffic is ignored. */
static bool series_belongs(const struct series *series, const struct scene *scene)
{
	int64_t netns = series->key.id[FIELD_NETNS];

	/* refused links and other commands also fire it, which xdptop distinguishes */
	if (series->key.tracepoint == TP_NETLINK_EXTACK)
		return false;
	return netns == scene->src.inum || netns == scene->dst.inum ||
	       (scene->other.inum && netns == scene->other.inum);
}

static void series_print(const struct series *series)
{
	fprintf(stderr, "rig: not expected: %s", series_tracepoints[series->key.tracepoint]);
	for (int i = 0; i < FIELD_IDS; i++)
		if (series->key.id[i] != SERIES_NULL)
			fprintf(stderr, " %s=%lld", series_fields[i], (long long)series->key.id[i]);
	for (int i = FIELD_IDS; i < FIELD_MAX; i++)
		fprintf(stderr, " %s=%llu", series_fields[i],
			(unsigned long long)series->counts.count[i - FIELD_IDS]);
	fputc('\n', stderr);
}

int witness_compare(struct witness *witness, const struct scene *scenes, int n_scenes)
{
	int differences = witness_read(witness);

	for (int i = 0; i < n_scenes; i++)
		for (int j = 0; j < scenes[i].n_rows; j++)
			differences +=
				row_compare(witness, &scenes[i].rows[j], scenes[i].stimulus->name);
	for (int i = 0; i < witness->n; i++) {
		for (int j = 0; j < n_scenes; j++) {
			if (!witness->series[i].expected &&
			    series_belongs(&witness->series[i], &scenes[j])) {
				series_print(&witness->series[i]);
				differences++;
				break;
			}
		}
	}
	return differences;
}

void witness_close(struct witness *witness)
{
	if (!witness)
		return;
	witness_bpf__destroy(witness->bpf);
	free(witness);
}
