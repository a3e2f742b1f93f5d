// SPDX-License-Identifier: GPL-2.0-or-later
/* The views maps and sockets: rows of their data sources. */
#include <linux/bpf.h>
#include "diagnose/finding_code.h"
#include "diagnose/findings.h"
#include "source/data_source.h"
#include "source/map_fill.h"
#include "source/sockets.h"
#include "table/view.h"
#include "unit/made_table.h"
#include "unit/test.h"

#define HERE  4026531840u
#define XSKS  7
#define INODE 900

static void put_entry(struct made *m, struct map_entry e)
{
	memcpy(snapshot_add_row(&m->to, DATA_SOURCE_MAPS, sizeof(e)), &e, sizeof(e));
	data_source_sort(&m->to, DATA_SOURCE_MAPS);
}

static struct map_entry *map_row(struct made *m, uint32_t map_id)
{
	return (struct map_entry *)map_find(&m->to, map_id);
}

static void put_socket(struct snapshot *s, struct xdp_socket socket)
{
	memcpy(snapshot_add_row(s, DATA_SOURCE_SOCKETS, sizeof(socket)), &socket, sizeof(socket));
	data_source_sort(s, DATA_SOURCE_SOCKETS);
}

static struct netdev *put_device(struct made *m, uint32_t ifindex, const char *name)
{
	struct netdev *d = snapshot_add_netdev(&m->to);

	assert_non_null(d);
	*d = (struct netdev){ .netns = HERE, .ifindex = ifindex, .up = true, .running = true };
	snprintf(d->name, sizeof(d->name), "%s", name);
	return d;
}

static void assert_missing(struct made *m, const struct row_kind *kind, enum iter_id id,
			   const char *none, const char *absent)
{
	struct snapshot_host host = { 0 };
	char why[256];

	m->options.switch_by = SWITCH_KEY;
	build(m, kind == &rows_maps ? VIEW_MAPS : VIEW_SOCKETS);
	assert_int_equal(m->table.n_rows, 0);
	table_missing(&m->table, &host, why, sizeof(why));
	assert_int_equal(strncmp(why, none, strlen(none)), 0);
	host.refused[id] = (struct refusal){ REFUSED_LOAD, 1 };
	table_missing(&m->table, &host, why, sizeof(why));
	assert_string_equal(why, absent);
	m->options.switch_by = SWITCH_NOT;
}

TABLE_TEST(test_devmap)
{
	struct netdev *d;

	assert_missing(m, &rows_maps, ITER_MAP_CONTENTS, "XDP programs redirect through no map",
		       "No map that XDP programs use is known: the kernel refuses to load BPF "
		       "program map_contents (iter/bpf_map): EPERM.\n");
	put_entry(m, (struct map_entry){ .map_id = 5,
					 .map_type = BPF_MAP_TYPE_DEVMAP,
					 .map_name = "ports",
					 .max_entries = 64,
					 .used = 3,
					 .slots_read = 64,
					 .user = { 41, 42 } });
	for (uint32_t key = 0; key < 11; key += 5)
		put_entry(m, (struct map_entry){ .map_id = 5,
						 .is_entry = 1,
						 .map_type = BPF_MAP_TYPE_DEVMAP,
						 .map_name = "ports",
						 .key = key,
						 .to_netns = HERE,
						 .to_ifindex = 3 + key,
						 .to_ifname = "old",
						 .prog_id = key,
						 .prog_name = { key ? 'e' : 0 } });
	put_entry(m, (struct map_entry){ .map_id = 9,
					 .map_type = BPF_MAP_TYPE_DEVMAP_HASH,
					 .max_entries = 65536,
					 .used = 2,
					 .slots_read = 4096,
					 .user = { 42, 51, 52, 53 },
					 .users_total = 9 });
	d = put_device(m, 3, "eth3");
	d->has_features = true;
	d->features = NETDEV_XDP_BASIC;
	d->prog_id = 42;
	snprintf(d->prog_name, sizeof(d->prog_name), "fwd");
	put_device(m, 8, "eth8")->up = false;
	made_sort_netdevs(&m->to);
	build(m, VIEW_MAPS);
	assert_int_equal(m->table.n_rows, 5);
	CELL(0, COL_MAP, "ports");
	CELL(0, COL_KEY, "-");
	CELL(0, COL_TARGET, "3 used, 61 free");
	CELL(0, COL_PROGRAM, "id 41, fwd");
	CELL(0, COL_PROG_ID, "41, 42");
	CELL(0, COL_USED, "3");
	CELL(0, COL_SLOTS, "64");
	CELL(1, COL_KEY, "0");
	CELL(1, COL_TARGET, "eth3 (+531840)");
	CELL(1, COL_LINK, "up");
	CELL(1, COL_WARNING, "takes no frames");
	CELL(1, COL_PROGRAM, "-");
	CELL(1, COL_SLOTS, "-");
	CELL(1, COL_FILL_PERCENT, "-");
	CELL(2, COL_LINK, "down");
	CELL(2, COL_WARNING, "target is down");
	CELL(2, COL_PROGRAM, "e");
	CELL(2, COL_PROG_ID, "5");
	/* only the map's data about the device is known */
	CELL(3, COL_KEY, "10");
	CELL(3, COL_TARGET, "old (+531840)");
	CELL(3, COL_LINK, "n/a");
	CELL(3, COL_WARNING, "-");
	CELL(4, COL_MAP, "devmap_hash 9");
	CELL(4, COL_TARGET, "2 used, 4096 of 65536 read");
	CELL(4, COL_PROGRAM, "fwd, id 51, id 52, id 53 and 5 more");
	CELL(4, COL_PROG_ID, "42, 51, 52, 53 and 5 more");
	put_entry(m, (struct map_entry){ .map_id = 12, .max_entries = 20000 });
	build(m, VIEW_MAPS);
	CELL(5, COL_TARGET, "not read yet");
	CELL(5, COL_USED, ".");
	/* sorted as numbers */
	m->options.sort = COL_KEY;
	build(m, VIEW_MAPS);
	CELL(1, COL_KEY, "5");
	CELL(2, COL_KEY, "10");
	build_filtered(m, VIEW_MAPS, "map_id=5 key=10");
	assert_int_equal(m->table.n_rows, 1);
}

/* What is wrong comes first; maps without entries come last. */
TABLE_TEST(test_order)
{
	put_entry(m, (struct map_entry){ .map_id = 3, .max_entries = 4, .slots_read = 4 });
	put_entry(m,
		  (struct map_entry){ .map_id = 4, .max_entries = 4, .used = 1, .slots_read = 4 });
	put_entry(m, (struct map_entry){ .map_id = 4, .is_entry = 1, .key = 2 });
	put_entry(m,
		  (struct map_entry){ .map_id = 5, .max_entries = 4, .used = 2, .slots_read = 4 });
	put_entry(m, (struct map_entry){ .map_id = 5, .is_entry = 1, .key = 1 });
	put_entry(
		m,
		(struct map_entry){
			.map_id = 5, .is_entry = 1, .key = 3, .to_netns = HERE, .to_ifindex = 8 });
	/* not read yet: nobody knows */
	put_entry(m, (struct map_entry){ .map_id = 6, .max_entries = 20000 });
	put_device(m, 8, "eth8")->up = false;
	made_sort_netdevs(&m->to);
	build(m, VIEW_MAPS);
	assert_int_equal(m->table.n_rows, 7);
	CELL(0, COL_MAP_ID, "5");
	CELL(1, COL_KEY, "3");
	CELL(1, COL_WARNING, "target is down");
	CELL(2, COL_KEY, "1");
	CELL(3, COL_MAP_ID, "4");
	CELL(4, COL_KEY, "2");
	CELL(5, COL_MAP_ID, "6");
	CELL(6, COL_MAP_ID, "3");
}

/* Empty maps without users are one line, if there are several and not all rows are asked for. */
TABLE_TEST(test_fold)
{
	char line[128];

	for (uint32_t id = 3; id < 6; id++)
		put_entry(m, (struct map_entry){ .map_id = id,
						 .max_entries = 4,
						 .slots_read = 4,
						 .users_known = true,
						 .users_total = id == 5 });
	build(m, VIEW_MAPS);
	assert_int_equal(m->table.n_rows, 2);
	CELL(0, COL_MAP_ID, "5");
	table_more_text(&m->table, &m->table.row[1], line, sizeof(line));
	assert_string_equal(line, "2 empty maps that no program uses (-a lists them)");
	m->options.all = true;
	build(m, VIEW_MAPS);
	assert_int_equal(m->table.n_rows, 3);
	m->options.all = false;
	/* one takes no more room than the line */
	map_row(m, 4)->users_total = 1;
	build(m, VIEW_MAPS);
	assert_int_equal(m->table.n_rows, 3);
}

static void put_fill(struct made *m, struct map_fill fill)
{
	memcpy(snapshot_add_row(&m->to, DATA_SOURCE_MAP_FILLS, sizeof(fill)), &fill, sizeof(fill));
	data_source_sort(&m->to, DATA_SOURCE_MAP_FILLS);
}

/* Hashes are rows after the entries of other maps, with as much as is known. */
TABLE_TEST(test_fills)
{
	char line[128];

	put_entry(m,
		  (struct map_entry){ .map_id = 4, .max_entries = 4, .used = 1, .slots_read = 4 });
	put_entry(m, (struct map_entry){ .map_id = 4, .is_entry = 1, .key = 2 });
	put_fill(m, (struct map_fill){ .map_id = 3,
				       .map_type = BPF_MAP_TYPE_HASH,
				       .state = MAP_FILL_COUNTED,
				       .max_entries = 10 });
	put_fill(m, (struct map_fill){ .map_id = 9,
				       .map_type = BPF_MAP_TYPE_LPM_TRIE,
				       .map_name = "nets",
				       .state = MAP_FILL_COUNTED,
				       .entries = 950,
				       .max_entries = 1000,
				       .has_growth = true,
				       .growth = 1.25,
				       .user = { 42, 43 },
				       .users_total = 6 });
	put_fill(m, (struct map_fill){ .map_id = 10,
				       .map_type = BPF_MAP_TYPE_HASH,
				       .state = MAP_FILL_UNCOUNTED,
				       .max_entries = 1000 });
	put_fill(m, (struct map_fill){ .map_id = 11 });
	build(m, VIEW_MAPS);
	assert_int_equal(m->table.n_rows, 6);
	CELL(0, COL_MAP_ID, "4");
	CELL(0, COL_ENTRIES, "-");
	CELL(1, COL_KEY, "2");
	CELL(2, COL_MAP, "nets");
	CELL(2, COL_MAP_TYPE, "lpm_trie");
	CELL(2, COL_TARGET, "950 of 1000 used, full in 40 s");
	CELL(2, COL_ENTRIES, "950");
	CELL(2, COL_SLOTS, "1000");
	CELL(2, COL_FILL_PERCENT, "95.0");
	CELL(2, COL_GROWTH, "1.3");
	CELL(2, COL_FULL_IN, "40s");
	CELL(2, COL_PROG_ID, "42, 43 and 2 more");
	CELL(2, COL_USED, "-");
	CELL(3, COL_MAP, "hash 10");
	CELL(3, COL_ENTRIES, "n/a");
	CELL(3, COL_SLOTS, "1000");
	CELL(4, COL_ENTRIES, ".");
	CELL(4, COL_MAP_TYPE, ".");
	/* empty: last */
	CELL(5, COL_MAP, "hash 3");
	CELL(5, COL_FULL_IN, "-");
	CELL(5, COL_GROWTH, ".");
	build_filtered(m, VIEW_MAPS, "fill_percent>90");
	assert_int_equal(m->table.n_rows, 1);
	put_fill(m, (struct map_fill){ .map_id = 0, .left_out = 7 });
	build(m, VIEW_MAPS);
	assert_int_equal(m->table.n_rows, 7);
	CELL(2, COL_MAP, "nets");
	table_more_text(&m->table, &m->table.row[6], line, sizeof(line));
	assert_string_equal(line, "7 more hashes and tries, which are not listed");
}

TABLE_TEST(test_cpumap)
{
	for (uint32_t cpu = 1; cpu < 3; cpu++)
		put_entry(m, (struct map_entry){ .map_id = 6,
						 .is_entry = 1,
						 .map_type = BPF_MAP_TYPE_CPUMAP,
						 .key = cpu,
						 .qsize = 100,
						 .fill = 50 * cpu });
	build(m, VIEW_MAPS);
	CELL(0, COL_TARGET, "CPU 1");
	CELL(0, COL_LINK, "-");
	CELL(0, COL_QSIZE, "100");
	CELL(0, COL_FILL_PERCENT, "50.0");
	CELL(1, COL_FILL_PERCENT, "100");
}

static void put_xsk(struct made *m, uint32_t key)
{
	put_entry(m, (struct map_entry){ .map_id = XSKS,
					 .is_entry = 1,
					 .map_type = BPF_MAP_TYPE_XSKMAP,
					 .map_name = "xsks",
					 .key = key,
					 .socket_inode = INODE + key });
}

/* A bound socket gets nothing on another queue, or where the map's program does not run. */
TABLE_TEST(test_xskmap)
{
	struct netdev *d;

	put_entry(m, (struct map_entry){
			     .map_id = XSKS, .map_type = BPF_MAP_TYPE_XSKMAP, .user = { 42 } });
	for (uint32_t key = 0; key < 6; key++)
		put_xsk(m, key);
	for (uint32_t i = 0; i < 5; i++)
		put_socket(&m->to, (struct xdp_socket){ .inode = INODE + i,
							.netns = HERE,
							.ifindex = i == 1 ? 4 : 3,
							.ifname = "eth4",
							.queue = i == 2 ? 7 : i,
							.state = i < 3    ? XDP_SOCKET_BOUND
								 : i == 3 ? XDP_SOCKET_UNBOUND
									  : XDP_SOCKET_DEVICE_GONE,
							.pid = i ? 0 : 11,
							.comm = "xdpsock" });
	d = put_device(m, 3, "eth3");
	d->prog_id = 42;
	made_sort_netdevs(&m->to);
	build(m, VIEW_MAPS);
	CELL(5, COL_TARGET, "socket xdpsock[11]");
	CELL(5, COL_LINK, "bound");
	CELL(5, COL_WARNING, "-");
	CELL(1, COL_TARGET, "socket 901");
	CELL(1, COL_WARNING, "its device is eth4, not the program's");
	CELL(2, COL_WARNING, "on queue 7");
	CELL(3, COL_WARNING, "socket is not bound");
	CELL(4, COL_WARNING, "its device is gone");
	CELL(4, COL_LINK, "device-gone");
	/* unknown socket */
	CELL(6, COL_TARGET, "socket 905");
	CELL(6, COL_LINK, "n/a");
	/* packets of a leased queue have the device and queue of the NIC */
	for (size_t i = 1; i < 3; i++) {
		struct xdp_socket *s =
			&((struct xdp_socket *)m->to.rows[DATA_SOURCE_SOCKETS].row)[i];

		s->nic = (struct xdp_place){ HERE, i == 1 ? 3 : 6, (uint32_t)i };
		strcpy(s->nic_ifname, "eth6");
	}
	build(m, VIEW_MAPS);
	CELL(5, COL_TARGET, "socket 901");
	CELL(5, COL_WARNING, "-");
	CELL(1, COL_TARGET, "socket 902");
	CELL(1, COL_WARNING, "its device is eth6, not the program's");
	for (size_t i = 1; i < 3; i++)
		((struct xdp_socket *)m->to.rows[DATA_SOURCE_SOCKETS].row)[i].nic.ifindex = 0;
	/* a bond's program runs on its members */
	snprintf(d->kind, sizeof(d->kind), "bond");
	build(m, VIEW_MAPS);
	CELL(5, COL_TARGET, "socket 901");
	CELL(5, COL_WARNING, "-");
}

TABLE_TEST(test_sockets)
{
	struct xdp_socket s = { .inode = INODE,
				.netns = HERE,
				.ifindex = 3,
				.ifname = "eth3",
				.queue = 2,
				.queues = 12,
				.zerocopy = true,
				.state = XDP_SOCKET_BOUND,
				.pid = 11,
				.comm = "xdpsock",
				.rx = { 2048, 2048 },
				.fill = { 2048, 0 },
				.received = 100 };

	struct finding starved = { .code = finding_code_find("xsk-starved"), .active = true };
	struct findings findings = { .finding = &starved, .n = 1, .n_active = 1 };

	location_init(&starved.location);
	starved.location.socket_inode = INODE + 2;
	m->options.findings = &findings;
	assert_missing(m, &rows_sockets, ITER_SOCKETS,
		       "No program has an AF_XDP socket open, in any",
		       "No AF_XDP socket is known: the kernel refuses to load BPF program "
		       "xdp_sockets (iter/bpf_map): EPERM.\n");
	put_xsk(m, 0);
	put_socket(&m->from, s);
	s.received += 40;
	s.rx_dropped = 2;
	s.rx_queue_full = 4;
	s.tx_invalid = 6;
	put_socket(&m->to, s);
	s = (struct xdp_socket){ .inode = INODE + 1, .netns = HERE, .received = 7 };
	put_socket(&m->to, s);
	/* starving sockets come first if no loss is counted */
	s = (struct xdp_socket){ .inode = INODE + 2, .rx = { 64, 0 } };
	put_socket(&m->from, s);
	s.rx_fill_ring_empty = 20;
	put_socket(&m->to, s);
	build(m, VIEW_SOCKETS);
	assert_int_equal(m->table.n_rows, 3);
	build_filtered(m, VIEW_SOCKETS, "queue=2");
	assert_int_equal(m->table.n_rows, 1);
	CELL(0, COL_DEVICE, "eth3");
	CELL(0, COL_QUEUE, "2/12");
	CELL(0, COL_MODE, "zero-copy");
	CELL(0, COL_STATE, "bound");
	CELL(0, COL_PROCESS, "xdpsock[11]");
	CELL(0, COL_MAP, "xsks [0]");
	CELL(0, COL_RX_PERCENT, "100");
	CELL(0, COL_FILL_PERCENT, "0");
	CELL(0, COL_TX_PERCENT, "-");
	CELL(0, COL_RECEIVED_RATE, "20");
	CELL(0, COL_LOST_RATE, "6.0");
	CELL(0, COL_RX_FULL_RATE, "2.0");
	CELL(0, COL_NO_FILL_RATE, "0");
	m->options.sort = COL_LOST_RATE;
	m->options.descending = true;
	build(m, VIEW_SOCKETS);
	CELL(0, COL_LOST_RATE, "6.0");
	CELL(1, COL_INODE, "902");
	CELL(1, COL_NO_FILL_RATE, "10");
	CELL(1, COL_MAP, "in no map");
	CELL(1, COL_WARNING, "xsk-starved");
	CELL(0, COL_WARNING, "-");
	/* it appeared in this interval: not yet, rather than 0 */
	CELL(2, COL_INODE, "901");
	CELL(2, COL_RECEIVED_RATE, ".");
	CELL(2, COL_LOST_RATE, ".");
	CELL(2, COL_PROCESS, "n/a");
	CELL(2, COL_QUEUE, "-");
	CELL(2, COL_MODE, "-");
}
