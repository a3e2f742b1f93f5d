/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU lists as the kernel writes them ("0,3-7"). Ids have holes; nothing may use them as a dense
 * index except arrays sized by the largest possible id.
 */
#ifndef XDPTOP_CPU_SET_H
#define XDPTOP_CPU_SET_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_set {
	uint64_t *bits;
	uint32_t end;   /* largest id + 1 */
	uint32_t count; /* ids in the set */
};

/* Parse a list; 0, -EINVAL (not a list, or an id over 65535) or -ENOMEM. *c is then empty. */
int cpu_set_parse(struct cpu_set *c, const char *list);
/* Read a list from a file below /sys/devices/system/cpu ("possible", "online"). 0 or -errno. */
int cpu_set_read(struct cpu_set *c, const char *name);
bool cpu_set_has(const struct cpu_set *c, uint32_t cpu);
/* Add all of `more`; 0 or -ENOMEM. */
int cpu_set_add(struct cpu_set *c, const struct cpu_set *more);
void cpu_set_free(struct cpu_set *c);

#endif
