// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cpu_set.h"

void cpu_set_add(struct cpu_set *c, uint32_t cpu)
{
	if (cpu >= CPU_SET_MAX || cpu_set_has(c, cpu))
		return;
	c->bits[cpu / 64] |= 1ULL << (cpu % 64);
	c->count++;
	if (cpu >= c->end)
		c->end = cpu + 1;
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

	memset(c, 0, sizeof(*c));
	while (*s && *s != '\n') {
		long first = parse_cpu(&s), last = first;

		if (*s == '-') {
			s++;
			last = parse_cpu(&s);
		}
		if (first < 0 || last < first || (*s && *s != '\n' && *s++ != ',')) {
			memset(c, 0, sizeof(*c));
			return -EINVAL;
		}
		for (; first <= last; first++)
			cpu_set_add(c, first);
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
