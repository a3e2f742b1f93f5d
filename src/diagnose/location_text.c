// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/location_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/sanitize.h"
#include "model/kernel_names.h"
#include "model/target.h"

/* Output buffer; `missing`: a name is unknown, or does not fit. */
struct writer {
	char *buf;
	size_t size, len;
	bool missing;
	struct id_span id; /* the last number of a namespace or map in buf */
};

static void put(struct writer *w, const char *text, size_t len)
{
	if (w->len + len + 1 > w->size) {
		w->missing = true;
		len = w->size - w->len - 1;
	}
	memcpy(w->buf + w->len, text, len);
	w->len += len;
	w->buf[w->len] = '\0';
}

static void put_text(struct writer *w, const char *text)
{
	put(w, text, strlen(text));
}

static void __attribute__((format(printf, 2, 3)))
put_format(struct writer *w, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put_text(w, text);
}

/*
 * One word for the shell, of a sanitized name: the bytes that it was made from. Only a byte that is
 * not printable needs $'...', of bash and zsh. A shell without that takes it for '...', and some
 * locale's characters end in a backslash byte: no quote and no backslash of the name stands in it.
 */
static void put_word(struct writer *w, const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_.:@%+,/-";
	bool hex = false;

	if (*name && *name != '-' && strspn(name, plain) == strlen(name)) {
		put_text(w, name);
		return;
	}
	for (const char *c = name; (c = strchr(c, '\\')); c += sanitize_escape(c, 4) ?: 1)
		hex |= sanitize_escape(c, 4) == 4;
	put_text(w, hex ? "$'" : "'");
	while (*name) {
		size_t len = sanitize_escape(name, 4);

		if (*name == '\'')
			put_text(w, hex ? "\\x27" : "'\\''");
		else if (*name == '\\' && len != 4)
			put_text(w, hex ? "\\x5c" : "\\");
		else
			put(w, name, len ?: 1);
		name += len ?: 1;
	}
	put_text(w, "'");
}

/* Prefix that runs a command in a device's namespace; ip(8) has an option for it. */
static void put_in(struct writer *w, const struct netdev_ref *d, struct netns_names *names, bool ip)
{
	const char *name = names && d->netns ? netns_names_get(names, d->netns) : NULL;
	int pid = name ? netns_names_pid(names, d->netns) : 0;

	if (!d->netns) {
		w->missing = true;
	} else if (pid) {
		put_format(w, "nsenter -t %d -n ", pid);
	} else if (!name) {
		/* nothing that was found lives in it: something new may, or a process has it open
		 */
		put_format(w,
			   "nsenter --net=$(find /proc/[0-9]*/{ns/net,fd} -lname 'net:\\[%u\\]' "
			   "-print -quit 2>/dev/null) ",
			   d->netns);
	} else if (strcmp(name, "init")) {
		put_text(w, ip ? "ip -n " : "ip netns exec ");
		put_word(w, name);
		if (ip)
			return;
		put_text(w, " ");
	}
	if (ip)
		put_text(w, "ip");
}

/* Appends the namespace, unless it is init or `here`. */
static void put_device(struct writer *w, const struct netdev_ref *d, struct netns_names *names,
		       uint32_t here, const char *unknown)
{
	char ns[SNAPSHOT_NAME_LEN * 2];
	struct id_span id;

	if (!d->ifindex) {
		put_text(w, unknown);
		return;
	}
	if (d->name[0])
		put_text(w, d->name);
	else
		put_format(w, "ifindex %u", d->ifindex);
	if (d->netns != here && netns_text_id(d->netns, names, ns, sizeof(ns), &id) &&
	    (here || strcmp(ns, "init"))) {
		id.at = (uint16_t)(w->len + strlen(" ("));
		w->id = id;
		put_format(w, " (%s)", ns);
	}
}

/* "devmap 5" */
static void put_map(struct writer *w, const char *type, uint32_t map_id)
{
	char label[32], text[64];
	size_t at = w->len;

	snprintf(label, sizeof(label), "%s ", type ? type : "map");
	format_id(text, sizeof(text), "", label, map_id, "", &w->id);
	w->id.at = (uint16_t)at;
	put_text(w, text);
}

static void put_target(struct writer *w, const struct location *l, struct netns_names *names)
{
	const char *type = map_type_name(l->map_type);

	if (l->to_cpu >= 0)
		put_format(w, "CPU %d", l->to_cpu);
	else if (l->socket >= 0)
		put_format(w, "xskmap %u [%d]", l->map_id, l->socket);
	else if (!l->to.ifindex && l->map_id)
		put_map(w, type, l->map_id);
	else
		put_device(w, &l->to, names, l->dev.netns, "the target");
}

static void put_named_id(struct writer *w, const char *name, uint32_t id, const char *what)
{
	if (!id)
		put_format(w, "the %s", what);
	else if (*name)
		put_format(w, "%s (id %u)", name, id);
	else
		put_format(w, "%s id %u", what, id);
}

enum hole { DEV, TO, PEER, IN, IN_TO, IN_PEER, IP, IP_TO, IP_PEER, PROG, MAP, CPU, HOLES };

static const struct {
	const char *name;
	const char *word; /* in a command without a location */
} holes[HOLES] = {
	[DEV] = { "dev", "DEVICE" },     [TO] = { "to", "TARGET" },
	[PEER] = { "peer", "PEER" },     [IN] = { "in", "" },
	[IN_TO] = { "in_to", "" },       [IN_PEER] = { "in_peer", "" },
	[IP] = { "ip", "ip" },           [IP_TO] = { "ip_to", "ip" },
	[IP_PEER] = { "ip_peer", "ip" }, [PROG] = { "prog", "PROG_ID" },
	[MAP] = { "map", "MAP_ID" },     [CPU] = { "cpu", "CPU" },
};

static void fill_text(struct writer *w, enum hole hole, const struct location *l,
		      struct netns_names *names)
{
	const char *type = l->map_type ? map_type_name(l->map_type) : NULL;

	switch (hole) {
	case DEV:
		put_device(w, &l->dev, names, 0, "the device");
		break;
	case TO:
		put_target(w, l, names);
		break;
	case PEER:
		put_device(w, &l->peer, names, l->dev.netns, "its peer");
		break;
	case PROG:
		put_named_id(w, l->prog_name, l->prog_id, "program");
		break;
	case MAP:
		put_named_id(w, l->map_name, l->map_id, type ? type : "map");
		break;
	case CPU:
		if (l->to_cpu >= 0)
			put_format(w, "CPU %d", l->to_cpu);
		else
			put_text(w, "the target CPU");
		break;
	default:
		w->missing = true;
	}
}

static void put_name(struct writer *w, const struct netdev_ref *d)
{
	if (!d->ifindex || !d->name[0])
		w->missing = true;
	else
		put_word(w, d->name);
}

static void put_id(struct writer *w, uint32_t id)
{
	if (!id)
		w->missing = true;
	else
		put_format(w, "%u", id);
}

static void fill_command(struct writer *w, enum hole hole, const struct location *l,
			 struct netns_names *names)
{
	static const uint8_t device[HOLES] = {
		[TO] = 1, [IN_TO] = 1, [IP_TO] = 1, [PEER] = 2, [IN_PEER] = 2, [IP_PEER] = 2
	};
	const struct netdev_ref *d = device[hole] == 1   ? &l->to
				     : device[hole] == 2 ? &l->peer
							 : &l->dev;

	switch (hole) {
	case DEV:
	case TO:
	case PEER:
		put_name(w, d);
		break;
	case IN:
	case IN_TO:
	case IN_PEER:
		put_in(w, d, names, false);
		break;
	case IP:
	case IP_TO:
	case IP_PEER:
		put_in(w, d, names, true);
		break;
	case PROG:
		put_id(w, l->prog_id);
		break;
	case MAP:
		put_id(w, l->map_id);
		break;
	case CPU:
		if (l->to_cpu < 0)
			w->missing = true;
		else
			put_format(w, "%d", l->to_cpu);
		break;
	case HOLES:
		break;
	}
}

static enum hole find_hole(const char *name, size_t len)
{
	int i = 0;

	while (i < HOLES && (strlen(holes[i].name) != len || memcmp(holes[i].name, name, len)))
		i++;
	return (enum hole)i;
}

static int fill(const char *template, const struct location *l, struct netns_names *names,
		bool command, char *buf, size_t size)
{
	struct writer w = { .buf = buf, .size = size };

	buf[0] = '\0';
	while (*template) {
		size_t len = strcspn(template, "{");
		const char *name = template + len + 1, *end;
		enum hole hole;

		put(&w, template, len);
		template += len;
		if (!*template)
			break;
		end = strchr(name, '}');
		hole = end ? find_hole(name, (size_t)(end - name)) : HOLES;
		if (hole == HOLES) {
			/* braces of awk are no placeholder */
			put(&w, template ++, 1);
			continue;
		}
		template = end + 1;
		if (!command)
			fill_text(&w, hole, l, names);
		else if (!l)
			put_text(&w, holes[hole].word);
		else
			fill_command(&w, hole, l, names);
	}
	return command && w.missing ? -ENOENT : (int)w.len;
}

int location_target_text(const struct location *l, struct netns_names *names, char *buf,
			 size_t size, struct id_span *id)
{
	struct writer w = { .buf = buf, .size = size };

	put_target(&w, l, names);
	*id = w.id;
	return (int)w.len;
}

int location_text(const char *template, const struct location *l, struct netns_names *names,
		  char *buf, size_t size)
{
	struct location none;

	location_init(&none);
	return fill(template, l ? l : &none, names, false, buf, size);
}

int location_command(const char *template, const struct location *l, struct netns_names *names,
		     char *buf, size_t size)
{
	return fill(template, l, names, true, buf, size);
}
