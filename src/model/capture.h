/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captured packets: which ones are wanted, and what is known of each. Snapshots have at most how
 * many there were of a kind (source/packet_kinds.h).
 */
#pragma once

#include "bpf/capture.h"
#include "model/snapshot.h"

#define CAPTURE_RATE_DEFAULT 10

enum captures_config {
	CAPTURES_NONE,
	CAPTURES_AFTER, /* packets can be copied at the end of programs */
	CAPTURES_BOTH,  /* and at their beginning: --capture-both */
};

/* A pcap filter: classic BPF, checked by pcap_filter_parse(). */
struct capture_code {
	uint32_t n; /* instructions; 0 = every packet matches */
	struct sock_filter insn[CAPTURE_INSNS];
};

/* What a program (bpf/capture.bpf.c) compares. */
struct capture_choices {
	uint32_t acts; /* bits 1 << verdict */
	uint32_t rate; /* limit of packets per second, at most CAPTURE_RATE_MAX */
	uint32_t n;    /* 0 = every packet with such a verdict */
	struct capture_choice choice[CAPTURE_CHOICES];
	struct capture_code code;
};

/* The same for any program. A packet is wanted if it matches one of the choices, and the code. */
struct capture_filter {
	struct capture_code code;
	uint32_t acts, rate, n;
	struct capture_program_choice {
		struct capture_choice words;
		uint32_t prog_id;   /* 0 = any */
		char prog_name[64]; /* `*` is any text; "" = any */
	} choice[CAPTURE_CHOICES];
};

/* The choices for a program; false = none of its packets is wanted. */
bool capture_filter_program(const struct capture_filter *f, uint32_t prog_id, const char *prog_name,
			    struct capture_choices *to);

/* Packets that matched. The difference between `matched` and the others was copied. */
struct capture_counts {
	uint64_t matched;
	uint64_t refused; /* the rate was used up */
	uint64_t lost;    /* no room in the ring */
	uint64_t unread;  /* do not match: bytes that the code compares could not be read */
};

void capture_counts_add(struct capture_counts *to, const struct capture_counts *n);

struct packet {
	struct timespec time;
	/* printable; netns "" = it has no name */
	char ifname[CAPTURE_NAME_LEN + 1], netns[64], prog_name[SNAPSHOT_NAME_LEN];
	struct capture_record record;
};

typedef void (*packet_fn)(void *ctx, const struct packet *p);
/* A packet_fn for those who want what snapshots have of them. */
void packet_ignore(void *ctx, const struct packet *p);
/* Every packet of every program. */
struct capture_filter capture_filter_all(uint32_t rate);
