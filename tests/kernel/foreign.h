/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A user namespace that root created, with a network namespace and a veth in it. */
#pragma once

/* Sockets in that network namespace, which keep it alive. */
struct foreign {
	int route, inet;
};

/* Call it as root with all capabilities. 0 or -1. */
int foreign_open(struct foreign *f);
/* Tries what needs CAP_NET_ADMIN there, over netlink and ethtool. 0, or the errno. */
int foreign_set_up(const struct foreign *f);
int foreign_set_channels(const struct foreign *f);
