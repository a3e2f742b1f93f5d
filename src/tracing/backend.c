// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracing/backend.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "model/tracepoint.h"

int backend_object_size(struct backend_object *o, struct bpf_object *object, uint32_t cpus,
			uint32_t slots)
{
	const struct {
		const char *name;
		struct bpf_map **map;
		uint32_t entries; /* 0 = as declared in bpf/ */
	} maps[] = {
		{ "cpus", &o->cpus, cpus },
		{ "counts", &o->counts, cpus * slots },
		{ "infos", &o->infos, slots },
		{ "slot_of", &o->slot_of, slots - TP_COUNT },
		{ "free_slots", &o->free_slots, slots - TP_COUNT },
		{ "events", &o->events, 0 },
	};

	memset(o, 0, sizeof(*o));
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(object, maps[i].name);
		int err = map ? 0 : -ENOENT;

		if (!err && maps[i].entries)
			err = bpf_map__set_max_entries(map, maps[i].entries);
		if (err)
			return err;
		*maps[i].map = map;
	}
	return 0;
}

struct bpf_program *backend_object_program(const struct bpf_object *object, int id)
{
	char name[16];

	if (id == BACKEND_CHECK)
		return bpf_object__find_program_by_name(object, "capability_check");
	if (id < TP_OTHER)
		return bpf_object__find_program_by_name(object, tracepoints[id].name);
	snprintf(name, sizeof(name), "other_%d", id - TP_OTHER);
	return bpf_object__find_program_by_name(object, name);
}

static int print_verbose(enum libbpf_print_level level, const char *format, va_list args)
{
	return vfprintf(stderr, format, args);
}

void backend_log(bool verbose)
{
	libbpf_set_print(verbose ? print_verbose : NULL);
}
