/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/*
 * What the classic programs and their loader share: the fields of the tracepoints' records. Where
 * each lies is read from tracefs at start: common fields are longer on some kernels (6.1-rt).
 */
#ifndef XDPTOP_CLASSIC_H
#define XDPTOP_CLASSIC_H

enum classic_field {
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

/* So much of a record is copied; all fields above lie within it, and are 4 bytes long. */
#define CLASSIC_RECORD 64

#endif
