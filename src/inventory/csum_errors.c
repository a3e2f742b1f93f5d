// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/csum_errors.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX 16384
#define BLANKS   " \t"

void csum_errors_open(int fd[CSUM_FILES])
{
	/* /proc/net would be the main thread's */
	static const char *const path[CSUM_FILES] = { "/proc/thread-self/net/snmp",
						      "/proc/thread-self/net/netstat",
						      "/proc/thread-self/net/snmp6" };

	for (int i = 0; i < CSUM_FILES; i++)
		fd[i] = open(path[i], O_RDONLY | O_CLOEXEC);
}

void csum_errors_close(const int fd[CSUM_FILES])
{
	for (int i = 0; i < CSUM_FILES; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

/* InCsumErrors, and in snmp6 with the protocol before it. */
static bool is_csum_errors(const char *name, size_t len)
{
	static const char end[] = "InCsumErrors";
	size_t n = sizeof(end) - 1;

	return len >= n && !memcmp(name + len - n, end, n);
}

/*
 * In snmp and netstat a protocol has two lines, one with names and one with values, both begin with
 * "Protocol:". In snmp6 a line has a name and its value.
 */
bool csum_errors_add(const char *text, uint64_t *sum)
{
	bool found = false;

	while (*text) {
		const char *end = text + strcspn(text, "\n"), *name = text, *value = end + !!*end;
		size_t len = strcspn(name, BLANKS "\n");

		if (!len || name[len - 1] != ':')
			value = name + len;
		for (; name < end; name += len + strspn(name + len, BLANKS)) {
			len = strcspn(name, BLANKS "\n");
			value += strspn(value, BLANKS);
			if (is_csum_errors(name, len) && *value >= '0' && *value <= '9') {
				*sum += strtoull(value, NULL, 10);
				found = true;
			}
			value += strcspn(value, BLANKS "\n");
		}
		text = value > end ? value + strcspn(value, "\n") : end;
		text += !!*text;
	}
	return found;
}

bool csum_errors_read(const int fd[CSUM_FILES], uint64_t *sum)
{
	bool found = false;
	char text[TEXT_MAX];

	*sum = 0;
	for (int i = 0; i < CSUM_FILES; i++) {
		ssize_t n = fd[i] >= 0 ? pread(fd[i], text, sizeof(text) - 1, 0) : 0;

		if (n <= 0)
			continue;
		text[n] = '\0';
		found |= csum_errors_add(text, sum);
	}
	return found;
}
