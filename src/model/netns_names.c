// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/array.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/sanitize.h"
#include "model/netns_names.h"

/* NET_NS_INIT_INO, include/uapi/linux/nsfs.h; older kernels allocate only greater inodes */
#define INIT_NET_INODE 0xeffffff9u
/* PROC_PID_INIT_INO, include/linux/proc_ns.h */
#define INIT_PID_INODE 0xeffffffcu
#define NETNS_DIR      "/run/netns"
/* As docker ps prints a container's id. */
#define SHORT_ID_LEN 12
/* Limits for a recording. A replaced name counts until no caller can hold it. */
#define RECORDED_MAX   65536
#define RECORDED_BYTES (8u << 20)
/* Minimum age of the last scan: for an inode without a name, with one, for netns_names_check() */
#define SCAN_UNNAMED_NS NSEC_PER_SEC
#define SCAN_NAMED_NS   (10 * NSEC_PER_SEC)
#define SCAN_CHECK_NS   (100 * NSEC_PER_MSEC)

struct netns_name {
	uint32_t inode;
	char *name;    /* NULL = none found */
	int pid;       /* pid of the owner; 0 = named by a file, or "init" */
	bool has_file; /* in the last scan; "init" always */
	bool owned;    /* its process was among the owners of the last call */
};

struct netns_names {
	struct netns_name *name;
	size_t n, cap;
	struct hash_index index; /* of name, by inode */
	size_t bytes;            /* of all names, including replaced ones */
	bool recorded;           /* a recording's names, so never scan this machine */
	uint32_t init;           /* inode of the initial namespace; 0 = unknown */
	bool owners_now;         /* `now` of the last netns_names_set_owners() */
	uint64_t scan_ns;        /* CLOCK_MONOTONIC; 0 = never */
	char **replaced;         /* callers may still hold these; freed at the next scan */
	size_t n_replaced, cap_replaced;
	size_t n_old; /* recordings: how many replaced names are older than the last snapshot */
};

struct netns_names *netns_names_new(void)
{
	return memory_new(1, sizeof(struct netns_names));
}

static void free_replaced(struct netns_names *n, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		n->bytes -= strlen(n->replaced[i]) + 1;
		free(n->replaced[i]);
	}
	n->n_replaced -= count;
	if (n->n_replaced)
		memmove(n->replaced, n->replaced + count, n->n_replaced * sizeof(*n->replaced));
	n->n_old = 0;
}

void netns_names_free(struct netns_names *n)
{
	if (!n)
		return;
	free_replaced(n, n->n_replaced);
	free(n->replaced);
	for (size_t i = 0; i < n->n; i++)
		free(n->name[i].name);
	free(n->name);
	hash_index_free(&n->index);
	free(n);
}

static uint32_t hash_inode(uint32_t inode)
{
	return (uint32_t)hash_add(hash_seed(), inode);
}

static struct netns_name *name_find(const struct netns_names *n, uint32_t inode)
{
	size_t at = hash_index_find(&n->index, hash_inode(inode), i, n->name[i].inode == inode);

	return at == HASH_INDEX_NONE ? NULL : &n->name[at];
}

/* Finds or adds. NULL: RECORDED_MAX reached. */
static struct netns_name *entry(struct netns_names *n, uint32_t inode)
{
	struct netns_name *e = name_find(n, inode);

	if (e || (n->recorded && n->n == RECORDED_MAX))
		return e;
	e = array_append(n->name, n->n, n->cap);
	e->inode = inode;
	hash_index_add(&n->index, hash_inode(inode), n->n - 1);
	return e;
}

/* The entry; NULL = not set: the namespace is shown as ns:INODE, or with its old name. */
static struct netns_name *set_name(struct netns_names *n, uint32_t inode, const char *name)
{
	struct netns_name *e = entry(n, inode);
	char *copy;

	if (!e || e->name == name || (e->name && name && !strcmp(e->name, name)))
		return e;
	/* too many names, so this one stays unknown */
	if (n->recorded && name && n->bytes + strlen(name) >= RECORDED_BYTES)
		name = NULL;
	copy = name ? memory_text(name) : NULL;
	if (e->name)
		*array_append(n->replaced, n->n_replaced, n->cap_replaced) = e->name;
	e->name = copy;
	n->bytes += copy ? strlen(copy) + 1 : 0;
	return e;
}

/* A name that needs no process: a file's, or "init". */
static void set_fixed_name(struct netns_names *n, uint32_t inode, const char *name)
{
	struct netns_name *e = set_name(n, inode, name);

	if (!e)
		return;
	e->has_file = true;
	e->pid = 0;
}

static uint32_t inode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (uint32_t)st.st_ino;
}

/* Keeps the names of deleted files, because rows outlive their namespace. */
static void names_scan(struct netns_names *n)
{
	DIR *dir = opendir(NETNS_DIR);
	struct dirent *d;
	struct stat st;
	uint32_t init;

	free_replaced(n, n->n_replaced);
	for (size_t i = 0; i < n->n; i++)
		n->name[i].has_file = false;
	while (dir && (d = readdir(dir))) {
		char name[4 * sizeof(d->d_name) + 1];
		const char *file = d->d_name;

		if (file[0] == '.' || fstatat(dirfd(dir), file, &st, 0))
			continue;
		/* anyone may create such a file; the initial namespace gets its name below */
		if (!strcmp(file, "init"))
			file = NETNS_DIR "/init";
		sanitize(name, sizeof(name), file, strlen(file));
		set_fixed_name(n, (uint32_t)st.st_ino, name);
	}
	if (dir)
		closedir(dir);
	/* Last: overrides a file for the initial namespace. */
	set_fixed_name(n, INIT_NET_INODE, "init");
	init = n->init;
	/* In another pid namespace pid 1 is a container's. */
	if (!init && inode_of("/proc/1/ns/pid") == INIT_PID_INODE)
		init = inode_of("/proc/1/ns/net");
	if (init)
		set_fixed_name(n, init, "init");
}

int netns_names_readable(void)
{
	bool hidden = faccessat(AT_FDCWD, NETNS_DIR, R_OK | X_OK, AT_EACCESS) && errno == EACCES;

	return hidden ? -EACCES : 0;
}

/* Scans unless the last scan is younger than age_ns. */
static void rescan(struct netns_names *n, uint64_t age_ns)
{
	uint64_t now = clock_ns();

	if (n->scan_ns && now - n->scan_ns < age_ns)
		return;
	n->scan_ns = now;
	names_scan(n);
}

const char *netns_names_get(struct netns_names *n, uint32_t inode)
{
	struct netns_name *e = name_find(n, inode);

	if (!inode)
		return NULL;
	if (!n->recorded)
		rescan(n, e && e->name ? SCAN_NAMED_NS : SCAN_UNNAMED_NS);
	e = name_find(n, inode);
	return e ? e->name : NULL;
}

uint32_t netns_names_find(struct netns_names *n, const char *name)
{
	unsigned int inode;
	int end = 0;

	if (sscanf(name, "ns:%10u%n", &inode, &end) == 1 && !name[end])
		return inode;
	if (!n->recorded)
		rescan(n, SCAN_UNNAMED_NS);
	for (size_t i = 0; i < n->n; i++)
		if (n->name[i].name && !strcmp(n->name[i].name, name))
			return n->name[i].inode;
	return 0;
}

int netns_names_pid(struct netns_names *n, uint32_t inode)
{
	const char *name = netns_names_get(n, inode);

	return name ? entry(n, inode)->pid : 0;
}

/* "nginx/812@4f3c2a1b9d8e" */
static void owner_name(const struct netns_owner *owner, char *buf, size_t size)
{
	const char *id = owner->container.id;

	snprintf(buf, size, "%s/%d%s%.*s", owner->comm, owner->pid, *id ? "@" : "", SHORT_ID_LEN,
		 id);
}

void netns_names_set_owners(struct netns_names *n, const struct netns_owners *owners, bool now)
{
	rescan(n, SCAN_NAMED_NS);
	n->owners_now = now;
	for (size_t i = 0; i < n->n; i++)
		n->name[i].owned = false;
	for (size_t i = 0; i < owners->n; i++) {
		const struct netns_owner *owner = &owners->owner[i];
		struct netns_name *e = entry(n, owner->netns);
		char name[sizeof(owner->comm) + SHORT_ID_LEN + sizeof("/-2147483648@")];

		owner_name(owner, name, sizeof(name));
		if (!e || (e->name && !e->pid) || !set_name(n, owner->netns, name))
			continue;
		e->pid = owner->pid;
		e->owned = true;
	}
}

void netns_names_set_init(struct netns_names *n, uint32_t inode)
{
	n->init = inode;
	set_fixed_name(n, inode, "init");
}

void netns_names_check(struct netns_names *n, uint32_t inode)
{
	struct netns_name *e = name_find(n, inode);
	char path[64];

	if (n->recorded || !e || !e->name)
		return;
	rescan(n, SCAN_CHECK_NS);
	e = name_find(n, inode);
	if (e->has_file)
		return;
	snprintf(path, sizeof(path), "/proc/%d/stat", e->pid);
	if (e->pid && (n->owners_now ? e->owned : !access(path, F_OK)))
		return;
	set_name(n, inode, NULL);
	e->pid = 0;
}

void netns_names_set(struct netns_names *n, uint32_t inode, const char *name, int pid)
{
	struct netns_name *e;

	n->recorded = true;
	e = set_name(n, inode, name);
	if (e)
		e->pid = pid;
}

void netns_names_forget(struct netns_names *n)
{
	for (size_t i = 0; i < n->n; i++) {
		n->name[i].pid = 0;
		set_name(n, n->name[i].inode, NULL);
	}
}

void netns_names_next(struct netns_names *n)
{
	free_replaced(n, n->n_old);
	n->n_old = n->n_replaced;
}
