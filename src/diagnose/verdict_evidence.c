// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/verdict_evidence.h"

#include <linux/bpf.h>
#include <stdio.h>
#include "base/format.h"

const struct verdict_past *verdict_evidence(struct evidence *e,
					    bool (*holds)(const struct verdict_past *p))
{
	const uint32_t id[] = { e->dev->prog_id, e->dev->skb_prog_id };

	for (int i = 0; i < 2; i++) {
		const struct verdict_past *p = verdict_past_find(e->verdicts, e->dev, id[i]);

		if (!p || !holds(p))
			continue;
		e->program = program_find(e->rates->to, id[i]);
		return p;
	}
	return NULL;
}

static bool is_aborting(const struct verdict_past *p)
{
	return p->act[XDP_ABORTED].packets;
}

static bool is_invalid(const struct verdict_past *p)
{
	return p->act[VERDICT_UNKNOWN].packets;
}

const struct verdict_past *verdict_evidence_act(struct evidence *e, uint32_t act)
{
	const struct verdict_past *p =
		verdict_evidence(e, act == VERDICT_UNKNOWN ? is_invalid : is_aborting);

	if (!p)
		return NULL;
	e->count = p->act[act].packets;
	e->lost_per_s = per_second((double)e->count, e->rates->seconds);
	return p;
}

bool verdict_numbers(const struct evidence *e, uint32_t act, uint64_t *n, uint64_t *all)
{
	const struct series_key *key = &e->series->key;
	const struct program *p = program_find(e->rates->to, key->prog_id);
	struct verdict_sum sum = { 0 };
	const struct verdict *row;
	struct verdict_walk w;

	*n = *all = 0;
	if (!p || !verdict_past_knows(e->rates, p))
		return false;
	/* queues without a row of their own may be of this device */
	verdict_walk_device(&w, e->rates, key->prog_id, 0, 0);
	if (verdict_walk_next(&w))
		return false;
	verdict_walk_device(&w, e->rates, key->prog_id, key->netns, key->ifindex);
	while ((row = verdict_walk_next(&w)))
		verdict_sum_add(&sum, &w, row);
	*n = sum.delta[act].packets;
	*all = verdict_total(sum.delta).packets;
	return true;
}

const char *verdict_share(uint64_t count, uint64_t all, const char *most, char *buf, size_t size)
{
	char share[16];

	buf[0] = '\0';
	if (!all)
		return buf;
	format_percent(share, sizeof(share), 100.0 * (double)count / (double)all);
	snprintf(buf, size, "for %s%s %% of its packets ", most, share);
	return buf;
}
