/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why an attach of an XDP program was refused, by the kernel's message: it is the only thing that
 * tells causes apart, an errno has several.
 */
#ifndef XDPTOP_ATTACH_CAUSE_H
#define XDPTOP_ATTACH_CAUSE_H

#include "diagnose/cause.h"

/*
 * Of an event at AT_ATTACH, by its text; NULL = a message that no row knows. What is said of any
 * refusal is in causes[]. Its code is -EBUSY where the program that is attached is in the way, else
 * 0.
 */
const struct cause *attach_cause(const struct event *e);
/* A message that is no refusal: the driver has switched LRO off, and takes the program. */
bool attach_is_taken(const struct event *e);
/*
 * An MTU in bytes with which the device takes a program without frags: what the message says, else
 * what its driver is known to take on the machine of `s`, else 1500. d may be NULL.
 */
uint32_t attach_mtu(const struct event *e, const struct netdev *d, const struct snapshot *s);

#endif
