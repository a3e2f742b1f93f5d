// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "model/netns_names.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/sanitize.h"

/* include/uapi/linux/nsfs.h NET_NS_INIT_INO; below what older kernels give out, so never another */
#define INIT_NET_INODE 0xeffffff9u
/* include/linux/proc_ns.h PROC_PID_INIT_INO */
#define INIT_PID_INODE  0xeffffffcu
#define NETNS_DIR       "/run/netns"
#define SCAN_UNNAMED_NS NSEC_PER_SEC
/* Something new is there. */
#define SCAN_CHECK_NS (100 * NSEC_PER_MSEC)
#define RECORDED_MAX  65536 /* namespaces of a recording whose names are kept */
/* An inode may be given to another namespace. */
#define SCAN_NAMED_NS (10 * NSEC_PER_SEC)

struct netns_name {
	uint32_t inode;
	char *name;    /* NULL = looked for and not found */
	int pid;       /* of the process that it is named after; 0 = of a file */
	bool is_there; /* its file was, when the directory was read last */
	bool owned;    /* netns_names_set_owners() named its process the last time */
};

struct netns_names {
	struct netns_name *name; /* ascending by inode */
	size_t n, cap;
	bool recorded;    /* names come from a recording: this machine's mean nothing */
	uint32_t init;    /* 0 = not known */
	bool owners_now;  /* netns_names_set_owners() is called again on changes */
	uint64_t scan_ns; /* 0 = never */
	char **replaced;  /* names that callers may still hold; freed at the next scan */
	size_t n_replaced, cap_replaced;
	size_t n_old; /* of them, in a recording: replaced before its last snapshot */
};

struct netns_names *netns_names_new(void)
{
	return calloc(1, sizeof(struct netns_names));
}

/* The first so many of them. */
static void free_replaced(struct netns_names *n, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(n->replaced[i]);
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
	free(n);
}

/* The place of an inode, or where it belongs. */
static size_t place(const struct netns_names *n, uint32_t inode)
{
	return array_lower_bound(n->name, n->n, e, e->inode < inode);
}

/* Its entry, made if need be; NULL when out of memory. */
static struct netns_name *entry(struct netns_names *n, uint32_t inode)
{
	size_t at = place(n, inode);
	struct netns_name *e;

	if (at < n->n && n->name[at].inode == inode)
		return &n->name[at];
	if (n->recorded && n->n == RECORDED_MAX)
		return NULL;
	e = array_insert(n->name, n->n, n->cap, at);
	if (e)
		e->inode = inode;
	return e;
}

static int set_name(struct netns_names *n, uint32_t inode, const char *name)
{
	struct netns_name *e = entry(n, inode);
	char *copy = NULL, **replaced;

	if (!e)
		return -ENOMEM;
	if (e->name == name || (e->name && name && !strcmp(e->name, name)))
		return 0;
	if (name) {
		copy = strdup(name);
		if (!copy)
			return -ENOMEM;
	}
	if (e->name) {
		replaced = array_append(n->replaced, n->n_replaced, n->cap_replaced);
		if (!replaced) {
			free(copy);
			return -ENOMEM;
		}
		*replaced = e->name;
	}
	e->name = copy;
	return 0;
}

static uint32_t inode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (uint32_t)st.st_ino;
}

static void set_init(struct netns_names *n, uint32_t inode)
{
	struct netns_name *e;

	(void)set_name(n, inode, "init");
	e = entry(n, inode);
	if (e) {
		e->is_there = true;
		e->pid = 0;
	}
}

/*
 * A name stays when its file is gone: the rows of a namespace outlive it, as those of a device do.
 */
static void scan(struct netns_names *n)
{
	DIR *dir = opendir(NETNS_DIR);
	struct dirent *d;
	struct stat st;
	uint32_t init;

	free_replaced(n, n->n_replaced);
	for (size_t i = 0; i < n->n; i++)
		n->name[i].is_there = false;
	while (dir && (d = readdir(dir))) {
		char name[4 * sizeof(d->d_name) + 1];
		struct netns_name *e;

		if (d->d_name[0] == '.' || fstatat(dirfd(dir), d->d_name, &st, 0))
			continue;
		sanitize(name, sizeof(name), d->d_name, sizeof(d->d_name));
		/* out of memory: it stays a number */
		(void)set_name(n, (uint32_t)st.st_ino, name);
		e = entry(n, (uint32_t)st.st_ino);
		if (e) {
			e->is_there = true;
			e->pid = 0;
		}
	}
	if (dir)
		closedir(dir);
	/* last, so that a file for it in the directory does not rename it; pid 1 tells only outside
	 * of containers */
	set_init(n, INIT_NET_INODE);
	init = n->init;
	if (!init && inode_of("/proc/1/ns/pid") == INIT_PID_INODE)
		init = inode_of("/proc/1/ns/net");
	if (init)
		set_init(n, init);
}

/* Read the directory again unless that was done less than age_ns ago. */
static void rescan(struct netns_names *n, uint64_t age_ns)
{
	uint64_t now = clock_ns();

	if (n->scan_ns && now - n->scan_ns < age_ns)
		return;
	n->scan_ns = now;
	scan(n);
}

const char *netns_names_get(struct netns_names *n, uint32_t inode)
{
	size_t at = place(n, inode);
	bool named = at < n->n && n->name[at].inode == inode && n->name[at].name;
	struct netns_name *e;

	if (!inode)
		return NULL;
	if (!n->recorded)
		rescan(n, named ? SCAN_NAMED_NS : SCAN_UNNAMED_NS);
	e = entry(n, inode);
	return e ? e->name : NULL;
}

int netns_names_pid(struct netns_names *n, uint32_t inode)
{
	const char *name = netns_names_get(n, inode);

	return name ? entry(n, inode)->pid : 0;
}

void netns_names_set_owners(struct netns_names *n, const struct netns_owners *d, bool now)
{
	rescan(n, SCAN_NAMED_NS);
	n->owners_now = now;
	for (size_t i = 0; i < n->n; i++)
		n->name[i].owned = false;
	for (size_t i = 0; i < d->n; i++) {
		const struct netns_owner *one = &d->owner[i];
		struct netns_name *e = entry(n, one->netns);

		/* out of memory: it stays a number */
		if (!e || (e->name && !e->pid) || set_name(n, one->netns, one->name))
			continue;
		e->pid = one->pid;
		e->owned = true;
	}
}

void netns_names_set_init(struct netns_names *n, uint32_t inode)
{
	n->init = inode;
	set_init(n, inode);
}

void netns_names_check(struct netns_names *n, uint32_t inode)
{
	size_t at = place(n, inode);
	struct netns_name *e;
	char path[64];

	if (n->recorded || at == n->n || n->name[at].inode != inode || !n->name[at].name)
		return;
	rescan(n, SCAN_CHECK_NS);
	e = entry(n, inode);
	if (!e || e->is_there)
		return;
	snprintf(path, sizeof(path), "/proc/%d/stat", e->pid);
	if (e->pid && (n->owners_now ? e->owned : !access(path, F_OK)))
		return;
	(void)set_name(n, inode, NULL);
	e->pid = 0;
}

int netns_names_set(struct netns_names *n, uint32_t inode, const char *name, int pid)
{
	struct netns_name *e;
	int err;

	n->recorded = true;
	e = entry(n, inode);
	if (!e)
		return n->n == RECORDED_MAX ? 0 : -ENOMEM;
	err = set_name(n, inode, name);
	if (!err)
		e->pid = pid;
	return err;
}

void netns_names_next(struct netns_names *n)
{
	free_replaced(n, n->n_old);
	n->n_old = n->n_replaced;
}
