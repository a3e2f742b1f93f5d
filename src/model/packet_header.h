/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Headers of a packet from its first bytes: Ethernet, VLAN tags, ARP, IPv4 and IPv6, and the head
 * of what they carry. The bytes are anybody's. Nothing is read beyond them, and what they do not
 * have is unknown.
 */
#ifndef XDPTOP_PACKET_HEADER_H
#define XDPTOP_PACKET_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKET_VLANS 4 /* further tags are skipped */

struct packet_header {
	bool ethernet; /* the members up to `type` are known */
	uint8_t mac_source[6], mac_destination[6];
	uint16_t vlan[PACKET_VLANS], vlans;  /* ids, outermost first; number of all tags */
	uint16_t type;                       /* after the tags; below 1536 a length (IEEE 802.3) */
	uint8_t address;                     /* bytes of an IP address: 4, 16; 0 = unknown */
	uint8_t source[16], destination[16]; /* of ARP the protocol addresses */
	bool has_protocol;
	uint8_t protocol; /* IPPROTO_, after extension headers */
	bool fragment;    /* not the first one: has no ports */
	bool has_ports;
	uint16_t source_port, destination_port;
	bool has_kind; /* of ICMP and ICMPv6: type and code; of ARP: the operation */
	uint16_t kind, code;
	bool has_inner; /* GRE: the type of what it carries; VXLAN: its network */
	uint32_t inner;
};

void packet_header_read(struct packet_header *h, const uint8_t *bytes, size_t n);
/* "TCP", "ICMP 8/0", "VXLAN 42", "IPv4 89", "0x88b5": printable. */
const char *packet_protocol_text(const struct packet_header *h, char *buf, size_t size);
/* "192.0.2.1:80", "[2001:db8::1]:80", "192.0.2.1" or the MAC address; "-" = unknown. */
const char *packet_source_text(const struct packet_header *h, char *buf, size_t size);
const char *packet_destination_text(const struct packet_header *h, char *buf, size_t size);
/* The same without the port. */
const char *packet_source_address(const struct packet_header *h, char *buf, size_t size);
/* " vlan 10.20"; "" = no tags. */
const char *packet_vlan_text(const struct packet_header *h, char *buf, size_t size);

#endif
