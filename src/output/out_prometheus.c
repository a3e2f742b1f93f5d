// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prometheus text format 0.0.4. Labels are names, and two series can have the same ones (a device
 * made anew, a program loaded again): counters are kept per set of labels and only ever grow, while
 * the series behind them come and go. A set goes when the last of its series has gone.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "output/output.h"

enum {
	LABEL_DEVICE = 1 << 0,
	LABEL_TO_DEVICE = 1 << 1,
	LABEL_NETNS = 1 << 2,
	LABEL_PROG = 1 << 3,
	LABEL_ACT = 1 << 4,
	LABEL_ERRNO = 1 << 5,
	LABEL_TO_CPU = 1 << 6,
	LABEL_MAP_ID = 1 << 7,
	LABEL_CPU = 1 << 8, /* with -C */
};

/* Where a label's value is: a field of the sample object; `other` stands in for a null. */
static const struct label {
	uint32_t bit;
	const char *name, *field, *other;
} labels[] = {
	{ LABEL_DEVICE, "device", "ifname", "ifindex" },
	{ LABEL_TO_DEVICE, "to_device", "to_ifname", "to_ifindex" },
	{ LABEL_NETNS, "netns", "netns_name", "netns" },
	{ LABEL_PROG, "prog", "prog_name", "prog_id" },
	{ LABEL_ACT, "act", "act", NULL },
	{ LABEL_ERRNO, "errno", "errname", "err" },
	{ LABEL_TO_CPU, "to_cpu", "to_cpu", NULL },
	{ LABEL_MAP_ID, "map_id", "map_id", NULL },
	{ LABEL_CPU, "cpu", "cpu", NULL },
};
#define N_LABELS (sizeof(labels) / sizeof(labels[0]))

#define ERROR_LABELS  (LABEL_DEVICE | LABEL_TO_DEVICE | LABEL_NETNS | LABEL_PROG | LABEL_ERRNO)
#define TARGET_LABELS (LABEL_DEVICE | LABEL_TO_DEVICE | LABEL_NETNS | LABEL_PROG | LABEL_TO_CPU)
#define XMIT_LABELS   (LABEL_DEVICE | LABEL_TO_DEVICE | LABEL_NETNS)
#define DEVICE_LABELS (LABEL_DEVICE | LABEL_NETNS)
#define CPUMAP_LABELS (LABEL_MAP_ID | LABEL_TO_CPU)

#define BIT(id) (1u << (id))

/* One metric: the sum of a sample field over the series of these tracepoints. */
static const struct family {
	const char *name, *help;
	uint32_t tracepoints;
	uint32_t labels;
	const char *field;
} families[] = {
	{ "xdptop_exceptions_total",
	  "Events of xdp_exception: aborted, bad return value, failed TX.", BIT(TP_XDP_EXCEPTION),
	  DEVICE_LABELS | LABEL_PROG | LABEL_ACT, "events" },
	{ "xdptop_redirect_errors_total",
	  "Redirects that failed before the frame was queued (xdp_redirect_err).",
	  BIT(TP_XDP_REDIRECT_ERR) | BIT(TP_XDP_REDIRECT_MAP_ERR), ERROR_LABELS, "events" },
	{ "xdptop_redirects_total", "Frames queued for their target (xdp_redirect): not sent yet.",
	  BIT(TP_XDP_REDIRECT) | BIT(TP_XDP_REDIRECT_MAP), TARGET_LABELS, "events" },
	{ "xdptop_devmap_xmit_packets_total", "Frames sent by xdp_devmap_xmit.",
	  BIT(TP_XDP_DEVMAP_XMIT), XMIT_LABELS, "packets" },
	{ "xdptop_devmap_xmit_drops_total", "Frames dropped at xdp_devmap_xmit.",
	  BIT(TP_XDP_DEVMAP_XMIT), XMIT_LABELS, "drops" },
	{ "xdptop_devmap_xmit_calls_total", "Bulks handed to the target device.",
	  BIT(TP_XDP_DEVMAP_XMIT), XMIT_LABELS, "events" },
	{ "xdptop_bulk_tx_packets_total", "XDP_TX frames sent by xdp_bulk_tx.", BIT(TP_XDP_BULK_TX),
	  DEVICE_LABELS, "packets" },
	{ "xdptop_bulk_tx_drops_total", "XDP_TX frames dropped at xdp_bulk_tx.",
	  BIT(TP_XDP_BULK_TX), DEVICE_LABELS, "drops" },
	{ "xdptop_bulk_tx_calls_total", "Bulks of XDP_TX frames.", BIT(TP_XDP_BULK_TX),
	  DEVICE_LABELS, "events" },
	{ "xdptop_cpumap_enqueue_packets_total",
	  "Frames for another CPU's queue, in native mode the dropped ones too.",
	  BIT(TP_XDP_CPUMAP_ENQUEUE), CPUMAP_LABELS, "packets" },
	{ "xdptop_cpumap_enqueue_drops_total", "Frames that the other CPU's queue did not take.",
	  BIT(TP_XDP_CPUMAP_ENQUEUE), CPUMAP_LABELS, "drops" },
	{ "xdptop_cpumap_enqueue_calls_total", "Bulks for another CPU's queue.",
	  BIT(TP_XDP_CPUMAP_ENQUEUE), CPUMAP_LABELS, "events" },
	{ "xdptop_cpumap_kthread_packets_total", "Frames taken from the CPU's queue.",
	  BIT(TP_XDP_CPUMAP_KTHREAD), CPUMAP_LABELS, "packets" },
	{ "xdptop_cpumap_kthread_drops_total", "Frames lost on the way into the stack.",
	  BIT(TP_XDP_CPUMAP_KTHREAD), CPUMAP_LABELS, "drops" },
	{ "xdptop_cpumap_kthread_calls_total", "Polls of the CPU's queue.",
	  BIT(TP_XDP_CPUMAP_KTHREAD), CPUMAP_LABELS, "events" },
	{ "xdptop_cpumap_kthread_sched_total", "Times the CPU's thread went to sleep.",
	  BIT(TP_XDP_CPUMAP_KTHREAD), CPUMAP_LABELS, "sched" },
	{ "xdptop_cpumap_kthread_xdp_pass_total", "Frames that the map's program passed.",
	  BIT(TP_XDP_CPUMAP_KTHREAD), CPUMAP_LABELS, "xdp_pass" },
	{ "xdptop_cpumap_kthread_xdp_drop_total", "Frames that the map's program dropped.",
	  BIT(TP_XDP_CPUMAP_KTHREAD), CPUMAP_LABELS, "xdp_drop" },
	{ "xdptop_cpumap_kthread_xdp_redirect_total", "Frames that the map's program redirected.",
	  BIT(TP_XDP_CPUMAP_KTHREAD), CPUMAP_LABELS, "xdp_redirect" },
	{ "xdptop_net_dev_queue_skbs_total", "Socket buffers queued by the stack.",
	  BIT(TP_NET_DEV_QUEUE), DEVICE_LABELS, "events" },
	{ "xdptop_net_dev_queue_packets_total", "Packets queued by the stack, GSO segments each.",
	  BIT(TP_NET_DEV_QUEUE), DEVICE_LABELS, "packets" },
	{ "xdptop_net_dev_queue_bytes_total", "Bytes queued by the stack.", BIT(TP_NET_DEV_QUEUE),
	  DEVICE_LABELS, "bytes" },
	{ "xdptop_link_attach_failures_total", "XDP links that could not be attached.",
	  BIT(TP_LINK_ATTACH_FAILED), LABEL_NETNS, "events" },
	{ "xdptop_mem_connects_total", "RX queues that got a memory allocator.",
	  BIT(TP_MEM_CONNECT), DEVICE_LABELS, "events" },
	{ "xdptop_mem_disconnects_total", "RX queues that gave up a memory allocator.",
	  BIT(TP_MEM_DISCONNECT), DEVICE_LABELS, "events" },
};
#define N_FAMILIES (sizeof(families) / sizeof(families[0]))

enum tp_metric { TP_IS_ON, TP_EVENTS, TP_MISSED, TP_OVERFLOW };

/* What there is for each tracepoint. */
static const struct tp_family {
	enum tp_metric metric;
	const char *name, *type, *help;
} tp_families[] = {
	{ TP_IS_ON, "xdptop_tracepoint_on", "gauge", "Whether the tracepoint is counted now." },
	{ TP_EVENTS, "xdptop_events_total", "counter", "Events of the tracepoint." },
	{ TP_MISSED, "xdptop_missed_total", "counter",
	  "Events that fired while the program was running on that CPU: not counted." },
	{ TP_OVERFLOW, "xdptop_overflow_total", "counter",
	  "Events counted without device, program and target: the table was full." },
};
#define N_TP_FAMILIES (sizeof(tp_families) / sizeof(tp_families[0]))

static const char build_info[] = "xdptop_build_info";
static const char build_info_help[] = "Always 1; the version in a label.";

struct label_set {
	char *labels; /* as printed, without braces */
	uint64_t value;
	bool live; /* a series of this snapshot has it */
};

struct set_list {
	struct label_set *set; /* ascending by labels */
	size_t n, cap;
};

struct prometheus {
	struct set_list list[N_FAMILIES];
	/* looked up once */
	const struct record_field *label[N_LABELS], *label_other[N_LABELS], *value[N_FAMILIES];
	char *text; /* the labels being made */
	size_t text_size;
};

static int open_prometheus(struct output *o)
{
	const struct record_object *sample = &record_objects[RECORD_SAMPLE];
	struct prometheus *p = calloc(1, sizeof(*p));
	size_t i;

	if (!p)
		return -ENOMEM;
	o->state = p;
	for (i = 0; i < N_LABELS; i++) {
		p->label[i] = record_find(sample, labels[i].field);
		if (labels[i].other)
			p->label_other[i] = record_find(sample, labels[i].other);
	}
	for (i = 0; i < N_FAMILIES; i++)
		p->value[i] = record_find(sample, families[i].field);
	return 0;
}

static void put_escaped(FILE *to, const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' || *text == '"')
			fputc('\\', to);
		if (*text == '\n')
			fputs("\\n", to);
		else
			fputc(*text, to);
	}
}

/* The record's labels as text; an unknown one is left out, which to Prometheus is the same. */
static int make_labels(struct prometheus *p, uint32_t wanted, const struct record *record)
{
	FILE *to = open_memstream(&p->text, &p->text_size);
	char buf[RECORD_NUMBER_LEN];
	struct record_value v;
	bool any = false;
	size_t i;

	if (!to)
		return -ENOMEM;
	for (i = 0; i < N_LABELS; i++) {
		if (!(wanted & labels[i].bit))
			continue;
		record_get(p->label[i], record, &v);
		if (v.type == VALUE_NULL && p->label_other[i])
			record_get(p->label_other[i], record, &v);
		if (v.type == VALUE_NULL)
			continue;
		fprintf(to, "%s%s=\"", any ? "," : "", labels[i].name);
		put_escaped(to, record_text(&v, buf, sizeof(buf)));
		fputc('"', to);
		any = true;
	}
	return fclose(to) ? -ENOMEM : 0;
}

/* The set with the labels in p->text, made if need be; takes p->text. NULL = out of memory. */
static struct label_set *find_set(struct prometheus *p, struct set_list *list)
{
	size_t at = array_lower_bound(list->set, list->n, e, strcmp(e->labels, p->text) < 0);
	struct label_set *set;

	if (at < list->n && !strcmp(list->set[at].labels, p->text))
		return &list->set[at];
	set = array_insert(list->set, list->n, list->cap, at);
	if (!set)
		return NULL;
	set->labels = p->text;
	p->text = NULL;
	return set;
}

static int add_sample(struct output *o, const struct record *record)
{
	struct prometheus *p = o->state;
	struct label_set *set;
	struct record_value v;
	size_t i;
	int err;

	/* the sum and its parts in one metric would count twice: with -C only the parts */
	if (o->config->per_cpu && record->cpu < 0)
		return 0;
	for (i = 0; i < N_FAMILIES; i++) {
		if (!(families[i].tracepoints & BIT(record->tracepoint)))
			continue;
		err = make_labels(p, families[i].labels | LABEL_CPU, record);
		set = err ? NULL : find_set(p, &p->list[i]);
		free(p->text);
		p->text = NULL;
		if (!set)
			return -ENOMEM;
		record_get(p->value[i], record, &v);
		set->live = true;
		if (v.type == VALUE_COUNT)
			set->value += v.count;
	}
	return 0;
}

/* The first snapshot's sets begin with what was counted before it. */
static int add_first(struct output *o, const struct record *record)
{
	struct record total = *record;

	total.delta = total.sum;
	return add_sample(o, &total);
}

static void put_head(struct output *o, const char *name, const char *type, const char *help)
{
	fprintf(o->file, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_family(struct output *o, const struct family *family, struct set_list *list)
{
	size_t i, kept = 0;

	for (i = 0; i < list->n; i++) {
		struct label_set *set = &list->set[i];

		if (!set->live) {
			free(set->labels);
			continue;
		}
		if (!kept)
			put_head(o, family->name, "counter", family->help);
		fprintf(o->file, "%s%s%s%s %" PRIu64 "\n", family->name, set->labels[0] ? "{" : "",
			set->labels, set->labels[0] ? "}" : "", set->value);
		set->live = false;
		list->set[kept++] = *set;
	}
	list->n = kept;
}

static void put_tracepoints(struct output *o, const struct snapshot *s,
			    const struct tp_family *family)
{
	enum tp_metric metric = family->metric;
	int i;

	put_head(o, family->name, family->type, family->help);
	for (i = 0; i < TP_COUNT; i++) {
		const struct tp_count *tp = &s->tp[i];
		uint64_t n = metric == TP_IS_ON    ? tp->state == TP_ON
			     : metric == TP_EVENTS ? tp->events
			     : metric == TP_MISSED ? tp->missed
						   : tp->overflow;

		if (!tp->name[0])
			continue;
		/* never attached: nothing is known, not zero */
		if (metric != TP_IS_ON && !n && (tp->state == TP_MISSING || tp->state == TP_FAILED))
			continue;
		fprintf(o->file, "%s{tracepoint=\"%s\"} %" PRIu64 "\n", family->name, tp->name, n);
	}
}

int out_prometheus_snapshot(struct output *o, const struct rates *r, bool last)
{
	struct prometheus *p;
	size_t i;
	int err = o->state ? 0 : open_prometheus(o);

	if (!err)
		err = output_each_sample(o, r, true, o->first ? add_first : add_sample);
	if (err)
		return err;
	p = o->state;
	put_head(o, build_info, "gauge", build_info_help);
	fprintf(o->file, "%s{version=\"%s\"} 1\n", build_info, o->host->version);
	for (i = 0; i < N_TP_FAMILIES; i++)
		put_tracepoints(o, r->to, &tp_families[i]);
	for (i = 0; i < N_FAMILIES; i++)
		put_family(o, &families[i], &p->list[i]);
	return ferror(o->file) ? -EIO : 0;
}

const char *out_prometheus_metric(size_t i, char *label_names, size_t size, const char **help)
{
	size_t k, len = 0;

	label_names[0] = '\0';
	if (!i--) {
		snprintf(label_names, size, "version");
		*help = build_info_help;
		return build_info;
	}
	if (i < N_TP_FAMILIES) {
		snprintf(label_names, size, "tracepoint");
		*help = tp_families[i].help;
		return tp_families[i].name;
	}
	i -= N_TP_FAMILIES;
	if (i >= N_FAMILIES)
		return NULL;
	for (k = 0; k < N_LABELS && len < size; k++) {
		if (families[i].labels & labels[k].bit)
			len += (size_t)snprintf(label_names + len, size - len, "%s%s",
						len ? " " : "", labels[k].name);
	}
	*help = families[i].help;
	return families[i].name;
}

void out_prometheus_free(struct output *o)
{
	struct prometheus *p = o->state;
	size_t i, j;

	if (!p)
		return;
	for (i = 0; i < N_FAMILIES; i++) {
		for (j = 0; j < p->list[i].n; j++)
			free(p->list[i].set[j].labels);
		free(p->list[i].set);
	}
	free(p->text);
	free(p);
	o->state = NULL;
}
