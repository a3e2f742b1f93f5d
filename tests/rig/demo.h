/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every tracepoint at once, at moderate and varying rates, as a show. */
#ifndef RIG_DEMO_H
#define RIG_DEMO_H

int demo_run(int argc, char **argv); /* returns the exit status */

#endif
