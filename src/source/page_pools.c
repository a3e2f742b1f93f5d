// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/page_pools.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/array.h"
#include "base/clock.h"
#include "inventory/netdev_socket.h"
#include "schema/record_field.h"
#include "source/data_source.h"
#include "source/live_source.h"

#define READ_S    5
#define LIMIT_NS  (5 * (uint64_t)NSEC_PER_SEC) /* for an answer */
#define STALLED_S 60
#define STUCK     3

const struct page_pool *page_pools(const struct snapshot *s, size_t *n)
{
	return data_source_rows(s, DATA_SOURCE_PAGE_POOLS, n);
}

static uint64_t device_of(const void *row, unsigned int i)
{
	const struct page_pool *p = row;

	return p->ifindex ? row_number(p->netns, p->ifindex) : ROW_NO_NUMBER;
}

const struct row_key page_pools_by_device = { DATA_SOURCE_PAGE_POOLS, 1, .number = device_of };

double page_pool_age(const struct page_pool *p, const struct snapshot *s)
{
	int64_t ns = timespec_to_ns(&s->wall) - timespec_to_ns(&p->detached_at);

	return p->detached_at.tv_sec && ns > 0 ? ns_to_seconds(ns) : 0;
}

bool page_pool_is_stalled(const struct page_pool *p, const struct snapshot *s)
{
	return p->inflight && p->stuck >= STUCK && page_pool_age(p, s) > STALLED_S;
}

#define OF(m) ROW_MEMBER(struct page_pool, m)

/* clang-format off */
static const struct record_field fields[] = {
	FIELDS_OF_SNAPSHOT,
	ROW_FIELD_ID("netns", struct page_pool, netns),
	FIELD_TEXT("netns_name", 0, netns_name),
	ROW_FIELD_NUMBER("id", struct page_pool, id),
	ROW_FIELD_GONE("used", struct page_pool, gone),
	ROW_FIELD_ID("ifindex", struct page_pool, ifindex),
	ROW_FIELD_TEXT("ifname", struct page_pool, ifname),
	ROW_FIELD_ID("napi_id", struct page_pool, napi_id),
	ROW_FIELD_COUNT("inflight", struct page_pool, inflight),
	ROW_FIELD_COUNT("inflight_mem", struct page_pool, inflight_mem),
	FIELD("detached_at", TEXT, 0, field_get_known_time, field_set_time, OF(detached_at)),
	FIELD("stuck", COUNT, 0, field_get_u32, field_set_u32, OF(stuck),
	      KNOWN_BY(struct page_pool, detached_at.tv_sec)),
};
/* clang-format on */

static const struct record_object object = RECORD_OBJECT("page_pool", fields);

static int pool_compare(const void *a, const void *b)
{
	return compare_words(a, b, 2);
}

void page_pool_set(struct page_pool *to, const struct page_pool_message *m, uint32_t netns,
		   const struct page_pool *was, int64_t boot_ns, int64_t wall_ns)
{
	*to = (struct page_pool){ .netns = netns,
				  .id = m->id,
				  .ifindex = m->ifindex,
				  .napi_id = m->napi_id,
				  .inflight = m->inflight,
				  .inflight_mem = m->inflight_mem };
	/* without its device it has no ifindex */
	if (was && !to->ifindex)
		to->ifindex = was->ifindex;
	if (was && was->ifindex == to->ifindex)
		memcpy(to->ifname, was->ifname, sizeof(to->ifname));
	if (!m->detach_time)
		return;
	/* the time has whole seconds: take it once */
	if (was && was->detached_at.tv_sec)
		to->detached_at = was->detached_at;
	else if (m->detach_time < (uint64_t)(boot_ns / NSEC_PER_SEC) + 2)
		to->detached_at = ns_to_timespec(
			wall_ns - (boot_ns - (int64_t)m->detach_time * NSEC_PER_SEC));
	if (was && was->detached_at.tv_sec && to->inflight >= was->inflight)
		to->stuck = was->stuck + 1;
}

/* A thread reads the pools, because the kernel answers under rtnl_lock, which others can hold. */
struct page_pools_look {
	struct netdev_socket socket;
	uint16_t family;
	uint32_t netns;
	bool opened, started;
	struct live *live;
	/* Of the thread: */
	struct page_pool_message *message;
	size_t n_messages, cap_messages;
	bool no_memory;
	struct page_pool *fresh;
	size_t n_fresh, cap_fresh;
	pthread_t thread;
	/* Shared, and protected: */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop;
	struct page_pool *row;
	size_t n, cap;
};

static void take_message(void *ctx, const struct page_pool_message *m)
{
	struct page_pools_look *l = ctx;
	struct page_pool_message *to =
		l->n_messages < PAGE_POOLS_MAX
			? array_append(l->message, l->n_messages, l->cap_messages)
			: NULL;

	if (to)
		*to = *m;
	else
		l->no_memory |= l->n_messages < PAGE_POOLS_MAX;
}

static int read_pools(struct page_pools_look *l)
{
	l->n_messages = 0;
	return netdev_socket_page_pools(&l->socket, l->family, clock_ns() + LIMIT_NS, take_message,
					l);
}

static int64_t clock_of(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return timespec_to_ns(&t);
}

static const struct page_pool *find(const struct page_pools_look *l, uint32_t id)
{
	size_t at = array_lower_bound(l->row, l->n, e, e->id < id);

	return at < l->n && l->row[at].id == id ? &l->row[at] : NULL;
}

/* Replace the rows by what was read. The lock is held. */
static void merge(struct page_pools_look *l)
{
	int64_t boot_ns = clock_of(CLOCK_BOOTTIME), wall_ns = clock_of(CLOCK_REALTIME);
	struct page_pool *swap = l->row;
	size_t cap = l->cap, kept = 0;

	if (array_reserve(l->fresh, l->cap_fresh, l->n_messages))
		return;
	for (size_t i = 0; i < l->n_messages; i++)
		page_pool_set(&l->fresh[i], &l->message[i], l->netns, find(l, l->message[i].id),
			      boot_ns, wall_ns);
	array_sort(l->fresh, l->n_messages, sizeof(*l->fresh), pool_compare);
	/* a pool that moves to the loopback device during the dump can be in it twice */
	for (size_t i = 0; i < l->n_messages; i++)
		if (!kept || pool_compare(&l->fresh[kept - 1], &l->fresh[i]))
			l->fresh[kept++] = l->fresh[i];
	l->row = l->fresh;
	l->cap = l->cap_fresh;
	l->n = kept;
	l->fresh = swap;
	l->cap_fresh = cap;
}

static void *work(void *arg)
{
	struct page_pools_look *l = arg;

	pthread_mutex_lock(&l->lock);
	while (!l->stop) {
		struct timespec until;
		int err;

		pthread_mutex_unlock(&l->lock);
		err = read_pools(l);
		pthread_mutex_lock(&l->lock);
		if (!err && !l->no_memory)
			merge(l);
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += READ_S;
		while (!l->stop && !pthread_cond_timedwait(&l->wake, &l->lock, &until))
			;
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

static int pools_start(void *state)
{
	struct page_pools_look *l = state;
	sigset_t all, before;
	int err;

	/* signals belong to the main thread's signalfd */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&l->thread, NULL, work, l);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	l->started = !err;
	return -err;
}

static int pools_sample(void *state, struct snapshot *to)
{
	struct page_pools_look *l = state;
	int err = 0;

	pthread_mutex_lock(&l->lock);
	for (size_t i = 0; i < l->n && !err; i++) {
		struct page_pool *p = &l->row[i];
		const struct netdev *d = snapshot_find_netdev(to, p->netns, p->ifindex);

		/* a device has a pool for each queue, mostly in a row */
		if (!i || p->ifindex != p[-1].ifindex)
			err = live_need_netdev(l->live, p->netns, p->ifindex);
		if (d && !d->gone)
			memcpy(p->ifname, d->name, sizeof(p->ifname));
	}
	if (!err)
		err = snapshot_put_rows(to, DATA_SOURCE_PAGE_POOLS, l->row, l->n, sizeof(*l->row));
	pthread_mutex_unlock(&l->lock);
	return err;
}

static void pools_close(void *state)
{
	struct page_pools_look *l = state;

	if (l->started) {
		pthread_mutex_lock(&l->lock);
		l->stop = true;
		pthread_cond_signal(&l->wake);
		pthread_mutex_unlock(&l->lock);
		pthread_join(l->thread, NULL);
	}
	if (l->opened)
		netdev_socket_close(&l->socket);
	pthread_cond_destroy(&l->wake);
	pthread_mutex_destroy(&l->lock);
	free(l->message);
	free(l->fresh);
	free(l->row);
}

static int socket_open(struct page_pools_look *l)
{
	struct stat own;
	int err;

	l->family = netdev_socket_family(clock_ns() + LIMIT_NS);
	if (!l->family || stat("/proc/self/ns/net", &own))
		return -EOPNOTSUPP;
	l->netns = (uint32_t)own.st_ino;
	err = netdev_socket_open(&l->socket, false, l->family);
	l->opened = !err;
	return err ?: read_pools(l);
}

static int pools_open(void *state, struct live *live, struct error *error)
{
	struct page_pools_look *l = state;
	pthread_condattr_t attr;

	l->live = live;
	pthread_mutex_init(&l->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&l->wake, &attr);
	pthread_condattr_destroy(&attr);
	if (socket_open(l))
		return error_set(error, 1,
				 "page pools are not known: this needs Linux 6.8 or later");
	merge(l);
	return 0;
}

const struct data_source page_pools_source = {
	.name = "page_pools",
	.help = "page pools of devices in xdptop's network namespace, over generic netlink",
	.row_size = sizeof(struct page_pool),
	.key_size = offsetof(struct page_pool, gone),
	.gone = offsetof(struct page_pool, gone),
	.says_gone = true,
	.has_netns = true,
	.netns = offsetof(struct page_pool, netns),
	.max_rows = PAGE_POOLS_MAX,
	.record = &object,
	.state_size = sizeof(struct page_pools_look),
	.open = pools_open,
	.start = pools_start,
	.sample = pools_sample,
	.close = pools_close,
};
