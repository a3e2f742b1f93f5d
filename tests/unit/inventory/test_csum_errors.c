// SPDX-License-Identifier: GPL-2.0-or-later
/* The sum of InCsumErrors in the files of a namespace. */
#include "inventory/csum_errors.h"
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
		uint64_t sum = 0;

		assert_int_equal(csum_errors_add(of[i].text, &sum), of[i].found);
		assert_int_equal(sum, of[i].sum);
	}
}

/* A file that cannot be opened is left out. */
TEST(test_read)
{
	int fd[CSUM_FILES];
	uint64_t sum, again;

	csum_errors_open(fd);
	assert_true(csum_errors_read(fd, &sum));
	assert_true(csum_errors_read(fd, &again) && again >= sum);
	csum_errors_close(fd);
	for (int i = 0; i < CSUM_FILES; i++)
		fd[i] = -1;
	assert_false(csum_errors_read(fd, &sum));
	csum_errors_close(fd);
}
