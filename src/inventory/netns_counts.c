// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/netns_counts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX 16384
#define BLANKS   " \t"

void netns_counts_open(int fd[NETNS_FILES])
{
	/* /proc/net would be the main thread's */
	static const char *const path[NETNS_FILES] = { "/proc/thread-self/net/snmp",
						       "/proc/thread-self/net/netstat",
						       "/proc/thread-self/net/snmp6" };

	for (int i = 0; i < NETNS_FILES; i++)
		fd[i] = open(path[i], O_RDONLY | O_CLOEXEC);
}

void netns_counts_close(const int fd[NETNS_FILES])
{
	for (int i = 0; i < NETNS_FILES; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

/* In snmp6 the protocol's name precedes the counter's. NETDEV_COUNTS = not one of these. */
static enum netdev_count count_named(const char *name, size_t len)
{
	for (int i = 0; i < NETDEV_NETNS_COUNTS; i++) {
		size_t n = strlen(netdev_netns_counts[i]);

		if (len >= n && !memcmp(name + len - n, netdev_netns_counts[i], n))
			return (enum netdev_count)(NETDEV_NETNS_COUNT + i);
	}
	return NETDEV_COUNTS;
}

/*
 * In snmp and netstat a protocol has a line of names and a line of values. Both begin with
 * "Protocol:". In snmp6 a line has a name and its value.
 */
void netns_counts_add(const char *text, struct netdev *d)
{
	while (*text) {
		const char *end = text + strcspn(text, "\n"), *name = text, *value = end + !!*end;
		size_t len = strcspn(name, BLANKS "\n");

		if (!len || name[len - 1] != ':')
			value = name + len;
		for (; name < end; name += len + strspn(name + len, BLANKS)) {
			enum netdev_count which;
			uint64_t sum = 0;

			len = strcspn(name, BLANKS "\n");
			value += strspn(value, BLANKS);
			which = count_named(name, len);
			if (which < NETDEV_COUNTS && *value >= '0' && *value <= '9') {
				netdev_count(d, which, &sum);
				netdev_set_count(d, which, sum + strtoull(value, NULL, 10));
			}
			value += strcspn(value, BLANKS "\n");
		}
		text = value > end ? value + strcspn(value, "\n") : end;
		text += !!*text;
	}
}

void netns_counts_read(const int fd[NETNS_FILES], struct netdev *d)
{
	char text[TEXT_MAX];

	for (int i = 0; i < NETNS_FILES; i++) {
		ssize_t n = fd[i] >= 0 ? pread(fd[i], text, sizeof(text) - 1, 0) : 0;

		if (n <= 0)
			continue;
		text[n] = '\0';
		netns_counts_add(text, d);
	}
}
