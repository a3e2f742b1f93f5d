/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads commands from stdin and answers each with a JSON line, until `quit`, EOF or a signal:
 *
 *     run N                    N live frames redirected by devmap to a veth whose peer drops them
 *     keys K                   later runs alternate between K targets (1 to 8) packet by packet
 *     empty TRACEPOINT on|off  an empty tp_btf program there: the least that watching costs
 *     stimulus NAME N          any other stimulus, set up on first use
 *
 * All runs are pinned to the first CPU that this process may use.
 */
#pragma once

int bench_run(void); /* returns the exit status */
