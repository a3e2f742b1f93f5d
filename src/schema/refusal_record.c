// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON object of a refused BPF program. Only written: a replay takes it from the header. */
#include "schema/record_field.h"

static const struct iter *iter_in(const struct record *r)
{
	return &iter_rows[*(const enum iter_id *)r->row];
}

GET_TEXT(get_program, iter_in(r)->program)
GET_TEXT(get_section, iter_in(r)->section)
GET_TEXT(get_unknown, iter_in(r)->unknown)
GET_TEXT(get_why, refusal_text(r->host.refused, *(const enum iter_id *)r->row, r->host.kernel,
			       v->buf, sizeof(v->buf)))

static const struct record_field fields[] = {
	FIELD_TYPE,
	FIELD("bpf_program", TEXT, 0, get_program, NULL),
	FIELD("section", TEXT, 0, get_section, NULL),
	FIELD("consequence", TEXT, 0, get_unknown, NULL),
	FIELD("reason", TEXT, 0, get_why, NULL),
};

const struct record_object refusal_record = RECORD_OBJECT("refused", fields);
