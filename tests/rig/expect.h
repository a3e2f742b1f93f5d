/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expectations: what the kernel must have fired. One row is one series. A field that depends on
 * timing is absent; a field that the event does not have is null.
 */
#pragma once

#include <net/if.h>
#include <stdint.h>
#include <stdio.h>

#include "link.h"
#include "series.h"

#define EXPECT_ABSENT (-(1LL << 61))

struct expect {
	enum series_tracepoint tracepoint;
	int64_t field[FIELD_MAX];
	int64_t sent_plus_drops; /* if the split depends on timing */
	int64_t to_prog_id;      /* of the devmap entry, which the witness does not read */
	char ifname[IFNAMSIZ];   /* "" = absent */
	char to_ifname[IFNAMSIZ];
	char prog_name[16];
	char text[80];
	char comm[16];
};

extern const char *const series_tracepoints[TP_MAX];
extern const char *const series_fields[FIELD_MAX];

void expect_init(struct expect *row, enum series_tracepoint tracepoint);
void expect_set_from(struct expect *row, const struct link *link);
void expect_set_to(struct expect *row, const struct link *link);
/* Sets all frames that it counts: events, packets and, for a failure, drops are equal. */
void expect_set_frames(struct expect *row, uint64_t frames);
void expect_print(const struct expect *row, const char *stimulus, FILE *out);
