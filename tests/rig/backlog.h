/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stimulus that fills a CPU's backlog: RPS delivers skbs faster than generic XDP handles them.
 */
#pragma once

#include "scene.h"

int backlog_prepare(struct scene *scene);
int backlog_arm(struct scene *scene);
/* No rows: none of this fires a tracepoint. */
int backlog_expect(struct scene *scene);
