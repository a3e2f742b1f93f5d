// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/netdev_monitor.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "inventory/netns_sockets.h"
#include "inventory/bpf_iters.h"
#include "inventory/netdev_iter.h"
#include "base/clock.h"
#include "base/memory.h"

/*
 * Walks take at most 1/WALK_SHARE of a CPU. Walks after failure events may take another
 * 1/NEWS_SHARE, so that the first failure after a while finds the current devices.
 */
#define WALK_SHARE    100
#define NEWS_SHARE    10
#define OPEN_LIMIT_NS (2 * NSEC_PER_SEC) /* for all dumps at start */
/* for the dumps between two samples; the rest wait for the next */
#define ROUND_LIMIT_NS (5 * NSEC_PER_MSEC)
#define STOP_LIMIT_NS  NSEC_PER_SEC
/* A change in the lists interrupts a walk, on a busy machine often several times in a row. */
#define OPEN_WALKS    20
#define OPEN_PAUSE_NS NSEC_PER_MSEC
#define WAKE          UINT64_MAX /* epoll data of the eventfd */
#define ENTER_MAX     16         /* namespaces that wait for the thread */
/*
 * Any user can flood their own namespace with datagrams. These are read after a pause in which most
 * of them overflow the queue, so that they cost little. A request ends the pause.
 */
#define READ_PAUSE_MS 10

struct netdev_monitor {
	struct netns_sockets *sockets;
	struct bpf_iters *walk; /* NULL = kernel before 5.17 */
	int walk_error;         /* why the first walk failed, which leaves walk NULL; or 0 */
	uint64_t walk_due_ns, news_due_ns, walk_cpu_ns;
	uint64_t walked_ns; /* when the last complete walk began */
	int epoll, wake;
	pthread_t thread;
	bool started;
	/* shared by both threads under store.lock, which is never held while waiting */
	struct netdev_store store;
	pthread_cond_t done;
	bool stop, leave, counts; /* counts: the next round also reads counters and settings */
	uint64_t asked, answered;
	size_t unreadable; /* namespaces whose devices are unknown */
	int opener;        /* inventory/netns_opener.h; -1 = none, or it has ended */
	struct enter {
		uint32_t netns;
		pid_t pid;
	} enter[ENTER_MAX];
	size_t n_enter;
};

/* The first walk comes before the sockets. */
static bool has_links(const struct netdev_monitor *d, uint32_t netns)
{
	return d->sockets && netns_sockets_has_links(d->sockets, netns);
}

static void walk_take(void *ctx, const struct link_message *m)
{
	struct netdev_monitor *d = ctx;
	struct netdev_table *t = &d->store.table;
	uint32_t netns = m->device.netns;

	pthread_mutex_lock(&d->store.lock);
	/* in a namespace with such sockets, netlink reports new devices */
	if (!has_links(d, netns) || !netdev_table_find(t, netns, m->device.ifindex))
		netdev_table_take(t, netdev_table_netns(t, netns), m);
	netdev_table_walked(t, m);
	/* the walk sees both ends; netlink only has an nsid for the other namespace */
	if (m->device.peer_netns)
		netdev_table_resolve(t, m, m->device.peer_netns);
	pthread_mutex_unlock(&d->store.lock);
}

/* Call fn for each namespace whose devices only the walk knows. */
static void for_each_walked(struct netdev_monitor *d,
			    void (*fn)(struct netdev_table *t, struct netdev_netns *ns))
{
	pthread_mutex_lock(&d->store.lock);
	for (size_t i = 0; i < d->store.table.n; i++)
		if (!has_links(d, d->store.table.netns[i].netns))
			fn(&d->store.table, &d->store.table.netns[i]);
	pthread_mutex_unlock(&d->store.lock);
}

static uint64_t cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return timespec_to_ns(&used);
}

/* As netdev_iter_run(). */
static int netns_walk(struct netdev_monitor *d)
{
	uint64_t start = clock_ns(), used = cpu_ns();
	int err = -EINTR;

	for (int tries = 2; tries && err == -EINTR; tries--) {
		for_each_walked(d, netdev_table_dump_begin);
		err = netdev_iter_run(d->walk, walk_take, d);
	}
	if (!err)
		for_each_walked(d, netdev_table_dump_end);
	d->walk_cpu_ns = cpu_ns() - used;
	d->walk_due_ns = start + d->walk_cpu_ns * WALK_SHARE;
	if (!err)
		d->walked_ns = start;
	return err;
}

static void enter_later(struct netdev_monitor *d)
{
	struct enter enter[ENTER_MAX];
	int err = 0;
	size_t n;

	pthread_mutex_lock(&d->store.lock);
	n = d->n_enter;
	memcpy(enter, d->enter, n * sizeof(*enter));
	d->n_enter = 0;
	pthread_mutex_unlock(&d->store.lock);
	for (size_t i = 0; i < n && err != -EPIPE; i++)
		err = netns_sockets_enter(d->sockets, d->opener, enter[i].netns, enter[i].pid);
	if (err != -EPIPE)
		return;
	pthread_mutex_lock(&d->store.lock);
	close(d->opener);
	d->opener = -1;
	pthread_mutex_unlock(&d->store.lock);
}

/* Serve requests of the other thread; false = stop. */
static bool monitor_serve(struct netdev_monitor *d)
{
	bool stop, leave, counts;
	uint64_t asked;

	if (read(d->wake, &asked, sizeof(asked)) < 0)
		return true;
	pthread_mutex_lock(&d->store.lock);
	asked = d->asked;
	stop = d->stop;
	leave = d->leave;
	counts = d->counts;
	d->leave = d->counts = false;
	pthread_mutex_unlock(&d->store.lock);
	if (leave) {
		netns_sockets_leave(d->sockets);
	} else if (!stop) {
		/* counters of this interval first, because the next sample does not wait long */
		if (counts)
			netns_sockets_count(d->sockets, ROUND_LIMIT_NS);
		netns_sockets_refresh(d->sockets, ROUND_LIMIT_NS);
		if (counts)
			netns_sockets_ask(d->sockets, ROUND_LIMIT_NS / 2);
	}
	pthread_mutex_lock(&d->store.lock);
	d->unreadable = d->walk ? 0 : netns_sockets_unreadable(d->sockets);
	d->answered = asked;
	pthread_cond_signal(&d->done);
	pthread_mutex_unlock(&d->store.lock);
	if (!stop && !leave)
		enter_later(d);
	return !stop;
}

static void *monitor_work(void *arg)
{
	struct netdev_monitor *d = arg;
	struct pollfd wake = { .fd = d->wake, .events = POLLIN };
	struct epoll_event ready[64];
	bool go = true;

	while (go) {
		int n = epoll_wait(d->epoll, ready, 64, -1);
		bool asked = false;

		/* notifications first, so that the answer to a request includes them */
		for (int i = 0; i < n; i++) {
			if (ready[i].data.u64 == WAKE)
				asked = true;
			else
				netns_sockets_ready(d->sockets, ready[i].data.u64);
		}
		if (asked)
			go = monitor_serve(d);
		else if (n > 0)
			poll(&wake, 1, READ_PAUSE_MS);
		else if (errno != EINTR)
			go = false;
	}
	return NULL;
}

static int first_walk(struct netdev_monitor *d)
{
	int err = netns_walk(d);

	for (int i = 1; err == -EINTR && i < OPEN_WALKS; i++) {
		struct timespec pause = ns_to_timespec(OPEN_PAUSE_NS);

		nanosleep(&pause, NULL);
		err = netns_walk(d);
	}
	return err;
}

/* Namespaces with XDP come first. */
static void find_counted(const struct netdev_monitor *d, const struct netdev_ref *others, size_t n,
			 struct netns_set *counted)
{
	const struct netdev_table *t = &d->store.table;

	for (size_t i = 0; i < t->n; i++)
		if (netdev_table_has_xdp(t, &t->netns[i]) ||
		    netdev_table_has_wanted(t, &t->netns[i]))
			netns_set_add(counted, t->netns[i].netns, NETNS_COUNTED_MAX);
	for (size_t i = 0; i < n; i++) {
		const struct netdev_entry *e =
			netdev_table_find(t, others[i].netns, others[i].ifindex);

		netns_set_add(counted, others[i].netns, NETNS_COUNTED_MAX);
		if (e && e->link.device.peer_netns)
			netns_set_add(counted, e->link.device.peer_netns, NETNS_COUNTED_MAX);
	}
}

static int open_all(struct netdev_monitor *d, struct bpf_iters *iterators, const char *ifname,
		    const struct netdev_ref *others, size_t n, struct netns_owners *owners)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = WAKE };
	struct netns_set counted = { 0 };
	int err;

	d->epoll = epoll_create1(EPOLL_CLOEXEC);
	d->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (d->epoll < 0 || d->wake < 0 || epoll_ctl(d->epoll, EPOLL_CTL_ADD, d->wake, &e))
		return -errno;
	if (bpf_iters_has(iterators, ITER_WALK))
		d->walk = iterators;
	if (d->walk)
		d->walk_error = first_walk(d);
	/* without a walk use netlink, and forget devices that netlink cannot ask for */
	if (d->walk_error) {
		d->walk = NULL;
		netdev_table_free(&d->store.table);
	}
	snprintf(d->store.table.wanted, sizeof(d->store.table.wanted), "%s", ifname);
	if (d->walk)
		find_counted(d, others, n, &counted);
	err = netns_sockets_open(&d->sockets, &d->store, d->walk ? &counted : NULL, d->epoll,
				 owners);
	netns_set_free(&counted);
	if (err)
		return err;
	netns_sockets_refresh(d->sockets, OPEN_LIMIT_NS);
	d->unreadable = d->walk ? 0 : netns_sockets_unreadable(d->sockets);
	return 0;
}

int netdev_monitor_open(struct netdev_monitor **out, struct bpf_iters *iterators,
			const char *ifname, const struct netdev_ref *others, size_t n,
			struct netns_owners *owners)
{
	struct netdev_monitor *d = memory_new(1, sizeof(*d));
	pthread_condattr_t attr;
	int err;

	*out = NULL;
	d->epoll = d->wake = d->opener = -1;
	pthread_mutex_init(&d->store.lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&d->done, &attr);
	pthread_condattr_destroy(&attr);
	err = open_all(d, iterators, ifname, others, n, owners);
	if (err) {
		netdev_monitor_close(d);
		return err;
	}
	*out = d;
	return 0;
}

int netdev_monitor_start(struct netdev_monitor *d)
{
	sigset_t all, before;
	int err;

	if (d->started)
		return 0;
	/* signals go to the main thread's signalfd */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = -pthread_create(&d->thread, NULL, monitor_work, d);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	d->started = !err;
	return err;
}

/* Wake the thread for a request; called with the lock. */
static void wake(struct netdev_monitor *d)
{
	uint64_t one = 1;

	d->asked++;
	(void)!write(d->wake, &one, sizeof(one));
}

/* Wait until all requests are served; false = wait_ns has passed. With the lock. */
static bool wait_served(struct netdev_monitor *d, uint64_t wait_ns)
{
	struct timespec until = ns_to_timespec(clock_ns() + wait_ns);
	int err = 0;

	while (!err && d->answered < d->asked)
		err = pthread_cond_timedwait(&d->done, &d->store.lock, &until);
	return d->answered >= d->asked;
}

void netdev_monitor_refresh(struct netdev_monitor *d, unsigned int wait_ms)
{
	if (!d->started)
		return;
	pthread_mutex_lock(&d->store.lock);
	d->counts = true;
	wake(d);
	pthread_mutex_unlock(&d->store.lock);
	/*
	 * walk on this thread, because the other may wait for rtnl_lock, held by a driver that
	 * attaches XDP
	 */
	if (d->walk && clock_ns() >= d->walk_due_ns)
		netns_walk(d);
	pthread_mutex_lock(&d->store.lock);
	wait_served(d, wait_ms * NSEC_PER_MSEC);
	pthread_mutex_unlock(&d->store.lock);
}

void netdev_monitor_look(struct netdev_monitor *d)
{
	if (!d->started)
		return;
	if (d->walk) {
		/* half as often as in refresh, since looking costs more than the walk */
		if (clock_ns() >= d->walk_due_ns + d->walk_cpu_ns * WALK_SHARE)
			netns_walk(d);
		return;
	}
	pthread_mutex_lock(&d->store.lock);
	wake(d);
	pthread_mutex_unlock(&d->store.lock);
}

void netdev_monitor_news(struct netdev_monitor *d, uint64_t mono_ns)
{
	uint64_t now = clock_ns();

	if (!d->started || netdev_monitor_known_ns(d) >= mono_ns || now < d->news_due_ns)
		return;
	netns_walk(d);
	d->news_due_ns = now + d->walk_cpu_ns * NEWS_SHARE;
}

uint64_t netdev_monitor_known_ns(const struct netdev_monitor *d)
{
	return d->walk ? d->walked_ns : clock_ns();
}

void netdev_monitor_uncounted(struct netdev_monitor *d, struct netns_set *to)
{
	const struct netdev_table *t = &d->store.table;

	if (!d->walk)
		return;
	pthread_mutex_lock(&d->store.lock);
	for (size_t i = 0; i < t->n && d->opener >= 0; i++)
		if (netdev_table_has_xdp(t, &t->netns[i]) &&
		    !netns_sockets_has(d->sockets, t->netns[i].netns))
			netns_set_add(to, t->netns[i].netns, NETNS_COUNTED_MAX);
	pthread_mutex_unlock(&d->store.lock);
}

void netdev_monitor_set_opener(struct netdev_monitor *d, int opener)
{
	d->opener = opener;
}

bool netdev_monitor_has_opener(struct netdev_monitor *d)
{
	bool has;

	pthread_mutex_lock(&d->store.lock);
	has = d->opener >= 0;
	pthread_mutex_unlock(&d->store.lock);
	return has;
}

bool netdev_monitor_enter(struct netdev_monitor *d, uint32_t netns, pid_t pid)
{
	bool room;

	pthread_mutex_lock(&d->store.lock);
	room = d->started && d->n_enter < ENTER_MAX;
	if (room) {
		d->enter[d->n_enter++] = (struct enter){ netns, pid };
		wake(d);
	}
	pthread_mutex_unlock(&d->store.lock);
	return room;
}

void netdev_monitor_leave(struct netdev_monitor *d)
{
	if (!d->started) {
		netns_sockets_leave(d->sockets);
		return;
	}
	pthread_mutex_lock(&d->store.lock);
	d->leave = true;
	wake(d);
	wait_served(d, STOP_LIMIT_NS);
	pthread_mutex_unlock(&d->store.lock);
}

struct netdev_table *netdev_monitor_hold(struct netdev_monitor *d)
{
	pthread_mutex_lock(&d->store.lock);
	return &d->store.table;
}

void netdev_monitor_release(struct netdev_monitor *d)
{
	pthread_mutex_unlock(&d->store.lock);
}

enum netdev_coverage netdev_monitor_coverage(const struct netdev_monitor *d)
{
	return d->walk ? NETDEVS_ALL : NETDEVS_AT_START;
}

int netdev_monitor_pools_error(const struct netdev_monitor *d)
{
	return netns_sockets_pools_error(d->sockets);
}

int netdev_monitor_walk_error(const struct netdev_monitor *d)
{
	return d->walk_error;
}

size_t netdev_monitor_unreadable(struct netdev_monitor *d)
{
	size_t n;

	pthread_mutex_lock(&d->store.lock);
	n = d->unreadable;
	pthread_mutex_unlock(&d->store.lock);
	return n;
}

void netdev_monitor_close(struct netdev_monitor *d)
{
	bool ended;

	if (!d)
		return;
	if (d->started) {
		pthread_mutex_lock(&d->store.lock);
		d->stop = true;
		wake(d);
		ended = wait_served(d, STOP_LIMIT_NS);
		pthread_mutex_unlock(&d->store.lock);
		/* the thread is waiting for rtnl_lock; the exiting process must not wait for it */
		if (!ended)
			return;
		pthread_join(d->thread, NULL);
	}
	netns_sockets_close(d->sockets);
	netdev_table_free(&d->store.table);
	if (d->epoll >= 0)
		close(d->epoll);
	if (d->wake >= 0)
		close(d->wake);
	if (d->opener >= 0)
		close(d->opener);
	pthread_mutex_destroy(&d->store.lock);
	pthread_cond_destroy(&d->done);
	free(d);
}
