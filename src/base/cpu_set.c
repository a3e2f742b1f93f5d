// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cpu_set.h"

#define CPU_SET_MAX 65536

static int grow(struct cpu_set *c, uint32_t end)
{
	uint32_t have = (c->end + 63) / 64, need = (end + 63) / 64;

	if (need > have) {
		uint64_t *bits = realloc(c->bits, need * sizeof(*bits));

		if (!bits)
			return -ENOMEM;
		memset(bits + have, 0, (need - have) * sizeof(*bits));
		c->bits = bits;
	}
	if (end > c->end)
		c->end = end;
	return 0;
}

int cpu_set_add(struct cpu_set *c, uint32_t cpu)
{
	int err = cpu >= c->end ? grow(c, cpu + 1) : 0;

	if (err)
		return err;
	if (!cpu_set_has(c, cpu)) {
		c->bits[cpu / 64] |= 1ULL << (cpu % 64);
		c->count++;
	}
	return 0;
}

/* Parses one id and advances *s; -1 when there is none. */
static long parse_cpu(const char **s)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)**s))
		return -1;
	n = strtol(*s, &end, 10);
	*s = end;
	return n < CPU_SET_MAX ? n : -1;
}

int cpu_set_parse(struct cpu_set *c, const char *list)
{
	const char *s = list;
	int err = 0;

	memset(c, 0, sizeof(*c));
	while (*s && *s != '\n') {
		long first = parse_cpu(&s), last = first;

		if (*s == '-') {
			s++;
			last = parse_cpu(&s);
		}
		err = first < 0 || last < first ? -EINVAL : 0;
		for (; !err && first <= last; first++)
			err = cpu_set_add(c, first);
		if (!err && *s && *s != '\n' && *s++ != ',')
			err = -EINVAL;
		if (err) {
			cpu_set_free(c);
			return err;
		}
	}
	return 0;
}

int cpu_set_read(struct cpu_set *c, const char *name)
{
	char path[80], list[8192];
	ssize_t n;
	int fd;

	memset(c, 0, sizeof(*c));
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, list, sizeof(list) - 1);
	close(fd);
	if (n <= 0)
		return -EIO;
	list[n] = '\0';
	return cpu_set_parse(c, list);
}

bool cpu_set_has(const struct cpu_set *c, uint32_t cpu)
{
	return cpu < c->end && c->bits[cpu / 64] & 1ULL << (cpu % 64);
}

void cpu_set_free(struct cpu_set *c)
{
	free(c->bits);
	memset(c, 0, sizeof(*c));
}
