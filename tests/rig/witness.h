/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The witness counts every tracepoint with the rig's own programs and compares the counts with the
 * scenes' expectations: --verify. Tracepoints that this kernel lacks are skipped.
 */
#pragma once

#include "scene.h"

struct witness;

/* NULL = failed; the reason was printed. */
struct witness *witness_open(void);
/*
 * Compares all @scenes at once and prints each difference: a row that does not match, or a series
 * in one of their namespaces or maps without a row. Returns the number of differences.
 */
int witness_compare(struct witness *witness, const struct scene *scenes, int n_scenes);
void witness_close(struct witness *witness);
