// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "device_socket.h"
#include "namespaces.h"

/* Dumps of one namespace are at least so far apart, and take at most a hundredth of the time. */
#define DUMP_EVERY_NS  1000000000ULL
#define DUMP_SHARE     100
#define DUMP_LIMIT_NS  500000000ULL  /* of one dump */
#define OPEN_LIMIT_NS  2000000000ULL /* of all dumps at the start */
#define ROUND_LIMIT_NS 5000000ULL    /* the others have to wait for the next sample */
#define RESOLVE_MAX    64            /* peers looked for at a time */
#define STOP_LIMIT_NS  1000000000ULL
#define FDS_PER_ROOM   5 /* two sockets, the namespace, two processes */
#define FDS_ELSE       128

/* What has become readable. */
enum ready { READY_WAKE, READY_FILES, READY_LINKS, READY_PROCESS };

/* A namespace with its sockets. */
struct room {
	struct namespace *ns;
	struct device_socket socket;
	uint64_t due_ns; /* its next dump */
	bool open;
};

struct devices {
	struct namespaces namespaces;
	struct room *room; /* one for each of them */
	uint16_t family;
	int epoll, wake, files;
	void *buf;
	pthread_t thread;
	bool started;
	/* what follows is for both threads, under the lock; nothing is waited for with it held */
	pthread_mutex_t lock;
	pthread_cond_t done;
	bool stop, leave;
	uint64_t asked, answered;
	size_t left_out; /* namespaces */
	struct device_table table;
};

/* Whose messages are being taken. */
struct taking {
	struct devices *devices;
	uint32_t netns;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void take_link(void *ctx, const struct link_message *m)
{
	struct taking *t = ctx;
	struct device_space *s;

	pthread_mutex_lock(&t->devices->lock);
	s = device_table_space(&t->devices->table, t->netns);
	if (s)
		device_table_take(&t->devices->table, s, m);
	pthread_mutex_unlock(&t->devices->lock);
}

static void take_features(void *ctx, uint32_t ifindex, uint64_t features)
{
	struct taking *t = ctx;

	pthread_mutex_lock(&t->devices->lock);
	device_table_features(&t->devices->table, t->netns, ifindex, features);
	pthread_mutex_unlock(&t->devices->lock);
}

static void room_close(struct devices *d, struct room *r, bool ended)
{
	struct device_space *s;

	if (!r->open)
		return;
	r->open = false;
	/* closing takes them out of the epoll set, too */
	device_socket_close(&r->socket);
	namespace_close(r->ns);
	pthread_mutex_lock(&d->lock);
	s = device_table_space(&d->table, r->ns->inode);
	if (s && ended)
		device_table_end(&d->table, s);
	else if (s)
		device_table_leave(&d->table, s);
	d->left_out += !ended;
	pthread_mutex_unlock(&d->lock);
}

static void room_dump(struct devices *d, struct room *r, uint64_t deadline_ns)
{
	struct taking taking = { d, r->ns->inode };
	struct device_listener l = { take_link, take_features, &taking };
	uint64_t start = now_ns(), took;
	struct device_space *s;
	int err;

	pthread_mutex_lock(&d->lock);
	s = device_table_space(&d->table, r->ns->inode);
	if (s)
		device_table_dump(s);
	pthread_mutex_unlock(&d->lock);
	err = device_socket_dump(&r->socket, d->family, d->buf, deadline_ns, &l);
	if (err == -EINTR)
		err = device_socket_dump(&r->socket, d->family, d->buf, deadline_ns, &l);
	if (!err && s) {
		pthread_mutex_lock(&d->lock);
		s = device_table_space(&d->table, r->ns->inode);
		if (s)
			device_table_dumped(&d->table, s);
		pthread_mutex_unlock(&d->lock);
	}
	took = (now_ns() - start) * DUMP_SHARE;
	r->due_ns = start + (took > DUMP_EVERY_NS ? took : DUMP_EVERY_NS);
}

/* Which of the namespaces is the peer's: those that fit by their devices are asked for. */
static void resolve(struct devices *d, struct room *r, const struct link_message *of)
{
	struct taking taking = { d, r->ns->inode };
	struct device_listener l = { take_link, take_features, &taking };

	for (size_t i = 0; i < d->namespaces.n; i++) {
		struct room *other = &d->room[i];
		int32_t nsid;
		bool fits;

		if (!other->open || other == r)
			continue;
		pthread_mutex_lock(&d->lock);
		fits = device_table_matches(&d->table, of, other->ns->inode);
		pthread_mutex_unlock(&d->lock);
		if (!fits || device_socket_nsid(&r->socket, other->ns->fd, d->buf,
						now_ns() + DUMP_LIMIT_NS, &l, &nsid))
			continue;
		if (nsid != of->peer_nsid)
			continue;
		pthread_mutex_lock(&d->lock);
		device_table_resolve(&d->table, of, other->ns->inode);
		pthread_mutex_unlock(&d->lock);
		return;
	}
}

/* False when there is none left to look for. */
static bool resolve_peers(struct devices *d)
{
	struct link_message of[RESOLVE_MAX];
	size_t n;

	pthread_mutex_lock(&d->lock);
	n = device_table_unresolved(&d->table, of, RESOLVE_MAX);
	pthread_mutex_unlock(&d->lock);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < d->namespaces.n; j++)
			if (d->room[j].open && d->room[j].ns->inode == of[i].device.netns)
				resolve(d, &d->room[j], &of[i]);
	return n;
}

/* Those that missed something first, then those that were not read for longest. */
static struct room *next_due(struct devices *d, uint64_t now)
{
	struct room *due = NULL;

	for (size_t i = 0; i < d->namespaces.n; i++) {
		struct room *r = &d->room[i];

		if (!r->open || r->due_ns > now)
			continue;
		if (!due || r->socket.missed > due->socket.missed ||
		    (r->socket.missed == due->socket.missed && r->due_ns < due->due_ns))
			due = r;
	}
	return due;
}

static void refresh(struct devices *d, uint64_t limit_ns)
{
	uint64_t start = now_ns(), now = start;
	struct room *r;

	while (now - start < limit_ns && (r = next_due(d, start))) {
		room_dump(d, r, now + DUMP_LIMIT_NS);
		now = now_ns();
	}
	while (resolve_peers(d) && now_ns() - start < limit_ns)
		;
}

static void watch(struct devices *d, int fd, enum ready what, size_t room)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = (uint64_t)room << 8 | what };

	if (fd >= 0)
		epoll_ctl(d->epoll, EPOLL_CTL_ADD, fd, &e);
}

/* A process or a file that kept it is gone. */
static void check_holders(struct devices *d, struct room *r)
{
	if (!r->open)
		return;
	if (!namespace_held(r->ns)) {
		room_close(d, r, true);
		return;
	}
	namespace_forget_ended(r->ns);
}

static void drain(struct devices *d, struct room *r)
{
	struct taking taking = { d, r->ns->inode };
	struct device_listener l = { take_link, take_features, &taking };

	if (r->open && device_socket_drain(&r->socket, d->buf, &l))
		room_close(d, r, false);
}

static void drain_files(struct devices *d)
{
	char buf[4096] __attribute__((aligned(8)));

	while (read(d->files, buf, sizeof(buf)) > 0)
		;
	for (size_t i = 0; i < d->namespaces.n; i++)
		if (d->room[i].open && d->room[i].ns->path)
			check_holders(d, &d->room[i]);
}

static void leave_all(struct devices *d)
{
	for (size_t i = 0; i < d->namespaces.n; i++)
		if (!d->room[i].ns->own)
			room_close(d, &d->room[i], false);
}

/* Somebody asked for something; false = to end. */
static bool serve(struct devices *d)
{
	bool stop, leave;
	uint64_t asked;

	if (read(d->wake, &asked, sizeof(asked)) < 0)
		return true;
	pthread_mutex_lock(&d->lock);
	asked = d->asked;
	stop = d->stop;
	leave = d->leave;
	d->leave = false;
	pthread_mutex_unlock(&d->lock);
	if (leave)
		leave_all(d);
	else if (!stop)
		refresh(d, ROUND_LIMIT_NS);
	pthread_mutex_lock(&d->lock);
	d->answered = asked;
	pthread_cond_signal(&d->done);
	pthread_mutex_unlock(&d->lock);
	return !stop;
}

static void *work(void *arg)
{
	struct devices *d = arg;
	struct epoll_event ready[64];
	bool go = true;

	while (go) {
		int n = epoll_wait(d->epoll, ready, 64, -1);

		for (int i = 0; i < n && go; i++) {
			struct room *r = &d->room[ready[i].data.u64 >> 8];

			switch ((enum ready)(ready[i].data.u64 & 0xff)) {
			case READY_WAKE:
				go = serve(d);
				break;
			case READY_FILES:
				drain_files(d);
				break;
			case READY_LINKS:
				drain(d, r);
				break;
			case READY_PROCESS:
				check_holders(d, r);
				break;
			}
		}
		if (n < 0 && errno != EINTR)
			go = false;
	}
	return NULL;
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

static void room_watch(struct devices *d, size_t i)
{
	struct room *r = &d->room[i];

	watch(d, device_socket_fd(&r->socket), READY_LINKS, i);
	for (int p = 0; p < NAMESPACE_PROCESSES; p++)
		watch(d, r->ns->process[p].pidfd, READY_PROCESS, i);
}

/* Sockets in every namespace; the thread is in its own again at the end. */
static int open_rooms(struct devices *d)
{
	bool away = false;

	for (size_t i = 0; i < d->namespaces.n; i++) {
		struct room *r = &d->room[i];
		int err = 0;

		r->ns = &d->namespaces.ns[i];
		if (r->ns->fd < 0)
			continue;
		if (!r->ns->own) {
			err = setns(r->ns->fd, CLONE_NEWNET) ? -errno : 0;
			away |= !err;
		}
		if (!err)
			err = device_socket_open(&r->socket, d->family);
		if (err) {
			namespace_close(r->ns);
			d->left_out++;
			continue;
		}
		r->open = true;
		room_watch(d, i);
	}
	/* the own one comes first: its fd is good */
	if (away && setns(d->namespaces.ns[0].fd, CLONE_NEWNET))
		return -ENOTRECOVERABLE;
	return 0;
}

static void watch_files(struct devices *d)
{
	d->files = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (d->files < 0)
		return;
	inotify_add_watch(d->files, NAMESPACE_DIRECTORY, IN_DELETE | IN_MOVED_FROM);
	inotify_add_watch(d->files, NAMESPACE_DIRECTORY2, IN_DELETE | IN_MOVED_FROM);
	watch(d, d->files, READY_FILES, 0);
}

static int devices_fill(struct devices *d, struct netns_names *names)
{
	int err = namespaces_find(&d->namespaces, room_limit());

	if (err)
		return err;
	d->left_out = d->namespaces.left_out;
	d->room = calloc(d->namespaces.n, sizeof(*d->room));
	d->buf = malloc(DEVICE_SOCKET_BUFFER);
	d->epoll = epoll_create1(EPOLL_CLOEXEC);
	d->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!d->room || !d->buf)
		return -ENOMEM;
	if (d->epoll < 0 || d->wake < 0)
		return -errno;
	watch(d, d->wake, READY_WAKE, 0);
	watch_files(d);
	d->family = device_socket_family(d->buf, now_ns() + DUMP_LIMIT_NS);
	err = open_rooms(d);
	if (err)
		return err;
	for (size_t i = 0; i < d->namespaces.n; i++) {
		const struct namespace *ns = &d->namespaces.ns[i];

		if (ns->name[0])
			netns_names_add_process(names, ns->inode, ns->name, ns->name_pid);
		/* those that went away before they were watched */
		if (d->room[i].open)
			check_holders(d, &d->room[i]);
	}
	refresh(d, OPEN_LIMIT_NS);
	return 0;
}

int devices_open(struct devices **out, struct netns_names *names)
{
	struct devices *d = calloc(1, sizeof(*d));
	pthread_condattr_t attr;
	int err;

	*out = NULL;
	if (!d)
		return -ENOMEM;
	d->epoll = d->wake = d->files = -1;
	pthread_mutex_init(&d->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&d->done, &attr);
	pthread_condattr_destroy(&attr);
	err = devices_fill(d, names);
	if (err) {
		devices_close(d);
		return err;
	}
	*out = d;
	return 0;
}

int devices_start(struct devices *d)
{
	sigset_t all, before;
	int err;

	if (d->started)
		return 0;
	/* signals are for the thread that waits for them */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = -pthread_create(&d->thread, NULL, work, d);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	d->started = !err;
	return err;
}

/* Ask the thread for something and wait so long until it is done. */
static bool ask(struct devices *d, uint64_t wait_ns)
{
	uint64_t until_ns = now_ns() + wait_ns;
	struct timespec until = { until_ns / 1000000000, until_ns % 1000000000 };
	uint64_t asked = ++d->asked, one = 1;
	int err = 0;

	if (write(d->wake, &one, sizeof(one)) < 0)
		return false;
	while (!err && d->answered < asked)
		err = pthread_cond_timedwait(&d->done, &d->lock, &until);
	return d->answered >= asked;
}

void devices_refresh(struct devices *d, unsigned int wait_ms)
{
	if (!d->started)
		return;
	pthread_mutex_lock(&d->lock);
	ask(d, wait_ms * 1000000ULL);
	pthread_mutex_unlock(&d->lock);
}

void devices_leave(struct devices *d)
{
	if (!d->started) {
		leave_all(d);
		return;
	}
	pthread_mutex_lock(&d->lock);
	d->leave = true;
	ask(d, STOP_LIMIT_NS);
	pthread_mutex_unlock(&d->lock);
}

struct device_table *devices_hold(struct devices *d)
{
	pthread_mutex_lock(&d->lock);
	return &d->table;
}

void devices_release(struct devices *d)
{
	pthread_mutex_unlock(&d->lock);
}

size_t devices_namespaces_left_out(struct devices *d)
{
	size_t n;

	pthread_mutex_lock(&d->lock);
	n = d->left_out;
	pthread_mutex_unlock(&d->lock);
	return n;
}

void devices_close(struct devices *d)
{
	bool ended;

	if (!d)
		return;
	if (d->started) {
		pthread_mutex_lock(&d->lock);
		d->stop = true;
		ended = ask(d, STOP_LIMIT_NS);
		pthread_mutex_unlock(&d->lock);
		/* it waits for a lock of the kernel: the end of the process waits less long */
		if (!ended)
			return;
		pthread_join(d->thread, NULL);
	}
	for (size_t i = 0; d->room && i < d->namespaces.n; i++)
		device_socket_close(&d->room[i].socket);
	namespaces_free(&d->namespaces);
	device_table_free(&d->table);
	if (d->epoll >= 0)
		close(d->epoll);
	if (d->wake >= 0)
		close(d->wake);
	if (d->files >= 0)
		close(d->files);
	pthread_mutex_destroy(&d->lock);
	pthread_cond_destroy(&d->done);
	free(d->room);
	free(d->buf);
	free(d);
}
