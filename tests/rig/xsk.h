/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stimuli with an AF_XDP socket, by plain system calls: each makes the kernel refuse frames for
 * one of the reasons it has, since nobody reads the socket; but one reads all.
 */
#ifndef RIG_XSK_H
#define RIG_XSK_H

#include "scene.h"

int xsk_arm_ring_full(struct scene *scene);
int xsk_arm_fill_empty(struct scene *scene);
int xsk_arm_unbound(struct scene *scene);
int xsk_arm_other_device(struct scene *scene);
int xsk_arm_small_chunks(struct scene *scene);
int xsk_arm_read(struct scene *scene);
int xsk_fire_read(struct scene *scene, uint32_t count);
int xsk_expect_read(struct scene *scene);
int xsk_expect_ring_full(struct scene *scene);
int xsk_expect_fill_empty(struct scene *scene);
int xsk_expect_refused(struct scene *scene); /* every frame, with stimulus->err */
void xsk_disarm(struct scene *scene);

#endif
