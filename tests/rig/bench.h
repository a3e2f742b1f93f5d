/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands on stdin, one JSON line in answer to each, until `quit`, EOF or a signal. */
#ifndef RIG_BENCH_H
#define RIG_BENCH_H

int bench_run(void);	/* the exit status */

#endif
