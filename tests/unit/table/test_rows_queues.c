// SPDX-License-Identifier: GPL-2.0-or-later
/* The view queues: rows of their data source, joined with sockets, devices and verdicts. */
#include "model/location.h"
#include "source/queues.h"
#include "source/sockets.h"
#include "table/view.h"
#include "unit/made_table.h"
#include "unit/made_verdicts.h"
#include "unit/test.h"

static struct netdev_queue *put_queue(struct snapshot *s, uint32_t queue)
{
	struct netdev_queue *q = snapshot_add_row(s, DATA_SOURCE_QUEUES, sizeof(*q));

	assert_non_null(q);
	*q = (struct netdev_queue){ .netns = MADE_NETNS,
				    .ifindex = 3,
				    .queue = queue,
				    .cpu = -1,
				    .cpu_node = -1,
				    .node = -1,
				    .packets_per_s = -1,
				    .drops_per_s = -1 };
	return q;
}

static struct netdev *put_device(struct snapshot *s, const char *kind)
{
	struct netdev *d = snapshot_add_netdev(s);

	assert_non_null(d);
	*d = (struct netdev){ .netns = MADE_NETNS,
			      .ifindex = 3,
			      .name = "eth3",
			      .up = true,
			      .mode = NETDEV_NATIVE,
			      .prog_id = 42 };
	snprintf(d->kind, sizeof(d->kind), "%s", kind);
	return d;
}

static struct xdp_socket *put_socket(struct snapshot *s, uint32_t inode, uint32_t queue,
				     uint32_t pid)
{
	struct xdp_socket *x = snapshot_add_row(s, DATA_SOURCE_SOCKETS, sizeof(*x));

	assert_non_null(x);
	*x = (struct xdp_socket){ .inode = inode,
				  .netns = MADE_NETNS,
				  .ifindex = 3,
				  .queue = queue,
				  .state = XDP_SOCKET_BOUND,
				  .pid = pid,
				  .comm = "fwd",
				  .rx = { .size = pid ? 64 : 0 } };
	return x;
}

TABLE_TEST(test_nic)
{
	struct xdp_socket *leased;
	struct netdev_queue *q;
	struct location l;

	put_device(&m->to, "");
	q = put_queue(&m->to, 0);
	q->napi = 257;
	q->irq = 38;
	q->cpu = 1;
	q->cpu_node = 1;
	q->node = 0;
	strcpy(q->cpus, "1");
	q->counts_packets = q->counts_drops = true;
	q->packets_per_s = 1500;
	q->drops_per_s = 2;
	q = put_queue(&m->to, 1);
	q->irq = 39;
	q->pid = 812;
	q->cpu = q->cpu_node = q->node = 0;
	strcpy(q->cpus, "0");
	q->counts_packets = q->counts_drops = true;
	q = put_queue(&m->to, 2);
	q->irq = 40;
	q->xsk = true;
	strcpy(q->cpus, "0-3");
	put_queue(&m->to, 3);
	/* the receiving socket is named */
	put_socket(&m->to, 7, 0, 0);
	put_socket(&m->to, 8, 0, 901);
	/* one of a netkit that has leased queue 1 */
	leased = put_socket(&m->to, 9, 0, 77);
	leased->netns = MADE_NETNS + 1;
	leased->nic = (struct xdp_place){ MADE_NETNS, 3, 1 };
	build(m, VIEW_QUEUES);
	assert_int_equal(m->table.n_rows, 4);
	CELL(0, COL_DEVICE, "eth3");
	CELL(0, COL_QUEUE, "0/4");
	CELL(0, COL_QUEUE_RATE, "1500");
	CELL(0, COL_CPU, "1");
	CELL(0, COL_IRQ, "38");
	CELL(0, COL_NAPI, "257");
	CELL(0, COL_NUMA, "1/0");
	CELL(0, COL_QUEUE_SOCKET, "fwd[901] +1");
	CELL(0, COL_HW_DROP_RATE, "2.0");
	CELL(1, COL_QUEUE_RATE, ".");
	CELL(1, COL_HW_DROP_RATE, ".");
	CELL(1, COL_IRQ, "thread 812");
	CELL(1, COL_NUMA, "0");
	CELL(1, COL_QUEUE_SOCKET, "fwd[77]");
	CELL(2, COL_CPU, "0-3");
	CELL(2, COL_NUMA, "n/a");
	CELL(2, COL_QUEUE_SOCKET, "bound");
	CELL(3, COL_QUEUE_RATE, "n/a");
	CELL(3, COL_CPU, "n/a");
	CELL(3, COL_IRQ, "n/a");
	CELL(3, COL_NAPI, "n/a");
	CELL(3, COL_HW_DROP_RATE, "n/a");
	/* keys m and c use these */
	location_init(&l);
	rows_queues.locate(&m->table, &m->table.row[0], &l);
	assert_int_equal(l.dev.ifindex, 3);
	assert_int_equal(l.to_cpu, 1);
	assert_int_equal(l.socket_inode, 8);
	build_filtered(m, VIEW_QUEUES, "cpu=1");
	assert_int_equal(m->table.n_rows, 1);
	build_filtered(m, VIEW_QUEUES, "queue=2");
	assert_int_equal(m->table.n_rows, 1);
	CELL(0, COL_IRQ, "40");
}

/* A veth says nothing of its queues: --verdicts knows their packets and CPUs. */
TABLE_TEST(test_verdicts)
{
	struct verdict *v;

	for (int now = 0; now < 2; now++) {
		struct snapshot *s = now ? &m->to : &m->from;

		put_device(s, "veth");
		made_program(s, 42);
		for (uint32_t queue = 0; queue < 2; queue++)
			put_queue(s, queue);
		made_verdict(s, 42, XDP_DROP, now ? 3000 : 1000)->cpu = 2;
		made_verdict(s, 42, XDP_PASS, now ? 400 : 300)->cpu = 1;
		v = made_verdict(s, 42, XDP_PASS, 50);
		v->queue = 1;
		made_sort_verdicts(s);
	}
	build(m, VIEW_QUEUES);
	CELL(0, COL_QUEUE_RATE, "1050");
	CELL(0, COL_CPU, "2");
	CELL(0, COL_IRQ, "-");
	/* nothing came in: no CPU handled it */
	CELL(1, COL_QUEUE_RATE, "0");
	CELL(1, COL_CPU, "n/a");
	/* the driver's own counter comes first */
	((struct netdev_queue *)netdev_queues(&m->to, &(size_t){ 0 }))->counts_packets = true;
	((struct netdev_queue *)netdev_queues(&m->to, &(size_t){ 0 }))->packets_per_s = 7;
	build(m, VIEW_QUEUES);
	CELL(0, COL_QUEUE_RATE, "7.0");
}

TABLE_TEST(test_left_out)
{
	struct snapshot_host host = { 0 };
	char buf[256] = "";

	m->options.switch_by = SWITCH_KEY;
	build(m, VIEW_QUEUES);
	table_missing(&m->table, &host, buf, sizeof(buf));
	assert_non_null(strstr(buf, "No device with XDP"));
	strcpy(host.absent[DATA_SOURCE_QUEUES], "too old");
	table_missing(&m->table, &host, buf, sizeof(buf));
	assert_string_equal(buf, "No receive queue is known: too old.\n");
	m->options.switch_by = SWITCH_NOT;
	put_device(&m->to, "");
	for (uint32_t i = 0; i < 3; i++)
		put_queue(&m->to, i)->left_out = 300;
	build(m, VIEW_QUEUES);
	CELL(2, COL_QUEUE, "2/303");
	buf[0] = '\0';
	rows_queues.summary(&m->table, 80, buf, sizeof(buf));
	assert_string_equal(buf, "300 queues are left out, because at most 256 rows "
				 "for a device and 16384 in all are shown");
}
