// SPDX-License-Identifier: GPL-2.0-or-later
/* What messages about queues contain, and which are ignored. */
#include <linux/genetlink.h>
#include <string.h>
#include "inventory/link_message.h"
#include "inventory/queue_message.h"
#include "unit/test.h"

#define FAMILY 27
#define DEVICE 5

/* include/uapi/linux/netdev.h */
enum { CMD_QUEUE = 10, CMD_NAPI, CMD_QSTATS };

struct message {
	char buf[1024] __attribute__((aligned(8)));
	struct nlmsghdr *head;
};

static void begin(struct message *m, uint8_t command)
{
	struct genlmsghdr *generic;

	memset(m->buf, 0xa5, sizeof(m->buf));
	m->head = mnl_nlmsg_put_header(m->buf);
	m->head->nlmsg_type = FAMILY;
	generic = mnl_nlmsg_put_extra_header(m->head, sizeof(*generic));
	generic->cmd = command;
}

/* Numbers by attribute type, which the families use in this order; UINT32_MAX = left out. */
static void put(struct message *m, uint8_t command, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	const uint32_t n[] = { a, b, c, d };

	begin(m, command);
	for (uint16_t i = 0; i < 4; i++)
		if (n[i] != UINT32_MAX)
			mnl_attr_put_u32(m->head, i + 1, n[i]);
}

TEST(test_answers)
{
	struct netdev_queue q[3] = { { 0 } }, before[3];
	struct message m;

	/* id, ifindex, type, napi; the third has no NAPI, but a socket */
	put(&m, CMD_QUEUE, 0, DEVICE, 0, 700);
	queue_take(m.head, FAMILY, DEVICE, q, 3);
	put(&m, CMD_QUEUE, 1, DEVICE, 0, 701);
	queue_take(m.head, FAMILY, DEVICE, q, 3);
	put(&m, CMD_QUEUE, 2, DEVICE, 0, UINT32_MAX);
	mnl_attr_nest_end(m.head, mnl_attr_nest_start(m.head, 7));
	queue_take(m.head, FAMILY, DEVICE, q, 3);
	assert_int_equal(q[0].napi, 700);
	assert_int_equal(q[1].napi, 701);
	assert_int_equal(q[2].napi, 0);
	assert_false(q[1].xsk);
	assert_true(q[2].xsk);

	/* ifindex, id, irq, pid */
	put(&m, CMD_NAPI, DEVICE, 700, 33, UINT32_MAX);
	queue_take(m.head, FAMILY, DEVICE, q, 3);
	put(&m, CMD_NAPI, DEVICE, 701, 34, 812);
	queue_take(m.head, FAMILY, DEVICE, q, 3);
	assert_int_equal(q[0].irq, 33);
	assert_int_equal(q[0].pid, 0);
	assert_int_equal(q[1].irq, 34);
	assert_int_equal(q[1].pid, 812);

	/* ifindex, type, id, scope; counters of both widths */
	put(&m, CMD_QSTATS, DEVICE, 0, 1, 1);
	mnl_attr_put_u64(m.head, 8, 5000000000);
	mnl_attr_put_u32(m.head, 13, 7);
	queue_take(m.head, FAMILY, DEVICE, q, 3);
	assert_true(q[1].counts_packets && q[1].counts_drops);
	assert_int_equal(q[1].packets, 5000000000);
	assert_int_equal(q[1].hw_drops, 7);
	assert_false(q[0].counts_packets);

	/* of another device, family, type, queue, or NAPI; without a number that it needs */
	memcpy(before, q, sizeof(q));
	for (int i = 0; i < 9; i++) {
		if (i < 2)
			put(&m, CMD_QUEUE, 0, DEVICE + !i, 0, 9);
		else if (i == 2)
			put(&m, CMD_QUEUE, 0, DEVICE, 1, 9);
		else if (i == 3)
			put(&m, CMD_QUEUE, 3, DEVICE, 0, 9);
		else if (i == 4)
			put(&m, CMD_QUEUE, 0, DEVICE, UINT32_MAX, 9);
		else if (i == 5)
			put(&m, CMD_NAPI, DEVICE, 702, 9, 9);
		else if (i == 6)
			put(&m, CMD_NAPI, DEVICE, UINT32_MAX, 9, 9);
		else if (i == 7)
			put(&m, CMD_QSTATS, DEVICE, 0, UINT32_MAX, 1);
		else
			put(&m, CMD_QUEUE, 0, UINT32_MAX, 0, 9);
		queue_take(m.head, i == 1 ? FAMILY + 1 : FAMILY, DEVICE, q, 3);
		assert_memory_equal(q, before, sizeof(q));
	}
	/* too short for a header of the family */
	begin(&m, CMD_QUEUE);
	m.head->nlmsg_len = NLMSG_HDRLEN;
	queue_take(m.head, FAMILY, DEVICE, q, 3);
	assert_memory_equal(q, before, sizeof(q));
}

TEST(test_requests)
{
	char buf[NETLINK_REQUEST_LEN] __attribute__((aligned(8)));

	for (int what = 0; what < QUEUE_QUESTIONS; what++) {
		struct nlmsghdr *m = queue_put_dump(buf, 9, FAMILY, (enum queue_question)what, 5);
		const struct genlmsghdr *head = mnl_nlmsg_get_payload(m);

		assert_int_equal(m->nlmsg_type, FAMILY);
		assert_int_equal(m->nlmsg_seq, 9);
		assert_int_equal(m->nlmsg_flags, NLM_F_REQUEST | NLM_F_DUMP);
		assert_int_equal(head->cmd, CMD_QUEUE + what);
		assert_true(m->nlmsg_len <= sizeof(buf));
	}
}
