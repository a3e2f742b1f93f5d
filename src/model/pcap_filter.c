// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/pcap_filter.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Instruction codes that the kernel allows (chk_code_allowed(), net/core/filter.c), by class. */
static const uint8_t allowed[] = {
	0x00, 0x60, 0x80, 0x20, 0x28, 0x30, 0x40, 0x48, 0x50,             /* load A */
	0x01, 0x61, 0x81, 0xb1, 0x02, 0x03,                               /* load X, store */
	0x04, 0x14, 0x24, 0x34, 0x44, 0x54, 0x64, 0x74, 0x84, 0x94, 0xa4, /* A = A op K */
	0x0c, 0x1c, 0x2c, 0x3c, 0x4c, 0x5c, 0x6c, 0x7c, 0x9c, 0xac,       /* A = A op X */
	0x05, 0x15, 0x1d, 0x25, 0x2d, 0x35, 0x3d, 0x45, 0x4d,             /* jump */
	0x06, 0x16, 0x07, 0x87,                                           /* return, move */
};

/* `left`: instructions after it. */
static bool is_valid(const struct sock_filter *insn, uint32_t left)
{
	if (!memchr(allowed, insn->code, sizeof(allowed)) ||
	    (!left && BPF_CLASS(insn->code) != BPF_RET))
		return false;
	switch (insn->code) {
	case BPF_LD | BPF_MEM:
	case BPF_LDX | BPF_MEM:
	case BPF_ST:
	case BPF_STX:
		return insn->k < BPF_MEMWORDS;
	case BPF_ALU | BPF_DIV | BPF_K:
	case BPF_ALU | BPF_MOD | BPF_K:
		return insn->k;
	case BPF_ALU | BPF_LSH | BPF_K:
	case BPF_ALU | BPF_RSH | BPF_K:
		return insn->k < 32;
	case BPF_JMP | BPF_JA:
		return insn->k < left;
	}
	return BPF_CLASS(insn->code) != BPF_JMP || (insn->jt < left && insn->jf < left);
}

int pcap_filter_parse(const char *text, struct capture_code *to, struct error *error)
{
	unsigned int n, code, jt, jf;
	unsigned long long k;
	int used = 0;

	to->n = 0;
	if (sscanf(text, "%7u%n", &n, &used) != 1 || !n)
		return error_set(error, -EINVAL, "it has no instructions");
	if (n > CAPTURE_INSNS)
		return error_set(error, -EINVAL,
				 "it has %u instructions, and the limit is %d; use fewer "
				 "comparisons",
				 n, CAPTURE_INSNS);
	for (unsigned int i = 0; i < n; i++) {
		text += used;
		if (sscanf(text, " %5u %3u %3u %10llu%n", &code, &jt, &jf, &k, &used) != 4)
			return error_set(error, -EINVAL, "its instruction %u is incomplete", i);
		to->insn[i] = (struct sock_filter){ (uint16_t)code, (uint8_t)jt, (uint8_t)jf,
						    (uint32_t)k };
		if (code == (BPF_JMP | BPF_JA) && k > n)
			return error_set(error, -EINVAL,
					 "it loops (protochain), which the kernel refuses");
		if (code > UINT8_MAX || jt > UINT8_MAX || jf > UINT8_MAX || k > UINT32_MAX ||
		    !is_valid(&to->insn[i], n - i - 1))
			return error_set(error, -EINVAL,
					 "its instruction %u (code %u) is not allowed", i, code);
	}
	to->n = n;
	return 0;
}
