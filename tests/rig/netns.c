// SPDX-License-Identifier: GPL-2.0-or-later
#include "netns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define NETNS_DIR "/run/netns"

/* /proc/sys/net shows the reader's namespace. Without IPv6 nothing needs to be done. */
static int ipv6_disable(void)
{
	static const char *const knobs[] = {
		"/proc/sys/net/ipv6/conf/default/disable_ipv6",
		"/proc/sys/net/ipv6/conf/all/disable_ipv6",
	};

	for (unsigned int i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++) {
		int fd = open(knobs[i], O_WRONLY | O_CLOEXEC);
		int err = 0;

		if (fd < 0) {
			if (errno == ENOENT)
				continue;
			return -errno;
		}
		if (write(fd, "1", 1) != 1)
			err = -errno;
		close(fd);
		if (err)
			return err;
	}
	return 0;
}

static int loopback_set_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (ioctl(fd, SIOCSIFFLAGS, &ifr))
		err = -errno;
	close(fd);
	return err;
}

int netns_open(struct netns *ns)
{
	return unshare(CLONE_NEWNET) ? -errno : netns_open_here(ns);
}

int netns_open_here(struct netns *ns)
{
	struct stat st;
	int err;

	*ns = (struct netns){ .nl = -1 };
	ns->fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (ns->fd < 0 || fstat(ns->fd, &st)) {
		err = -errno;
		goto out;
	}
	ns->inum = st.st_ino;
	ns->nl = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (ns->nl < 0) {
		err = -errno;
		goto out;
	}
	err = ipv6_disable();
	if (!err)
		err = loopback_set_up();
out:
	if (err)
		netns_close(ns);
	return err;
}

int netns_enter(const struct netns *ns)
{
	return setns(ns->fd, CLONE_NEWNET) ? -errno : 0;
}

int netns_set_name(struct netns *ns, const char *name)
{
	char path[sizeof(ns->path)];
	int fd, err;

	if (strchr(name, '/') ||
	    snprintf(path, sizeof(path), NETNS_DIR "/%s", name) >= (int)sizeof(path))
		return -EINVAL;
	if (mkdir(NETNS_DIR, 0755) && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	close(fd);
	err = netns_enter(ns);
	if (!err && mount("/proc/self/ns/net", path, "none", MS_BIND, NULL))
		err = -errno;
	if (err) {
		unlink(path);
		return err;
	}
	strcpy(ns->path, path);
	return 0;
}

void netns_close(struct netns *ns)
{
	if (ns->path[0]) {
		umount2(ns->path, MNT_DETACH);
		unlink(ns->path);
	}
	if (ns->nl > 0)
		close(ns->nl);
	if (ns->fd > 0)
		close(ns->fd);
	*ns = (struct netns){ .nl = -1 };
}
