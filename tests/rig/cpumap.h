/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stimuli that redirect frames to another CPU. They wait for the kthread there. */
#pragma once

#include "scene.h"

int cpumap_prepare(struct scene *scene);
int cpumap_prepare_program(struct scene *scene);
int cpumap_prepare_abort(struct scene *scene);
int cpumap_prepare_slow(struct scene *scene);
int cpumap_arm(struct scene *scene);
int cpumap_arm_full(struct scene *scene);
int cpumap_arm_program(struct scene *scene);
int cpumap_arm_abort(struct scene *scene);
int cpumap_arm_slow(struct scene *scene);
int cpumap_fire(struct scene *scene, uint32_t count);
int cpumap_fire_abort(struct scene *scene, uint32_t count);
int cpumap_fire_same(struct scene *scene, uint32_t count);
int cpumap_fire_slow(struct scene *scene, uint32_t count);
int cpumap_fire_program(struct scene *scene, uint32_t count);
int cpumap_expect(struct scene *scene);
int cpumap_expect_full(struct scene *scene);
int cpumap_expect_program(struct scene *scene);
int cpumap_expect_abort(struct scene *scene);
int cpumap_expect_slow(struct scene *scene);
