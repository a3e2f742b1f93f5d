// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracing/tracefs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *tracefs_find(void)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	int why = ENOENT;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s/events/xdp", places[i]);
		if (!access(path, R_OK | X_OK))
			return places[i];
		/*
		 * "not permitted" at one mount point is more helpful than "not mounted" at the
		 * other
		 */
		if (errno == EACCES || errno == EPERM)
			why = EACCES;
	}
	errno = why;
	return NULL;
}

static int read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	err = n < 0 ? -errno : 0;
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return err;
}

/* Parse "key:NUMBER;" within a line. 0 or -EINVAL. */
static int number_after(const char *line, const char *key, uint32_t *number)
{
	const char *at = strstr(line, key);
	unsigned long n;
	char *end;

	if (!at)
		return -EINVAL;
	at += strlen(key);
	if (!isdigit((unsigned char)*at))
		return -EINVAL;
	n = strtoul(at, &end, 10);
	if (*end != ';' || n > UINT16_MAX)
		return -EINVAL;
	*number = n;
	return 0;
}

/*
 * Parse "unsigned int sent;\toffset:24;\tsize:4;\tsigned:1;". The last word before the ; is the
 * name.
 */
static int parse_field(struct tracefs_field *f, const char *line)
{
	const char *end = strchr(line, ';'), *name;

	if (!end)
		return -EINVAL;
	for (name = end; name > line && (isalnum((unsigned char)name[-1]) || name[-1] == '_');)
		name--;
	/* leave the name of an array ("char comm[16]") empty, since no program reads arrays */
	if ((size_t)(end - name) >= sizeof(f->name))
		name = end;
	memcpy(f->name, name, end - name);
	f->name[end - name] = '\0';
	if (number_after(end, "offset:", &f->offset))
		return -EINVAL;
	return number_after(end, "size:", &f->size);
}

int tracefs_parse(struct tracefs_format *f, const char *text)
{
	static const char prefix[] = "\tfield:";
	const char *line = text;

	f->n = 0;
	while (line && *line) {
		const char *next = strchr(line, '\n');
		size_t len = next ? (size_t)(next - line) : strlen(line);
		char copy[256];

		if (!strncmp(line, prefix, sizeof(prefix) - 1) && f->n < TRACEFS_FIELDS) {
			if (len >= sizeof(copy))
				return -EINVAL;
			memcpy(copy, line, len);
			copy[len] = '\0';
			if (parse_field(&f->field[f->n], copy + sizeof(prefix) - 1))
				return -EINVAL;
			f->n++;
		}
		line = next ? next + 1 : NULL;
	}
	return f->n ? 0 : -EINVAL;
}

int tracefs_read(struct tracefs_format *f, const char *tracefs, const char *group,
		 const char *event)
{
	char path[160], text[8192], *end;
	int err;

	snprintf(path, sizeof(path), "%s/events/%s/%s/id", tracefs, group, event);
	err = read_file(path, text, sizeof(text));
	if (err)
		return err;
	f->id = strtoull(text, &end, 10);
	if (end == text)
		return -EINVAL;
	snprintf(path, sizeof(path), "%s/events/%s/%s/format", tracefs, group, event);
	err = read_file(path, text, sizeof(text));
	return err ? err : tracefs_parse(f, text);
}

const struct tracefs_field *tracefs_field(const struct tracefs_format *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->field[i].name, name))
			return &f->field[i];
	return NULL;
}
