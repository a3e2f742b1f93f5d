/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How each build of a source reads kernel memory.
 *
 * (none): bpf_probe_read_kernel(), and plain loads through pointers whose type the verifier knows.
 *
 * lockdown: the kernel withholds that helper (lockdown=confidentiality). From 6.2 on,
 * bpf_rdonly_cast() turns any address into a typed pointer, which allows plain loads. Before 6.2
 * only memory that a typed pointer leads to can be read: can_read() is false.
 *
 * Each build is an object of its own, because the verifier refuses a call of a function that the
 * kernel cannot do (the JIT is off) even in code that is never reached.
 */
#pragma once

#include "core_types.h"

#ifndef BUILD_lockdown

#define kernel_read     bpf_probe_read_kernel
#define kernel_read_str bpf_probe_read_kernel_str

static __always_inline bool can_read(void)
{
	return true;
}

#else

/* 16 bytes that may be loaded in parts of any size */
struct in6_addr {
	__u32 word[4];
};

static __always_inline bool can_read(void)
{
	return bpf_rdonly_cast;
}

#define KERNEL_LOAD(type, from) \
	(*(const type *)bpf_rdonly_cast(from, bpf_core_type_id_kernel(struct in6_addr)))

typedef __u64 __attribute__((may_alias)) any_u64;
typedef __u32 __attribute__((may_alias)) any_u32;
typedef __u16 __attribute__((may_alias)) any_u16;

/* As bpf_probe_read_kernel(); memory that cannot be read is 0. `size` is a constant. */
static __always_inline long kernel_read(void *to, __u32 size, const void *from)
{
	if (!can_read()) {
		__builtin_memset(to, 0, size);
		return -1;
	}
	if (size == 8)
		*(any_u64 *)to = KERNEL_LOAD(__u64, from);
	else if (size == 2)
		*(any_u16 *)to = KERNEL_LOAD(__u16, from);
	else if (size == 1)
		*(__u8 *)to = KERNEL_LOAD(__u8, from);
	else
#pragma unroll
		for (__u32 i = 0; i + 4 <= size; i += 4)
			*(any_u32 *)(to + i) = KERNEL_LOAD(__u32, from + i);
	return 0;
}

static const char string_format[] = "%s";

/* bpf_snprintf() is not withheld (5.13+) */
#define kernel_read_str(to, size, from)                                                 \
	({                                                                              \
		__u64 from_ = (__u64)(from);                                            \
		bpf_snprintf((char *)(to), size, string_format, &from_, sizeof(from_)); \
	})

#undef bpf_core_read
#define bpf_core_read(to, size, from) \
	kernel_read(to, size, (const void *)__builtin_preserve_access_index(from))

#endif

/*
 * Copy `size` bytes, a multiple of 4, of a character array in a kernel struct. If can_read() is
 * false, `from` must be a typed pointer.
 */
static __always_inline void kernel_read_name(char *to, __u32 size, const char *from)
{
	if (can_read()) {
		kernel_read(to, size, from);
		return;
	}
#ifdef BUILD_lockdown
#pragma unroll
	for (__u32 i = 0; i + 4 <= size; i += 4)
		*(any_u32 *)(to + i) = *(const any_u32 *)(from + i);
#endif
}
