// SPDX-License-Identifier: GPL-2.0-or-later
/* program-without-owner: when it appears, its text, and when it stays quiet. */
#include <math.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "source/programs.h"
#include "unit/made_finding.h"
#include "unit/test.h"

#define CODE "program-without-owner"

static struct netdev *attached(struct fixture *f, uint32_t ifindex, enum netdev_mode mode)
{
	char name[16];
	struct netdev *d;

	snprintf(name, sizeof(name), "eth%u", ifindex);
	d = device(f, BLUE, ifindex, name);
	d->mode = mode;
	d->prog_id = 42;
	return d;
}

/* Loaded an hour ago by user 1000; two scans found no holder. */
static struct program *unheld(struct fixture *f)
{
	struct program *p = snapshot_add_row(&f->to, DATA_SOURCE_PROGRAMS, sizeof(*p));

	assert_non_null(p);
	*p = (struct program){ .prog_id = 42,
			       .attach = PROGRAM_NETLINK,
			       .pinned = PROGRAM_NOT_PINNED,
			       .sight = PROGRAM_SIGHT_ALL,
			       .unheld = 2,
			       .uid = 1000,
			       .loaded_at = { f->to.wall.tv_sec - 3600, 0 } };
	strcpy(p->prog_name, "fwd");
	return p;
}

FINDING_TEST(test_says)
{
	const struct finding *finding;

	attached(f, 3, NETDEV_NATIVE);
	unheld(f);
	update(f);
	finding = expect_only(f, CODE);
	assert_int_equal(finding->severity, FINDING_INFO);
	assert_int_equal(finding->location.prog_id, 42);
	assert_int_equal(finding->location.dev.ifindex, 3);
	says(finding, "eth3 (+532222), fwd (id 42): no process, link or pin holds it. It was "
		      "loaded 1h00m ago by uid 1000, and attached over netlink (as ip link does)");
	/* not a loss */
	assert_true(isnan(finding->lost_per_s));
	assert_non_null(strstr(finding->commands, " link set dev eth3 xdpdrv off"));
	/* it stays while nothing changes */
	again(f);
	assert_true(expect_only(f, CODE)->active);
}

/* The mode is needed: ip link set xdp off does not detach a generic program from a veth. */
TEST(test_modes)
{
	static const struct {
		enum netdev_mode mode;
		uint32_t prog_id, skb_prog_id;
		const char *word;
	} modes[] = {
		{ NETDEV_GENERIC, 42, 42, " xdpgeneric off" },
		{ NETDEV_GENERIC, 0, 42, " xdpgeneric off" },
		{ NETDEV_OFFLOAD, 42, 0, " xdpoffload off" },
		{ NETDEV_MULTI, 42, 7, " xdpdrv off" },
		{ NETDEV_MULTI, 7, 42, " xdpgeneric off" },
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		struct fixture *f = fixture_new();
		struct netdev *d = attached(f, 3, modes[i].mode);

		d->prog_id = modes[i].prog_id;
		d->skb_prog_id = modes[i].skb_prog_id;
		unheld(f);
		update(f);
		if (!strstr(expect_only(f, CODE)->commands, modes[i].word))
			fail_msg("%s: no %s", f->findings.finding[0].commands, modes[i].word);
		fixture_free(f);
	}
}

/* With the maximum of findings a loss replaces one of these. */
FINDING_TEST(test_crowd)
{
	for (uint32_t i = 0; i < FINDINGS_MAX; i++) {
		attached(f, 3 + i, NETDEV_NATIVE)->prog_id = 100 + i;
		unheld(f)->prog_id = 100 + i;
	}
	update(f);
	assert_int_equal(f->findings.n_active, FINDINGS_MAX);
	assert_int_equal(f->findings.truncated, 0);
	snapshot_copy(&f->from, &f->to);
	f->to.mono_ns += MADE_S;
	came(f, TP_XDP_REDIRECT_ERR, redirect(0, 0, 0, -EBADRQC), COUNTS(5));
	update(f);
	assert_int_equal(f->findings.n_active, FINDINGS_MAX);
	assert_int_equal(f->findings.truncated, 1);
	assert_int_equal(f->findings.finding[0].severity, FINDING_CRITICAL);
	for (uint32_t i = 1; i < FINDINGS_MAX; i++)
		assert_string_equal(f->findings.finding[i].code->name, CODE);
}

FINDING_TEST(test_several_devices)
{
	attached(f, 3, NETDEV_NATIVE);
	attached(f, 5, NETDEV_NATIVE);
	attached(f, 6, NETDEV_NATIVE);
	unheld(f);
	update(f);
	says(expect_only(f, CODE), "it is attached to 2 more devices");
	assert_int_equal(expect(f, CODE)->location.dev.ifindex, 3);
}

/* For all programs at once: a device counts once for each program that it runs. */
FINDING_TEST(test_counts_devices)
{
	struct program_devices *of;

	unheld(f);
	unheld(f)->prog_id = 50;
	unheld(f)->prog_id = 60;
	attached(f, 3, NETDEV_NATIVE)->gone = true;
	attached(f, 4, NETDEV_GENERIC)->skb_prog_id = 42;
	attached(f, 5, NETDEV_MULTI)->skb_prog_id = 50;
	attached(f, 6, NETDEV_NATIVE)->prog_id = 70; /* unknown */
	of = program_devices(&f->to);
	assert_non_null(of);
	assert_int_equal(of[0].n, 2);
	assert_int_equal(of[0].first->ifindex, 4);
	assert_int_equal(of[1].n, 1);
	assert_int_equal(of[1].first->ifindex, 5);
	assert_int_equal(of[2].n, 0);
	assert_null(of[2].first);
	free(of);
}

/* Held programs, and programs whose holders are not all known. */
TEST(test_quiet)
{
	for (int i = 0; i < 4; i++) {
		struct fixture *f = fixture_new();
		struct netdev *d = attached(f, 3, NETDEV_NATIVE);
		struct program *p = unheld(f);

		p->unheld = i == 0 ? 0 : i == 1 ? 1 : 2;
		if (i == 2)
			p->sight = PROGRAM_SIGHT_NAMESPACE;
		d->gone = i == 3;
		update(f);
		assert_int_equal(f->findings.n, 0);
		fixture_free(f);
	}
}
