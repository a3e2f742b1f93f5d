// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include "iters.skel.h"
#include "inventory/bpf_iters.h"
#include "inventory/bpf_objects.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/sanitize.h"
#include "bpf/iter_records.h"

#define READ_EVERY_NS NSEC_PER_SEC
#define OBJECTS_MAX   65536 /* limit of programs, and of maps; the others get no name */

struct object {
	uint32_t id;
	bool present; /* in the last read */
	bool used;    /* its name was looked up: keep it after the object is gone */
	uint32_t type, uid;
	uint64_t load_time;
	char name[SNAPSHOT_NAME_LEN];
};

/* Programs or maps, ascending by id. */
struct kind {
	const struct bpf_iters *iters;
	enum iter_id id;
	struct object *object;
	size_t n, cap;
	uint64_t read_ns; /* last attempt */
};

struct bpf_objects {
	const struct iters_bpf *iterators;
	struct kind programs, maps;
	const struct bpf_iters *iters;
};

void bpf_objects_close(struct bpf_objects *o)
{
	if (!o)
		return;
	free(o->programs.object);
	free(o->maps.object);
	free(o);
}

/* NULL = not found or, with `add`, OBJECTS_MAX reached. */
static struct object *object_find(struct kind *k, uint32_t id, bool add)
{
	size_t at = array_lower_bound(k->object, k->n, e, e->id < id);
	struct object *o = NULL;

	if (at < k->n && k->object[at].id == id)
		return &k->object[at];
	if (add && k->n < OBJECTS_MAX)
		o = array_insert(k->object, k->n, k->cap, at);
	if (o)
		o->id = id;
	return o;
}

static void add_name(void *ctx, const void *record)
{
	const struct object_record *r = record;
	struct object *o = object_find(ctx, r->id, true);

	if (!o)
		return;
	o->present = true;
	o->type = r->type;
	o->uid = r->uid;
	o->load_time = r->load_time;
	sanitize(o->name, sizeof(o->name), r->name, sizeof(r->name));
}

/* Forget objects that are gone and were never looked up. */
static void objects_forget(struct kind *k)
{
	size_t kept = 0;

	for (size_t i = 0; i < k->n; i++)
		if (k->object[i].present || k->object[i].used)
			k->object[kept++] = k->object[i];
	k->n = kept;
}

static int read_all(struct kind *k)
{
	int err;

	k->read_ns = clock_ns();
	for (size_t i = 0; i < k->n; i++)
		k->object[i].present = false;
	err = bpf_iters_read(k->iters, k->id, sizeof(struct object_record), add_name, k);
	if (!err)
		objects_forget(k);
	return err;
}

struct bpf_objects *bpf_objects_open(struct bpf_iters *iterators)
{
	const struct iters_bpf *object = bpf_iters_object(iterators);
	struct bpf_objects *o = object ? memory_new(1, sizeof(*o)) : NULL;

	if (!o)
		return NULL;
	o->iterators = object;
	o->iters = o->programs.iters = o->maps.iters = iterators;
	o->programs.id = ITER_PROGRAM_NAMES;
	o->maps.id = ITER_MAP_NAMES;
	read_all(&o->programs);
	read_all(&o->maps);
	return o;
}

static const char *name(struct kind *k, uint32_t id)
{
	struct object *o = object_find(k, id, false);

	if (!id || !bpf_iters_has(k->iters, k->id))
		return "";
	if (!o) {
		if (clock_ns() - k->read_ns < READ_EVERY_NS || read_all(k))
			return NULL;
		/* already gone: remember it without a name */
		o = object_find(k, id, true);
	}
	if (!o)
		return "";
	o->used = true;
	return o->name;
}

const char *bpf_objects_program(struct bpf_objects *o, uint32_t id)
{
	return o ? name(&o->programs, id) : "";
}

bool bpf_objects_loaded(struct bpf_objects *o, uint32_t prog_id, uint64_t *load_time, uint32_t *uid)
{
	const struct object *p = bpf_objects_program(o, prog_id) && o
					 ? object_find(&o->programs, prog_id, false)
					 : NULL;

	if (!p || !p->load_time)
		return false;
	*load_time = p->load_time;
	*uid = p->uid;
	return true;
}

int bpf_objects_xdp(struct bpf_objects *o, bpf_objects_xdp_fn *fn, void *ctx)
{
	int err = o ? read_all(&o->programs) : -EOPNOTSUPP;

	for (size_t i = 0; !err && i < o->programs.n; i++) {
		const struct object *p = &o->programs.object[i];

		if (p->present && p->type == BPF_PROG_TYPE_XDP)
			fn(ctx, p->id, p->name, p->load_time);
	}
	return err;
}

const char *bpf_objects_map(struct bpf_objects *o, uint32_t id)
{
	return o ? name(&o->maps, id) : "";
}

static void add_owner(void *ctx, const void *record)
{
	const struct object_process *p = record;
	struct netns_owner owner = { .netns = p->netns, .pid = (int)p->pid, .start = p->start };
	char path[OBJECT_CGROUPS * (OBJECT_CGROUP_LEN + 1)] = "";
	size_t len = 0;

	for (int i = OBJECT_CGROUPS - 1; i >= 0; i--)
		len += (size_t)snprintf(path + len, sizeof(path) - len, "/%.*s",
					OBJECT_CGROUP_LEN - 1, p->cgroup[i]);
	netns_owner_set(&owner, p->comm, sizeof(p->comm), path, len);
	netns_owners_add(ctx, &owner);
}

int bpf_objects_owners(struct bpf_objects *o, struct netns_owners *owners)
{
	return o ? bpf_iters_read(o->iters, ITER_PROCESSES, sizeof(struct object_process),
				  add_owner, owners)
		 : -EOPNOTSUPP;
}

/* Counters read at a time, as pairs: about a millisecond. */
#define RUN_STEPS 32768

int bpf_objects_runs(struct bpf_objects *o, void (*fn)(void *ctx, const void *record), void *ctx)
{
	struct iters_bpf__bss *bss = o->iterators->bss;

	bss->prog_run_cpus = (__u32)libbpf_num_possible_cpus();
	bss->prog_run_steps = RUN_STEPS;
	bss->prog_run_begin = bss->prog_run_next;
	bss->prog_run_next = 0;
	return bpf_iters_read(o->iters, ITER_RUNS, sizeof(struct prog_run_record), fn, ctx);
}

uint32_t bpf_objects_init_netns(const struct bpf_objects *o)
{
	return o ? o->iterators->bss->init_netns : 0;
}

bool bpf_objects_full_name(struct bpf_objects *o, uint32_t prog_id, char name[SNAPSHOT_NAME_LEN])
{
	const char *full = "";

	/* the kernel cuts aux->name at BPF_OBJ_NAME_LEN */
	if (prog_id && (!name[0] || strlen(name) >= SERIES_NAME_LEN - 1))
		full = bpf_objects_program(o, prog_id);
	if (full && !strncmp(full, name, strlen(name)))
		memcpy(name, full, strlen(full) + 1);
	return full;
}
