/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's names for errnos, XDP actions and map types, and kernel versions. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* include/linux/errno.h: kernel internal, but tracepoints and bpf() give it to user space */
#define ENOTSUPP 524

/* "EOPNOTSUPP" for -95 or 95; NULL when Linux has no name for it. */
const char *errno_name(int err);
/* strerror() of -95 or 95; also for errnos that only the kernel has. */
const char *errno_text(int err);
/* The reverse of errno_name(), positive, ignoring case; 0 when unknown. */
int errno_find(const char *name);
/* "ABORTED" ... "REDIRECT", else "UNKNOWN(n)" in buf. */
const char *act_name(int act, char *buf, size_t size);
/* The reverse, ignoring case; -1 = not an action, or "UNKNOWN(-1)". */
int act_find(const char *name);
/* "devmap", "cpumap", ... as bpftool prints them; NULL for none or unknown. */
const char *map_type_name(uint32_t map_type);
int map_type_find(const char *name);

#define KERNEL(major, minor) ((major) << 8 | (minor))
/* The version in a release like "6.18.44-cloud-amd64"; 0 = none. */
uint16_t kernel_version(const char *release);
/* Why a kernel lacks a thing: it is older than KERNEL() `since`, or was built without the thing. */
const char *kernel_lacks(const char *release, const char *thing, uint16_t since, char *buf,
			 size_t size);
