// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/location_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/sanitize.h"
#include "model/target.h"

/* Output buffer; `missing`: a name is unknown or does not fit. */
struct writer {
	char *buf;
	size_t size, len;
	bool missing;
};

static void writer_put(struct writer *w, const char *text, size_t len)
{
	if (w->len + len + 1 > w->size) {
		w->missing = true;
		w->len +=
			(size_t)sanitize_keep_escapes(w->buf + w->len, w->size - w->len, text, len);
		return;
	}
	memcpy(w->buf + w->len, text, len);
	w->len += len;
	w->buf[w->len] = '\0';
}

static void put_text(struct writer *w, const char *text)
{
	writer_put(w, text, strlen(text));
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

/* As a format of printf(1), in which all that a shell or printf might take for syntax is octal. */
static void put_octal(struct writer *w, const char *name, const char *plain)
{
	while (*name) {
		size_t len = sanitize_escape(name, 4);
		unsigned int byte = (unsigned char)*name;

		if (len == 4)
			sscanf(name, "\\x%2x", &byte);
		if (len == 4 || byte == '-' || !strchr(plain, *name))
			put_format(w, "\\%03o", byte);
		else
			put_format(w, byte == '%' ? "%%%%" : "%c", *name);
		name += len ?: 1;
		/* $() would drop it */
		w->missing |= !*name && byte == '\n';
	}
}

/*
 * Writes a sanitized name as one word that yields the original bytes in any POSIX shell. Only
 * unprintable bytes need printf(1).
 */
static void put_word(struct writer *w, const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_.:@%+,/-";
	bool printable = true;

	if (*name && *name != '-' && strspn(name, plain) == strlen(name)) {
		put_text(w, name);
		return;
	}
	for (const char *c = name; (c = strchr(c, '\\')); c += sanitize_escape(c, 4) ?: 1)
		printable &= sanitize_escape(c, 4) != 4;
	if (!printable) {
		put_text(w, "\"$(printf '");
		put_octal(w, name, plain);
		put_text(w, "')\"");
		return;
	}
	put_text(w, "'");
	while (*name) {
		size_t len = sanitize_escape(name, 4);

		if (*name == '\'')
			put_text(w, "'\\''");
		else
			writer_put(w, *name == '\\' ? "\\" : name, 1);
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
		/* no known process is in the namespace, but an unknown one may hold it */
		put_format(w,
			   "nsenter --net=$(find /proc/*/ns /proc/*/fd -lname 'net:\\[%u\\]' "
			   "-print -quit 2>/dev/null) ",
			   d->netns);
	} else if (name[0] == '/') {
		put_text(w, "nsenter --net=");
		put_word(w, name);
		put_text(w, " ");
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

/* Appends the namespace or pod unless it is init or `here`, and the peer's pod. */
static void put_device(struct writer *w, const struct netdev_ref *d, const struct location_pod *pod,
		       struct netns_names *names, uint32_t here, const char *unknown)
{
	char ns[SNAPSHOT_NAME_LEN * 2] = "";
	bool inside = *pod->text && !pod->of_peer;

	if (!d->ifindex) {
		put_text(w, unknown);
		return;
	}
	if (d->name[0])
		put_text(w, d->name);
	else
		put_format(w, "ifindex %u", d->ifindex);
	if (d->netns != here && !inside)
		netns_text(d->netns, names, ns, sizeof(ns));
	if (!here && !strcmp(ns, "init"))
		ns[0] = '\0';
	if (pod->of_peer)
		put_format(w, " (%s%sto %s)", ns, *ns ? ", " : "", pod->text);
	else if (*ns || (inside && d->netns != here))
		put_format(w, " (%s)", inside ? pod->text : ns);
}

/* "devmap 5" */
static void put_map(struct writer *w, const struct location *l)
{
	const char *type = map_type_name(l->map_type);

	put_format(w, "%s %u", type ? type : "map", l->map_id);
}

static void put_target(struct writer *w, const struct location *l, struct netns_names *names)
{
	if (l->to_cpu >= 0)
		put_format(w, "CPU %d", l->to_cpu);
	else if (l->socket >= 0)
		put_format(w, "xsk map %u [%d]", l->map_id, l->socket);
	else if (!l->to.ifindex && l->map_id)
		put_map(w, l);
	else
		put_device(w, &l->to, &l->to_pod, names, l->dev.netns, "the target");
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

enum hole_kind {
	HOLE_NAME,
	HOLE_IN,
	HOLE_IP,
	HOLE_PROG,
	HOLE_MAP,
	HOLE_MAPS,
	HOLE_CPU,
	HOLE_KEY,
	HOLE_LARGER,
	HOLE_PID,
	HOLE_XDP,
	HOLE_NUMBER,
	HOLE_SOCKETS,
};

static const struct hole {
	const char *name;
	const char *word; /* for a command without a location */
	enum hole_kind kind;
	/* offset in struct location; for HOLE_MAPS the index in maps, for HOLE_PROG 1 = a part */
	size_t device;
} holes[] = {
	{ "dev", "DEVICE", HOLE_NAME, offsetof(struct location, dev) },
	{ "to", "TARGET", HOLE_NAME, offsetof(struct location, to) },
	{ "peer", "PEER", HOLE_NAME, offsetof(struct location, peer) },
	{ "in", "", HOLE_IN, offsetof(struct location, dev) },
	{ "in_to", "", HOLE_IN, offsetof(struct location, to) },
	{ "in_peer", "", HOLE_IN, offsetof(struct location, peer) },
	{ "ip", "ip", HOLE_IP, offsetof(struct location, dev) },
	{ "ip_to", "ip", HOLE_IP, offsetof(struct location, to) },
	{ "ip_peer", "ip", HOLE_IP, offsetof(struct location, peer) },
	{ "prog", "PROG_ID", HOLE_PROG, 0 },
	{ "part", "PROG_ID", HOLE_PROG, 1 },
	{ "map", "MAP_ID", HOLE_MAP, 0 },
	{ "map1", "MAP_ID", HOLE_MAPS, 0 },
	{ "map2", "MAP_ID", HOLE_MAPS, 1 },
	{ "map3", "MAP_ID", HOLE_MAPS, 2 },
	{ "cpu", "CPU", HOLE_CPU, 0 },
	{ "key", "KEY", HOLE_KEY, 0 },
	{ "larger", "VALUE", HOLE_LARGER, 0 },
	{ "pid", "PID", HOLE_PID, 0 },
	{ "xdp", "xdp", HOLE_XDP, 0 },
	{ "number", "N", HOLE_NUMBER, 0 },
	{ "sockets", "ss --xdp -e -p", HOLE_SOCKETS, offsetof(struct location, dev) },
};

static void fill_text(struct writer *w, const struct hole *hole, const struct location *l,
		      struct netns_names *names)
{
	const char *type = map_type_name(l->map_type);

	if (hole->kind == HOLE_NAME && hole->device == offsetof(struct location, dev))
		put_device(w, &l->dev, &l->dev_pod, names, 0, "the device");
	else if (hole->kind == HOLE_NAME && hole->device == offsetof(struct location, peer))
		put_device(w, &l->peer, &l->peer_pod, names, l->dev.netns, "its peer");
	else if (hole->kind == HOLE_NAME)
		put_target(w, l, names);
	else if (hole->kind == HOLE_PROG)
		put_named_id(w, l->prog_name, l->prog_id, "program");
	else if (hole->kind == HOLE_MAP)
		put_named_id(w, l->map_name, l->map_id, type ? type : "map");
	else if (hole->kind == HOLE_CPU && l->to_cpu >= 0)
		put_format(w, "CPU %d", l->to_cpu);
	else if (hole->kind == HOLE_CPU)
		put_text(w, "the target CPU");
}

/* A number as bpftool map update takes it, in bytes in host order. */
static void put_bytes(struct writer *w, uint32_t number)
{
	unsigned char byte[sizeof(number)];

	memcpy(byte, &number, sizeof(byte));
	put_format(w, "%u %u %u %u", byte[0], byte[1], byte[2], byte[3]);
}

/*
 * A cpumap value (struct bpf_cpumap_val) with a larger queue size, a power of two. If the map's
 * values have the program field, it is 0: no program. The limit is from kernel/bpf/cpumap.c,
 * cpu_map_update_elem().
 */
#define QUEUE_MIN 2048
#define QUEUE_MAX 16384
static void put_larger(struct writer *w, const struct location *l)
{
	uint32_t size = QUEUE_MIN;

	while (size < QUEUE_MAX && size / 2 < l->qsize)
		size *= 2;
	w->missing |=
		!l->qsize || l->qsize >= QUEUE_MAX || (l->value_size != 4 && l->value_size != 8);
	put_bytes(w, size);
	if (l->value_size == 8)
		put_text(w, " 0 0 0 0");
}

/*
 * Without a mode, ip(8) detaches the native program if the driver supports native mode, and
 * silently leaves a generic one: dev_xdp_mode() in net/core/dev.c.
 */
static void put_mode(struct writer *w, enum netdev_mode mode)
{
	static const char *const words[NETDEV_MODES] = {
		[NETDEV_NATIVE] = "xdpdrv",
		[NETDEV_GENERIC] = "xdpgeneric",
		[NETDEV_OFFLOAD] = "xdpoffload",
	};

	w->missing |= !words[mode];
	put_text(w, words[mode] ?: "");
}

/* ss(8) prints nothing if the kernel lacks CONFIG_XDP_SOCKETS_DIAG. */
static void put_sockets(struct writer *w, const struct location *l, struct netns_names *names)
{
	if (!l->lists_sockets) {
		put_in(w, &l->dev, names, false);
		put_text(w, "ss --xdp -e -p");
		return;
	}
	put_text(w, "xdptop -b -n 1 -v sockets");
	if (l->socket_inode) {
		put_format(w, " -f inode=%u", l->socket_inode);
	} else if (l->dev.ifindex && l->dev.name[0]) {
		put_text(w, " -i ");
		put_word(w, l->dev.name);
	}
}

static void fill_command(struct writer *w, const struct hole *hole, const struct location *l,
			 struct netns_names *names)
{
	const struct netdev_ref *d = (const void *)((const char *)l + hole->device);
	bool is_part = hole->kind == HOLE_PROG && hole->device;
	uint32_t id = is_part && l->part_id     ? l->part_id
		      : hole->kind == HOLE_PROG ? l->prog_id
		      : hole->kind == HOLE_MAP  ? l->map_id
		      : hole->kind == HOLE_MAPS ? l->maps[hole->device]
						: 0;

	if (hole->kind == HOLE_IN || hole->kind == HOLE_IP)
		put_in(w, d, names, hole->kind == HOLE_IP);
	else if (hole->kind == HOLE_NAME && d->ifindex && d->name[0])
		put_word(w, d->name);
	else if (hole->kind == HOLE_CPU && l->to_cpu >= 0)
		put_format(w, "%d", l->to_cpu);
	else if (hole->kind == HOLE_KEY && l->to_cpu >= 0)
		put_bytes(w, (uint32_t)l->to_cpu);
	else if (hole->kind == HOLE_LARGER)
		put_larger(w, l);
	else if (hole->kind == HOLE_XDP)
		put_mode(w, l->mode);
	else if (hole->kind == HOLE_PID && l->pid)
		put_format(w, "%u", l->pid);
	else if (hole->kind == HOLE_NUMBER && l->number)
		put_format(w, "%u", l->number);
	else if (hole->kind == HOLE_SOCKETS)
		put_sockets(w, l, names);
	else if (id)
		put_format(w, "%u", id);
	else
		w->missing = true;
}

/* Whether the device is known to lack what the template's ethtool command needs. */
static bool is_refused(const char *template, const char *at, const struct hole *hole,
		       const struct location *l)
{
	static const char ethtool[] = "ethtool -";
	static const struct {
		const char *options;
		enum netdev_has has;
	} asks[] = {
		{ "gG", NETDEV_HAS_RINGS },   { "lL", NETDEV_HAS_CHANNELS },
		{ "xXnN", NETDEV_HAS_HASH },  { "cC", NETDEV_HAS_COALESCE },
		{ "S", NETDEV_HAS_COUNTERS }, { "i", NETDEV_HAS_DRIVER },
	};
	const size_t len = sizeof(ethtool) - 1;
	uint8_t lacks = hole->device == offsetof(struct location, dev)  ? l->dev_lacks
			: hole->device == offsetof(struct location, to) ? l->to_lacks
									: l->peer_lacks;

	/* "ethtool -g " */
	if (hole->kind != HOLE_NAME || (size_t)(at - template) < len + 2 ||
	    memcmp(at - len - 2, ethtool, len))
		return false;
	for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++)
		if (strchr(asks[i].options, at[-2]))
			return lacks & asks[i].has;
	return false;
}

static const struct hole *find_hole(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(holes) / sizeof(holes[0]); i++)
		if (strlen(holes[i].name) == len && !memcmp(holes[i].name, name, len))
			return &holes[i];
	return NULL;
}

static int template_fill(const char *template, const struct location *l, struct netns_names *names,
			 bool command, char *buf, size_t size)
{
	struct writer w = { .buf = buf, .size = size };
	const char *begin = template;

	buf[0] = '\0';
	while (*template) {
		size_t len = strcspn(template, "{");
		const struct hole *hole;

		writer_put(&w, template, len);
		template += len;
		if (!*template)
			break;
		len = strcspn(template, "}");
		hole = template[len] ? find_hole(template + 1, len - 1) : NULL;
		if (!hole) {
			/* awk's braces are not a placeholder */
			writer_put(&w, template ++, 1);
			continue;
		}
		w.missing |= command && l && is_refused(begin, template, hole, l);
		template += len + 1;
		if (!command)
			fill_text(&w, hole, l, names);
		else if (!l)
			put_text(&w, hole->word);
		else
			fill_command(&w, hole, l, names);
	}
	return command && w.missing ? -ENOENT : (int)w.len;
}

int location_text(const char *template, const struct location *l, struct netns_names *names,
		  char *buf, size_t size)
{
	struct location none;

	location_init(&none);
	return template_fill(template, l ? l : &none, names, false, buf, size);
}

int location_command(const char *template, const struct location *l, struct netns_names *names,
		     char *buf, size_t size)
{
	return template_fill(template, l, names, true, buf, size);
}
