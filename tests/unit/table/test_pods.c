// SPDX-License-Identifier: GPL-2.0-or-later
/* The pods of rows. */
#include "model/pod.h"
#include "unit/made_table.h"
#include "unit/test.h"

enum { NODE = 3, VETH = 7, POD_NETNS = 99, OTHER_NETNS = 200 };

static void put_pod(struct snapshot *s, uint32_t netns, const char *namespace, const char *name,
		    const char *container)
{
	struct pod *pod = snapshot_add_row(s, DATA_SOURCE_PODS, sizeof(*pod));

	assert_non_null(pod);
	pod->netns = netns;
	strcpy(pod->namespace, namespace);
	strcpy(pod->name, name);
	strcpy(pod->container, container);
}

/* A veth of the node with its other end in the pod. */
static void put_veth(struct snapshot *s)
{
	struct netdev *d = snapshot_add_netdev(s);

	d->netns = MADE_NETNS;
	d->ifindex = VETH;
	d->peer_netns = POD_NETNS;
	d->peer_ifindex = 2;
	strcpy(d->name, "veth7");
}

TABLE_TEST(test_of_device)
{
	char text[64];

	assert_null(pod_of_device(&m->to, POD_NETNS, 2));
	put_veth(&m->to);
	put_pod(&m->to, POD_NETNS, "default", "web", "nginx");
	put_pod(&m->to, OTHER_NETNS, "", "", "redis");
	pod_text(pod_of_device(&m->to, POD_NETNS, 2), text, sizeof(text));
	assert_string_equal(text, "default/web");
	/* a device of which only the namespace is known */
	pod_text(pod_of_device(&m->to, OTHER_NETNS, 0), text, sizeof(text));
	assert_string_equal(text, "redis");
	assert_ptr_equal(pod_of_device(&m->to, MADE_NETNS, VETH), pod_find(&m->to, POD_NETNS));
	assert_null(pod_of_device(&m->to, MADE_NETNS, NODE));
	assert_null(pod_of_device(&m->to, 0, 0));
}

TABLE_TEST(test_columns)
{
	struct series_key out = made_xmit(2, 5);

	put(m, 1, TP_XDP_DEVMAP_XMIT, made_xmit(NODE, VETH), (struct series_counters){ 0 },
	    (struct series_counters){ .events = 2, .packets = 32 });
	out.netns = OTHER_NETNS;
	put(m, 2, TP_XDP_DEVMAP_XMIT, out, (struct series_counters){ 0 },
	    (struct series_counters){ .events = 1, .packets = 7 });
	/* hidden if none is known, unless the rows are sorted by it */
	build(m, VIEW_FLOWS);
	assert_false(table_shows(&m->table, COL_POD));
	CELL(0, COL_TO_POD, "-");
	m->options.sort = COL_TO_POD;
	build(m, VIEW_FLOWS);
	assert_true(table_shows(&m->table, COL_TO_POD));
	m->options.sort = -1;
	put_veth(&m->to);
	put_pod(&m->to, POD_NETNS, "default", "web", "nginx");
	put_pod(&m->to, OTHER_NETNS, "", "", "redis");
	build(m, VIEW_FLOWS);
	assert_true(table_shows(&m->table, COL_POD));
	assert_int_equal(m->table.n_rows, 2);
	CELL(0, COL_POD, "-");
	CELL(0, COL_TO_POD, "default/web");
	CELL(1, COL_POD, "redis");
	CELL(1, COL_TO_POD, "-");
	/* a row of several devices has none, nor has a row without a device */
	build(m, VIEW_TRACEPOINTS);
	CELL(row_of(m, TP_XDP_DEVMAP_XMIT), COL_TO_POD, "-");
	build_filtered(m, VIEW_FLOWS, "to_pod=default/*");
	assert_int_equal(m->table.n_rows, 1);
	CELL(0, COL_PACKETS, "32");
	build_filtered(m, VIEW_FLOWS, "REDIS");
	assert_int_equal(m->table.n_rows, 1);
	CELL(0, COL_PACKETS, "7");
	build(m, VIEW_DEVICES);
	assert_int_equal(m->table.n_rows, 2);
	for (size_t i = 0; i < 2; i++)
		CELL(i, COL_POD, m->table.row[i].ifindex == VETH ? "default/web" : "-");
}
