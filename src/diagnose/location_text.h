/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts and shell commands with the real names of a location. */
#pragma once

#include "base/format.h"
#include "model/location.h"
#include "model/netns_names.h"

/*
 * Fills a template with names. {dev} {to} {peer} {prog} {map} {cpu} are written for people ("eth1
 * (blue)", "xdp_fwd (id 42)"). Unknown names become common words. Returns the length.
 */
int location_text(const char *template, const struct location *l, struct netns_names *names,
		  char *buf, size_t size);
/*
 * As location_text(), for a command: {dev} {to} {peer} are quoted for the shell, {prog} {map} are
 * ids, {part} is that of the part of a dispatcher or, without one, of the program, {map1} to {map3}
 * are the ids of several maps, {cpu} is a number. {key} and {larger} are the bytes of its cpumap
 * key and of a value with a larger queue, {pid} is the socket's owner, {number} the new value of a
 * setting, {xdp} ip(8)'s word for the program's mode, {sockets} a command that shows AF_XDP
 * sockets. {in} {in_to} {in_peer} run the rest in a device's namespace ("ip netns exec blue ", ""
 * in init); {ip} {ip_to} {ip_peer} are ip(8) there. Without a location names are WORDS to be
 * replaced. Returns the length, or -ENOENT if a name is unknown or too long, or the device is known
 * to lack what ethtool is to show or set.
 */
int location_command(const char *template, const struct location *l, struct netns_names *names,
		     char *buf, size_t size);
