/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of pods and containers by their ids, from files of the kubelet, docker and podman. No
 * daemon is asked: through its socket, whoever takes over this process could start containers.
 *
 * For Kubernetes the names of directory entries suffice, and the directories stay open across the
 * drop of privileges. Only root can read the files of docker and podman. They are read after the
 * drop, so only if the process keeps root's access to files, as the screen does.
 */
#pragma once

#include "model/pod.h"

struct container_names;

/*
 * Open the directories below `root`, which must outlive it and is "" except in tests. NULL = out of
 * memory.
 */
struct container_names *container_names_open(const char *root);
void container_names_close(struct container_names *c);
/* Set the names of n pods by their container_id and uid, as far as they are found. */
void container_names_find(struct container_names *c, struct pod *pod, size_t n);
