/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Headers of a packet from its first bytes, as printable texts: Ethernet, VLAN tags, ARP, IPv4 and
 * IPv6, and the head of what they carry. The bytes are untrusted. Nothing is read beyond them.
 */
#pragma once

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

#define PACKET_END_LEN 64 /* of the text of an end */
#define PACKET_ARP     "ARP"
#define PACKET_ND      "ICMPv6 ND"

struct packet_end {
	char address[INET6_ADDRSTRLEN]; /* IP or, without one, MAC; "-" = unknown */
	int port;                       /* -1 = none */
};

struct packet_header {
	char protocol[24];  /* "TCP", "ICMP 8/0", "VXLAN 42", "IPv4 89", "0x88b5"; "-" = unknown */
	char ethertype[8];  /* after VLAN tags: "ARP", "IPv4", "IPv6", "802.3", "0x88b5" */
	char transport[12]; /* of IP: "TCP", "89"; neighbour discovery is "ICMPv6 ND" */
	char vlan[32];      /* " vlan 10.20": the first tags, outermost first; "" = none */
	struct packet_end source, destination;
};

void packet_header_read(struct packet_header *h, const uint8_t *bytes, size_t n);
/* "192.0.2.1:80", "[2001:db8::1]:80", "192.0.2.1" or the MAC address; "-" = unknown. */
const char *packet_end_text(const struct packet_end *e, char buf[PACKET_END_LEN]);
