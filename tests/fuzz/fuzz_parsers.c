// SPDX-License-Identifier: GPL-2.0-or-later
/* The first byte chooses a parser of foreign input, which gets the rest. */
#include <linux/ethtool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cpu_set.h"
#include "base/sanitize.h"
#include "diagnose/location_text.h"
#include "inventory/container_names.h"
#include "inventory/driver_counters.h"
#include "inventory/link_message.h"
#include "inventory/netlink_socket.h"
#include "inventory/netns_counts.h"
#include "inventory/queue_irqs.h"
#include "inventory/queue_message.h"
#include "model/netns_owner.h"
#include "output/http_server.h"
#include "recording/segments.h"
#include "source/softnet.h"
#include "table/follow_choice.h"
#include "tracing/tracefs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ID  "4f3c2a1b9d8e000102030405060708090a0b0c0d0e0f10111213141516171819"
#define UID "6b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0"

static void try(bool holds)
{
	if (!holds)
		abort();
}

static char *text_of(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	try(text);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/* A datagram, in a copy of its exact size, so that reads beyond it are found. */
static void netlink(const uint8_t *data, size_t size)
{
	const struct nlmsghdr *message;
	size_t offset = 0, messages = 0;
	uint64_t features;
	uint32_t ifindex;
	uint16_t family;
	int32_t nsid;
	void *buf = malloc(size + 1);

	try(buf);
	memcpy(buf, data, size);
	while ((message = netlink_next(buf, size, &offset))) {
		struct page_pool_message pool;
		struct link_message link;
		struct netdev_queue queue[4] = { { .napi = 1 } };
		struct netdev d = { 0 };

		queue_take(message, message->nlmsg_type, 1, queue, 4);
		netlink_parse_link(message, &link);
		netlink_parse_counts(message, &d);
		netlink_parse_nsid(message, &nsid);
		netlink_parse_family(message, &family);
		netlink_parse_features(message, message->nlmsg_type, &ifindex, &features);
		netlink_parse_page_pool(message, message->nlmsg_type, &pool);
		messages++;
	}
	try(messages <= size / sizeof(*message));
	free(buf);
}

/* Names of counters, and their values. */
static void ethtool(const uint8_t *data, size_t size)
{
	static const char *const drivers[] = { "mlx5_core", "virtio_net", "veth", "igb",
					       "ena",       "ice",        "none" };
	size_t n = size ? (size - 1) / ETH_GSTRING_LEN : 0;
	struct ethtool_stat others[ETHTOOL_STATS_OF_DEVICE];
	struct netdev d = { 0 };
	char *names = malloc(n * ETH_GSTRING_LEN + 1);
	uint64_t *values = calloc(n + 1, sizeof(*values));
	uint8_t *what = malloc(n + 1);

	try(names && values && what);
	if (n) {
		memcpy(names, data + 1, n * ETH_GSTRING_LEN);
		for (size_t i = 0; i < n; i++)
			memcpy(&values[i], names + i * ETH_GSTRING_LEN, sizeof(*values));
		driver_counters_map(drivers[data[0] % (sizeof(drivers) / sizeof(drivers[0]))],
				    names, n, what);
		driver_counters_sum(what, values, n, &d);
		try(driver_counters_others(what, names, values, NULL, n, 1, others) <=
		    ETHTOOL_STATS_OF_DEVICE);
	}
	free(what);
	free(values);
	free(names);
}

static void owner(const uint8_t *data, size_t size)
{
	size_t comm = size < 16 ? size : 16;
	struct netns_owner o;

	memset(&o, 0, sizeof(o));
	netns_owner_set(&o, (const char *)data, comm, (const char *)data + comm, size - comm);
	try(strlen(o.comm) < sizeof(o.comm) && strlen(o.container.id) < sizeof(o.container.id) &&
	    strlen(o.container.pod_uid) < sizeof(o.container.pod_uid));
}

static void make_directories(const char *path)
{
	char *at = strdup(path);

	try(at);
	for (char *s = at + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(at, 0755);
		*s = '/';
	}
	free(at);
}

/* `path` includes the root. Skips names that no file can have. */
static void put_file(const char *path, const uint8_t *data, size_t size)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return;
	fwrite(data, size, 1, f);
	fclose(f);
}

static char root[32];

static void remove_root(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	try(!system(command));
}

/* docker's file, podman's file, and names of log files. */
static void containers(const uint8_t *data, size_t size)
{
	static const char *const names[] = {
		"var/lib/docker/containers/" ID "/config.v2.json",
		"var/lib/containers/storage/overlay-containers/containers.json",
		("var/log/containers/%s-" ID ".log"),
		("var/log/pods/%s_" UID),
	};
	struct pod pod[3] = { { .container_id = ID },
			      { .uid = UID },
			      { .container_id = ID, .uid = UID } };
	struct container_names *found;
	char name[64], path[4][512];
	size_t n = size < sizeof(name) ? size : sizeof(name) - 1;
	bool first = !*root;

	if (first) {
		strcpy(root, "/tmp/xdptop-fuzz.XXXXXX");
		try(mkdtemp(root));
		atexit(remove_root);
	}
	for (size_t i = 0; i < n; i++)
		name[i] = (char)(data[i] == '/' || !data[i] ? '_' : data[i]);
	name[n] = '\0';
	for (int i = 0; i < 4; i++) {
		int len = snprintf(path[i], sizeof(path[i]), "%s/", root);

		snprintf(path[i] + len, sizeof(path[i]) - (size_t)len, names[i], name);
		if (first)
			make_directories(path[i]);
		put_file(path[i], data, size);
	}
	found = container_names_open(root);
	try(found);
	container_names_find(found, pod, 3);
	container_names_close(found);
	unlink(path[2]);
	unlink(path[3]);
}

static void address(const uint8_t *data, size_t size)
{
	char *text = text_of(data, size);
	union http_address to;

	http_address_parse(text, &to);
	free(text);
}

static void follow(const uint8_t *data, size_t size)
{
	char *text = text_of(data, size);
	struct error error = { 0 };
	struct follow_choice to;

	if (!follow_choice_parse(&to, text, NULL, &error)) {
		try(to.tracepoints && strlen(to.text) < sizeof(to.text));
		follow_choice_free(&to);
	}
	free(text);
}

static void sanitized(const uint8_t *data, size_t size)
{
	size_t room = size ? data[0] : 0, len = size ? size - 1 : 0;
	char *buf = malloc(room + 1), *whole = malloc(4 * len + 1), *again = malloc(4 * len + 1);
	const char *raw = (const char *)data + 1;

	try(buf && whole && again);
	if (size) {
		try(sanitize(buf, room + 1, raw, len) <= (int)room);
		sanitize(whole, 4 * len + 1, raw, len);
		for (const char *c = whole; *c; c++)
			try((unsigned char)*c >= ' ' && *c != 0x7f);
		/* printable text stays unchanged */
		sanitize_keep_escapes(again, 4 * len + 1, whole, strlen(whole));
		try(!strcmp(whole, again));
	}
	free(again);
	free(whole);
	free(buf);
}

static const char plain[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:@%+,/-";

/* The format of a printf in single quotes: plain characters, %% and octal escapes. */
static const char *skip_format(const char *c)
{
	while (*c != '\'') {
		if (*c == '\\') {
			try(strspn(c + 1, "01234567") >= 3);
			c += 4;
		} else if (*c == '%') {
			try(c[1] == '%');
			c += 2;
		} else {
			try(*c && strchr(plain, *c));
			c++;
		}
	}
	return c;
}

/* A device's name in a command is always one word for the shell. */
static void quoted(const uint8_t *data, size_t size)
{
	static const char octal[] = "\"$(printf '", end[] = "')\"";
	struct location l;
	char command[1024];
	const char *c = command;

	location_init(&l);
	l.dev = (struct netdev_ref){ .netns = 1, .ifindex = 1 };
	sanitize(l.dev.name, sizeof(l.dev.name), (const char *)data, size);
	if (location_command("{dev}", &l, NULL, command, sizeof(command)) < 0)
		return;
	while (*c) {
		if (strchr(plain, *c)) {
			c++;
			continue;
		}
		if (c[0] == '\\' && c[1] == '\'') { /* between two quotes */
			c += 2;
			continue;
		}
		if (!strncmp(c, octal, strlen(octal))) {
			c = skip_format(c + strlen(octal));
			try(!strncmp(c, end, strlen(end)));
			c += strlen(end);
			continue;
		}
		try(*c == '\'');
		c = strchr(c + 1, '\'');
		try(c);
		c++;
	}
}

static void text_files(const uint8_t *data, size_t size)
{
	char *text = text_of(data, size);
	struct tracefs_format format;
	uint32_t cpu, raw[3];
	struct netdev d = { 0 };
	struct cpu_set set;

	tracefs_parse(&format, text);
	softnet_parse(text, &cpu, raw);
	netns_counts_add(text, &d);
	try(!queue_of_irq(text, &cpu) || cpu <= 99999);
	try(!cpu_set_parse(&set, text) || !set.count);
	free(text);
}

/* The name of a file in the recorder's directory. */
static void segment(const uint8_t *data, size_t size)
{
	char *name = text_of(data, size), same[SEGMENT_NAME_LEN];
	unsigned int number;
	int64_t begin;

	if (segment_name_parse(name, &begin, &number)) {
		segment_name(same, begin, number);
		try(!strcmp(name, same) && !segment_name_compare(name, same));
	}
	free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parsers[])(const uint8_t *, size_t) = {
		netlink, ethtool,   owner,  containers, address,
		follow,  sanitized, quoted, text_files, segment,
	};

	if (size)
		parsers[data[0] % (sizeof(parsers) / sizeof(parsers[0]))](data + 1, size - 1);
	return 0;
}
