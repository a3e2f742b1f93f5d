/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands on stdin, one JSON line in answer to each, until `quit`, EOF or a signal:
 *
 *     run N                    N live frames redirected by devmap to a veth whose peer drops them
 *     keys K                   from now on over K targets in turn, packet by packet (1 to 8)
 *     empty TRACEPOINT on|off  an empty tp_btf program there: the floor of what watching costs
 *     stimulus NAME N          any other stimulus, set up at its first use
 *
 * All runs are pinned to one CPU: the first this process may use.
 */
#ifndef RIG_BENCH_H
#define RIG_BENCH_H

int bench_run(void); /* the exit status */

#endif
