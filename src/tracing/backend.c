// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracing/backend.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "base/sanitize.h"

int backend_object_size(struct backend_object *o, struct bpf_object *object,
			const struct backend_size *size)
{
	const struct {
		const char *name;
		struct bpf_map **map;
		uint32_t entries; /* 0 = as declared in bpf/ */
	} maps[] = {
		{ "cpus", &o->cpus, 0 },
		{ "counts", &o->counts, size->cpus * size->slots },
		{ "infos", &o->infos, size->slots },
		{ "slot_of", &o->slot_of, size->slots - TP_COUNT },
		{ "free_slots", &o->free_slots, size->slots - TP_COUNT },
		{ "events", &o->events, 0 },
		{ "follow_cpus", &o->follow_cpus, size->cpus },
		{ "followed", &o->followed, size->follow_events },
	};

	memset(o, 0, sizeof(*o));
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(object, maps[i].name);
		int err = map || maps[i].map >= &o->follow_cpus ? 0 : -ENOENT;

		if (map && maps[i].entries)
			err = bpf_map__set_max_entries(map, maps[i].entries);
		if (err)
			return err;
		*maps[i].map = map;
	}
	return bpf_map__reuse_fd(o->cpus, size->cpu_map);
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

/* Others choose the names of programs, maps and BTF types. The verifier's log has several lines. */
static int print_verbose(enum libbpf_print_level level, const char *format, va_list args)
{
	char *raw, *text, *to;
	size_t size;

	if (vasprintf(&raw, format, args) < 0)
		memory_missing();
	size = 4 * strlen(raw) + 1;
	text = to = memory_new(size, 1);
	for (const char *from = raw; *from;) {
		size_t line = strcspn(from, "\n");

		to += sanitize(to, size - (size_t)(to - text), from, line);
		from += line;
		if (*from)
			*to++ = *from++;
	}
	fwrite(text, 1, (size_t)(to - text), stderr);
	free(text);
	free(raw);
	return 0;
}

void backend_log(bool verbose)
{
	libbpf_set_print(verbose ? print_verbose : NULL);
}
