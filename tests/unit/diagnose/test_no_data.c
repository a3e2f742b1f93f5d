// SPDX-License-Identifier: GPL-2.0-or-later
/* Why everything is zero. */
#include <stdlib.h>
#include "diagnose/no_data.h"
#include "unit/made.h"
#include "unit/made_verdicts.h"
#include "unit/test.h"

#define ALL (BIT(TP_COUNT) - 1)

struct fixture {
	struct snapshot from, to, base;
	struct rates rates;
	struct snapshot_host host;
	struct netns_names *names;
	bool first, based;
	char text[NO_DATA_LEN];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	made_snapshot(&f->base, 5);
	made_snapshot(&f->from, 10);
	made_snapshot(&f->to, 12);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	netns_names_free(f->names);
	rates_free(&f->rates);
	snapshot_free(&f->from);
	snapshot_free(&f->to);
	snapshot_free(&f->base);
	free(f);
	return 0;
}

static const char *silence(struct fixture *f, uint32_t set)
{
	int len;

	f->host.start.tv_sec = f->to.wall.tv_sec - 12;
	rates_set(&f->rates, f->first ? NULL : &f->from, &f->to, f->based ? &f->base : NULL);
	len = no_data_text(&f->rates, set, &f->host, f->names, SWITCH_KEY, f->text,
			   sizeof(f->text));
	assert_int_equal(len, strlen(f->text));
	return f->text;
}

#define SAYS(f, set, part)                                                   \
	do {                                                                 \
		if (!strstr(silence(f, set), part))                          \
			fail_msg("'%s' does not say '%s'", (f)->text, part); \
	} while (0)

TEST_OF(test_not_silent, setup, teardown, struct fixture *f)
{
	f->to.tp[TP_XDP_EXCEPTION].events = 1;
	assert_string_equal(silence(f, ALL), "");
	SAYS(f, BIT(TP_XDP_BULK_TX), "No events in the 12s since the start.");
	/* before the baseline does not count */
	f->base.tp[TP_XDP_EXCEPTION].events = 1;
	f->based = true;
	SAYS(f, ALL, "No events in the 7s since the baseline.");
}

TEST_OF(test_first, setup, teardown, struct fixture *f)
{
	f->first = true;
	SAYS(f, ALL, "not over yet");
}

TEST_OF(test_nothing_attachable, setup, teardown, struct fixture *f)
{
	for (int i = 0; i < TP_COUNT; i++)
		made_off(&f->to, (uint32_t)i, TP_MISSING);
	made_off(&f->to, TP_XDP_EXCEPTION, TP_FAILED);
	strcpy(f->to.tp[TP_XDP_EXCEPTION].reason, "EPERM");
	SAYS(f, ALL, "Nothing can be attached: xdp_exception (EPERM), xdp_redirect_err");
}

TEST_OF(test_off, setup, teardown, struct fixture *f)
{
	SAYS(f, BIT(TP_XDP_REDIRECT), "Nothing is counted: xdp_redirect is off (press t, 3).");
	SAYS(f, ALL, "xdp_redirect is off (press t, 3)");
}

/* -t cannot switch rows without a name. */
TEST_OF(test_verdicts_off, setup, teardown, struct fixture *f)
{
	strcpy(f->to.tp[TP_VERDICTS].name, TP_VERDICTS_NAME);
	made_off(&f->to, TP_VERDICTS, TP_SHED);
	SAYS(f, ALL, "verdicts is shed (press t, V)");
	no_data_text(&f->rates, ALL, &f->host, f->names, SWITCH_OPTION, f->text, sizeof(f->text));
	assert_non_null(strstr(f->text, ", verdicts is shed."));
}

TEST_OF(test_bulks_flow, setup, teardown, struct fixture *f)
{
	f->to.tp[TP_XDP_DEVMAP_XMIT].events = 7;
	SAYS(f, BIT(TP_XDP_REDIRECT) | BIT(TP_XDP_REDIRECT_ERR), "7 bulks");
	SAYS(f, BIT(TP_XDP_REDIRECT) | BIT(TP_XDP_REDIRECT_ERR),
	     "To see which program redirects them, switch on xdp_redirect (press t, 3).");
	assert_null(strstr(f->text, "attached"));
}

TEST_OF(test_devices, setup, teardown, struct fixture *f)
{
	struct netdev *d;

	SAYS(f, ALL, "No device is known to have an XDP program");
	for (int i = 0; i < 5; i++) {
		d = snapshot_add_netdev(&f->to);
		*d = (struct netdev){ .netns = 1, .ifindex = (uint32_t)i + 1 };
		snprintf(d->name, sizeof(d->name), "eth%d", i);
	}
	SAYS(f, ALL, "No device is known to have an XDP program");
	for (int i = 0; i < 4; i++)
		snapshot_netdevs(&f->to)[i].mode = NETDEV_NATIVE;
	snapshot_netdevs(&f->to)[0].gone = true;
	SAYS(f, ALL,
	     "attached to eth1 (ns:1, native), eth2 (ns:1, native), eth3 (ns:1, native).\n");
	f->names = netns_names_new();
	netns_names_set(f->names, 1, "init", 0);
	snapshot_netdevs(&f->to)[2].netns = 2;
	netns_names_set(f->names, 2, "blue", 0);
	SAYS(f, ALL, "attached to eth1 (native), eth2 (blue, native), eth3 (native).\n");
	snapshot_netdevs(&f->to)[4].mode = NETDEV_GENERIC;
	f->to.netns_unreadable = 2;
	SAYS(f, ALL, "eth3 (native) and 1 more.\n");
	SAYS(f, ALL, "2 network namespaces could not");
	f->to.netns_unreadable = 1;
	SAYS(f, ALL, "1 network namespace could not");
}

/*
 * A program that drops or passes everything fires no tracepoint: it is named, with the option that
 * shows its verdicts.
 */
TEST_OF(test_silent_programs, setup, teardown, struct fixture *f)
{
	char text[NO_DATA_LEN];
	struct series *s;

	for (uint32_t i = 1; i <= 4; i++) {
		struct netdev *d = snapshot_add_netdev(&f->to);

		*d = (struct netdev){
			.netns = 1, .ifindex = i, .mode = NETDEV_NATIVE, .prog_id = 40 + i
		};
		snprintf(d->name, sizeof(d->name), "eth%u", i);
		snprintf(d->prog_name, sizeof(d->prog_name), "fw%u", i);
	}
	made_off(&f->to, TP_XDP_REDIRECT, TP_OFF);
	SAYS(f, ALL,
	     "No event was counted for fw1 (id 41) on eth1 (ns:1, native), fw2 (id 42) on eth2");
	SAYS(f, ALL,
	     " and 1 more.\nXDP_DROP and XDP_PASS fire no tracepoint (--verdicts counts them); "
	     "successful redirects fire only xdp_redirect, which is off (press t, 3).\n"
	     "`ethtool -S eth1` and `xdpdump -i eth1 --rx-capture exit` in its namespace show");
	f->names = netns_names_new();
	netns_names_set(f->names, 1, "blue", 0);
	SAYS(f, ALL,
	     "`ip netns exec blue ethtool -S eth1` and `ip netns exec blue xdpdump -i eth1 "
	     "--rx-capture exit` show");
	no_data_silent(&f->rates, NULL, SWITCH_OPTION, text, sizeof(text));
	assert_non_null(strstr(text, "which is off (-t +xdp_redirect).\n"));
	no_data_silent(&f->rates, NULL, SWITCH_NOT, text, sizeof(text));
	assert_non_null(strstr(text, "which is off.\n"));
	/* a NIC that receives hardly anything may keep packets back; not while it is promiscuous */
	for (int i = 0; i < 4; i++) {
		struct netdev *was, *d = &snapshot_netdevs(&f->to)[2];
		uint64_t received = i == 1 ? 1000 : 1;

		netdev_set_setting(d, NETDEV_PROMISCUITY, i == 2);
		netdev_set_count(d, NETDEV_RX_PACKETS, received);
		snprintf(d->kind, sizeof(d->kind), "%s", i == 3 ? "veth" : "");
		snapshot_copy_rows(&f->from, &f->to, DATA_SOURCE_NETDEVS);
		was = &snapshot_netdevs(&f->from)[2];
		netdev_set_count(was, NETDEV_RX_PACKETS, 0);
		silence(f, ALL);
		no_data_silent(&f->rates, NULL, SWITCH_NOT, text, sizeof(text));
		assert_int_equal(!!strstr(text, "eth3 is not promiscuous: its NIC may drop"), !i);
	}
	/* every machine sends skbs */
	f->to.tp[TP_NET_DEV_QUEUE].events += 3;
	SAYS(f, ALL, "No XDP events in the 12s since the start.\n");
	SAYS(f, ALL, "No event was counted for fw1 (id 41)");
	assert_string_equal(silence(f, BIT(TP_NET_DEV_QUEUE)), "");
	f->to.tp[TP_NET_DEV_QUEUE].events -= 3;
	/* one that failed is not silent; packets that the stack sends do not count */
	made_series(&f->to, 1, TP_XDP_EXCEPTION,
		    (struct series_key){ .netns = 1, .ifindex = 1, .prog_id = 41 },
		    (struct series_counters){ .events = 3 });
	made_series(&f->to, 2, TP_NET_DEV_QUEUE, (struct series_key){ .netns = 1, .ifindex = 2 },
		    (struct series_counters){ .events = 3 });
	s = made_series(&f->to, 3, TP_XDP_DEVMAP_XMIT,
			(struct series_key){ .netns = 1, .ifindex = 3 },
			(struct series_counters){ .events = 3 });
	assert_non_null(s);
	silence(f, ALL);
	assert_true(no_data_silent(&f->rates, NULL, SWITCH_NOT, text, sizeof(text)) > 0);
	assert_memory_equal(text,
			    "No event was counted for fw2 (id 42) on eth2 (ns:1, native), fw4", 61);
	assert_false(no_data_is_silent(&f->rates, &snapshot_netdevs(&f->to)[0]));
	assert_true(no_data_is_silent(&f->rates, &snapshot_netdevs(&f->to)[1]));
	/* nor is one with counted verdicts; a refused one is reported as such */
	made_program(&f->to, 42);
	made_program(&f->to, 44)->verdicts = PROGRAM_VERDICTS_REFUSED;
	assert_false(no_data_is_silent(&f->rates, &snapshot_netdevs(&f->to)[1]));
	no_data_silent(&f->rates, NULL, SWITCH_NOT, text, sizeof(text));
	assert_non_null(strstr(text, "No event was counted for fw4 (id 44) on eth4 (ns:1, "
				     "native).\nXDP_DROP and XDP_PASS fire no tracepoint (see the "
				     "VERDICTS column of the programs view); "));
	snapshot_netdevs(&f->to)[1].mode = NETDEV_NONE;
	snapshot_netdevs(&f->to)[1].prog_id = 0;
	snapshot_netdevs(&f->to)[3].gone = true;
	assert_int_equal(no_data_silent(&f->rates, NULL, SWITCH_NOT, text, sizeof(text)), 0);
}

/* Names may be long: a truncated text leaves room for the rest. */
TEST_OF(test_long_names, setup, teardown, struct fixture *f)
{
	char text[NO_DATA_LEN], name[SNAPSHOT_NAME_LEN];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	f->names = netns_names_new();
	for (uint32_t i = 1; i <= 3; i++) {
		struct netdev *d = snapshot_add_netdev(&f->to);

		*d = (struct netdev){
			.netns = i, .ifindex = 1, .mode = NETDEV_NATIVE, .prog_id = i
		};
		memcpy(d->name, name, sizeof(name));
		memcpy(d->prog_name, name, sizeof(name));
		netns_names_set(f->names, i, name, 0);
	}
	silence(f, ALL);
	for (size_t size = 1; size <= sizeof(text); size++) {
		int len = no_data_silent(&f->rates, f->names, SWITCH_OPTION, text, size);

		assert_int_equal(len, strlen(text));
		assert_in_range(len, 0, size - 1);
	}
}

/* "No device has XDP" needs devices that were looked at. */
TEST_OF(test_coverage, setup, teardown, struct fixture *f)
{
	char text[NO_DATA_LEN];

	f->host.devices = NETDEVS_ALL;
	SAYS(f, ALL, "No device has an XDP program attached, in any network namespace.");
	assert_null(strstr(f->text, "after the start"));
	SAYS(f, ALL, "`make demo`");
	no_data_text(&f->rates, ALL, &f->host, NULL, SWITCH_NOT, text, sizeof(text));
	assert_null(strstr(text, "make demo"));
	assert_int_equal(no_data_netdevs(&f->to, &f->host, text, sizeof(text)), 0);
	f->host.devices = NETDEVS_AT_START;
	SAYS(f, ALL, "that xdptop reads has an XDP program attached");
	SAYS(f, ALL, "created after the start");
	assert_true(no_data_netdevs(&f->to, &f->host, text, sizeof(text)) > 0);
	assert_non_null(strstr(text, "created after the start"));
	strcpy(f->host.absent[DATA_SOURCE_NETDEVS], "the walk failed: EINTR");
	SAYS(f, ALL, "created after the start: the walk failed: EINTR.");
	assert_null(strstr(f->text, "5.17"));
	f->host.absent[DATA_SOURCE_NETDEVS][0] = '\0';
	f->host.devices = NETDEVS_NONE;
	SAYS(f, ALL, "because no device could be read");
	assert_null(strstr(f->text, "No device"));
	no_data_netdevs(&f->to, &f->host, text, sizeof(text));
	assert_non_null(strstr(text, "No device could be read: only"));
	strcpy(f->host.absent[DATA_SOURCE_NETDEVS], "network namespaces: Out of memory");
	no_data_netdevs(&f->to, &f->host, text, sizeof(text));
	assert_non_null(
		strstr(text, "No device could be read, network namespaces: Out of memory: "));
	f->host.devices = NETDEVS_UNKNOWN;
	SAYS(f, ALL, "No device is known to have");
	f->host.devices = NETDEVS_ALL;
	f->to.netdevs_left_out = 1;
	SAYS(f, ALL, "No device is known to have an XDP program");
	SAYS(f, ALL, "\n1 more device was found but not read: xdptop reads at most 32768");
	f->host.devices = NETDEVS_UNKNOWN;
	f->to.netdevs_left_out = 20;
	no_data_netdevs(&f->to, &f->host, text, sizeof(text));
	assert_string_equal(text,
			    "20 more devices were found but not read: xdptop reads at most 32768 "
			    "at a time. `bpftool net` in a namespace shows all of its "
			    "programs.\n");
	f->to.netdevs_left_out = 0;
	/* two devices in one namespace, and one whose counters are read */
	for (uint32_t i = 0; i < 3; i++)
		*snapshot_add_netdev(&f->to) = (struct netdev){ .netns = 7 + i / 2,
								.ifindex = i + 1,
								.mode = NETDEV_NATIVE,
								.has_offloads = i == 2 };
	assert_int_equal(snapshot_netns_uncounted(&f->to), 1);
	f->host.devices = NETDEVS_ALL;
	no_data_netdevs(&f->to, &f->host, text, sizeof(text));
	assert_string_equal(text, "Counters and settings of devices in 1 network namespace with "
				  "XDP are unknown. If it has the privileges, xdptop enters those "
				  "that a process is in or `ip netns` lists: at most 256 at the "
				  "start, and later ones only with --later-namespaces.\n");
	f->host.devices = NETDEVS_UNKNOWN;
	f->to.netns_unreadable = 3;
	no_data_netdevs(&f->to, &f->host, text, sizeof(text));
	assert_string_equal(text, "3 network namespaces could not be read.\n");
}
