/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of CPUs, from the kernel's lists ("0,3-7"). Ids have holes: do not use one as an index. */
#ifndef XDPTOP_CPU_SET_H
#define XDPTOP_CPU_SET_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_set {
	uint64_t *bits;
	uint32_t end;   /* largest id + 1 */
	uint32_t count; /* CPUs in the set */
};

/* Parses a list. 0; -EINVAL (no list, or an id above 65535) or -ENOMEM, and *c is empty. */
int cpu_set_parse(struct cpu_set *c, const char *list);
/* Reads a file of /sys/devices/system/cpu ("possible", "online"). 0 or -errno. */
int cpu_set_read(struct cpu_set *c, const char *name);
bool cpu_set_has(const struct cpu_set *c, uint32_t cpu);
/* 0 or -ENOMEM */
int cpu_set_add(struct cpu_set *c, uint32_t cpu);
void cpu_set_free(struct cpu_set *c);

#endif
