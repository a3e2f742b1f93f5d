// SPDX-License-Identifier: GPL-2.0-or-later
/* Names in texts and in commands that people paste into a root shell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "diagnose/cause.h"
#include "diagnose/location_text.h"
#include "unit/made.h"

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

static void test_namespaces(void **state)
{
	struct fixture *f = *state;

	device(&f->p.dev, MADE_NETNS, "eth0");
	device(&f->p.to, BLUE, "eth1");
	command(f, "{ip} link show {dev}", "ip link show eth0");
	command(f, "{in}ethtool {dev}", "ethtool eth0");
	command(f, "{ip_to} link show {to}", "ip -n blue link show eth1");
	command(f, "{in_to}ethtool {to}", "ip netns exec blue ethtool eth1");
	text(f, "{dev} -> {to}", "eth0 -> eth1 (blue)");
	/* a process's */
	netns_names_set(f->names, BLUE, "nginx/812@4f3c2a1b9d8e", 812);
	command(f, "{ip_to} link", "nsenter -t 812 -n ip link");
	command(f, "{in_to}ethtool", "nsenter -t 812 -n ethtool");
	/* one without a name */
	f->p.to.netns = 4026539999u;
	command(f, "{ip_to} link",
		"nsenter --net=$(find /proc/[0-9]*/{ns/net,fd} -lname 'net:\\[4026539999\\]' "
		"-print "
		"-quit 2>/dev/null) ip link");
	text(f, "{to}", "eth1 (ns:4026539999)");
	/* both in one that is not init: said once */
	f->p.dev.netns = f->p.to.netns;
	text(f, "{dev} -> {to}", "eth0 (ns:4026539999) -> eth1");
}

static void test_unknown(void **state)
{
	struct fixture *f = *state;

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
	/* without a place, what stands for it */
	{
		char buf[64];

		assert_true(location_command("{ip_to} link show {to} id {map}", NULL, NULL, buf,
					     sizeof(buf)) > 0);
		assert_string_equal(buf, "ip link show TARGET id MAP_ID");
	}
}

static void test_ids(void **state)
{
	struct fixture *f = *state;

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

/* Whoever may make a device chooses what root pastes: nothing of it is run. */
static void test_hostile(void **state)
{
	static const struct {
		const char *name, *word;
	} rows[] = {
		{ "eth0.100", "eth0.100" },   { "veth@if7", "veth@if7" },
		{ "a;reboot", "'a;reboot'" }, { "$(reboot)", "'$(reboot)'" },
		{ "`reboot`", "'`reboot`'" }, { "a b", "'a b'" },
		{ "it's", "'it'\\''s'" },     { "~", "'~'" },
		{ "-rf", "'-rf'" },           { "a\\x0areboot", "$'a\\x0areboot'" },
		{ "a\\\\b", "$'a\\\\b'" },    { "\\x1b'", "$'\\x1b\\''" },
		{ "{dev}", "'{dev}'" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		device(&f->p.dev, BLUE, rows[i].name);
		command(f, "{dev}", rows[i].word);
	}
	netns_names_set(f->names, BLUE, "a;reboot", 0);
	command(f, "{ip} link", "ip -n 'a;reboot' link");
	command(f, "{in}x", "ip netns exec 'a;reboot' x");
}

static void test_too_long(void **state)
{
	struct fixture *f = *state;
	char buf[12];

	device(&f->p.dev, MADE_NETNS, "eth0");
	assert_true(location_command("show {dev} now", &f->p, f->names, buf, sizeof(buf)) < 0);
	assert_int_equal(location_text("show {dev} now", &f->p, f->names, buf, sizeof(buf)), 11);
	assert_string_equal(buf, "show eth0 n");
}

/* The names of now: a device that was renamed, and the other end of a veth. */
static void test_devices(void **state)
{
	struct fixture *f = *state;
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
	snapshot_sort_netdevs(&f->s);
	location_set(&f->p, s, &f->s);
	text(f, "{dev} -> {to}, {peer}", "eth3 -> new, peer (blue)");
	command(f, "{in_peer}ethtool -K {peer} gro on",
		"ip netns exec blue ethtool -K peer gro on");
	assert_int_equal(f->p.map_id, 5);
}

/* Every command of the causes is a template whose holes are known. */
static void test_meanings(void **state)
{
	char buf[256];

	for (size_t i = 0; i < n_causes; i++) {
		const char *c = causes[i].remedy.commands;
		size_t n = 0;

		while (*c) {
			size_t len = strcspn(c, "\n");
			char template[256];

			snprintf(template, sizeof(template), "%.*s", (int)len, c);
			assert_true(location_command(template, NULL, NULL, buf, sizeof(buf)) > 5);
			assert_null(strstr(buf, "{in"));
			assert_null(strstr(buf, "{ip"));
			assert_null(strstr(buf, "{dev"));
			assert_null(strstr(buf, "{to"));
			assert_null(strstr(buf, "{peer"));
			assert_null(strstr(buf, "{map"));
			assert_null(strstr(buf, "{prog"));
			c += len;
			c += *c == '\n';
			n++;
		}
		assert_true(n > 0);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_namespaces), TEST(test_unknown), TEST(test_ids),      TEST(test_hostile),
		TEST(test_too_long),   TEST(test_devices), TEST(test_meanings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
