// SPDX-License-Identifier: GPL-2.0-or-later
/* What the stack of a namespace dropped, in its files. */
#include "inventory/netns_counts.h"
#include "unit/test.h"

TEST(test_sum)
{
	static const struct {
		const char *text;
		bool found;
		uint64_t sum;
	} of[] = {
		{ "Tcp: RtoAlgorithm InErrs InCsumErrors\nTcp: 1 7 2\n"
		  "Udp: InDatagrams InCsumErrors IgnoredMulti\nUdp: 100 30 9\n",
		  true, 32 },
		{ "TcpExt: SyncookiesSent TCPMD5Failure\nTcpExt: 3 4\n"
		  "IpExt: InNoRoutes InCsumErrors\nIpExt: -1 5\n",
		  true, 5 },
		{ "Ip6InReceives                   \t12\nUdp6InCsumErrors                \t4\n"
		  "Udp6IgnoredMulti                \t1\nIcmp6InCsumErrors\t2\n",
		  true, 6 },
		{ "Udp: InCsumErrors\nUdp: 18446744073709551615", true, UINT64_MAX },
		/* as before 3.10, or cut off */
		{ "Udp: InDatagrams InErrors\nUdp: 100 30\n", false, 0 },
		{ "Udp: InDatagrams InCsumErrors\nUdp: 100\n", false, 0 },
		{ "Udp: InDatagrams InCsumErrors\nUdp: 100", false, 0 },
		{ "Udp: InDatagrams InCsumErrors\n", false, 0 },
		{ "Udp: InDatagrams InCsumErrors", false, 0 },
		{ "Udp: InCsumErrors\nUdp: InCsumErrors\nUdp: 3\n", false, 0 },
		{ "Udp6InCsumErrors\n12\n", false, 0 },
		{ "Udp6InCsumErrorsX 12\nCsumErrors 3\n", false, 0 },
		{ "\n\n:\n", false, 0 },
		{ "", false, 0 },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		struct netdev d = { 0 };
		uint64_t sum = 0;

		netns_counts_add(of[i].text, &d);
		assert_int_equal(netdev_count(&d, NETDEV_CSUM_ERRORS, &sum), of[i].found);
		assert_int_equal(sum, of[i].sum);
	}
}

/* Each counter, of both versions of IP; one that is not there stays unknown. */
TEST(test_each)
{
	struct netdev d = { 0 };
	uint64_t n;

	netns_counts_add("TcpExt: ListenOverflows ListenDrops IPReversePathFilter\n"
			 "TcpExt: 1 2 3\nIpExt: InNoRoutes\nIpExt: 4\n"
			 "Ip: InAddrErrors\nIp: 7\n",
			 &d);
	netns_counts_add("Ip6InNoRoutes \t5\nIp6OutNoRoutes \t6\n", &d);
	assert_true(netdev_count(&d, NETDEV_LISTEN_DROPS, &n) && n == 2);
	assert_true(netdev_count(&d, NETDEV_RP_FILTERED, &n) && n == 3);
	assert_true(netdev_count(&d, NETDEV_NO_ROUTES, &n) && n == 9);
	assert_true(netdev_count(&d, NETDEV_ADDR_ERRORS, &n) && n == 7);
	assert_false(netdev_count(&d, NETDEV_CSUM_ERRORS, &n));
}

/* The kernel has all of them. A file that cannot be opened is left out. */
TEST(test_read)
{
	struct netdev d = { 0 }, none = { 0 };
	int fd[NETNS_FILES];
	uint64_t n;

	netns_counts_open(fd);
	netns_counts_read(fd, &d);
	netns_counts_close(fd);
	for (int i = NETDEV_NETNS_COUNT; i < NETDEV_COUNTS; i++)
		if (!netdev_count(&d, (enum netdev_count)i, &n))
			fail_msg("%s", netdev_counts[i]);
	for (int i = 0; i < NETNS_FILES; i++)
		fd[i] = -1;
	netns_counts_read(fd, &none);
	assert_int_equal(none.counted, 0);
	netns_counts_close(fd);
}
