/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Features of the running kernel, found in its BTF because version numbers mislead after backports.
 * Without BTF the version number decides.
 */
#pragma once

#include <stdbool.h>

bool kernel_has_link_attach_failed(void); /* 6.6 */
bool kernel_has_netlink_extack(void);     /* 5.11 */
/*
 * From 6.3 a device reports whether it accepts XDP frames now; before, it accepted and dropped
 * them.
 */
bool kernel_has_xdp_features(void);
/* From 5.13 XDP_REDIRECT without a helper has its own error, not ifindex 0. */
bool kernel_has_redirect_map_id(void);
