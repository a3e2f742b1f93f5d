// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of src/schema/record.h, with the getters and setters of the fields. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/format.h"
#include "base/privilege.h"
#include "model/finding.h"
#include "model/followed.h"
#include "schema/record_field.h"

#define GET(fn) static FIELD_GET(fn)
#define SET(fn) static FIELD_SET(fn)

/* The tracepoint object. */

/* A tracepoint that was never attached counted nothing: unknown, not zero. */
static bool was_attached(const struct record *r)
{
	return (r->tp.state != TP_MISSING && r->tp.state != TP_FAILED) || r->tp.events;
}

GET_IF(get_tp_count, was_attached(r), field_get_u64)

/* a cost: negative = unknown */
GET_IF(get_tp_cost, was_attached(r) && *(const double *)field_member(f, r) >= 0, field_get_real)

/* Off on purpose: its count is then 0, not unknown. */
static bool is_off(const struct record *r)
{
	return r->tp.state == TP_OFF || r->tp.state == TP_SHED;
}

GET(get_tp_rate)
{
	if (r->seconds > 0)
		field_give_real(v, per_second(r->tp_events, r->seconds));
	else if (is_off(r))
		field_give_real(v, 0);
}

SET(set_tp_rate)
{
	/* only says whether it was attached; sample rows or the clock have the time */
	if (v->real > 0)
		r->seconds = (double)r->tp_events / v->real;
	else
		r->seconds = is_off(r) ? 0 : INFINITY;
	return v->real >= 0;
}

/* The sample object. */

static bool is_cpu_target(const struct record *r)
{
	uint16_t has = tracepoints[r->tracepoint].has;

	return r->series.key.map_type == SERIES_MAP_CPUMAP ||
	       ((has & HAS_TO_CPU) && !(has & HAS_TO_DEVICE));
}

static bool is_index_target(const struct record *r)
{
	return r->series.key.map_type == SERIES_MAP_XSKMAP ||
	       r->series.key.map_type == SERIES_MAP_UNKNOWN;
}

GET_COUNT(get_to_ifindex, r->series.key.target && !is_cpu_target(r) && !is_index_target(r),
	  r->series.key.target)
GET_COUNT(get_to_cpu, is_cpu_target(r), r->series.key.target)
GET_COUNT(get_map_index, is_index_target(r), r->series.key.target)
GET_IF(get_map_id, r->series.key.map_id != SERIES_MAP_ID_IFINDEX, field_get_id)

GET(get_act)
{
	const struct tracepoint *tp = &tracepoints[r->tracepoint];

	if (tp->act >= 0)
		field_give_text(v, act_name(tp->act, v->buf, sizeof(v->buf)));
	else if ((tp->has & HAS_ACT) && !r->series.overflow)
		field_give_text(v, act_name(r->series.key.code, v->buf, sizeof(v->buf)));
}

SET(set_act)
{
	if (!(tracepoints[r->tracepoint].has & HAS_ACT))
		return true;
	r->series.key.code = act_find(v->text);
	/* -1 is also an action, if a program returned it */
	return r->series.key.code != -1 || !strncmp(v->text, "UNKNOWN(", 8);
}

GET(get_err)
{
	field_give_integer(v, r->series.key.code);
}

SET(set_err)
{
	r->series.key.code = (int32_t)v->integer;
	return v->integer >= INT32_MIN && v->integer <= INT32_MAX;
}

GET_TEXT(get_errname, r->series.key.code ? errno_name(r->series.key.code) : NULL)

/* The name decides, because numbers differ between architectures. */
SET(set_errname)
{
	int err = errno_find(v->text);

	if (err > 0)
		r->series.key.code = -err;
	return true;
}

GET(get_packets)
{
	uint64_t n;

	if (series_packets(r->tracepoint, field_member(f, r), &n))
		field_give_count(v, n);
}

SET(set_packets)
{
	struct series_counters *c = (struct series_counters *)field_member(f, r);

	if (tracepoints[r->tracepoint].packets >= COUNT_COUNTER)
		c->packets = v->count;
	return true;
}

GET(get_drops)
{
	uint64_t n;

	if (series_drops(r->tracepoint, field_member(f, r), &n))
		field_give_count(v, n);
}

SET(set_drops)
{
	struct series_counters *c = (struct series_counters *)field_member(f, r);

	if (tracepoints[r->tracepoint].drops == COUNT_COUNTER)
		c->drops = v->count;
	return true;
}

/* Rates: the field's count in the interval, divided by the time its tracepoint was attached. */
static void to_rate(const struct record *r, struct record_value *v)
{
	if (v->type == VALUE_COUNT && r->seconds > 0)
		field_give_real(v, per_second(v->count, r->seconds));
	else
		v->type = VALUE_NULL;
}

GET(get_count_rate)
{
	field_get_u64(f, r, v);
	to_rate(r, v);
}

GET(get_packets_rate)
{
	get_packets(f, r, v);
	to_rate(r, v);
}

GET(get_drops_rate)
{
	get_drops(f, r, v);
	to_rate(r, v);
}

GET(get_caps)
{
	const uint64_t *caps = (const void *)((const char *)r + f->offset);

	field_give_text(v, capability_names(*caps, "CAP_", ",", v->buf, sizeof(v->buf)));
}

SET(set_caps)
{
	*(uint64_t *)((char *)r + f->offset) = capability_names_find(v->text);
	return true;
}

GET_TEXT(get_refused, refusals_give(r->host.refused, v->buf, sizeof(v->buf)))

SET(set_refused)
{
	refusals_take(r->host.refused, v->text);
	return true;
}

/* The event object. */

GET(get_event_time)
{
	(r->is_followed ? format_time_ns : format_time)(v->buf, sizeof(v->buf),
							&r->followed.event.time);
	field_give_text(v, v->buf);
}

GET(get_follow)
{
	if (r->is_followed)
		field_give_text(v, r->followed.kind == FOLLOWED_LOST ? "lost" : "event");
}

GET_IF(get_event_netns_name, r->is_followed || r->followed.event.change, field_get_text)

SET(set_follow)
{
	r->is_followed = true;
	r->followed.kind = strcmp(v->text, "lost") ? FOLLOWED_EVENT : FOLLOWED_LOST;
	return r->followed.kind == FOLLOWED_LOST || !strcmp(v->text, "event");
}

/* Index in arg[] of the tracepoint's argument with this name; -1 = none. */
static int argument_index(const struct record_field *f, const struct record *r)
{
	const struct followed_field *argument = followed_fields(r->tracepoint);

	while (argument->name && strcmp(argument->name, f->name))
		argument++;
	return argument->name ? argument->arg - 1 : -1;
}

GET(get_argument)
{
	int index = argument_index(f, r);

	if (r->is_followed && index >= 0 && r->followed.known & BIT(index))
		field_give_count(v, r->followed.arg[index]);
}

SET(set_argument)
{
	int index = argument_index(f, r);

	if (r->is_followed && index >= 0) {
		r->followed.known |= BIT(index);
		r->followed.arg[index] = v->count;
	}
	return true;
}

GET_TEXT(get_change, r->followed.event.change ? change_words[r->followed.event.change].name : NULL)

SET(set_change)
{
	r->followed.event.change = change_find(v->text);
	return r->followed.event.change != CHANGE_NONE;
}

/* The map's key, which is also the target unless that is a device. bpf_redirect() has none. */
GET(get_event_map_index)
{
	if (r->followed.event.change && r->series.key.map_id) {
		field_give_count(v, r->series.key.target);
		return;
	}
	if (r->series.key.map_id != SERIES_MAP_ID_IFINDEX)
		get_argument(f, r, v);
	if (v->type == VALUE_NULL)
		get_map_index(f, r, v);
}

SET(set_event_map_index)
{
	const struct series_key *key = &r->series.key;

	set_argument(f, r, v);
	/* SERIES_MAP_UNKNOWN is written as null; its target is the map index */
	if (r->followed.event.change || is_index_target(r) ||
	    (!key->map_type && key->map_id && !key->target))
		r->series.key.target = (uint32_t)v->count;
	return v->count <= UINT32_MAX;
}

/* A refused attach has an errno if an fexit program reported it. */
#define HAS_EVENT_ERR (tracepoints[r->tracepoint].has & HAS_ERR || r->series.key.code < 0)

GET_IF(get_event_err, HAS_EVENT_ERR, get_err)
GET_IF(get_event_errname, HAS_EVENT_ERR, get_errname)
GET_COUNT(get_event_queue, r->followed.event.has_queue, r->followed.event.queue)

SET(set_event_queue)
{
	r->followed.event.has_queue = true;
	r->followed.event.queue = (uint32_t)v->count;
	return v->count <= UINT32_MAX;
}

/* The --list object. */

GET(get_key)
{
	v->buf[0] = tracepoints[r->tracepoint].key;
	v->buf[1] = '\0';
	field_give_text(v, v->buf);
}

GET_TEXT(get_default, tracepoints[r->tracepoint].on ? "on" : "off")
GET_TEXT(get_fires, tracepoints[r->tracepoint].fires)
GET_TEXT(get_what, tracepoints[r->tracepoint].what)

#define MAP_TYPE \
	RECORD_FIELD(TEXT, map_type, field_set_map_type, "map_type", HAS_MAP, series.key.map_type)
#define RATE(n, h, g, m)  FIELD(n, REAL, h, g, NULL, MEMBER(m))
#define TARGET(n, h, g)   FIELD(n, COUNT, h, g, field_set_u32, MEMBER(series.key.target))
#define TP_COUNT_OF(n, m) FIELD(n, COUNT, 0, get_tp_count, field_set_u64, MEMBER(m))
#define ARGUMENT(n)       FIELD(n, COUNT, 0, get_argument, set_argument, OPTIONAL)
#define PACKETS(n, m)     FIELD(n, COUNT, 0, get_packets, set_packets, MEMBER(m))
#define PROCESS(n, i)                                                                       \
	FIELD_ID(n "_pid", 0, host.process[i].pid, OPTIONAL),                               \
		FIELD(n "_caps", TEXT, 0, get_caps, set_caps, MEMBER(host.process[i].caps), \
		      OPTIONAL)
#define DROPS(n, m)       FIELD(n, COUNT, 0, get_drops, set_drops, MEMBER(m))
#define KNOWN_COUNT(n, m) FIELD_COUNT(n, 0, m, KNOWN_BY(struct record, m), OPTIONAL)

/* Programs depend on names and order. clang-format would pull the tables apart. */
/* clang-format off */

static const struct record_field header_fields[] = {
	FIELD_TYPE,
	FIELD_COUNT("schema", 0, schema),
	FIELD_TEXT("version", 0, host.version),
	FIELD_TEXT("hostname", 0, host.hostname),
	FIELD_TEXT("kernel", 0, host.kernel),
	FIELD_TIME(host.start),
	FIELD_NUMBER("cpus_possible", host.cpus_possible),
	FIELD_NUMBER("cpus_online", host.cpus_online),
	FIELD_TEXT("backend", 0, host.backend),
	FIELD_REAL("delay_s", field_get_real, host.delay_s),
	FIELD_NAME("devices", MEMBER(host.devices), NAMES(netdev_coverages)),
	FIELD_COUNT("namespaces_left_out", 0, host.netns_unreadable),
	FIELD_COUNT("devices_left_out", 0, host.netdevs_left_out),
	FIELD_ID("page_size", 0, host.page_size),
	PROCESS("verdicts", PROCESS_VERDICTS),
	PROCESS("later_namespaces", PROCESS_LATER),
	FIELD("refused", TEXT, 0, get_refused, set_refused, OPTIONAL),
	FIELD_TEXT("boot_id", 0, host.boot_id, OPTIONAL),
	KNOWN_COUNT("monotonic_ns", host.mono_ns),
	KNOWN_COUNT("started_ns", host.started_ns),
	KNOWN_COUNT("snapshots_left_out", host.snapshots_left_out),
};

static const struct record_field tracepoint_fields[] = {
	FIELDS_OF_SNAPSHOT,
	FIELD_TEXT("tracepoint", 0, tp.name),
	FIELD_NAME("state", MEMBER(tp.state), NAMES(tp_states)),
	FIELD_TEXT("reason", 0, tp.reason),
	TP_COUNT_OF("events", tp_events),
	TP_COUNT_OF("events_total", tp.events),
	FIELD("events_per_s", REAL, 0, get_tp_rate, set_tp_rate),
	TP_COUNT_OF("missed_total", tp.missed),
	TP_COUNT_OF("overflow_total", tp.overflow),
	FIELD_REAL("ns_per_event", get_tp_cost, tp.ns_per_event),
	FIELD_REAL("cpu_percent", get_tp_cost, tp.cpu_percent),
	TP_COUNT_OF("events_lost_total", tp.events_lost),
};

static const struct record_field sample_fields[] = {
	FIELDS_OF_SNAPSHOT,
	FIELD_REAL("interval_s", field_get_real, seconds),
	FIELD_TEXT("tracepoint", 0, tp.name),
	FIELD_ID("netns", HAS_DEVICE | HAS_NETNS, series.key.netns),
	FIELD_TEXT("netns_name", HAS_DEVICE | HAS_NETNS, netns_name),
	FIELD_ID("ifindex", HAS_DEVICE, series.key.ifindex),
	FIELD_TEXT("ifname", HAS_DEVICE, series.ifname),
	FIELD_ID("to_netns", HAS_TO_DEVICE, series.key.to_netns),
	TARGET("to_ifindex", HAS_TO_DEVICE, get_to_ifindex),
	FIELD_TEXT("to_ifname", HAS_TO_DEVICE, series.to_ifname),
	TARGET("to_cpu", HAS_TO_CPU, get_to_cpu),
	FIELD_ID("prog_id", HAS_PROG, series.key.prog_id),
	FIELD_TEXT("prog_name", HAS_PROG, series.prog_name),
	MAP_TYPE,
	FIELD("map_id", COUNT, HAS_MAP, get_map_id, field_set_u32, MEMBER(series.key.map_id)),
	TARGET("map_index", HAS_MAP, get_map_index),
	FIELD("act", TEXT, 0, get_act, set_act),
	FIELD("err", INTEGER, HAS_ERR, get_err, set_err),
	FIELD("errname", TEXT, HAS_ERR, get_errname, set_errname),
	FIELD_CPU(cpu),
	FIELD_COUNT("events", 0, delta.events),
	PACKETS("packets", delta),
	DROPS("drops", delta),
	FIELD_COUNT("bytes", HAS_BYTES, delta.bytes),
	FIELD_COUNT("sched", HAS_KTHREAD, delta.sched),
	FIELD_COUNT("xdp_pass", HAS_KTHREAD, delta.xdp_pass),
	FIELD_COUNT("xdp_drop", HAS_KTHREAD, delta.xdp_drop),
	FIELD_COUNT("xdp_redirect", HAS_KTHREAD, delta.xdp_redirect),
	FIELD_COUNT("events_total", 0, sum.events),
	PACKETS("packets_total", sum),
	DROPS("drops_total", sum),
	FIELD_COUNT("bytes_total", HAS_BYTES, sum.bytes),
	RATE("events_per_s", 0, get_count_rate, delta.events),
	RATE("packets_per_s", 0, get_packets_rate, delta),
	RATE("drops_per_s", 0, get_drops_rate, delta),
	RATE("bytes_per_s", HAS_BYTES, get_count_rate, delta.bytes),
	/* last, so that the columns of CSV keep their places */
	FIELD_TEXT("map_name", HAS_MAP, series.map_name),
	FIELD_ID("to_prog_id", HAS_TO_DEVICE, series.to_prog_id),
	FIELD_CUT_TEXT("to_prog_name", HAS_TO_DEVICE, series.to_prog_name),
	FIELD_POD("", HAS_DEVICE | HAS_NETNS, pod),
	FIELD_POD("to_", HAS_TO_DEVICE, to_pod),
};

static const struct record_field event_fields[] = {
	FIELD_TYPE,
	FIELD("time", TEXT, 0, get_event_time, field_set_time, MEMBER(followed.event.time)),
	FIELD_TEXT("tracepoint", 0, tp.name),
	FIELD_CPU(followed.event.cpu),
	FIELD_ID("netns", 0, series.key.netns),
	FIELD_ID("ifindex", 0, series.key.ifindex),
	FIELD_TEXT("ifname", 0, followed.event.ifname),
	FIELD_ID("prog_id", 0, series.key.prog_id),
	FIELD_TEXT("prog_name", 0, followed.event.prog_name),
	FIELD_ID("pid", 0, followed.event.pid),
	FIELD_TEXT("comm", 0, followed.event.comm),
	FIELD_TEXT("text", 0, followed.event.text),
	FIELD_COUNT("left_out", 0, followed.event.left_out),
	/* before map_index, which depends on it */
	FIELD("change", TEXT, 0, get_change, set_change, OPTIONAL),
	FIELD_CUT_TEXT("old", 0, followed.event.old_value, OPTIONAL),
	FIELD_CUT_TEXT("new", 0, followed.event.new_value, OPTIONAL),
	FIELD_CUT_TEXT("holder", 0, followed.event.holder, OPTIONAL),
	/* before the fields that only followed events have */
	FIELD("follow", TEXT, 0, get_follow, set_follow, OPTIONAL),
	FIELD("netns_name", TEXT, 0, get_event_netns_name, field_set_text, MEMBER(netns_name), OPTIONAL),
	FIELD_ID("to_netns", HAS_TO_DEVICE, series.key.to_netns),
	TARGET("to_ifindex", HAS_TO_DEVICE, get_to_ifindex),
	FIELD_TEXT("to_ifname", HAS_TO_DEVICE, followed.event.to_ifname),
	TARGET("to_cpu", HAS_TO_CPU, get_to_cpu),
	MAP_TYPE,
	FIELD("map_id", COUNT, HAS_MAP, get_map_id, field_set_u32, MEMBER(series.key.map_id)),
	FIELD("map_index", COUNT, HAS_MAP, get_event_map_index, set_event_map_index),
	FIELD("act", TEXT, 0, get_act, set_act),
	FIELD("err", INTEGER, 0, get_event_err, set_err),
	FIELD("errname", TEXT, 0, get_event_errname, set_errname),
	FIELD("queue", COUNT, 0, get_event_queue, set_event_queue, OPTIONAL),
	FIELD_POD("", 0, pod),
	FIELD_POD("to_", HAS_TO_DEVICE, to_pod),
	ARGUMENT("sent"),
	ARGUMENT("drops"),
	ARGUMENT("processed"),
	ARGUMENT("sched"),
	ARGUMENT("xdp_pass"),
	ARGUMENT("xdp_drop"),
	ARGUMENT("xdp_redirect"),
	ARGUMENT("len"),
	ARGUMENT("protocol"),
	ARGUMENT("queue_mapping"),
	ARGUMENT("gso_segs"),
	ARGUMENT("mem_id"),
	ARGUMENT("mem_type"),
};

static const struct record_field end_fields[] = {
	FIELDS_OF_SNAPSHOT,
	FIELD_TEXT("reason", 0, reason),
	FIELD_COUNT("missed_total", 0, tp.missed),
	FIELD_COUNT("overflow_total", 0, tp.overflow),
	FIELD_COUNT("events_lost_total", 0, tp.events_lost),
};

static const struct record_field list_fields[] = {
	FIELD_TYPE,
	FIELD_TEXT("tracepoint", 0, tp.name),
	FIELD_NAME("state", MEMBER(tp.state), NAMES(tp_states)),
	FIELD_TEXT("reason", 0, tp.reason),
	FIELD("key", TEXT, 0, get_key, NULL),
	FIELD("default", TEXT, 0, get_default, NULL),
	FIELD("fires", TEXT, 0, get_fires, NULL),
	FIELD("what", TEXT, 0, get_what, NULL),
};

const struct record_object record_objects[RECORD_TYPES] = {
	[RECORD_HEADER] = RECORD_OBJECT("header", header_fields),
	[RECORD_TRACEPOINT] = RECORD_OBJECT("tracepoint", tracepoint_fields),
	[RECORD_SAMPLE] = RECORD_OBJECT("sample", sample_fields),
	[RECORD_EVENT] = RECORD_OBJECT("event", event_fields),
	[RECORD_END] = RECORD_OBJECT("end", end_fields),
	[RECORD_LIST] = RECORD_OBJECT("tracepoint", list_fields),
};
/* clang-format on */

/*
 * The JSON objects of a finding and of an incident. A replay finds findings again; a timeline reads
 * them.
 */
static const struct finding *finding_in(const struct record *r)
{
	return r->row;
}

GET_TEXT(get_finding_tracepoint, r->tp.name)
GET_TEXT(get_finding_code, finding_in(r)->code->name)
GET_TEXT(get_finding_severity, finding_severity_name(finding_in(r)->severity))
GET_TEXT(get_finding_state, finding_in(r)->active && !finding_in(r)->cause ? "active" : "cleared")

/* As text, because readers of JSON round large numbers. */
static FIELD_GET(get_finding_id)
{
	snprintf(v->buf, sizeof(v->buf), "%016" PRIx64, finding_in(r)->id);
	field_give_text(v, v->buf);
}

static FIELD_GET(get_clears)
{
	const struct finding *finding = finding_in(r);
	uint64_t ns = finding->cause ? 0 : finding_clears_ns(finding);
	struct timespec clears;

	if (!ns)
		return;
	clears = ns_to_timespec(timespec_to_ns(&finding->last) + (int64_t)(ns - finding->last_ns));
	format_time(v->buf, sizeof(v->buf), &clears);
	field_give_text(v, v->buf);
}

/* In this interval, whereas finding.count is from the last interval that saw it. */
GET_COUNT(get_finding_count, true, finding_in(r)->seen ? finding_in(r)->count : 0)

/* Since first_seen. */
GET_COUNT(get_since, true, finding_in(r)->total - finding_in(r)->before)
GET_IF(get_lost, !isnan(finding_in(r)->loss.per_s), get_since)

static FIELD_GET(get_lines)
{
	v->type = VALUE_LINES;
	v->text = field_member(f, r);
}

static FIELD_GET(get_consequences)
{
	v->type = VALUE_LINES;
	v->text = finding_in(r)->consequences ?: "";
}

static FIELD_GET(get_uncounted)
{
	/* without the blank between the tracepoint and this */
	field_give_text(v, finding_in(r)->uncounted ? finding_in(r)->uncounted + 1 : NULL);
}

/* clang-format off */
#define FIELDS_OF_PLACE                                                                    \
	ROW_FIELD_ID("netns", struct finding, location.dev.netns),                         \
	FIELD_TEXT("netns_name", 0, netns_name),                                           \
	ROW_FIELD_ID("ifindex", struct finding, location.dev.ifindex),                     \
	ROW_FIELD_TEXT("ifname", struct finding, location.dev.name),                       \
	ROW_FIELD_ID("to_netns", struct finding, location.to.netns),                       \
	ROW_FIELD_ID("to_ifindex", struct finding, location.to.ifindex),                   \
	ROW_FIELD_TEXT("to_ifname", struct finding, location.to.name),                     \
	FIELD("to_cpu", COUNT, 0, field_get_cpu, field_set_cpu,                            \
	      ROW_MEMBER(struct finding, location.to_cpu)),                                \
	ROW_FIELD_ID("prog_id", struct finding, location.prog_id),                         \
	ROW_FIELD_TEXT("prog_name", struct finding, location.prog_name),                   \
	ROW_FIELD_ID("map_id", struct finding, location.map_id)

static const struct record_field finding_fields[] = {
	FIELDS_OF_SNAPSHOT,
	FIELD("code", TEXT, 0, get_finding_code, NULL),
	FIELD("severity", TEXT, 0, get_finding_severity, NULL),
	FIELD("tracepoint", TEXT, 0, get_finding_tracepoint, NULL),
	FIELDS_OF_PLACE,
	FIELD("state", TEXT, 0, get_finding_state, NULL),
	ROW_FIELD_TIME("first_seen", struct finding, first),
	ROW_FIELD_TIME("last_seen", struct finding, last),
	FIELD("count", COUNT, 0, get_finding_count, NULL),
	ROW_FIELD_COUNT("count_total", struct finding, total),
	ROW_FIELD_TEXT("text", struct finding, text),
	FIELD("next", LINES, 0, get_lines, NULL, ROW_MEMBER(struct finding, commands)),
	FIELD("lost_per_s", REAL, 0, field_get_real, NULL, ROW_MEMBER(struct finding, loss.per_s)),
	FIELD("queue", COUNT, 0, field_get_cpu, NULL, ROW_MEMBER(struct finding, location.queue)),
	ROW_FIELD_ID("socket_inode", struct finding, location.socket_inode),
	FIELD("consequences", LINES, 0, get_consequences, NULL),
	FIELD("uncounted", TEXT, 0, get_uncounted, NULL),
	FIELD("changes", LINES, 0, get_lines, NULL, ROW_MEMBER(struct finding, changes)),
	FIELD("id", TEXT, 0, get_finding_id, NULL),
	FIELD("clears", TEXT, 0, get_clears, NULL),
	FIELD("count_since", COUNT, 0, get_since, NULL),
	FIELD_POD("", 0, pod),
	FIELD_POD("to_", 0, to_pod),
};

static const struct record_field incident_fields[] = {
	FIELD_TYPE,
	ROW_FIELD_TIME("from", struct finding, first),
	ROW_FIELD_TIME("to", struct finding, last),
	FIELD("code", TEXT, 0, get_finding_code, NULL),
	FIELD("severity", TEXT, 0, get_finding_severity, NULL),
	FIELDS_OF_PLACE,
	FIELD("state", TEXT, 0, get_finding_state, NULL),
	FIELD("lost", COUNT, 0, get_lost, NULL),
	FIELD("count", COUNT, 0, get_since, NULL),
	ROW_FIELD_TEXT("text", struct finding, text),
	FIELD("changes", LINES, 0, get_lines, NULL, ROW_MEMBER(struct finding, changes)),
	FIELD("id", TEXT, 0, get_finding_id, NULL),
};
/* clang-format on */

const struct record_object finding_record = RECORD_OBJECT("finding", finding_fields);
const struct record_object incident_record = RECORD_OBJECT("incident", incident_fields);

/* The JSON object of a refused BPF program. Only written: a replay takes it from the header. */
static const struct iter *iter_in(const struct record *r)
{
	return &iter_rows[*(const enum iter_id *)r->row];
}

GET_TEXT(get_program, iter_in(r)->program)
GET_TEXT(get_section, iter_in(r)->section)
GET_TEXT(get_unknown, iter_in(r)->unknown)
GET_TEXT(get_why, refusal_text(r->host.refused, *(const enum iter_id *)r->row, r->host.kernel,
			       v->buf, sizeof(v->buf)))

static const struct record_field refusal_fields[] = {
	FIELD_TYPE,
	FIELD("bpf_program", TEXT, 0, get_program, NULL),
	FIELD("section", TEXT, 0, get_section, NULL),
	FIELD("consequence", TEXT, 0, get_unknown, NULL),
	FIELD("reason", TEXT, 0, get_why, NULL),
};

const struct record_object refusal_record = RECORD_OBJECT("refused", refusal_fields);
