// SPDX-License-Identifier: GPL-2.0-or-later
/* Names in texts, and in commands that people paste into a root shell. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/sanitize.h"
#include "base/format.h"
#include "diagnose/driver.h"
#include "diagnose/finding_code.h"
#include "diagnose/location_text.h"
#include "model/pod.h"
#include "unit/made.h"
#include "unit/test.h"

#define BLUE 4026532222u

struct fixture {
	struct snapshot s;
	struct netns_names *names;
	struct location p;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	made_snapshot(&f->s, 10);
	f->names = netns_names_new();
	netns_names_set(f->names, MADE_NETNS, "init", 0);
	netns_names_set(f->names, BLUE, "blue", 0);
	location_init(&f->p);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	snapshot_free(&f->s);
	netns_names_free(f->names);
	free(f);
	return 0;
}

static void device(struct netdev_ref *d, uint32_t netns, const char *name)
{
	*d = (struct netdev_ref){ .netns = netns, .ifindex = 7 };
	snprintf(d->name, sizeof(d->name), "%s", name);
}

static void command(struct fixture *f, const char *template, const char *expected)
{
	char buf[256];
	int len = location_command(template, &f->p, f->names, buf, sizeof(buf));

	if (!expected) {
		assert_true(len < 0);
		return;
	}
	assert_string_equal(buf, expected);
	assert_int_equal(len, strlen(expected));
}

static void text(struct fixture *f, const char *template, const char *expected)
{
	char buf[256];

	location_text(template, &f->p, f->names, buf, sizeof(buf));
	assert_string_equal(buf, expected);
}

TEST_OF(test_namespaces, setup, teardown, struct fixture *f)
{
	device(&f->p.dev, MADE_NETNS, "eth0");
	device(&f->p.to, BLUE, "eth1");
	command(f, "{ip} link show {dev}", "ip link show eth0");
	command(f, "{in}ethtool {dev}", "ethtool eth0");
	command(f, "{ip_to} link show {to}", "ip -n blue link show eth1");
	command(f, "{in_to}ethtool {to}", "ip netns exec blue ethtool eth1");
	text(f, "{dev} -> {to}", "eth0 -> eth1 (blue)");
	/* named after a process */
	netns_names_set(f->names, BLUE, "nginx/812@4f3c2a1b9d8e", 812);
	command(f, "{ip_to} link", "nsenter -t 812 -n ip link");
	command(f, "{in_to}ethtool", "nsenter -t 812 -n ethtool");
	/* whose file is called init: ip accepts that, but it would mislead the reader */
	netns_names_set(f->names, BLUE, "/run/netns/init", 0);
	command(f, "{ip_to} link", "nsenter --net=/run/netns/init ip link");
	command(f, "{in_to}ethtool", "nsenter --net=/run/netns/init ethtool");
	text(f, "{to}", "eth1 (/run/netns/init)");
	/* without a name */
	f->p.to.netns = 4026539999u;
	command(f, "{ip_to} link",
		"nsenter --net=$(find /proc/*/ns /proc/*/fd -lname 'net:\\[4026539999\\]' "
		"-print "
		"-quit 2>/dev/null) ip link");
	text(f, "{to}", "eth1 (+539999)");
	/* both in the same namespace, not init: named once */
	f->p.dev.netns = f->p.to.netns;
	text(f, "{dev} -> {to}", "eth0 (+539999) -> eth1");
}

TEST_OF(test_unknown, setup, teardown, struct fixture *f)
{
	command(f, "ethtool {dev}", NULL);
	command(f, "{in}bpftool net", NULL);
	command(f, "bpftool prog show id {prog}", NULL);
	command(f, "bpftool map dump id {map}", NULL);
	command(f, "{ip_peer} link set dev {peer} up", NULL);
	command(f, "awk '$1 == {cpu}'", NULL);
	text(f, "{dev} {to} {peer} {prog} {map} {cpu}",
	     "the device the target its peer the program the map the target CPU");
	f->p.dev.netns = MADE_NETNS;
	f->p.dev.ifindex = 7;
	command(f, "ethtool {dev}", NULL);
	command(f, "{in}bpftool net", "bpftool net");
	text(f, "{dev}", "ifindex 7");
	/* without a location: placeholders */
	{
		char buf[64];

		assert_true(location_command("{ip_to} link show {to} id {map}", NULL, NULL, buf,
					     sizeof(buf)) > 0);
		assert_string_equal(buf, "ip link show TARGET id MAP_ID");
	}
}

TEST_OF(test_ids, setup, teardown, struct fixture *f)
{
	f->p.prog_id = 42;
	f->p.map_id = 5;
	f->p.map_type = SERIES_MAP_CPUMAP;
	f->p.to_cpu = 3;
	command(f, "bpftool prog show id {prog}; awk '$1 == {cpu} { print }' {map}",
		"bpftool prog show id 42; awk '$1 == 3 { print }' 5");
	text(f, "{prog} {map} {cpu} {to}", "program id 42 cpumap id 5 CPU 3 CPU 3");
	strcpy(f->p.prog_name, "fwd");
	strcpy(f->p.map_name, "cpus");
	text(f, "{prog} {map}", "fwd (id 42) cpus (id 5)");
}

/* Whoever may create a device chooses part of what root pastes: none of it is executed. */
TEST_OF(test_hostile, setup, teardown, struct fixture *f)
{
	static const struct {
		const char *name, *word;
	} rows[] = {
		{ "eth0.100", "eth0.100" },
		{ "veth@if7", "veth@if7" },
		{ "a;reboot", "'a;reboot'" },
		{ "$(reboot)", "'$(reboot)'" },
		{ "`reboot`", "'`reboot`'" },
		{ "a b", "'a b'" },
		{ "it's", "'it'\\''s'" },
		{ "~", "'~'" },
		{ "-rf", "'-rf'" },
		{ "a\\x0areboot", "\"$(printf 'a\\012reboot')\"" },
		{ "a\\\\b", "'a\\b'" },
		{ "\\x1b'", "\"$(printf '\\033\\047')\"" },
		{ "{dev}", "'{dev}'" },
		{ "\\\\x1b", "'\\x1b'" },
		{ "\\\\';x;#", "'\\'\\'';x;#'" },
		{ "\\\\\\x1b", "\"$(printf '\\134\\033')\"" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		device(&f->p.dev, BLUE, rows[i].name);
		command(f, "{dev}", rows[i].word);
	}
	netns_names_set(f->names, BLUE, "a;reboot", 0);
	command(f, "{ip} link", "ip -n 'a;reboot' link");
	command(f, "{in}x", "ip netns exec 'a;reboot' x");
}

/* A name as an attacker might choose: shell syntax, escapes and any other byte. */
static size_t make_name(unsigned int *seed, char *name, size_t max)
{
	static const char *const pieces[] = {
		"'",     "\\",    "\\'",   "$'",    "\\x1b",    "\\\\",
		"\\x27", "\\x5c", "\\x00", "\x1b",  "\xc3\xa9", "\xe6\x9c\xac",
		"\"",    "`",     "$(",    ")",     ";",        "#",
		"&",     "|",     "\n",    " ",     "!!",       "-",
		"~",     "a",     "0",     "{dev}", "x",        "\\047",
	};
	size_t len = 0, want = 1 + rand_r(seed) % max;

	while (len < want) {
		const char *piece = pieces[rand_r(seed) % (sizeof(pieces) / sizeof(pieces[0]))];
		char any = (char)(1 + rand_r(seed) % 255);

		if (rand_r(seed) % 4 && len + strlen(piece) <= want) {
			memcpy(name + len, piece, strlen(piece));
			len += strlen(piece);
		} else {
			name[len++] = any;
		}
	}
	return len;
}

/* The bytes that a sanitized name was made from. */
static size_t decode(const char *text, char *raw)
{
	size_t n = 0;

	while (*text) {
		unsigned int c = (unsigned char)*text;
		size_t len = sanitize_escape(text, 4);

		if (len == 4)
			assert_int_equal(sscanf(text, "\\x%2x", &c), 1);
		raw[n++] = (char)c;
		text += len ? len : 1;
	}
	return n;
}

enum { NAMES = 4000 };

struct word {
	char text[256];
	char raw[NETDEV_NAME_LEN];
	size_t len; /* of raw */
};

/* The words of names, live and recorded, and a script that prints each of them. */
static void write_words(struct fixture *f, struct word *word, FILE *script)
{
	unsigned int seed = 1;

	for (int i = 0; i < NAMES; i++, word++) {
		char name[16], *shown = f->p.dev.name;
		size_t len = make_name(&seed, name, sizeof(name));
		bool known;

		device(&f->p.dev, BLUE, "");
		if (i % 2)
			sanitize(shown, sizeof(f->p.dev.name), name, len);
		else
			sanitize_keep_escapes(shown, sizeof(f->p.dev.name), name, len);
		word->len = decode(shown, word->raw);
		if (i % 2)
			assert_memory_equal(word->raw, name, len);
		known = location_command("{dev}", &f->p, f->names, word->text, sizeof(word->text)) >
			0;
		/* $() drops a newline at the end: no command rather than a wrong one */
		assert_int_equal(known, word->raw[word->len - 1] != '\n');
		if (!known) {
			word->text[0] = '\0';
			continue;
		}
		fprintf(script, "printf '%%s\\0' %s\n", word->text);
	}
}

/* The output of a command, NUL terminated. free() it. */
static char *output_of(const char *command, size_t *len)
{
	const size_t size = 1 << 20;
	char *text = malloc(size);
	FILE *f = popen(command, "r");

	assert_non_null(f);
	*len = fread(text, 1, size - 1, f);
	text[*len] = '\0';
	assert_int_equal(pclose(f), 0);
	return text;
}

/* Thousands of names: a shell yields the original bytes, and executes nothing. */
static void check_words(struct fixture *f, const char *shell)
{
	struct word *words = calloc(NAMES, sizeof(*words)), *word = words;
	char directory[] = "/tmp/xdptop-test.XXXXXX", path[64], command[256], *text, *at;
	FILE *script;
	size_t len;

	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/script", directory);
	script = fopen(path, "w");
	assert_non_null(script);
	write_words(f, words, script);
	fclose(script);
	snprintf(command, sizeof(command), "cd %s && PATH=/nowhere exec %s script 2>&1", directory,
		 shell);
	at = text = output_of(command, &len);
	for (; word < words + NAMES; word++) {
		if (!*word->text)
			continue;
		assert_int_equal(strlen(at), word->len);
		assert_memory_equal(at, word->raw, word->len);
		at += strlen(at) + 1;
	}
	assert_ptr_equal(at, text + len);
	free(text);
	free(words);
	assert_int_equal(unlink(path), 0);
	/* no file was made */
	assert_int_equal(rmdir(directory), 0);
}

TEST_WITH(test_every_name, setup, teardown)
{
	static const char *const shells[] = { "/bin/sh", "/bin/bash", "/bin/dash", "/bin/zsh" };

	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (!i || !access(shells[i], X_OK))
			check_words(*state, shells[i]);
}

TEST_OF(test_too_long, setup, teardown, struct fixture *f)
{
	char buf[12];

	device(&f->p.dev, MADE_NETNS, "eth0");
	assert_true(location_command("show {dev} now", &f->p, f->names, buf, sizeof(buf)) < 0);
	assert_int_equal(location_text("show {dev} now", &f->p, f->names, buf, sizeof(buf)), 11);
	assert_string_equal(buf, "show eth0 n");
}

/* Current names: a renamed device, and the other end of a veth. */
TEST_OF(test_devices, setup, teardown, struct fixture *f)
{
	struct series *s =
		made_series(&f->s, 1, TP_XDP_REDIRECT_ERR, made_to_device(3, 4, 5), COUNTS(1));
	struct netdev *d;

	snprintf(s->to_ifname, sizeof(s->to_ifname), "old");
	d = snapshot_add_netdev(&f->s);
	*d = (struct netdev){ .netns = MADE_NETNS,
			      .ifindex = 4,
			      .name = "new",
			      .kind = "veth",
			      .peer_netns = BLUE,
			      .peer_ifindex = 9 };
	d = snapshot_add_netdev(&f->s);
	*d = (struct netdev){ .netns = BLUE, .ifindex = 9, .name = "peer" };
	made_sort_netdevs(&f->s);
	location_set(&f->p, s, &f->s);
	text(f, "{dev} -> {to}, {peer}", "eth3 -> new, peer (blue)");
	command(f, "{in_peer}ethtool -K {peer} gro on",
		"ip netns exec blue ethtool -K peer gro on");
	assert_int_equal(f->p.map_id, 5);
}

/* A device in a pod's namespace, and one whose peer is; commands keep the namespace. */
TEST_OF(test_pods, setup, teardown, struct fixture *f)
{
	struct pod *pod;
	struct netdev *d;

	device(&f->p.dev, MADE_NETNS, "eth0");
	device(&f->p.to, BLUE, "eth1");
	device(&f->p.peer, MADE_NETNS, "veth8");
	f->p.peer.ifindex = 8;
	pod = snapshot_add_row(&f->s, DATA_SOURCE_PODS, sizeof(*pod));
	*pod = (struct pod){ .netns = BLUE, .namespace = "shop", .name = "web-0" };
	d = snapshot_add_netdev(&f->s);
	*d = (struct netdev){
		.netns = MADE_NETNS, .ifindex = 8, .peer_netns = BLUE, .peer_ifindex = 7
	};
	location_set_pods(&f->p, &f->s);
	text(f, "{dev} -> {to}, {peer}",
	     "eth0 -> eth1 (pod shop/web-0), veth8 (to pod shop/web-0)");
	command(f, "{ip_to} link show {to}", "ip -n blue link show eth1");
	f->p.dev = f->p.peer;
	f->p.dev_pod = f->p.peer_pod;
	netns_names_set(f->names, MADE_NETNS, "node", 0);
	text(f, "{dev}", "veth8 (node, to pod shop/web-0)");
	f->p.dev = f->p.to;
	text(f, "{to}", "eth1");
	pod->name[0] = '\0';
	strcpy(pod->container, "web");
	location_set_pods(&f->p, &f->s);
	text(f, "{dev}", "eth1 (container web)");
	/* longer than the buffer */
	memset(pod->container, 'x', sizeof(pod->container) - 1);
	memset(pod->name, 'y', sizeof(pod->name) - 1);
	location_set_pods(&f->p, &f->s);
	assert_true(strlen(f->p.dev_pod.text) < sizeof(f->p.dev_pod.text));
	f->s.rows[DATA_SOURCE_PODS].n = 0;
	location_set_pods(&f->p, &f->s);
	text(f, "{dev}", "eth1 (blue)");
}

/* Commands that ethtool cannot run for a device are not suggested, and ss only as a last resort. */
TEST_OF(test_refused, setup, teardown, struct fixture *f)
{
	static const struct {
		const char *kind, *driver;
		uint32_t ifindex;
		bool settings, rings, channels;
		const char *works; /* options */
	} cases[] = {
		{ "veth", "", 7, false, false, false, "lSi" },
		{ "tun", "", 7, false, false, false, "lci" },
		{ "bond", "", 7, false, false, false, "i" },
		{ "", "", 1, false, false, false, "" },
		{ "", "", 7, false, false, false, "glxcSi" }, /* a NIC in another namespace */
		{ "", "igb", 7, false, false, false, "glxcSi" },
		{ "", "igb", 7, true, false, true, "lxcSi" },
		{ "", "igb", 7, true, true, false, "gxcSi" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct netdev *d = snapshot_add_netdev(&f->s);

		*d = (struct netdev){ .netns = MADE_NETNS,
				      .ifindex = cases[i].ifindex,
				      .name = "eth0",
				      .has_offloads = cases[i].settings };
		strcpy(d->kind, cases[i].kind);
		strcpy(d->driver, cases[i].driver);
		if (cases[i].rings)
			netdev_set_setting(d, NETDEV_TX_RING, 256);
		if (cases[i].channels)
			netdev_set_setting(d, NETDEV_CHANNELS, 4);
		location_init(&f->p);
		device(&f->p.dev, MADE_NETNS, "eth0");
		f->p.dev.ifindex = d->ifindex;
		location_rename(&f->p, &f->s);
		for (const char *option = "glxcSi"; *option; option++) {
			char template[] = "{in}ethtool -? {dev}", expected[] = "ethtool -? eth0";

			template[strlen("{in}ethtool -")] = expected[strlen("ethtool -")] = *option;
			command(f, template, strchr(cases[i].works, *option) ? expected : NULL);
		}
		command(f, "{in}ethtool -k {dev}", "ethtool -k eth0");
		f->s.rows[DATA_SOURCE_NETDEVS].n = 0;
	}
	command(f, "{sockets}", "ss --xdp -e -p");
	f->p.dev.netns = BLUE;
	command(f, "{sockets}", "ip netns exec blue ss --xdp -e -p");
	f->p.lists_sockets = true;
	command(f, "{sockets}", "xdptop -b -n 1 -v sockets -i eth0");
	f->p.dev.ifindex = 0;
	command(f, "{sockets}", "xdptop -b -n 1 -v sockets");
	f->p.socket_inode = 4711;
	command(f, "{sockets}", "xdptop -b -n 1 -v sockets -f inode=4711");
}

/* No hole is left, even for unknown names; returns the number of commands. */
static size_t check_commands(const char *templates)
{
	char template[256], buf[256];
	size_t n = 0;

	while (templates && (templates = next_line(templates, template, sizeof(template)))) {
		assert_true(location_command(template, NULL, NULL, buf, sizeof(buf)) > 5);
		for (const char *p = strchr(buf, '{'); p; p = strchr(p + 1, '{'))
			assert_false(islower((unsigned char)p[1]));
		n++;
	}
	return n;
}

/* Every command of causes and findings is a template with known holes. */
TEST_WITH(test_meanings, setup, teardown)
{
	const struct finding_code *code;

	for (size_t i = 0; i < n_causes; i++)
		assert_true(check_commands(causes[i].remedy.commands) > 0);
	for (size_t i = 0; i <= TARGET_NEVER; i++)
		assert_true(check_commands(target_causes[i].remedy.commands) > 0);
	for (size_t i = 0; i < n_drivers; i++)
		for (const struct cause *c = drivers[i].causes; c && c->tracepoints; c++)
			assert_true(check_commands(c->remedy.commands) > 0);
	for (size_t i = 0; (code = finding_code_at(i)); i++) {
		check_commands(code->remedy.commands);
		for (const struct rule *r = code->rules; r->subject; r++)
			check_commands(r->remedy.commands);
	}
}
