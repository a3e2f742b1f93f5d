// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any text as a pcap filter, and any bytes as its instructions, in memory of just their size: each
 * ends, and reads only the packet, which is what follows the first NUL.
 */
#include <stdlib.h>
#include <string.h>
#include "model/pcap_filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct capture_code filter_code;

static const struct sock_filter *insn_at(uint32_t i)
{
	return i < CAPTURE_INSNS ? &filter_code.insn[i] : NULL;
}

static int packet_read(void *to, uint32_t size, const uint8_t *from)
{
	memcpy(to, from, size);
	return 0;
}

#include "bpf/capture_filter.h"

static enum filter_result run(const uint8_t *data, size_t size)
{
	struct filter_registers registers = { .mem = { 0 } };
	struct filter_packet p = { .n = (uint32_t)size, .length = (uint32_t)size, .r = &registers };
	uint8_t *bytes = malloc(size ?: 1);
	enum filter_result result;

	if (!bytes)
		abort();
	memcpy(bytes, data, size);
	p.data = bytes;
	result = filter_run(&p, CAPTURE_INSNS);
	free(bytes);
	return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = memchr(data, 0, size);
	size_t text = nul ? (size_t)(nul - data) : size, rest = nul ? size - text - 1 : 0;
	char *copy = malloc(text + 1);

	if (!copy)
		abort();
	memcpy(copy, data, text);
	copy[text] = '\0';
	/* all bytes can be read */
	if (!pcap_filter_parse(copy, &filter_code, NULL) &&
	    run(data + size - rest, rest) == FILTER_UNREAD)
		abort();
	free(copy);
	memset(&filter_code, 0, sizeof(filter_code));
	memcpy(filter_code.insn, data,
	       size < sizeof(filter_code.insn) ? size : sizeof(filter_code.insn));
	run(data, size);
	return 0;
}
