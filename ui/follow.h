/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows a row: lists each of its events while the follow view is shown. */
#pragma once

struct screen;

/* Number of views. The follow view counts only while it is shown or has events. */
int follow_views(const struct screen *s);
/* Adds the followed events of the newest snapshot to the list. */
void follow_take(struct screen *s);
/* Stops following and frees the events. */
void follow_end(struct screen *s);
/* Seconds between samples: shorter while events are followed, to show them soon. */
double follow_interval(const struct screen *s);
/* Draws what is followed and how many events were listed and lost, or why there are none. */
void follow_title_draw(struct screen *s);
