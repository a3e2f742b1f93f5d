// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/softnet.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "schema/record_field.h"
#include "source/data_source.h"
#include "source/live_source.h"

#define RAW          3 /* counters that are used in a line */
#define LINE_MAX_LEN 256

DATA_SOURCE_ROWS(softnet_rows, struct softnet_cpu, DATA_SOURCE_SOFTNET)

const struct softnet_cpu *softnet_row(const struct snapshot *s, uint32_t cpu)
{
	return data_source_row(s, DATA_SOURCE_SOFTNET, &(struct softnet_cpu){ .cpu = cpu });
}

bool softnet_parse(const char *line, uint32_t *cpu, uint32_t raw[RAW])
{
	return sscanf(line, "%8x %8x %8x %*8x %*8x %*8x %*8x %*8x %*8x %*8x %*8x %*8x %8x", &raw[0],
		      &raw[1], &raw[2], cpu) == RAW + 1;
}

/* Without an attached tracepoint of the stage, the number is unknown. */
#define EVENTS(n, stage)                                        \
	ROW_FIELD_COUNTER(n, struct softnet_cpu, events[stage], \
			  KNOWN_BY(struct softnet_cpu, counted[stage]))

/* clang-format off */
static const struct record_field fields[] = {
	FIELDS_OF_SNAPSHOT,
	FIELD_REAL("interval_s", field_get_real, seconds),
	FIELD("cpu", COUNT, 0, field_get_u32, field_set_cpu, ROW_MEMBER(struct softnet_cpu, cpu)),
	ROW_FIELD_COUNTER("softnet_processed", struct softnet_cpu, processed),
	ROW_FIELD_COUNTER("softnet_dropped", struct softnet_cpu, dropped),
	ROW_FIELD_COUNTER("time_squeeze", struct softnet_cpu, time_squeeze),
	EVENTS("exception_events", STAGE_VERDICT),
	EVENTS("redirect_err_events", STAGE_FAILED),
	EVENTS("redirect_events", STAGE_QUEUED),
	EVENTS("xmit_events", STAGE_SENT),
	EVENTS("cpumap_kthread_events", STAGE_TAKEN),
	EVENTS("net_dev_queue_events", STAGE_STACK),
};
/* clang-format on */

static const struct record_object object = RECORD_OBJECT("cpu", fields);

static const struct data_source_metric metrics[] = {
	{ "xdptop_softnet_processed_total", "Packets that the receive softirq processed.",
	  offsetof(struct softnet_cpu, processed) },
	{ "xdptop_softnet_dropped_total", "Packets dropped because a CPU's backlog was full.",
	  offsetof(struct softnet_cpu, dropped) },
	{ "xdptop_softnet_time_squeeze_total",
	  "Times that the receive softirq stopped with work left.",
	  offsetof(struct softnet_cpu, time_squeeze) },
	{ 0 },
};

/* Extends the kernel's counters of 32 bits. */
struct cpu_state {
	uint32_t last[RAW];
	bool started;
	struct softnet_cpu row;
};

struct softnet {
	int fd; /* opened before the drop of privileges, because it may be refused later */
	const struct live *live;
	struct cpu_state *cpu; /* by CPU */
	size_t n, cap;
	char *text;
	size_t text_cap;
};

/* Read the whole file and terminate it with a NUL. */
static int read_text(struct softnet *s)
{
	size_t used = 0;
	ssize_t got;

	do {
		array_reserve(s->text, s->text_cap, used + LINE_MAX_LEN);
		got = pread(s->fd, s->text + used, s->text_cap - used - 1, (off_t)used);
		if (got < 0 && errno != EINTR)
			return -errno;
		used += got > 0 ? (size_t)got : 0;
	} while (got);
	s->text[used] = '\0';
	return 0;
}

static struct cpu_state *cpu_of(struct softnet *s, uint32_t cpu)
{
	while (s->n <= cpu) {
		struct cpu_state *added = array_append(s->cpu, s->n, s->cap);

		added->row.cpu = (uint32_t)(s->n - 1);
	}
	return &s->cpu[cpu];
}

static int read_counters(struct softnet *s)
{
	uint32_t cpu, raw[RAW];
	int err = read_text(s);

	for (char *line = s->text; !err && *line; line += strcspn(line, "\n") + 1) {
		struct cpu_state *c;
		uint64_t *to;

		if (!softnet_parse(line, &cpu, raw) || cpu > UINT16_MAX)
			return -EPROTO;
		c = cpu_of(s, cpu);
		to = &c->row.processed;
		for (int i = 0; i < RAW; i++)
			to[i] += c->started ? (uint32_t)(raw[i] - c->last[i]) : 0;
		memcpy(c->last, raw, sizeof(raw));
		c->started = true;
		if (!line[strcspn(line, "\n")])
			break;
	}
	return err;
}

_Static_assert(offsetof(struct softnet_cpu, time_squeeze) ==
		       offsetof(struct softnet_cpu, processed) + 2 * sizeof(uint64_t),
	       "in the order of the file");

/* Events of each stage on this CPU, from the programs' meters: no series has to be looked up. */
static void read_events(const struct probe_memory *m, const struct tp_count *tp,
			struct softnet_cpu *row)
{
	for (int i = 0; i < TP_COUNT; i++) {
		enum tp_stage stage = tracepoints[i].stage;

		if (stage == STAGE_NONE || row->cpu >= m->cpus ||
		    (tp[i].state != TP_ON && !tp[i].on_ns))
			continue;
		row->counted[stage] = true;
		row->events[stage] += m->cpu[row->cpu].meter[i].events;
	}
}

static int softnet_sample(void *state, struct snapshot *to)
{
	struct softnet *s = state;
	int err = read_counters(s);

	for (size_t i = 0; !err && i < s->n; i++) {
		struct softnet_cpu *row;

		if (!s->cpu[i].started)
			continue;
		row = snapshot_add_row(to, DATA_SOURCE_SOFTNET, sizeof(*row));
		*row = s->cpu[i].row;
		read_events(s->live->memory, to->tp, row);
	}
	/* the failure of one source does not end the others */
	return 0;
}

static void softnet_close(void *state)
{
	struct softnet *s = state;

	if (s->fd >= 0)
		close(s->fd);
	free(s->cpu);
	free(s->text);
}

static int softnet_open(void *state, struct live *live, struct error *error)
{
	struct softnet *s = state;
	int err;

	s->live = live;
	s->fd = open("/proc/net/softnet_stat", O_RDONLY | O_CLOEXEC);
	err = s->fd < 0 ? -errno : read_counters(s);
	if (!err)
		return 0;
	return error_set(error, 1, "/proc/net/softnet_stat: %s",
			 err == -EPROTO ? "no line names its CPU (before Linux 5.10)"
					: strerror(-err));
}

const struct data_source softnet_source = {
	.name = "softnet",
	.help = "the receive softirq of each CPU (/proc/net/softnet_stat), and events by stage",
	ROW_TYPE(struct softnet_cpu, counted, UINT16_MAX + 1),
	ROW_COUNTERS(struct softnet_cpu, processed),
	.record = &object,
	.metrics = metrics,
	.metric_labels = LABEL_CPU,
	.state_size = sizeof(struct softnet),
	.open = softnet_open,
	.sample = softnet_sample,
	.close = softnet_close,
};
