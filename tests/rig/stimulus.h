/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All stimuli, for --list, the parser, the demo and the bench. */
#ifndef RIG_STIMULUS_H
#define RIG_STIMULUS_H

#include "scene.h"

const struct stimulus *stimulus_at(unsigned int i); /* NULL = end */

const struct stimulus *stimulus_find(const char *name);

#endif
