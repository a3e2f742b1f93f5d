/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program with hashes and tries that each of its runs adds an entry to. */
#pragma once

/*
 * Attaches the program to lo of a namespace of its own, runs it n times, and prints a line for each
 * map, with `entries`. Ends after a line on stdin. Returns the exit status.
 */
int fill_run(unsigned int n);
