/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stimuli without losses, however long they run and however slow a receiver is: it counts what it
 * has taken, and the sender's program sends no more than there is room for.
 */
#pragma once

#include "scene.h"

const struct stimulus *healthy_at(unsigned int i); /* NULL = end */
