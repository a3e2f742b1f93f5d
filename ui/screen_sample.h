/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes samples for the loop. Keys ask for one in screen.sample_at_ns or screen.steps. */
#ifndef XDPTOP_UI_SCREEN_SAMPLE_H
#define XDPTOP_UI_SCREEN_SAMPLE_H

#include "screen.h"

/* Takes one if it is there, and shows it. */
void screen_sample_take(struct screen *s);
/* The same now, and restarts the interval. */
void screen_sample(struct screen *s);

#endif
