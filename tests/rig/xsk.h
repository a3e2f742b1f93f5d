/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stimuli with an AF_XDP socket, by plain system calls. Each makes the kernel refuse frames for
 * one reason, since nobody reads the socket, except one that reads everything.
 */
#pragma once

#include "scene.h"

int xsk_arm_ring_full(struct scene *scene);
int xsk_arm_fill_empty(struct scene *scene);
int xsk_arm_fill_invalid(struct scene *scene);
int xsk_arm_unbound(struct scene *scene);
int xsk_arm_other_device(struct scene *scene);
int xsk_arm_small_chunks(struct scene *scene);
int xsk_arm_read(struct scene *scene);
int xsk_fire_read(struct scene *scene, uint32_t count);
int xsk_expect_read(struct scene *scene);
int xsk_expect_ring_full(struct scene *scene);
int xsk_expect_fill_empty(struct scene *scene);
int xsk_expect_refused(struct scene *scene); /* every frame fails with stimulus->err */
void xsk_disarm(struct scene *scene);
/*
 * A socket on queue 0 of a device in this namespace, in slot 0 of the map, with @n filled chunks.
 * @use "read": reads until a signal; that of a row of `senders`: sends @n frames instead; "":
 * neither. Prints whether bind() with @flags succeeded. Returns 0 or -errno.
 */
int xsk_run(int ifindex, int map_fd, uint16_t flags, uint32_t n, const char *use);
/*
 * Two sockets on queue 0 of a device: the second one is refused n times, the program with it as
 * often, because of the peer's MTU. Prints "ready" and "done", and waits for a line after each.
 */
int xsk_refused_run(uint32_t n);
