/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data source verdicts on the running kernel. Functions as in struct data_source. */
#pragma once

#include "base/error.h"
#include "model/capture.h"
#include "source/attached.h"

struct live;

struct verdicts_live {
	struct live *live;
	struct verdict_traces *traces; /* NULL = not available: see untraced */
	struct error untraced;
	struct verdict_attached *attached; /* programs to trace, ascending by prog_id */
	size_t n, cap;
	struct attached_programs offload;
	uint64_t changes; /* of devices, at the last look; UINT64_MAX = find programs again */
	struct {
		struct capture_filter filter;
		packet_fn fn; /* NULL = no packet is captured */
		void *ctx;
		struct capture_choices *choices; /* of attached[] */
		size_t cap;
		int64_t wall_ns;
		struct capture_counts ended; /* of traces that were closed */
		struct error off;            /* why no packets are read now */
	} capture;
};

int verdicts_live_open(void *state, struct live *live, struct error *error);
int verdicts_live_start(void *state);
void verdicts_live_look(void *state);
int verdicts_live_sample(void *state, struct snapshot *to);
void verdicts_live_close(void *state);

/* As in struct source_ops. */
int verdicts_live_capture(void *state, const struct capture_filter *filter, packet_fn fn, void *ctx,
			  struct error *error);
const char *verdicts_live_captured(void *state, uint32_t prog_id, struct capture_counts *n);
