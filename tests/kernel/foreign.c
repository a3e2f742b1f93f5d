// SPDX-License-Identifier: GPL-2.0-or-later
#include "foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Opens them in the network namespace of that process. */
static void open_sockets(struct foreign *f, pid_t pid)
{
	int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), net;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	net = open(path, O_RDONLY | O_CLOEXEC);
	if (!setns(net, CLONE_NEWNET) && !system("ip link add v0 type veth peer name v1")) {
		f->route = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
		f->inet = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	}
	if (setns(own, CLONE_NEWNET))
		abort();
	close(net);
	close(own);
}

int foreign_open(struct foreign *f)
{
	int ready[2];
	char is;
	pid_t pid;

	f->route = f->inet = -1;
	if (pipe2(ready, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNET) || write(ready[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	close(ready[1]);
	if (read(ready[0], &is, 1) == 1)
		open_sockets(f, pid);
	close(ready[0]);
	if (pid > 0 && !kill(pid, SIGKILL))
		waitpid(pid, NULL, 0);
	return f->route < 0 || f->inet < 0 ? -1 : 0;
}

int foreign_set_up(const struct foreign *f)
{
	struct {
		struct nlmsghdr head;
		struct ifinfomsg info;
	} up = { .head = { .nlmsg_len = sizeof(up),
			   .nlmsg_type = RTM_NEWLINK,
			   .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
		 .info = { .ifi_index = 1, .ifi_flags = IFF_UP, .ifi_change = IFF_UP } };
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		char request[256];
	} answer = { .error.error = -EPROTO };

	if (send(f->route, &up, sizeof(up), 0) < 0 ||
	    recv(f->route, &answer, sizeof(answer), 0) < 0)
		return errno;
	return -answer.error.error;
}

int foreign_set_channels(const struct foreign *f)
{
	struct ethtool_channels channels = { .cmd = ETHTOOL_SCHANNELS,
					     .rx_count = 1,
					     .tx_count = 1 };
	struct ifreq set = { .ifr_name = "v0", .ifr_data = (void *)&channels };

	return ioctl(f->inet, SIOCETHTOOL, &set) ? errno : 0;
}
