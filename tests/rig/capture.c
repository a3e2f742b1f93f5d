// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "frame.h"
#include "json.h"
#include "link.h"
#include "netns.h"
#include "stop.h"
#include "verdicts_program.h"

#define PROGRAMS     4 /* each on a device of its own; the last one takes fragments */
#define QUEUES       2
#define CAPTURE_PACE 450 /* two seconds meet: fewer than half the highest rate of a capture */
#define FLOOD_BURST  1000
#define FLOOD_CPUS   2
#define LEN_MIN      60
#define LEN_STEPS    1400
#define LEN_FRAGS    8000 /* more than a page */

struct capture {
	struct netns ns;
	struct link in[PROGRAMS], feed[PROGRAMS];
	struct verdicts_program program[PROGRAMS];
	int n; /* programs */
	uint32_t queues;
	uint8_t frame[LEN_MIN + LEN_STEPS + LEN_FRAGS];
};

static int failed(const char *what, int err)
{
	if (err)
		fprintf(stderr, "rig: capture: %s: %s\n", what, strerror(-err));
	return err;
}

static int open_devices(struct capture *c)
{
	char name[16], feed[16];
	int err = netns_open(&c->ns);

	c->queues = QUEUES;
	for (int i = 0; i < PROGRAMS && !err; i++) {
		snprintf(name, sizeof(name), "rig-cap%d", i);
		snprintf(feed, sizeof(feed), "rig-capfeed%d", i);
		link_init(&c->in[i], &c->ns, name);
		link_init(&c->feed[i], &c->ns, feed);
		err = link_add_veth(&c->in[i], &c->feed[i], i == PROGRAMS - 1 ? 9000 : 1500);
		if (!err &&
		    (link_set_queues(&c->feed[i], QUEUES) || link_set_queues(&c->in[i], QUEUES)))
			c->queues = 1;
	}
	return failed("veth pairs", err);
}

/* Native and generic by turns. */
static int open_program(struct capture *c, int i)
{
	int err = verdicts_load(&c->program[i], i == PROGRAMS - 1 ? "rig_frags" : "rig_verdict", 0,
				0, NULL);

	return err
		       ?: link_attach_xdp(&c->in[i], c->program[i].fd,
					  i & 1 ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE);
}

static int open_programs(struct capture *c)
{
	int err = 0;

	for (; c->n < PROGRAMS && !err; c->n += !err)
		err = open_program(c, c->n);
	/* before 5.18 there are no fragments */
	if (err == -EINVAL && c->n == PROGRAMS - 1)
		err = 0;
	for (int i = 0; i < c->n && !err; i++) {
		struct json json;

		json_begin(&json, stdout, "program");
		json_string(&json, "prog_name", c->program[i].name);
		json_number(&json, "prog_id", c->program[i].id);
		json_string(&json, "ifname", c->in[i].name);
		json_number(&json, "ifindex", c->in[i].ifindex);
		json_number(&json, "netns", c->ns.inum);
		json_number(&json, "queues", c->queues);
		json_end(&json);
	}
	return failed("programs", err);
}

static uint32_t packet_fill(const struct capture *c, uint8_t *frame, uint32_t number)
{
	int program = (int)(number % (uint32_t)c->n);
	uint32_t len = LEN_MIN + number % LEN_STEPS;

	if (program == PROGRAMS - 1)
		len += LEN_FRAGS;
	for (uint32_t i = 0; i < len; i++)
		frame[i] = (uint8_t)(number + i);
	frame[FRAME_MARK] = verdicts[number % SEEN_ACTS].mark;
	memcpy(frame, &number, sizeof(number));
	return len;
}

static int run(struct capture *c, int program, uint32_t queue, uint32_t len, uint32_t times)
{
	struct xdp_md md = { .data_end = len,
			     .ingress_ifindex = c->in[program].ifindex,
			     .rx_queue_index = queue };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = c->frame, .data_size_in = len,
		    .ctx_in = &md, .ctx_size_in = sizeof(md), .repeat = (int)times);

	return bpf_prog_test_run_opts(c->program[program].fd, &opts);
}

static time_t second(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Waits for the next second after so many packets of each program in this one. */
static int fire(struct capture *c, uint32_t n)
{
	uint32_t in_second = 0;
	time_t now = second();
	int err = netns_enter(&c->ns);

	for (uint32_t i = 0; i < n && !err; i++) {
		uint32_t len = packet_fill(c, c->frame, i);

		while (second() == now && in_second >= CAPTURE_PACE * (uint32_t)c->n && !err)
			err = stop_wait(-1, 1);
		if (second() != now) {
			now = second();
			in_second = 0;
		}
		in_second++;
		err = err < 0 ? err
			      : run(c, (int)(i % (uint32_t)c->n), i / (uint32_t)c->n % c->queues,
				    len, 1);
	}
	return failed("packets", err);
}

/* UDP from 192.0.2.77 to port 9, which asks to be dropped by its type of service. */
static uint32_t flood_fill(uint8_t *frame)
{
	static const uint8_t head[] = {
		0x02, 0,        0, 0,  0,   0x0d, 0x02, 0, 0,    0,  0, 0x0a, 0x08, 0, /* Ethernet
											*/
		0x45, XDP_DROP, 0, 46, 0,   0,    0,    0, 64,   17, 0, 0,             /* IPv4 */
		192,  0,        2, 77, 192, 0,    2,    2, 0x10, 0,  0, 9,    0,    26, 0,
		0, /* UDP */
	};

	memset(frame, 0, LEN_MIN);
	memcpy(frame, head, sizeof(head));
	return LEN_MIN;
}

/* FLOOD_BURST packets in each hundredth of a second, or fewer on a slow machine. */
static int flood_from(struct capture *c, int cpu, uint32_t n)
{
	uint32_t len = flood_fill(c->frame);
	int err = netns_enter(&c->ns);
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (!err && sched_setaffinity(0, sizeof(one), &one))
		err = -errno;
	for (uint32_t done = 0; done < n && !err; done += FLOOD_BURST) {
		err = run(c, 0, 0, len, n - done < FLOOD_BURST ? n - done : FLOOD_BURST);
		err = err ?: stop_wait(-1, 10);
	}
	return failed("the flood", err);
}

/* From two CPUs at once: they compete for the places of --capture-rate. */
static int flood(struct capture *c, uint32_t n)
{
	int cpus[FLOOD_CPUS], found = 0, status, err;
	cpu_set_t all;
	pid_t child;

	if (sched_getaffinity(0, sizeof(all), &all))
		return failed("the flood", -errno);
	for (int cpu = 0; cpu < CPU_SETSIZE && found < FLOOD_CPUS; cpu++)
		if (CPU_ISSET(cpu, &all))
			cpus[found++] = cpu;
	if (found < FLOOD_CPUS)
		return flood_from(c, cpus[0], n);
	child = fork();
	if (child < 0)
		return failed("the flood", -errno);
	if (!child)
		_exit(flood_from(c, cpus[1], n / 2) ? 1 : 0);
	err = flood_from(c, cpus[0], n - n / 2);
	if (waitpid(child, &status, 0) < 0 || status)
		err = err ?: -ECHILD;
	return err;
}

/* Prints what was done, and waits for a line, or EOF. */
static int step_end(const struct capture *c, const char *name, uint32_t packets)
{
	int err = frame_settle();
	struct json json;

	if (err)
		return failed(name, err);
	json_begin(&json, stdout, name);
	json_number(&json, "packets", packets);
	json_number(&json, "programs", c->n);
	json_end(&json);
	for (int ch = 0; ch != '\n' && ch != EOF;)
		ch = getchar();
	return stop_requested() ? -EINTR : 0;
}

int capture_run(uint32_t n, uint32_t flood_packets)
{
	static struct capture c;
	int err = open_devices(&c);

	err = err ?: open_programs(&c);
	err = err ?: step_end(&c, "ready", 0);
	err = err ?: fire(&c, n);
	err = err ?: step_end(&c, "fired", n);
	err = err ?: flood(&c, flood_packets);
	err = err ?: step_end(&c, "flooded", flood_packets);
	for (int i = 0; i < c.n; i++)
		verdicts_unload(&c.program[i]);
	netns_close(&c.ns);
	return err ? 1 : 0;
}
