/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of capabilities (bits 1 << CAP_*) as text, and back. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* "CAP_BPF, CAP_PERFMON" with prefix "CAP_" and separator ", "; returns buf. */
const char *capability_names(uint64_t set, const char *prefix, const char *separator, char *buf,
			     size_t size);
/* The set in a text like "CAP_BPF,CAP_PERFMON". Ignores unknown names. */
uint64_t capability_names_find(const char *names);
