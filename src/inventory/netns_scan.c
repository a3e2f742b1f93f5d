// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/netns_scan.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "base/array.h"

#ifndef NSFS_MAGIC
#define NSFS_MAGIC 0x6e736673
#endif
#define FOUND_MAX 65536 /* namespaces, opened or not */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static size_t set_place(const struct netns_set *set, uint32_t inode)
{
	return array_lower_bound(set->inode, set->n, e, *e < inode);
}

bool netns_set_has(const struct netns_set *set, uint32_t inode)
{
	size_t at = set_place(set, inode);

	return at < set->n && set->inode[at] == inode;
}

void netns_set_add(struct netns_set *set, uint32_t inode, size_t max)
{
	if (set->n < max && !netns_set_has(set, inode))
		*array_insert(set->inode, set->n, set->cap, set_place(set, inode)) = inode;
}

void netns_set_free(struct netns_set *set)
{
	free(set->inode);
	memset(set, 0, sizeof(*set));
}

/* NULL = too many namespaces, or not wanted. */
static struct netns_handle *find_or_add(struct netns_scan *s, uint32_t inode)
{
	struct netns_handle *ns;

	for (size_t i = 0; i < s->n; i++)
		if (s->ns[i].inode == inode)
			return &s->ns[i];
	if (s->only && s->n && !netns_set_has(s->only, inode))
		return NULL;
	if (s->n == FOUND_MAX)
		return NULL;
	ns = array_append(s->ns, s->n, s->cap);
	ns->inode = inode;
	ns->fd = -1;
	for (int i = 0; i < NETNS_SCAN_PROCESSES; i++)
		ns->process[i].pidfd = -1;
	return ns;
}

/* Open a network namespace and set *inode; -1 = the file is something else. */
static int open_namespace(const char *path, uint32_t *inode)
{
	struct statfs fs;
	struct stat st;
	int fd;

	/* O_NONBLOCK: a FIFO in the directory would block */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -1;
	if (fstatfs(fd, &fs) || fs.f_type != NSFS_MAGIC || fstat(fd, &st) ||
	    ioctl(fd, NS_GET_NSTYPE) != CLONE_NEWNET) {
		close(fd);
		return -1;
	}
	*inode = (uint32_t)st.st_ino;
	return fd;
}

static void find_own(struct netns_scan *s)
{
	uint32_t inode = 0;
	int fd = open_namespace("/proc/self/ns/net", &inode);
	struct netns_handle *ns;

	/* without /proc the inode is unknown */
	if (fd < 0)
		return;
	ns = find_or_add(s, inode);
	if (!ns) {
		close(fd);
		return;
	}
	ns->own = true;
	ns->fd = fd;
}

static void find_files(struct netns_scan *s, const char *directory)
{
	DIR *dir = opendir(directory);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		struct netns_handle *ns;
		uint32_t inode;
		char *path;
		int fd;

		if (d->d_name[0] == '.' || asprintf(&path, "%s/%s", directory, d->d_name) < 0)
			continue;
		fd = open_namespace(path, &inode);
		if (fd < 0) {
			free(path);
			continue;
		}
		close(fd);
		ns = find_or_add(s, inode);
		if (ns && !ns->path)
			ns->path = path;
		else
			free(path);
	}
	if (dir)
		closedir(dir);
}

static int file_open(const char *directory, uint32_t inode, char **path)
{
	DIR *dir = opendir(directory);
	struct dirent *d;
	struct stat st;
	int fd = -1;

	while (dir && fd < 0 && (d = readdir(dir))) {
		if (d->d_name[0] == '.' || fstatat(dirfd(dir), d->d_name, &st, 0) ||
		    (uint32_t)st.st_ino != inode)
			continue;
		fd = openat(dirfd(dir), d->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			continue;
		if (fstat(fd, &st) || (uint32_t)st.st_ino != inode ||
		    asprintf(path, "%s/%s", directory, d->d_name) < 0)
			close_fd(&fd);
	}
	if (dir)
		closedir(dir);
	return fd;
}

int netns_file_open(uint32_t inode, char **path)
{
	int fd = file_open(NETNS_SCAN_DIRECTORY, inode, path);

	return fd < 0 ? file_open(NETNS_SCAN_DIRECTORY2, inode, path) : fd;
}

/* Read a small file of /proc as text. 0 = cannot be read. */
static size_t read_text(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

/* Field 22 of /proc/PID/stat, counted from the end of the command, which may contain anything. */
static uint64_t start_time(pid_t pid)
{
	char path[64], text[1024], *at;
	uint64_t start;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (!read_text(path, text, sizeof(text)))
		return UINT64_MAX;
	at = strrchr(text, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, "%20" SCNu64, &start) == 1 ? start : UINT64_MAX;
}

/* Watch the oldest processes, sorted by start time. */
static void add_holder(struct netns_handle *ns, pid_t pid, uint64_t start)
{
	struct netns_process *p = ns->process, new = { pid, start, -1 };

	for (int i = 0; i < NETNS_SCAN_PROCESSES; i++) {
		struct netns_process other = p[i];

		if (other.pid && other.start <= new.start)
			continue;
		p[i] = new;
		new = other;
	}
}

static void add_owner(struct netns_owners *owners, uint32_t inode, pid_t pid, uint64_t start)
{
	struct netns_owner owner = { .netns = inode, .pid = pid, .start = start };
	char path[64], comm[32], cgroup[2048];
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (!read_text(path, comm, sizeof(comm)))
		return;
	comm[strcspn(comm, "\n")] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	len = read_text(path, cgroup, sizeof(cgroup));
	netns_owner_set(&owner, comm, sizeof(comm), cgroup, len);
	netns_owners_add(owners, &owner);
}

static void find_processes(struct netns_scan *s, struct netns_owners *owners)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		struct netns_handle *ns;
		uint64_t start;
		char path[64];
		struct stat st;
		pid_t pid;

		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		pid = (pid_t)strtol(d->d_name, NULL, 10);
		snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
		if (stat(path, &st))
			continue; /* ended, or not permitted */
		ns = find_or_add(s, (uint32_t)st.st_ino);
		/* xdptop's own namespace needs no holder */
		if (!ns || ns->own)
			continue;
		start = start_time(pid);
		add_holder(ns, pid, start);
		add_owner(owners, ns->inode, pid, start);
	}
	if (dir)
		closedir(dir);
}

/* Open the pidfd first, so that the pid cannot be reused. Then check the namespace again. */
static void process_watch(struct netns_handle *ns, struct netns_process *p)
{
	char path[64];
	struct stat st;

	p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	if (p->pidfd < 0)
		return;
	snprintf(path, sizeof(path), "/proc/%d/ns/net", p->pid);
	if (!stat(path, &st) && (uint32_t)st.st_ino == ns->inode)
		return;
	close_fd(&p->pidfd);
}

static void open_checked(struct netns_handle *ns, const char *path)
{
	uint32_t inode;

	if (ns->fd >= 0)
		return;
	ns->fd = open_namespace(path, &inode);
	if (ns->fd >= 0 && inode != ns->inode)
		close_fd(&ns->fd);
}

/* Open what is needed later; false = it has no holder, or access is denied. */
static bool open_found(struct netns_handle *ns)
{
	char path[64];

	if (ns->own)
		return true;
	for (int i = 0; i < NETNS_SCAN_PROCESSES && ns->process[i].pid; i++) {
		process_watch(ns, &ns->process[i]);
		snprintf(path, sizeof(path), "/proc/%d/ns/net", ns->process[i].pid);
		if (ns->process[i].pidfd >= 0)
			open_checked(ns, path);
	}
	if (ns->path)
		open_checked(ns, ns->path);
	return ns->fd >= 0 && netns_handle_held(ns);
}

/* Whether it has all namespaces that are wanted. */
static bool has_wanted(const struct netns_scan *s)
{
	for (size_t i = 0; s->only && i < s->only->n; i++)
		if (s->only->inode[i] != s->ns[0].inode)
			return false;
	return s->only;
}

int netns_scan_find(struct netns_scan *s, const struct netns_set *only, size_t max,
		    struct netns_owners *owners)
{
	size_t opened = 0;

	*s = (struct netns_scan){ .only = only };
	find_own(s);
	if (!s->n)
		return -ENOENT;
	if (has_wanted(s))
		return 0;
	find_files(s, NETNS_SCAN_DIRECTORY);
	find_files(s, NETNS_SCAN_DIRECTORY2);
	find_processes(s, owners);
	for (size_t i = 0; i < s->n; i++) {
		struct netns_handle *ns = &s->ns[i];

		if (opened < max && open_found(ns)) {
			opened++;
			continue;
		}
		netns_handle_close(ns);
		s->unreadable++;
	}
	s->only = NULL;
	return 0;
}

void netns_handle_close(struct netns_handle *ns)
{
	close_fd(&ns->fd);
	for (int i = 0; i < NETNS_SCAN_PROCESSES; i++)
		close_fd(&ns->process[i].pidfd);
	free(ns->path);
	ns->path = NULL;
}

void netns_scan_free(struct netns_scan *s)
{
	for (size_t i = 0; i < s->n; i++)
		netns_handle_close(&s->ns[i]);
	free(s->ns);
	memset(s, 0, sizeof(*s));
}

static bool is_running(const struct netns_process *p)
{
	struct pollfd poll_fd = { .fd = p->pidfd, .events = POLLIN };

	return p->pidfd >= 0 && !poll(&poll_fd, 1, 0);
}

bool netns_handle_held(const struct netns_handle *ns)
{
	struct stat st;

	if (ns->own)
		return true;
	if (ns->path && !stat(ns->path, &st) && (uint32_t)st.st_ino == ns->inode)
		return true;
	for (int i = 0; i < NETNS_SCAN_PROCESSES; i++)
		if (is_running(&ns->process[i]))
			return true;
	return false;
}

void netns_handle_forget_ended(struct netns_handle *ns)
{
	for (int i = 0; i < NETNS_SCAN_PROCESSES; i++)
		if (!is_running(&ns->process[i]))
			close_fd(&ns->process[i].pidfd);
}
