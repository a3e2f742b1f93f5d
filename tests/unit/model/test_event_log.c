// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include "base/memory.h"
#include "model/event_log.h"
#include "unit/test.h"

/* Device 3 is a veth whose peer is 4; device 5 is alone. */
static struct snapshot *devices(void)
{
	struct snapshot *s = memory_new(1, sizeof(*s));

	snapshot_init(s);
	for (uint32_t i = 3; i <= 5; i++) {
		struct netdev *d = snapshot_add_row(s, DATA_SOURCE_NETDEVS, sizeof(*d));

		*d = (struct netdev){ .netns = 7, .ifindex = i };
		if (i < 5) {
			d->peer_netns = 7;
			d->peer_ifindex = 7 - i;
		}
	}
	return s;
}

static void change(struct snapshot *s, enum change kind, uint32_t ifindex)
{
	struct event *e = snapshot_add_event(s);

	e->change = kind;
	e->key.netns = 7;
	e->key.ifindex = ifindex;
}

static void newest(const struct event_log *l, int back, enum change kind, uint32_t ifindex,
		   uint32_t settings)
{
	const struct event *e = event_log_change(l, back);

	assert_int_equal(e->change, kind);
	assert_int_equal(e->key.ifindex, ifindex);
	assert_int_equal(e->settings, settings);
}

/* The program of a device changes settings of the device and its peer, even a snapshot later. */
TEST(test_settings_of_an_attach)
{
	struct snapshot *s = devices();
	struct event_log l = { 0 };

	/* the peer comes first in the table */
	change(s, CHANGE_XDP_FEATURES, 4);
	change(s, CHANGE_XDP_FEATURES, 5);
	change(s, CHANGE_PROGRAM_ATTACHED, 3);
	change(s, CHANGE_MTU, 3);
	event_log_take(&l, s);
	assert_int_equal(event_log_count(&l), 4);
	assert_int_equal(event_log_changes(&l), 3);
	newest(&l, 0, CHANGE_XDP_FEATURES, 5, 0);
	newest(&l, 1, CHANGE_MTU, 3, 0);
	newest(&l, 2, CHANGE_PROGRAM_ATTACHED, 3, 1);

	s->n_event = 0;
	change(s, CHANGE_OFFLOADS, 3);
	event_log_take(&l, s);
	assert_int_equal(event_log_changes(&l), 3);
	newest(&l, 2, CHANGE_PROGRAM_ATTACHED, 3, 2);

	/* nothing else has changed for an interval: somebody did it */
	s->n_event = 0;
	event_log_take(&l, s);
	change(s, CHANGE_OFFLOADS, 3);
	event_log_take(&l, s);
	assert_int_equal(event_log_changes(&l), 4);
	newest(&l, 0, CHANGE_OFFLOADS, 3, 0);

	event_log_free(&l);
	snapshot_free(s);
	free(s);
}
