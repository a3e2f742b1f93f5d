// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/packet_header.h"

#include <arpa/inet.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#define TYPE_8021AD    0x88a8
#define TYPE_LENGTH    1536 /* smaller values are a length */
#define VLAN_ID        0x0fff
#define PORT_VXLAN     4789
#define PORT_VXLAN_OLD 8472 /* Linux' own, before IANA's */
#define ARP_ETHERNET   1
#define EXTENSIONS     8 /* extension headers of IPv6 that are skipped */
#define FRAGMENT_AT    0x1fff
#define EXTENSION_AT   0xfff8

/* What is left of the bytes. */
struct rest {
	const uint8_t *at;
	size_t n;
};

/* The next n bytes, or NULL if there are fewer. */
static const uint8_t *take(struct rest *r, size_t n)
{
	const uint8_t *at = r->at;

	if (r->n < n)
		return NULL;
	r->at += n;
	r->n -= n;
	return at;
}

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static void read_arp(struct packet_header *h, struct rest r)
{
	const uint8_t *at = take(&r, 28);

	if (!at)
		return;
	h->has_kind = true;
	h->kind = get16(at + 6);
	if (get16(at) != ARP_ETHERNET || get16(at + 2) != ETHERTYPE_IP || at[4] != 6 || at[5] != 4)
		return;
	h->address = 4;
	memcpy(h->source, at + 14, 4);
	memcpy(h->destination, at + 24, 4);
}

static void read_ports(struct packet_header *h, struct rest *r)
{
	const uint8_t *at = take(r, 4);

	if (!at)
		return;
	h->has_ports = true;
	h->source_port = get16(at);
	h->destination_port = get16(at + 2);
}

/* After the ports: length, checksum, then flags and the network (RFC 7348). */
static void read_vxlan(struct packet_header *h, struct rest r)
{
	const uint8_t *at = take(&r, 12);

	if (!at || !(at[4] & 0x08))
		return;
	h->has_inner = true;
	h->inner = (uint32_t)at[8] << 16 | (uint32_t)at[9] << 8 | at[10];
}

static bool is_vxlan(const struct packet_header *h)
{
	return h->has_protocol && h->protocol == IPPROTO_UDP && h->has_ports &&
	       (h->destination_port == PORT_VXLAN || h->destination_port == PORT_VXLAN_OLD);
}

static void read_transport(struct packet_header *h, uint8_t protocol, struct rest r)
{
	const uint8_t *at;

	h->has_protocol = true;
	h->protocol = protocol;
	if (h->fragment)
		return;
	switch (protocol) {
	case IPPROTO_TCP:
	case IPPROTO_UDP:
	case IPPROTO_SCTP:
		read_ports(h, &r);
		if (is_vxlan(h))
			read_vxlan(h, r);
		break;
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		at = take(&r, 2);
		h->has_kind = at;
		h->kind = at ? at[0] : 0;
		h->code = at ? at[1] : 0;
		break;
	case IPPROTO_GRE:
		at = take(&r, 4);
		h->has_inner = at;
		h->inner = at ? get16(at + 2) : 0;
		break;
	}
}

static void read_ipv4(struct packet_header *h, struct rest r)
{
	const uint8_t *at = take(&r, 20);
	size_t options;

	if (!at || at[0] >> 4 != 4 || (at[0] & 15) < 5)
		return;
	h->address = 4;
	memcpy(h->source, at + 12, 4);
	memcpy(h->destination, at + 16, 4);
	h->fragment = get16(at + 6) & FRAGMENT_AT;
	options = (size_t)((at[0] & 15) - 5) * 4;
	if (!take(&r, options))
		r.n = 0;
	read_transport(h, at[9], r);
}

/* Skip the extension header `next`. Sets the one after it. False = it is none, or is cut. */
static bool skip_extension(struct packet_header *h, uint8_t *next, struct rest *r)
{
	const uint8_t *at = r->at;
	uint8_t after = r->n >= 8 ? at[0] : 0;
	size_t n = 8;

	switch (*next) {
	case IPPROTO_HOPOPTS:
	case IPPROTO_ROUTING:
	case IPPROTO_DSTOPTS:
	case IPPROTO_MH:
		n = r->n >= 8 ? ((size_t)at[1] + 1) * 8 : 8;
		break;
	case IPPROTO_FRAGMENT:
		h->fragment |= r->n >= 8 && (get16(at + 2) & EXTENSION_AT);
		break;
	case IPPROTO_AH:
		n = r->n >= 8 ? ((size_t)at[1] + 2) * 4 : 8;
		break;
	default:
		return false;
	}
	if (!take(r, n))
		return false;
	*next = after;
	return true;
}

static void read_ipv6(struct packet_header *h, struct rest r)
{
	const uint8_t *at = take(&r, 40);
	uint8_t next;

	if (!at || at[0] >> 4 != 6)
		return;
	h->address = 16;
	memcpy(h->source, at + 8, 16);
	memcpy(h->destination, at + 24, 16);
	next = at[6];
	for (int i = 0; i < EXTENSIONS && skip_extension(h, &next, &r); i++)
		;
	read_transport(h, next, r);
}

void packet_header_read(struct packet_header *h, const uint8_t *bytes, size_t n)
{
	struct rest r = { bytes, n };
	const uint8_t *at = take(&r, 14);

	memset(h, 0, sizeof(*h));
	if (!at)
		return;
	h->ethernet = true;
	memcpy(h->mac_destination, at, 6);
	memcpy(h->mac_source, at + 6, 6);
	h->type = get16(at + 12);
	while ((h->type == ETHERTYPE_VLAN || h->type == TYPE_8021AD) && (at = take(&r, 4))) {
		if (h->vlans < PACKET_VLANS)
			h->vlan[h->vlans] = get16(at) & VLAN_ID;
		h->vlans++;
		h->type = get16(at + 2);
	}
	if (h->type == ETHERTYPE_ARP)
		read_arp(h, r);
	else if (h->type == ETHERTYPE_IP)
		read_ipv4(h, r);
	else if (h->type == ETHERTYPE_IPV6)
		read_ipv6(h, r);
}

static const char *protocol_name(uint8_t protocol)
{
	switch (protocol) {
	case IPPROTO_TCP:
		return "TCP";
	case IPPROTO_UDP:
		return "UDP";
	case IPPROTO_ICMP:
		return "ICMP";
	case IPPROTO_ICMPV6:
		return "ICMPv6";
	case IPPROTO_SCTP:
		return "SCTP";
	case IPPROTO_GRE:
		return "GRE";
	}
	return NULL;
}

static void transport_text(const struct packet_header *h, char *buf, size_t size)
{
	const char *name = protocol_name(h->protocol), *version = h->address == 4 ? "IPv4" : "IPv6";

	if (!name)
		snprintf(buf, size, "%s %u%s", version, h->protocol, h->fragment ? " frag" : "");
	else if (h->fragment)
		snprintf(buf, size, "%s frag", name);
	else if (h->has_kind)
		snprintf(buf, size, "%s %u/%u", name, h->kind, h->code);
	else if (h->has_inner && h->protocol == IPPROTO_UDP)
		snprintf(buf, size, "VXLAN %u", h->inner);
	else if (h->has_inner)
		snprintf(buf, size, "%s 0x%04x", name, h->inner);
	else
		snprintf(buf, size, "%s", name);
}

const char *packet_protocol_text(const struct packet_header *h, char *buf, size_t size)
{
	if (!h->ethernet)
		snprintf(buf, size, "-");
	else if (h->has_protocol)
		transport_text(h, buf, size);
	else if (h->type == ETHERTYPE_ARP)
		snprintf(buf, size, "ARP%s",
			 !h->has_kind   ? ""
			 : h->kind == 1 ? " request"
			 : h->kind == 2 ? " reply"
					: " ?");
	else if (h->type == ETHERTYPE_IP || h->type == ETHERTYPE_IPV6)
		snprintf(buf, size, "IPv%d", h->type == ETHERTYPE_IP ? 4 : 6);
	else if (h->type < TYPE_LENGTH)
		snprintf(buf, size, "802.3");
	else
		snprintf(buf, size, "0x%04x", h->type);
	return buf;
}

static const char *address_text(const struct packet_header *h, const uint8_t *ip,
				const uint8_t *mac, int port, char *buf, size_t size)
{
	char address[INET6_ADDRSTRLEN];

	if (!h->ethernet) {
		snprintf(buf, size, "-");
	} else if (!h->address) {
		snprintf(buf, size, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3],
			 mac[4], mac[5]);
	} else {
		inet_ntop(h->address == 4 ? AF_INET : AF_INET6, ip, address, sizeof(address));
		if (port < 0)
			snprintf(buf, size, "%s", address);
		else
			snprintf(buf, size, h->address == 4 ? "%s:%d" : "[%s]:%d", address, port);
	}
	return buf;
}

const char *packet_source_text(const struct packet_header *h, char *buf, size_t size)
{
	return address_text(h, h->source, h->mac_source, h->has_ports ? h->source_port : -1, buf,
			    size);
}

const char *packet_destination_text(const struct packet_header *h, char *buf, size_t size)
{
	return address_text(h, h->destination, h->mac_destination,
			    h->has_ports ? h->destination_port : -1, buf, size);
}

const char *packet_source_address(const struct packet_header *h, char *buf, size_t size)
{
	return address_text(h, h->source, h->mac_source, -1, buf, size);
}

const char *packet_vlan_text(const struct packet_header *h, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (int i = 0; i < h->vlans && i < PACKET_VLANS && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%u", i ? "." : " vlan ",
					h->vlan[i]);
	return buf;
}
