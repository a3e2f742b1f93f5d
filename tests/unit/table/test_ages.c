// SPDX-License-Identifier: GPL-2.0-or-later
/* A number that was read before the interval is marked, in whichever view and column it is. */
#include <linux/bpf.h>
#include <string.h>
#include "model/netdev_queue.h"
#include "source/data_source.h"
#include "source/map_fill.h"
#include "table/view.h"
#include "unit/made_table.h"
#include "unit/test.h"

/* What a device, its queue and a map had counted when they were read, times `scale`. */
static void read_before(struct made *m, uint32_t scale, bool in_interval)
{
	struct timespec at = { in_interval ? 0 : m->to.wall.tv_sec - 4, 0 };
	struct netdev *d = snapshot_netdevs(&m->to);
	struct netdev_queue *q = data_source_row_at(&m->to, DATA_SOURCE_QUEUES, 0);
	struct map_fill *f = data_source_row_at(&m->to, DATA_SOURCE_MAP_FILLS, 0);

	for (int c = NETDEV_DRIVER_COUNT; c < NETDEV_COUNTS; c++) {
		netdev_set_count(d, (enum netdev_count)c, 1000 + scale * 7u);
		d->per_s[c - NETDEV_DRIVER_COUNT] = (float)(scale * 3);
	}
	d->counters_read_at = d->queues_read_at = at;
	q->counts_packets = q->counts_drops = true;
	q->packets_per_s = q->drops_per_s = (float)(scale * 5);
	f->entries = scale * 11;
	f->growth = scale;
	f->counted_at = at;
}

static void make(struct made *m)
{
	struct snapshot *of[] = { &m->base, &m->from, &m->to };

	for (int i = 0; i < 3; i++) {
		struct netdev *d = snapshot_add_netdev(of[i]);
		struct netdev_queue *q = snapshot_add_row(of[i], DATA_SOURCE_QUEUES, sizeof(*q));
		struct map_fill *f = snapshot_add_row(of[i], DATA_SOURCE_MAP_FILLS, sizeof(*f));

		assert_true(d && q && f);
		*d = (struct netdev){
			.netns = MADE_NETNS, .ifindex = 3, .kind = "veth", .mode = NETDEV_NATIVE
		};
		for (int c = 0; c < NETDEV_COUNTS; c++)
			netdev_set_count(d, (enum netdev_count)c, 1000);
		*q = (struct netdev_queue){
			.netns = MADE_NETNS, .ifindex = 3, .cpu = -1, .cpu_node = -1, .node = -1
		};
		*f = (struct map_fill){ .map_id = 3,
					.map_type = BPF_MAP_TYPE_HASH,
					.state = MAP_FILL_COUNTED,
					.max_entries = 1000,
					.has_growth = true };
	}
}

/* Two readings give different cells: those cells. */
static int each_cell(struct made *m, enum view_id view, bool in_interval)
{
	static char first[64][COLUMN_COUNT][80];
	int found = 0;

	for (uint32_t scale = 1; scale <= 2; scale++) {
		read_before(m, scale, in_interval);
		build(m, view);
		for (size_t row = 0; row < m->table.n_rows && row < 64; row++) {
			for (int c = 0; c < COLUMN_COUNT; c++) {
				const char *says = text(m, row, (enum column_id)c);
				bool old = strchr(says, '~') || strstr(says, " ago");

				if (scale == 1) {
					snprintf(first[row][c], sizeof(first[row][c]), "%s", says);
				} else if (strcmp(first[row][c], says)) {
					if (old == in_interval)
						fail_msg("%s, %s: %s", views[view].name,
							 columns[c].name, says);
					found++;
				}
			}
		}
	}
	return found;
}

TABLE_TEST(test_old_numbers)
{
	int found = 0, now = 0;

	make(m);
	for (int view = 0; view < VIEW_COUNT; view++) {
		found += each_cell(m, (enum view_id)view, false);
		now += each_cell(m, (enum view_id)view, true);
	}
	assert_true(found > 10 && now >= found);
}

/* The line about all devices, too. */
TABLE_TEST(test_summary)
{
	char buf[256];

	make(m);
	read_before(m, 1, false);
	build(m, VIEW_OVERVIEW);
	m->table.options.view->rows->summary(&m->table, 200, buf, sizeof(buf));
	assert_non_null(strstr(buf, "~/s dropped by programs"));
}
