// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/capture.h"

#include <fnmatch.h>
#include "bpf/verdict.h"

bool capture_filter_program(const struct capture_filter *f, uint32_t prog_id, const char *prog_name,
			    struct capture_choices *to)
{
	*to = (struct capture_choices){ .acts = f->acts, .rate = f->rate, .code = f->code };
	for (uint32_t i = 0; i < f->n; i++) {
		const struct capture_program_choice *c = &f->choice[i];

		if ((c->prog_id && c->prog_id != prog_id) ||
		    (c->prog_name[0] && fnmatch(c->prog_name, prog_name, FNM_CASEFOLD)))
			continue;
		to->choice[to->n++] = c->words;
	}
	return f->acts && (!f->n || to->n);
}

void capture_counts_add(struct capture_counts *to, const struct capture_counts *n)
{
	to->matched += n->matched;
	to->refused += n->refused;
	to->lost += n->lost;
	to->unread += n->unread;
}

void packet_ignore(void *ctx, const struct packet *p)
{
	(void)ctx;
	(void)p;
}

struct capture_filter capture_filter_all(uint32_t rate)
{
	return (struct capture_filter){ .acts = (1u << VERDICT_ACTS) - 1, .rate = rate };
}
