// SPDX-License-Identifier: GPL-2.0-or-later
/* Views with rows other than groups of series: devices, programs, cpumaps, events, findings. */
#include <errno.h>
#include <math.h>
#include "diagnose/findings.h"
#include "model/event_log.h"
#include "source/data_source.h"
#include "source/programs.h"
#include "source/softnet.h"
#include "table/filter.h"
#include "table/view.h"
#include "unit/made_table.h"
#include "unit/test.h"

#define BLUE 4026532222u

static struct netdev *device(struct made *m, uint32_t netns, uint32_t ifindex, const char *name)
{
	struct netdev *d = snapshot_add_netdev(&m->to);

	assert_non_null(d);
	*d = (struct netdev){
		.netns = netns, .ifindex = ifindex, .up = true, .running = true, .mtu = 1500
	};
	snprintf(d->name, sizeof(d->name), "%s", name);
	return d;
}

static size_t named(struct made *m, enum column_id column, const char *name)
{
	for (size_t i = 0; i < m->table.n_rows; i++)
		if (!strcmp(text(m, i, column), name))
			return i;
	fail_msg("no row %s", name);
	return 0;
}

/* Received packets belong to the source, packets to send to the target. */
TABLE_TEST(test_devices)
{
	struct series *s;
	size_t at;

	made_on(&m->from, TP_XDP_REDIRECT);
	made_on(&m->to, TP_XDP_REDIRECT);
	put(m, 1, TP_XDP_REDIRECT, made_to_device(3, 4, 5), COUNTS(0), COUNTS(200));
	put(m, 2, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -ENETDOWN), COUNTS(0),
	    COUNTS(20));
	put(m, 3, TP_XDP_EXCEPTION, made_to_device(3, 0, 0), COUNTS(0), COUNTS(2));
	put(m, 4, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(0), COUNTS(20, 180, 20));
	s = &m->to.series[3];
	snprintf(s->to_ifname, sizeof(s->to_ifname), "eth4");
	made_sort_netdevs(&m->to);
	build(m, VIEW_DEVICES);
	assert_int_equal(m->table.n_rows, 2);
	at = named(m, COL_DEVICE, "eth3");
	CELL(at, COL_QUEUED_RATE, "100");
	CELL(at, COL_FAILED_RATE, "10");
	CELL(at, COL_EXCEPTIONS_RATE, "1.0");
	CELL(at, COL_PACKETS_RATE, "-"); /* nothing was sent to it */
	CELL(at, COL_DROPS_RATE, "-");
	CELL(at, COL_PROGRAM, "prog42");
	CELL(at, COL_MODE, "n/a"); /* unknown to netlink */
	CELL(at, COL_RX_MISSED_RATE, "n/a");
	at = named(m, COL_DEVICE, "eth4");
	CELL(at, COL_QUEUED_RATE, "0");
	CELL(at, COL_PACKETS_RATE, "90");
	CELL(at, COL_DROPS_RATE, "10");
}

TABLE_TEST(test_device_facts)
{
	struct netdev *d;
	size_t at;

	put(m, 1, TP_XDP_REDIRECT_ERR, made_to_device(3, 4, 5), COUNTS(0), COUNTS(20));
	d = device(m, MADE_NETNS, 3, "renamed");
	d->mode = NETDEV_GENERIC;
	d->skb_prog_id = 42;
	d->peer_netns = BLUE;
	d->peer_ifindex = 9;
	d->has_features = true;
	d->features = NETDEV_XDP_BASIC;
	snprintf(d->driver, sizeof(d->driver), "mlx5_core");
	d = device(m, BLUE, 9, "other");   /* a peer: without its own row */
	d = device(m, BLUE, 10, "silent"); /* attached, without events */
	d->mode = NETDEV_NATIVE;
	d->prog_id = 77;
	snprintf(d->kind, sizeof(d->kind), "bond");
	snprintf(d->prog_name, sizeof(d->prog_name), "pass");
	d = device(m, BLUE, 11, "dead");
	d->mode = NETDEV_NATIVE;
	d->gone = true;
	made_sort_netdevs(&m->to);
	build(m, VIEW_DEVICES);
	assert_int_equal(m->table.n_rows, 2);
	at = named(m, COL_DEVICE, "renamed");
	CELL(at, COL_MODE, "generic");
	CELL(at, COL_LINK, "up");
	CELL(at, COL_MTU, "1500");
	CELL(at, COL_PEER, "other (+532222)");
	CELL(at, COL_FEATURES, "basic");
	CELL(at, COL_DRIVER, "mlx5_core");
	CELL(at, COL_PACKETS_RATE, "n/a"); /* unknown in generic mode */
	at = named(m, COL_DEVICE, "silent");
	CELL(at, COL_NETNS, "+532222");
	CELL(at, COL_MODE, "native");
	CELL(at, COL_FEATURES, "n/a");
	CELL(at, COL_DRIVER, "bond");
	CELL(at, COL_PROGRAM, "pass");
	CELL(at, COL_PROG_ID, "77");
	CELL(at, COL_FAILED_RATE, "0");
	CELL(at, COL_QUEUED_RATE, "off");
	CELL(at, COL_PACKETS_RATE, "-");
	build(m, VIEW_PROGRAMS);
	assert_int_equal(m->table.n_rows, 2);
	at = named(m, COL_PROG_ID, "77");
	CELL(at, COL_PROGRAM, "pass");
	CELL(at, COL_DEVICES, "silent (+532222)");
	CELL(at, COL_EXCEPTIONS_RATE, "0");
	at = named(m, COL_PROG_ID, "42");
	CELL(at, COL_DEVICES, "renamed (+531840)");
	CELL(at, COL_FAILED_RATE, "10");
}

static struct program *program(struct made *m, uint32_t prog_id)
{
	struct program *p = snapshot_add_row(&m->to, DATA_SOURCE_PROGRAMS, sizeof(*p));
	struct netdev *d = device(m, MADE_NETNS, prog_id, "dev");

	assert_non_null(p);
	d->mode = NETDEV_NATIVE;
	d->prog_id = prog_id;
	*p = (struct program){ .prog_id = prog_id,
			       .attach = PROGRAM_NETLINK,
			       .pinned = PROGRAM_NOT_PINNED,
			       .sight = PROGRAM_SIGHT_ALL,
			       .loaded_at = { m->to.wall.tv_sec - 90, 0 } };
	strcpy(p->comm, "loader");
	return p;
}

TABLE_TEST(test_owners)
{
	struct program *p;
	size_t at;

	program(m, 20);
	p = program(m, 21);
	p->pid = 812;
	p->holders = 1;
	p->pinned = PROGRAM_PINNED;
	p = program(m, 22);
	p->pid = 812;
	p->holders = 3;
	p->attach = PROGRAM_LINK;
	p->link_id = 7;
	p = program(m, 23);
	p->attach = PROGRAM_LINK;
	p->link_id = 7;
	p->pinned = PROGRAM_PINNED;
	program(m, 24)->parts = 2;
	p = program(m, 25);
	p->attach = PROGRAM_LINK;
	p->link_id = 7;
	/* kernels that do not report links, or files */
	p = program(m, 26);
	p->attach = PROGRAM_ATTACH_UNKNOWN;
	p->loaded_at.tv_sec = 0;
	program(m, 27)->sight = PROGRAM_SIGHT_NONE;
	/* a recording without them; no longer attached */
	device(m, MADE_NETNS, 28, "dev")->mode = NETDEV_NATIVE;
	put(m, 1, TP_XDP_REDIRECT_ERR, made_to_device(3, 4, 5), COUNTS(0), COUNTS(20));
	made_sort_netdevs(&m->to);
	((struct netdev *)snapshot_find_netdev(&m->to, MADE_NETNS, 28))->prog_id = 28;
	build(m, VIEW_PROGRAMS);
	at = named(m, COL_PROG_ID, "20");
	CELL(at, COL_OWNER, "none");
	CELL(at, COL_HELD, "netlink");
	CELL(at, COL_AGE, "1m30s");
	at = named(m, COL_PROG_ID, "21");
	CELL(at, COL_OWNER, "loader[812]");
	CELL(at, COL_HELD, "netlink, pin");
	at = named(m, COL_PROG_ID, "22");
	CELL(at, COL_OWNER, "loader[812] +2");
	CELL(at, COL_HELD, "link");
	at = named(m, COL_PROG_ID, "23");
	CELL(at, COL_OWNER, "pinned");
	CELL(at, COL_HELD, "link, pin");
	CELL(named(m, COL_PROG_ID, "24"), COL_OWNER, "parts");
	CELL(named(m, COL_PROG_ID, "25"), COL_OWNER, "link 7");
	at = named(m, COL_PROG_ID, "26");
	CELL(at, COL_OWNER, "n/a");
	CELL(at, COL_HELD, "n/a");
	CELL(at, COL_AGE, "n/a");
	CELL(named(m, COL_PROG_ID, "27"), COL_OWNER, "n/a");
	at = named(m, COL_PROG_ID, "28");
	CELL(at, COL_OWNER, "n/a");
	CELL(at, COL_AGE, "n/a");
	at = named(m, COL_PROG_ID, "42");
	CELL(at, COL_OWNER, "-");
	CELL(at, COL_HELD, "-");
	build_filtered(m, VIEW_PROGRAMS, "owner~loader held=link");
	assert_int_equal(m->table.n_rows, 1);
}

/* Counters of the device in the interval of 2 s, and since the baseline. */
TABLE_TEST(test_device_counts)
{
	struct snapshot *const at[] = { &m->base, &m->from, &m->to };
	struct netdev *d;
	struct cell cell;

	for (size_t i = 0; i < 3; i++) {
		d = snapshot_add_netdev(at[i]);
		*d = (struct netdev){ .netns = MADE_NETNS, .ifindex = 3, .name = "eth3" };
		d->mode = NETDEV_NATIVE;
	}
	build(m, VIEW_DEVICES);
	/* not read in a namespace that was not entered */
	CELL(0, COL_RX_MISSED_RATE, "n/a");
	CELL(0, COL_HW_DROP_RATE, "n/a");
	netdev_set_count(d, NETDEV_RX_MISSED, 120);
	netdev_set_count(d, NETDEV_RX_DROPPED, 7);
	CELL(0, COL_RX_MISSED_RATE, "-"); /* unknown at the start */
	netdev_set_count(snapshot_netdevs(&m->from), NETDEV_RX_MISSED, 100);
	netdev_set_count(snapshot_netdevs(&m->from), NETDEV_RX_DROPPED, 7);
	CELL(0, COL_RX_MISSED_RATE, "10");
	CELL(0, COL_HW_DROP_RATE, "0");
	build_filtered(m, VIEW_DEVICES, "rx_missed_per_s>9 hw_drop_per_s=0");
	assert_int_equal(m->table.n_rows, 1);
	build_filtered(m, VIEW_DEVICES, "rx_missed_per_s>10");
	assert_int_equal(m->table.n_rows, 0);
	/* created again */
	netdev_set_count(d, NETDEV_RX_MISSED, 80);
	build(m, VIEW_DEVICES);
	CELL(0, COL_RX_MISSED_RATE, "-");
	m->first = true;
	build(m, VIEW_DEVICES);
	CELL(0, COL_RX_MISSED_RATE, ".");
	/*
	 * counted separately by the driver, which is read less often: between its last two readings
	 */
	m->first = false;
	netdev_set_count(snapshot_netdevs(&m->from), NETDEV_RX_OUT_OF_BUFFER, 500);
	netdev_set_count(d, NETDEV_RX_OUT_OF_BUFFER, 500);
	d->per_s[NETDEV_RX_OUT_OF_BUFFER - NETDEV_DRIVER_COUNT] = -1;
	build(m, VIEW_DEVICES);
	CELL(0, COL_RX_MISSED_RATE, ".");
	d->per_s[NETDEV_RX_OUT_OF_BUFFER - NETDEV_DRIVER_COUNT] = 70;
	build(m, VIEW_DEVICES);
	CELL(0, COL_RX_MISSED_RATE, "70");
	table_cell(&m->table, 0, COL_RX_MISSED_RATE, &cell);
	assert_int_equal(cell.tone, TONE_LOST);
}

/* A row keeps its id whether netlink or a series reported it first. */
TABLE_TEST(test_device_row_id)
{
	uint64_t id;

	device(m, MADE_NETNS, 3, "eth3")->mode = NETDEV_NATIVE;
	build(m, VIEW_DEVICES);
	assert_int_equal(m->table.n_rows, 1);
	id = m->table.row[0].id;
	put(m, 1, TP_XDP_EXCEPTION, made_to_device(3, 0, 0), COUNTS(0), COUNTS(2));
	build(m, VIEW_DEVICES);
	assert_int_equal(m->table.n_rows, 1);
	assert_int_equal(m->table.row[0].id, id);
}

TABLE_TEST(test_warning)
{
	struct findings f = { 0 };

	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -ENETDOWN), COUNTS(0),
	    COUNTS(20));
	put(m, 2, TP_XDP_EXCEPTION, made_to_device(3, 0, 0), COUNTS(0), COUNTS(2));
	put(m, 3, TP_XDP_EXCEPTION, with_code(made_to_device(8, 0, 0), 3), COUNTS(0), COUNTS(2));
	build(m, VIEW_DEVICES);
	assert_int_equal(findings_update(&f, &m->rates, NULL), 0);
	m->options.findings = &f;
	build(m, VIEW_DEVICES);
	CELL(named(m, COL_DEVICE, "eth3"), COL_WARNING, "target-down, aborted");
	CELL(named(m, COL_DEVICE, "eth8"), COL_WARNING, "tx-failed");
	findings_free(&f);
}

static struct series_key to_cpu(uint32_t cpu)
{
	return (struct series_key){ .map_type = SERIES_MAP_CPUMAP, .map_id = 17, .target = cpu };
}

TABLE_TEST(test_cpumap)
{
	put(m, 1, TP_XDP_CPUMAP_ENQUEUE, to_cpu(3), COUNTS(0), COUNTS(100, 800, 40));
	made_cpu(&m->to, 0, COUNTS(75, 600, 40));
	made_cpu(&m->to, 2, COUNTS(25, 200, 0));
	put(m, 2, TP_XDP_CPUMAP_KTHREAD, to_cpu(3), COUNTS(0), COUNTS(100, 760, 2));
	made_cpu(&m->to, 3, COUNTS(100, 760, 2));
	m->to.series[1].total.sched = 25;
	m->to.series[1].total.xdp_pass = 600;
	m->to.series[1].total.xdp_drop = 100;
	m->to.series[1].total.xdp_redirect = 60;
	put(m, 3, TP_XDP_CPUMAP_ENQUEUE, to_cpu(5), COUNTS(0), COUNTS(10, 80));
	made_cpu(&m->to, 1, COUNTS(10, 80));
	build(m, VIEW_CPUMAP);
	assert_int_equal(m->table.n_rows, 4);
	CELL(0, COL_TARGET, "CPU 3 (map 17)");
	CELL(0, COL_FROM, "2 CPUs");
	CELL(0, COL_MAP, "cpumap 17");
	CELL(0, COL_PACKETS_RATE, "400");
	CELL(0, COL_DROPS_RATE, "20");
	CELL(0, COL_BULK, "8.00");
	CELL(0, COL_TAKEN_RATE, "380");
	CELL(0, COL_TAKEN_DROPS_RATE, "1.0");
	CELL(0, COL_SLEEP_PERCENT, "25.0");
	CELL(0, COL_PASS_RATE, "300");
	CELL(0, COL_XDP_DROP_RATE, "50");
	CELL(0, COL_REDIRECT_RATE, "30");
	/* only the enqueue knows the source */
	CELL(1, COL_FROM, "CPU 0");
	CELL(1, COL_PACKETS_RATE, "300");
	CELL(1, COL_DROPS_RATE, "20");
	CELL(1, COL_TAKEN_RATE, "-");
	CELL(1, COL_SLEEP_PERCENT, "-");
	CELL(2, COL_FROM, "CPU 2");
	CELL(2, COL_PACKETS_RATE, "100");
	/* a single CPU is named in the row itself */
	CELL(3, COL_TARGET, "CPU 5 (map 17)");
	CELL(3, COL_FROM, "CPU 1");
	CELL(3, COL_TAKEN_RATE, "0");
	/* the CPUs of a row are complete */
	m->options.drill = m->table.row[0].id;
	build(m, VIEW_CPUMAP);
	assert_int_equal(m->table.n_rows, 3);
}

TABLE_TEST(test_event_log)
{
	struct event_log log = { 0 };
	struct event *e;

	for (int i = 0; i < EVENT_LOG_MAX + 5; i++) {
		e = snapshot_add_event(&m->to);
		e->pid = (uint32_t)i;
	}
	m->to.n_event = 3;
	event_log_take(&log, &m->to);
	assert_int_equal(event_log_count(&log), 3);
	assert_int_equal(event_log_get(&log, 0)->pid, 2);
	assert_int_equal(event_log_get(&log, 2)->pid, 0);
	m->to.n_event = EVENT_LOG_MAX + 5;
	event_log_take(&log, &m->to);
	assert_int_equal(event_log_count(&log), EVENT_LOG_MAX);
	assert_int_equal(event_log_get(&log, 0)->pid, EVENT_LOG_MAX + 4);
	assert_int_equal(event_log_get(&log, EVENT_LOG_MAX - 1)->pid, 5);
	event_log_clear(&log);
	assert_int_equal(event_log_count(&log), 0);
	m->to.n_event = 1;
	event_log_take(&log, &m->to);
	assert_int_equal(event_log_count(&log), 1);
	event_log_free(&log);
}

TABLE_TEST(test_events)
{
	struct event_log log = { 0 };
	struct event *e;

	e = snapshot_add_event(&m->to);
	*e = (struct event){ .tracepoint = TP_LINK_ATTACH_FAILED,
			     .cpu = 1,
			     .key.netns = BLUE,
			     .pid = 812,
			     .time = m->to.wall };
	strcpy(e->comm, "myxdp");
	strcpy(e->text, "no");
	e = snapshot_add_event(&m->to);
	*e = (struct event){ .tracepoint = TP_XDP_EXCEPTION,
			     .cpu = -1,
			     .key.ifindex = 3,
			     .key.prog_id = 42,
			     .left_out = 119,
			     .time = m->to.wall };
	event_log_take(&log, &m->to);
	build(m, VIEW_EVENTS);
	assert_int_equal(m->table.n_rows, 0);
	assert_false(table_shows(&m->table, COL_LEFT_OUT));
	m->options.events = &log;
	build(m, VIEW_EVENTS);
	assert_true(table_shows(&m->table, COL_LEFT_OUT));
	assert_int_equal(m->table.n_rows, 2);
	CELL(0, COL_TRACEPOINT, "xdp_exception");
	CELL(0, COL_DEVICE, "ifindex 3");
	CELL(0, COL_PROGRAM, "id 42");
	CELL(0, COL_LEFT_OUT, "119");
	CELL(0, COL_CPU, "-");
	CELL(0, COL_PROCESS, "-");
	CELL(0, COL_TEXT, "-");
	CELL(0, COL_DROPS_RATE, "-");
	CELL(1, COL_PROCESS, "myxdp[812]");
	CELL(1, COL_NETNS, "+532222");
	CELL(1, COL_CPU, "1");
	CELL(1, COL_TEXT, "no");
	assert_true(m->table.row[0].id != m->table.row[1].id);
	assert_null(table_series(&m->table, &m->table.row[0]));
	event_log_free(&log);
}

static void put_cpu(struct snapshot *s, struct softnet_cpu cpu)
{
	memcpy(snapshot_add_row(s, DATA_SOURCE_SOFTNET, sizeof(cpu)), &cpu, sizeof(cpu));
	data_source_sort(s, DATA_SOURCE_SOFTNET);
}

/* Interval of 2 s: a CPU has its own counts, and off is not 0. */
TABLE_TEST(test_cpus)
{
	struct snapshot_host host = { .absent = { [DATA_SOURCE_SOFTNET] = "no such file" } };
	char why[64];

	build(m, VIEW_CPUS);
	assert_int_equal(m->table.n_rows, 0);
	assert_true(rows_cpus.missing(&m->table, &host, why, sizeof(why)) > 0);
	assert_string_equal(why, "No CPU is known: no such file.\n");
	host.absent[DATA_SOURCE_SOFTNET][0] = '\0';
	rows_cpus.missing(&m->table, &host, why, sizeof(why));
	assert_string_equal(why, "No CPU is known.\n");
	put_cpu(&m->from, (struct softnet_cpu){ .cpu = 3, .processed = 100, .dropped = 6 });
	put_cpu(&m->to, (struct softnet_cpu){ .cpu = 12, .processed = 5 });
	put_cpu(&m->to,
		(struct softnet_cpu){
			.cpu = 3, .processed = 300, .dropped = 16, .events[STAGE_FAILED] = 40 });
	m->to.tp[TP_XDP_REDIRECT].state = TP_OFF;
	build(m, VIEW_CPUS);
	assert_int_equal(m->table.n_rows, 2);
	CELL(0, COL_CPU, "3");
	CELL(0, COL_BACKLOG_DROPS, "16");
	CELL(0, COL_QUEUED_RATE, "off");
	assert_true(m->rates.seconds > 0);
	{
		char rate[16];

		format_rate(rate, sizeof(rate), 10 / m->rates.seconds, NUMBER_SI);
		CELL(0, COL_BACKLOG_DROPS_RATE, rate);
		format_rate(rate, sizeof(rate), 40 / m->rates.seconds, NUMBER_SI);
		CELL(0, COL_FAILED_RATE, rate);
	}
	/* new in this interval: not yet, rather than 0 */
	CELL(1, COL_CPU, "12");
	CELL(1, COL_SOFTNET_RATE, ".");
	CELL(1, COL_BACKLOG_DROPS, "0");
}

TABLE_TEST(test_findings)
{
	struct findings f = { 0 };

	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -ENETDOWN), COUNTS(0),
	    COUNTS(20));
	build(m, VIEW_FINDINGS);
	assert_int_equal(m->table.n_rows, 0);
	assert_int_equal(findings_update(&f, &m->rates, NULL), 0);
	m->options.findings = &f;
	build(m, VIEW_FINDINGS);
	assert_int_equal(m->table.n_rows, 1);
	CELL(0, COL_SEVERITY, "C");
	build_filtered(m, VIEW_FINDINGS, "severity=critical");
	assert_int_equal(m->table.n_rows, 1);
	CELL(0, COL_FINDING, "target-down");
	CELL(0, COL_DEVICE, "eth3");
	CELL(0, COL_COUNT, "20");
	CELL(0, COL_LAST_SEEN, "0s");
	CELL(0, COL_PROG_ID, "42");
	CELL(0, COL_TARGET, "ifindex 4");
	CELL(0, COL_TRACEPOINT, "xdp_redirect_err");
	CELL(0, COL_LOST_RATE, "10");
	f.finding[0].loss.per_s = NAN;
	CELL(0, COL_LOST_RATE, "-");
	f.finding[0].loss.per_s = 0;
	f.finding[0].active = false;
	CELL(0, COL_LOST_RATE, "-");
	CELL(0, COL_SEVERITY, "-");
	findings_free(&f);
}

/* Packets of several devices to one target: each device finds the finding. */
TABLE_TEST(test_sources)
{
	static const struct {
		const char *filter;
		size_t rows;
	} cases[] = { { "ifname=eth3", 1 },  { "ifname=ETH1*", 1 },
		      { "ifname=eth1", 0 },  { "ifname!=eth12", 0 },
		      { "ifname!=eth1", 1 }, { "ifname=\"eth12, eth3\"", 1 },
		      { "target=4", 0 },     { "target=ifindex*", 1 } };
	struct findings f = { 0 };

	for (uint32_t i = 0; i < 2; i++)
		put(m, i + 1, TP_XDP_DEVMAP_XMIT, made_xmit(i ? 3 : 12, 4), COUNTS(0),
		    COUNTS(5, 30, 50));
	build(m, VIEW_FINDINGS);
	assert_int_equal(findings_update(&f, &m->rates, NULL), 0);
	m->options.findings = &f;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		build_filtered(m, VIEW_FINDINGS, cases[i].filter);
		if (m->table.n_rows != cases[i].rows)
			fail_msg("%s: %zu", cases[i].filter, m->table.n_rows);
	}
	CELL(0, COL_DEVICE, "eth12, eth3");
	findings_free(&f);
}
