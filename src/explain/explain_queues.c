// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include "explain/explanation.h"
#include "source/queues.h"

static const char *cell_of(const struct explanation *x, enum column_id id, char *buf, size_t size)
{
	struct cell cell;

	table_cell(x->t, (size_t)(x->row - x->t->row), id, &cell);
	cell_text(&cell, buf, size, NUMBER_SI, x->lines->ascii);
	return buf;
}

static void explain_cpu(const struct explanation *x, const struct netdev_queue *q, int cpu)
{
	const char *why = q->pid   ? "the thread of its NAPI last ran there"
			  : q->irq ? "its interrupt goes there"
				   : "most of its packets were handled there";

	if (*q->cpus)
		say(x, EXPLAIN_TEXT, "CPU", "%s: %s", q->cpus, why);
	else if (cpu >= 0)
		say(x, EXPLAIN_TEXT, "CPU", "%d: %s", cpu, why);
	if (q->cpu_node >= 0 && q->node >= 0)
		say(x, EXPLAIN_TEXT, "NUMA", "the CPU is on node %d, the device on node %d",
		    q->cpu_node, q->node);
	else if (q->cpu_node >= 0)
		say(x, EXPLAIN_TEXT, "NUMA", "the CPU is on node %d", q->cpu_node);
}

void explain_receive_queue(struct explanation *x)
{
	static const enum column_id more[] = { COL_IRQ, COL_NAPI, COL_QUEUE_SOCKET, COL_DRIVER,
					       COL_WARNING };
	size_t n;
	const struct netdev_queue *q = &netdev_queues(x->to, &n)[x->row->item];
	char text[SNAPSHOT_TEXT_LEN];
	struct location location;

	row_locate(x->t, x->row, &location);
	say(x, EXPLAIN_HEAD, "", "%s, receive queue %s", location.dev.name,
	    cell_of(x, COL_QUEUE, text, sizeof(text)));
	explain_netns(x, q->netns);
	explain_pods(x, &location);
	if (queue_load(x->t->rates, q).known)
		say(x, EXPLAIN_TEXT, "received", "%s packets a second (%s)",
		    cell_of(x, COL_QUEUE_RATE, text, sizeof(text)),
		    q->counts_packets ? "as the driver counts them" : "--verdicts");
	else if (!q->counts_packets)
		say(x, EXPLAIN_TEXT, "received",
		    "unknown, because the driver does not count the packets of each queue for the "
		    "kernel (qstats, 6.9); --verdicts counts them");
	if (q->counts_drops)
		say(x, EXPLAIN_TEXT, "lost", "%s packets a second, in the NIC",
		    cell_of(x, COL_HW_DROP_RATE, text, sizeof(text)));
	explain_cpu(x, q, location.to_cpu);
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		say(x, EXPLAIN_TEXT, columns[more[i]].title, "%s",
		    cell_of(x, more[i], text, sizeof(text)));
	if (q->left_out)
		say(x, EXPLAIN_TEXT, "left out", "%u further queues of the device", q->left_out);
	fill_commands(x, "{in}ethtool -l {dev}\n{in}ethtool -x {dev}", &location, "Commands");
	if (!q->irq)
		return;
	snprintf(text, sizeof(text), "grep '^ *%u:' /proc/interrupts", q->irq);
	say_command(x, text);
	snprintf(text, sizeof(text), "cat /proc/irq/%u/smp_affinity_list", q->irq);
	say_command(x, text);
}
