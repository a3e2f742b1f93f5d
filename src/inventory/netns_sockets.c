// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/netns_sockets.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <unistd.h>
#include "inventory/netdev_socket.h"
#include "inventory/netns_scan.h"
#include "base/clock.h"

/* Dumps of one namespace are at least so far apart, and take at most a hundredth of the time. */
#define DUMP_EVERY_NS NSEC_PER_SEC
#define DUMP_SHARE    100
#define DUMP_LIMIT_NS (500 * NSEC_PER_MSEC) /* of one dump */
#define RESOLVE_MAX   64                    /* peers looked for at a time */
#define FDS_PER_ROOM  5                     /* two sockets, the namespace, two processes */
#define FDS_ELSE      128

/* What has become readable. */
enum ready { READY_FILES, READY_LINKS, READY_PROCESS };

/* A namespace with its sockets. */
struct room {
	struct netns_handle *ns;
	struct netdev_socket socket;
	uint64_t due_ns; /* its next dump */
	bool open;
};

struct netns_sockets {
	struct netdev_store *store;
	struct netns_scan namespaces;
	struct room *room; /* one for each of them */
	size_t left_out;
	uint16_t family;
	int epoll, files;
	void *buf;
};

/* Whose messages are being taken. */
struct taking {
	struct netdev_store *store;
	uint32_t netns;
};

/* The sockets' listeners: messages of one namespace come in a row. */
static void take_link(void *ctx, const struct link_message *m)
{
	struct taking *t = ctx;
	struct netdev_netns *s;

	pthread_mutex_lock(&t->store->lock);
	s = netdev_table_netns(&t->store->table, t->netns);
	if (s)
		netdev_table_take(&t->store->table, s, m);
	pthread_mutex_unlock(&t->store->lock);
}

static void take_features(void *ctx, uint32_t ifindex, uint64_t features)
{
	struct taking *t = ctx;

	pthread_mutex_lock(&t->store->lock);
	netdev_table_features(&t->store->table, t->netns, ifindex, features);
	pthread_mutex_unlock(&t->store->lock);
}

static void room_close(struct netns_sockets *rooms, struct room *r, bool ended)
{
	struct netdev_netns *s;

	if (!r->open)
		return;
	r->open = false;
	/* closing takes them out of the epoll set, too */
	netdev_socket_close(&r->socket);
	netns_handle_close(r->ns);
	pthread_mutex_lock(&rooms->store->lock);
	s = netdev_table_netns(&rooms->store->table, r->ns->inode);
	if (s && ended)
		netdev_table_end(&rooms->store->table, s);
	else if (s)
		netdev_table_leave(&rooms->store->table, s);
	rooms->left_out += !ended;
	pthread_mutex_unlock(&rooms->store->lock);
}

static void room_dump(struct netns_sockets *rooms, struct room *r, uint64_t deadline_ns)
{
	struct taking taking = { rooms->store, r->ns->inode };
	struct netdev_listener l = { take_link, take_features, &taking };
	uint64_t start = clock_ns(), took;
	struct netdev_netns *s;
	int err;

	pthread_mutex_lock(&rooms->store->lock);
	s = netdev_table_netns(&rooms->store->table, r->ns->inode);
	if (s)
		netdev_table_dump(&rooms->store->table, s);
	pthread_mutex_unlock(&rooms->store->lock);
	err = netdev_socket_dump(&r->socket, rooms->family, rooms->buf, deadline_ns, &l);
	if (err == -EINTR)
		err = netdev_socket_dump(&r->socket, rooms->family, rooms->buf, deadline_ns, &l);
	if (!err && s) {
		pthread_mutex_lock(&rooms->store->lock);
		s = netdev_table_netns(&rooms->store->table, r->ns->inode);
		if (s)
			netdev_table_dumped(&rooms->store->table, s);
		pthread_mutex_unlock(&rooms->store->lock);
	}
	took = (clock_ns() - start) * DUMP_SHARE;
	r->due_ns = start + (took > DUMP_EVERY_NS ? took : DUMP_EVERY_NS);
}

/* Which of the namespaces is the peer's: those that fit by their devices are asked for. */
static void resolve(struct netns_sockets *rooms, struct room *r, const struct link_message *of)
{
	struct taking taking = { rooms->store, r->ns->inode };
	struct netdev_listener l = { take_link, take_features, &taking };

	for (size_t i = 0; i < rooms->namespaces.n; i++) {
		struct room *other = &rooms->room[i];
		int32_t nsid;
		bool fits;

		if (!other->open || other == r)
			continue;
		pthread_mutex_lock(&rooms->store->lock);
		fits = netdev_table_matches(&rooms->store->table, of, other->ns->inode);
		pthread_mutex_unlock(&rooms->store->lock);
		if (!fits || netdev_socket_nsid(&r->socket, other->ns->fd, rooms->buf,
						clock_ns() + DUMP_LIMIT_NS, &l, &nsid))
			continue;
		if (nsid != of->peer_nsid)
			continue;
		pthread_mutex_lock(&rooms->store->lock);
		netdev_table_resolve(&rooms->store->table, of, other->ns->inode);
		pthread_mutex_unlock(&rooms->store->lock);
		return;
	}
}

/* False when there is none left to look for. */
static bool resolve_peers(struct netns_sockets *rooms)
{
	struct link_message of[RESOLVE_MAX];
	size_t n;

	pthread_mutex_lock(&rooms->store->lock);
	n = netdev_table_unresolved(&rooms->store->table, of, RESOLVE_MAX);
	pthread_mutex_unlock(&rooms->store->lock);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < rooms->namespaces.n; j++)
			if (rooms->room[j].open && rooms->room[j].ns->inode == of[i].device.netns)
				resolve(rooms, &rooms->room[j], &of[i]);
	return n;
}

/* Those that missed something first, then those that were not read for longest. */
static struct room *next_due(struct netns_sockets *rooms, uint64_t now)
{
	struct room *due = NULL;

	for (size_t i = 0; i < rooms->namespaces.n; i++) {
		struct room *r = &rooms->room[i];

		if (!r->open || r->due_ns > now)
			continue;
		if (!due || r->socket.missed > due->socket.missed ||
		    (r->socket.missed == due->socket.missed && r->due_ns < due->due_ns))
			due = r;
	}
	return due;
}

void netns_sockets_refresh(struct netns_sockets *rooms, uint64_t limit_ns)
{
	uint64_t start = clock_ns(), now = start;
	struct room *r;

	while (now - start < limit_ns && (r = next_due(rooms, start))) {
		room_dump(rooms, r, now + DUMP_LIMIT_NS);
		now = clock_ns();
	}
	while (resolve_peers(rooms) && clock_ns() - start < limit_ns)
		;
}

static void watch(struct netns_sockets *rooms, int fd, enum ready what, size_t room)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = (uint64_t)room << 8 | what };

	if (fd >= 0)
		epoll_ctl(rooms->epoll, EPOLL_CTL_ADD, fd, &e);
}

/* A process or a file that kept it is gone. */
static void check_holders(struct netns_sockets *rooms, struct room *r)
{
	if (!r->open)
		return;
	if (!netns_handle_held(r->ns)) {
		room_close(rooms, r, true);
		return;
	}
	netns_handle_forget_ended(r->ns);
}

static void drain(struct netns_sockets *rooms, struct room *r)
{
	struct taking taking = { rooms->store, r->ns->inode };
	struct netdev_listener l = { take_link, take_features, &taking };

	if (r->open && netdev_socket_drain(&r->socket, rooms->buf, &l))
		room_close(rooms, r, false);
}

static void drain_files(struct netns_sockets *rooms)
{
	char buf[4096] __attribute__((aligned(8)));

	while (read(rooms->files, buf, sizeof(buf)) > 0)
		;
	for (size_t i = 0; i < rooms->namespaces.n; i++)
		if (rooms->room[i].open && rooms->room[i].ns->path)
			check_holders(rooms, &rooms->room[i]);
}

void netns_sockets_ready(struct netns_sockets *rooms, uint64_t data)
{
	struct room *r = &rooms->room[data >> 8];

	switch ((enum ready)(data & 0xff)) {
	case READY_FILES:
		drain_files(rooms);
		break;
	case READY_LINKS:
		drain(rooms, r);
		break;
	case READY_PROCESS:
		check_holders(rooms, r);
		break;
	}
}

bool netns_sockets_has(const struct netns_sockets *rooms, uint32_t netns)
{
	for (size_t i = 0; i < rooms->namespaces.n; i++)
		if (rooms->room[i].open && rooms->room[i].ns->inode == netns)
			return true;
	return false;
}

void netns_sockets_leave(struct netns_sockets *rooms)
{
	for (size_t i = 0; i < rooms->namespaces.n; i++)
		if (!rooms->room[i].ns->own)
			room_close(rooms, &rooms->room[i], false);
}

size_t netns_sockets_left_out(const struct netns_sockets *rooms)
{
	return rooms->left_out;
}

/* As many namespaces as there may be descriptors for. */
static size_t room_limit(void)
{
	struct rlimit limit;
	size_t most;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 1;
	limit.rlim_cur = limit.rlim_max;
	if (!setrlimit(RLIMIT_NOFILE, &limit) || !getrlimit(RLIMIT_NOFILE, &limit))
		most = limit.rlim_cur > FDS_ELSE ? (limit.rlim_cur - FDS_ELSE) / FDS_PER_ROOM : 1;
	else
		most = 1;
	return most < NETNS_SCAN_MAX ? most : NETNS_SCAN_MAX;
}

static void room_watch(struct netns_sockets *rooms, size_t i)
{
	struct room *r = &rooms->room[i];

	watch(rooms, netdev_socket_fd(&r->socket), READY_LINKS, i);
	for (int p = 0; p < NETNS_SCAN_PROCESSES; p++)
		watch(rooms, r->ns->process[p].pidfd, READY_PROCESS, i);
}

/* Sockets in every namespace; the thread is in its own again at the end. */
static int open_rooms(struct netns_sockets *rooms)
{
	bool away = false;

	for (size_t i = 0; i < rooms->namespaces.n; i++) {
		struct room *r = &rooms->room[i];
		int err = 0;

		r->ns = &rooms->namespaces.ns[i];
		if (r->ns->fd < 0)
			continue;
		if (!r->ns->own) {
			err = setns(r->ns->fd, CLONE_NEWNET) ? -errno : 0;
			away |= !err;
		}
		if (!err)
			err = netdev_socket_open(&r->socket, rooms->family);
		if (err) {
			netns_handle_close(r->ns);
			rooms->left_out++;
			continue;
		}
		r->open = true;
		room_watch(rooms, i);
	}
	/* the own one comes first: its fd is good */
	if (away && setns(rooms->namespaces.ns[0].fd, CLONE_NEWNET))
		return -ENOTRECOVERABLE;
	return 0;
}

static void watch_files(struct netns_sockets *rooms)
{
	rooms->files = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (rooms->files < 0)
		return;
	inotify_add_watch(rooms->files, NETNS_SCAN_DIRECTORY, IN_DELETE | IN_MOVED_FROM);
	inotify_add_watch(rooms->files, NETNS_SCAN_DIRECTORY2, IN_DELETE | IN_MOVED_FROM);
	watch(rooms, rooms->files, READY_FILES, 0);
}

static int rooms_fill(struct netns_sockets *rooms, bool all, struct netns_owners *tell)
{
	int err;

	if (all)
		err = netns_scan_find(&rooms->namespaces, room_limit(), tell);
	else
		err = netns_scan_find_own(&rooms->namespaces);

	if (err)
		return err;
	rooms->left_out = rooms->namespaces.left_out;
	rooms->room = calloc(rooms->namespaces.n, sizeof(*rooms->room));
	rooms->buf = malloc(NETDEV_SOCKET_BUFFER);
	if (!rooms->room || !rooms->buf)
		return -ENOMEM;
	if (all)
		watch_files(rooms);
	rooms->family = netdev_socket_family(rooms->buf, clock_ns() + DUMP_LIMIT_NS);
	err = open_rooms(rooms);
	if (err)
		return err;
	/* those that went away before they were watched */
	for (size_t i = 0; i < rooms->namespaces.n; i++)
		check_holders(rooms, &rooms->room[i]);
	return 0;
}

int netns_sockets_open(struct netns_sockets **out, struct netdev_store *store, bool all, int epoll,
		       struct netns_owners *tell)
{
	struct netns_sockets *rooms = calloc(1, sizeof(*rooms));
	int err;

	*out = NULL;
	if (!rooms)
		return -ENOMEM;
	rooms->store = store;
	rooms->epoll = epoll;
	rooms->files = -1;
	err = rooms_fill(rooms, all, tell);
	if (err) {
		netns_sockets_close(rooms);
		return err;
	}
	*out = rooms;
	return 0;
}

void netns_sockets_close(struct netns_sockets *rooms)
{
	if (!rooms)
		return;
	for (size_t i = 0; rooms->room && i < rooms->namespaces.n; i++)
		netdev_socket_close(&rooms->room[i].socket);
	netns_scan_free(&rooms->namespaces);
	if (rooms->files >= 0)
		close(rooms->files);
	free(rooms->room);
	free(rooms->buf);
	free(rooms);
}
