// SPDX-License-Identifier: GPL-2.0-or-later
/* Descriptors over a socketpair. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/side_process.h"
#include "unit/test.h"

static bool is_same_file(int a, int b)
{
	struct stat x, y;

	return !fstat(a, &x) && !fstat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static void pair_open(int pair[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
}

static int lowest_free(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

TEST(test_descriptors)
{
	int pair[2], file = open("/dev/null", O_RDONLY), other = open("/", O_RDONLY);
	const int sent[][FD_PASS_MAX] = { { -1, other }, { file, -1 }, { file, other } };
	int got[FD_PASS_MAX];
	char text[4];

	pair_open(pair);
	for (int n = 0; n <= FD_PASS_MAX; n++) {
		assert_int_equal(fd_pass_send(pair[0], "abcd", 4, sent[n], 0), 0);
		assert_int_equal(fd_pass_receive(pair[1], text, sizeof(text), got, 0), 4);
		assert_memory_equal(text, "abcd", 4);
		for (int i = 0; i < FD_PASS_MAX; i++) {
			if (i >= n) {
				assert_int_equal(got[i], -1);
				continue;
			}
			assert_true(is_same_file(got[i], sent[n][i]));
			assert_int_equal(fcntl(got[i], F_GETFD), FD_CLOEXEC);
			close(got[i]);
		}
	}
	close(pair[0]);
	assert_int_equal(fd_pass_receive(pair[1], text, sizeof(text), got, 0), 0);
	assert_int_equal(fd_pass_send(pair[1], text, sizeof(text), sent[0], 0), -EPIPE);
	close(pair[1]);
	close(file);
	close(other);
}

TEST(test_none_waits)
{
	int pair[2], got[FD_PASS_MAX] = { 7, 7 };
	char text[4];

	pair_open(pair);
	assert_int_equal(fd_pass_receive(pair[1], text, sizeof(text), got, MSG_DONTWAIT), -EAGAIN);
	assert_int_equal(got[0], -1);
	assert_int_equal(got[1], -1);
	close(pair[0]);
	close(pair[1]);
}

/* More descriptors and bytes than there is room for: nothing stays open, and the size tells. */
TEST(test_too_much)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(8 * sizeof(int))];
	} control = { .head = { .cmsg_len = CMSG_LEN(8 * sizeof(int)),
				.cmsg_level = SOL_SOCKET,
				.cmsg_type = SCM_RIGHTS } };
	struct iovec part = { "abcdefgh", 8 };
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	int pair[2], eight[8] = { 0 }, got[FD_PASS_MAX], free;
	char text[4];

	pair_open(pair);
	free = lowest_free();
	memcpy(CMSG_DATA(&control.head), eight, sizeof(eight));
	assert_int_equal(sendmsg(pair[0], &m, 0), 8);
	assert_int_equal(fd_pass_receive(pair[1], text, sizeof(text), got, 0), 5);
	for (int i = 0; i < FD_PASS_MAX; i++) {
		assert_true(got[i] >= 0);
		close(got[i]);
	}
	assert_int_equal(lowest_free(), free);
	close(pair[0]);
	close(pair[1]);
}
