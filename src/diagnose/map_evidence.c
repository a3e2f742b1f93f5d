// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/map_evidence.h"

#include <linux/bpf.h>
#include <stdio.h>
#include "diagnose/driver.h"
#include "source/data_source.h"
#include "source/programs.h"

const char *socket_owner(const struct xdp_socket *s, char *buf, size_t size)
{
	if (s->pid)
		snprintf(buf, size, "%s[%u]", *s->comm ? s->comm : "a process", s->pid);
	else
		snprintf(buf, size, "its program");
	return buf;
}

const char *socket_invalid(const struct xdp_socket *s, char *buf, size_t size)
{
	char number[16];

	*buf = '\0';
	format_count(number, sizeof(number), s->fill_invalid, NUMBER_SI);
	if (s->fill_invalid)
		snprintf(buf, size, "; %s address%s in it %s invalid", number,
			 s->fill_invalid == 1 ? "" : "es", s->fill_invalid == 1 ? "was" : "were");
	return buf;
}

size_t map_rows(const struct snapshot *s, const struct map_entry *map)
{
	size_t n;

	data_source_rows_like(s, DATA_SOURCE_MAPS, map, 1, &n);
	return n;
}

bool map_is_read(const struct snapshot *s, const struct map_entry *map)
{
	return map->slots_read == map->max_entries && map->used == map_rows(s, map) - 1;
}

static void end_range(struct number_list *l)
{
	char text[32];
	int n;

	if (!l->open || l->full)
		return;
	n = snprintf(text, sizeof(text), l->first == l->last ? "%s%u" : "%s%u-%u",
		     l->len ? ", " : "", l->first, l->last);
	l->open = false;
	l->full = l->len + (size_t)n + sizeof(", ...") > sizeof(l->text);
	l->len += (size_t)snprintf(l->text + l->len, sizeof(l->text) - l->len, "%s",
				   l->full ? ", ..." : text);
}

void number_list_add(struct number_list *l, uint32_t first, uint32_t last)
{
	if (!l->open || first != l->last + 1) {
		end_range(l);
		l->first = first;
	}
	l->last = last;
	l->open = true;
}

/* Number of entries with consecutive keys, starting at this one; keys ascend. */
static size_t count_run(const struct map_entry *entry, size_t n)
{
	return array_lower_bound(entry, n, e, e->key - entry->key == (size_t)(e - entry));
}

void number_list_add_free(struct number_list *l, const struct map_entry *map, size_t n,
			  uint32_t end)
{
	uint64_t next = 0;

	for (size_t i = 1, run; i < n && map[i].key < end && !l->full; i += run) {
		run = count_run(&map[i], n - i);
		if (next < map[i].key)
			number_list_add(l, (uint32_t)next, map[i].key - 1);
		next = map[i].key + (uint64_t)run;
	}
	if (next < end)
		number_list_add(l, (uint32_t)next, end - 1);
}

const char *number_list_end(struct number_list *l)
{
	end_range(l);
	return l->text;
}

static const struct xdp_socket *socket_in_slot(const struct evidence *e)
{
	const struct series_key *k = &e->series->key;

	return xdp_socket_find(e->rates->to, map_slot_socket(e->rates, k->map_id, k->target));
}

bool says_full_ring_of_socket(struct evidence *e)
{
	const struct xdp_socket *s = socket_in_slot(e);
	char owner[96];

	if (!s || !s->rx.size)
		return false;
	snprintf(e->what, sizeof(e->what),
		 "the AF_XDP receive ring is full: %s reads too slowly; it holds %u of %u frames "
		 "now",
		 socket_owner(s, owner, sizeof(owner)), s->rx.fill, s->rx.size);
	return true;
}

bool says_empty_ring_of_socket(struct evidence *e)
{
	const struct xdp_socket *s = socket_in_slot(e);
	char owner[96], invalid[80];

	if (!s || !s->fill.size)
		return false;
	snprintf(e->what, sizeof(e->what),
		 "the AF_XDP fill ring was empty: %s %s. The ring now holds %u of %u buffers%s",
		 socket_owner(s, owner, sizeof(owner)),
		 s->fill_invalid ? "returns too few buffers" : "returns buffers too slowly",
		 s->fill.fill, s->fill.size, socket_invalid(s, invalid, sizeof(invalid)));
	return true;
}

bool says_unbound_socket(struct evidence *e)
{
	const struct xdp_socket *s = socket_in_slot(e);
	char owner[96];

	if (!s || (s->state != XDP_SOCKET_UNBOUND && s->state != XDP_SOCKET_DEVICE_GONE))
		return false;
	socket_owner(s, owner, sizeof(owner));
	if (s->state == XDP_SOCKET_UNBOUND)
		snprintf(e->what, sizeof(e->what),
			 "the AF_XDP socket of %s is not bound: bind() has not yet been called, or "
			 "failed",
			 owner);
	else
		snprintf(e->what, sizeof(e->what),
			 "the AF_XDP socket of %s has lost its device, which was removed", owner);
	return true;
}

/*
 * No event tells which queue a packet came in on. A packet of a bond's slave has the slave as its
 * device (net/core/dev.c passes it to the bond after XDP), so a socket of the bond gets none.
 */
bool says_place_of_socket(struct evidence *e)
{
	const struct xdp_socket *s = socket_in_slot(e);
	const struct series *series = e->series;
	struct xdp_place place;
	const struct netdev *dev;
	char owner[96], name[SNAPSHOT_NAME_LEN];
	int n;

	if (!s || s->state != XDP_SOCKET_BOUND || !s->ifindex)
		return false;
	place = xdp_socket_place(s);
	dev = snapshot_find_netdev(e->rates->to, place.netns, place.ifindex);
	snprintf(name, sizeof(name), "%s", dev && *dev->name ? dev->name : xdp_socket_ifname(s));
	n = snprintf(
		e->what, sizeof(e->what),
		"the AF_XDP socket belongs to another device or queue: %s bound it to %s queue "
		"%u, ",
		socket_owner(s, owner, sizeof(owner)), name, place.queue);
	if (place.netns == series->key.netns && place.ifindex == series->key.ifindex)
		snprintf(e->what + n, sizeof(e->what) - (size_t)n,
			 "but these packets came in on another queue of that device");
	else
		snprintf(e->what + n, sizeof(e->what) - (size_t)n, "%sbut these came in on %s",
			 dev && !strcmp(dev->kind, "bond") && place.netns == series->key.netns
				 ? "a bond, whose packets come in on its slaves, "
				 : "",
			 e->dev && *e->dev->name ? e->dev->name : series->ifname);
	return true;
}

/* include/net/xsk_buff_pool.h, xsk_pool_get_headroom(): the program may have asked for more. */
#define CHUNK_HEADROOM 256

bool says_chunks_of_socket(struct evidence *e)
{
	const struct xdp_socket *s = socket_in_slot(e);
	char owner[96];
	int n;

	if (!s || s->chunk_size <= CHUNK_HEADROOM)
		return false;
	n = snprintf(
		e->what, sizeof(e->what),
		"the packet is larger than a UMEM frame: %s has chunks of %u bytes, which hold "
		"packets of at most %u bytes",
		socket_owner(s, owner, sizeof(owner)), s->chunk_size,
		s->chunk_size - CHUNK_HEADROOM);
	if (e->dev && e->dev->mtu)
		snprintf(e->what + n, sizeof(e->what) - (size_t)n, "; the MTU of %s is %u",
			 e->dev->name, e->dev->mtu);
	return true;
}

/* "devmap tx_port (id 5)" */
static void name_map(const struct map_entry *map, char *buf, size_t size)
{
	const char *type = map_type_name(map->map_type);

	if (*map->map_name)
		snprintf(buf, size, "%s %s (id %u)", type ? type : "map", map->map_name,
			 map->map_id);
	else
		snprintf(buf, size, "%s %u", type ? type : "map", map->map_id);
}

/* Lists the used slots, or the free ones if they are fewer. The entries follow the map's row. */
static void describe_slots(const struct map_entry *map, size_t n, bool is_read, char *buf,
			   size_t size)
{
	struct number_list list = { 0 };
	bool free_ones =
		map->map_type != BPF_MAP_TYPE_DEVMAP_HASH && map->used > map->max_entries / 2;
	char name[96];

	if (free_ones)
		number_list_add_free(&list, map, n, map->max_entries);
	for (size_t i = 1, run; i < n && !free_ones && !list.full; i += run) {
		run = count_run(&map[i], n - i);
		number_list_add(&list, map[i].key, map[i + run - 1].key);
	}
	name_map(map, name, sizeof(name));
	if (!is_read && map->slots_read < map->max_entries)
		snprintf(buf, size, "in its %s, %u of %u slots have not yet been read", name,
			 map->max_entries - map->slots_read, map->max_entries);
	else if (!is_read)
		snprintf(buf, size, "not all entries of its %s are known", name);
	else if (map->map_type == BPF_MAP_TYPE_DEVMAP_HASH)
		snprintf(buf, size, "its %s has %u key%s%s%s", name, map->used,
			 map->used == 1 ? "" : "s", map->used ? ": " : "", number_list_end(&list));
	else if (!map->used)
		snprintf(buf, size, "its %s is empty (%u slots)", name, map->max_entries);
	else
		snprintf(buf, size, "its %s has entries in %u of %u slots%s%s", name, map->used,
			 map->max_entries, free_ones ? ", not in " : ": ", number_list_end(&list));
}

static bool is_full(const struct map_entry *map)
{
	return map->used >= map->max_entries && map->map_type != BPF_MAP_TYPE_DEVMAP_HASH;
}

/* Whether the program has the same maps as at the beginning of the interval, as far as is known. */
static bool has_same_maps(const struct rates *r, uint32_t prog_id)
{
	const struct program *p = program_find(r->to, prog_id);
	const struct program *was = program_find(r->from, prog_id);

	return !p || (was && !memcmp(p->map, was->map, sizeof(p->map)));
}

/* A tail call that finds no program returns to its caller (kernel/bpf/core.c, JMP_TAIL_CALL). */
static void add_tail_call(struct evidence *e, const struct program *p)
{
	size_t len = strlen(e->what);

	if (p && p->prog_array)
		snprintf(e->what + len, sizeof(e->what) - len,
			 "; or a tail call of the program found an empty slot in prog_array %u, "
			 "and the program then returned XDP_ABORTED",
			 p->prog_array);
}

bool says_slots(struct evidence *e, const struct series_key *key, const char *before)
{
	const struct map_entry *map[MAPS_OF_PROGRAM];
	int n_maps = maps_of_program(e->rates, key->prog_id, map);
	const struct snapshot *to = e->rates->to;
	bool were_full = has_same_maps(e->rates, key->prog_id);
	size_t len = 0, n = 0;
	char slots[256], all[FINDING_WHAT_LEN];

	for (int i = 0; i < n_maps; i++) {
		const struct map_entry *was;
		bool is_read = map_is_read(to, map[i]);

		if (is_read && is_full(map[i])) {
			/* the map may have been filled after the packets were lost */
			was = map_find(e->rates->from, map[i]->map_id);
			were_full &= was && is_full(was);
			continue;
		}
		e->map = n ? NULL : map[i];
		if (n < LOCATION_MAPS)
			e->maps[n] = map[i]->map_id;
		n++;
		describe_slots(map[i], map_rows(to, map[i]), is_read, slots, sizeof(slots));
		if (len + strlen(slots) + 3 <= sizeof(all))
			len += (size_t)snprintf(all + len, sizeof(all) - len, "; %s", slots);
	}
	if (e->map)
		memset(e->maps, 0, sizeof(e->maps));
	if (n_maps <= 0 || (!len && !were_full))
		return false;
	snprintf(e->what, sizeof(e->what), "%s%s%s", before,
		 len ? cause_in(to, TP_XDP_EXCEPTION, key)->meaning
		     : "every slot of the program's maps has an entry, so it returned XDP_ABORTED, "
		       "or passed invalid flags or an index beyond the map's end",
		 len ? all : "");
	add_tail_call(e, program_find(to, key->prog_id));
	return true;
}

static bool says_fill(struct evidence *e, const struct map_entry *entry, const char *meaning)
{
	if (!entry || !entry->qsize)
		return false;
	snprintf(e->what, sizeof(e->what),
		 "%s; the queue holds at most %u frame%s, and %u wait%s in it now", meaning,
		 entry->qsize, entry->qsize == 1 ? "" : "s", entry->fill,
		 entry->fill == 1 ? "s" : "");
	return true;
}

static const struct map_entry *queue_of(const struct evidence *e)
{
	return map_entry_find(e->rates->to, e->series->key.map_id, e->series->key.target);
}

bool says_queue(struct evidence *e, const char *meaning)
{
	return says_fill(e, queue_of(e), meaning);
}

bool says_queue_of_program(struct evidence *e, const char *meaning)
{
	const struct map_entry *entry = queue_of(e);

	return entry && entry->prog_id && says_fill(e, entry, meaning);
}

static bool is_entry_of(const struct map_entry *entry, const struct entry_program *p)
{
	if (!entry->is_entry || entry->prog_id != p->prog_id)
		return false;
	return p->ifindex || entry->map_type == BPF_MAP_TYPE_CPUMAP;
}

const struct map_entry *name_entry(struct evidence *e, const struct entry_program *p, char *buf,
				   size_t size)
{
	const struct map_entry *found = NULL, *entry;
	struct row_walk w;
	size_t others = 0;
	char name[96];
	int len;

	if (p->ifindex)
		row_walk_begin(&w, e->rates, e->rates->to, &map_entries_by_target,
			       row_number(p->netns, p->ifindex));
	else
		row_walk_begin(&w, e->rates, e->rates->to, &map_entries_by_program, p->prog_id);
	while ((entry = row_walk_next(&w))) {
		if (!is_entry_of(entry, p))
			continue;
		others += found != NULL;
		found = found ?: entry;
	}
	e->map = found ? map_find(e->rates->to, found->map_id) : NULL;
	if (!e->map)
		return NULL;
	name_map(e->map, name, sizeof(name));
	len = snprintf(buf, size, "%s key %u", name, found->key);
	if (others && len >= 0 && (size_t)len < size)
		snprintf(buf + len, size - (size_t)len, " and %zu more", others);
	return found;
}

bool says_entry_of_program(struct evidence *e)
{
	const struct series *s = e->series;
	const struct entry_program p = { s->to_prog_id, s->key.to_netns, s->key.target };
	char name[160];
	const struct map_entry *found = name_entry(e, &p, name, sizeof(name));

	if (!found)
		return false;
	snprintf(e->what, sizeof(e->what),
		 "the devmap program %s (id %u), of %s, drops frames on the way out; this is "
		 "normal for a filter, unless the target's ring is full",
		 *found->prog_name ? found->prog_name : "without a name", found->prog_id, name);
	return true;
}
