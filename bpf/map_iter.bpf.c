// SPDX-License-Identifier: GPL-2.0-only
/*
 * Iterators over the maps that XDP redirects through, their entries, and the programs that use
 * them; and over the number of entries in other maps of these programs, which can become full.
 * BPF_MAP_GET_FD_BY_ID needs CAP_SYS_ADMIN. Reading an iterator that was loaded at start needs no
 * capability. They run only when read.
 *
 * The records are in an mmapped map, because bpf_seq_write() of more than 32 kB for one kernel map
 * fails with E2BIG. bpf_iter_run_prog() (kernel/bpf/bpf_iter.c) holds rcu_read_lock(), which
 * protects the entries. All reads handle faults. bpf_loop() needs 5.17.
 */
#include "core_types.h"
#include "iter_records.h"
#include "xdp_socket_types.h"

#define SMALL_MAX  1024  /* slots of a small map */
#define MEDIUM_MAX 16384 /* slots of a medium map */
#define RUN        16    /* slots that are skipped together if all are empty */
#define USED_MAX   64    /* MAX_USED_MAPS, include/linux/bpf.h */

__u32 map_records_n = 0, map_links_n = 0;
/*
 * User space sets these; cleared when a map's record does not fit, or not even a link that reports
 * missing links.
 */
__u32 maps_complete = 0, map_links_complete = 0;
/* Steps left for links, which every reading reads in full. */
__u32 map_link_steps = 0;
/* User space sets the kinds (enum map_kinds) to read. Entries are read only for MAPS_REDIRECT. */
__u32 map_kinds = MAPS_REDIRECT;
/* User space sets the first two: the maps whose entries are to be counted, ascending. */
__u32 map_fill_ids[MAP_FILLS_MAX] = {};
__u32 map_fill_ids_n = 0;
/* The next of these maps, and the records in `map_fills`. */
__u32 map_fill_next = 0, map_fills_n = 0;
/*
 * Steps left; where this reading begins and where the next one resumes (map 0 = at the first). A
 * step covers a few empty slots. An entry takes MAP_ENTRY_STEPS.
 */
__u32 map_steps[MAP_CLASSES] = {};
__u32 map_begin[MAP_CLASSES] = {}, map_begin_slot[MAP_CLASSES] = {};
__u32 map_next[MAP_CLASSES] = {}, map_next_slot[MAP_CLASSES] = {};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, MAP_RECORDS_MAX);
	__type(key, __u32);
	__type(value, struct map_record);
} map_records SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, MAP_LINKS_MAX);
	__type(key, __u32);
	__type(value, struct map_link);
} map_links SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, MAP_FILLS_MAX);
	__type(key, __u32);
	__type(value, struct map_fill_record);
} map_fills SEC(".maps");

/*
 * The map that is being read. Not on the stack: up to 6.6 the verifier treats memory that
 * bpf_loop()'s caller wrote there as constant.
 */
static __u32 map_id, map_type;
static const void **slots; /* pointers to entries, or to the first entry of a bucket */
static __u32 slot, slots_n;
static __u32 steps_left;              /* of its class */
static __u32 stride;                  /* bytes per bucket of a hash of maps; 0 = an array */
static __u32 value_at;                /* offset of a value in an element of that hash */
static const struct hlist_node *node; /* next node of the bucket; NULL = the first one */

static __always_inline struct map_record *add_record(void)
{
	__u32 at = map_records_n;
	struct map_record *to = bpf_map_lookup_elem(&map_records, &at);

	if (!to)
		return NULL;
	map_records_n = at + 1;
	__builtin_memset(to, 0, sizeof(*to));
	to->map_id = map_id;
	return to;
}

static __always_inline void read_prog(const struct bpf_prog *prog, struct map_record *to)
{
	const struct bpf_prog_aux *aux;

	if (!prog)
		return;
	aux = BPF_CORE_READ(prog, aux);
	to->prog_id = BPF_CORE_READ(aux, id);
	bpf_core_read(to->prog_name, sizeof(to->prog_name), &aux->name);
}

static __always_inline void read_devmap(const struct bpf_dtab_netdev *d, struct map_record *to)
{
	const struct net_device *dev = BPF_CORE_READ(d, dev);

	to->key = BPF_CORE_READ(d, idx);
	to->netns = BPF_CORE_READ(dev, nd_net.net, ns.inum);
	to->ifindex = BPF_CORE_READ(dev, ifindex);
	bpf_core_read(to->name, sizeof(to->name), &dev->name);
	read_prog(BPF_CORE_READ(d, xdp_prog), to);
}

/* Takes no locks of the ring, so the fill may be off by a frame or a bulk. */
static __always_inline void read_cpu(const struct bpf_cpu_map_entry *c, struct map_record *to)
{
	const struct ptr_ring *q = BPF_CORE_READ(c, queue);
	int size = BPF_CORE_READ(q, size), producer = BPF_CORE_READ(q, producer);
	int fill = producer - BPF_CORE_READ(q, consumer_head);
	void **queue = BPF_CORE_READ(q, queue), *frame = NULL;

	if (fill < 0)
		fill += size;
	/* full or empty: __ptr_ring_full() in include/linux/ptr_ring.h */
	if (!fill)
		kernel_read(&frame, sizeof(frame), queue + producer);
	to->qsize = size;
	to->fill = frame ? size : fill;
	read_prog(BPF_CORE_READ(c, prog), to);
}

/* False = no room. */
static __always_inline bool read_entry(const void *entry)
{
	struct map_record *to = add_record();

	if (!to)
		return false;
	to->is_entry = 1;
	to->key = slot;
	if (map_type == BPF_MAP_TYPE_CPUMAP)
		read_cpu(entry, to);
	else if (map_type == BPF_MAP_TYPE_XSKMAP)
		to->inode = socket_inode(&((const struct xdp_sock *)entry)->sk);
	else
		read_devmap(entry, to);
	return true;
}

static __always_inline bool is_empty_run(void)
{
	const void *run[RUN];
	__u64 any = 0;

	if (slot % RUN || slot + RUN > slots_n)
		return false;
	kernel_read(run, sizeof(run), slots + slot);
	for (int i = 0; i < RUN; i++)
		any |= (__u64)run[i];
	return !any;
}

/* 1 = end of the map or of the steps, or no room for more records. */
static long step_entry(__u32 index, void *ctx)
{
	bool is_hash = map_type == BPF_MAP_TYPE_DEVMAP_HASH;
	const void *entry = node;

	if (!steps_left || (!entry && slot >= slots_n))
		return 1;
	steps_left--;
	if (!entry) {
		if (is_empty_run()) {
			slot += RUN;
			return 0;
		}
		kernel_read(&entry, sizeof(entry), slots + slot);
	}
	if (entry)
		steps_left -= steps_left < MAP_ENTRY_STEPS ? steps_left : MAP_ENTRY_STEPS - 1;
	if (entry && is_hash) {
		kernel_read(&node, sizeof(node), entry); /* its first member, next */
		entry = CONTAINER(entry, struct bpf_dtab_netdev, index_hlist);
	}
	if (entry && !read_entry(entry))
		return 1;
	if (!node)
		slot++;
	return 0;
}

/* Find the slots of the map. False = its contents are not read. */
static __always_inline bool find_slots(const struct bpf_map *map, struct map_record *to)
{
	slots_n = map->max_entries;
	switch (map_type) {
	case BPF_MAP_TYPE_DEVMAP:
		slots = (void *)BPF_CORE_READ((const struct bpf_dtab *)map, netdev_map);
		return true;
	case BPF_MAP_TYPE_DEVMAP_HASH:
		slots = (void *)BPF_CORE_READ((const struct bpf_dtab *)map, dev_index_head);
		slots_n = BPF_CORE_READ((const struct bpf_dtab *)map, n_buckets);
		return true;
	case BPF_MAP_TYPE_CPUMAP:
		slots = (void *)BPF_CORE_READ((const struct bpf_cpu_map *)map, cpu_map);
		return true;
	case BPF_MAP_TYPE_XSKMAP:
		if (!bpf_core_type_exists(struct xsk_map))
			return false;
		slots = (void *)((const char *)map +
				 bpf_core_field_offset(struct xsk_map, xsk_map));
		return true;
	}
	return false;
}

static __always_inline void read_slots(struct map_record *to)
{
	__u32 class = to->max_entries <= SMALL_MAX    ? MAP_SMALL
		      : to->max_entries <= MEDIUM_MAX ? MAP_MEDIUM
						      : MAP_LARGE;
	__u32 begin = map_begin[class];

	slot = map_id == begin ? map_begin_slot[class] : 0;
	node = NULL;
	to->from = slot;
	to->to = slot;
	if (map_id < begin || map_next[class])
		return;
	steps_left = map_steps[class];
	bpf_loop(steps_left, step_entry, NULL, 0);
	map_steps[class] = steps_left;
	/* skip the rest of a bucket that takes more than a whole reading */
	if (node && slot == to->from && map_id == begin)
		slot++;
	if (slot < slots_n) {
		map_next[class] = map_id;
		map_next_slot[class] = slot;
	}
	to->to = slot < slots_n ? slot : slots_n;
}

/* Sets of types: each comparison of a type would double the paths that the verifier follows. */
#define TYPE(type)     (1ULL << BPF_MAP_TYPE_##type)
#define REDIRECT_TYPES (TYPE(DEVMAP) | TYPE(DEVMAP_HASH) | TYPE(CPUMAP) | TYPE(XSKMAP))
#define FILL_TYPES                                                                 \
	(TYPE(HASH) | TYPE(PERCPU_HASH) | TYPE(LRU_HASH) | TYPE(LRU_PERCPU_HASH) | \
	 TYPE(LPM_TRIE) | 1ULL << MAP_TYPE_RHASH)
#define OUTER_TYPES (TYPE(ARRAY_OF_MAPS) | TYPE(HASH_OF_MAPS))
#define TWIN_TYPES  (FILL_TYPES | TYPE(ARRAY) | TYPE(PERCPU_ARRAY))

static __always_inline bool is_one_of(__u64 types, __u32 type)
{
	return types >> (type & 63) & 1;
}

static __always_inline bool is_of_kind(__u32 type)
{
	return is_one_of(map_kinds == MAPS_FILL ? FILL_TYPES : REDIRECT_TYPES, type);
}

/* False = no room. */
static __always_inline bool add_link(const void *inner, const void *prog)
{
	__u32 at = map_links_n;
	struct map_link *to = bpf_map_lookup_elem(&map_links, &at);

	if (!to)
		return false;
	map_links_n = at + 1;
	to->map_id = map_id;
	to->inner_id = inner ? BPF_CORE_READ((const struct bpf_map *)inner, id) : 0;
	to->prog_id = prog ? BPF_CORE_READ((const struct bpf_prog *)prog, aux, id) : 0;
	to->more = !inner && !prog;
	return true;
}

static __always_inline bool is_xdp(__u32 type)
{
	/* a libxdp dispatcher's programs are of type EXT */
	return type == BPF_PROG_TYPE_XDP || type == BPF_PROG_TYPE_EXT;
}

/* All programs of an array have one type, so the rest is skipped if it is not XDP. */
static __always_inline bool add_program(const void *prog)
{
	if (is_xdp(BPF_CORE_READ((const struct bpf_prog *)prog, type)))
		return add_link(NULL, prog);
	slot = slots_n;
	return true;
}

/* 1 = end of the map, or no room for more links. */
static long step_array(__u32 index, void *ctx)
{
	const void *entry = NULL;

	if (slot >= slots_n)
		return 1;
	if (is_empty_run()) {
		slot += RUN;
		return 0;
	}
	kernel_read(&entry, sizeof(entry), slots + slot);
	slot++;
	if (!entry)
		return 0;
	return !(map_type == BPF_MAP_TYPE_PROG_ARRAY ? add_program(entry) : add_link(entry, NULL));
}

/* The same for a hash: struct bucket and struct htab_elem of kernel/bpf/hashtab.c. */
static long step_hash(__u32 index, void *ctx)
{
	const void *entry = node, *inner = NULL;

	if (slot >= slots_n)
		return 1;
	if (!entry)
		kernel_read(&entry, sizeof(entry), (const char *)slots + slot * stride);
	node = NULL;
	if (!entry || (__u64)entry & 1) {
		slot++;
		return 0;
	}
	kernel_read(&node, sizeof(node), entry);
	kernel_read(&inner, sizeof(inner), (const char *)entry + value_at);
	return inner && !add_link(inner, NULL);
}

static __always_inline bool find_links(const struct bpf_map *map)
{
	slots_n = map->max_entries;
	stride = 0;
	if (map_type != BPF_MAP_TYPE_HASH_OF_MAPS) {
		slots = (void *)((const char *)map + bpf_core_field_offset(struct bpf_array, ptrs));
		return true;
	}
	if (!bpf_core_field_exists(struct bucket, raw_lock) ||
	    !bpf_core_field_exists(struct htab_elem, key))
		return false;
	slots = (void *)BPF_CORE_READ((const struct bpf_htab *)map, buckets);
	slots_n = BPF_CORE_READ((const struct bpf_htab *)map, n_buckets);
	/* bcache has another struct bucket, without a lock */
	stride = (bpf_core_field_offset(struct bucket, raw_lock) +
		  bpf_core_field_size(struct bucket, raw_lock) + 7) &
		 ~7u;
	value_at = bpf_core_field_offset(struct htab_elem, key) + ((map->key_size + 7) & ~7u);
	return true;
}

static __always_inline void read_links(const struct bpf_map *map)
{
	__u32 steps = map_link_steps;
	long made = 0;

	slot = 0;
	node = NULL;
	if (find_links(map))
		made = stride ? bpf_loop(steps, step_hash, NULL, 0)
			      : bpf_loop(steps, step_array, NULL, 0);
	map_link_steps = made >= 0 && made < steps ? steps - made : 0;
	if (slot < slots_n && !add_link(NULL, NULL))
		map_links_complete = 0;
}

SEC("iter/bpf_map")
int map_contents(struct bpf_iter__bpf_map *ctx)
{
	struct bpf_map *map = ctx->map;
	struct map_record *to;

	if (!map)
		return 0;
	map_type = map->map_type;
	map_id = map->id;
	if (map_type == BPF_MAP_TYPE_PROG_ARRAY ||
	    (is_one_of(OUTER_TYPES, map_type) &&
	     is_of_kind(BPF_CORE_READ(map, inner_map_meta, map_type))))
		read_links(map);
	if (map_kinds != MAPS_REDIRECT || !is_one_of(REDIRECT_TYPES, map_type))
		return 0;
	to = add_record();
	if (!to) {
		maps_complete = 0;
		return 0;
	}
	to->type = map_type;
	to->value_size = map->value_size;
	to->max_entries = map->max_entries;
	bpf_core_read(to->name, sizeof(to->name), &map->name);
	if (!find_slots(map, to))
		return 0;
	to->slots = slots_n;
	read_slots(to);
	return 0;
}

/*
 * Maps without a program that the last reading of counts found. A tool may fill one while a program
 * uses another map of the same name. A hash table: UNUSED_TRIES slots are tried.
 */
#define UNUSED_MAX   256
#define UNUSED_TRIES 4

struct unused_map {
	__u32 reading, map_id;
	__u32 type, key_size, value_size;
	__u64 name[MAP_NAME_LEN / sizeof(__u64)];
};

static struct unused_map unused[UNUSED_MAX];
static __u32 unused_reading, unused_n; /* of the last reading */

static __always_inline bool is_same_map(const struct unused_map *a, const struct unused_map *b)
{
	return !((a->name[0] ^ b->name[0]) | (a->name[1] ^ b->name[1]) | (a->type ^ b->type) |
		 (a->key_size ^ b->key_size) | (a->value_size ^ b->value_size));
}

/* The unused map like this one, or its free slot; NULL = neither was found in the slots tried. */
static __always_inline struct unused_map *find_unused(const struct bpf_map *map, __u32 type,
						      struct unused_map *like)
{
	__u32 at;

	like->type = type;
	like->key_size = BPF_CORE_READ(map, key_size);
	like->value_size = BPF_CORE_READ(map, value_size);
	bpf_core_read(like->name, sizeof(like->name), &map->name);
	at = ((like->name[0] ^ like->name[1] * 31) * 0x9e3779b97f4a7c15ULL) >> 56;
	for (int i = 0; i < UNUSED_TRIES; i++) {
		struct unused_map *to = &unused[(at + i) % UNUSED_MAX];

		if (to->reading != unused_reading || is_same_map(to, like))
			return to;
	}
	return NULL;
}

/*
 * Descriptors and pins count in both, programs and maps of maps only in refcnt, as does this
 * iterator: kernel/bpf/syscall.c, bpf_map_inc(), bpf_map_get_curr_or_next().
 */
static __always_inline bool is_unused(const struct bpf_map *map)
{
	return map->refcnt.counter == map->usercnt.counter + 1;
}

static __always_inline void note_unused(const struct bpf_map *map, __u32 type)
{
	struct unused_map like = {}, *to;

	if (!is_one_of(TWIN_TYPES, type) || !map->name[0] || !is_unused(map))
		return;
	to = find_unused(map, type, &like);
	if (!to || to->reading == unused_reading)
		return;
	*to = like;
	to->reading = unused_reading;
	to->map_id = map->id;
	unused_n++;
}

/* Whether it is the next map to be counted. Maps that have gone since are skipped, a few each time.
 */
static __always_inline bool is_next(__u32 id)
{
	for (int i = 0; i < 8; i++) {
		__u32 at = map_fill_next;

		if (at >= map_fill_ids_n || at >= MAP_FILLS_MAX || map_fill_ids[at] > id)
			return false;
		map_fill_next = at + 1;
		if (map_fill_ids[at] == id)
			return true;
	}
	return false;
}

SEC("iter/bpf_map")
int map_counts(struct bpf_iter__bpf_map *ctx)
{
	struct bpf_map *map = ctx->map;
	struct map_fill_record *to;
	__u32 at = map_fills_n;
	__s64 n = -1;

	if (!ctx->meta->seq_num) {
		unused_reading++;
		unused_n = 0;
	}
	if (!map)
		return 0;
	note_unused(map, map->map_type);
	if (!is_next(map->id))
		return 0;
	to = bpf_map_lookup_elem(&map_fills, &at);
	if (!to)
		return 0;
	map_fills_n = at + 1;
	to->map_id = map->id;
	to->type = map->map_type;
	to->max_entries = map->max_entries;
	bpf_core_read(to->name, sizeof(to->name), &map->name);
	to->unused = is_unused(map);
	to->counted = 1;
	if (map->map_type == BPF_MAP_TYPE_LPM_TRIE)
		n = BPF_CORE_READ((const struct lpm_trie *)map, n_entries);
	else if (map->map_type == BPF_MAP_TYPE_PROG_ARRAY)
		n = 0; /* emptied */
	else if (bpf_map_sum_elem_count && is_one_of(FILL_TYPES, map->map_type) &&
		 map->map_type != MAP_TYPE_RHASH)
		n = bpf_map_sum_elem_count(map);
	else
		to->counted = 0;
	/* an entry may be counted on one CPU after its removal on another */
	to->entries = n > 0 ? n : 0;
	return 0;
}

static __always_inline void add_twin(struct seq_file *seq, const struct bpf_map *map, __u32 type,
				     const struct map_user *of)
{
	struct map_user user = { .prog_id = of->prog_id, .is_part = of->is_part };
	struct unused_map like = {};
	const struct unused_map *other;

	if (!is_one_of(TWIN_TYPES, type))
		return;
	other = find_unused(map, type, &like);
	if (!other || other->reading != unused_reading)
		return;
	user.map_id = BPF_CORE_READ(map, id);
	user.unused_id = other->map_id;
	if (user.unused_id != user.map_id)
		bpf_seq_write(seq, &user, sizeof(user));
}

SEC("iter/bpf_prog")
int map_users(struct bpf_iter__bpf_prog *ctx)
{
	const struct bpf_prog *prog = ctx->prog;
	const struct bpf_map **maps, *map;
	const struct bpf_prog_aux *aux;
	struct seq_file *seq;
	__u32 n, prog_id, is_part;

	if (!prog || !is_xdp(prog->type))
		return 0;
	aux = prog->aux;
	prog_id = aux->id;
	is_part = prog->type == BPF_PROG_TYPE_EXT;
	maps = (void *)BPF_CORE_READ(aux, used_maps);
	n = aux->used_map_cnt;
	/* not in the loop: for each load of a pointer the verifier searches the kernel's BTF */
	seq = ctx->meta->seq;
	for (__u32 i = 0; i < USED_MAX && i < n; i++) {
		struct map_user user = { .prog_id = prog_id, .is_part = is_part };
		__u32 type;

		map = NULL;
		kernel_read(&map, sizeof(map), maps + i);
		type = BPF_CORE_READ(map, map_type);
		if (unused_n && map_kinds == MAPS_FILL)
			add_twin(seq, map, type, &user);
		user.is_link = is_one_of(OUTER_TYPES | TYPE(PROG_ARRAY), type);
		if (!user.is_link && !is_of_kind(type))
			continue;
		user.map_id = BPF_CORE_READ(map, id);
		user.calls = type == BPF_MAP_TYPE_PROG_ARRAY ? user.map_id : 0;
		/* kernel/bpf/arraymap.c, prog_array_map_ops.map_release_uref */
		user.emptied = map_kinds == MAPS_FILL && user.calls &&
			       !BPF_CORE_READ(map, usercnt.counter);
		bpf_seq_write(seq, &user, sizeof(user));
	}
	return 0;
}
