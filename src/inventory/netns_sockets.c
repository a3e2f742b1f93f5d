// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/netns_sockets.h"

#include <errno.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <unistd.h>
#include "inventory/driver_counters.h"
#include "inventory/netdev_ethtool.h"
#include "inventory/netns_opener.h"
#include "inventory/queue_irqs.h"
#include "inventory/queue_message.h"
#include "base/array.h"
#include "base/clock.h"

/* Dumps of one namespace take at most 1/DUMP_SHARE of the time. */
#define DUMP_EVERY_NS (50 * NSEC_PER_MSEC)
#define DUMP_SHARE    100
#define DUMP_LIMIT_NS (500 * NSEC_PER_MSEC) /* of one dump */
/* Drivers wait for firmware, or wake the device. */
#define COUNTS_EVERY_NS (5 * NSEC_PER_SEC)
/* Not less: the kernel's counters of the interval are read some ms earlier than the driver's. */
#define COUNTS_SOON_NS    (NSEC_PER_SEC / 2)
#define SETTINGS_EVERY_NS (10 * NSEC_PER_SEC)
#define QUEUES_EVERY_NS   (5 * NSEC_PER_SEC)
#define POOLS_EVERY_NS    (5 * NSEC_PER_SEC)
#define TOGETHER_FROM     32
#define RESOLVE_MAX       64 /* peers resolved per round */
#define FDS_PER_NETNS     8  /* two sockets, three files, the namespace, two processes */
#define FDS_ELSE          128

/* Low byte of the epoll data: what became readable. */
enum ready { READY_FILES, READY_LINKS, READY_PROCESS };

struct netns_socket {
	struct netns_handle *handle;
	struct netdev_store *store;
	struct netdev_socket socket;
	struct netdev_listener listener;
	uint64_t due_ns; /* of the next dump */
	uint64_t pools_due_ns, counted_ns;
	struct netdev counts; /* those of the namespace, as of counted_ns, for all its devices */
	uint32_t asked[2];    /* ifindex of the last device asked: [0] quick, [1] slow questions */
	bool dumped;          /* in this round one dump brought the counters of all devices */
	bool open, links;     /* links: the kernel reports changes of devices on it */
	bool later; /* entered after the start, so the removal of its file may go unreported */
};

struct netns_sockets {
	struct netdev_store *store;
	struct netns_scan scan;
	/* one for each namespace of the scan, and room for NETNS_COUNTED_MAX later ones */
	struct netns_socket *entry;
	size_t cap;
	size_t unreadable; /* namespaces without sockets */
	struct netdev_ethtool *ethtool;
	size_t next[2];    /* the first namespace to ask, as in netns_socket.asked */
	size_t next_pools; /* the same for page pools */
	int pools_error;   /* 0 = the kernel lists page pools */
	uint16_t family;   /* of netdev; 0 = not in this kernel */
	uint16_t features; /* of netdev, where XDP features are asked for; 0 = not */
	int epoll, files;
};

static void take_link(void *ctx, const struct link_message *m)
{
	struct netns_socket *s = ctx;

	pthread_mutex_lock(&s->store->lock);
	netdev_table_take(&s->store->table, netdev_table_netns(&s->store->table, s->handle->inode),
			  m);
	pthread_mutex_unlock(&s->store->lock);
}

static void take_features(void *ctx, uint32_t ifindex, uint64_t features)
{
	struct netns_socket *s = ctx;

	pthread_mutex_lock(&s->store->lock);
	netdev_table_features(&s->store->table, s->handle->inode, ifindex, features);
	pthread_mutex_unlock(&s->store->lock);
}

static void take_counts(void *ctx, const struct netdev *d)
{
	struct netns_socket *s = ctx;

	pthread_mutex_lock(&s->store->lock);
	netdev_table_counts(&s->store->table, s->handle->inode, d->ifindex, d);
	pthread_mutex_unlock(&s->store->lock);
}

/* Call fn for the namespace in the table, under the lock. */
static void with_netns(struct netns_socket *s,
		       void (*fn)(struct netdev_table *t, struct netdev_netns *ns))
{
	pthread_mutex_lock(&s->store->lock);
	fn(&s->store->table, netdev_table_netns(&s->store->table, s->handle->inode));
	pthread_mutex_unlock(&s->store->lock);
}

static void netns_close(struct netns_sockets *sockets, struct netns_socket *s, bool ended)
{
	if (!s->open)
		return;
	pthread_mutex_lock(&s->store->lock);
	s->open = false;
	pthread_mutex_unlock(&s->store->lock);
	/* close() also removes them from the epoll set */
	netdev_socket_close(&s->socket);
	netns_handle_close(s->handle);
	pthread_mutex_lock(&s->store->lock);
	netdev_table_pools(&s->store->table, s->handle->inode, NULL, 0, 0, 0, 0);
	pthread_mutex_unlock(&s->store->lock);
	/* otherwise the walk knows what became of its devices */
	if (s->links)
		with_netns(s, ended ? netdev_table_netns_ended : netdev_table_netns_forget);
	sockets->unreadable += !ended;
}

static void netns_dump(struct netns_sockets *sockets, struct netns_socket *s, uint64_t deadline_ns)
{
	uint64_t start = clock_ns(), took;
	int err = -EINTR;

	for (int tries = 2; tries && err == -EINTR; tries--) {
		with_netns(s, netdev_table_dump_begin);
		err = netdev_socket_dump(&s->socket, sockets->features, deadline_ns, &s->listener);
	}
	if (!err)
		with_netns(s, netdev_table_dump_end);
	took = (clock_ns() - start) * DUMP_SHARE;
	s->due_ns = start + (took > DUMP_EVERY_NS ? took : DUMP_EVERY_NS);
}

/* Find the namespace of a peer. Only namespaces with a matching device are asked for their nsid. */
static void resolve(struct netns_sockets *sockets, struct netns_socket *s,
		    const struct link_message *of)
{
	for (size_t i = 0; i < sockets->scan.n; i++) {
		struct netns_socket *other = &sockets->entry[i];
		int32_t nsid;
		bool fits;

		if (!other->open || other == s)
			continue;
		pthread_mutex_lock(&sockets->store->lock);
		fits = netdev_table_matches(&sockets->store->table, of, other->handle->inode);
		pthread_mutex_unlock(&sockets->store->lock);
		if (!fits || netdev_socket_nsid(&s->socket, other->handle->fd,
						clock_ns() + DUMP_LIMIT_NS, &s->listener, &nsid))
			continue;
		if (nsid != of->peer_nsid)
			continue;
		pthread_mutex_lock(&sockets->store->lock);
		netdev_table_resolve(&sockets->store->table, of, other->handle->inode);
		pthread_mutex_unlock(&sockets->store->lock);
		return;
	}
}

/* false = no unresolved peers are left */
static bool resolve_peers(struct netns_sockets *sockets)
{
	struct link_message of[RESOLVE_MAX];
	size_t n;

	pthread_mutex_lock(&sockets->store->lock);
	n = netdev_table_unresolved(&sockets->store->table, of, RESOLVE_MAX);
	pthread_mutex_unlock(&sockets->store->lock);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < sockets->scan.n; j++)
			if (sockets->entry[j].open &&
			    sockets->entry[j].handle->inode == of[i].device.netns)
				resolve(sockets, &sockets->entry[j], &of[i]);
	return n;
}

/* Sockets that lost notifications come first, then the longest overdue. */
static struct netns_socket *next_due(struct netns_sockets *sockets, uint64_t now)
{
	struct netns_socket *due = NULL;

	for (size_t i = 0; i < sockets->scan.n; i++) {
		struct netns_socket *s = &sockets->entry[i];

		if (!s->open || !s->links || s->due_ns > now)
			continue;
		if (!due || s->socket.missed > due->socket.missed ||
		    (s->socket.missed == due->socket.missed && s->due_ns < due->due_ns))
			due = s;
	}
	return due;
}

void netns_sockets_refresh(struct netns_sockets *sockets, uint64_t limit_ns)
{
	uint64_t start = clock_ns(), now = start;
	struct netns_socket *s;

	while (now - start < limit_ns && (s = next_due(sockets, start))) {
		netns_dump(sockets, s, now + DUMP_LIMIT_NS);
		now = clock_ns();
	}
	while (resolve_peers(sockets) && clock_ns() - start < limit_ns)
		;
}

static void ask_driver(struct netns_socket *s, uint32_t ifindex)
{
	char name[NETDEV_DRIVER_LEN];
	int err = netdev_socket_driver(&s->socket, ifindex, name, sizeof(name));

	if (err == -EAGAIN)
		return;
	pthread_mutex_lock(&s->store->lock);
	netdev_table_driver(&s->store->table, s->handle->inode, ifindex, err ? NULL : name);
	pthread_mutex_unlock(&s->store->lock);
}

/*
 * The time of the next request: the longer an answer took, the later. Part of that time may be
 * spent waiting for others.
 */
static uint64_t due_again(uint64_t start, uint64_t now, uint64_t every)
{
	uint64_t took = (now - start) * DUMP_SHARE;

	return now + (took > every ? took : every);
}

static void ask_settings(struct netdev_ethtool *ethtool, struct netns_socket *s, uint32_t ifindex)
{
	uint64_t start = clock_ns();
	struct netdev d = { 0 };

	if (netdev_ethtool_settings(ethtool, &s->socket, ifindex, &d))
		return;
	pthread_mutex_lock(&s->store->lock);
	netdev_table_settings(&s->store->table, s->handle->inode, ifindex, &d,
			      due_again(start, clock_ns(), SETTINGS_EVERY_NS));
	pthread_mutex_unlock(&s->store->lock);
}

static void ask_driver_counts(struct netdev_ethtool *ethtool, struct netns_socket *s,
			      const struct netdev_question *ask)
{
	uint64_t start = clock_ns(), now;
	struct netdev_others others = { .n = 0 };
	struct netdev d = { 0 };
	uint64_t n;

	if (ask->with_driver && driver_counters_known(ask->name_of_driver) &&
	    netdev_ethtool_counts(ethtool, &s->socket, s->handle->inode, ask->ifindex,
				  ask->generation, ask->name_of_driver, &d, &others) == -EAGAIN)
		return;
	now = clock_ns();
	if (now - s->counted_ns >= COUNTS_SOON_NS / 2) {
		s->counts = (struct netdev){ 0 };
		netns_counts_read(s->socket.counts, &s->counts);
		s->counted_ns = now;
	}
	for (int i = NETDEV_NETNS_COUNT; i < NETDEV_COUNTS; i++)
		if (netdev_count(&s->counts, i, &n))
			netdev_set_count(&d, i, n);
	pthread_mutex_lock(&s->store->lock);
	netdev_table_driver_counts(&s->store->table, s->handle->inode, ask->ifindex, &d, now,
				   due_again(start, now,
					     ask->soon ? COUNTS_SOON_NS : COUNTS_EVERY_NS));
	netdev_table_stats(&s->store->table, s->handle->inode, ask->ifindex, others.stat, others.n);
	pthread_mutex_unlock(&s->store->lock);
}

/* Receive queues of a device, while answers about them arrive. */
struct queues_of {
	uint16_t family;
	uint32_t ifindex;
	size_t n;
	struct netdev_queue row[NETDEV_QUEUES_OF_DEVICE];
};

static void take_queues(void *ctx, const struct nlmsghdr *message)
{
	struct queues_of *q = ctx;

	queue_take(message, q->family, q->ifindex, q->row, q->n);
}

/* A kernel or driver may answer none of these: interrupts have names in all of them. */
static void ask_queues(uint16_t family, struct netns_socket *s, const struct netdev_question *ask)
{
	char request[NETLINK_REQUEST_LEN] __attribute__((aligned(8)));
	uint64_t start = clock_ns(), now;
	struct queues_of q = { .family = family, .ifindex = ask->ifindex };

	q.n = ask->hardware.rx_queues < NETDEV_QUEUES_OF_DEVICE ? ask->hardware.rx_queues
								: NETDEV_QUEUES_OF_DEVICE;
	for (size_t i = 0; i < q.n; i++)
		q.row[i].node = ask->hardware.node;
	for (int what = 0; what < QUEUE_QUESTIONS && family; what++)
		netdev_socket_generic(&s->socket,
				      queue_put_dump(request, 0, family, what, ask->ifindex),
				      start + DUMP_LIMIT_NS, take_queues, &q);
	now = clock_ns();
	queue_irqs_find(&ask->hardware, q.row, q.n);
	queue_cpus_read(q.row, q.n);
	pthread_mutex_lock(&s->store->lock);
	netdev_table_queues(&s->store->table, s->handle->inode, ask->ifindex, q.row, q.n, now,
			    due_again(start, clock_ns(),
				      ask->queues_soon ? COUNTS_SOON_NS : QUEUES_EVERY_NS));
	pthread_mutex_unlock(&s->store->lock);
}

/* Page pools of a namespace, while they arrive. */
struct pools_of {
	struct page_pool_message *pool;
	size_t n, cap, beyond;
};

static void take_pool(void *ctx, const struct page_pool_message *m)
{
	struct pools_of *p = ctx;

	if (p->n < PAGE_POOLS_MAX)
		*array_append(p->pool, p->n, p->cap) = *m;
	else
		p->beyond++;
}

static int64_t time_of(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return timespec_to_ns(&t);
}

/* The kernel lists pools of devices in the socket's namespace only. */
static int ask_pools(struct netns_sockets *sockets, struct netns_socket *s)
{
	uint64_t start = clock_ns();
	struct pools_of p = { .n = 0 };
	int err = netdev_socket_page_pools(&s->socket, sockets->family, start + DUMP_LIMIT_NS,
					   take_pool, &p);

	s->pools_due_ns = due_again(start, clock_ns(), POOLS_EVERY_NS);
	if (!err) {
		pthread_mutex_lock(&s->store->lock);
		netdev_table_pools(&s->store->table, s->handle->inode, p.pool, p.n, p.beyond,
				   time_of(CLOCK_BOOTTIME), time_of(CLOCK_REALTIME));
		pthread_mutex_unlock(&s->store->lock);
	}
	free(p.pool);
	return err;
}

static void ask_all_pools(struct netns_sockets *sockets, uint64_t until)
{
	uint64_t now;

	for (size_t i = 0; i < sockets->scan.n && (now = clock_ns()) < until; i++) {
		struct netns_socket *s = &sockets->entry[sockets->next_pools];

		sockets->next_pools = (sockets->next_pools + 1) % sockets->scan.n;
		if (s->open && s->pools_due_ns <= now)
			ask_pools(sockets, s);
	}
}

static void ask_quick(struct netns_sockets *sockets, struct netns_socket *s,
		      const struct netdev_question *ask)
{
	(void)sockets;
	if (ask->driver)
		ask_driver(s, ask->ifindex);
	if (ask->counts && !s->dumped)
		netdev_socket_counts(&s->socket, ask->ifindex, clock_ns() + DUMP_LIMIT_NS,
				     &s->listener);
}

static void ask_slow(struct netns_sockets *sockets, struct netns_socket *s,
		     const struct netdev_question *ask)
{
	if (ask->settings)
		ask_settings(sockets->ethtool, s, ask->ifindex);
	if (ask->driver_counts)
		ask_driver_counts(sockets->ethtool, s, ask);
	if (ask->queues)
		ask_queues(sockets->family, s, ask);
}

typedef void ask_fn(struct netns_sockets *sockets, struct netns_socket *s,
		    const struct netdev_question *ask);

/* Ask about ifindexes above `after`, up to `last`; *asked becomes the last one. */
static void ask_after(struct netns_sockets *sockets, struct netns_socket *s, ask_fn *fn,
		      uint32_t after, uint32_t last, uint32_t *asked, uint64_t until)
{
	struct netdev_question ask = { .ifindex = after };
	uint64_t now;

	while ((now = clock_ns()) < until) {
		pthread_mutex_lock(&s->store->lock);
		netdev_table_next_question(&s->store->table, s->handle->inode, now, &ask);
		pthread_mutex_unlock(&s->store->lock);
		if (!ask.ifindex || ask.ifindex > last)
			return;
		fn(sockets, s, &ask);
		*asked = ask.ifindex;
	}
}

/* Visit each device once. If time runs out, the next call continues where this one stopped. */
static void ask_around(struct netns_sockets *sockets, ask_fn *fn, bool slow, uint64_t until)
{
	size_t *next = &sockets->next[slow];

	for (size_t i = 0; i < sockets->scan.n && clock_ns() < until; i++) {
		struct netns_socket *s = &sockets->entry[*next];
		uint32_t first = s->asked[slow];

		if (s->open) {
			ask_after(sockets, s, fn, first, UINT32_MAX, &s->asked[slow], until);
			ask_after(sockets, s, fn, 0, first, &s->asked[slow], until);
		}
		if (clock_ns() < until)
			*next = (*next + 1) % sockets->scan.n;
	}
}

/* For many devices one dump is faster than a request for each. */
static void dump_counts(struct netns_socket *s)
{
	size_t matter, all;

	pthread_mutex_lock(&s->store->lock);
	matter = netdev_table_matter(&s->store->table, s->handle->inode, &all);
	pthread_mutex_unlock(&s->store->lock);
	s->dumped = matter >= TOGETHER_FROM && matter >= all / 4 &&
		    !netdev_socket_counts(&s->socket, 0, clock_ns() + DUMP_LIMIT_NS, &s->listener);
}

/* A process or file that held the namespace is gone, so close if it was the last holder. */
static void check_holders(struct netns_sockets *sockets, struct netns_socket *s)
{
	if (!s->open)
		return;
	if (!netns_handle_held(s->handle)) {
		netns_close(sockets, s, true);
		return;
	}
	netns_handle_forget_ended(s->handle);
}

void netns_sockets_count(struct netns_sockets *sockets, uint64_t limit_ns)
{
	for (size_t i = 0; i < sockets->scan.n; i++)
		if (sockets->entry[i].later)
			check_holders(sockets, &sockets->entry[i]);
	for (size_t i = 0; i < sockets->scan.n; i++)
		if (sockets->entry[i].open)
			dump_counts(&sockets->entry[i]);
	ask_around(sockets, ask_quick, false, clock_ns() + limit_ns);
}

void netns_sockets_ask(struct netns_sockets *sockets, uint64_t limit_ns)
{
	uint64_t until = clock_ns() + limit_ns;

	if (!sockets->pools_error)
		ask_all_pools(sockets, until);
	ask_around(sockets, ask_slow, true, until);
}

static void descriptor_watch(struct netns_sockets *sockets, int fd, enum ready what, size_t i)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = (uint64_t)i << 8 | what };

	if (fd >= 0)
		epoll_ctl(sockets->epoll, EPOLL_CTL_ADD, fd, &e);
}

static void drain_files(struct netns_sockets *sockets)
{
	char buf[4096] __attribute__((aligned(8)));

	while (read(sockets->files, buf, sizeof(buf)) > 0)
		;
	for (size_t i = 0; i < sockets->scan.n; i++)
		if (sockets->entry[i].open && sockets->entry[i].handle->path)
			check_holders(sockets, &sockets->entry[i]);
}

void netns_sockets_ready(struct netns_sockets *sockets, uint64_t data)
{
	struct netns_socket *s = &sockets->entry[data >> 8];

	switch ((enum ready)(data & 0xff)) {
	case READY_FILES:
		drain_files(sockets);
		break;
	case READY_LINKS:
		if (s->open && netdev_socket_drain(&s->socket, &s->listener))
			netns_close(sockets, s, false);
		break;
	case READY_PROCESS:
		check_holders(sockets, s);
		break;
	}
}

int netns_sockets_pools_error(const struct netns_sockets *sockets)
{
	return sockets->pools_error;
}

bool netns_sockets_has_links(const struct netns_sockets *sockets, uint32_t netns)
{
	/* xdptop's own namespace comes first; either all others report changes or none does */
	for (size_t i = 0; i < sockets->scan.n && sockets->entry[i].links; i++)
		if (sockets->entry[i].open && sockets->entry[i].handle->inode == netns)
			return true;
	return false;
}

bool netns_sockets_has(const struct netns_sockets *sockets, uint32_t netns)
{
	for (size_t i = 0; i < sockets->scan.n; i++)
		if (sockets->entry[i].open && sockets->entry[i].handle->inode == netns)
			return true;
	return false;
}

/* How many namespaces RLIMIT_NOFILE allows. */
static size_t netns_limit(void)
{
	struct rlimit limit;
	size_t most;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 1;
	limit.rlim_cur = limit.rlim_max;
	if (!setrlimit(RLIMIT_NOFILE, &limit) || !getrlimit(RLIMIT_NOFILE, &limit))
		most = limit.rlim_cur > FDS_ELSE ? (limit.rlim_cur - FDS_ELSE) / FDS_PER_NETNS : 1;
	else
		most = 1;
	return most < NETNS_SCAN_MAX ? most : NETNS_SCAN_MAX;
}

static void entry_set(struct netns_sockets *sockets, size_t i)
{
	struct netns_socket *s = &sockets->entry[i];

	*s = (struct netns_socket){ .handle = &sockets->scan.ns[i] };
	s->store = sockets->store;
	s->listener = (struct netdev_listener){ take_link, take_features, take_counts, s };
}

/* An unused entry; NULL = there are too many. With the store's lock. */
static struct netns_socket *entry_take(struct netns_sockets *sockets)
{
	size_t open = 0, at = sockets->scan.n;

	for (size_t i = 0; i < sockets->scan.n; i++) {
		open += sockets->entry[i].open;
		if (sockets->entry[i].later && !sockets->entry[i].open)
			at = i;
	}
	if (open >= netns_limit() || at == sockets->cap)
		return NULL;
	sockets->scan.n += at == sockets->scan.n;
	entry_set(sockets, at);
	return &sockets->entry[at];
}

void netns_sockets_leave(struct netns_sockets *sockets)
{
	for (size_t i = 0; i < sockets->scan.n; i++)
		if (!sockets->entry[i].handle->own)
			netns_close(sockets, &sockets->entry[i], false);
}

size_t netns_sockets_unreadable(const struct netns_sockets *sockets)
{
	return sockets->unreadable;
}

static void netns_watch(struct netns_sockets *sockets, size_t i)
{
	struct netns_socket *s = &sockets->entry[i];

	if (s->links)
		descriptor_watch(sockets, s->socket.route, READY_LINKS, i);
	for (int p = 0; p < NETNS_SCAN_PROCESSES; p++)
		descriptor_watch(sockets, s->handle->process[p].pidfd, READY_PROCESS, i);
}

int netns_sockets_enter(struct netns_sockets *sockets, int opener, uint32_t netns, pid_t pid)
{
	struct netns_handle handle = { .inode = netns,
				       .fd = -1,
				       .process = { { .pidfd = -1 }, { .pidfd = -1 } } };
	struct netns_socket *s = NULL;
	const struct netdev_netns *ns;
	int socket[FD_PASS_MAX], err;
	uint64_t cookie = 0;

	pthread_mutex_lock(&sockets->store->lock);
	ns = netdev_table_netns(&sockets->store->table, netns);
	if (!netns_sockets_has(sockets, netns))
		cookie = ns->cookie;
	pthread_mutex_unlock(&sockets->store->lock);
	if (!cookie)
		return 0;
	err = netns_opener_ask(opener, &handle, pid, cookie, socket);
	if (err) {
		netns_handle_close(&handle);
		return err;
	}
	pthread_mutex_lock(&sockets->store->lock);
	s = entry_take(sockets);
	if (s) {
		*s->handle = handle;
		netdev_socket_adopt(&s->socket, socket[0], socket[1]);
		s->open = s->later = true;
	}
	pthread_mutex_unlock(&sockets->store->lock);
	if (s) {
		netns_watch(sockets, (size_t)(s - sockets->entry));
		return 0;
	}
	close(socket[0]);
	close(socket[1]);
	netns_handle_close(&handle);
	return -EMFILE;
}

/* Open sockets in every namespace found, then return to xdptop's own. */
static int open_sockets(struct netns_sockets *sockets, bool all)
{
	bool away = false;

	for (size_t i = 0; i < sockets->scan.n; i++) {
		struct netns_socket *s = &sockets->entry[i];
		int err = 0;

		entry_set(sockets, i);
		s->links = all || s->handle->own;
		if (s->handle->fd < 0)
			continue;
		if (!s->handle->own) {
			err = setns(s->handle->fd, CLONE_NEWNET) ? -errno : 0;
			away |= !err;
		}
		if (!err)
			err = netdev_socket_open(&s->socket, s->links, sockets->family);
		if (err) {
			netns_handle_close(s->handle);
			sockets->unreadable++;
			continue;
		}
		s->open = true;
		netns_watch(sockets, i);
	}
	/* entry 0 is xdptop's own namespace */
	if (away && setns(sockets->scan.ns[0].fd, CLONE_NEWNET))
		return -ENOTRECOVERABLE;
	return 0;
}

static void watch_files(struct netns_sockets *sockets)
{
	sockets->files = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (sockets->files < 0)
		return;
	inotify_add_watch(sockets->files, NETNS_SCAN_DIRECTORY, IN_DELETE | IN_MOVED_FROM);
	inotify_add_watch(sockets->files, NETNS_SCAN_DIRECTORY2, IN_DELETE | IN_MOVED_FROM);
	descriptor_watch(sockets, sockets->files, READY_FILES, 0);
}

static int open_all(struct netns_sockets *sockets, const struct netns_set *counted,
		    struct netns_owners *owners)
{
	int err = netns_scan_find(&sockets->scan, counted, netns_limit(), owners);

	if (err)
		return err;
	sockets->unreadable = sockets->scan.unreadable;
	sockets->cap = sockets->scan.n + NETNS_COUNTED_MAX;
	sockets->entry = memory_new(sockets->cap, sizeof(*sockets->entry));
	/* entries point to it */
	array_reserve(sockets->scan.ns, sockets->scan.cap, sockets->cap);
	watch_files(sockets);
	sockets->family = netdev_socket_family(clock_ns() + DUMP_LIMIT_NS);
	/* the walk has the features */
	sockets->features = counted ? 0 : sockets->family;
	err = open_sockets(sockets, !counted);
	if (err)
		return err;
	sockets->pools_error =
		sockets->family ? ask_pools(sockets, &sockets->entry[0]) : -EOPNOTSUPP;
	/* holders may have ended before they were watched */
	for (size_t i = 0; i < sockets->scan.n; i++)
		check_holders(sockets, &sockets->entry[i]);
	return 0;
}

int netns_sockets_open(struct netns_sockets **out, struct netdev_store *store,
		       const struct netns_set *counted, int epoll, struct netns_owners *owners)
{
	struct netns_sockets *sockets = memory_new(1, sizeof(*sockets));
	int err;

	*out = NULL;
	sockets->store = store;
	sockets->epoll = epoll;
	sockets->files = -1;
	sockets->ethtool = netdev_ethtool_open();
	err = open_all(sockets, counted, owners);
	if (err) {
		netns_sockets_close(sockets);
		return err;
	}
	*out = sockets;
	return 0;
}

void netns_sockets_close(struct netns_sockets *sockets)
{
	if (!sockets)
		return;
	for (size_t i = 0; sockets->entry && i < sockets->scan.n; i++)
		if (sockets->entry[i].open)
			netdev_socket_close(&sockets->entry[i].socket);
	netns_scan_free(&sockets->scan);
	netdev_ethtool_close(sockets->ethtool);
	if (sockets->files >= 0)
		close(sockets->files);
	free(sockets->entry);
	free(sockets);
}
