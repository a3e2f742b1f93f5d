/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/*
 * Shared by perf.bpf.c and its loader: the fields of the tracepoints' records. Their offsets are
 * read from tracefs at start: the common fields are longer on some kernels (6.1-rt).
 */
#pragma once

enum perf_field {
	FIELD_PROG_ID,
	FIELD_ACT,
	FIELD_IFINDEX,
	FIELD_FROM_IFINDEX,
	FIELD_TO_IFINDEX,
	FIELD_ERR,
	FIELD_MAP_ID,
	FIELD_MAP_INDEX,
	FIELD_SENT,
	FIELD_DROPS,
	FIELD_PROCESSED,
	FIELD_TO_CPU,
	FIELD_SCHED,
	FIELD_XDP_PASS,
	FIELD_XDP_DROP,
	FIELD_XDP_REDIRECT,
	FIELD_LEN,
	FIELD_NAME, /* __data_loc: offset in the low half, length in the high one */
	FIELD_MSG,  /* the same */
	FIELD_MEM_ID,
	FIELD_MEM_TYPE,
	FIELD_COUNT,
};

/* Bytes of a record that are copied. All fields above are within them, and 4 bytes long. */
#define PERF_RECORD_SIZE 64
