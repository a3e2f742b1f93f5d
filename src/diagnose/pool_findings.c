// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/finding_code.h"

#include <stdio.h>
#include "base/clock.h"
#include "base/format.h"
#include "source/page_pools.h"

/* Bytes that a sleeping program can leave in its sockets for a long time. */
#define FEW (1 << 20)

/* The pools of one device, or of all devices that are gone, that do not get their pages back. */
struct stalled {
	unsigned int n;
	uint64_t pages, bytes;
	const struct page_pool *oldest;
};

/* The sum over a device's stalled pools if e->pool is the first of them; else n = 0. */
static struct stalled stalled_of(const struct evidence *e)
{
	struct stalled sum = { 0 };
	size_t n;
	const struct page_pool *p = page_pools(e->rates->to, &n);

	for (size_t i = 0; i < n; i++) {
		if (p[i].netns != e->pool->netns || p[i].ifindex != e->pool->ifindex ||
		    !page_pool_is_stalled(&p[i], e->rates->to))
			continue;
		if (!sum.n && &p[i] != e->pool)
			break;
		sum.n++;
		sum.pages += p[i].inflight;
		sum.bytes += p[i].inflight_mem;
		if (!sum.oldest ||
		    timespec_to_ns(&p[i].detached_at) < timespec_to_ns(&sum.oldest->detached_at))
			sum.oldest = &p[i];
	}
	return sum;
}

static bool is_stalled(struct evidence *e)
{
	char since[16], bytes[16], pages[16];
	struct stalled s;

	if (!page_pool_is_stalled(e->pool, e->rates->to))
		return false;
	s = stalled_of(e);
	if (!s.n)
		return false;
	if (s.bytes < FEW)
		e->severity = FINDING_INFO;
	/* no age, because it would change the text in each interval */
	format_clock(since, sizeof(since), &s.oldest->detached_at);
	format_count(bytes, sizeof(bytes), s.bytes, NUMBER_SI);
	format_count(pages, sizeof(pages), s.pages, NUMBER_SI);
	snprintf(e->what, sizeof(e->what),
		 "%s%u page pool%s that the driver gave up (the oldest at %s) still lack%s %s "
		 "pages, %s bytes, and the number does not fall: the kernel cannot free them",
		 e->pool->ifindex ? "" : "on a device that no longer exists, ", s.n,
		 s.n > 1 ? "s" : "", since, s.n > 1 ? "" : "s", pages, bytes);
	return true;
}

static bool is_stalled_of_gone(struct evidence *e)
{
	const struct netdev *d =
		snapshot_find_netdev(e->rates->to, e->pool->netns, e->pool->ifindex);

	return (!d || d->gone) && is_stalled(e);
}

static bool is_stalled_of_device(struct evidence *e)
{
	const struct netdev *d =
		snapshot_find_netdev(e->rates->to, e->pool->netns, e->pool->ifindex);

	return d && !d->gone && is_stalled(e);
}

/* clang-format off */
static const struct finding_code codes[] = {
	{ "page-pool-stalled", FINDING_WARNING,
	  "a page pool that a driver gave up more than a minute ago, for example at an attach, a "
	  "detach or a change of its rings, does not get its pages back. The severity is info "
	  "below 1 MiB",
	  { .text = "find the sockets or queues that hold the pages (ss -tuapm, skmem r). If "
		    "there are none, the driver leaks its buffers at each attach and detach, and "
		    "a newer kernel may help",
	    .commands = "{in}ss -tuapm\n"
			"{ip} -s link show dev {dev}\n"
			"{in}ethtool -i {dev}\n"
			"dmesg | grep -F page_pool" },
	  RULES({ RULE_POOL, .code = RULE_ANY, .per = PER_DEVICE, .when = is_stalled_of_device },
		{ RULE_POOL, .code = RULE_ANY, .per = PER_DEVICE, .when = is_stalled_of_gone,
		  .remedy.commands = "{in}ss -tuapm\n"
				     "dmesg | grep -F page_pool" }) },
};
/* clang-format on */

const struct finding_group pool_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
