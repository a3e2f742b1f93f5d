/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a key does, and what a click. */
#ifndef XDPTOP_UI_SCREEN_KEYS_H
#define XDPTOP_UI_SCREEN_KEYS_H

#include "screen.h"

/* Handles a key, typed or clicked. */
void screen_key(struct screen *s, int code);

#endif
