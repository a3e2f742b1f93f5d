/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stimulus that fills a CPU's backlog: RPS hands it skbs faster than generic XDP takes them. */
#ifndef RIG_BACKLOG_H
#define RIG_BACKLOG_H

#include "scene.h"

int backlog_prepare(struct scene *scene);
int backlog_arm(struct scene *scene);
/* No row: none of it fires a tracepoint. */
int backlog_expect(struct scene *scene);

#endif
