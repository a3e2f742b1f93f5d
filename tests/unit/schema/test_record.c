// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of recorded fields: names, order, null for unknown values, and reading back. */
#include <stdio.h>
#include <string.h>
#include <locale.h>
#include <math.h>
#include "model/finding.h"
#include "schema/record.h"
#include "source/data_source.h"
#include "unit/test.h"

/* Other programs depend on these: a change here changes the schema. */
static const char *const names[] = {
	[RECORD_HEADER] = "type schema version hostname kernel time cpus_possible cpus_online "
			  "backend delay_s devices namespaces_left_out devices_left_out "
			  "page_size verdicts_pid verdicts_caps "
			  "later_namespaces_pid later_namespaces_caps refused "
			  "boot_id monotonic_ns started_ns snapshots_left_out",
	[RECORD_TRACEPOINT] = "type seq time tracepoint state reason events events_total "
			      "events_per_s missed_total overflow_total ns_per_event cpu_percent "
			      "events_lost_total",
	[RECORD_SAMPLE] = "type seq time interval_s tracepoint netns netns_name ifindex ifname "
			  "to_netns to_ifindex to_ifname to_cpu prog_id prog_name map_type map_id "
			  "map_index act err errname cpu events packets drops bytes sched xdp_pass "
			  "xdp_drop xdp_redirect events_total packets_total drops_total "
			  "bytes_total events_per_s packets_per_s drops_per_s bytes_per_s map_name "
			  "to_prog_id to_prog_name pod namespace container to_pod to_namespace "
			  "to_container",
	[RECORD_EVENT] = "type time tracepoint cpu netns ifindex ifname prog_id prog_name pid comm "
			 "text left_out change old new holder follow netns_name "
			 "to_netns to_ifindex to_ifname to_cpu map_type "
			 "map_id map_index act err errname queue pod namespace container to_pod "
			 "to_namespace to_container sent drops processed sched xdp_pass xdp_drop "
			 "xdp_redirect len protocol queue_mapping gso_segs mem_id mem_type",
	[RECORD_END] = "type seq time reason missed_total overflow_total "
		       "events_lost_total",
	[RECORD_LIST] = "type tracepoint state reason key default fires what",
};

static void has_names(const struct record_object *object, const char *expected)
{
	char all[1536] = "";

	for (size_t i = 0; i < object->n_fields; i++) {
		if (i)
			strcat(all, " ");
		strcat(all, object->fields[i].name);
		assert_ptr_equal(record_find(object, object->fields[i].name), &object->fields[i]);
	}
	assert_string_equal(all, expected);
	assert_null(record_find(object, "nothing"));
}

TEST(test_names)
{
	for (int type = 0; type < RECORD_TYPES; type++)
		has_names(&record_objects[type], names[type]);
	has_names(data_sources[DATA_SOURCE_NETDEVS]->record,
		  "type seq time netns netns_name ifindex ifname kind state mtu mode prog_id "
		  "prog_name attached_by skb_prog_id xdp_features peer_netns peer_ifindex "
		  "lower_ifindex vlan_id master_ifindex link_type driver "
		  "rx_packets_total rx_packets_per_s rx_missed_total rx_missed_per_s "
		  "rx_dropped_total rx_dropped_per_s rx_otherhost_total rx_otherhost_per_s "
		  "tx_packets_total tx_packets_per_s tx_dropped_total tx_dropped_per_s "
		  "tx_errors_total "
		  "tx_errors_per_s carrier_changes_total carrier_changes_per_s xdp_drop_total "
		  "xdp_drop_per_s xdp_aborted_total xdp_aborted_per_s xdp_invalid_total "
		  "xdp_invalid_per_s xdp_tx_total xdp_tx_per_s xdp_tx_errors_total "
		  "xdp_tx_errors_per_s xdp_xmit_errors_total xdp_xmit_errors_per_s "
		  "xdp_redirect_total xdp_redirect_per_s xdp_redirect_errors_total "
		  "xdp_redirect_errors_per_s rx_alloc_fail_total rx_alloc_fail_per_s "
		  "rx_out_of_buffer_total rx_out_of_buffer_per_s rx_discards_total "
		  "rx_discards_per_s limit_exceeded_total limit_exceeded_per_s "
		  "netns_csum_errors_total netns_csum_errors_per_s "
		  "netns_addr_errors_total netns_addr_errors_per_s netns_no_routes_total "
		  "netns_no_routes_per_s netns_rp_filtered_total netns_rp_filtered_per_s "
		  "netns_listen_drops_total netns_listen_drops_per_s channels "
		  "channels_max rx_ring rx_ring_max tx_ring tx_ring_max mtu_max promiscuity "
		  "offloads counters_read_at settings_read_at queues_read_at "
		  "pod namespace container");
	has_names(&finding_record,
		  "type seq time code severity tracepoint netns netns_name ifindex ifname to_netns "
		  "to_ifindex to_ifname to_cpu prog_id prog_name map_id state first_seen "
		  "last_seen count count_total text next lost_per_s queue socket_inode "
		  "consequences uncounted "
		  "changes id clears count_since "
		  "pod namespace container to_pod to_namespace to_container");
	has_names(&incident_record,
		  "type from to code severity netns netns_name ifindex ifname to_netns to_ifindex "
		  "to_ifname to_cpu prog_id prog_name map_id state lost count text changes id");
	has_names(&refusal_record, "type bpf_program section consequence reason");
}

static const struct record_field *field(enum record_type type, const char *name)
{
	const struct record_field *f = record_find(&record_objects[type], name);

	assert_non_null(f);
	return f;
}

static void assert_field(const struct record *r, const char *name, const char *expected)
{
	struct record_value v;
	char buf[RECORD_NUMBER_LEN];

	record_get(field((enum record_type)(r->object - record_objects), name), r, &v);
	if (!expected) {
		if (v.type != VALUE_NULL)
			print_error("%s is not null\n", name);
		assert_int_equal(v.type, VALUE_NULL);
		return;
	}
	if (v.type == VALUE_NULL)
		print_error("%s is null\n", name);
	assert_int_not_equal(v.type, VALUE_NULL);
	assert_string_equal(record_text(&v, buf, sizeof(buf)), expected);
}

static struct record sample(uint32_t tracepoint)
{
	struct record r;

	record_init(&r, RECORD_SAMPLE);
	r.tracepoint = tracepoint;
	r.series.tracepoint = tracepoint;
	snprintf(r.tp.name, sizeof(r.tp.name), "%s", tracepoints[tracepoint].name);
	r.seconds = 1;
	return r;
}

TEST(test_target)
{
	struct record r = sample(TP_XDP_REDIRECT);

	/* bpf_redirect() to an ifindex */
	r.series.key.target = 5;
	r.series.key.map_id = SERIES_MAP_ID_IFINDEX;
	assert_field(&r, "to_ifindex", "5");
	assert_field(&r, "to_cpu", NULL);
	assert_field(&r, "map_index", NULL);
	assert_field(&r, "map_id", NULL);
	assert_field(&r, "map_type", NULL);
	r.series.key.map_type = SERIES_MAP_CPUMAP;
	r.series.key.map_id = 7;
	r.series.key.target = 0;
	assert_field(&r, "to_ifindex", NULL);
	assert_field(&r, "to_cpu", "0");
	assert_field(&r, "map_id", "7");
	assert_field(&r, "map_type", "cpumap");
	r.series.key.map_type = SERIES_MAP_XSKMAP;
	assert_field(&r, "to_cpu", NULL);
	assert_field(&r, "map_index", "0");
	r.series.key.map_type = SERIES_MAP_DEVMAP;
	assert_field(&r, "map_index", NULL);
	assert_field(&r, "to_ifindex", NULL); /* unknown */
}

TEST(test_codes)
{
	struct record r = sample(TP_XDP_REDIRECT_ERR);

	assert_field(&r, "act", "REDIRECT");
	assert_field(&r, "err", "0");
	assert_field(&r, "errname", NULL);
	r.series.key.code = -95;
	assert_field(&r, "err", "-95");
	assert_field(&r, "errname", "EOPNOTSUPP");
	r.series.overflow = true;
	assert_field(&r, "err", NULL);
	assert_field(&r, "errname", NULL);
	assert_field(&r, "act", "REDIRECT");
	r = sample(TP_XDP_EXCEPTION);
	assert_field(&r, "act", "ABORTED");
	assert_field(&r, "err", NULL);
	r.series.key.code = 77;
	assert_field(&r, "act", "UNKNOWN(77)");
	r.series.overflow = true;
	assert_field(&r, "act", NULL);
	r = sample(TP_NET_DEV_QUEUE);
	assert_field(&r, "act", NULL);
	assert_field(&r, "err", NULL);
}

TEST(test_counts)
{
	struct record r = sample(TP_XDP_REDIRECT);

	r.delta = (struct series_counters){ .events = 3, .packets = 99, .drops = 99, .bytes = 99 };
	r.seconds = 0.5;
	assert_field(&r, "packets", "3");
	assert_field(&r, "drops", NULL); /* losses do not apply */
	assert_field(&r, "drops_per_s", NULL);
	assert_field(&r, "bytes", NULL);
	assert_field(&r, "sched", NULL);
	assert_field(&r, "packets_per_s", "6");
	/* was off: no time, so no rate */
	r.seconds = 0;
	assert_field(&r, "interval_s", "0");
	assert_field(&r, "packets_per_s", NULL);
	assert_field(&r, "events_per_s", NULL);
	r.seconds = NAN;
	assert_field(&r, "interval_s", NULL);
	r = sample(TP_XDP_DEVMAP_XMIT);
	r.delta = (struct series_counters){ .events = 3, .packets = 40, .drops = 8 };
	assert_field(&r, "packets", "40");
	assert_field(&r, "drops", "8");
	r = sample(TP_NET_DEV_QUEUE);
	r.sum.bytes = UINT64_MAX;
	assert_field(&r, "bytes_total", "18446744073709551615");
	assert_field(&r, "cpu", NULL);
	r.cpu = 0;
	assert_field(&r, "cpu", "0");
}

TEST(test_tracepoint)
{
	struct record r;

	record_init(&r, RECORD_TRACEPOINT);
	r.tp.state = TP_MISSING;
	assert_field(&r, "state", "missing");
	assert_field(&r, "events_total", NULL);
	assert_field(&r, "missed_total", NULL);
	assert_field(&r, "events_per_s", NULL);
	r.tp.state = TP_OFF;
	assert_field(&r, "events_total", "0");
	assert_field(&r, "events_per_s", "0");
	assert_field(&r, "ns_per_event", NULL);
	assert_field(&r, "reason", NULL);
	/* failed later: its count stays */
	r.tp.state = TP_FAILED;
	assert_field(&r, "events_total", NULL);
	r.tp.events = 5;
	assert_field(&r, "events_total", "5");
	r.tp.state = TP_ON;
	r.seconds = 2;
	r.tp_events = 5;
	r.tp.ns_per_event = 36.4;
	assert_field(&r, "events_per_s", "2.5");
	assert_field(&r, "ns_per_event", "36.4");
}

static void assert_real(double n, const char *expected)
{
	struct record_value v = { .type = VALUE_REAL, .real = n };
	char buf[RECORD_NUMBER_LEN];

	assert_string_equal(record_text(&v, buf, sizeof(buf)), expected);
}

TEST(test_reals)
{
	/* in a locale with a decimal comma, if installed */
	setlocale(LC_ALL, "de_DE.UTF-8");
	assert_real(0, "0");
	assert_real(1, "1");
	assert_real(1.000214, "1.000214");
	assert_real(0.1, "0.1");
	assert_real(119.97432549, "119.974325");
	assert_real(0.9999999, "1");
	assert_real(-0.0000001, "0");
	assert_real(-1.5, "-1.5");
	assert_real(14880952.38, "14880952.38");
	assert_real(18446744073709551616.0, "18446744073709551616");
	setlocale(LC_ALL, "C");
	for (int exponent = -300; exponent <= 308; exponent++) {
		struct record_value v = { .type = VALUE_REAL, .real = pow(10, exponent) };
		char buf[RECORD_NUMBER_LEN];

		assert_true(strlen(record_text(&v, buf, sizeof(buf))) < sizeof(buf) - 1);
		assert_int_equal(strspn(buf, "0123456789."), strlen(buf));
	}
}

/* Copies each field that can be read back. */
static void copy(const struct record *from, struct record *to)
{
	const struct record_object *object = from->object;

	record_init(to, (enum record_type)(object - record_objects));
	to->tracepoint = from->tracepoint;
	to->series.tracepoint = from->tracepoint;
	for (size_t i = 0; i < object->n_fields; i++) {
		struct record_value v;

		record_get(&object->fields[i], from, &v);
		assert_true(record_set(&object->fields[i], to, &v));
	}
	for (size_t i = 0; i < object->n_fields; i++) {
		char one[RECORD_NUMBER_LEN], other[RECORD_NUMBER_LEN];
		struct record_value a, b;

		record_get(&object->fields[i], from, &a);
		record_get(&object->fields[i], to, &b);
		assert_int_equal(a.type, b.type);
		assert_string_equal(record_text(&a, one, sizeof(one)),
				    record_text(&b, other, sizeof(other)));
	}
}

TEST(test_back)
{
	struct record r = sample(TP_XDP_REDIRECT_ERR), again;

	r.seq = 9;
	r.time = (struct timespec){ .tv_sec = 1795252500, .tv_nsec = 123456000 };
	r.seconds = 1.000214;
	r.series.key = (struct series_key){ .netns = 1,
					    .ifindex = 2,
					    .to_netns = 3,
					    .target = 4,
					    .prog_id = 5,
					    .map_type = SERIES_MAP_DEVMAP,
					    .map_id = 6,
					    .code = -100 };
	strcpy(r.series.ifname, "a");
	strcpy(r.series.to_ifname, "b");
	strcpy(r.series.prog_name, "c");
	strcpy(r.netns_name, "d");
	r.series.to_prog_id = 8;
	strcpy(r.series.to_prog_name, "e");
	r.cpu = 3;
	r.delta.events = 7;
	r.sum.events = 70;
	copy(&r, &again);
	assert_memory_equal(&r.series.key, &again.series.key, sizeof(r.series.key));
	assert_int_equal(again.series.to_prog_id, 8);
	assert_string_equal(again.series.to_prog_name, "e");
	r = sample(TP_XDP_EXCEPTION);
	r.series.key.code = -1;
	copy(&r, &again);
	assert_int_equal(again.series.key.code, -1);
	r = sample(TP_XDP_CPUMAP_KTHREAD);
	r.series.key.map_type = SERIES_MAP_CPUMAP;
	r.series.key.target = 0;
	r.delta = (struct series_counters){ 1, 2, 3, 0, 5, 6, 7, 8 };
	r.sum = (struct series_counters){ 10, 20, 30, 0, 0, 0, 0, 0 };
	copy(&r, &again);
	assert_memory_equal(&r.delta, &again.delta, sizeof(r.delta));
	assert_memory_equal(&r.sum, &again.sum, sizeof(r.sum));
}

/* Fields of a followed event, only of its tracepoint. */
TEST(test_followed)
{
	struct record r, again;
	struct followed *f = &r.followed;

	record_init(&r, RECORD_EVENT);
	r.tracepoint = TP_XDP_REDIRECT;
	f->event.time = (struct timespec){ .tv_sec = 1795252500, .tv_nsec = 123456789 };
	f->known = ~0u;
	for (uint64_t i = 0; i < FOLLOW_ARGS; i++)
		f->arg[i] = 70 + i;
	assert_field(&r, "time", "2026-11-21T09:15:00.123456Z");
	assert_field(&r, "follow", NULL);
	assert_field(&r, "map_index", NULL);
	r.is_followed = true;
	r.series.key = (struct series_key){ .target = 4, .map_type = SERIES_MAP_DEVMAP };
	assert_field(&r, "time", "2026-11-21T09:15:00.123456789Z");
	assert_field(&r, "follow", "event");
	assert_field(&r, "map_index", "70");
	assert_field(&r, "to_ifindex", "4");
	assert_field(&r, "sent", NULL);
	copy(&r, &again);
	assert_true(again.is_followed);
	assert_int_equal(again.followed.event.time.tv_nsec, 123456789);
	assert_int_equal(again.series.key.target, 4);
	assert_int_equal(again.followed.known, 1 << FOLLOW_MAP_INDEX);
	assert_int_equal(again.followed.arg[FOLLOW_MAP_INDEX], 70);
	/* the index of a socket is also the target */
	r.series.key = (struct series_key){ .target = 70, .map_type = SERIES_MAP_XSKMAP };
	copy(&r, &again);
	assert_int_equal(again.series.key.target, 70);
	/* bpf_redirect(): the argument is the ifindex */
	r.series.key = (struct series_key){ .target = 70, .map_id = SERIES_MAP_ID_IFINDEX };
	assert_field(&r, "map_index", NULL);
	r.tracepoint = TP_XDP_CPUMAP_KTHREAD;
	f->known = ~(1u << FOLLOW_DROPS);
	f->kind = FOLLOWED_LOST;
	assert_field(&r, "follow", "lost");
	assert_field(&r, "processed", "70");
	assert_field(&r, "drops", NULL);
	assert_field(&r, "sched", "72");
	assert_field(&r, "xdp_redirect", "75");
	assert_field(&r, "len", NULL);
	copy(&r, &again);
	assert_int_equal(again.followed.kind, FOLLOWED_LOST);
	assert_int_equal(again.followed.known, 0x3d);
	for (int i = 0; i < FOLLOW_ARGS; i++)
		assert_int_equal(again.followed.arg[i], i == FOLLOW_DROPS ? 0 : f->arg[i]);
}

static bool set(struct record *r, const char *name, struct record_value v)
{
	return record_set(field((enum record_type)(r->object - record_objects), name), r, &v);
}

/* A map of unknown type is null in a recording: its key is the target. */
TEST(test_event_of_unknown_map)
{
	const struct record_value seven = { .type = VALUE_COUNT, .count = 7 };
	struct record r;

	record_init(&r, RECORD_EVENT);
	r.tracepoint = TP_XDP_REDIRECT_ERR;
	assert_true(set(&r, "map_id", seven) && set(&r, "map_index", seven));
	assert_int_equal(r.series.key.target, 7);
	r.series.key.target = 3; /* a device of some devmap */
	assert_true(set(&r, "map_index", seven));
	assert_int_equal(r.series.key.target, 3);
}

/* Without --verdicts JSON has neither field. */
TEST(test_verdicts_of_header)
{
	const struct record_object *header = &record_objects[RECORD_HEADER];
	const struct record_field *caps = record_find(header, "verdicts_caps");
	struct record_value v;
	struct record r, again;

	record_init(&r, RECORD_HEADER);
	record_get(caps, &r, &v);
	assert_int_equal(v.type, VALUE_NULL);
	assert_true(caps->optional && record_find(header, "verdicts_pid")->optional);
	r.host.process[PROCESS_VERDICTS].pid = 812;
	r.host.process[PROCESS_VERDICTS].caps = 1ull << 21 | 1ull << 38 | 1ull << 39;
	record_get(caps, &r, &v);
	assert_string_equal(v.text, "CAP_SYS_ADMIN,CAP_PERFMON,CAP_BPF");
	copy(&r, &again);
	assert_int_equal(again.host.process[PROCESS_VERDICTS].pid, 812);
	assert_true(again.host.process[PROCESS_VERDICTS].caps ==
		    r.host.process[PROCESS_VERDICTS].caps);
	/* from a newer kernel */
	v.text = "CAP_BPF,CAP_NEW,,BPF,CAP_";
	assert_true(record_set(caps, &again, &v));
	assert_true(again.host.process[PROCESS_VERDICTS].caps == 1ull << 39);
}

TEST(test_refused)
{
	struct record r = sample(TP_XDP_EXCEPTION);
	struct record_value big = { .type = VALUE_COUNT, .count = 1ull << 32 };
	struct record_value text = { .type = VALUE_TEXT, .text = "BURNED" };
	struct record_value minus = { .type = VALUE_INTEGER, .integer = -1 };
	struct record_value real = { .type = VALUE_REAL, .real = 0.5 };

	assert_false(set(&r, "ifindex", big));
	assert_false(set(&r, "cpu", big));
	assert_false(set(&r, "events", text));
	assert_false(set(&r, "events", minus));
	assert_false(set(&r, "events", real));
	assert_false(set(&r, "ifname", big));
	assert_false(set(&r, "act", text));
	assert_false(set(&r, "map_type", text));
	assert_false(set(&r, "time", text));
	assert_false(set(&r, "interval_s", minus));
	/* longer than any interface name */
	text.text = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
	assert_false(set(&r, "ifname", text));
	/* except names that are truncated anyway, after a whole character: the row still counts */
	r = sample(TP_XDP_REDIRECT);
	text.text = "aaaaaaaaaaaaaaaaaaaaaa\u00e9bbbb";
	assert_true(set(&r, "to_prog_name", text));
	assert_string_equal(r.series.to_prog_name, "aaaaaaaaaaaaaaaaaaaaaa");
	/* derived: not read back, so not checked */
	assert_true(set(&r, "events_per_s", minus));
	big.type = VALUE_NULL;
	assert_true(set(&r, "ifindex", big));
	/* errno names are preferred to numbers, which differ between architectures */
	r = sample(TP_XDP_REDIRECT_ERR);
	minus.integer = -122; /* mips */
	text.text = "EOPNOTSUPP";
	assert_true(set(&r, "err", minus));
	assert_true(set(&r, "errname", text));
	assert_field(&r, "err", "-95");
}

TEST(test_time)
{
	static const char *const bad[] = {
		"",
		"2026-11-21",
		"2026-11-21T09:15:00Z",
		"2026-11-21T09:15:00.123456",
		"2026-11-21T09:15:00.123456Zx",
		"yesterday",
	};
	struct timespec t;

	assert_true(record_parse_time("2026-11-21T09:15:00.000042Z", &t));
	assert_int_equal(t.tv_sec, 1795252500);
	assert_int_equal(t.tv_nsec, 42000);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(record_parse_time(bad[i], &t));
}
