// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prometheus text format 0.0.4. Labels are names, so two series can have the same ones (a device
 * created again, a program loaded again). Counters are kept per set of labels and only grow, while
 * the series come and go. A set is removed with its last series.
 */
#include <errno.h>
#include <inttypes.h>
#include "base/hash.h"
#include "output/output.h"
#include "source/data_source.h"

/* The labels of a finding. Other bits are in struct tracepoint.has and src/source/data_source.h. */
#define LABEL_FINDING (1u << 18)

/*
 * A label and the field with its value. If that is null, `other` is used, as the label `other_name`
 * because a number is not a name; NULL = the same label.
 */
static const struct label {
	uint32_t has; /* any of these bits */
	const char *name, *field, *other, *other_name;
} labels[] = {
	{ LABEL_FINDING, "code", "code", NULL, NULL },
	{ LABEL_FINDING, "severity", "severity", NULL, NULL },
	{ HAS_DEVICE | LABEL_FINDING, "device", "ifname", "ifindex", NULL },
	{ HAS_TO_DEVICE | LABEL_FINDING, "to_device", "to_ifname", "to_ifindex", "to_ifindex" },
	{ HAS_DEVICE | HAS_NETNS | LABEL_FINDING, "netns", "netns_name", "netns", NULL },
	{ HAS_DEVICE | HAS_NETNS | LABEL_FINDING, "namespace", "namespace", NULL, NULL },
	{ HAS_DEVICE | HAS_NETNS | LABEL_FINDING, "pod", "pod", "container", "container" },
	{ HAS_TO_DEVICE | LABEL_FINDING, "to_namespace", "to_namespace", NULL, NULL },
	{ HAS_TO_DEVICE | LABEL_FINDING, "to_pod", "to_pod", "to_container", "to_container" },
	{ HAS_PROG, "prog", "prog_name", "prog_id", NULL },
	{ HAS_ACT, "act", "act", NULL, NULL },
	{ HAS_ERR, "errno", "errname", "err", NULL },
	{ HAS_TO_CPU, "to_cpu", "to_cpu", NULL, NULL },
	{ HAS_MAP | LABEL_MAP, "map_id", "map_id", NULL, NULL },
	{ LABEL_MAP, "map", "map_name", NULL, NULL },
	{ LABEL_MAP, "map_type", "map_type", NULL, NULL },
	{ LABEL_QUEUE | LABEL_FINDING, "queue", "queue", NULL, NULL },
	{ LABEL_CPU, "cpu", "cpu", NULL, NULL },
};
#define N_LABELS (sizeof(labels) / sizeof(labels[0]))

static const struct tp_metric finding_metric = {
	"xdptop_finding_active", "1 while the finding is active, and absent once it has cleared.",
	NULL
};

/* Metrics of a tracepoint itself: its state, and counters of struct tp_count. */
static const struct tp_family {
	const char *name, *type;
	size_t value; /* offset of the counter; 0 = whether it is on */
	const char *help;
} tp_families[] = {
	{ "xdptop_tracepoint_on", "gauge", 0, "Whether the tracepoint is counted now." },
	{ "xdptop_events_total", "counter", offsetof(struct tp_count, events),
	  "Events of the tracepoint." },
	{ "xdptop_missed_total", "counter", offsetof(struct tp_count, missed),
	  "Events that were not counted because they fired while the program ran on that CPU." },
	{ "xdptop_overflow_total", "counter", offsetof(struct tp_count, overflow),
	  "Events counted without device, program and target because the table was full." },
};
#define N_TP_FAMILIES (sizeof(tp_families) / sizeof(tp_families[0]))

static const char build_info[] = "xdptop_build_info";
static const char build_info_help[] = "Always 1, with the version in a label.";

#define LABELS_LEN 4096 /* all of a series, escaped */

struct label_set {
	char *labels; /* as printed, without braces */
	uint64_t value;
	bool live; /* a series of this snapshot has it */
};

/*
 * A metric of struct tracepoint: the sum of a field over the series of these tracepoints. For a
 * data source only the label sets (`set`, n, cap, index) are used.
 */
struct family {
	const struct tp_metric *metric;
	uint32_t tracepoints;
	uint32_t labels;
	const struct record_field *value; /* looked up once */
	struct label_set *set;            /* ascending by labels between snapshots */
	size_t n, cap;
	struct hash_index index; /* of the sets, by labels */
};

#define FAMILIES_MAX        (TP_COUNT * 4)
#define SOURCE_FAMILIES_MAX 64

/* The fields of each label in an object, looked up once. */
struct label_fields {
	const struct record_field *field[N_LABELS], *other[N_LABELS];
};

struct prometheus {
	struct output_rows rows; /* the findings that match the filter */
	struct family family[FAMILIES_MAX];
	size_t n_families;
	struct family findings;
	struct family of_source[SOURCE_FAMILIES_MAX]; /* numbered as in source_metric() */
	struct label_fields of_sample, of_finding, of_row[DATA_SOURCE_COUNT];
};

/* Lists the metrics of all tracepoints, in their order. Returns how many. */
static size_t list_families(struct family *family)
{
	size_t n = 0;

	for (uint32_t tp = 0; tp < TP_COUNT; tp++) {
		const struct tp_metric *metric = tracepoints[tp].metrics;

		for (; metric && metric->name; metric++) {
			size_t i = 0;

			while (i < n && family[i].metric != metric)
				i++;
			if (i == FAMILIES_MAX)
				break;
			n = i < n ? n : n + 1;
			family[i].metric = metric;
			family[i].tracepoints |= BIT(tp);
			family[i].labels |= tracepoints[tp].metric_labels;
		}
	}
	return n;
}

static void find_fields(struct label_fields *to, const struct record_object *object)
{
	for (size_t i = 0; i < N_LABELS; i++) {
		to->field[i] = record_find(object, labels[i].field);
		to->other[i] = labels[i].other ? record_find(object, labels[i].other) : NULL;
	}
}

static void open_prometheus(struct output *o)
{
	const struct record_object *sample = &record_objects[RECORD_SAMPLE];
	struct prometheus *p = output_rows_open(o, sizeof(*p));

	find_fields(&p->of_sample, sample);
	find_fields(&p->of_finding, &finding_record);
	p->n_families = list_families(p->family);
	for (size_t i = 0; i < p->n_families; i++)
		p->family[i].value = record_find(sample, p->family[i].metric->field);
	for (int i = 0; i < DATA_SOURCE_COUNT; i++)
		if (data_sources[i]->metrics)
			find_fields(&p->of_row[i], data_sources[i]->record);
	p->findings.metric = &finding_metric;
}

/* Appends NAME="VALUE" as far as it fits. */
static void add_label(char *buf, size_t size, const char *name, const char *value)
{
	size_t len = strlen(buf);

	len += (size_t)snprintf(buf + len, size - len, "%s%s=\"", len ? "," : "", name);
	for (; *value && len + 4 <= size; value++) {
		if (strchr("\\\"\n", *value))
			buf[len++] = '\\';
		buf[len++] = *value == '\n' ? 'n' : *value;
	}
	if (len < size)
		snprintf(buf + len, size - len, "\"");
}

/*
 * The labels of a record. Unknown ones are omitted, because for Prometheus that is the same as
 * empty.
 */
static void make_labels(const struct label_fields *fields, uint32_t wanted,
			const struct record *record, char *buf, size_t size)
{
	char number[RECORD_NUMBER_LEN];
	struct record_value v;

	buf[0] = '\0';
	for (size_t i = 0; i < N_LABELS; i++) {
		const char *name = labels[i].name;

		if (!(wanted & labels[i].has))
			continue;
		record_get(fields->field[i], record, &v);
		if (v.type == VALUE_NULL && fields->other[i]) {
			record_get(fields->other[i], record, &v);
			name = labels[i].other_name ?: name;
		}
		if (v.type != VALUE_NULL)
			add_label(buf, size, name, record_text(&v, number, sizeof(number)));
	}
}

static uint32_t hash_labels(const char *text)
{
	return (uint32_t)hash_add_text(hash_seed(), text);
}

/* Finds or adds the set with these labels. */
static struct label_set *find_set(struct family *f, const char *text)
{
	uint32_t hash = hash_labels(text);
	size_t at = hash_index_find(&f->index, hash, i, !strcmp(f->set[i].labels, text));
	struct label_set *set;

	if (at != HASH_INDEX_NONE)
		return &f->set[at];
	set = array_append(f->set, f->n, f->cap);
	set->labels = memory_text(text);
	hash_index_add(&f->index, hash, f->n - 1);
	return set;
}

static int add_sample(struct output *o, const struct record *record)
{
	struct prometheus *p = o->state;
	char text[LABELS_LEN];
	struct label_set *set;
	struct record_value v;

	/* with -C only CPU rows, because their sum would count the same again */
	if (o->config->per_cpu && record->cpu < 0)
		return 0;
	for (size_t i = 0; i < p->n_families; i++) {
		struct family *family = &p->family[i];

		if (!(family->tracepoints & BIT(record->tracepoint)))
			continue;
		make_labels(&p->of_sample, family->labels | LABEL_CPU, record, text, sizeof(text));
		set = find_set(family, text);
		record_get(family->value, record, &v);
		set->live = true;
		if (v.type == VALUE_COUNT)
			set->value += v.count;
	}
	return 0;
}

/* The first snapshot has no deltas, so its totals are added. */
static int add_first(struct output *o, const struct record *record)
{
	struct record total = *record;

	total.delta = total.sum;
	return add_sample(o, &total);
}

/* Findings with the same labels, for example of two programs, become one. */
static int add_findings(struct output *o, const struct rates *r)
{
	struct prometheus *p = o->state;
	struct table_options wanted = output_rows_options(o, &views[VIEW_FINDINGS], -1);
	struct record record;
	struct label_set *set;
	int err = table_build(&p->rows.table, r, &wanted);

	record_init_row(&record, &finding_record);
	for (size_t i = 0; i < p->rows.table.n_rows && !err; i++) {
		const struct finding *f = &o->findings->finding[p->rows.table.row[i].item];
		char text[LABELS_LEN];

		if (!f->active)
			continue;
		output_set_finding(o, &record, r->to, f);
		make_labels(&p->of_finding, LABEL_FINDING, &record, text, sizeof(text));
		set = find_set(&p->findings, text);
		set->value = 1;
		set->live = true;
	}
	return err;
}

/* In OpenMetrics a counter's family is its name without _total, which every counter here has. */
static void put_head(struct output *o, const char *name, const char *type, const char *help)
{
	bool bare = o->open_metrics && !strcmp(type, "counter");
	int len = (int)(strlen(name) - (bare ? strlen("_total") : 0));

	fprintf(o->file, "# HELP %.*s %s\n# TYPE %.*s %s\n", len, name, help, len, name, type);
}

static void put_value(struct output *o, const char *name, const char *set, uint64_t value)
{
	fprintf(o->file, *set ? "%s{%s} %" PRIu64 "\n" : "%s%s %" PRIu64 "\n", name, set, value);
}

COMPARE(by_labels, struct label_set, strcmp(x->labels, y->labels))

/* Removes the sets without a series in this snapshot, and sorts the others. */
static void sweep_family(struct family *family)
{
	size_t kept = 0;

	for (size_t i = 0; i < family->n; i++) {
		struct label_set *set = &family->set[i];

		if (!set->live) {
			free(set->labels);
			continue;
		}
		set->live = false;
		family->set[kept++] = *set;
	}
	if (!array_sort(family->set, kept, sizeof(*family->set), by_labels) && kept == family->n)
		return;
	family->n = kept;
	hash_index_clear(&family->index);
	for (size_t i = 0; i < kept; i++)
		hash_index_add(&family->index, hash_labels(family->set[i].labels), i);
}

static void put_family(struct output *o, const struct family *family, const char *name,
		       const char *type, const char *help)
{
	if (family->n)
		put_head(o, name, type, help);
	for (size_t i = 0; i < family->n; i++)
		put_value(o, name, family->set[i].labels, family->set[i].value);
}

static void put_tracepoints(struct output *o, const struct snapshot *s,
			    const struct tp_family *family)
{
	put_head(o, family->name, family->type, family->help);
	for (int i = 0; i < TP_COUNT; i++) {
		const struct tp_count *tp = &s->tp[i];
		uint64_t n = tp->state == TP_ON;
		char label[LABELS_LEN] = "";

		if (!tp->name[0])
			continue;
		if (family->value)
			memcpy(&n, (const char *)tp + family->value, sizeof(n));
		/* never attached: unknown, not zero */
		if (family->value && !n && (tp->state == TP_MISSING || tp->state == TP_FAILED))
			continue;
		add_label(label, sizeof(label), "tracepoint", tp->name);
		put_value(o, family->name, label, n);
	}
}

/* Metric i of all data sources, NULL = no more; *id is its source. */
static const struct data_source_metric *source_metric(size_t i, enum data_source_id *id)
{
	for (int k = 0; k < DATA_SOURCE_COUNT && i < SOURCE_FAMILIES_MAX; k++) {
		const struct data_source_metric *metric = data_sources[k]->metrics;

		*id = (enum data_source_id)k;
		for (; metric && metric->name; metric++)
			if (!i--)
				return metric;
	}
	return NULL;
}

static uint64_t counter_of(const void *row, const struct data_source_metric *metric)
{
	uint64_t n;

	memcpy(&n, (const char *)row + metric->counter, sizeof(n));
	return n;
}

/* Adds a row's counter to the family; `before`: the row in the previous snapshot, or NULL. */
static void add_counter(struct output *o, struct family *family, const struct data_source *source,
			const struct data_source_metric *metric, const void *row,
			const void *before, const char *text)
{
	struct label_set *set = find_set(family, text);
	uint64_t now = counter_of(row, metric), was;

	set->live = true;
	if (source->totals ||
	    metric->counter - source->shared_counters < source->n_shared * sizeof(uint64_t)) {
		set->value = now;
		return;
	}
	was = before && !o->first ? counter_of(before, metric) : 0;
	set->value += now > was ? now - was : 0;
}

/* Adds the counters of a source's rows, which can appear and disappear between snapshots. `family`
 * is the family of the source's first metric. */
static int add_rows(struct output *o, const struct rates *r, enum data_source_id id,
		    struct family *family)
{
	const struct data_source *source = data_sources[id];
	struct prometheus *p = o->state;
	uint32_t wanted = source->metric_labels & ~(o->config->per_cpu ? 0u : LABEL_CPU);
	struct record record;
	size_t n;
	const char *row = data_source_rows(r->to, id, &n);

	record_init_row(&record, source->record);
	record.rates = r;
	for (; n; n--, row += source->row_size) {
		const void *before = data_source_row(r->from, id, row);
		char text[LABELS_LEN];

		if (rates_cancelled(r))
			return -ECANCELED;
		record.row = row;
		output_set_row(o, &record, r->to, source);
		make_labels(&p->of_row[id], wanted, &record, text, sizeof(text));
		for (size_t i = 0; source->metrics[i].name; i++)
			if (!source->has_metric || source->has_metric(row, &source->metrics[i]))
				add_counter(o, &family[i], source, &source->metrics[i], row, before,
					    text);
	}
	return 0;
}

static int prometheus_snapshot(struct output *o, const struct rates *r, bool last)
{
	enum data_source_id id;
	struct prometheus *p;
	int err;

	if (!o->state)
		open_prometheus(o);
	err = output_each_sample(o, r, true, o->first ? add_first : add_sample);
	if (!err)
		err = add_findings(o, r);
	if (err)
		return err;
	p = o->state;
	for (size_t i = 0; !err && source_metric(i, &id); i++)
		if (source_metric(i, &id) == data_sources[id]->metrics)
			err = add_rows(o, r, id, &p->of_source[i]);
	if (err)
		return err;
	sweep_family(&p->findings);
	for (size_t i = 0; i < p->n_families; i++)
		sweep_family(&p->family[i]);
	for (size_t i = 0; source_metric(i, &id); i++)
		sweep_family(&p->of_source[i]);
	return 0;
}

static int prometheus_print(struct output *o, const struct snapshot *last)
{
	const struct prometheus *p = o->state;
	const struct data_source_metric *metric;
	enum data_source_id id;
	char version[LABELS_LEN] = "";

	put_head(o, build_info, "gauge", build_info_help);
	add_label(version, sizeof(version), "version", o->host->version);
	put_value(o, build_info, version, 1);
	put_family(o, &p->findings, finding_metric.name, "gauge", finding_metric.help);
	for (size_t i = 0; i < N_TP_FAMILIES; i++)
		put_tracepoints(o, last, &tp_families[i]);
	for (size_t i = 0; i < p->n_families; i++)
		put_family(o, &p->family[i], p->family[i].metric->name, "counter",
			   p->family[i].metric->help);
	for (size_t i = 0; (metric = source_metric(i, &id)); i++)
		put_family(o, &p->of_source[i], metric->name,
			   data_sources[id]->gauges ? "gauge" : "counter", metric->help);
	if (o->open_metrics)
		fputs("# EOF\n", o->file);
	return ferror(o->file) ? -EIO : 0;
}

static void list_labels(uint32_t wanted, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < N_LABELS && len < size; i++)
		if (wanted & labels[i].has)
			len += (size_t)snprintf(buf + len, size - len, "%s%s%s%s", len ? " " : "",
						labels[i].name, labels[i].other_name ? " " : "",
						labels[i].other_name ?: "");
}

static const char *prometheus_metric(size_t i, char *label_names, size_t size, const char **help)
{
	struct family families[FAMILIES_MAX] = { 0 };
	const struct data_source_metric *metric;
	size_t n;
	enum data_source_id id;

	if (!i--) {
		snprintf(label_names, size, "version");
		*help = build_info_help;
		return build_info;
	}
	if (!i--) {
		list_labels(LABEL_FINDING, label_names, size);
		*help = finding_metric.help;
		return finding_metric.name;
	}
	if (i < N_TP_FAMILIES) {
		snprintf(label_names, size, "tracepoint");
		*help = tp_families[i].help;
		return tp_families[i].name;
	}
	i -= N_TP_FAMILIES;
	n = list_families(families);
	if (i >= n) {
		metric = source_metric(i - n, &id);
		if (!metric)
			return NULL;
		list_labels(data_sources[id]->metric_labels, label_names, size);
		*help = metric->help;
		return metric->name;
	}
	list_labels(families[i].labels, label_names, size);
	*help = families[i].metric->help;
	return families[i].metric->name;
}

static void free_sets(struct family *family)
{
	for (size_t i = 0; i < family->n; i++)
		free(family->set[i].labels);
	free(family->set);
	hash_index_free(&family->index);
}

static void prometheus_free(struct output *o)
{
	struct prometheus *p = o->state;

	if (!p)
		return;
	for (size_t i = 0; i < p->n_families; i++)
		free_sets(&p->family[i]);
	free_sets(&p->findings);
	for (size_t i = 0; i < SOURCE_FAMILIES_MAX; i++)
		free_sets(&p->of_source[i]);
	output_rows_free(o);
}

const struct output_format output_prometheus = {
	.name = "prometheus",
	.help = "counters since the start, and active findings (with --to, for node_exporter's "
		"textfile collector)",
	.snapshot = prometheus_snapshot,
	.print = prometheus_print,
	.free = prometheus_free,
	.metric = prometheus_metric,
	.whole_file = true,
};
