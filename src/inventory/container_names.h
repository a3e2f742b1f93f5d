/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of pods and containers by their ids, from what the kubelet, docker and podman leave in
 * files. No daemon is asked: an API's socket would let whoever takes over this process start
 * containers.
 *
 * Of Kubernetes the names of directory entries are enough. Their directories are held open from
 * before the drop of privileges. Files of docker and podman belong to root alone: after the drop
 * they are read where root's files still are, as on the screen.
 */
#ifndef XDPTOP_CONTAINER_NAMES_H
#define XDPTOP_CONTAINER_NAMES_H

#include "model/pod.h"

struct container_names;

/*
 * Open what there is below `root`, which must outlive it: "" but for tests. NULL = out of memory.
 */
struct container_names *container_names_open(const char *root);
/* Takes NULL. */
void container_names_close(struct container_names *c);
/* Set the names of n pods by their container_id and uid, where they are found. */
void container_names_find(struct container_names *c, struct pod *pod, size_t n);

#endif
