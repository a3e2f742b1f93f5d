/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes samples for the loop. Keys request a sample through screen.sample_at_ns or screen.steps. */
#ifndef XDPTOP_UI_SCREEN_SAMPLE_H
#define XDPTOP_UI_SCREEN_SAMPLE_H

#include "screen.h"

/* Takes a sample, if one is available, and shows it. */
void screen_sample_take(struct screen *s);
/* The same, and restarts the interval. Does nothing after the end of a recording. */
void screen_sample(struct screen *s);

#endif
