// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/queue_irqs.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "base/cpu_set.h"

#define IRQS_OF_DEVICE 4096 /* a device can have 2,048 MSI-X vectors */
#define NODES_MAX      64

/* Read the first line of a file. False = it is empty, cannot be read, or does not fit. */
static bool line_read(char *to, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static bool line_read(char *to, size_t size, const char *format, ...)
{
	char path[128];
	va_list ap;
	ssize_t n;
	int fd;

	va_start(ap, format);
	n = vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	fd = n < (ssize_t)sizeof(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return false;
	n = read(fd, to, size - 1);
	close(fd);
	if (n <= 0 || n == (ssize_t)size - 1)
		return false;
	to[n] = '\0';
	to[strcspn(to, "\n")] = '\0';
	return *to;
}

static bool ends_with(const char *text, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len >= n && !strncasecmp(text + len - n, end, n);
}

/*
 * igb_request_msix(), i40e_vsi_request_irq_msix(), ena_setup_io_intr(), bnxt_setup_msix() and
 * others of their kind: DEVICE-TxRx-N, -Tx-Rx-N, -rx-N. vmxnet3_request_irqs(): -rxtx-N.
 * vp_find_vqs_msix() with virtnet_find_vqs(): virtioN-input.N. mlx5's irq_set_name():
 * mlx5_compN@pci:ADDRESS. An i40e has one more for its flow director, "fdir-TxRx-0".
 */
bool queue_of_irq(const char *name, uint32_t *queue)
{
	static const char *const before[] = { "rx", "rxtx", "input", "mlx5_comp" };
	size_t end = strcspn(name, "@"), at = end;
	unsigned long n;

	while (at && isdigit((unsigned char)name[at - 1]))
		at--;
	if (at == end || end - at > 5 || strstr(name, "fdir"))
		return false;
	n = strtoul(name + at, NULL, 10);
	at -= at && strchr("-.", name[at - 1]) ? 1 : 0;
	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++) {
		if (!ends_with(name, at, before[i]))
			continue;
		*queue = (uint32_t)n;
		return true;
	}
	return false;
}

static bool is_name(const char *text)
{
	return *text && *text != '.' && !strchr(text, '/');
}

/* The device's only interrupt, or the one with the queue's name. `shared` = a queue has several. */
struct found {
	uint32_t irq;
	bool shared;
};

static void irq_add(uint32_t irq, struct found *to, size_t n)
{
	uint32_t queue;
	char name[128];

	if (!line_read(name, sizeof(name), "/sys/kernel/irq/%u/actions", irq) ||
	    !queue_of_irq(name, &queue) || queue >= n)
		return;
	to[queue].shared |= to[queue].irq;
	to[queue].irq = irq;
}

static void irqs_list(DIR *dir, struct found *to, size_t n)
{
	struct found only = { 0 };
	const struct dirent *e;

	for (int i = 0; i < IRQS_OF_DEVICE && (e = readdir(dir)); i++) {
		unsigned long irq = strtoul(e->d_name, NULL, 10);

		if (!irq || irq > INT32_MAX)
			continue;
		only.shared |= only.irq;
		only.irq = (uint32_t)irq;
		irq_add((uint32_t)irq, to, n);
	}
	for (size_t i = 0; i < n && only.irq && !only.shared; i++)
		to[i] = only;
}

void queue_irqs_find(const struct netdev_hardware *of, struct netdev_queue *row, size_t n)
{
	/* a virtio device has no interrupts of its own: the PCI device that it belongs to has */
	const char *up = !strcmp(of->bus, "virtio") ? "/.." : "";
	struct found found[NETDEV_QUEUES_OF_DEVICE] = { { 0 } };
	char path[128], number[16];
	bool all = true;
	DIR *dir;

	for (size_t i = 0; i < n; i++)
		all &= row[i].irq;
	if (all || n > NETDEV_QUEUES_OF_DEVICE || !is_name(of->bus) || !is_name(of->name))
		return;
	snprintf(path, sizeof(path), "/sys/bus/%s/devices/%s%s/msi_irqs", of->bus, of->name, up);
	dir = opendir(path);
	if (dir) {
		irqs_list(dir, found, n);
		closedir(dir);
	} else if (line_read(number, sizeof(number), "/sys/bus/%s/devices/%s%s/irq", of->bus,
			     of->name, up)) {
		for (size_t i = 0; i < n; i++)
			found[i].irq = (uint32_t)strtoul(number, NULL, 10);
	}
	for (size_t i = 0; i < n; i++)
		if (!row[i].irq && !found[i].shared)
			row[i].irq = found[i].irq;
}

/*
 * The CPU that a NAPI's thread last ran on. It is field 39 of /proc/PID/stat, counted from the end
 * of the name. A different name means a process in another pid namespace.
 */
static bool thread_cpu(uint32_t pid, char *cpus, size_t size)
{
	char stat[1024], *at;
	int field = 2;

	if (!line_read(stat, sizeof(stat), "/proc/%u/stat", pid))
		return false;
	at = strrchr(stat, ')');
	if (!at || !strstr(stat, "(napi/"))
		return false;
	for (at++; *at && field < 38; at++)
		field += *at == ' ';
	at[strcspn(at, " ")] = '\0';
	return snprintf(cpus, size, "%s", at) < (int)size;
}

static bool is_on_node(int32_t cpu, int node)
{
	char path[80];

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpu%d", node, cpu);
	return !access(path, F_OK);
}

static int32_t node_of_cpu(int32_t cpu, int32_t likely)
{
	if (likely >= 0 && is_on_node(cpu, likely))
		return likely;
	for (int node = 0; node < NODES_MAX; node++)
		if (is_on_node(cpu, node))
			return node;
	return -1;
}

static void cpu_read(struct netdev_queue *q, struct cpu_set *set)
{
	q->cpu = q->cpu_node = -1;
	q->cpus[0] = '\0';
	if (q->pid ? !thread_cpu(q->pid, q->cpus, sizeof(q->cpus))
		   : !q->irq || (!line_read(q->cpus, sizeof(q->cpus),
					    "/proc/irq/%u/effective_affinity_list", q->irq) &&
				 !line_read(q->cpus, sizeof(q->cpus),
					    "/proc/irq/%u/smp_affinity_list", q->irq)))
		q->cpus[0] = '\0';
	if (cpu_set_parse(set, q->cpus) || !set->count) {
		q->cpus[0] = '\0';
		return;
	}
	if (set->count > 1)
		return;
	q->cpu = (int32_t)set->end - 1;
	q->cpu_node = node_of_cpu(q->cpu, q->node);
}

void queue_cpus_read(struct netdev_queue *row, size_t n)
{
	struct cpu_set set;

	for (size_t i = 0; i < n; i++)
		cpu_read(&row[i], &set);
}
