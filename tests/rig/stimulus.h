/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All stimuli: --list, the parser, the demo and the bench read them here. */
#ifndef RIG_STIMULUS_H
#define RIG_STIMULUS_H

#include "scene.h"

const struct stimulus *stimulus_at(unsigned int i); /* NULL = there are no more */

const struct stimulus *stimulus_find(const char *name);

#endif
