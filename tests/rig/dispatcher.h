/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dispatchers whose functions are replaced by programs of type EXT, which is how libxdp attaches
 * several programs to a device.
 */
#pragma once

/*
 * A dispatcher by netlink on rig-in has a part that is pinned in the directory `pins` (a bpffs),
 * and one that only this process holds. The latter is also a part of two others, by netlink on
 * rig-feed and by a BPF link on lo. After a line on stdin this process closes that part; after
 * another it ends. Returns the exit status.
 */
int dispatcher_run(const char *pins);
