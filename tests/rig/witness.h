/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The witness counts every tracepoint with programs of the rig's own and compares them with what
 * the scenes expect: --verify. Tracepoints that this kernel lacks are left out.
 */
#ifndef RIG_WITNESS_H
#define RIG_WITNESS_H

#include "scene.h"

struct witness;

/* Returns NULL after printing the reason. */
struct witness *witness_open(void);
/*
 * Compares all of @scenes at once and prints each difference: a row that does not match, or a
 * series in one of their namespaces or maps that no row expects. Returns the number of differences.
 */
int witness_compare(struct witness *witness, const struct scene *scenes, int n_scenes);
void witness_close(struct witness *witness);

#endif
