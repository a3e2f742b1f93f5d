/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outcomes: the rows that a kind of stimulus leaves, as a function of the frames fired. The
 * stimuli's table has them as ->expect. All return 0 or -errno.
 */
#pragma once

#include "scene.h"

int outcome_redirect(struct scene *scene);      /* redirected and sent by a devmap or an ifindex */
int outcome_redirect_lost(struct scene *scene); /* redirected, then dropped in devmap_xmit */
int outcome_redirect_err(struct scene *scene);
int outcome_exception(struct scene *scene);
int outcome_bulk_tx(struct scene *scene);
int outcome_bulk_tx_full(struct scene *scene);
int outcome_queue(struct scene *scene);

/* For outcomes elsewhere. */
int outcome_set_program(struct scene *scene, struct expect *row);
int outcome_set_map(struct scene *scene, struct expect *row);
/* Adds the frames sent by AF_PACKET. */
void outcome_add_fed(struct scene *scene);
