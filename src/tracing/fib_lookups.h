/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results of bpf_fib_lookup() in XDP programs, counted in the kernel (bpf/fib.bpf.c). Needs
 * Linux 5.17 and a kernel that allows fexit programs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
#include "bpf/fib.h"
#include "bpf/shared.h"

struct fib_lookups;

/*
 * Load and attach the program; call it before the drop of privileges. `cpus` = possible CPU ids.
 * NULL, and *error says why.
 */
struct fib_lookups *fib_lookups_open(uint32_t cpus, struct error *error);
/* Detach. Takes NULL. */
void fib_lookups_close(struct fib_lookups *f);
/* An element for each possible CPU. */
const struct fib_cpu *fib_lookups(const struct fib_lookups *f);
/* Detach, or attach again. Any thread may call it, one at a time. 0 or -errno. Takes NULL. */
int fib_lookups_switch(struct fib_lookups *f, bool on);
/* Add lookups and time on each CPU to cpu[].meter[tracepoint]. Takes NULL. */
void fib_lookups_meter(const struct fib_lookups *f, struct series_cpu *cpu, uint32_t cpus,
		       int tracepoint);
