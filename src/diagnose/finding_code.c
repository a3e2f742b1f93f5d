// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include "diagnose/finding.h"

const struct finding_code finding_codes[] = {
	{ "target-down", FINDING_CRITICAL,
	  "frames are redirected to a device that is down (ENETDOWN)", NULL },
	{ "frame-too-big", FINDING_CRITICAL,
	  "redirected frames are longer than the target's MTU (EMSGSIZE)", NULL },
	{ "target-cannot-receive", FINDING_CRITICAL,
	  "the target of a redirect cannot transmit XDP frames now (EOPNOTSUPP)", NULL },
	{ "no-such-ifindex", FINDING_CRITICAL,
	  "a program redirects to an ifindex that is not in its device's namespace (EINVAL)",
	  NULL },
	{ "no-redirect-helper", FINDING_CRITICAL,
	  "a program returns XDP_REDIRECT without having called a redirect helper (EBADRQC)",
	  NULL },
	{ "redirect-failed", FINDING_CRITICAL,
	  "redirects fail for another reason; the errno and its meaning are in the text", NULL },
	{ "aborted", FINDING_CRITICAL,
	  "a program returns XDP_ABORTED, or redirects into an empty map slot", NULL },
	{ "bad-return-value", FINDING_CRITICAL, "a program returns a value that is no XDP action",
	  NULL },
	{ "tx-failed", FINDING_CRITICAL, "XDP_TX could not send frames back", NULL },
	{ "xsk-ring-full", FINDING_CRITICAL,
	  "an AF_XDP socket's receive ring is full: its program reads too slowly (ENOBUFS)", NULL },
	{ "xsk-fill-empty", FINDING_CRITICAL,
	  "an AF_XDP socket's fill ring is empty: its program returns buffers too slowly "
	  "(ENOMEM)",
	  NULL },
	{ "xsk-unbound", FINDING_CRITICAL, "an AF_XDP socket in the xskmap is not bound (ENXIO)",
	  NULL },
	{ "xsk-wrong-queue", FINDING_CRITICAL,
	  "an AF_XDP socket belongs to another device or queue than the packets (EINVAL)", NULL },
	{ "xsk-no-space", FINDING_CRITICAL,
	  "packets do not fit the AF_XDP socket's frames; up to Linux 5.15 also a full receive "
	  "ring "
	  "or an empty fill ring (ENOSPC)",
	  NULL },
	{ "target-ring-full", FINDING_CRITICAL,
	  "the target drops queued frames without an errno: its ring is full, or a devmap program "
	  "drops them",
	  NULL },
	{ "target-not-ready", FINDING_CRITICAL,
	  "the target's driver refuses queued frames (xdp_devmap_xmit with an errno)", NULL },
	{ "cpumap-queue-full", FINDING_CRITICAL, "the queue of a cpumap's target CPU is full",
	  NULL },
	{ "cpumap-cpu-busy", FINDING_CRITICAL,
	  "the same, and that CPU's cpumap thread hardly ever sleeps: it cannot do more", NULL },
	{ "cpumap-no-memory", FINDING_CRITICAL,
	  "a cpumap thread could not make skbs of frames; up to Linux 5.10 also: the stack refused "
	  "them",
	  NULL },
	{ "poor-bulking", FINDING_INFO,
	  "more than 10,000 packets a second in bulks of fewer than 2 on average",
	  "let more packets come together in one poll: interrupt coalescing (ethtool -C), fewer "
	  "receive "
	  "queues (ethtool -L), or fewer targets for the packets of one poll" },
	{ "cpu-skew", FINDING_INFO,
	  "of 4 or more CPUs one takes over 80 % of what a device or cpumap handles",
	  "spread the flows: more receive queues (ethtool -L), another hash (ethtool -N, -X), or a "
	  "cpumap; "
	  "a single flow stays on one CPU" },
	{ "generic-mode", FINDING_WARNING,
	  "a device with events runs XDP in generic mode: each packet costs an skb",
	  "attach the program in native mode (ip link set dev DEVICE xdpdrv ...); when the driver "
	  "refuses, "
	  "its message says why: fewer queues, a lower MTU, or a newer kernel may help" },
	{ "attach-failed", FINDING_WARNING, "a process could not attach an XDP program", NULL },
	{ "shed", FINDING_WARNING,
	  "xdptop itself: a tracepoint cost more than --budget and is not counted",
	  "its key switches it on again; a higher --budget keeps it on, --budget 0 whatever it "
	  "costs" },
	{ "missed", FINDING_WARNING,
	  "xdptop itself: the kernel skipped its program for some events",
	  "nothing in the network: of these tracepoints there were more events than are shown" },
	{ "overflow", FINDING_WARNING,
	  "xdptop itself: the table is full, events are counted without their device",
	  "start again with a larger --max-series; the totals of tracepoints are exact all the "
	  "same" },
};

const size_t n_finding_codes = sizeof(finding_codes) / sizeof(finding_codes[0]);

const struct finding_code *finding_code_find(const char *name)
{
	for (size_t i = 0; i < n_finding_codes; i++)
		if (!strcmp(finding_codes[i].name, name))
			return &finding_codes[i];
	return NULL;
}
