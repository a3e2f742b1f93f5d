// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "names.skel.h"
#include "objects.h"
#include "printable.h"
#include "snapshot.h"
#include "../bpf/object.h"

#define READ_EVERY_NS 1000000000ULL
#define OBJECTS_MAX   65536 /* of a kind; ids behind that have no name here */

struct object {
	uint32_t id;
	bool there; /* at the last read */
	bool asked; /* somebody knows its id: its name outlives it */
	char name[SNAPSHOT_NAME_LEN];
};

/* Programs or maps, ascending by id. */
struct kind {
	struct bpf_link *link;
	struct object *object;
	size_t n, cap;
	uint64_t read_ns; /* when it was tried last */
};

struct objects {
	struct names_bpf *skeleton;
	struct kind programs, maps;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Load what loads; each of the two alone when not both. */
static struct names_bpf *load(bool programs, bool maps)
{
	struct names_bpf *s = names_bpf__open();

	if (!s)
		return NULL;
	bpf_program__set_autoload(s->progs.programs, programs);
	bpf_program__set_autoload(s->progs.maps, maps);
	if (!names_bpf__load(s))
		return s;
	names_bpf__destroy(s);
	return NULL;
}

static struct bpf_link *attach(const struct bpf_program *program)
{
	return bpf_program__fd(program) < 0 ? NULL : bpf_program__attach_iter(program, NULL);
}

void objects_close(struct objects *o)
{
	if (!o)
		return;
	bpf_link__destroy(o->programs.link);
	bpf_link__destroy(o->maps.link);
	names_bpf__destroy(o->skeleton);
	free(o->programs.object);
	free(o->maps.object);
	free(o);
}

/* The place of an id, or where it belongs. */
static size_t place(const struct kind *k, uint32_t id)
{
	size_t low = 0, high = k->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (k->object[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct object *find(const struct kind *k, uint32_t id)
{
	size_t at = place(k, id);

	return at < k->n && k->object[at].id == id ? &k->object[at] : NULL;
}

/* Its entry, made if need be; NULL when there is no room. */
static struct object *entry(struct kind *k, uint32_t id)
{
	struct object *o = find(k, id);
	size_t at = place(k, id);

	if (o)
		return o;
	if (k->n == OBJECTS_MAX)
		return NULL;
	if (k->n == k->cap) {
		size_t cap = k->cap ? k->cap * 2 : 64;

		o = reallocarray(k->object, cap, sizeof(*o));
		if (!o)
			return NULL;
		k->object = o;
		k->cap = cap;
	}
	o = &k->object[at];
	memmove(o + 1, o, (k->n - at) * sizeof(*o));
	k->n++;
	memset(o, 0, sizeof(*o));
	o->id = id;
	return o;
}

static void take(struct kind *k, const struct object_record *r)
{
	struct object *o = entry(k, r->id);

	if (!o)
		return;
	o->there = true;
	printable(o->name, sizeof(o->name), r->name, sizeof(r->name));
}

/* Forget those that are not there any more and that nobody asked for. */
static void forget(struct kind *k)
{
	size_t kept = 0;

	for (size_t i = 0; i < k->n; i++)
		if (k->object[i].there || k->object[i].asked)
			k->object[kept++] = k->object[i];
	k->n = kept;
}

/* All that the kernel has now. 0 or -errno. */
static int read_all(struct kind *k)
{
	struct object_record records[64];
	size_t have = 0;
	ssize_t n;
	int fd = bpf_iter_create(bpf_link__fd(k->link));

	k->read_ns = now_ns();
	if (fd < 0)
		return -errno;
	for (size_t i = 0; i < k->n; i++)
		k->object[i].there = false;
	/* a read may end in the middle of a record */
	while ((n = read(fd, (char *)records + have, sizeof(records) - have)) > 0 ||
	       (n < 0 && errno == EINTR)) {
		size_t whole;

		have += n > 0 ? (size_t)n : 0;
		whole = have / sizeof(records[0]);
		for (size_t i = 0; i < whole; i++)
			take(k, &records[i]);
		have -= whole * sizeof(records[0]);
		memmove(records, &records[whole], have);
	}
	close(fd);
	if (n < 0)
		return -errno;
	forget(k);
	return 0;
}

struct objects *objects_open(void)
{
	struct objects *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->skeleton = load(true, true);
	if (!o->skeleton)
		o->skeleton = load(false, true);
	if (!o->skeleton)
		o->skeleton = load(true, false);
	if (!o->skeleton) {
		free(o);
		return NULL;
	}
	o->programs.link = attach(o->skeleton->progs.programs);
	o->maps.link = attach(o->skeleton->progs.maps);
	if (o->programs.link)
		read_all(&o->programs);
	if (o->maps.link)
		read_all(&o->maps);
	return o;
}

static const char *name(struct kind *k, uint32_t id)
{
	struct object *o = find(k, id);

	if (!k->link || !id)
		return "";
	if (!o) {
		if (now_ns() - k->read_ns < READ_EVERY_NS || read_all(k))
			return NULL;
		/* one that is not there any more gets an entry without a name */
		o = entry(k, id);
	}
	if (!o)
		return "";
	o->asked = true;
	return o->name;
}

const char *objects_program(struct objects *o, uint32_t id)
{
	return o ? name(&o->programs, id) : "";
}

const char *objects_map(struct objects *o, uint32_t id)
{
	return o ? name(&o->maps, id) : "";
}

uint32_t objects_init_netns(const struct objects *o)
{
	return o ? o->skeleton->bss->init_netns : 0;
}
