/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the running kernel has, asked of its BTF because version numbers mislead where features were
 * backported. A kernel without BTF is taken to be as its version number says.
 */
#ifndef RIG_KERNEL_H
#define RIG_KERNEL_H

#include <stdbool.h>

bool kernel_has_link_attach_failed(void); /* 6.6 */
bool kernel_has_netlink_extack(void);     /* 5.11 */
/* From 6.3 a device says whether it can take XDP frames now; before, it took and dropped them. */
bool kernel_has_xdp_features(void);
/* From 5.13 XDP_REDIRECT without a helper is an error of its own, not ifindex 0. */
bool kernel_has_redirect_map_id(void);

#endif
