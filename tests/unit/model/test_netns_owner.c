// SPDX-License-Identifier: GPL-2.0-or-later
/* Namespaces without a file are named after a process. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "model/netns_names.h"
#include "model/netns_owner.h"
#include "unit/test.h"

static void add_owner(struct netns_owners *owners, uint32_t netns, int pid, uint64_t start,
		      const char *comm)
{
	struct netns_owner owner = { .netns = netns, .pid = pid, .start = start };

	netns_owner_set(&owner, comm, strlen(comm), "", 0);
	netns_owners_add(owners, &owner);
}

static void assert_owner_name(const char *comm, size_t len, int pid, const char *cgroup,
			      const char *name)
{
	struct netns_names *n = netns_names_new();
	struct netns_owner owner = { .netns = 77, .pid = pid, .start = 1 };
	struct netns_owners owners = { &owner, 1, 1 };

	netns_owner_set(&owner, comm, len, cgroup, strlen(cgroup));
	netns_names_set_owners(n, &owners, true);
	assert_string_equal(netns_names_get(n, 77), name);
	netns_names_free(n);
}

TEST(test_netns_process)
{
	struct netns_names *n = netns_names_new();
	struct netns_owners owners = { 0 };
	char self[32];

	snprintf(self, sizeof(self), "self/%d", getpid());
	add_owner(&owners, 77, getpid(), 1, "self");
	add_owner(&owners, 78, 0x3fffffff, 1, "dead");
	netns_names_set_owners(n, &owners, false);
	assert_string_equal(netns_names_get(n, 77), self);
	netns_names_set_init(n, 4026531840u);
	assert_string_equal(netns_names_get(n, 4026531840u), "init");
	/* the process has ended, so another namespace may have the inode */
	netns_names_check(n, 77);
	netns_names_check(n, 78);
	netns_names_check(n, 4026531840u);
	assert_string_equal(netns_names_get(n, 77), self);
	assert_null(netns_names_get(n, 78));
	/* current owners count even if their pid belongs to another pid namespace */
	netns_names_set_owners(n, &owners, true);
	netns_names_check(n, 78);
	assert_string_equal(netns_names_get(n, 78), "dead/1073741823");
	netns_owners_free(&owners);
	netns_names_set_owners(n, &owners, true);
	netns_names_check(n, 78);
	assert_null(netns_names_get(n, 78));
	assert_string_equal(netns_names_get(n, 4026531840u), "init");
	netns_names_free(n);
}

TEST(test_netns_owners)
{
	static const char id[] =
		"cri-containerd-"
		"4f3c2a1b9d8e000102030405060708090a0b0c0d0e0f10111213141516171819.scope";
	struct netns_owner pause = { .netns = 11, .pid = 7, .start = 10 };
	struct netns_owners owners = { 0 };

	assert_owner_name("ng\x1b[m", 6, 812, id, "ng\\x1b[m/812@4f3c2a1b9d8e");
	assert_owner_name("0123456789abcdef", 16, 7, "user.slice", "0123456789abcdef/7");
	/* The oldest wins, but any other process wins over pause. */
	add_owner(&owners, 9, 3, 30, "nginx");
	add_owner(&owners, 9, 1, 10, "pause");
	assert_string_equal(owners.owner[0].comm, "nginx");
	assert_int_equal(owners.owner[0].pid, 3);
	add_owner(&owners, 9, 2, 20, "envoy");
	assert_string_equal(owners.owner[0].comm, "envoy");
	assert_int_equal(owners.owner[0].pid, 2);
	add_owner(&owners, 5, 1, 10, "pause");
	add_owner(&owners, 5, 4, 40, "late");
	assert_int_equal(owners.n, 2);
	assert_int_equal(owners.owner[0].netns, 5);
	assert_string_equal(owners.owner[0].comm, "late");
	assert_int_equal(owners.owner[0].pid, 4);
	assert_int_equal(owners.owner[1].pid, 2);
	/*
	 * a process that entered a pod from the host is not its owner, even if the pod has only
	 * pause
	 */
	netns_owner_set(&pause, "pause", 5, id, strlen(id));
	add_owner(&owners, 11, 8, 5, "nsenter");
	netns_owners_add(&owners, &pause);
	add_owner(&owners, 11, 9, 1, "sh");
	assert_int_equal(owners.owner[2].pid, 7);
	assert_string_equal(owners.owner[2].container.id, "4f3c2a1b9d8e0001020304050607080"
							  "90a0b0c0d0e0f10111213141516171819");
	netns_owners_free(&owners);
}
