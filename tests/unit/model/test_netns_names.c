// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's numbers and names map to each other. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "model/kernel_names.h"
#include "model/netns_names.h"
#include "bpf/shared.h"
#include "unit/test.h"

TEST(test_errno)
{
	assert_string_equal(errno_name(-EOPNOTSUPP), "EOPNOTSUPP");
	assert_string_equal(errno_name(EOPNOTSUPP), "EOPNOTSUPP");
	assert_string_equal(errno_name(-EAGAIN), "EAGAIN");
	assert_string_equal(errno_name(-524), "ENOTSUPP");
	assert_string_equal(errno_text(-524), "Operation is not supported (ENOTSUPP)");
	assert_string_equal(errno_text(-EINVAL), "Invalid argument");
	assert_null(errno_name(0));
	assert_null(errno_name(4000));
	assert_null(errno_name(INT_MIN));
	assert_int_equal(errno_find("ENETDOWN"), ENETDOWN);
	assert_int_equal(errno_find("enetdown"), ENETDOWN);
	assert_int_equal(errno_find("EWOULDBLOCK"), EAGAIN);
	assert_int_equal(errno_find("ENOTSUP"), EOPNOTSUPP);
	assert_int_equal(errno_find("EFOO"), 0);
	assert_int_equal(errno_find(""), 0);
	/* every name leads back to its number */
	for (int i = 1; i < 600; i++)
		if (errno_name(i))
			assert_int_equal(errno_find(errno_name(i)), i);
	/* errnos that a redirect can return */
	static const int redirect[] = { ENOENT,     ENXIO,    ENOMEM,  EFAULT,    ENODEV,
					EINVAL,     ENOSPC,   EBADRQC, EOVERFLOW, EMSGSIZE,
					EOPNOTSUPP, ENETDOWN, ENOBUFS, EIO };
	for (size_t i = 0; i < sizeof(redirect) / sizeof(redirect[0]); i++)
		assert_non_null(errno_name(-redirect[i]));
}

TEST(test_act)
{
	static const int acts[] = { 0, 1, 2, 3, 4, 5, 77, INT_MAX, INT_MIN, -1 };
	char buf[32];

	assert_string_equal(act_name(0, buf, sizeof(buf)), "ABORTED");
	assert_string_equal(act_name(4, buf, sizeof(buf)), "REDIRECT");
	assert_string_equal(act_name(5, buf, sizeof(buf)), "UNKNOWN(5)");
	/* u32 in the kernel */
	assert_string_equal(act_name(-1, buf, sizeof(buf)), "UNKNOWN(-1)");
	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		assert_int_equal(act_find(act_name(acts[i], buf, sizeof(buf))), acts[i]);
	assert_int_equal(act_find("tx"), 3);
	assert_int_equal(act_find("NONE"), -1);
	assert_int_equal(act_find("UNKNOWN(7"), -1);
	assert_int_equal(act_find(""), -1);
}

TEST(test_map_type)
{
	static const uint32_t types[] = { SERIES_MAP_DEVMAP,
					  SERIES_MAP_CPUMAP,
					  SERIES_MAP_XSKMAP,
					  SERIES_MAP_DEVMAP_HASH,
					  1,
					  11 };

	assert_string_equal(map_type_name(SERIES_MAP_DEVMAP_HASH), "devmap_hash");
	assert_null(map_type_name(SERIES_MAP_NONE));
	/* an array of maps */
	assert_null(map_type_name(12));
	assert_string_equal(map_type_name(35), "rhash");
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		assert_int_equal(map_type_find(map_type_name(types[i])), types[i]);
	assert_int_equal(map_type_find("array_of_maps"), -1);
}

TEST(test_netns_recorded)
{
	struct netns_names *n = netns_names_new();
	const char *before;

	assert_non_null(n);
	netns_names_set(n, 4026531840u, "init", 0);
	netns_names_set(n, 7, "blue", 0);
	netns_names_set(n, 5, NULL, 0);
	netns_names_set(n, 4026531839u, "red", 0);
	assert_string_equal(netns_names_get(n, 4026531840u), "init");
	assert_string_equal(netns_names_get(n, 4026531839u), "red");
	assert_string_equal(netns_names_get(n, 7), "blue");
	assert_null(netns_names_get(n, 5));
	assert_null(netns_names_get(n, 0));
	/* this machine's initial namespace has no name in another machine's recording */
	assert_null(netns_names_get(n, 0xeffffff9u));
	/* when a name changes, holders of the old one may still use it */
	before = netns_names_get(n, 7);
	netns_names_set(n, 7, "green", 0);
	assert_string_equal(netns_names_get(n, 7), "green");
	assert_string_equal(before, "blue");
	netns_names_set(n, 7, NULL, 0);
	assert_null(netns_names_get(n, 7));
	netns_names_free(n);
}

TEST(test_netns_many)
{
	struct netns_names *n = netns_names_new();
	char name[16];

	for (uint32_t i = 1000; i > 0; i--) {
		snprintf(name, sizeof(name), "ns%u", i * 7);
		netns_names_set(n, i * 7, name, 0);
	}
	for (uint32_t i = 1; i <= 1000; i++) {
		snprintf(name, sizeof(name), "ns%u", i * 7);
		assert_string_equal(netns_names_get(n, i * 7), name);
		assert_null(netns_names_get(n, i * 7 + 1));
	}
	netns_names_free(n);
}

/* Any number and length of names: memory is bounded, and no name is wrong. */
TEST(test_netns_too_many)
{
	struct netns_names *n = netns_names_new();
	char name[1024];
	size_t named = 0;

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	/* an inode that alternates between two names */
	for (int i = 0; i < 100000; i++) {
		name[0] = i % 2 ? 'a' : 'b';
		netns_names_set(n, 1, name, 0);
		if (netns_names_get(n, 1)) {
			assert_string_equal(netns_names_get(n, 1), name);
			named++;
		}
	}
	assert_in_range(named, 1000, 10000);
	/* there is room again when nobody holds the old names */
	netns_names_next(n);
	netns_names_next(n);
	netns_names_set(n, 1, name, 0);
	assert_string_equal(netns_names_get(n, 1), name);
	/* many inodes, descending */
	named = 0;
	for (uint32_t i = 200000; i > 1; i--)
		netns_names_set(n, i, name, 0);
	for (uint32_t i = 2; i <= 200000; i++)
		named += netns_names_get(n, i) != NULL;
	assert_in_range(named, 1000, 10000);
	netns_names_free(n);
}

TEST(test_netns_live)
{
	struct netns_names *n = netns_names_new();

	/* NET_NS_INIT_INO, which older kernels never assign to another namespace */
	assert_string_equal(netns_names_get(n, 0xeffffff9u), "init");
	assert_null(netns_names_get(n, 1));
	assert_null(netns_names_get(n, 0));
	netns_names_free(n);
	netns_names_free(NULL);
}

/* A file called init is not taken for the initial namespace. */
TEST(test_netns_file_called_init)
{
	struct netns_names *n;
	struct stat st;

	/* a private /run, in a mount namespace that ends with this process */
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/run", "tmpfs", 0, NULL))
		skip();
	assert_int_equal(mkdir("/run/netns", 0755), 0);
	assert_int_equal(close(creat("/run/netns/init", 0644)), 0);
	assert_int_equal(stat("/run/netns/init", &st), 0);
	n = netns_names_new();
	assert_string_equal(netns_names_get(n, (uint32_t)st.st_ino), "/run/netns/init");
	assert_string_equal(netns_names_get(n, 0xeffffff9u), "init");
	netns_names_free(n);
}
