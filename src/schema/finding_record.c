// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON object of a finding. Only written, because a replay finds it again. */
#include "model/finding.h"
#include "schema/record_field.h"

static const struct finding *finding_in(const struct record *r)
{
	return r->row;
}

static FIELD_GET(get_finding_tracepoint)
{
	field_give_text(v, r->tp.name);
}

static FIELD_GET(get_finding_code)
{
	field_give_text(v, finding_in(r)->code->name);
}

static FIELD_GET(get_finding_severity)
{
	field_give_text(v, finding_severity_name(finding_in(r)->severity));
}

static FIELD_GET(get_finding_state)
{
	field_give_text(v, finding_in(r)->active && !finding_in(r)->cause ? "active" : "cleared");
}

/* In this interval, whereas finding.count is from the last interval that saw it. */
static FIELD_GET(get_finding_count)
{
	field_give_count(v, finding_in(r)->seen ? finding_in(r)->count : 0);
}

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

/* clang-format off */
static const struct record_field fields[] = {
	FIELDS_OF_SNAPSHOT,
	FIELD("code", TEXT, 0, get_finding_code, NULL),
	FIELD("severity", TEXT, 0, get_finding_severity, NULL),
	FIELD("tracepoint", TEXT, 0, get_finding_tracepoint, NULL),
	ROW_FIELD_ID("netns", struct finding, location.dev.netns),
	FIELD_TEXT("netns_name", 0, netns_name),
	ROW_FIELD_ID("ifindex", struct finding, location.dev.ifindex),
	ROW_FIELD_TEXT("ifname", struct finding, location.dev.name),
	ROW_FIELD_ID("to_netns", struct finding, location.to.netns),
	ROW_FIELD_ID("to_ifindex", struct finding, location.to.ifindex),
	ROW_FIELD_TEXT("to_ifname", struct finding, location.to.name),
	FIELD("to_cpu", COUNT, 0, field_get_cpu, NULL, ROW_MEMBER(struct finding, location.to_cpu)),
	ROW_FIELD_ID("prog_id", struct finding, location.prog_id),
	ROW_FIELD_TEXT("prog_name", struct finding, location.prog_name),
	ROW_FIELD_ID("map_id", struct finding, location.map_id),
	FIELD("state", TEXT, 0, get_finding_state, NULL),
	FIELD("first_seen", TEXT, 0, field_get_time, NULL, ROW_MEMBER(struct finding, first)),
	FIELD("last_seen", TEXT, 0, field_get_time, NULL, ROW_MEMBER(struct finding, last)),
	FIELD("count", COUNT, 0, get_finding_count, NULL),
	ROW_FIELD_COUNT("count_total", struct finding, total),
	ROW_FIELD_TEXT("text", struct finding, text),
	FIELD("next", LINES, 0, get_lines, NULL, ROW_MEMBER(struct finding, commands)),
	FIELD("lost_per_s", REAL, 0, field_get_real, NULL, ROW_MEMBER(struct finding, loss.per_s)),
	FIELD("queue", COUNT, 0, field_get_cpu, NULL, ROW_MEMBER(struct finding, location.queue)),
	ROW_FIELD_ID("socket_inode", struct finding, location.socket_inode),
	FIELD("consequences", LINES, 0, get_consequences, NULL),
	FIELD("changes", LINES, 0, get_lines, NULL, ROW_MEMBER(struct finding, changes)),
	FIELD_POD("", 0, pod),
	FIELD_POD("to_", 0, to_pod),
};
/* clang-format on */

const struct record_object finding_record = RECORD_OBJECT("finding", fields);
