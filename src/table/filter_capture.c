// SPDX-License-Identifier: GPL-2.0-or-later
#include "table/filter_capture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "table/filter.h"
#include "diagnose/location_text.h"
#include "source/verdicts.h"

#define FIELDS "ifname, netns, queue, prog_name, prog_id = VALUE"

struct capture_parse {
	struct netns_names *names;
	struct capture_program_choice choice[CAPTURE_CHOICES];
	uint32_t n;
	struct error *error;
};

#define refuse(p, ...) error_set((p)->error, -EINVAL, __VA_ARGS__)

#define refuse_value(p, value, what) refuse(p, "'%.60s' %s", value, what)

/* 1 = contradicts an earlier term. */
static int set_word(struct capture_choice *c, int word, uint64_t value, uint64_t mask)
{
	uint64_t both = c->mask[word] & mask;

	if ((c->value[word] ^ value) & both)
		return 1;
	c->value[word] |= value & mask;
	c->mask[word] |= mask;
	return 0;
}

static int set_ifname(const struct capture_parse *p, struct capture_choice *c, const char *value)
{
	unsigned char name[CAPTURE_NAME_LEN] = { 0 }, mask[CAPTURE_NAME_LEN] = { 0 };
	size_t len = strlen(value), any = strcspn(value, "*");
	uint64_t words[2], masks[2];

	if (any + 1 < len)
		return refuse_value(p, value,
				    "has text after a *; the kernel can match a * only at the end");
	if (any >= sizeof(name))
		return refuse_value(p, value,
				    "is too long for the name of a device; the limit is 15 bytes");
	memcpy(name, value, any);
	memset(mask, 0xff, any < len ? any : sizeof(mask));
	memcpy(words, name, sizeof(words));
	memcpy(masks, mask, sizeof(masks));
	return set_word(c, CAPTURE_IFNAME, words[0], masks[0]) |
	       set_word(c, CAPTURE_IFNAME + 1, words[1], masks[1]);
}

static int set_netns(const struct capture_parse *p, struct capture_choice *c, const char *value)
{
	uint32_t inode = p->names ? netns_names_find(p->names, value) : 0;

	if (p->names && !inode)
		return refuse_value(p, value,
				    "is not a network namespace; give init, a name of `ip netns`, "
				    "or ns:INODE");
	return set_word(c, CAPTURE_NETNS, inode, UINT32_MAX);
}

static int read_number(const struct capture_parse *p, const char *value, const char *what,
		       uint32_t *number)
{
	int end = 0;

	if (strlen(value) > 9 || sscanf(value, "%9u%n", number, &end) != 1 || value[end] ||
	    *value < '0' || *value > '9')
		return refuse_value(p, value, what);
	return 0;
}

/* 0, 1 = no packet can match, or -errno. */
static int set_field(const struct capture_parse *p, struct capture_program_choice *c,
		     const struct filter_term *term)
{
	uint32_t number = 0;
	int err;

	switch (term->column) {
	case COL_DEVICE:
		return set_ifname(p, &c->words, term->text);
	case COL_NETNS:
		return set_netns(p, &c->words, term->text);
	case COL_QUEUE:
		err = read_number(p, term->text, "is not a queue; give its number, from 0",
				  &number);
		return err ? err : set_word(&c->words, CAPTURE_QUEUE, number, UINT32_MAX);
	case COL_PROG_ID:
		err = read_number(p, term->text,
				  "is not a program id; 'bpftool prog' lists the ids", &number);
		if (err || (c->prog_id && c->prog_id != number))
			return err ? err : 1;
		c->prog_id = number;
		return !number;
	case COL_PROGRAM:
		if (strlen(term->text) >= sizeof(c->prog_name))
			return refuse_value(p, term->text,
					    "is too long for the name of a program; "
					    "the limit is 63 bytes");
		if (c->prog_name[0])
			return refuse(p, "two names of programs; join them with |");
		strcpy(c->prog_name, term->text);
		return 0;
	case COLUMN_COUNT:
		return refuse_value(p, term->text,
				    "is not a comparison; packets are chosen by: " FIELDS);
	default:
		return refuse(p, "%s is not compared in the kernel; packets are chosen by: " FIELDS,
			      columns[term->column].name);
	}
}

/* Combine each choice so far with the value of the term. */
static int add_value(struct capture_parse *p, const struct capture_program_choice *from, uint32_t n,
		     const struct filter_term *term)
{
	for (uint32_t k = 0; k < n; k++) {
		struct capture_program_choice c = from[k];
		int err = set_field(p, &c, term);

		if (err < 0)
			return err;
		if (err)
			continue;
		if (p->n == CAPTURE_CHOICES)
			return refuse(p, "more than %d alternatives; capture fewer at a time",
				      CAPTURE_CHOICES);
		p->choice[p->n++] = c;
	}
	return 0;
}

/* Add terms joined by `|` from the ith on. Returns how many, or -errno. */
static int add_terms(struct capture_parse *p, const struct filter *f, size_t i)
{
	struct capture_program_choice before[CAPTURE_CHOICES];
	struct filter_term term;
	uint32_t n = p->n;
	int count = 0, err;

	memcpy(before, p->choice, sizeof(before));
	p->n = 0;
	while (filter_term(f, i + (size_t)count, &term) && (!count || term.alternative)) {
		if (!term.equals)
			return refuse(p, "the kernel compares only FIELD=VALUE; leave other "
					 "comparisons out");
		err = add_value(p, before, n, &term);
		if (err)
			return err;
		count++;
	}
	return count;
}

int filter_capture_parse(const char *expr, struct netns_names *names, struct capture_filter *to,
			 struct error *error)
{
	struct capture_parse p = { .names = names, .n = 1, .error = error };
	struct filter_term term;
	struct filter *f;
	int err = filter_parse(expr, &f, error);

	if (err)
		return err;
	to->n = 0;
	for (size_t i = 0; err >= 0 && filter_term(f, i, &term); i += (size_t)err)
		err = add_terms(&p, f, i);
	if (err >= 0 && !p.n)
		err = refuse(&p, "no packet matches all of that; put a | in place of a blank");
	if (err >= 0 && f) {
		memcpy(to->choice, p.choice, sizeof(to->choice));
		to->n = p.n;
	}
	filter_free(f);
	return err < 0 ? err : 0;
}

/* Refuses a program that cannot be traced: `text` says why. */
static void add_choice(struct capture_filter *f, const struct location *l,
		       const struct snapshot *at, uint32_t prog_id, char *text, size_t size)
{
	const struct program *p = program_find(at, prog_id);
	struct capture_program_choice *c = &f->choice[f->n];

	if (p && p->verdicts == PROGRAM_VERDICTS_REFUSED) {
		snprintf(text, size, "%s (id %u) cannot be traced: %s", p->prog_name, prog_id,
			 p->verdicts_reason);
		return;
	}
	f->n++;
	*c = (struct capture_program_choice){ .prog_id = prog_id };
	if (!l->dev.ifindex)
		return;
	c->words.value[CAPTURE_NETNS] = l->dev.netns | (uint64_t)l->dev.ifindex << 32;
	c->words.mask[CAPTURE_NETNS] = UINT64_MAX;
}

int row_capture(const struct table *t, const struct row *row, struct capture_filter *f, char *text,
		size_t size)
{
	const struct view *view = t->options.view;
	const struct snapshot *at = t->rates->to;
	char what[192] = "no XDP program is attached to it";
	const struct netdev *d;
	uint32_t prog_id[2];
	struct location l;
	int n = 0;

	f->n = 0;
	location_init(&l);
	if (!row->more && view->rows->locate)
		view->rows->locate(t, row, &l);
	else if (!row->more && row->n_series)
		location_set(&l, table_series(t, row), at);
	if (!l.dev.ifindex && !l.prog_id) {
		snprintf(text, size,
			 "only a row or finding about a device or program has packets; select such "
			 "a row");
		return -ENOENT;
	}
	d = l.dev.ifindex ? snapshot_find_netdev(at, l.dev.netns, l.dev.ifindex) : NULL;
	n = d ? verdict_programs(d, prog_id) : 0;
	for (int i = 0; i < n; i++)
		add_choice(f, &l, at, prog_id[i], what, sizeof(what));
	if (!n && l.prog_id)
		add_choice(f, &l, at, l.prog_id, what, sizeof(what));
	if (f->n)
		location_text(l.dev.ifindex ? "{dev}" : "{prog}", &l, t->options.netns, what,
			      sizeof(what));
	snprintf(text, size, "%s", what);
	return f->n ? 0 : -ENOENT;
}
