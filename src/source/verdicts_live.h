/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data source verdicts on the running kernel. Functions as in struct data_source. */
#ifndef XDPTOP_VERDICTS_LIVE_H
#define XDPTOP_VERDICTS_LIVE_H

#include <stddef.h>
#include "base/error.h"
#include "model/capture.h"

struct live;
struct snapshot;

int verdicts_live_open(void **state, struct live *live, struct error *error);
int verdicts_live_start(void *state);
void verdicts_live_look(void *state);
int verdicts_live_sample(void *state, struct snapshot *to);
void verdicts_live_close(void *state);

/* As in struct source_ops. */
int verdicts_live_time(void *state, uint32_t prog_id);
int verdicts_live_capture(void *state, const struct capture_filter *filter, packet_fn fn, void *ctx,
			  struct error *error);
const char *verdicts_live_captured(void *state, uint32_t prog_id, struct capture_counts *n);

#endif
