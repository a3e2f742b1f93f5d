/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An explanation in progress, and what all kinds of rows print in it. */
#pragma once

#include <string.h>
#include "explain/explain.h"
#include "model/location.h"

/* Limits the length of an explanation. */
#define CAUSES_MAX  16
#define RELATED_MAX 4 /* findings of a row */

struct explanation {
	const struct table *t;
	const struct snapshot *to;
	const struct view *view;
	const struct row *row;
	const struct explain_lines *lines;
	char said[4096]; /* commands so far: "\n", then one per line; "" = none */
	/* printed with remedy and commands, so the lines about causes do not repeat these */
	const struct finding *finding[RELATED_MAX];
	int n_findings;
};

static inline bool is_netdev(const struct netdev_ref *p, const struct netdev_ref *of)
{
	return p->ifindex && p->netns == of->netns && p->ifindex == of->ifindex;
}

void __attribute__((format(printf, 4, 5)))
say(const struct explanation *x, enum explain_style style, const char *label, const char *format,
    ...);
/* Separates what follows; head is its heading, NULL = none. */
void say_break(const struct explanation *x, const char *head);
void say_command(struct explanation *x, const char *command);
/*
 * Prints the commands whose names are all known. If head is not NULL (it may be ""), skips commands
 * that were already printed.
 */
void fill_commands(struct explanation *x, const char *templates, const struct location *location,
		   const char *head);

/* A program; name "" = unknown; prints nothing if its id is 0. */
void explain_prog(const struct explanation *x, const char *name, uint32_t id);
void explain_netns(const struct explanation *x, uint32_t netns);
/* The pods of device and target, if known. */
void explain_pods(const struct explanation *x, const struct location *location);
/* Deleted devices: commands for them fail. */
void explain_gone(const struct explanation *x, const struct location *location);
/* A row of the devices view, from netlink: what a small screen has no columns for. */
void explain_device(struct explanation *x);
/* A row of the queues view. */
void explain_receive_queue(struct explanation *x);
/* The device's counters that xdptop has no name for. */
void explain_stats(const struct explanation *x);
/* A row of the programs view: where the program is attached. */
void explain_program(struct explanation *x);
/*
 * What a program returned, by action and receive queue, or why that is not counted. `silent`: a
 * device on which nothing was counted for it, or NULL.
 */
void explain_verdicts(struct explanation *x, uint32_t prog_id, const struct netdev *silent);
/* The maps that it redirects through, and how full its hashes and tries are. */
void explain_maps(const struct explanation *x, uint32_t prog_id);
/* Who holds it, since when, and its parts; nothing if it is not attached. */
void explain_holders(const struct explanation *x, uint32_t prog_id);
