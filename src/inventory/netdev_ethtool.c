// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/netdev_ethtool.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/array.h"
#include "base/clock.h"
#include "inventory/driver_counters.h"

/*
 * Size of an answer. Up to 6.18 ETHTOOL_GSTATS writes as many counters as the device has by then,
 * whatever size it was given. A page after the buffer that cannot be written makes that an error
 * (EFAULT).
 */
#define ANSWER_MAX   (1 << 20)
#define COUNTERS_MAX ((ANSWER_MAX - sizeof(struct ethtool_gstrings)) / ETH_GSTRING_LEN)
#define OFFLOADS_MAX 256
#define FORGET_NS    (60 * NSEC_PER_SEC)

/* What the counters of a device mean, and their last values. */
struct places {
	uint32_t netns, ifindex;
	uint64_t generation;
	uint64_t used_ns; /* last request */
	uint8_t *what;    /* as driver_counters_map(); NULL = names must be read first */
	char *names;      /* ETH_GSTRING_LEN bytes each */
	uint64_t *values; /* at the last read */
	uint64_t read_ns; /* time of it; 0 = never */
	size_t n;
};

struct netdev_ethtool {
	void *answer; /* ANSWER_MAX bytes */
	size_t page;
	struct places *places;
	size_t n, cap;
	uint16_t offload[OFFLOADS_MAX]; /* enum netdev_offload of each bit, the same for all devices
					 */
	uint32_t n_offloads;            /* 0 = not read yet */
};

static void forget_names(struct places *p)
{
	free(p->what);
	free(p->names);
	free(p->values);
	p->what = NULL;
	p->names = NULL;
	p->values = NULL;
	p->read_ns = 0;
}

struct netdev_ethtool *netdev_ethtool_open(void)
{
	struct netdev_ethtool *e = memory_new(1, sizeof(*e));

	e->page = (size_t)sysconf(_SC_PAGESIZE);
	e->answer = mmap(NULL, ANSWER_MAX + e->page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (e->answer == MAP_FAILED || mprotect((char *)e->answer + ANSWER_MAX, e->page, PROT_NONE))
		memory_missing();
	return e;
}

void netdev_ethtool_close(struct netdev_ethtool *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->n; i++)
		forget_names(&e->places[i]);
	free(e->places);
	munmap(e->answer, ANSWER_MAX + e->page);
	free(e);
}

/* Sets *n to the number of strings in the set. Returns 0 or -errno. */
static int count_strings(struct netdev_ethtool *e, const struct netdev_socket *s, uint32_t ifindex,
			 uint32_t set, uint32_t *n)
{
	struct ethtool_sset_info *info = e->answer;
	int err;

	*info = (struct ethtool_sset_info){ .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << set };
	err = netdev_socket_ethtool(s, ifindex, info);
	*n = !err && info->sset_mask ? info->data[0] : 0;
	return err;
}

/* Read their names into e->answer. Returns how many, or -errno. */
static int read_strings(struct netdev_ethtool *e, const struct netdev_socket *s, uint32_t ifindex,
			uint32_t set, size_t max, const char **names)
{
	struct ethtool_gstrings *strings = e->answer;
	uint32_t n;
	int err = count_strings(e, s, ifindex, set, &n);

	if (err)
		return err;
	if (!n || n > max)
		return -EOPNOTSUPP;
	*strings = (struct ethtool_gstrings){ ETHTOOL_GSTRINGS, set, n };
	err = netdev_socket_ethtool(s, ifindex, strings);
	if (err)
		return err;
	*names = (const char *)strings->data;
	return strings->len < n ? (int)strings->len : (int)n;
}

static int find_offloads(struct netdev_ethtool *e, const struct netdev_socket *s, uint32_t ifindex)
{
	const char *names;
	int n = read_strings(e, s, ifindex, ETH_SS_FEATURES, OFFLOADS_MAX, &names);

	for (int i = 0; i < n; i++) {
		char name[ETH_GSTRING_LEN + 1] = "";

		memcpy(name, names + (size_t)i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
		e->offload[i] = (uint16_t)netdev_offload_find(name);
	}
	if (n > 0)
		e->n_offloads = (uint32_t)n;
	return n < 0 ? n : 0;
}

static int read_offloads(struct netdev_ethtool *e, const struct netdev_socket *s, uint32_t ifindex,
			 struct netdev *d)
{
	struct ethtool_gfeatures *features = e->answer;
	int err = e->n_offloads ? 0 : find_offloads(e, s, ifindex);

	if (err)
		return err;
	*features = (struct ethtool_gfeatures){ ETHTOOL_GFEATURES, OFFLOADS_MAX / 32 };
	err = netdev_socket_ethtool(s, ifindex, features);
	if (err)
		return err;
	d->has_offloads = true;
	for (uint32_t i = 0; i < e->n_offloads; i++)
		if (features->features[i / 32].active & 1u << i % 32)
			d->offloads |= e->offload[i];
	return 0;
}

static int read_channels(const struct netdev_socket *s, uint32_t ifindex, struct netdev *d)
{
	struct ethtool_channels now = { .cmd = ETHTOOL_GCHANNELS };
	int err = netdev_socket_ethtool(s, ifindex, &now);

	if (err)
		return err;
	netdev_set_setting(d, NETDEV_CHANNELS, now.combined_count + now.rx_count);
	netdev_set_setting(d, NETDEV_CHANNELS_MAX, now.max_combined + now.max_rx);
	return 0;
}

static int read_rings(const struct netdev_socket *s, uint32_t ifindex, struct netdev *d)
{
	struct ethtool_ringparam now = { .cmd = ETHTOOL_GRINGPARAM };
	int err = netdev_socket_ethtool(s, ifindex, &now);

	if (err)
		return err;
	netdev_set_setting(d, NETDEV_RX_RING, now.rx_pending);
	netdev_set_setting(d, NETDEV_RX_RING_MAX, now.rx_max_pending);
	netdev_set_setting(d, NETDEV_TX_RING, now.tx_pending);
	netdev_set_setting(d, NETDEV_TX_RING_MAX, now.tx_max_pending);
	return 0;
}

int netdev_ethtool_settings(struct netdev_ethtool *e, const struct netdev_socket *s,
			    uint32_t ifindex, struct netdev *d)
{
	/* -EOPNOTSUPP from one request does not affect the others */
	if (read_channels(s, ifindex, d) == -EAGAIN || read_rings(s, ifindex, d) == -EAGAIN ||
	    read_offloads(e, s, ifindex, d) == -EAGAIN)
		return -EAGAIN;
	return 0;
}

static void places_forget(struct netdev_ethtool *e, uint64_t now)
{
	size_t kept = 0;

	for (size_t i = 0; i < e->n; i++) {
		if (now - e->places[i].used_ns > FORGET_NS)
			forget_names(&e->places[i]);
		else
			e->places[kept++] = e->places[i];
	}
	e->n = kept;
}

static size_t place_find(const struct netdev_ethtool *e, uint32_t netns, uint32_t ifindex)
{
	return array_lower_bound(e->places, e->n, p,
				 p->netns < netns || (p->netns == netns && p->ifindex < ifindex));
}

/* Find or add the entry of a device. */
static struct places *places_of(struct netdev_ethtool *e, uint32_t netns, uint32_t ifindex,
				uint64_t generation)
{
	uint64_t now = clock_ns();
	size_t at = place_find(e, netns, ifindex);
	struct places *p = at < e->n ? &e->places[at] : NULL;

	if (!p || p->netns != netns || p->ifindex != ifindex) {
		places_forget(e, now);
		p = array_insert(e->places, e->n, e->cap, place_find(e, netns, ifindex));
		p->netns = netns;
		p->ifindex = ifindex;
	}
	if (p->generation != generation) {
		forget_names(p);
		p->generation = generation;
	}
	p->used_ns = now;
	return p;
}

static int find_places(struct netdev_ethtool *e, const struct netdev_socket *s, const char *driver,
		       struct places *p)
{
	const char *names;
	int n = read_strings(e, s, p->ifindex, ETH_SS_STATS, COUNTERS_MAX, &names);

	if (n <= 0)
		return n ?: -EOPNOTSUPP;
	p->n = (size_t)n;
	p->what = memory_new(p->n, 1);
	p->names = memory_new(p->n, ETH_GSTRING_LEN);
	p->values = memory_new(p->n, sizeof(*p->values));
	memcpy(p->names, names, p->n * ETH_GSTRING_LEN);
	driver_counters_map(driver, names, p->n, p->what);
	return 0;
}

int netdev_ethtool_counts(struct netdev_ethtool *e, const struct netdev_socket *s, uint32_t netns,
			  uint32_t ifindex, uint64_t generation, const char *driver,
			  struct netdev *d, struct netdev_others *others)
{
	struct places *p = places_of(e, netns, ifindex, generation);
	struct ethtool_stats *stats = e->answer;
	int err = p->what ? 0 : find_places(e, s, driver, p);

	if (err)
		return err;
	*stats = (struct ethtool_stats){ ETHTOOL_GSTATS, (uint32_t)p->n };
	err = netdev_socket_ethtool(s, ifindex, stats);
	if (!err && stats->n_stats == p->n) {
		const uint64_t *values = (const uint64_t *)stats->data;

		driver_counters_sum(p->what, values, p->n, d);
		others->n = driver_counters_others(
			p->what, p->names, values, p->read_ns ? p->values : NULL, p->n,
			(double)(p->used_ns - p->read_ns) / (double)NSEC_PER_SEC, others->stat);
		memcpy(p->values, values, p->n * sizeof(*values));
		p->read_ns = p->used_ns;
		return 0;
	}
	/* the set of counters has changed: read their names next time */
	forget_names(p);
	return err ?: -EAGAIN;
}
