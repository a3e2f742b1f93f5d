/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Row ids: a 64-bit hash of the identity fields that the view groups by. The same in every
 * snapshot; never 0.
 */
#ifndef XDPTOP_ROW_ID_H
#define XDPTOP_ROW_ID_H

#include "model/snapshot.h"
#include "table/view.h"

uint64_t row_id(const struct view *view, const struct series *s);
/* The row of a tracepoint in a view that has one for each. */
uint64_t row_id_tracepoint(uint32_t tracepoint);
/* The row of a device or program in a view that has one for each. */
uint64_t row_id_device(uint32_t netns, uint32_t ifindex);
uint64_t row_id_program(uint32_t prog_id);
/* The row of one CPU of a row. */
uint64_t row_id_cpu(uint64_t row, uint32_t cpu);

#endif
