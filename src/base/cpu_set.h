/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU lists as the kernel writes them ("0,3-7"). Ids have holes; nothing may use them as a dense
 * index except arrays sized by the largest possible id.
 */
#ifndef XDPTOP_CPUS_H
#define XDPTOP_CPUS_H

#include <stdbool.h>
#include <stdint.h>

struct cpus {
	uint64_t *bits;
	uint32_t end;   /* largest id + 1 */
	uint32_t count; /* ids in the set */
};

/* Parse a list; 0, -EINVAL (not a list, or an id over 65535) or -ENOMEM. *c is then empty. */
int cpus_parse(struct cpus *c, const char *list);
/* Read a list from a file below /sys/devices/system/cpu ("possible", "online"). 0 or -errno. */
int cpus_read(struct cpus *c, const char *name);
bool cpus_has(const struct cpus *c, uint32_t cpu);
/* Add all of `more`; 0 or -ENOMEM. */
int cpus_add(struct cpus *c, const struct cpus *more);
void cpus_free(struct cpus *c);

#endif
