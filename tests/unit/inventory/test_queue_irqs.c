// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of interrupts: which receive queue they belong to. */
#include "inventory/queue_irqs.h"
#include "unit/test.h"

#define NONE 99999

TEST(test_names)
{
	static const struct {
		const char *name;
		uint32_t queue;
	} names[] = {
		{ "eth0-TxRx-3", 3 },
		{ "i40e-eth0-TxRx-12", 12 },
		{ "ice-eth0-TxRx-0", 0 },
		{ "eth0-Tx-Rx-7", 7 },
		{ "eth0-rx-1", 1 },
		{ "eth0-rxtx-2", 2 },
		{ "virtio2-input.0", 0 },
		{ "virtio12-input.31", 31 },
		{ "mlx5_comp5@pci:0000:3b:00.0", 5 },
		/* not of a receive queue */
		{ "eth0-tx-1", NONE },
		{ "virtio2-output.0", NONE },
		{ "virtio2-config", NONE },
		{ "virtio0-virtqueues", NONE },
		{ "virtio3-rx", NONE },
		{ "i40e-eth0-fdir-TxRx-0", NONE },
		{ "mlx5_async0@pci:0000:3b:00.0", NONE },
		{ "eth0", NONE },
		{ "eth0-TxRx-", NONE },
		{ "eth0-TxRx-123456", NONE },
		{ "3", NONE },
		{ "@3", NONE },
		{ "", NONE },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint32_t queue = NONE;

		assert_int_equal(queue_of_irq(names[i].name, &queue), names[i].queue != NONE);
		assert_int_equal(queue, names[i].queue);
	}
}

/* A name of a bus cannot lead out of the directory, and a device without interrupts has none. */
TEST(test_no_path)
{
	static const struct netdev_hardware bad[] = {
		{ .bus = "pci", .name = "" },      { .bus = "", .name = "0000:00:03.0" },
		{ .bus = "pci", .name = "../.." }, { .bus = "a/b", .name = "c" },
		{ .bus = "pci", .name = "none" },
	};
	struct netdev_queue q[2] = { { .pid = UINT32_MAX }, { 0 } };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		queue_irqs_find(&bad[i], q, 2);
		assert_int_equal(q[0].irq, 0);
	}
	queue_cpus_read(q, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(q[i].cpu, -1);
		assert_int_equal(q[i].cpu_node, -1);
		assert_string_equal(q[i].cpus, "");
	}
}
