/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data source verdicts on the running kernel. Functions as in struct data_source. */
#ifndef XDPTOP_VERDICTS_LIVE_H
#define XDPTOP_VERDICTS_LIVE_H

#include <stddef.h>
#include "base/error.h"

struct live;
struct snapshot;

int verdicts_live_open(void **state, struct live *live, struct error *error);
int verdicts_live_start(void *state);
void verdicts_live_look(void *state);
int verdicts_live_sample(void *state, struct snapshot *to);
void verdicts_live_close(void *state);

#endif
