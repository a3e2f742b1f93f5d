/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Following a row: its events one by one, while the view of them is shown. */
#ifndef XDPTOP_UI_FOLLOW_H
#define XDPTOP_UI_FOLLOW_H

struct screen;

/* Views on the screen: without that of what is followed, where nothing was. */
int follow_views(const struct screen *s);
/* Takes the followed events of the newest snapshot. */
void follow_take(struct screen *s);
/* No event is followed any more, and none is kept. */
void follow_end(struct screen *s);
/* The interval, shorter while events are followed: they are looked at as they come. */
double follow_interval(const struct screen *s);
/* What is followed, how many events that is, and what is missing. */
void follow_title_draw(struct screen *s);

#endif
