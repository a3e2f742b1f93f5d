/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stimuli of which nothing is lost, however long they go on and however slow a receiver is: it
 * counts what it has taken, and the sender's program sends no more than there is room for.
 */
#ifndef RIG_HEALTHY_H
#define RIG_HEALTHY_H

#include "scene.h"

const struct stimulus *healthy_at(unsigned int i); /* NULL = there are no more */

#endif
