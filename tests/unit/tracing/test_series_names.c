// SPDX-License-Identifier: GPL-2.0-or-later
/* Which name a series has, and when it ends, according to the table of devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tracing/series_table.h"
#include "unit/made.h"
#include "unit/test.h"

#define OTHER_NETNS (MADE_NETNS + 7)

static void say(struct netdev_table *t, uint32_t netns, uint32_t ifindex, const char *name,
		enum netdev_mode mode)
{
	struct link_message m = { .device = { .ifindex = ifindex, .up = true, .mode = mode } };

	snprintf(m.device.name, sizeof(m.device.name), "%s", name);
	m.device.gone = !*name;
	netdev_table_take(t, netdev_table_netns(t, netns), &m);
}

static struct slot *slot_of(struct series_table *s, const char *ifname, uint32_t ifindex)
{
	struct slot *slot = &s->slot[s->n++];

	memset(slot, 0, sizeof(*slot));
	slot->series.id = s->n;
	slot->series.key.netns = MADE_NETNS;
	slot->series.key.ifindex = ifindex;
	snprintf(slot->series.ifname, sizeof(slot->series.ifname), "%s", ifname);
	return slot;
}

TEST(test_series_names)
{
	struct slot array[8];
	struct series_table s = { .slot = array };
	struct netdev_table t = { 0 };
	struct slot *a = slot_of(&s, "eth0", 2), *unknown = slot_of(&s, "tun0", 9), *b;

	/* renamed after the capture, before the first look */
	say(&t, MADE_NETNS, 2, "wan0", NETDEV_NONE);
	series_names_update(&s, &t, true);
	assert_string_equal(a->series.ifname, "wan0");
	assert_string_equal(unknown->series.ifname, "tun0");
	say(&t, MADE_NETNS, 2, "wan1", NETDEV_NONE);
	series_names_update(&s, &t, true);
	assert_string_equal(a->series.ifname, "wan1");
	assert_true(a->state < SLOT_GONE);
	/* deleted: the last name stays */
	say(&t, MADE_NETNS, 2, "", NETDEV_NONE);
	series_names_update(&s, &t, true);
	assert_string_equal(a->series.ifname, "wan1");
	assert_int_equal(a->state, SLOT_GONE);
	/* another device with its ifindex does not rename it */
	say(&t, MADE_NETNS, 2, "lan0", NETDEV_NONE);
	b = slot_of(&s, "lan0", 2);
	series_names_update(&s, &t, true);
	assert_string_equal(a->series.ifname, "wan1");
	assert_int_equal(a->state, SLOT_IFINDEX_REUSED);
	assert_string_equal(b->series.ifname, "lan0");
	assert_true(b->state < SLOT_GONE);
	/* first seen late: a different name may be another device's */
	say(&t, MADE_NETNS, 9, "tap0", NETDEV_NONE);
	series_names_update(&s, &t, true);
	assert_string_equal(unknown->series.ifname, "tun0");
	assert_true(unknown->state < SLOT_GONE);
	netdev_table_free(&t);
}

/* The table is older than the device, and has another one of that name and ifindex. */
TEST(test_series_and_an_old_table)
{
	struct slot array[8];
	struct series_table s = { .slot = array };
	struct netdev_table t = { 0 };
	struct slot *a;

	say(&t, MADE_NETNS, 2, "left0", NETDEV_NONE);
	series_names_update(&s, &t, true);
	a = slot_of(&s, "left0", 2);
	series_names_update(&s, &t, false);
	assert_false(a->looked_up);
	say(&t, MADE_NETNS, 2, "", NETDEV_NONE);
	say(&t, MADE_NETNS, 2, "left0", NETDEV_NONE);
	series_names_update(&s, &t, true);
	assert_true(a->state < SLOT_GONE);
	say(&t, MADE_NETNS, 2, "", NETDEV_NONE);
	series_names_update(&s, &t, true);
	assert_true(a->state >= SLOT_GONE);
	netdev_table_free(&t);
}

TEST(test_series_name_of_reused_number)
{
	struct slot array[8];
	struct series_table s = { .slot = array };
	struct netdev_table t = { 0 };
	struct slot *a;

	say(&t, MADE_NETNS, 2, "old0", NETDEV_NONE);
	series_names_update(&s, &t, true);
	/* deleted and created again within an interval; the series is older */
	a = slot_of(&s, "old0", 2);
	say(&t, MADE_NETNS, 2, "", NETDEV_NONE);
	say(&t, MADE_NETNS, 2, "new0", NETDEV_NONE);
	series_names_update(&s, &t, true);
	assert_string_equal(a->series.ifname, "old0");
	assert_true(a->state >= SLOT_GONE);
	/* a target, in another namespace */
	a = slot_of(&s, "", 0);
	a->series.key.netns = 0;
	a->series.key.to_netns = OTHER_NETNS;
	a->series.key.target = 3;
	say(&t, OTHER_NETNS, 3, "out0", NETDEV_NONE);
	series_names_update(&s, &t, true);
	assert_string_equal(a->series.to_ifname, "out0");
	assert_string_equal(a->series.ifname, "");
	netdev_table_netns_ended(&t, netdev_table_netns(&t, OTHER_NETNS));
	series_names_update(&s, &t, true);
	assert_string_equal(a->series.to_ifname, "out0");
	assert_true(a->state >= SLOT_GONE);
	netdev_table_free(&t);
}
