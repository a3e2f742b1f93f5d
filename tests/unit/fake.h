/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Snapshots of an invented host, one per second: series of each kind, including an idle one, one
 * with a hostile name, and one without identity.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "output/output.h"
#include "model/source.h"

#define FAKE_START 1795252500 /* 2026-11-21T09:15:00Z */

static inline struct snapshot_host fake_host(void)
{
	return (struct snapshot_host){
		.hostname = "host",
		.kernel = "6.18.44",
		.backend = "btf",
		.version = "0.1.0",
		.cpus_possible = 4,
		.cpus_online = 3,
		.page_size = 4096,
		.start = { .tv_sec = FAKE_START, .tv_nsec = 123456000 },
		.delay_s = 1,
	};
}

static inline struct series *fake_series(struct snapshot *s, uint32_t tracepoint,
					 struct series_counters total)
{
	struct series *series = snapshot_add_series(s);

	series->id = s->n_series;
	series->tracepoint = tracepoint;
	series->total = total;
	series->cpu = s->n_cpu;
	series->key.netns = 4026531840u;
	series->key.ifindex = 3;
	strcpy(series->ifname, "eth0");
	return series;
}

static inline void fake_cpu(struct snapshot *s, struct series *series, uint32_t cpu,
			    struct series_counters count)
{
	struct cpu_count *c = snapshot_add_cpu(s);

	c->cpu = cpu;
	c->count = count;
	series->n_cpu++;
}

static inline void fake_event(struct snapshot *s)
{
	struct event *e = snapshot_add_event(s);

	e->time = s->wall;
	e->tracepoint = TP_LINK_ATTACH_FAILED;
	e->cpu = 1;
	e->key.netns = 4026531840u;
	e->pid = 812;
	strcpy(e->comm, "myxdp");
	strcpy(e->text, "Underlying driver does not support XDP in native mode");
}

/* The state n seconds after the start. */
static inline void fake_snapshot(struct snapshot *s, uint64_t n)
{
	struct series *series;

	snapshot_clear(s);
	s->seq = n;
	s->wall = (struct timespec){ .tv_sec = FAKE_START + (time_t)n, .tv_nsec = 123456000 };
	s->mono_ns = (5 + n) * 1000000000ull;
	s->cpus_online = 3;
	for (int i = 0; i < TP_VERDICTS; i++) {
		struct tp_count *tp = &s->tp[i];

		strcpy(tp->name, tracepoints[i].name);
		tp->state = tracepoints[i].on ? TP_ON : TP_OFF;
		tp->on_ns = tracepoints[i].on ? n * 1000000000ull : 0;
		tp->ns_per_event = -1;
		tp->cpu_percent = tracepoints[i].on ? 0.25 : -1;
	}
	s->tp[TP_MEM_DISCONNECT].state = TP_MISSING;
	s->tp[TP_MEM_DISCONNECT].on_ns = 0;
	s->tp[TP_MEM_DISCONNECT].cpu_percent = -1;
	strcpy(s->tp[TP_MEM_DISCONNECT].reason, "not in this kernel");
	s->tp[TP_XDP_REDIRECT_ERR].events = 120 * n + 7;
	s->tp[TP_XDP_REDIRECT_ERR].overflow = 7;
	s->tp[TP_XDP_REDIRECT_ERR].missed = 2;
	s->tp[TP_LINK_ATTACH_FAILED].events_lost = 4064;
	s->tp[TP_XDP_REDIRECT_ERR].ns_per_event = 36.4;
	s->tp[TP_XDP_EXCEPTION].events = 5 * n;
	s->tp[TP_XDP_DEVMAP_XMIT].events = 10 * n;
	s->tp[TP_XDP_CPUMAP_KTHREAD].events = 2 * n;
	s->tp[TP_NET_DEV_QUEUE].events = 1;

	/* to an ifindex that does not exist */
	series = fake_series(s, TP_XDP_REDIRECT_ERR, (struct series_counters){ .events = 120 * n });
	series->key.target = 999999;
	series->key.map_id = SERIES_MAP_ID_IFINDEX;
	series->key.prog_id = 42;
	series->key.code = -95;
	strcpy(series->prog_name, "xdp_fwd");
	/* the table was full */
	series = fake_series(s, TP_XDP_REDIRECT_ERR, (struct series_counters){ .events = 7 });
	memset(&series->key, 0, sizeof(series->key));
	series->ifname[0] = '\0';
	series->overflow = true;
	/* two CPUs with a gap between them */
	series = fake_series(
		s, TP_XDP_DEVMAP_XMIT,
		(struct series_counters){ .events = 10 * n, .packets = 100 * n, .drops = 3 * n });
	series->key.to_netns = 4026532000u;
	series->key.target = 4;
	strcpy(series->to_ifname, "eth1");
	fake_cpu(s, series, 0,
		 (struct series_counters){ .events = 9 * n, .packets = 91 * n, .drops = 2 * n });
	fake_cpu(s, series, 2,
		 (struct series_counters){ .events = n, .packets = 9 * n, .drops = n });
	/* not a valid action */
	series = fake_series(s, TP_XDP_EXCEPTION, (struct series_counters){ .events = 5 * n });
	series->key.prog_id = 42;
	series->key.code = 77;
	strcpy(series->prog_name, "xdp_fwd");
	/* to CPU 0, which is not "no CPU" */
	series = fake_series(s, TP_XDP_CPUMAP_KTHREAD,
			     (struct series_counters){ .events = 2 * n,
						       .packets = 16 * n,
						       .sched = n,
						       .xdp_pass = 15 * n,
						       .xdp_redirect = n });
	series->key.netns = 0;
	series->key.ifindex = 0;
	series->ifname[0] = '\0';
	series->key.map_type = SERIES_MAP_CPUMAP;
	series->key.map_id = 9;
	strcpy(series->map_name, "cpus");
	/* unchanged, with a name that looks like a formula and would break a CSV row */
	series = fake_series(s, TP_NET_DEV_QUEUE,
			     (struct series_counters){ .events = 1, .packets = 3, .bytes = 4500 });
	series->key.ifindex = 8;
	strcpy(series->ifname, "=a\",\\\\\\x1b[2J");
	if (n == 1)
		fake_event(s);
}

/* Rates between the states at two seconds; free with fake_rates_free(). */
struct fake_rates {
	struct snapshot from, to;
	struct rates rates;
};

static inline void fake_rates(struct fake_rates *f, uint64_t from, uint64_t to)
{
	memset(f, 0, sizeof(*f));
	snapshot_init(&f->from);
	snapshot_init(&f->to);
	fake_snapshot(&f->from, from);
	fake_snapshot(&f->to, to);
	rates_set(&f->rates, &f->from, &f->to, NULL);
}

static inline void fake_rates_free(struct fake_rates *f)
{
	rates_free(&f->rates);
	snapshot_free(&f->from);
	snapshot_free(&f->to);
}

static inline const struct output_format *fake_format(const char *name)
{
	size_t i = 0;

	while (strcmp(output_formats[i]->name, name))
		i++;
	return output_formats[i];
}

/* A format that writes into memory. */
struct fake_out {
	struct output out;
	struct output_config config;
	struct snapshot_host host;
	const struct output_format *format;
	char *text;
	size_t size;
};

static inline void fake_out_open(struct fake_out *o, const char *format)
{
	memset(o, 0, sizeof(*o));
	o->host = fake_host();
	o->config.sort = -1;
	o->config.sort_descending = -1;
	o->format = fake_format(format);
	o->config.format = o->format;
	o->out.config = &o->config;
	o->out.host = &o->host;
	o->out.netns = netns_names_new();
	netns_names_set(o->out.netns, 4026531840u, "init", 0);
	o->out.first = true;
	o->out.file = open_memstream(&o->text, &o->size);
}

/* One snapshot: what happened between two seconds. Returns all text since the start. */
static inline const char *fake_out_write(struct fake_out *o, uint64_t from, uint64_t to, bool last)
{
	struct fake_rates f;

	fake_rates(&f, from, to);
	if (o->format->snapshot(&o->out, &f.rates, last) ||
	    (o->format->print && o->format->print(&o->out, f.rates.to)))
		return NULL;
	o->out.first = false;
	fake_rates_free(&f);
	fflush(o->out.file);
	return o->text;
}

static inline void fake_out_close(struct fake_out *o)
{
	if (o->format->free)
		o->format->free(&o->out);
	fclose(o->out.file);
	free(o->text);
	netns_names_free(o->out.netns);
}
