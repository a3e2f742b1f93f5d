// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/fib_lookups.h"

#include <errno.h>
#include "schema/record_field.h"
#include "source/data_source.h"
#include "source/live_source.h"
#include "tracing/fib_lookups.h"

#define ROWS_MAX  65536
#define KEY_WORDS (offsetof(struct fib_lookup, spare) / sizeof(uint32_t))

/* BPF_FIB_LKUP_RET_ without its prefix, include/uapi/linux/bpf.h */
static const char *const names[FIB_RESULTS] = {
	"SUCCESS",    "BLACKHOLE", "UNREACHABLE", "PROHIBIT",    "NOT_FWDED", "FWD_DISABLED",
	"UNSUPP_LWT", "NO_NEIGH",  "FRAG_NEEDED", "NO_SRC_ADDR", "ERROR",     "UNKNOWN",
};

const char *fib_lookup_name(uint32_t result)
{
	return names[result < FIB_RESULTS ? result : FIB_UNKNOWN];
}

ROW_NUMBER(device_of, struct fib_lookup, l, row_number(l->netns, l->ifindex))

static const struct row_key by_device = { DATA_SOURCE_FIB_LOOKUPS, 1, .number = device_of };

static uint64_t lookups_in(const struct snapshot *s, const struct fib_lookup *like)
{
	const struct fib_lookup *row = data_source_row(s, DATA_SOURCE_FIB_LOOKUPS, like);

	return row && row->lookups < like->lookups ? row->lookups : row ? like->lookups : 0;
}

void fib_lookups_add(const struct rates *r, uint32_t netns, uint32_t ifindex,
		     uint64_t delta[FIB_RESULTS], uint64_t since[FIB_RESULTS])
{
	const struct fib_lookup *row;

	for_each_row (row, r, r->to, &by_device, row_number(netns, ifindex)) {
		if (r->from)
			delta[row->result] += row->lookups - lookups_in(r->from, row);
		since[row->result] += row->lookups - lookups_in(r->base, row);
	}
}

/* clang-format off */
static const struct record_field fields[] = {
	FIELDS_OF_SNAPSHOT,
	FIELD_REAL("interval_s", field_get_real, seconds),
	ROW_FIELD_ID("netns", struct fib_lookup, netns),
	FIELD_TEXT("netns_name", 0, netns_name),
	ROW_FIELD_ID("ifindex", struct fib_lookup, ifindex),
	ROW_FIELD_TEXT("ifname", struct fib_lookup, ifname),
	ROW_FIELD_NAME("result", struct fib_lookup, result, names),
	ROW_FIELD_COUNTER("lookups", struct fib_lookup, lookups),
};
/* clang-format on */

static const struct record_object object = RECORD_OBJECT("fib_lookup", fields);

static void add_device(struct live *live, struct snapshot *to, const struct fib_device *from)
{
	const struct netdev *d = snapshot_find_netdev(to, from->netns, from->ifindex);
	struct fib_lookup *row;

	live_need_netdev(live, from->netns, from->ifindex);
	for (uint32_t result = 0; result < FIB_RESULTS; result++) {
		if (!from->result[result])
			continue;
		row = snapshot_add_row(to, DATA_SOURCE_FIB_LOOKUPS, sizeof(*row));
		*row = (struct fib_lookup){ .netns = from->netns,
					    .ifindex = from->ifindex,
					    .result = result,
					    .lookups = from->result[result] };
		if (d)
			memcpy(row->ifname, d->name, sizeof(row->ifname));
	}
}

static void merge_rows(struct snapshot *to)
{
	struct fib_lookup *row = to->rows[DATA_SOURCE_FIB_LOOKUPS].row;
	size_t n = to->rows[DATA_SOURCE_FIB_LOOKUPS].n, kept = 0;

	data_source_sort(to, DATA_SOURCE_FIB_LOOKUPS);
	for (size_t i = 0; i < n; i++) {
		if (kept && !compare_words(&row[kept - 1], &row[i], KEY_WORDS))
			row[kept - 1].lookups += row[i].lookups;
		else if (kept < ROWS_MAX)
			row[kept++] = row[i];
	}
	to->rows[DATA_SOURCE_FIB_LOOKUPS].n = kept;
}

static int lookups_sample(void *state, struct snapshot *to)
{
	struct live *live = *(struct live **)state;
	const struct fib_cpu *cpu = fib_lookups(live->fib_lookups);

	for (uint32_t i = 0; i < live->memory->cpus; i++) {
		for (int k = 0; cpu[i].events && k <= FIB_DEVICES; k++) {
			const struct fib_device *d = &cpu[i].device[k];

			if (k == FIB_DEVICES || __atomic_load_n(&d->used, __ATOMIC_ACQUIRE))
				add_device(live, to, d);
		}
	}
	merge_rows(to);
	return 0;
}

static void lookups_close(void *state)
{
	struct live *live = *(struct live **)state;

	fib_lookups_close(live->fib_lookups);
	live->fib_lookups = NULL;
}

static int lookups_open(void *state, struct live *live, struct error *error)
{
	*(struct live **)state = live;
	if (!live->trace->verdicts)
		return error_set(error, 1, "not asked for (--verdicts)");
	live->fib_lookups = fib_lookups_open(live->memory->cpus, error);
	return !live->fib_lookups;
}

const struct data_source fib_lookups_source = {
	.name = "fib_lookups",
	.help = "results of bpf_fib_lookup() in XDP programs, with --verdicts",
	ROW_TYPE(struct fib_lookup, spare, ROWS_MAX),
	ROW_DEVICE(struct fib_lookup),
	ROW_COUNTERS(struct fib_lookup, lookups),
	.record = &object,
	.state_size = sizeof(struct live *),
	.open = lookups_open,
	.sample = lookups_sample,
	.close = lookups_close,
};
