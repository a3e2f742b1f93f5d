// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/queue_message.h"

#include <linux/genetlink.h>
#include <linux/netlink.h>

/* include/uapi/linux/netdev.h, which older headers do not have */
static const uint8_t commands[QUEUE_QUESTIONS] = { 10, 11, 12 };

enum { QUEUE_ID = 1, QUEUE_IFINDEX, QUEUE_TYPE, QUEUE_NAPI_ID, QUEUE_XSK = 7 };
enum { NAPI_IFINDEX = 1, NAPI_ID, NAPI_IRQ, NAPI_PID };
enum {
	QSTATS_IFINDEX = 1,
	QSTATS_TYPE,
	QSTATS_QUEUE,
	QSTATS_SCOPE,
	QSTATS_RX_PACKETS = 8,
	QSTATS_RX_HW_DROPS = 13,
	ATTRIBUTES,
};
#define TYPE_RX     0
#define SCOPE_QUEUE 1

struct attributes {
	const struct nlattr *at[ATTRIBUTES];
};

static int attribute_keep(const struct nlattr *a, void *data)
{
	struct attributes *attributes = data;
	uint16_t type = mnl_attr_get_type(a);

	if (type < ATTRIBUTES)
		attributes->at[type] = a;
	return MNL_CB_OK;
}

/* A number of the kernel's type `uint`, which takes 4 bytes if it fits, else 8. */
static bool attribute_number(const struct attributes *a, int type, uint64_t *n)
{
	const struct nlattr *of = a->at[type];
	uint16_t len = of ? mnl_attr_get_payload_len(of) : 0;

	if (len != sizeof(uint32_t) && len != sizeof(uint64_t))
		return false;
	*n = len == sizeof(uint64_t) ? mnl_attr_get_u64(of) : mnl_attr_get_u32(of);
	return true;
}

static uint32_t u32_of(const struct attributes *a, int type)
{
	uint64_t n = 0;

	return attribute_number(a, type, &n) && n <= UINT32_MAX ? (uint32_t)n : 0;
}

struct nlmsghdr *queue_put_dump(void *buf, uint32_t seq, uint16_t family, enum queue_question what,
				uint32_t ifindex)
{
	struct nlmsghdr *message = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *head;

	message->nlmsg_type = family;
	message->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	message->nlmsg_seq = seq;
	head = mnl_nlmsg_put_extra_header(message, sizeof(*head));
	head->cmd = commands[what];
	head->version = 1;
	mnl_attr_put_u32(message,
			 what == QUEUE_GET  ? QUEUE_IFINDEX
			 : what == NAPI_GET ? NAPI_IFINDEX
					    : QSTATS_IFINDEX,
			 ifindex);
	if (what == QSTATS_GET)
		mnl_attr_put_u32(message, QSTATS_SCOPE, SCOPE_QUEUE);
	return message;
}

/* The row of the receive queue that the message is about; NULL = not one of these. */
static struct netdev_queue *row_of(const struct attributes *a, int type, int id,
				   struct netdev_queue *row, size_t n)
{
	uint64_t is, queue;

	return attribute_number(a, type, &is) && is == TYPE_RX && attribute_number(a, id, &queue) &&
			       queue < n
		       ? &row[queue]
		       : NULL;
}

static void take_queue(const struct attributes *a, struct netdev_queue *row, size_t n)
{
	struct netdev_queue *q = row_of(a, QUEUE_TYPE, QUEUE_ID, row, n);

	if (!q)
		return;
	q->napi = u32_of(a, QUEUE_NAPI_ID);
	q->xsk = a->at[QUEUE_XSK];
}

static void take_napi(const struct attributes *a, struct netdev_queue *row, size_t n)
{
	uint32_t id = u32_of(a, NAPI_ID);

	for (size_t i = 0; i < n && id; i++) {
		if (row[i].napi != id)
			continue;
		row[i].irq = u32_of(a, NAPI_IRQ);
		row[i].pid = u32_of(a, NAPI_PID);
	}
}

static void take_counts(const struct attributes *a, struct netdev_queue *row, size_t n)
{
	struct netdev_queue *q = row_of(a, QSTATS_TYPE, QSTATS_QUEUE, row, n);

	if (!q)
		return;
	q->counts_packets = attribute_number(a, QSTATS_RX_PACKETS, &q->packets);
	q->counts_drops = attribute_number(a, QSTATS_RX_HW_DROPS, &q->hw_drops);
}

void queue_take(const struct nlmsghdr *message, uint16_t family, uint32_t ifindex,
		struct netdev_queue *row, size_t n)
{
	const struct genlmsghdr *head = mnl_nlmsg_get_payload(message);
	struct attributes a = { { NULL } };

	if (message->nlmsg_type != family || mnl_nlmsg_get_payload_len(message) < sizeof(*head))
		return;
	mnl_attr_parse(message, sizeof(*head), attribute_keep, &a);
	if (head->cmd == commands[QUEUE_GET] && u32_of(&a, QUEUE_IFINDEX) == ifindex)
		take_queue(&a, row, n);
	else if (head->cmd == commands[NAPI_GET] && u32_of(&a, NAPI_IFINDEX) == ifindex)
		take_napi(&a, row, n);
	else if (head->cmd == commands[QSTATS_GET] && u32_of(&a, QSTATS_IFINDEX) == ifindex)
		take_counts(&a, row, n);
}
