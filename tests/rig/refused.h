/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Native XDP on lo, which the kernel refuses: by a link, and over netlink. */
#pragma once

#include "scene.h"

int link_refused_arm(struct scene *scene);
int link_refused_fire(struct scene *scene, uint32_t count);
int link_refused_expect(struct scene *scene);
int netlink_refused_arm(struct scene *scene);
int netlink_refused_fire(struct scene *scene, uint32_t count);
int netlink_refused_expect(struct scene *scene);
