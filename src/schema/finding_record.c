// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The JSON objects of a finding and of an incident. A replay finds findings again; a timeline reads
 * them.
 */
#include <inttypes.h>
#include <stdio.h>
#include "base/clock.h"
#include "base/format.h"
#include "model/finding.h"
#include "schema/record_field.h"

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

static const struct record_field fields[] = {
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

const struct record_object finding_record = RECORD_OBJECT("finding", fields);
const struct record_object incident_record = RECORD_OBJECT("incident", incident_fields);
