// SPDX-License-Identifier: GPL-2.0-or-later
/* Netlink sockets accept whole messages from the kernel only, and a limited number at once. */
#include <string.h>
#include <sys/socket.h>
#include <linux/rtnetlink.h>
#include <unistd.h>
#include "inventory/netdev_socket.h"
#include "inventory/netlink_socket.h"
#include "unit/test.h"

#define HEADER sizeof(struct nlmsghdr)

struct datagram {
	char buf[256] __attribute__((aligned(8)));
	size_t n;
};

/* A message whose header has this length, in a number of bytes. */
static void put(struct datagram *d, uint32_t length, size_t bytes)
{
	struct nlmsghdr message = { .nlmsg_len = length, .nlmsg_type = RTM_NEWLINK };

	memset(d->buf + d->n, 0, bytes);
	memcpy(d->buf + d->n, &message, sizeof(message) < bytes ? sizeof(message) : bytes);
	d->n += bytes;
}

static size_t count(const struct datagram *d)
{
	size_t offset = 0, n = 0;

	while (netlink_next(d->buf, d->n, &offset))
		n++;
	return n;
}

TEST(test_messages)
{
	struct datagram d = { 0 };

	put(&d, HEADER, HEADER);
	put(&d, HEADER + 3, HEADER + 4);
	put(&d, HEADER + 40, HEADER + 40);
	assert_int_equal(count(&d), 3);
	/* the last one may lack its padding */
	put(&d, HEADER + 1, HEADER + 1);
	assert_int_equal(count(&d), 4);
}

TEST(test_lengths_that_lie)
{
	static const uint32_t lengths[] = { 0,           1,          HEADER - 1,
					    HEADER + 73, 0x7fffffff, 0x80000000,
					    0xfffffff0,  0xfffffffc, UINT32_MAX };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct datagram d = { 0 };

		put(&d, lengths[i], HEADER + 72);
		assert_int_equal(count(&d), 0);
		/* also after a complete message */
		d.n = 0;
		put(&d, HEADER, HEADER);
		put(&d, lengths[i], HEADER + 72);
		assert_int_equal(count(&d), 1);
	}
}

TEST(test_short_datagrams)
{
	for (size_t n = 0; n < HEADER; n++) {
		struct datagram d = { 0 };

		put(&d, HEADER, n);
		assert_int_equal(count(&d), 0);
	}
}

static void take_link(void *ctx, const struct link_message *m)
{
	fail_msg("device %u was believed", m->device.ifindex);
}

/* Datagrams without a netlink address are ignored, and a limited number is read at once. */
TEST(test_drain)
{
	struct {
		struct nlmsghdr head;
		struct ifinfomsg info;
	} forged = { { sizeof(forged), RTM_NEWLINK, 0, 0, 0 }, { .ifi_index = 77 } };
	struct netdev_listener l = { .link = take_link };
	int ends[2], room = 1 << 20, left = 0;
	char buf[256];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	struct netdev_socket s = { .route = ends[0], .generic = -1 };

	setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	for (int i = 0; i < NETDEV_SOCKET_DRAIN + 5; i++)
		assert_int_equal(send(ends[1], &forged, sizeof(forged), 0), sizeof(forged));
	assert_int_equal(netdev_socket_drain(&s, &l), 0);
	while (netlink_socket_receive(ends[0], buf, sizeof(buf)) == 0)
		left++;
	assert_int_equal(left, 5);
	netdev_socket_close(&s);
	close(ends[1]);
}
