// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/programs.h"

#include <stdio.h>
#include <string.h>
#include "schema/record_field.h"
#include "source/data_source.h"

static const char *const attaches[PROGRAM_ATTACHES] = {
	[PROGRAM_NETLINK] = "netlink",
	[PROGRAM_LINK] = "link",
};

static const char *const sights[PROGRAM_SIGHTS] = {
	[PROGRAM_SIGHT_NAMESPACE] = "namespace",
	[PROGRAM_SIGHT_ALL] = "all",
};

const char *program_attach_name(enum program_attach attach)
{
	return attaches[attach];
}

const struct program *programs(const struct snapshot *s, size_t *n)
{
	return data_source_rows(s, DATA_SOURCE_PROGRAMS, n);
}

const struct program *program_find(const struct snapshot *s, uint32_t prog_id)
{
	const struct program like = { .prog_id = prog_id };

	return s && prog_id ? data_source_row(s, DATA_SOURCE_PROGRAMS, &like) : NULL;
}

const struct program *program_part(const struct snapshot *s, uint32_t prog_id,
				   const struct program *part)
{
	size_t n;
	const struct program *p = programs(s, &n);

	for (size_t i = part ? (size_t)(part - p) + 1 : 0; prog_id && i < n; i++)
		if (p[i].part_of == prog_id)
			return &p[i];
	return NULL;
}

static struct program *program_of(const struct record *r)
{
	return (struct program *)r->row;
}

static FIELD_GET(get_state)
{
	field_give_text(v, program_of(r)->gone ? "gone" : "attached");
}

static FIELD_SET(set_state)
{
	program_of(r)->gone = !strcmp(v->text, "gone");
	return program_of(r)->gone || !strcmp(v->text, "attached");
}

/* The place of a name, which is not NULL; 0 = none has it. */
static int find_name(const char *const *names, int n, const char *name)
{
	while (--n > 0 && strcmp(names[n], name))
		;
	return n;
}

static FIELD_GET(get_attach)
{
	field_give_text(v, attaches[program_of(r)->attach]);
}

static FIELD_SET(set_attach)
{
	program_of(r)->attach = (enum program_attach)find_name(attaches, PROGRAM_ATTACHES, v->text);
	return program_of(r)->attach;
}

static FIELD_GET(get_sight)
{
	field_give_text(v, sights[program_of(r)->sight]);
}

static FIELD_SET(set_sight)
{
	program_of(r)->sight = (enum program_sight)find_name(sights, PROGRAM_SIGHTS, v->text);
	return program_of(r)->sight;
}

static FIELD_GET(get_pinned)
{
	if (program_of(r)->pinned)
		field_give_count(v, program_of(r)->pinned == PROGRAM_PINNED);
}

static FIELD_SET(set_pinned)
{
	program_of(r)->pinned = v->count ? PROGRAM_PINNED : PROGRAM_NOT_PINNED;
	return v->count <= 1;
}

/* What was looked for. */
static FIELD_GET(get_of_sight)
{
	if (program_of(r)->sight)
		field_get_u32(f, r, v);
}

static FIELD_GET(get_uid)
{
	if (program_of(r)->loaded_at.tv_sec)
		field_get_u32(f, r, v);
}

static FIELD_GET(get_loaded_at)
{
	if (program_of(r)->loaded_at.tv_sec)
		field_get_time(f, r, v);
}

#define OF_SIGHT(m) FIELD(#m, COUNT, 0, get_of_sight, field_set_u32, ROW_MEMBER(struct program, m))

/* clang-format off */
static const struct record_field fields[] = {
	FIELD_TYPE,
	FIELD_COUNT("seq", 0, seq),
	FIELD_TIME(time),
	ROW_FIELD_ID("prog_id", struct program, prog_id),
	ROW_FIELD_TEXT("prog_name", struct program, prog_name),
	FIELD("state", TEXT, 0, get_state, set_state),
	ROW_FIELD_ID("part_of", struct program, part_of),
	FIELD("attached_by", TEXT, 0, get_attach, set_attach),
	ROW_FIELD_ID("link_id", struct program, link_id),
	FIELD("pinned", COUNT, 0, get_pinned, set_pinned),
	ROW_FIELD_ID("pid", struct program, pid),
	ROW_FIELD_TEXT("comm", struct program, comm),
	OF_SIGHT(holders),
	FIELD("processes", TEXT, 0, get_sight, set_sight),
	OF_SIGHT(unheld),
	FIELD("loaded_at", TEXT, 0, get_loaded_at, field_set_time, ROW_MEMBER(struct program, loaded_at)),
	FIELD("uid", COUNT, 0, get_uid, field_set_u32, ROW_MEMBER(struct program, uid)),
};
/* clang-format on */

static const struct record_object object = RECORD_OBJECT("program", fields);

static int compare(const void *a, const void *b)
{
	const struct program *x = a, *y = b;

	return (x->prog_id > y->prog_id) - (x->prog_id < y->prog_id);
}

static bool is_gone(const void *row)
{
	return ((const struct program *)row)->gone;
}

static void set_gone(void *row)
{
	((struct program *)row)->gone = true;
}

static int programs_open(void **state, struct live *live, int *exit_code, char *why,
			 size_t why_size)
{
	snprintf(why, why_size, "they are not read yet");
	return 0;
}

static int programs_sample(void *state, struct snapshot *to)
{
	return 0;
}

static void programs_close(void *state)
{
}

const struct data_source programs_source = {
	.name = "programs",
	.help = "who holds the attached XDP programs, from BPF iterators",
	.row_size = sizeof(struct program),
	.key_size = offsetof(struct program, gone),
	.compare = compare,
	.is_gone = is_gone,
	.set_gone = set_gone,
	.max_rows = PROGRAMS_MAX,
	.record = &object,
	.open = programs_open,
	.sample = programs_sample,
	.close = programs_close,
};
