/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scene is one stimulus with everything it needs, in its own namespaces:
 *
 *     src:  feed <-> in     in runs the XDP program; feed sends to it if frames are packets
 *     dst:  out <-> peer    the target of redirects and its peer; out is in src if the redirect is
 *                           by ifindex
 *
 * So stimuli never share a device, a program or a map, and each series has one cause. Functions
 * return 0 or -errno; scene_open() and scene_fire() print the reason.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "expect.h"
#include "frame.h"
#include "link.h"
#include "netns.h"

struct scene;
struct bpf_program;
struct rig_bpf;

enum entry {
	ENTRY_NONE,    /* the stimulus sends no frames, or in its own way */
	ENTRY_LIVE,    /* live frames, or packets into native mode if the kernel lacks them */
	ENTRY_NATIVE,  /* program attached to `in` in native mode, packets from `feed` */
	ENTRY_GENERIC, /* the same in generic mode */
};

enum target {
	TARGET_NONE,
	TARGET_OTHER_NS,
	TARGET_SAME_NS,
	TARGET_LOOPBACK,
};

enum stimulus_flags {
	PEER_XDP = 1 << 0, /* an XDP program on the target's peer takes the frames */
	PEER_DOWN = 1 << 1,
	FEED_XDP = 1 << 2, /* an XDP program on `feed` takes what XDP_TX sends back */
	FEED_GRO = 1 << 3, /* GRO only: frames enter its ring, but nobody takes them out */
	TARGET_DOWN = 1 << 4,
	TARGET_JUMBO = 1 << 5, /* the target takes 3400 bytes, its peer only 1500 */
	NEEDS_LIVE = 1 << 6,   /* packets do not suffice */
	ALONE = 1 << 7,        /* its series is machine-wide: other stimuli would add to it */
	WAITS = 1 << 8,        /* ->fire sends plain frames and waits for their outcome */
};

struct stimulus {
	const char *name;
	const char *fires;
	const char *help;
	const char *program; /* at the ingress, in rig.bpf.c */
	const char *map;     /* the map that it redirects through; NULL = none */
	const char *egress;  /* the program of the devmap entry; NULL = none */
	enum entry entry;
	enum target target;
	unsigned int flags;
	uint32_t len;   /* length of a frame; 0 = 64 */
	uint32_t count; /* default without -n and =COUNT; 0 = 1000 */
	int err;        /* expected failure: -errno */
	/* Each may be NULL. */
	int (*prepare)(struct scene *scene); /* devices exist, programs are not loaded yet */
	int (*arm)(struct scene *scene);     /* after programs are loaded */
	int (*fire)(struct scene *scene, uint32_t count);
	int (*expect)(struct scene *scene); /* adds rows for everything that was fired */
	void (*disarm)(struct scene *scene);
};

struct scene_options {
	const char *ifname; /* of the ingress device, NULL = the default */
	const char *out_ifname;
	char named[32]; /* prefix of names below /run/netns, "" = anonymous */
	bool packets;   /* no live frames, even if they work */
	bool here;      /* the ingress is in the current namespace and stays there */
};

#define SCENE_ROWS 12

struct scene {
	const struct stimulus *stimulus;
	enum entry entry; /* the stimulus's, or what this kernel supports instead */
	bool has_live;    /* this kernel has live frames */
	struct netns src, dst, other;
	struct link in, feed, out, peer, in2, feed2;
	struct link more_out[2], more_peer[2]; /* of a broadcast */
	struct rig_bpf *bpf;
	struct bpf_program *program;
	struct bpf_program *egress; /* of the devmap entry, or NULL */
	int map_fd;                 /* of stimulus->map, or -1 */
	int attached[12];           /* XDP links, 0 = free */
	int xsk;                    /* AF_XDP socket, 0 = none */
	void *umem;
	/* fired so far */
	uint64_t frames;
	uint64_t runs;       /* test runs */
	uint64_t fed_frames; /* sent by AF_PACKET */
	uint64_t fed_bytes;
	uint64_t bulks_devmap; /* flushes of live frames: every 16, and after a batch */
	uint64_t bulks_cpumap; /* every 8 */
	struct link_counters start;
	char skip[96]; /* why this kernel cannot run it; "" = it can */
	struct expect rows[SCENE_ROWS];
	int n_rows;
};

int scene_open(struct scene *scene, const struct stimulus *stimulus,
	       const struct scene_options *options);
int scene_fire(struct scene *scene, uint32_t count);
/* Makes rows for everything fired since scene_open(), replacing the previous ones. */
int scene_expect(struct scene *scene);
void scene_close(struct scene *scene);

/* For the stimuli. */
int scene_fire_frames(struct scene *scene, uint32_t count);
int scene_attach(struct scene *scene, const struct link *link, const char *program, bool generic);
/* Waits until `in` has passed @dropped frames to the stack, which drops all of them. */
int scene_wait_dropped(const struct scene *scene, uint64_t dropped);
struct expect *scene_add_row(struct scene *scene, enum series_tracepoint tracepoint);
/* Prints "rig: STIMULUS: @what: reason" unless @err is 0 or -EINTR; returns @err. */
int scene_error(const struct scene *scene, const char *what, int err);
