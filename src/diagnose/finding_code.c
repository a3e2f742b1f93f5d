// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/finding_code.h"

#include <string.h>

const struct finding_group *const finding_groups[] = {
	&redirect_findings,
	&loss_findings,
	&cpumap_findings,
	&socket_findings,
	&socket_tx_findings,
	&traffic_findings,
	&driver_findings,
	&device_findings,
	&program_findings,
	&fill_findings,
	&pool_findings,
	&verdict_findings,
	&queue_findings,
	&setup_findings,
	&stack_findings,
	&self_findings,
	NULL,
};

const struct finding_code *finding_code_at(size_t i)
{
	for (const struct finding_group *const *group = finding_groups; *group; group++) {
		if (i < (*group)->n)
			return &(*group)->code[i];
		i -= (*group)->n;
	}
	return NULL;
}

size_t finding_code_index(const struct finding_code *code)
{
	size_t i = 0;

	while (finding_code_at(i) != code)
		i++;
	return i;
}

const struct finding_code *finding_code_find(const char *name)
{
	const struct finding_code *code;
	size_t i = 0;

	while ((code = finding_code_at(i++)) && strcmp(code->name, name))
		;
	return code;
}

unsigned int finding_code_window(const struct finding_code *code)
{
	unsigned int least = code->rules->window_s;

	for (const struct rule *r = code->rules; r->subject; r++)
		least = r->window_s < least ? r->window_s : least;
	return least;
}

int rule_rank(const struct rule *rule)
{
	bool any = rule->code == RULE_ANY || rule->code == RULE_ERRNO;

	return 2 * !any + (rule->when != NULL);
}

bool rule_has_error(const struct rule *rule, uint8_t redirect, int code)
{
	if (rule->redirect && !(rule->redirect & redirect))
		return false;
	return rule->code == RULE_ANY || (rule->code == RULE_ERRNO ? code < 0 : rule->code == code);
}

/* The highest rank of the code's rules for this cause, ignoring conditions; -1 = none. */
static int rank_for_cause(const struct finding_code *code, const struct cause *cause)
{
	int best = -1;

	for (const struct rule *r = code->rules; r->subject; r++)
		if (r->subject == RULE_LOSS && r->tracepoints & cause->tracepoints &&
		    rule_has_error(r, (uint8_t)cause->redirect, cause->code) &&
		    rule_rank(r) / 2 > best)
			best = rule_rank(r) / 2;
	return best;
}

bool finding_has_cause(const struct finding_code *code, const struct cause *cause)
{
	int rank = rank_for_cause(code, cause);
	const struct finding_code *other;

	for (size_t i = 0; (other = finding_code_at(i)); i++)
		if (rank_for_cause(other, cause) > rank)
			return false;
	return rank >= 0;
}

const struct netdev *evidence_device_before(const struct evidence *e)
{
	return e->dev && e->rates->from
		       ? snapshot_find_netdev(e->rates->from, e->dev->netns, e->dev->ifindex)
		       : NULL;
}
