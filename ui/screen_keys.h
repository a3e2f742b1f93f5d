/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XDPTOP_UI_SCREEN_KEYS_H
#define XDPTOP_UI_SCREEN_KEYS_H

#include "screen.h"

/* Handles a key or a click, by its code. */
void screen_key(struct screen *s, int code);

#endif
