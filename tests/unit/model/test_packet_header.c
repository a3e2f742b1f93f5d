// SPDX-License-Identifier: GPL-2.0-or-later
/* Headers of packets, whole and cut at every byte. */
#include <stdlib.h>
#include <string.h>
#include "model/packet_header.h"
#include "unit/test.h"

#define MACS "\x02\0\0\0\0\x0d\x02\0\0\0\0\x0a"
#define IPV4(protocol, fragment)                                 \
	"\x08\0\x45\0\0\x28\0\0" fragment "\x40" protocol "\0\0" \
	"\xc0\0\x02\x01\xc6\x33\x64\x09"
#define IPV6(next)                                   \
	"\x86\xdd\x60\0\0\0\0\x10" next "\x40"       \
	"\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01" \
	"\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x02"
#define PORTS "\x04\0\0\x50"

static void expect(const char *bytes, size_t n, const char *protocol, const char *source,
		   const char *destination, const char *vlan)
{
	struct packet_header h;
	char buf[PACKET_END_LEN];

	packet_header_read(&h, (const uint8_t *)bytes, n);
	assert_string_equal(h.protocol, protocol);
	assert_string_equal(packet_end_text(&h.source, buf), source);
	assert_string_equal(packet_end_text(&h.destination, buf), destination);
	assert_string_equal(h.vlan, vlan);
	/* shorter packets, in memory of that size: sanitizers watch */
	for (size_t i = 0; i < n; i++) {
		uint8_t *cut = malloc(i ? i : 1);

		memcpy(cut, bytes, i);
		packet_header_read(&h, cut, i);
		assert_int_equal(!!strcmp(h.protocol, "-"), i >= 14);
		free(cut);
	}
}

#define EXPECT(bytes, ...) expect(bytes, sizeof(bytes) - 1, __VA_ARGS__)

TEST(test_ipv4)
{
	EXPECT(MACS IPV4("\x06", "\0\0") PORTS, "TCP", "192.0.2.1:1024", "198.51.100.9:80", "");
	EXPECT(MACS IPV4("\x11", "\0\0") PORTS, "UDP", "192.0.2.1:1024", "198.51.100.9:80", "");
	EXPECT(MACS IPV4("\x84", "\0\0") PORTS, "SCTP", "192.0.2.1:1024", "198.51.100.9:80", "");
	EXPECT(MACS IPV4("\x01", "\0\0") "\x03\x01", "ICMP 3/1", "192.0.2.1", "198.51.100.9", "");
	EXPECT(MACS IPV4("\x2f", "\0\0") "\0\0\x65\x58", "GRE 0x6558", "192.0.2.1", "198.51.100.9",
	       "");
	EXPECT(MACS IPV4("\x59", "\0\0"), "IPv4 89", "192.0.2.1", "198.51.100.9", "");
	/* a later fragment has no ports; the first one has */
	EXPECT(MACS IPV4("\x11", "\0\x10") PORTS, "UDP frag", "192.0.2.1", "198.51.100.9", "");
	EXPECT(MACS IPV4("\x11", "\x20\0") PORTS, "UDP", "192.0.2.1:1024", "198.51.100.9:80", "");
	/* options */
	EXPECT(MACS "\x08\0\x46\0\0\x28\0\0\0\0\x40\x06\0\0\xc0\0\x02\x01\xc6\x33\x64\x09"
		    "\x94\x04\0\0" PORTS,
	       "TCP", "192.0.2.1:1024", "198.51.100.9:80", "");
	EXPECT(MACS "\x08\0\x44\0\0\x28\0\0\0\0\x40\x06\0\0\xc0\0\x02\x01\xc6\x33\x64\x09", "IPv4",
	       "02:00:00:00:00:0a", "02:00:00:00:00:0d", "");
}

TEST(test_vxlan)
{
	EXPECT(MACS IPV4("\x11", "\0\0") "\x04\0\x12\xb5\0\x30\0\0\x08\0\0\0\0\x01\x02\0",
	       "VXLAN 258", "192.0.2.1:1024", "198.51.100.9:4789", "");
	/* the flag is missing: another protocol on that port */
	EXPECT(MACS IPV4("\x11", "\0\0") "\x04\0\x12\xb5\0\x30\0\0\0\0\0\0\0\x01\x02\0", "UDP",
	       "192.0.2.1:1024", "198.51.100.9:4789", "");
}

TEST(test_ipv6)
{
	EXPECT(MACS IPV6("\x06") PORTS, "TCP", "[2001:db8::1]:1024", "[2001:db8::2]:80", "");
	EXPECT(MACS IPV6("\x3a") "\x87\0", "ICMPv6 135/0", "2001:db8::1", "2001:db8::2", "");
	/* hop-by-hop of 16 bytes, then destination options */
	EXPECT(MACS IPV6("\0") "\x3c\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
			       "\x11\0\0\0\0\0\0\0" PORTS,
	       "UDP", "[2001:db8::1]:1024", "[2001:db8::2]:80", "");
	EXPECT(MACS IPV6("\x2c") "\x11\0\0\0\0\0\0\x01" PORTS, "UDP", "[2001:db8::1]:1024",
	       "[2001:db8::2]:80", "");
	EXPECT(MACS IPV6("\x2c") "\x11\0\0\x10\0\0\0\x01" PORTS, "UDP frag", "2001:db8::1",
	       "2001:db8::2", "");
	EXPECT(MACS IPV6("\x3b"), "IPv6 59", "2001:db8::1", "2001:db8::2", "");
	/* more extension headers than are skipped, and one that is longer than the packet */
	EXPECT(MACS IPV6("\0") "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
			       "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
			       "\x06\0\0\0\0\0\0\0" PORTS,
	       "IPv6 0", "2001:db8::1", "2001:db8::2", "");
	EXPECT(MACS IPV6("\0") "\x06\xff\0\0\0\0\0\0" PORTS, "IPv6 0", "2001:db8::1", "2001:db8::2",
	       "");
}

TEST(test_others)
{
	EXPECT(MACS "\x88\xb5", "0x88b5", "02:00:00:00:00:0a", "02:00:00:00:00:0d", "");
	EXPECT(MACS "\0\x26", "802.3", "02:00:00:00:00:0a", "02:00:00:00:00:0d", "");
	EXPECT(MACS "\x81\0\0\x0a\x88\xa8\x20\x14" IPV4("\x06", "\0\0") PORTS, "TCP",
	       "192.0.2.1:1024", "198.51.100.9:80", " vlan 10.20");
	EXPECT(MACS "\x08\x06\0\x01\x08\0\x06\x04\0\x01\x02\0\0\0\0\x0a\xc0\0\x02\x01"
		    "\0\0\0\0\0\0\xc0\0\x02\x02",
	       "ARP request", "192.0.2.1", "192.0.2.2", "");
	EXPECT("", "-", "-", "-", "");
}

TEST(test_kind)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *ethertype, *transport;
	} of[] = {
#define OF(bytes, ...) { bytes, sizeof(bytes) - 1, __VA_ARGS__ }
		OF(MACS "\x08\x06", "ARP", ""),
		OF(MACS "\x81\0\0\x0a\x08\x06", "ARP", ""),
		OF(MACS "\x88\xb5", "0x88b5", ""),
		OF(MACS "\0\x26", "802.3", ""),
		OF(MACS IPV4("\x06", "\0\0"), "IPv4", "TCP"),
		OF(MACS IPV4("\x59", "\0\x10"), "IPv4", "89"),
		OF(MACS IPV6("\x3a") "\x87\0", "IPv6", "ICMPv6 ND"),
		OF(MACS IPV6("\x3a") "\x80\0", "IPv6", "ICMPv6"),
		OF(MACS, "-", ""),
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		struct packet_header h;

		packet_header_read(&h, (const uint8_t *)of[i].bytes, of[i].n);
		assert_string_equal(h.ethertype, of[i].ethertype);
		assert_string_equal(h.transport, of[i].transport);
	}
}
