/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The programs that are attached to devices. */
#pragma once

#include "inventory/netdev_monitor.h"

/* All zero = empty. */
struct attached_programs {
	uint32_t *id; /* ascending, without duplicates */
	size_t n, cap;
};

void attached_programs_free(struct attached_programs *a);
void attached_programs_read(struct attached_programs *a, const struct snapshot *s);
/* Read the programs attached now or, with `offload`, only programs that run on the NIC. */
void attached_programs_read_now(struct attached_programs *a, struct netdev_monitor *m,
				bool offload);
bool attached_programs_has(const struct attached_programs *a, uint32_t prog_id);
