/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program that looks up routes, for a device whose routes and neighbours are set up already. */
#pragma once

/*
 * Run it for @ifname, @count times for each IPv4 address in @argv, and as often with an argument
 * that is an error. A line of JSON says what it got for each address. Returns the exit status.
 */
int fib_lookup_run(const char *ifname, unsigned int count, char **argv);
