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
#define DUMP_EVERY_NS 1000000000ULL
#define DUMP_SHARE    100
#define DUMP_LIMIT_NS 500000000ULL /* of one dump */
#define RESOLVE_MAX   64           /* peers looked for at a time */
#define FDS_PER_ROOM  5            /* two sockets, the namespace, two processes */
#define FDS_ELSE      128

/* What has become readable. */
enum ready { READY_FILES, READY_LINKS, READY_PROCESS };

/* A namespace with its sockets. */
struct room {
	struct namespace *ns;
	struct device_socket socket;
	uint64_t due_ns; /* its next dump */
	bool open;
};

struct device_rooms {
	struct device_store *store;
	struct namespaces namespaces;
	struct room *room; /* one for each of them */
	size_t left_out;
	uint16_t family;
	int epoll, files;
	void *buf;
};

/* Whose messages are being taken. */
struct taking {
	struct device_store *store;
	uint32_t netns;
};

/* The sockets' listeners: messages of one namespace come in a row. */
static void take_link(void *ctx, const struct link_message *m)
{
	struct taking *t = ctx;
	struct device_space *s;

	pthread_mutex_lock(&t->store->lock);
	s = device_table_space(&t->store->table, t->netns);
	if (s)
		device_table_take(&t->store->table, s, m);
	pthread_mutex_unlock(&t->store->lock);
}

static void take_features(void *ctx, uint32_t ifindex, uint64_t features)
{
	struct taking *t = ctx;

	pthread_mutex_lock(&t->store->lock);
	device_table_features(&t->store->table, t->netns, ifindex, features);
	pthread_mutex_unlock(&t->store->lock);
}

static void room_close(struct device_rooms *rooms, struct room *r, bool ended)
{
	struct device_space *s;

	if (!r->open)
		return;
	r->open = false;
	/* closing takes them out of the epoll set, too */
	device_socket_close(&r->socket);
	namespace_close(r->ns);
	pthread_mutex_lock(&rooms->store->lock);
	s = device_table_space(&rooms->store->table, r->ns->inode);
	if (s && ended)
		device_table_end(&rooms->store->table, s);
	else if (s)
		device_table_leave(&rooms->store->table, s);
	rooms->left_out += !ended;
	pthread_mutex_unlock(&rooms->store->lock);
}

static void room_dump(struct device_rooms *rooms, struct room *r, uint64_t deadline_ns)
{
	struct taking taking = { rooms->store, r->ns->inode };
	struct device_listener l = { take_link, take_features, &taking };
	uint64_t start = now_ns(), took;
	struct device_space *s;
	int err;

	pthread_mutex_lock(&rooms->store->lock);
	s = device_table_space(&rooms->store->table, r->ns->inode);
	if (s)
		device_table_dump(&rooms->store->table, s);
	pthread_mutex_unlock(&rooms->store->lock);
	err = device_socket_dump(&r->socket, rooms->family, rooms->buf, deadline_ns, &l);
	if (err == -EINTR)
		err = device_socket_dump(&r->socket, rooms->family, rooms->buf, deadline_ns, &l);
	if (!err && s) {
		pthread_mutex_lock(&rooms->store->lock);
		s = device_table_space(&rooms->store->table, r->ns->inode);
		if (s)
			device_table_dumped(&rooms->store->table, s);
		pthread_mutex_unlock(&rooms->store->lock);
	}
	took = (now_ns() - start) * DUMP_SHARE;
	r->due_ns = start + (took > DUMP_EVERY_NS ? took : DUMP_EVERY_NS);
}

/* Which of the namespaces is the peer's: those that fit by their devices are asked for. */
static void resolve(struct device_rooms *rooms, struct room *r, const struct link_message *of)
{
	struct taking taking = { rooms->store, r->ns->inode };
	struct device_listener l = { take_link, take_features, &taking };

	for (size_t i = 0; i < rooms->namespaces.n; i++) {
		struct room *other = &rooms->room[i];
		int32_t nsid;
		bool fits;

		if (!other->open || other == r)
			continue;
		pthread_mutex_lock(&rooms->store->lock);
		fits = device_table_matches(&rooms->store->table, of, other->ns->inode);
		pthread_mutex_unlock(&rooms->store->lock);
		if (!fits || device_socket_nsid(&r->socket, other->ns->fd, rooms->buf,
						now_ns() + DUMP_LIMIT_NS, &l, &nsid))
			continue;
		if (nsid != of->peer_nsid)
			continue;
		pthread_mutex_lock(&rooms->store->lock);
		device_table_resolve(&rooms->store->table, of, other->ns->inode);
		pthread_mutex_unlock(&rooms->store->lock);
		return;
	}
}

/* False when there is none left to look for. */
static bool resolve_peers(struct device_rooms *rooms)
{
	struct link_message of[RESOLVE_MAX];
	size_t n;

	pthread_mutex_lock(&rooms->store->lock);
	n = device_table_unresolved(&rooms->store->table, of, RESOLVE_MAX);
	pthread_mutex_unlock(&rooms->store->lock);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < rooms->namespaces.n; j++)
			if (rooms->room[j].open && rooms->room[j].ns->inode == of[i].device.netns)
				resolve(rooms, &rooms->room[j], &of[i]);
	return n;
}

/* Those that missed something first, then those that were not read for longest. */
static struct room *next_due(struct device_rooms *rooms, uint64_t now)
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

void device_rooms_refresh(struct device_rooms *rooms, uint64_t limit_ns)
{
	uint64_t start = now_ns(), now = start;
	struct room *r;

	while (now - start < limit_ns && (r = next_due(rooms, start))) {
		room_dump(rooms, r, now + DUMP_LIMIT_NS);
		now = now_ns();
	}
	while (resolve_peers(rooms) && now_ns() - start < limit_ns)
		;
}

static void watch(struct device_rooms *rooms, int fd, enum ready what, size_t room)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = (uint64_t)room << 8 | what };

	if (fd >= 0)
		epoll_ctl(rooms->epoll, EPOLL_CTL_ADD, fd, &e);
}

/* A process or a file that kept it is gone. */
static void check_holders(struct device_rooms *rooms, struct room *r)
{
	if (!r->open)
		return;
	if (!namespace_held(r->ns)) {
		room_close(rooms, r, true);
		return;
	}
	namespace_forget_ended(r->ns);
}

static void drain(struct device_rooms *rooms, struct room *r)
{
	struct taking taking = { rooms->store, r->ns->inode };
	struct device_listener l = { take_link, take_features, &taking };

	if (r->open && device_socket_drain(&r->socket, rooms->buf, &l))
		room_close(rooms, r, false);
}

static void drain_files(struct device_rooms *rooms)
{
	char buf[4096] __attribute__((aligned(8)));

	while (read(rooms->files, buf, sizeof(buf)) > 0)
		;
	for (size_t i = 0; i < rooms->namespaces.n; i++)
		if (rooms->room[i].open && rooms->room[i].ns->path)
			check_holders(rooms, &rooms->room[i]);
}

void device_rooms_ready(struct device_rooms *rooms, uint64_t data)
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

bool device_rooms_has(const struct device_rooms *rooms, uint32_t netns)
{
	for (size_t i = 0; i < rooms->namespaces.n; i++)
		if (rooms->room[i].open && rooms->room[i].ns->inode == netns)
			return true;
	return false;
}

void device_rooms_leave(struct device_rooms *rooms)
{
	for (size_t i = 0; i < rooms->namespaces.n; i++)
		if (!rooms->room[i].ns->own)
			room_close(rooms, &rooms->room[i], false);
}

size_t device_rooms_left_out(const struct device_rooms *rooms)
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
	return most < NAMESPACES_MAX ? most : NAMESPACES_MAX;
}

static void room_watch(struct device_rooms *rooms, size_t i)
{
	struct room *r = &rooms->room[i];

	watch(rooms, device_socket_fd(&r->socket), READY_LINKS, i);
	for (int p = 0; p < NAMESPACE_PROCESSES; p++)
		watch(rooms, r->ns->process[p].pidfd, READY_PROCESS, i);
}

/* Sockets in every namespace; the thread is in its own again at the end. */
static int open_rooms(struct device_rooms *rooms)
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
			err = device_socket_open(&r->socket, rooms->family);
		if (err) {
			namespace_close(r->ns);
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

static void watch_files(struct device_rooms *rooms)
{
	rooms->files = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (rooms->files < 0)
		return;
	inotify_add_watch(rooms->files, NAMESPACE_DIRECTORY, IN_DELETE | IN_MOVED_FROM);
	inotify_add_watch(rooms->files, NAMESPACE_DIRECTORY2, IN_DELETE | IN_MOVED_FROM);
	watch(rooms, rooms->files, READY_FILES, 0);
}

static int rooms_fill(struct device_rooms *rooms, bool all, struct dwellers *tell)
{
	int err;

	if (all)
		err = namespaces_find(&rooms->namespaces, room_limit(), tell);
	else
		err = namespaces_find_own(&rooms->namespaces);

	if (err)
		return err;
	rooms->left_out = rooms->namespaces.left_out;
	rooms->room = calloc(rooms->namespaces.n, sizeof(*rooms->room));
	rooms->buf = malloc(DEVICE_SOCKET_BUFFER);
	if (!rooms->room || !rooms->buf)
		return -ENOMEM;
	if (all)
		watch_files(rooms);
	rooms->family = device_socket_family(rooms->buf, now_ns() + DUMP_LIMIT_NS);
	err = open_rooms(rooms);
	if (err)
		return err;
	/* those that went away before they were watched */
	for (size_t i = 0; i < rooms->namespaces.n; i++)
		check_holders(rooms, &rooms->room[i]);
	return 0;
}

int device_rooms_open(struct device_rooms **out, struct device_store *store, bool all, int epoll,
		      struct dwellers *tell)
{
	struct device_rooms *rooms = calloc(1, sizeof(*rooms));
	int err;

	*out = NULL;
	if (!rooms)
		return -ENOMEM;
	rooms->store = store;
	rooms->epoll = epoll;
	rooms->files = -1;
	err = rooms_fill(rooms, all, tell);
	if (err) {
		device_rooms_close(rooms);
		return err;
	}
	*out = rooms;
	return 0;
}

void device_rooms_close(struct device_rooms *rooms)
{
	if (!rooms)
		return;
	for (size_t i = 0; rooms->room && i < rooms->namespaces.n; i++)
		device_socket_close(&rooms->room[i].socket);
	namespaces_free(&rooms->namespaces);
	if (rooms->files >= 0)
		close(rooms->files);
	free(rooms->room);
	free(rooms->buf);
	free(rooms);
}
