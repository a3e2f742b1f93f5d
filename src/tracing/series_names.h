/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of series: what a program read when it first saw one, brought up to date by what is
 * known of its devices, its program and its map since.
 */
#ifndef XDPTOP_SERIES_NAMES_H
#define XDPTOP_SERIES_NAMES_H

#include "inventory/netdev_table.h"
#include "tracing/series_table.h"

/*
 * A renamed device's series take its new name; those of a device that is gone keep the last one
 * and are marked as ended. A device that got the number of another does not give them its name:
 * they end, and are freed.
 *
 * A series that is looked at for the first time belongs to the device that has its number then:
 * that is only believed of a table that is `fresh`, from after the series was seen. Else its device
 * may be one that came after the table was read, in the place of one that is still in it.
 */
void series_names_update(struct series_table *s, const struct netdev_table *t, bool fresh);

#endif
