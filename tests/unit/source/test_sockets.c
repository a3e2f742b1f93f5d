// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters of a socket from the kernel's, which sockets are listed, and reading back a recording.
 */
#include "bpf/iter_records.h"
#include "inventory/xdp_socket_iter.h"
#include "source/data_source.h"
#include "source/live_source.h"
#include "source/sockets.h"
#include "unit/recording/made_recording.h"
#include "unit/test.h"

TEST(test_count)
{
	struct socket_record last = { 0 }, now = {
		.netns = 1,
		.rx = { .size = 64, .producer = 0xfffffff0, .consumer = 0xffffffe0 },
		.tx = { .size = 32, .producer = 40, .consumer = 40 },
		.fill = { .size = 16, .producer = 2, .consumer = 0xfffffffe },
		.rx_dropped = 7,
		.tx_ring_empty = 9,
	};
	struct xdp_socket_ahead ahead = { 0 };
	struct xdp_socket row = { 0 };

	/* counts from before it was first seen */
	xdp_socket_count(&row, &now, &last, &ahead);
	assert_int_equal(row.received, 0xfffffff0);
	assert_int_equal(row.transmitted, 40);
	assert_int_equal(row.rx_dropped, 7);
	assert_int_equal(row.tx_ring_empty, 9);
	assert_int_equal(row.rx.size, 64);
	assert_int_equal(row.rx.fill, 16);
	assert_int_equal(row.tx.fill, 0);
	assert_int_equal(row.fill.fill, 4);
	assert_int_equal(row.completion.size, 0);
	/* the ends of rings wrap, but the sums do not */
	last = now;
	now.rx.producer += 0x30;
	now.fill.consumer += 5;
	now.rx_dropped++;
	xdp_socket_count(&row, &now, &last, &ahead);
	assert_int_equal(row.received, 0x100000020);
	assert_int_equal(row.fill_taken, (uint64_t)0xfffffffe + 5);
	assert_int_equal(row.rx_dropped, 8);
	/* 0x40 frames wait; its program wrote an impossible end of the fill ring */
	assert_int_equal(row.rx.fill, 64);
	assert_int_equal(row.fill.fill, 16);
}

/* Its inode was reused. */
TEST(test_other)
{
	struct socket_record last = {
		.netns = 1, .rx = { .producer = 100 }, .tx = { .consumer = 50 }, .rx_dropped = 7,
	}, now = {
		.netns = 1, .rx = { .producer = 3 }, .tx = { .consumer = 2 }, .rx_dropped = 1,
	};
	struct xdp_socket_ahead ahead = { 0 };
	struct xdp_socket row = { .received = 100, .transmitted = 50, .rx_dropped = 7 };

	xdp_socket_count(&row, &now, &last, &ahead);
	assert_int_equal(row.received, 103);
	assert_int_equal(row.transmitted, 52);
	assert_int_equal(row.rx_dropped, 8);
	/* in another namespace, with the same counts */
	last = now;
	now.netns = 2;
	xdp_socket_count(&row, &now, &last, &ahead);
	assert_int_equal(row.received, 106);
	assert_int_equal(row.rx_dropped, 9);
}

/*
 * Invalid entries are neither buffers nor frames, and may be counted before the ring's end moves.
 */
TEST(test_invalid)
{
	static const struct {
		uint32_t consumer;
		uint64_t invalid, taken; /* before this look */
	} steps[] = {
		{ 10, 3, 7 },  { 10, 5, 7 },  { 12, 5, 7 },   { 13, 5, 8 },
		{ 20, 9, 11 }, { 20, 9, 11 }, { 21, 10, 11 },
	};
	struct socket_record last = { 0 }, now = { .netns = 1, .fill.size = 16, .tx.size = 16 };
	struct xdp_socket_ahead ahead = { 0 };
	struct xdp_socket row = { 0 };

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		now.fill.consumer = now.tx.consumer = steps[i].consumer;
		now.fill_invalid = now.tx_invalid = steps[i].invalid;
		xdp_socket_count(&row, &now, &last, &ahead);
		assert_int_equal(row.fill_taken, steps[i].taken);
		assert_int_equal(row.transmitted, steps[i].taken);
		assert_int_equal(row.fill_invalid, steps[i].invalid);
		last = now;
	}
	/* the end wrapped before the first look: what was taken until then is unknown */
	row = (struct xdp_socket){ 0 };
	now.fill.consumer = 5;
	now.fill_invalid = 1000;
	xdp_socket_count(&row, &now, &(struct socket_record){ 0 }, &ahead);
	last = now;
	now.fill.consumer = 5 + 16 + 100;
	xdp_socket_count(&row, &now, &last, &ahead);
	assert_int_equal(row.fill_taken, 100);
}

/* Replaces the walk of the kernel: namespaces 1, 2, ... */
static struct {
	uint32_t sockets[3 * SOCKETS_LEFT_OUT_MAX * 2];
	uint32_t n;
	int err; /* result of a walk */
} kernel;

bool xdp_socket_iter_works(struct bpf_iters *it, struct error *error)
{
	return true;
}

int xdp_socket_iter_run(struct bpf_iters *it, uint32_t limit,
			int (*fn)(void *ctx, const struct socket_record *record), void *ctx)
{
	int err = 0;

	for (uint32_t i = 0; i < kernel.n; i++) {
		struct socket_record r = { .netns = i + 1 };

		for (uint32_t k = 0; k < kernel.sockets[i] && k < limit && !err; k++) {
			r.inode = (i + 1) * 100000 + k;
			err = fn(ctx, &r);
		}
		r.inode = 0;
		r.left_out = kernel.sockets[i] - limit;
		if (kernel.sockets[i] > limit && !err)
			err = fn(ctx, &r);
	}
	return err ?: kernel.err;
}

struct walks {
	struct live live;
	void *state, *left_out;
	struct snapshot to;
};

static void walk_begin(struct walks *w)
{
	struct error error = { 0 };

	*w = (struct walks){ 0 };
	w->state = calloc(1, data_sources[DATA_SOURCE_SOCKETS]->state_size);
	w->left_out = calloc(1, data_sources[DATA_SOURCE_SOCKETS_LEFT_OUT]->state_size);
	assert_int_equal(data_sources[DATA_SOURCE_SOCKETS]->open(w->state, &w->live, &error), 0);
	assert_int_equal(
		data_sources[DATA_SOURCE_SOCKETS_LEFT_OUT]->open(w->left_out, &w->live, &error), 0);
}

static void walk_again(struct walks *w)
{
	snapshot_clear(&w->to);
	assert_int_equal(data_sources[DATA_SOURCE_SOCKETS]->sample(w->state, &w->to), 0);
	assert_int_equal(data_sources[DATA_SOURCE_SOCKETS_LEFT_OUT]->sample(w->left_out, &w->to),
			 0);
}

static void walk_end(struct walks *w)
{
	data_sources[DATA_SOURCE_SOCKETS]->close(w->state);
	free(w->left_out);
	free(w->state);
	snapshot_free(&w->to);
}

static size_t listed(const struct walks *w, uint32_t netns)
{
	size_t n, found = 0;
	const struct xdp_socket *s = xdp_sockets(&w->to, &n);

	for (size_t i = 0; i < n; i++)
		found += s[i].netns == netns;
	return found;
}

/* However many sockets a user has: each namespace gets its share, and unlisted ones are counted. */
TEST(test_share)
{
	struct walks w;

	kernel = (__typeof__(kernel)){ .sockets = { 3, 50000, 40000, 5 }, .n = 4 };
	walk_begin(&w);
	walk_again(&w);
	assert_int_equal(listed(&w, 1), 3);
	assert_int_equal(listed(&w, 4), 5);
	assert_true(listed(&w, 2) >= XDP_SOCKETS_MAX / 4 && listed(&w, 2) == listed(&w, 3));
	assert_int_equal(xdp_sockets_left_out(&w.to), 90000 - listed(&w, 2) - listed(&w, 3));
	assert_true(xdp_sockets_complete(&w.to, 1) && xdp_sockets_complete(&w.to, 4));
	assert_false(xdp_sockets_complete(&w.to, 2) || xdp_sockets_complete(&w.to, 3));
	/* places of closed sockets go to the others, though not at once */
	kernel.sockets[2] = 0;
	for (uint32_t i = 0; i < 20; i++)
		walk_again(&w);
	assert_true(listed(&w, 2) > XDP_SOCKETS_MAX / 4);
	assert_int_equal(listed(&w, 4), 5);
	kernel.sockets[1] = XDP_SOCKETS_MAX - 8;
	for (uint32_t i = 0; i < 20; i++)
		walk_again(&w);
	assert_int_equal(listed(&w, 2), XDP_SOCKETS_MAX - 8);
	assert_int_equal(xdp_sockets_left_out(&w.to), 0);
	assert_true(xdp_sockets_complete(&w.to, 2));
	/* an interrupted walk may have missed any */
	kernel.err = -EINTR;
	walk_again(&w);
	assert_int_equal(listed(&w, 4), 5);
	assert_false(xdp_sockets_complete(&w.to, 4));
	walk_end(&w);
}

/* More namespaces than places: a namespace without one is not taken as having no sockets. */
TEST(test_namespaces)
{
	const uint32_t n = sizeof(kernel.sockets) / sizeof(kernel.sockets[0]);
	struct walks w;
	size_t rows;

	kernel = (__typeof__(kernel)){ .n = n };
	for (uint32_t i = 0; i < n; i++)
		kernel.sockets[i] = 2;
	walk_begin(&w);
	walk_again(&w);
	assert_int_equal(listed(&w, 1), 1);
	assert_int_equal(listed(&w, XDP_SOCKETS_MAX), 1);
	assert_int_equal(xdp_sockets_left_out(&w.to), 2 * n - XDP_SOCKETS_MAX);
	data_source_rows(&w.to, DATA_SOURCE_SOCKETS_LEFT_OUT, &rows);
	assert_true(rows <= SOCKETS_LEFT_OUT_MAX);
	for (uint32_t i = 1; i <= n; i++)
		assert_false(xdp_sockets_complete(&w.to, i));
	walk_end(&w);
}

#define AT(type, seq, second)                                                                      \
	"{\"type\":\"" type "\",\"seq\":" seq ",\"time\":\"2026-11-21T09:15:" second ".123456Z\"," \
	"\"interval_s\":1,\"inode\":77,"

#define LEFT_OUT(seq, second, how)          \
	AT("sockets_left_out", seq, second) \
	"\"netns\":4026531840,\"state\":\"" how "\",\"left_out\":9}\n"

TEST(test_replay)
{
#define BOUND                                                                             \
	"\"netns\":4026531840,\"state\":\"bound\",\"ifindex\":3,\"ifname\":\"eth0\","     \
	"\"queue\":0,\"queues\":4,\"zerocopy\":1,\"pid\":42,\"comm\":\"fwd\","            \
	"\"umem_size\":8589934592,\"chunk_size\":4096,\"rx_size\":64,\"fill_size\":2048," \
	"\"tx_size\":null,\"tx_fill\":null,"
	static const char row_1[] = AT("socket", "1", "01") BOUND
		"\"rx_fill\":5,\"fill_fill\":0,\"received\":10,\"received_total\":110,"
		"\"rx_dropped\":1,\"rx_dropped_total\":3}\n";
	static const char row_2[] = AT("socket", "2", "02") BOUND
		"\"rx_fill\":6,\"fill_fill\":9,\"received\":4,\"received_total\":114,"
		"\"rx_dropped\":0,\"rx_dropped_total\":3,\"rx_fill_ring_empty\":2,"
		"\"rx_fill_ring_empty_total\":2}\n" LEFT_OUT("2", "02", "counted");
	static const char gone_3[] =
		AT("socket", "3", "03") "\"state\":\"gone\"}\n" LEFT_OUT("3", "03", "gone");
	struct source *source = replay_with((const char *[]){ row_1, row_2, gone_3 }, 3);
	const struct xdp_socket *row;
	struct snapshot to = { 0 };
	size_t n;

	/* the state before the first interval */
	assert_int_equal(sample_next(source, &to), 0);
	row = xdp_sockets(&to, &n);
	assert_int_equal(n, 1);
	assert_int_equal(row->received, 100);
	assert_int_equal(row->rx_dropped, 2);
	snapshot_clear(&to);
	assert_int_equal(sample_next(source, &to), 0);
	row = xdp_socket_find(&to, 77);
	assert_non_null(row);
	assert_null(xdp_socket_find(&to, 78));
	assert_int_equal(row->state, XDP_SOCKET_BOUND);
	assert_string_equal(row->ifname, "eth0");
	assert_int_equal(row->queues, 4);
	assert_true(row->zerocopy);
	assert_int_equal(row->pid, 42);
	assert_string_equal(row->comm, "fwd");
	assert_int_equal(row->umem_size, 2 * 4294967296);
	assert_int_equal(row->rx.fill, 5);
	assert_int_equal(row->fill.size, 2048);
	assert_int_equal(row->fill.fill, 0);
	assert_int_equal(row->tx.size, 0);
	assert_int_equal(row->received, 110);
	snapshot_clear(&to);
	assert_int_equal(sample_next(source, &to), 0);
	row = xdp_socket_find(&to, 77);
	assert_non_null(row);
	assert_string_equal(row->comm, "fwd");
	assert_int_equal(row->rx.fill, 6);
	assert_int_equal(row->fill.fill, 9);
	assert_int_equal(row->received, 114);
	assert_int_equal(row->rx_fill_ring_empty, 2);
	assert_int_equal(row->rx_dropped, 3);
	assert_int_equal(xdp_sockets_left_out(&to), 9);
	assert_false(xdp_sockets_complete(&to, 4026531840u));
	assert_true(xdp_sockets_complete(&to, 4026531841u));
	snapshot_clear(&to);
	assert_int_equal(sample_next(source, &to), 0);
	assert_null(xdp_socket_find(&to, 77));
	assert_true(xdp_sockets_complete(&to, 4026531840u));
	source->ops->close(source);
	snapshot_free(&to);
}
