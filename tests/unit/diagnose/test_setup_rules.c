// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs and maps that do not belong together: when a finding appears, and when it stays quiet.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_arp.h>
#include <string.h>
#include "source/map_fill.h"
#include "source/programs.h"
#include "unit/made_sockets.h"
#include "unit/test.h"

static struct program *program(struct fixture *f, uint32_t id, const char *name)
{
	struct program *p = snapshot_add_row(&f->to, DATA_SOURCE_PROGRAMS, sizeof(*p));

	*p = (struct program){ .prog_id = id };
	strcpy(p->prog_name, name);
	device(f, BLUE, 3, "eth3")->prog_id = id;
	return p;
}

static struct map_fill *fill(struct fixture *f, uint32_t id, uint32_t type, uint64_t entries)
{
	struct map_fill *m = snapshot_add_row(&f->to, DATA_SOURCE_MAP_FILLS, sizeof(*m));

	*m = (struct map_fill){ .map_id = id,
				.map_type = type,
				.map_name = "blocked",
				.state = MAP_FILL_COUNTED,
				.entries = entries,
				.max_entries = 100 };
	return m;
}

/* A map that nobody uses beside the one that fw uses, which has `used` entries. */
static struct map_fill *left_behind(struct fixture *f, uint64_t entries, uint64_t used)
{
	struct map_fill *m;

	program(f, 42, "fw");
	m = fill(f, 7, BPF_MAP_TYPE_HASH, entries);
	m->like_id = 9;
	m->like_prog = 42;
	fill(f, 9, BPF_MAP_TYPE_HASH, used)->user[0] = 42;
	return (struct map_fill *)map_fill_find(&f->to, 7);
}

FINDING_TEST(test_filled_beside)
{
	const struct finding *finding;

	left_behind(f, 10, 4)->added = 3;
	update(f);
	finding = expect_only(f, "map-not-in-use");
	assert_int_equal(finding->severity, FINDING_WARNING);
	says(finding,
	     "blocked (id 7): no program uses it: fw (id 42) uses another map of the same name, "
	     "type and sizes, id 9. It has 10 entries, 3 added while xdptop ran");
	assert_int_equal(finding->location.map_id, 7);
	assert_int_equal(finding->location.prog_id, 42);
	assert_int_equal(finding->location.dev.ifindex, 3);
	assert_true(runs(finding, "bpftool -f map show id 7"));
	assert_true(runs(finding, "bpftool -f map show id 9"));
}

TEST(test_severity)
{
	static const struct {
		uint64_t entries, used;
		enum finding_severity severity;
		const char *text; /* NULL = quiet */
	} of[] = {
		{ 1, 0, FINDING_WARNING, "It has 1 entry, and the program's map is empty" },
		{ 10, 10, FINDING_INFO, "It has 10 entries" },
		{ 0, 0, FINDING_INFO, NULL },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		struct fixture *f = fixture_new();

		left_behind(f, of[i].entries, of[i].used);
		update(f);
		if (of[i].text) {
			says(expect_only(f, "map-not-in-use"), of[i].text);
			assert_int_equal(expect_only(f, "map-not-in-use")->severity,
					 of[i].severity);
		} else {
			expect_not(f, "map-not-in-use");
		}
		fixture_free(f);
	}
}

/* Nobody counts the entries of an array; one of libbpf's own is not reported. */
FINDING_TEST(test_array)
{
	struct map_fill *m = left_behind(f, 0, 0);

	m->map_type = BPF_MAP_TYPE_PERCPU_ARRAY;
	m->state = MAP_FILL_UNREAD;
	expect_quiet(f);
	step(f);
	m->state = MAP_FILL_UNCOUNTED;
	strcpy(m->map_name, "fw.bss");
	expect_quiet(f);
	step(f);
	strcpy(m->map_name, "stats");
	update(f);
	assert_int_equal(expect_only(f, "map-not-in-use")->severity, FINDING_INFO);
	says(expect_only(f, "map-not-in-use"), "stats (id 7): no program uses it: fw (id 42) uses");
}

/* Two devmaps of a name: the program's has no entry. */
static void redirects(struct fixture *f, bool users_known)
{
	struct map_entry *m;

	program(f, 42, "fw");
	m = map(f, 5, BPF_MAP_TYPE_DEVMAP, 8, "tx_port");
	m->user[0] = m->users_total = 0;
	m->users_known = users_known;
	entry(f, 1)->to_ifindex = 4;
	map(f, 6, BPF_MAP_TYPE_DEVMAP, 8, "tx_port");
}

FINDING_TEST(test_redirects_beside)
{
	const struct finding *finding;

	redirects(f, true);
	for (int i = 0; i < 4; i++) {
		expect_quiet(f);
		step(f);
	}
	update(f);
	finding = expect_only(f, "map-not-in-use");
	assert_int_equal(finding->severity, FINDING_WARNING);
	says(finding,
	     "tx_port (id 5): no program uses it, but it has 1 entry: fw (id 42) redirects through "
	     "another map of the same name, id 6, which is empty");
	assert_int_equal(finding->location.prog_id, 42);
}

FINDING_TEST(test_users_unknown)
{
	redirects(f, false);
	for (int i = 0; i < 6; i++) {
		expect_quiet(f);
		step(f);
	}
}

/* A map of its own name, or the one that the program uses, is none of them. */
FINDING_TEST(test_other_name)
{
	struct map_entry *m;

	program(f, 42, "fw");
	m = map(f, 5, BPF_MAP_TYPE_DEVMAP, 8, "old_port");
	m->user[0] = m->users_total = 0;
	entry(f, 1)->to_ifindex = 4;
	map(f, 6, BPF_MAP_TYPE_DEVMAP, 8, "tx_port");
	for (int i = 0; i < 6; i++) {
		expect_quiet(f);
		step(f);
	}
}

FINDING_TEST(test_tail_calls_gone)
{
	const struct finding *finding;
	struct map_fill *m;

	program(f, 42, "fw");
	m = fill(f, 7, BPF_MAP_TYPE_PROG_ARRAY, 0);
	m->user[0] = 42;
	m->users_total = 1;
	expect_quiet(f);
	step(f);
	update(f);
	finding = expect_only(f, "tail-calls-gone");
	assert_int_equal(finding->severity, FINDING_INFO);
	says(finding, "no process or pin holds it, so the kernel has removed its programs, and the "
		      "tail calls of fw (id 42) through it fail");
	assert_int_equal(finding->location.dev.ifindex, 3);
	assert_true(runs(finding, "bpftool map show id 7"));
}

FINDING_TEST(test_newer_is_idle)
{
	const struct finding *finding;
	struct program *p = program(f, 42, "fw");

	/* nothing newer is known */
	expect_quiet(f);
	step(f);
	expect_quiet(f);
	p = (struct program *)program_find(&f->to, 42);
	p->newer_id = 57;
	p->newer_pid = 812;
	strcpy(p->newer_comm, "agent");
	p->newer_loaded_at.tv_sec = f->to.wall.tv_sec - 240;
	step(f);
	expect_quiet(f);
	step(f);
	update(f);
	finding = expect_only(f, "newer-program-idle");
	assert_int_equal(finding->severity, FINDING_INFO);
	says(finding,
	     "a newer program of the same name, id 57, is attached to no device, and no map runs "
	     "it. It was loaded 4m");
	says(finding, ", and is held by agent[812]");
	assert_true(runs(finding, "bpftool prog show id 57"));
	assert_true(runs(finding, "bpftool prog show id 42"));
}

static struct event *refused(struct fixture *f, int err, const char *text)
{
	struct event *e = snapshot_add_event(&f->to);

	e->tracepoint = TP_NONE;
	e->change = CHANGE_SETUP_REFUSED;
	e->time = f->to.wall;
	e->key = (struct series_key){ .netns = BLUE, .ifindex = 3, .code = err };
	e->pid = 812;
	strcpy(e->comm, "worker");
	strcpy(e->ifname, "eth3");
	strcpy(e->text, text);
	return e;
}

FINDING_TEST(test_bind_refused)
{
	const struct finding *finding;
	struct event *e;

	device(f, BLUE, 3, "eth3");
	e = refused(f, -EBUSY, "bind to queue 3 -> EBUSY");
	e->has_queue = true;
	e->queue = 3;
	strcpy(e->holder, "poller[77]");
	update(f);
	finding = expect_only(f, "setup-refused");
	assert_int_equal(finding->severity, FINDING_WARNING);
	says(finding,
	     "worker[812] was refused: bind to queue 3 -> EBUSY; poller[77] has the queue");
	assert_int_equal(finding->location.queue, 3);
	assert_int_equal(finding->location.dev.ifindex, 3);
	assert_true(runs(finding, "ps -o pid,stat,args -p 812"));
	/* other changes are none */
	step(f);
	f->to.n_event = 0;
	refused(f, 0, "1500 -> 1400")->change = CHANGE_MTU;
	update(f);
	assert_false(expect(f, "setup-refused")->seen);
}

TEST(test_bind_meanings)
{
	static const struct {
		int err;
		const char *text;
	} of[] = {
		{ -EOPNOTSUPP, "zero-copy was requested" },
		{ -ENODEV, "no device has this ifindex" },
		{ -ENETDOWN, "the device is down" },
		{ -EINVAL, "the device has no such queue" },
		{ -EBUSY, "the queue already has a socket" },
		{ -ENOMEM, "was refused: bind to queue 8" },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		struct fixture *f = fixture_new();
		struct netdev *d = device(f, BLUE, 3, "eth3");
		struct event *e = refused(f, of[i].err, "bind to queue 8");

		d->set = BIT(NETDEV_CHANNELS);
		d->setting[NETDEV_CHANNELS] = 8;
		e->has_queue = true;
		e->queue = 8;
		update(f);
		says(expect_only(f, "setup-refused"), of[i].text);
		fixture_free(f);
	}
}

/* The old program is gone, too. */
FINDING_TEST(test_attach_refused)
{
	device(f, BLUE, 3, "eth3")->prog_id = 42;
	step(f);
	((struct netdev *)snapshot_find_netdev(&f->to, BLUE, 3))->prog_id = 0;
	refused(f, -EINVAL, "attach 43 fw native -> EINVAL");
	update(f);
	assert_int_equal(expect_only(f, "setup-refused")->severity, FINDING_CRITICAL);
	says(expect_only(f, "setup-refused"),
	     "worker[812] was refused: attach 43 fw native -> EINVAL. The device had a program "
	     "before, and runs none now");
	assert_true(runs(expect_only(f, "setup-refused"), "dmesg | tail"));
}

FINDING_TEST(test_attach_refused_beside)
{
	device(f, BLUE, 3, "eth3")->prog_id = 42;
	step(f);
	refused(f, -EINVAL, "attach 43 fw native -> EINVAL");
	update(f);
	assert_int_equal(expect_only(f, "setup-refused")->severity, FINDING_WARNING);
}

/* A warning while the program aborts packets, else info; nothing on Ethernet, or without a program.
 */
TEST(test_no_ethernet_header)
{
	static const struct {
		uint32_t link_type, prog_id;
		uint64_t aborts;
		int severity; /* -1 = none */
	} cases[] = {
		{ ARPHRD_NONE, 42, 0, FINDING_INFO },
		{ ARPHRD_NONE, 42, 50, FINDING_WARNING },
		{ ARPHRD_NONE, 0, 0, -1 },
		{ ARPHRD_ETHER, 42, 50, -1 },
		{ ARPHRD_LOOPBACK, 42, 50, -1 },
		{ 0, 42, 50, -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *f = fixture_new();
		const struct finding *finding;
		struct netdev *d = device(f, MADE_NETNS, 3, "tun0");

		d->prog_id = d->skb_prog_id = cases[i].prog_id;
		d->mode = NETDEV_GENERIC;
		d->link_type = cases[i].link_type;
		if (cases[i].aborts)
			came(f, TP_XDP_EXCEPTION,
			     (struct series_key){ .netns = MADE_NETNS,
						  .ifindex = 3,
						  .prog_id = 42,
						  .code = XDP_ABORTED },
			     COUNTS(cases[i].aborts));
		update(f);
		if (cases[i].severity < 0) {
			expect_not(f, "no-ethernet-header");
		} else {
			finding = expect(f, "no-ethernet-header");
			assert_int_equal(finding->severity, cases[i].severity);
			says(finding, cases[i].aborts ? "drops or aborts 50 a second"
						      : "begin with the IP header");
		}
		fixture_free(f);
	}
}
