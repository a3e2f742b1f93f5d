// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a packet, in memory of just their size; the texts are printable. */
#include <stdlib.h>
#include <string.h>
#include "model/packet_header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = malloc(size ?: 1);
	struct packet_header h;
	char buf[PACKET_END_LEN];

	if (!bytes)
		return 0;
	memcpy(bytes, data, size);
	packet_header_read(&h, bytes, size);
	check(h.protocol);
	check(h.vlan);
	check(packet_end_text(&h.source, buf));
	check(packet_end_text(&h.destination, buf));
	free(bytes);
	return 0;
}
