/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dispatchers whose functions are replaced by programs of type EXT, as libxdp attaches several
 * programs to a device.
 */
#ifndef RIG_DISPATCHER_H
#define RIG_DISPATCHER_H

/*
 * One by netlink on rig-in, with a part that is pinned in the directory `pins` (a bpffs) and one
 * that only this process holds; the latter is a part of two others as well, by netlink on rig-feed
 * and by a BPF link on lo. A line on stdin, and this process lets go of that part; another, and all
 * ends. The exit status.
 */
int dispatcher_run(const char *pins);

#endif
