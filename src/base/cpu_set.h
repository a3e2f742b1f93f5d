/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of CPUs, from the kernel's lists ("0,3-7"). Ids have holes: do not use one as an index. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CPU_SET_MAX 65536

struct cpu_set {
	uint32_t end; /* largest id + 1 */
	uint32_t count;
	uint64_t bits[CPU_SET_MAX / 64];
};

/*
 * Reads a file of /sys/devices/system/cpu ("possible", "online"). 0; -EINVAL (not a list, or an id
 * of CPU_SET_MAX or more) or another -errno, and *c is empty.
 */
int cpu_set_read(struct cpu_set *c, const char *name);
/* Parses such a list, up to a newline or its end. Returns as above. */
int cpu_set_parse(struct cpu_set *c, const char *list);
bool cpu_set_has(const struct cpu_set *c, uint32_t cpu);
/* Ignores ids of CPU_SET_MAX or more. */
void cpu_set_add(struct cpu_set *c, uint32_t cpu);
