/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts, and commands to be pasted into a shell, with the real names of a location. */
#ifndef XDPTOP_LOCATION_TEXT_H
#define XDPTOP_LOCATION_TEXT_H

#include "base/format.h"
#include "model/location.h"
#include "model/netns_names.h"

/*
 * Fills a template with names. A text has {dev} {to} {peer} {prog} {map} {cpu}, each as one reads
 * it ("eth1 (blue)", "xdp_fwd (id 42)"); unknown ones become common words. Returns the length.
 */
int location_text(const char *template, const struct location *l, struct netns_names *names,
		  char *buf, size_t size);
/* {to} alone; *id is set to where it has the number of a namespace or map. Returns the length. */
int location_target_text(const struct location *l, struct netns_names *names, char *buf,
			 size_t size, struct id_span *id);
/*
 * As location_text(), for a command: {dev} {to} {peer} quoted for the shell, {prog} {map} ids,
 * {map1} to {map3} those of several maps, {cpu}, {key} and {larger} the bytes of its cpumap key and
 * of a value with a larger queue, {pid} of the socket's owner, {number} what a setting is to be,
 * {xdp} ip(8)'s word for the mode of the program, {sockets} a command that shows AF_XDP sockets.
 * {in} {in_to} {in_peer} run what follows in a device's namespace ("ip netns exec blue ", "" in
 * init); {ip} {ip_to} {ip_peer} are ip(8) there. Without a location names are WORDS to be replaced.
 * Returns the length, or -ENOENT when a name is unknown or too long, or the device is known not to
 * have what ethtool is to show or set.
 */
int location_command(const char *template, const struct location *l, struct netns_names *names,
		     char *buf, size_t size);

#endif
