/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a pcap filter, which is classic BPF, over a packet, with the results of the kernel's own
 * (bpf_convert_filter() and bpf_skb_load_helper_8() in net/core/filter.c): a load outside of the
 * packet and a division by zero end it without a match. Any instructions are safe here, but what
 * src/model/pcap_filter.c refuses has no meaning.
 *
 * Registers are in memory, and so is where it begins: the verifier would follow each of their
 * values through each turn of the loop. It takes about 450 steps for an instruction of the filter.
 *
 * The including file defines insn_at(i): the instruction, NULL = none; and packet_read(to, size,
 * from): 0 = it has copied 1 to 4 bytes.
 */
#pragma once

#include <bpf/bpf_endian.h>
#include <stdbool.h>
#include "capture.h"

enum filter_result {
	FILTER_NO,
	FILTER_YES,
	FILTER_UNREAD, /* it needs bytes that are not there: those of fragments */
};

struct filter_packet {
	const __u8 *data;
	__u32 n;      /* in data[] */
	__u32 length; /* with all fragments */
	volatile struct filter_registers *r;
};

/* The value of a load: BPF_LD and BPF_LDX. */
static __always_inline enum filter_result filter_load(const struct filter_packet *p, __u32 code,
						      __u32 k, __u32 *to)
{
	__u32 at = BPF_MODE(code) == BPF_IND ? p->r->x + k : k;
	__u32 size = 4 >> (BPF_SIZE(code) >> 3), bytes = 0; /* 4, 2, 1 */

	*to = BPF_MODE(code) == BPF_MEM   ? p->r->mem[k % BPF_MEMWORDS]
	      : BPF_MODE(code) == BPF_LEN ? p->length
					  : k;
	if (BPF_MODE(code) == BPF_MEM || BPF_MODE(code) == BPF_LEN || BPF_MODE(code) == BPF_IMM)
		return FILTER_YES;
	if (!size || at > p->length || size > p->length - at)
		return FILTER_NO;
	/* barrier: the verifier has to see the bounds of this register */
	asm volatile("" : "+r"(size));
	if (size > sizeof(bytes) || at > p->n || size > p->n - at ||
	    packet_read(&bytes, size, p->data + at))
		return FILTER_UNREAD;
	*to = bpf_ntohl(bytes) >> (32 - 8 * size);
	if (BPF_MODE(code) == BPF_MSH)
		*to = (*to & 15) * 4;
	return FILTER_YES;
}

/* `value` is not 0 for a division. */
static __always_inline __u32 filter_alu(__u32 code, __u32 a, __u32 value)
{
	switch (BPF_OP(code)) {
	case BPF_ADD:
		return a + value;
	case BPF_SUB:
		return a - value;
	case BPF_MUL:
		return a * value;
	case BPF_DIV:
		return a / value;
	case BPF_MOD:
		return a % value;
	case BPF_OR:
		return a | value;
	case BPF_AND:
		return a & value;
	case BPF_XOR:
		return a ^ value;
	case BPF_LSH:
		return a << value % 32;
	case BPF_RSH:
		return a >> value % 32;
	}
	return -a; /* BPF_NEG */
}

static __always_inline bool filter_compare(__u32 code, __u32 a, __u32 value)
{
	switch (BPF_OP(code)) {
	case BPF_JEQ:
		return a == value;
	case BPF_JGT:
		return a > value;
	case BPF_JGE:
		return a >= value;
	}
	return a & value; /* BPF_JSET */
}

/* Jumps lead forward, so each of at most `insns` instructions runs once. */
static __always_inline enum filter_result filter_run(const struct filter_packet *p, __u32 insns)
{
	volatile struct filter_registers *r = p->r;
	__u32 at;

	r->a = r->x = 0;
	at = r->a;
#ifdef __BPF__
#pragma clang loop unroll(disable)
#endif
	for (__u32 i = 0; i < insns; i++) {
		const struct sock_filter *insn = insn_at(at++);
		__u32 code, k, operand, value = 0;
		enum filter_result result;

		if (!insn)
			return FILTER_NO;
		code = insn->code;
		k = insn->k;
		operand = BPF_SRC(code) == BPF_X ? r->x : k;
		switch (BPF_CLASS(code)) {
		case BPF_LD:
		case BPF_LDX:
			result = filter_load(p, code, k, &value);
			if (result != FILTER_YES)
				return result;
			if (BPF_CLASS(code) == BPF_LD)
				r->a = value;
			else
				r->x = value;
			break;
		case BPF_ST:
			r->mem[k % BPF_MEMWORDS] = r->a;
			break;
		case BPF_STX:
			r->mem[k % BPF_MEMWORDS] = r->x;
			break;
		case BPF_ALU:
			if (!operand && (BPF_OP(code) == BPF_DIV || BPF_OP(code) == BPF_MOD))
				return FILTER_NO;
			r->a = filter_alu(code, r->a, operand);
			break;
		case BPF_JMP:
			at += BPF_OP(code) == BPF_JA                ? k
			      : filter_compare(code, r->a, operand) ? insn->jt
								    : insn->jf;
			break;
		case BPF_RET:
			return (BPF_RVAL(code) == BPF_A ? r->a : k) ? FILTER_YES : FILTER_NO;
		default:
			if (BPF_MISCOP(code) == BPF_TXA)
				r->a = r->x;
			else
				r->x = r->a;
		}
	}
	return FILTER_NO;
}
