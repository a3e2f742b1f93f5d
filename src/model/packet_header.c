// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/packet_header.h"

#include <arpa/inet.h>
#include <net/ethernet.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define TYPE_8021AD    0x88a8
#define TYPE_LENGTH    1536 /* smaller values are a length */
#define VLAN_ID        0x0fff
#define VLANS          4 /* that are shown */
#define PORT_VXLAN     4789
#define PORT_VXLAN_OLD 8472 /* Linux' own, before IANA's */
#define ARP_ETHERNET   1
#define EXTENSIONS     8 /* extension headers of IPv6 that are skipped */
#define FRAGMENT_AT    0x1fff
#define EXTENSION_AT   0xfff8
#define ND_FIRST       133 /* router solicitation, to redirects (RFC 4861) */
#define ND_LAST        137

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

#define set_protocol(h, ...) snprintf((h)->protocol, sizeof((h)->protocol), __VA_ARGS__)

static void set_addresses(struct packet_header *h, int family, const uint8_t *source,
			  const uint8_t *destination)
{
	inet_ntop(family, source, h->source.address, sizeof(h->source.address));
	inet_ntop(family, destination, h->destination.address, sizeof(h->destination.address));
}

static void set_mac(struct packet_end *e, const uint8_t *mac)
{
	snprintf(e->address, sizeof(e->address), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1],
		 mac[2], mac[3], mac[4], mac[5]);
}

static void read_arp(struct packet_header *h, struct rest r)
{
	const uint8_t *at = take(&r, 28);
	uint16_t operation = at ? get16(at + 6) : 0;

	set_protocol(h, "ARP%s",
		     !at              ? ""
		     : operation == 1 ? " request"
		     : operation == 2 ? " reply"
				      : " ?");
	if (at && get16(at) == ARP_ETHERNET && get16(at + 2) == ETHERTYPE_IP && at[4] == 6 &&
	    at[5] == 4)
		set_addresses(h, AF_INET, at + 14, at + 24);
}

static void read_ports(struct packet_header *h, struct rest *r)
{
	const uint8_t *at = take(r, 4);

	if (!at)
		return;
	h->source.port = get16(at);
	h->destination.port = get16(at + 2);
}

/* After the ports: length, checksum, then flags and the network (RFC 7348). */
static void read_vxlan(struct packet_header *h, struct rest r)
{
	int port = h->destination.port;
	const uint8_t *at = port == PORT_VXLAN || port == PORT_VXLAN_OLD ? take(&r, 12) : NULL;

	if (at && at[4] & 0x08)
		set_protocol(h, "VXLAN %u", (uint32_t)at[8] << 16 | (uint32_t)at[9] << 8 | at[10]);
}

static const char *const protocol_names[UINT8_MAX + 1] = {
	[IPPROTO_TCP] = "TCP",       [IPPROTO_UDP] = "UDP",   [IPPROTO_ICMP] = "ICMP",
	[IPPROTO_ICMPV6] = "ICMPv6", [IPPROTO_SCTP] = "SCTP", [IPPROTO_GRE] = "GRE",
};

/* `version`: the IP version. `fragment`: a fragment other than the first, so it has no ports. */
static void read_transport(struct packet_header *h, const char *version, uint8_t protocol,
			   bool fragment, struct rest r)
{
	const char *name = protocol_names[protocol], *fragment_text = fragment ? " frag" : "";
	const uint8_t *at;

	if (!name)
		set_protocol(h, "%s %u%s", version, protocol, fragment_text);
	else
		set_protocol(h, "%s%s", name, fragment_text);
	if (name)
		snprintf(h->transport, sizeof(h->transport), "%s", name);
	else
		snprintf(h->transport, sizeof(h->transport), "%u", protocol);
	if (fragment)
		return;
	switch (protocol) {
	case IPPROTO_UDP:
		read_ports(h, &r);
		read_vxlan(h, r);
		break;
	case IPPROTO_TCP:
	case IPPROTO_SCTP:
		read_ports(h, &r);
		break;
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		at = take(&r, 2);
		if (at)
			set_protocol(h, "%s %u/%u", name, at[0], at[1]);
		if (at && protocol == IPPROTO_ICMPV6 && at[0] >= ND_FIRST && at[0] <= ND_LAST)
			snprintf(h->transport, sizeof(h->transport), "%s", PACKET_ND);
		break;
	case IPPROTO_GRE:
		at = take(&r, 4);
		if (at)
			set_protocol(h, "%s 0x%04x", name, get16(at + 2));
		break;
	}
}

static void read_ipv4(struct packet_header *h, struct rest r)
{
	const uint8_t *at = take(&r, 20);

	set_protocol(h, "IPv4");
	if (!at || at[0] >> 4 != 4 || (at[0] & 15) < 5)
		return;
	set_addresses(h, AF_INET, at + 12, at + 16);
	if (!take(&r, (size_t)((at[0] & 15) - 5) * 4))
		r.n = 0;
	read_transport(h, "IPv4", at[9], get16(at + 6) & FRAGMENT_AT, r);
}

/* Skip the extension header `next`. Sets the one after it. False = it is none, or is cut. */
static bool skip_extension(bool *fragment, uint8_t *next, struct rest *r)
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
		*fragment |= r->n >= 8 && (get16(at + 2) & EXTENSION_AT);
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
	bool fragment = false;
	uint8_t next;

	set_protocol(h, "IPv6");
	if (!at || at[0] >> 4 != 6)
		return;
	set_addresses(h, AF_INET6, at + 8, at + 24);
	next = at[6];
	for (int i = 0; i < EXTENSIONS && skip_extension(&fragment, &next, &r); i++)
		;
	read_transport(h, "IPv6", next, fragment, r);
}

/* Skip the tags. Returns the type after them. */
static uint16_t read_vlans(struct packet_header *h, uint16_t type, struct rest *r)
{
	const uint8_t *at;
	size_t len = 0;

	for (int i = 0; (type == ETHERTYPE_VLAN || type == TYPE_8021AD) && (at = take(r, 4)); i++) {
		if (i < VLANS)
			len += (size_t)snprintf(h->vlan + len, sizeof(h->vlan) - len, "%s%u",
						i ? "." : " vlan ", get16(at) & VLAN_ID);
		type = get16(at + 2);
	}
	return type;
}

void packet_header_read(struct packet_header *h, const uint8_t *bytes, size_t n)
{
	struct rest r = { bytes, n };
	const uint8_t *at = take(&r, 14);
	uint16_t type;

	*h = (struct packet_header){
		.protocol = "-", .ethertype = "-", .source = { "-", -1 }, .destination = { "-", -1 }
	};
	if (!at)
		return;
	set_mac(&h->destination, at);
	set_mac(&h->source, at + 6);
	type = read_vlans(h, get16(at + 12), &r);
	snprintf(h->ethertype, sizeof(h->ethertype),
		 type == ETHERTYPE_ARP    ? PACKET_ARP
		 : type == ETHERTYPE_IP   ? "IPv4"
		 : type == ETHERTYPE_IPV6 ? "IPv6"
		 : type < TYPE_LENGTH     ? "802.3"
					  : "0x%04x",
		 type);
	if (type == ETHERTYPE_ARP)
		read_arp(h, r);
	else if (type == ETHERTYPE_IP)
		read_ipv4(h, r);
	else if (type == ETHERTYPE_IPV6)
		read_ipv6(h, r);
	else
		set_protocol(h, "%s", h->ethertype);
}

const char *packet_end_text(const struct packet_end *e, char buf[PACKET_END_LEN])
{
	const char *format = e->port < 0 ? "%s" : strchr(e->address, ':') ? "[%s]:%d" : "%s:%d";

	snprintf(buf, PACKET_END_LEN, format, e->address, e->port);
	return buf;
}
