/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one table of stimuli: --list, the parser, the demo and the bench all read it. */
#ifndef RIG_STIMULUS_H
#define RIG_STIMULUS_H

#include "scene.h"

extern const struct stimulus stimuli[]; /* ends with a row without a name */

const struct stimulus *stimulus_find(const char *name);

#endif
