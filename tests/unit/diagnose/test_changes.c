// SPDX-License-Identifier: GPL-2.0-or-later
/* program-replaced, program-detached, and which changes a finding names. */
#include <errno.h>
#include <string.h>
#include "source/programs.h"
#include "unit/made_finding.h"
#include "unit/test.h"

static struct netdev *the_device(struct snapshot *s, uint32_t ifindex)
{
	return (struct netdev *)snapshot_find_netdev(s, BLUE, ifindex);
}

/* The next snapshot, this much later, with another program (0 = none) and this many packets more.
 */
static void next(struct fixture *f, int seconds, uint32_t prog_id, uint64_t packets)
{
	struct netdev *d;

	snapshot_copy(&f->from, &f->to);
	f->to.n_event = 0;
	f->to.mono_ns += (uint64_t)seconds * MADE_S;
	f->to.wall.tv_sec += seconds;
	d = the_device(&f->to, 3);
	d->prog_id = prog_id;
	d->mode = prog_id ? NETDEV_NATIVE : NETDEV_NONE;
	netdev_set_count(d, NETDEV_RX_PACKETS, d->count[NETDEV_RX_PACKETS] + packets);
	update(f);
}

static void begin(struct fixture *f, uint32_t prog_id)
{
	struct netdev *d = device(f, BLUE, 3, "eth3");

	d->prog_id = prog_id;
	d->mode = prog_id ? NETDEV_NATIVE : NETDEV_NONE;
	netdev_set_count(d, NETDEV_RX_PACKETS, 1000);
	update(f);
}

static void expect_quiet(const struct fixture *f)
{
	assert_int_equal(f->findings.n_active, 0);
}

/* A container that restarts gets the inode and the ifindex of the one before. */
FINDING_TEST(test_restarted)
{
	struct netdev *d;

	begin(f, 42);
	strcpy(the_device(&f->to, 3)->kind, "veth");
	next(f, 1, 42, 500);
	for (uint32_t i = 0; i < 20; i++) {
		if (i % 2) { /* between two snapshots, or during one */
			next(f, 1, 0, 0);
			d = the_device(&f->to, 3);
			d->gone = true;
			f->to.mono_ns++;
			update(f);
		}
		snapshot_copy(&f->from, &f->to);
		f->to.mono_ns += MADE_S;
		d = the_device(&f->to, 3);
		d->gone = false;
		d->prog_id = 43 + i;
		d->mode = NETDEV_NATIVE;
		netdev_set_count(d, NETDEV_RX_PACKETS, 7);
		update(f);
		expect_not(f, "program-replaced");
		next(f, 1, 43 + i, 500);
	}
	assert_int_equal(f->findings.n, 0);
}

FINDING_TEST(test_replaced)
{
	const struct finding *finding;

	begin(f, 42);
	next(f, 1, 43, 10);
	finding = expect_only(f, "program-replaced");
	assert_int_equal(finding->severity, FINDING_INFO);
	says(finding, "its XDP program was replaced: 42 -> 43");
	/* it clears, and comes again as info: the third time is one too many */
	next(f, 20, 43, 10);
	expect_quiet(f);
	next(f, 1, 42, 10);
	assert_int_equal(expect_only(f, "program-replaced")->severity, FINDING_INFO);
	next(f, 20, 42, 10);
	next(f, 1, 43, 10);
	finding = expect_only(f, "program-replaced");
	assert_int_equal(finding->severity, FINDING_WARNING);
	says(finding, "was replaced at least 3 times in the last 10 minutes, now: 42 -> 43");
}

/* Attached again after a detach counts. Three times in twenty minutes are too rare. */
FINDING_TEST(test_replaced_slowly)
{
	begin(f, 42);
	next(f, 10, 0, 0);
	expect_quiet(f);
	next(f, 10, 43, 0);
	says(expect_only(f, "program-replaced"), "after a detach, 43");
	for (uint32_t i = 0; i < 4; i++) {
		next(f, 400, 44 + i, 0);
		assert_int_equal(expect_only(f, "program-replaced")->severity, FINDING_INFO);
	}
}

/* A first program replaces nothing. */
FINDING_TEST(test_attached)
{
	begin(f, 0);
	next(f, 1, 42, 10);
	next(f, 100, 42, 10);
	expect_quiet(f);
}

FINDING_TEST(test_detached)
{
	const struct finding *finding;

	begin(f, 42);
	next(f, 61, 42, 10);
	expect_quiet(f);
	next(f, 1, 0, 10);
	finding = expect_only(f, "program-detached");
	assert_int_equal(finding->severity, FINDING_WARNING);
	says(finding,
	     "its XDP program 42 was detached after it had been attached for at least 1m02s");
	assert_int_equal(finding->count, 10);
	/* nothing comes in: nobody misses it */
	next(f, 20, 0, 0);
	expect_quiet(f);
	next(f, 1, 0, 5);
	expect_only(f, "program-detached");
	/* attached again */
	next(f, 20, 43, 5);
	assert_false(expect(f, "program-detached")->active);
}

/* What mends it depends on how it was attached, and on whether it still exists. */
TEST(test_attach_again)
{
	for (uint32_t holders = 0; holders < 2; holders++) {
		for (int attach = PROGRAM_NETLINK; attach <= PROGRAM_LINK; attach++) {
			struct fixture *f = fixture_new();
			struct program *p =
				snapshot_add_row(&f->to, DATA_SOURCE_PROGRAMS, sizeof(*p));
			const struct finding *finding;
			bool netlink = attach == PROGRAM_NETLINK;

			*p = (struct program){ .prog_id = 42,
					       .attach = (enum program_attach)attach,
					       .holders = holders };
			begin(f, 42);
			next(f, 61, 42, 10);
			next(f, 1, 0, 10);
			finding = expect_only(f, "program-detached");
			assert_int_equal(runs(finding, "bpftool net attach xdpdrv id 42 dev eth3"),
					 netlink && holders);
			assert_int_equal(runs(finding, "link set dev eth3 xdpdrv obj FILE"),
					 netlink);
			fixture_free(f);
		}
	}
}

/* A program that was tried for some seconds. */
FINDING_TEST(test_detached_soon)
{
	begin(f, 42);
	next(f, 30, 42, 10);
	next(f, 1, 0, 10);
	next(f, 100, 0, 10);
	expect_quiet(f);
}

static struct event *change(struct fixture *f, enum change kind, uint32_t ifindex, const char *text)
{
	struct event *e = snapshot_add_event(&f->to);

	assert_non_null(e);
	e->tracepoint = TP_NONE;
	e->cpu = -1;
	e->change = kind;
	e->time = f->to.wall;
	e->key.netns = MADE_NETNS;
	e->key.ifindex = ifindex;
	snprintf(e->ifname, sizeof(e->ifname), "eth%u", ifindex);
	snprintf(e->text, sizeof(e->text), "%s", text);
	return e;
}

static void later(struct fixture *f, int seconds)
{
	snapshot_copy(&f->from, &f->to);
	f->to.n_event = 0;
	f->to.mono_ns += (uint64_t)seconds * MADE_S;
	f->to.wall.tv_sec += seconds;
}

static void lose(struct fixture *f)
{
	came(f, TP_XDP_REDIRECT_ERR, redirect(0, 0, 0, -EBADRQC), COUNTS(5));
	update(f);
}

/* The nearest first, at most three, of this device alone. */
FINDING_TEST(test_before)
{
	const struct finding *finding;
	uint32_t ifindex = redirect(0, 0, 0, -EBADRQC).ifindex;

	device(f, MADE_NETNS, ifindex, "in0");
	update(f);
	for (int i = 0; i < 4; i++) {
		static const char *const text[] = { "1 -> 2", "2 -> 3", "3 -> 4", "4 -> 5" };

		later(f, 1);
		change(f, CHANGE_MTU, ifindex, text[i])->pid = 0;
		change(f, CHANGE_MTU, ifindex + 1, "elsewhere");
		update(f);
	}
	later(f, 2);
	lose(f);
	finding = expect(f, "no-redirect-helper");
	if (strncmp(finding->changes, "2.0s before: mtu 4 -> 5 on ", 27) ||
	    !strstr(finding->changes, "\n3.0s before: mtu 3 -> 4 on ") ||
	    !strstr(finding->changes, "\n4.0s before: mtu 2 -> 3 on ") ||
	    strstr(finding->changes, "1 -> 2") || strstr(finding->changes, "elsewhere"))
		fail_msg("%s", finding->changes);
}

/* Who holds a program is not who detached it. */
FINDING_TEST(test_holder_is_no_doer)
{
	struct event *e = change(f, CHANGE_PROGRAM_DETACHED, 3, "7 fw native, netlink -> none");
	char text[CHANGE_TEXT_LEN];

	snprintf(e->holder, sizeof(e->holder), "agent[812]");
	change_text(e, text, sizeof(text));
	assert_string_equal(text, "program-detached 7 fw native, netlink -> none on eth3, "
				  "holder agent[812]");
	e->pid = 99;
	snprintf(e->comm, sizeof(e->comm), "ip");
	change_text(e, text, sizeof(text));
	assert_string_equal(text, "program-detached 7 fw native, netlink -> none on eth3, by "
				  "ip[99], holder agent[812]");
}

/* More than ten seconds before, or later than the loss began. */
FINDING_TEST(test_not_before)
{
	uint32_t ifindex = redirect(0, 0, 0, -EBADRQC).ifindex;

	device(f, MADE_NETNS, ifindex, "in0");
	update(f);
	later(f, 1);
	change(f, CHANGE_MTU, ifindex, "1 -> 2");
	update(f);
	later(f, 11);
	lose(f);
	assert_string_equal(expect(f, "no-redirect-helper")->changes, "");
	later(f, 1);
	change(f, CHANGE_MTU, ifindex, "2 -> 3");
	lose(f);
	assert_string_equal(expect(f, "no-redirect-helper")->changes, "");
}

/* Within an interval the order is not known. */
FINDING_TEST(test_same_interval)
{
	uint32_t ifindex = redirect(0, 0, 0, -EBADRQC).ifindex;
	const char *changes;

	device(f, BLUE, ifindex, "in0");
	update(f);
	later(f, 1);
	change(f, CHANGE_MTU, ifindex, "1 -> 2");
	lose(f);
	changes = expect(f, "no-redirect-helper")->changes;
	if (strncmp(changes, "in the same interval: mtu 1 -> 2 on ", 36))
		fail_msg("%s", changes);
}

/* A loss of the first interval may have been there before. */
FINDING_TEST(test_from_the_start)
{
	uint32_t ifindex = redirect(0, 0, 0, -EBADRQC).ifindex;

	device(f, MADE_NETNS, ifindex, "in0");
	change(f, CHANGE_MTU, ifindex, "1 -> 2");
	lose(f);
	assert_string_equal(expect(f, "no-redirect-helper")->changes, "");
}
