// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about the CPUs that serve a device's receive queues. */
#include "diagnose/finding_code.h"

#include <stdio.h>
#include "base/format.h"
#include "source/queues.h"
#include "source/softnet.h"

/* A queue with at least this many packets per second is busy, and such a CPU is not free. */
#define BUSY_PER_S 10000
/* Stops of a CPU's receive softirq with work left, per second: fewer happen on a healthy CPU. */
#define SQUEEZE_PER_S 10

static bool is_busy(const struct evidence *e, const struct netdev_queue *q, double *per_s)
{
	struct queue_load load = queue_load(e->rates, q);

	*per_s = load.per_s;
	return load.known && load.per_s >= BUSY_PER_S;
}

/* Whether the queue's interrupt goes to one CPU, whose softirq polls the queue. */
static bool is_on(const struct netdev_queue *q, int32_t cpu)
{
	return q->irq && !q->pid && q->cpu == cpu;
}

static uint64_t stops_on(const struct rates *r, uint32_t cpu)
{
	const struct softnet_cpu *now = softnet_row(r->to, cpu), *was = softnet_row(r->from, cpu);

	return now && was ? now->time_squeeze - was->time_squeeze : 0;
}

struct shared {
	int32_t cpu;
	uint32_t irq; /* of the last one */
	size_t n;
	double per_s;
};

/* Of the CPUs that serve two busy queues or more and cannot keep up, the one with most packets. */
static struct shared find_shared(const struct evidence *e, const struct netdev_queue *q, size_t n)
{
	struct shared most = { .cpu = -1 };

	for (size_t i = 0; i < n; i++) {
		struct shared s = { .cpu = q[i].cpu };
		double per_s;

		if (s.cpu < 0 || per_second((double)stops_on(e->rates, (uint32_t)s.cpu),
					    e->rates->seconds) < SQUEEZE_PER_S)
			continue;
		for (size_t k = 0; k < n; k++) {
			if (!is_on(&q[k], s.cpu) || !is_busy(e, &q[k], &per_s))
				continue;
			s.n++;
			s.per_s += per_s;
			s.irq = q[k].irq;
		}
		if (s.n > 1 && s.per_s > most.per_s)
			most = s;
	}
	return most;
}

/* The CPU serves no busy queue, as far as is known, and its softirq has little to do. */
static bool is_free(const struct evidence *e, const struct softnet_cpu *cpu)
{
	const struct softnet_cpu *was = softnet_row(e->rates->from, cpu->cpu);
	size_t n;
	const struct netdev_queue *q = netdev_queues(e->rates->to, &n);
	double per_s;

	if (!was || stops_on(e->rates, cpu->cpu) ||
	    per_second((double)(cpu->processed - was->processed), e->rates->seconds) >= BUSY_PER_S)
		return false;
	for (size_t i = 0; i < n; i++)
		if (q[i].left_out || (q[i].cpu == (int32_t)cpu->cpu && is_busy(e, &q[i], &per_s)))
			return false;
	return true;
}

static bool is_shared(struct evidence *e)
{
	size_t n, n_cpus, n_free = 0;
	const struct netdev_queue *q =
		netdev_queues_of(e->rates->to, e->dev->netns, e->dev->ifindex, &n);
	const struct softnet_cpu *cpu = softnet_rows(e->rates->to, &n_cpus);
	uint32_t first_free = 0;
	char in[16], others[40] = "";
	struct shared s;

	if (n < 2)
		return false;
	s = find_shared(e, q, n);
	if (s.cpu < 0)
		return false;
	for (size_t i = 0; i < n_cpus; i++) {
		if (!is_free(e, &cpu[i]))
			continue;
		first_free = n_free++ ? first_free : cpu[i].cpu;
	}
	if (!n_free)
		return false;
	if (n_free > 1)
		snprintf(others, sizeof(others), ", like %zu others,", n_free - 1);
	format_rate(in, sizeof(in), s.per_s, NUMBER_SI);
	e->number = s.irq;
	e->count = stops_on(e->rates, (uint32_t)s.cpu);
	snprintf(e->what, sizeof(e->what),
		 "the interrupts of %zu busy receive queues (of %zu) go to CPU %d, %s packets a "
		 "second in all. Its softirq stops with work left, while CPU %u%s serves no busy "
		 "queue",
		 s.n, n, s.cpu, in, first_free, others);
	return true;
}

static bool is_remote(struct evidence *e)
{
	size_t n, busy = 0;
	const struct netdev_queue *q =
		netdev_queues_of(e->rates->to, e->dev->netns, e->dev->ifindex, &n);
	const struct netdev_queue *last = NULL;
	double sum = 0, per_s;
	char in[16];

	for (size_t i = 0; i < n; i++) {
		if (!q[i].irq || q[i].node < 0 || q[i].cpu_node < 0 || q[i].node == q[i].cpu_node ||
		    !is_busy(e, &q[i], &per_s))
			continue;
		busy++;
		sum += per_s;
		last = &q[i];
	}
	if (!last)
		return false;
	format_rate(in, sizeof(in), sum, NUMBER_SI);
	e->number = last->irq;
	e->count = (uint64_t)(sum * e->rates->seconds);
	snprintf(e->what, sizeof(e->what),
		 "%zu of its %zu receive queues, %s packets a second, %s served by CPUs on NUMA "
		 "node %d, but the device is on node %d. Packets and descriptors cross the link "
		 "between the nodes",
		 busy, n, in, busy == 1 ? "is" : "are", last->cpu_node, last->node);
	return true;
}

#define QUEUES                                       \
	"cat /proc/irq/{number}/smp_affinity_list\n" \
	"{in}ethtool -l {dev}"

/* clang-format off */
static const struct finding_code codes[] = {
	{ "queues-share-cpu", FINDING_WARNING,
	  "one CPU serves several busy receive queues of a device with XDP and leaves work undone, "
	  "while other CPUs serve no busy queue, in three intervals in a row",
	  { .text = "move one queue's interrupt to a free CPU (smp_affinity_list), and exclude it "
		    "from irqbalance, which would move it back. Or use as many channels as there "
		    "are CPUs for them (ethtool -L)",
	    .commands = QUEUES },
	  RULES({ RULE_NETDEV, .code = RULE_ANY, .per = PER_DEVICE, .intervals = 3,
		  .when = is_shared }) },
	{ "irq-remote-numa", FINDING_INFO,
	  "busy receive queues of a device with XDP are served by CPUs of a NUMA node other than "
	  "the device's, in three intervals in a row",
	  { .text = "move the queues' interrupts to CPUs of the device's node (smp_affinity_list), "
		    "and run the programs that read their packets there",
	    .commands = QUEUES "\n"
			"cat /sys/devices/system/node/node*/cpulist" },
	  RULES({ RULE_NETDEV, .code = RULE_ANY, .per = PER_DEVICE, .intervals = 3,
		  .when = is_remote }) },
};
/* clang-format on */

const struct finding_group queue_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
