// SPDX-License-Identifier: GPL-2.0-or-later
/* Following a row matches events of its series, and of no other row. */
#include <errno.h>
#include "model/event_log.h"
#include "model/target.h"
#include "source/softnet.h"
#include "table/follow_choice.h"
#include "table/view.h"
#include "unit/made_table.h"
#include "unit/test.h"

#define BLUE 4026532222u

static bool matches(struct follow_choice *c, const struct series *s)
{
	struct snapshot one = { 0 };
	size_t n;

	*snapshot_add_series(&one) = *s;
	n = follow_choice_series(c, &one, NULL).n_series;
	snapshot_free(&one);
	free(c->id);
	c->id = NULL;
	c->cap = 0;
	return n;
}

static int choose(struct made *m, size_t row, struct follow_choice *c)
{
	return follow_choice_row(c, &m->table, &m->table.row[row]);
}

static struct series_key redirect(uint32_t netns, uint32_t ifindex, uint32_t to_netns,
				  uint32_t target, uint32_t map_type, uint32_t map_id)
{
	return (struct series_key){ .netns = netns,
				    .ifindex = ifindex,
				    .to_netns = to_netns,
				    .target = target,
				    .prog_id = 42 + ifindex % 2,
				    .map_type = map_type,
				    .map_id = map_id };
}

static void add(struct made *m, uint32_t tp, struct series_key key)
{
	uint64_t id = m->to.n_series + 1;

	put(m, id, tp, key, COUNTS(1), COUNTS(2, 4, 1));
	made_on(&m->to, tp);
}

/* Two devices with the same ifindex, all maps, all kinds of targets, and failures. */
static void add_series(struct made *m, bool classic)
{
	const uint32_t ns[] = { classic ? 0 : MADE_NETNS, classic ? 0 : BLUE };

	for (uint32_t i = 0; i < 4; i++) {
		const uint32_t from = ns[i / 2], ifindex = 3 + i % 2, to = ns[!(i / 2)];
		const struct series_key keys[] = {
			redirect(from, ifindex, from, 4, SERIES_MAP_NONE, SERIES_MAP_ID_IFINDEX),
			redirect(from, ifindex, 0, 0, SERIES_MAP_NONE, 0),
			redirect(from, ifindex, to, 4,
				 classic ? SERIES_MAP_SOME_DEVMAP : SERIES_MAP_DEVMAP, 5),
			redirect(from, ifindex, to, 4,
				 classic ? SERIES_MAP_SOME_DEVMAP : SERIES_MAP_DEVMAP_HASH, 6),
			redirect(from, ifindex, 0, 0, SERIES_MAP_DEVMAP, 5),
			redirect(from, ifindex, 0, 4, SERIES_MAP_CPUMAP, 7),
			redirect(from, ifindex, 0, 4,
				 classic ? SERIES_MAP_UNKNOWN : SERIES_MAP_XSKMAP, 8),
			redirect(from, ifindex, 0, 5,
				 classic ? SERIES_MAP_UNKNOWN : SERIES_MAP_XSKMAP, 8),
			redirect(from, ifindex, 0, 4,
				 classic ? SERIES_MAP_UNKNOWN : SERIES_MAP_XSKMAP, 9),
		};

		if (classic && i > 1)
			break;
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
			add(m, TP_XDP_REDIRECT, keys[k]);
			add(m, TP_XDP_REDIRECT_ERR, with_code(keys[k], -EOPNOTSUPP));
			add(m, TP_XDP_REDIRECT_ERR, with_code(keys[k], -ENETDOWN));
		}
		for (uint32_t target = 3; target < 6; target++) {
			const struct series_key xmit = {
				.netns = from, .ifindex = ifindex, .to_netns = to, .target = target
			};

			add(m, TP_XDP_DEVMAP_XMIT, xmit);
			add(m, TP_XDP_DEVMAP_XMIT, with_code(xmit, -ENXIO));
		}
		add(m, TP_XDP_BULK_TX, (struct series_key){ .netns = from, .ifindex = ifindex });
		add(m, TP_XDP_EXCEPTION,
		    (struct series_key){ .netns = from, .ifindex = ifindex, .prog_id = 42 });
		add(m, TP_XDP_EXCEPTION,
		    (struct series_key){
			    .netns = from, .ifindex = ifindex, .prog_id = 43, .code = 4 });
		add(m, TP_NET_DEV_QUEUE,
		    classic ? (struct series_key){ .map_id = 77 + i, .code = -5 }
			    : (struct series_key){ .netns = from, .ifindex = ifindex });
		if (classic)
			strcpy(m->to.series[m->to.n_series - 1].ifname, i ? "eth1" : "eth0");
	}
	for (uint32_t cpu = 0; cpu < 3; cpu++) {
		struct series_key key = redirect(0, 0, 0, cpu + 2, SERIES_MAP_CPUMAP, 7 + cpu % 2);

		key.prog_id = 0;
		add(m, TP_XDP_CPUMAP_ENQUEUE, key);
		add(m, TP_XDP_CPUMAP_KTHREAD, key);
	}
}

static bool is_of(const struct table *t, const struct row *row, const struct series *s)
{
	for (size_t i = 0; i < row->n_series; i++)
		if (row_series(t, row, i) == s)
			return true;
	return false;
}

/* Each row matches only its own series, among those of the view. */
static void check_view(struct made *m, enum view_id view)
{
	const struct table *t = &m->table;
	struct follow_choice f = { 0 };

	m->options.all = true;
	build(m, view);
	assert_true(t->n_rows > 1);
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct row *row = &t->row[i];

		assert_int_equal(choose(m, i, &f), 0);
		assert_true(f.text[0]);
		for (size_t k = 0; k < m->to.n_series; k++) {
			const struct series *s = &m->to.series[k];

			if (matches(&f, s) != is_of(t, row, s))
				fail_msg("%s: row %zu (%s), series %zu of %s: %d", views[view].name,
					 i, f.text, k, tracepoints[s->tracepoint].name,
					 is_of(t, row, s));
		}
	}
}

TEST(test_rows)
{
	static const enum view_id all[] = { VIEW_FLOWS,    VIEW_ERRORS, VIEW_DEVICES,
					    VIEW_PROGRAMS, VIEW_CPUMAP, VIEW_STACK };

	for (int classic = 0; classic < 2; classic++) {
		struct made *m;

		made_setup((void **)&m);
		add_series(m, classic);
		for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
			check_view(m, all[i]);
		made_teardown((void **)&m);
	}
}

/* Fields that the row's tracepoint lacks do not matter: a drop and a success. */
TABLE_TEST(test_events_not_seen_yet)
{
	struct series other = { .tracepoint = TP_XDP_REDIRECT_ERR };
	struct follow_choice f = { 0 };

	made_off(&m->to, TP_XDP_BULK_TX, TP_MISSING);
	put(m, 1, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(1), COUNTS(2, 2, 1));
	build(m, VIEW_FLOWS);
	assert_int_equal(m->table.n_rows, 1);
	assert_int_equal(choose(m, 0, &f), 0);
	assert_string_equal(f.text, "eth3 (+531840) to ifindex 4 without xdp_redirect (off)");
	/* another tracepoint, program, map and errno of the same flow */
	other.key = with_code(made_to_device(3, 4, 5), -EINVAL);
	assert_true(matches(&f, &other));
	other.key.target = 5;
	assert_false(matches(&f, &other));
	/* it is off while others are on */
	other.key = made_to_device(3, 4, 5);
	other.tracepoint = TP_XDP_REDIRECT;
	assert_false(matches(&f, &other));
	made_on(&m->to, TP_XDP_REDIRECT);
	build(m, VIEW_FLOWS);
	assert_int_equal(choose(m, 0, &f), 0);
	assert_true(matches(&f, &other));
	assert_string_equal(f.text, "eth3 (+531840) to ifindex 4");
	/* none is on */
	for (uint32_t tp = 0; tp < TP_COUNT; tp++)
		if (m->to.tp[tp].state != TP_MISSING)
			made_off(&m->to, tp, TP_OFF);
	build(m, VIEW_FLOWS);
	assert_int_equal(choose(m, 0, &f), 0);
	assert_true(matches(&f, &other));
	assert_string_equal(f.text, "eth3 (+531840) to ifindex 4");
	other.tracepoint = TP_XDP_BULK_TX;
	assert_false(matches(&f, &other));
}

/* An attached device or program without counts. */
TABLE_TEST(test_silent)
{
	struct follow_choice f = { 0 };
	struct series s = { .tracepoint = TP_XDP_EXCEPTION, .key = made_to_device(9, 0, 0) };
	struct netdev *d = snapshot_add_netdev(&m->to);

	*d = (struct netdev){
		.netns = MADE_NETNS, .ifindex = 9, .mode = NETDEV_NATIVE, .prog_id = 77
	};
	strcpy(d->name, "nic");
	strcpy(d->prog_name, "pass");
	build(m, VIEW_DEVICES);
	assert_int_equal(m->table.n_rows, 1);
	assert_int_equal(choose(m, 0, &f), 0);
	assert_string_equal(f.text, "nic (+531840) without xdp_redirect (off)");
	s.key.to_netns = 0; /* as the BPF program sets it */
	assert_true(matches(&f, &s));
	s.key.ifindex = 8;
	assert_false(matches(&f, &s));
	build(m, VIEW_PROGRAMS);
	assert_int_equal(choose(m, 0, &f), 0);
	assert_string_equal(f.text, "pass (id 77) without xdp_redirect (off)");
	assert_false(matches(&f, &s));
	s.key.prog_id = 77;
	assert_true(matches(&f, &s));
}

TABLE_TEST(test_texts)
{
	struct follow_choice f = { 0 };
	struct series_key key = with_code(made_to_device(3, 4, 5), -EOPNOTSUPP);

	key.to_netns = BLUE;
	put(m, 1, TP_XDP_REDIRECT_ERR, key, COUNTS(1), COUNTS(2));
	strcpy(m->to.series[0].to_ifname, "lan0");
	put(m, 2, TP_XDP_EXCEPTION, with_code(made_to_device(3, 0, 0), 77), COUNTS(1), COUNTS(2));
	put(m, 3, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(1), COUNTS(2, 2, 1));
	build(m, VIEW_ERRORS);
	for (size_t i = 0; i < 3; i++) {
		static const char *const texts[] = {
			[TP_XDP_REDIRECT_ERR] = "xdp_redirect_err on eth3 (+531840) to lan0 "
						"(+532222): EOPNOTSUPP",
			[TP_XDP_EXCEPTION] = "xdp_exception on eth3 (+531840): UNKNOWN(77)",
			[TP_XDP_DEVMAP_XMIT] = "xdp_devmap_xmit on eth3 (+531840) to ifindex 4: no "
					       "errno",
		};

		assert_int_equal(choose(m, i, &f), 0);
		assert_string_equal(f.text, texts[m->table.row[i].tracepoint]);
	}
}

/* A row of a tracepoint matches all its events. */
TABLE_TEST(test_overview)
{
	struct series s = { .tracepoint = TP_XDP_EXCEPTION };
	struct follow_choice f = { 0 };

	strcpy(m->to.tp[TP_VERDICTS].name, TP_VERDICTS_NAME);
	m->to.tp[TP_VERDICTS].state = TP_ON;
	build(m, VIEW_TRACEPOINTS);
	assert_int_equal(choose(m, row_of(m, TP_XDP_EXCEPTION), &f), 0);
	assert_string_equal(f.text, "xdp_exception");
	assert_true(matches(&f, &s));
	s.tracepoint = TP_XDP_BULK_TX;
	assert_false(matches(&f, &s));
	/* counted or not */
	m->to.tp[TP_XDP_REDIRECT].state = TP_OFF;
	assert_int_equal(choose(m, row_of(m, TP_XDP_REDIRECT), &f), 0);
	assert_string_equal(f.text, "xdp_redirect");
	assert_int_equal(f.tracepoints, BIT(TP_XDP_REDIRECT));
	assert_int_equal(choose(m, row_of(m, TP_VERDICTS), &f), -ENOENT);
	assert_string_equal(f.text, "no tracepoint has events of this row");
}

TABLE_TEST(test_event)
{
	struct event_log log = { 0 };
	struct follow_choice f = { 0 };
	struct event *e;
	struct series s;

	m->options.events = &log;
	e = snapshot_add_event(&m->to);
	*e = (struct event){ .tracepoint = TP_XDP_REDIRECT_ERR,
			     .key = with_code(made_to_device(3, 4, 5), -EINVAL) };
	strcpy(e->ifname, "eth3");
	strcpy(e->to_ifname, "eth4");
	e = snapshot_add_event(&m->to);
	*e = (struct event){ .tracepoint = TP_LINK_ATTACH_FAILED, .key.netns = BLUE };
	e = snapshot_add_event(&m->to);
	*e = (struct event){ .tracepoint = TP_MEM_DISCONNECT };
	e = snapshot_add_event(&m->to);
	*e = (struct event){ .tracepoint = TP_NETLINK_EXTACK,
			     .key = { .netns = BLUE, .ifindex = 3 } };
	strcpy(e->ifname, "eth3");
	event_log_take(&log, &m->to);
	build(m, VIEW_EVENTS);

	assert_int_equal(choose(m, 3, &f), 0);
	assert_string_equal(f.text, "xdp_redirect_err on eth3 (+531840) to eth4: EINVAL");
	s = event_series(&m->to.event[0]);
	assert_true(matches(&f, &s));
	s.key.prog_id++;
	assert_false(matches(&f, &s));

	/* unknown fields match everything */
	assert_int_equal(choose(m, 2, &f), 0);
	assert_string_equal(f.text, "bpf_xdp_link_attach_failed in +532222");
	s = (struct series){ .tracepoint = TP_LINK_ATTACH_FAILED, .key.netns = BLUE };
	assert_true(matches(&f, &s));
	s.key.netns = MADE_NETNS;
	assert_false(matches(&f, &s));
	assert_int_equal(choose(m, 1, &f), 0);
	assert_string_equal(f.text, "mem_disconnect");
	assert_int_equal(choose(m, 0, &f), 0);
	assert_string_equal(f.text, "netlink_extack on eth3 (+532222)");
	event_log_free(&log);
}

TABLE_TEST(test_refused)
{
	struct follow_choice f = { 0 };
	struct row more = { .more = 3 };
	struct softnet_cpu *cpu = snapshot_add_row(&m->to, DATA_SOURCE_SOFTNET, sizeof(*cpu));

	assert_non_null(cpu);
	build(m, VIEW_CPUS);
	assert_int_equal(m->table.n_rows, 1);
	assert_int_equal(choose(m, 0, &f), -ENOENT);
	assert_non_null(strstr(f.text, "this row has no events"));
	/* table full */
	put(m, 1, TP_XDP_REDIRECT_ERR, (struct series_key){ 0 }, COUNTS(1), COUNTS(2));
	m->to.series[0].overflow = m->from.series[0].overflow = true;
	build(m, VIEW_ERRORS);
	assert_int_equal(m->table.n_rows, 1);
	assert_int_equal(choose(m, 0, &f), -ENOENT);
	assert_non_null(strstr(f.text, "table of series was full"));
	assert_int_equal(follow_choice_row(&f, &m->table, &more), -ENOENT);
	/* missing in this kernel */
	put(m, 2, TP_NET_DEV_QUEUE, made_xmit(3, 0), COUNTS(1), COUNTS(2));
	made_off(&m->to, TP_NET_DEV_QUEUE, TP_MISSING);
	strcpy(m->to.tp[TP_NET_DEV_QUEUE].reason, "not in this kernel");
	build(m, VIEW_STACK);
	assert_int_equal(choose(m, 0, &f), -ENOENT);
	assert_string_equal(f.text,
			    "net_dev_queue is missing: not in this kernel: it has no events "
			    "to follow");
}
