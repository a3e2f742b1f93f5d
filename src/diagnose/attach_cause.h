/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the kernel refused to attach an XDP program. Only the kernel's message distinguishes the
 * causes: one errno has several.
 */
#pragma once

#include "diagnose/cause.h"

/*
 * The cause of an event at AT_ATTACH, from its text; NULL = no row knows the message. causes[] has
 * the general text. The cause's code is -EBUSY if the attached program is in the way, else 0.
 */
const struct cause *attach_cause(const struct event *e);
/* Whether the program was attached despite the message: the driver has only disabled LRO. */
bool attach_is_taken(const struct event *e);
/*
 * An MTU in bytes at which the device accepts a program without frags: the limit in the message,
 * else the known limit of its driver on the machine of `s`, else 1500. d may be NULL.
 */
uint32_t attach_mtu(const struct event *e, const struct netdev *d, const struct snapshot *s);
