/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interrupts of receive queues and the CPUs that serve them, from files in /sys and /proc that
 * need no privilege and do not depend on the network namespace.
 */
#pragma once

#include "inventory/link_message.h"
#include "model/netdev_queue.h"

/*
 * The receive queue that an interrupt serves, by the name that its driver gave it: 3 for
 * "eth0-TxRx-3" and "virtio0-input.3". False = another interrupt, or a name of another form.
 */
bool queue_of_irq(const char *name, uint32_t *queue);
/*
 * Set `irq` in rows where it is 0: row[i] is queue i of the device. Only interrupts of the device
 * itself are considered, and a queue with two of them gets none.
 */
void queue_irqs_find(const struct netdev_hardware *of, struct netdev_queue *row, size_t n);
/* Set cpu, cpus and cpu_node by `irq` or `pid`. */
void queue_cpus_read(struct netdev_queue *row, size_t n);
