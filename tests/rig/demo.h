/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every tracepoint at once, at moderate and differing rates, for people to look at. */
#ifndef RIG_DEMO_H
#define RIG_DEMO_H

int demo_run(int argc, char **argv); /* the exit status */

#endif
