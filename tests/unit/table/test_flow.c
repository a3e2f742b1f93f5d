// SPDX-License-Identifier: GPL-2.0-or-later
/* Flows: all stages of a redirect are in one row, and no packet is counted twice. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "table/filter.h"
#include "unit/made_table.h"
#include "unit/test.h"

/* xdp_redirect through a map and xdp_devmap_xmit without one are one flow. */
TABLE_TEST(test_flow_joins_its_stages)
{
	size_t row;

	made_on(&m->from, TP_XDP_REDIRECT);
	made_on(&m->to, TP_XDP_REDIRECT);
	put(m, 1, TP_XDP_REDIRECT, made_to_device(1, 2, 5), COUNTS(0), COUNTS(3200));
	put(m, 2, TP_XDP_REDIRECT_ERR, with_code(made_to_device(1, 2, 5), -ENETDOWN), COUNTS(0),
	    COUNTS(10));
	put(m, 3, TP_XDP_REDIRECT_ERR, with_code(made_to_device(1, 2, 9), -EMSGSIZE), COUNTS(0),
	    COUNTS(4));
	put(m, 4, TP_XDP_DEVMAP_XMIT, made_xmit(1, 2), COUNTS(0), COUNTS(200, 3000, 200));
	for (size_t i = 0; i < 4; i++)
		strcpy(m->to.series[i].to_ifname, "eth2");
	build(m, VIEW_FLOWS);
	assert_int_equal(m->table.n_rows, 1);
	row = flow(m, "eth1", "eth2");
	assert_int_equal(m->table.row[row].tracepoint, -1);
	CELL(row, COL_QUEUED_RATE, "1600");
	CELL(row, COL_FAILED_RATE, "7.0");
	CELL(row, COL_PACKETS_RATE, "1500");
	CELL(row, COL_DROPS_RATE, "100"); /* without the failed redirects */
	CELL(row, COL_LOST_RATE, "107");
	CELL(row, COL_DROP_PERCENT, "6.3");
	CELL(row, COL_BULK, "16.0");
	CELL(row, COL_PROGRAM, "prog42");
	CELL(row, COL_PROG_ID, "42");
	CELL(row, COL_NETNS, "+531840");
	CELL(row, COL_PACKETS, "3000");
	CELL(row, COL_DROPS, "200");
	/* columns that would add up two stages are empty */
	CELL(row, COL_EVENTS_RATE, "-");
	CELL(row, COL_ERRORS_RATE, "-");
	CELL(row, COL_TRACEPOINT, "several");
	CELL(row, COL_ERROR, "several");
	/* another program on the same path: the row cannot name one */
	put(m, 5, TP_XDP_REDIRECT, made_to_device(1, 2, 0), COUNTS(0), COUNTS(1));
	m->to.series[4].key.prog_id = 43;
	strcpy(m->to.series[4].prog_name, "other");
	build(m, VIEW_FLOWS);
	assert_int_equal(m->table.n_rows, 1);
	CELL(0, COL_PROGRAM, "several");
}

TABLE_TEST(test_flow_queued_off)
{
	put(m, 1, TP_XDP_DEVMAP_XMIT, made_xmit(1, 2), COUNTS(0), COUNTS(2, 30, 2));
	build(m, VIEW_FLOWS);
	CELL(0, COL_QUEUED_RATE, "off");
	CELL(0, COL_FAILED_RATE, "0");
	CELL(0, COL_PACKETS_RATE, "15");
	made_off(&m->from, TP_XDP_REDIRECT_ERR, TP_OFF);
	made_off(&m->to, TP_XDP_REDIRECT_ERR, TP_OFF);
	build(m, VIEW_FLOWS);
	CELL(0, COL_FAILED_RATE, "off");
	CELL(0, COL_LOST_RATE, "1.0"); /* at least */
	m->to.series[0].total.drops = 0;
	build(m, VIEW_FLOWS);
	CELL(0, COL_DROPS_RATE, "0");
	CELL(0, COL_LOST_RATE, "off");
}

/* Failed plus dropped, each packet once: 0 if both are watched, or one does not apply. */
TABLE_TEST(test_flow_lost)
{
	size_t row;

	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(made_to_device(1, 2, 5), -ENETDOWN), COUNTS(3),
	    COUNTS(13));
	put(m, 2, TP_XDP_DEVMAP_XMIT, made_xmit(1, 2), COUNTS(0), COUNTS(2, 28, 4));
	put(m, 3, TP_XDP_DEVMAP_XMIT, made_xmit(1, 3), COUNTS(0), COUNTS(1, 16));
	build(m, VIEW_FLOWS);
	row = flow(m, "eth1", "ifindex 2");
	CELL(row, COL_LOST_RATE, "7.0");
	CELL(flow(m, "eth1", "ifindex 3"), COL_LOST_RATE, "0");
	/* the view begins with the largest loss, failed or dropped */
	put(m, 4, TP_XDP_DEVMAP_XMIT, made_xmit(1, 9), COUNTS(0), COUNTS(2, 28, 12));
	m->options.sort = views[VIEW_FLOWS].sort;
	m->options.descending = true;
	build(m, VIEW_FLOWS);
	CELL(0, COL_TARGET, "ifindex 2");
	CELL(1, COL_TARGET, "ifindex 9");
	CELL(2, COL_TARGET, "ifindex 3");
	m->options.sort = -1;
	m->options.descending = false;
	/* an event of a failed redirect counts as its drop */
	build(m, VIEW_ERRORS);
	CELL(0, COL_LOST_RATE, "5.0");
}

/* Generic mode has no xdp_devmap_xmit: whether anything was sent is unknown. */
TABLE_TEST(test_flow_generic_mode)
{
	made_on(&m->from, TP_XDP_REDIRECT);
	made_on(&m->to, TP_XDP_REDIRECT);
	put(m, 1, TP_XDP_REDIRECT, made_to_device(1, 2, 0), COUNTS(5), COUNTS(9));
	build(m, VIEW_FLOWS);
	CELL(0, COL_QUEUED_RATE, "2.0");
	CELL(0, COL_PACKETS_RATE, "n/a");
	CELL(0, COL_DROPS_RATE, "n/a");
	CELL(0, COL_LOST_RATE, "n/a");
	CELL(0, COL_DROP_PERCENT, "n/a");
	CELL(0, COL_BULK, "n/a");
	CELL(0, COL_PACKETS, "n/a");
	/* nothing was queued in this interval, so nothing was sent */
	m->from.series[0].total.events = m->from.tp[TP_XDP_REDIRECT].events = 9;
	build(m, VIEW_FLOWS);
	CELL(0, COL_PACKETS_RATE, "0");
	CELL(0, COL_DROP_PERCENT, "-");
	/* unknown if queueing was watched for part of the interval only */
	m->from.tp[TP_XDP_REDIRECT].on_ns += MADE_S;
	build(m, VIEW_FLOWS);
	CELL(0, COL_QUEUED_RATE, ".");
	CELL(0, COL_PACKETS_RATE, "n/a");
	/* or not at all */
	m->from.tp[TP_XDP_REDIRECT].on_ns = m->to.tp[TP_XDP_REDIRECT].on_ns = MADE_S;
	build(m, VIEW_FLOWS);
	CELL(0, COL_PACKETS_RATE, "n/a");
	/* if devmap_xmit itself is off, that is the reason */
	made_off(&m->from, TP_XDP_DEVMAP_XMIT, TP_OFF);
	made_off(&m->to, TP_XDP_DEVMAP_XMIT, TP_OFF);
	build(m, VIEW_FLOWS);
	CELL(0, COL_PACKETS_RATE, "off");
}

static size_t rows_of(struct made *m, const char *expr)
{
	build_filtered(m, VIEW_FLOWS, expr);
	return m->table.n_rows;
}

/* The same in all columns; a filter also accepts all digits. */
TABLE_TEST(test_short_netns)
{
	struct series_key key = made_to_device(1, 2, 0);

	made_on(&m->from, TP_XDP_REDIRECT);
	made_on(&m->to, TP_XDP_REDIRECT);
	key.netns = 4026000938;
	key.to_netns = 4026532524;
	put(m, 1, TP_XDP_REDIRECT, key, COUNTS(0), COUNTS(1));
	strcpy(m->to.series[0].to_ifname, "dns:8080");
	build(m, VIEW_FLOWS);
	CELL(0, COL_TARGET, "dns:8080 (+532524)");
	CELL(0, COL_NETNS, "+000938");
	assert_int_equal(rows_of(m, "netns=ns:4026000938"), 1);
	assert_int_equal(rows_of(m, "netns=+000938"), 1);
	assert_int_equal(rows_of(m, "netns=ns:4026532524"), 0);
	assert_int_equal(rows_of(m, "netns!=ns:4026000938"), 0);
	assert_int_equal(rows_of(m, "4026000938"), 1);
	assert_int_equal(rows_of(m, "+532524"), 1);
}

TABLE_TEST(test_targets)
{
	struct series_key key = { .netns = MADE_NETNS, .ifindex = 1, .prog_id = 42 };
	struct netns_names *names = netns_names_new();

	netns_names_set(names, MADE_NETNS, "init", 0);
	netns_names_set(names, 777, "blue", 0);
	m->options.netns = names;
	made_on(&m->from, TP_XDP_REDIRECT);
	made_on(&m->to, TP_XDP_REDIRECT);
	/* a device of another namespace, and the same ifindex in this one */
	key.map_type = SERIES_MAP_DEVMAP;
	key.map_id = 5;
	key.to_netns = 777;
	key.target = 2;
	put(m, 1, TP_XDP_REDIRECT, key, COUNTS(0), COUNTS(1));
	strcpy(m->to.series[0].to_ifname, "veth9");
	key.to_netns = MADE_NETNS;
	put(m, 2, TP_XDP_REDIRECT, key, COUNTS(0), COUNTS(2));
	strcpy(m->to.series[1].to_ifname, "veth9");
	/* bpf_redirect() to an ifindex that does not exist: no name, no namespace */
	key = (struct series_key){ .netns = MADE_NETNS,
				   .ifindex = 1,
				   .target = 999999,
				   .map_id = SERIES_MAP_ID_IFINDEX,
				   .code = -EINVAL };
	put(m, 3, TP_XDP_REDIRECT_ERR, key, COUNTS(0), COUNTS(3));
	/* no helper was called, so target is a leftover */
	key.map_id = 0;
	key.code = -EBADRQC;
	put(m, 4, TP_XDP_REDIRECT_ERR, key, COUNTS(0), COUNTS(4));
	key = (struct series_key){ .netns = MADE_NETNS,
				   .ifindex = 1,
				   .target = 2,
				   .map_type = SERIES_MAP_XSKMAP,
				   .map_id = 7,
				   .code = -ENOBUFS };
	put(m, 5, TP_XDP_REDIRECT_ERR, key, COUNTS(0), COUNTS(5));
	key.map_type = SERIES_MAP_CPUMAP;
	key.map_id = 17;
	key.target = 3;
	key.code = 0;
	put(m, 6, TP_XDP_REDIRECT, key, COUNTS(0), COUNTS(6));
	/* the enqueue lacks the device */
	key = (struct series_key){ .target = 3, .map_type = SERIES_MAP_CPUMAP, .map_id = 17 };
	put(m, 7, TP_XDP_CPUMAP_ENQUEUE, key, COUNTS(0), COUNTS(2, 16, 4));
	key = (struct series_key){ .netns = MADE_NETNS, .ifindex = 1 };
	put(m, 8, TP_XDP_BULK_TX, key, COUNTS(0), COUNTS(1, 10, 2));
	/* a broadcast without a device, and an unknown type of map */
	key = (struct series_key){
		.netns = MADE_NETNS, .ifindex = 1, .map_type = SERIES_MAP_DEVMAP_HASH, .map_id = 6
	};
	put(m, 9, TP_XDP_REDIRECT, key, COUNTS(0), COUNTS(9));
	key.map_type = 99;
	key.map_id = 8;
	put(m, 10, TP_XDP_REDIRECT, key, COUNTS(0), COUNTS(10));
	build(m, VIEW_FLOWS);
	assert_int_equal(m->table.n_rows, 10);
	CELL(flow(m, "eth1", "veth9 (blue)"), COL_QUEUED_RATE, "0.50");
	CELL(flow(m, "eth1", "veth9 (blue)"), COL_NETNS, "init");
	CELL(flow(m, "eth1", "veth9"), COL_QUEUED_RATE, "1.0");
	CELL(flow(m, "eth1", "ifindex 999999"), COL_FAILED_RATE, "1.5");
	CELL(flow(m, "eth1", "-"), COL_FAILED_RATE, "2.0");
	CELL(flow(m, "eth1", "-"), COL_LOST_RATE, "2.0"); /* drops do not apply */
	CELL(flow(m, "eth1", "-"), COL_PACKETS_RATE, "-");
	CELL(flow(m, "eth1", "xsk map 7 [2]"), COL_FAILED_RATE, "2.5");
	CELL(flow(m, "eth1", "xsk map 7 [2]"), COL_PACKETS_RATE, "-");
	CELL(flow(m, "eth1", "CPU 3 (map 17)"), COL_QUEUED_RATE, "3.0");
	CELL(flow(m, "eth1", "CPU 3 (map 17)"), COL_PACKETS_RATE, "-");
	CELL(flow(m, "-", "CPU 3 (map 17)"), COL_PACKETS_RATE, "8.0");
	CELL(flow(m, "-", "CPU 3 (map 17)"), COL_DROPS_RATE, "2.0");
	CELL(flow(m, "-", "CPU 3 (map 17)"), COL_DROP_PERCENT, "25.0");
	CELL(flow(m, "-", "CPU 3 (map 17)"), COL_BULK, "8.00");
	CELL(flow(m, "-", "CPU 3 (map 17)"), COL_QUEUED_RATE, "-");
	CELL(flow(m, "-", "CPU 3 (map 17)"), COL_FAILED_RATE, "-");
	CELL(flow(m, "-", "CPU 3 (map 17)"), COL_NETNS, "-");
	CELL(flow(m, "eth1", "TX back"), COL_PACKETS_RATE, "5.0");
	CELL(flow(m, "eth1", "TX back"), COL_DROP_PERCENT, "16.7");
	CELL(flow(m, "eth1", "TX back"), COL_QUEUED_RATE, "-");
	CELL(flow(m, "eth1", "devmap_hash 6"), COL_QUEUED_RATE, "4.5");
	CELL(flow(m, "eth1", "map 8"), COL_QUEUED_RATE, "5.0");
	netns_names_free(names);
}

static size_t device_row(const struct made *m, uint32_t ifindex)
{
	size_t row = 0;

	while (m->table.row[row].ifindex != ifindex)
		row++;
	return row;
}

/* A frame redirected to a NIC with libeth is not also sent back. */
TABLE_TEST(test_libeth)
{
	struct netdev *d;

	put(m, 1, TP_XDP_DEVMAP_XMIT, made_xmit(1, 3), COUNTS(0), COUNTS(2, 20, 4));
	put(m, 2, TP_XDP_BULK_TX, (struct series_key){ .netns = MADE_NETNS, .ifindex = 3 },
	    COUNTS(0), COUNTS(2, 20, 4));
	d = snapshot_add_netdev(&m->to);
	*d = (struct netdev){ .netns = MADE_NETNS, .ifindex = 3, .name = "eth3", .driver = "idpf" };
	build(m, VIEW_FLOWS);
	assert_int_equal(m->table.n_rows, 1);
	CELL(0, COL_PACKETS_RATE, "10");
	CELL(0, COL_LOST_RATE, "2.0");
	build(m, VIEW_DEVICES);
	CELL(device_row(m, 3), COL_PACKETS_RATE, "10");
	CELL(device_row(m, 3), COL_DROPS_RATE, "2.0");
	/* the tracepoint itself includes them */
	build(m, VIEW_ERRORS);
	assert_int_equal(m->table.n_rows, 2);
	CELL(1, COL_TARGET, "TX");
	strcpy(d->driver, "veth");
	build(m, VIEW_FLOWS);
	assert_int_equal(m->table.n_rows, 2);
}

/* Generic mode counts a cpumap drop separately from processed, native mode as part of it. */
TABLE_TEST(test_cpumap_drop_percent)
{
	struct series_key key = { .target = 1, .map_type = SERIES_MAP_CPUMAP, .map_id = 17 };

	put(m, 1, TP_XDP_CPUMAP_ENQUEUE, key, COUNTS(0), COUNTS(10, 4, 6));
	key.target = 2;
	put(m, 2, TP_XDP_CPUMAP_ENQUEUE, key, COUNTS(0), COUNTS(10, 80, 60));
	key.target = 3;
	put(m, 3, TP_XDP_CPUMAP_ENQUEUE, key, COUNTS(0), COUNTS(10, 10, 0));
	build(m, VIEW_FLOWS);
	CELL(flow(m, "-", "CPU 1 (map 17)"), COL_DROP_PERCENT, "60.0");
	CELL(flow(m, "-", "CPU 1 (map 17)"), COL_BULK, "1.00");
	CELL(flow(m, "-", "CPU 2 (map 17)"), COL_DROP_PERCENT, "75.0");
	CELL(flow(m, "-", "CPU 2 (map 17)"), COL_BULK, "8.00");
	CELL(flow(m, "-", "CPU 3 (map 17)"), COL_DROP_PERCENT, "0");
}

/* The same ifindex in two namespaces is two devices. */
TABLE_TEST(test_ifindex_is_per_netns)
{
	struct series_key key = made_xmit(1, 2);

	put(m, 1, TP_XDP_DEVMAP_XMIT, key, COUNTS(0), COUNTS(1, 1));
	key.netns = key.to_netns = 777;
	put(m, 2, TP_XDP_DEVMAP_XMIT, key, COUNTS(0), COUNTS(2, 2));
	build(m, VIEW_FLOWS);
	assert_int_equal(m->table.n_rows, 2);
	CELL(0, COL_NETNS, "+531840");
	CELL(1, COL_NETNS, "ns:777");
	CELL(1, COL_TARGET, "ifindex 2");
}

/* The CPUs of a flow: each stage on its own, the share by one of them. */
TABLE_TEST(test_flow_cpus)
{
	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(made_to_device(1, 2, 5), -ENETDOWN), COUNTS(0),
	    COUNTS(1000));
	made_cpu(&m->to, 1, COUNTS(1000));
	put(m, 2, TP_XDP_DEVMAP_XMIT, made_xmit(1, 2), COUNTS(0), COUNTS(4, 40, 4));
	made_cpu(&m->to, 1, COUNTS(1, 10, 1));
	made_cpu(&m->to, 2, COUNTS(3, 30, 3));
	m->options.per_cpu = true;
	build(m, VIEW_FLOWS);
	assert_int_equal(m->table.n_rows, 3);
	CELL(0, COL_ERROR, "several");
	CELL(1, COL_CPU, "1");
	CELL(1, COL_FAILED_RATE, "500");
	CELL(1, COL_PACKETS_RATE, "5.0");
	CELL(1, COL_SHARE, "25.0"); /* of the bulks sent, not of 1004 mixed events */
	CELL(2, COL_FAILED_RATE, "0");
	CELL(2, COL_PACKETS_RATE, "15");
	CELL(2, COL_SHARE, "75.0");
}
