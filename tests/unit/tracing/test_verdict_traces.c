// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "tracing/overhead.h"
#include "tracing/verdict_tracer.h"
#include "tracing/verdict_traces.h"
#include "unit/test.h"

#define CPUS 2
#define ROOM (1 << 16) /* larger than the memory of a trace */

/* The tests play the process: its end of the socket. */
static int process = -1;

int verdict_tracer_prepare(struct verdict_programs *p, enum captures_config captures,
			   struct error *error)
{
	if (captures)
		p->ring = memfd_create("ring", 0);
	return 0;
}

/* The ring of copied packets: libbpf would ask the kernel for it. */
static struct {
	ring_buffer_sample_fn fn;
	void *ctx;
	const void *record; /* the next one; NULL = none */
	size_t size;
} ring;

struct ring_buffer *ring_buffer__new(int map_fd, ring_buffer_sample_fn fn, void *ctx,
				     const struct ring_buffer_opts *opts)
{
	ring.fn = fn;
	ring.ctx = ctx;
	return (struct ring_buffer *)&ring;
}

void ring_buffer__free(struct ring_buffer *rb)
{
}

int ring_buffer__consume(struct ring_buffer *rb)
{
	if (ring.record)
		ring.fn(ring.ctx, (void *)ring.record, ring.size);
	ring.record = NULL;
	return 0;
}

int verdict_tracer_start(const struct verdict_programs *programs, uint32_t cpus, pid_t *pid,
			 uint64_t *capabilities, struct error *error)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	process = pair[1];
	*pid = getpid();
	*capabilities = 7;
	return pair[0];
}

static int setup(void **state)
{
	*state = verdict_traces_open(CPUS, false, NULL);
	return !*state;
}

static int setup_capture(void **state)
{
	*state = verdict_traces_open(CPUS, true, NULL);
	return !*state;
}

static int teardown(void **state)
{
	if (process >= 0)
		close(process);
	process = -1;
	verdict_traces_close(*state);
	return 0;
}

static void assert_no_request(void)
{
	char byte;

	assert_int_equal(recv(process, &byte, 1, MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
}

static void assert_request(uint32_t op, uint32_t prog_id)
{
	struct verdict_request r = { 0 };

	assert_int_equal(recv(process, &r, sizeof(r), MSG_DONTWAIT), sizeof(r));
	assert_int_equal(r.op, op);
	assert_int_equal(r.prog_id, prog_id);
}

static void answer_with(const struct verdict_answer *a, int map)
{
	struct iovec part = { (void *)a, sizeof(*a) };
	char room[CMSG_SPACE(sizeof(map))] __attribute__((aligned(8))) = { 0 };
	struct cmsghdr *head = (struct cmsghdr *)room;
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };

	if (map >= 0) {
		head->cmsg_len = CMSG_LEN(sizeof(map));
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		memcpy(CMSG_DATA(head), &map, sizeof(map));
		m.msg_control = room;
		m.msg_controllen = sizeof(room);
	}
	assert_int_equal(sendmsg(process, &m, 0), sizeof(*a));
}

static void answer(uint32_t op, uint32_t prog_id, uint64_t number)
{
	const struct verdict_answer a = { .request = { op, prog_id }, .number = number };

	answer_with(&a, -1);
}

static void refuse(uint32_t prog_id, enum verdict_step step, int err)
{
	const struct verdict_answer a = { .request = { VERDICT_TRACE, prog_id },
					  .step = step,
					  .err = err };

	answer_with(&a, -1);
}

/* The memory of a trace as BPF would write it. */
static struct verdict_cpu *give_memory(uint32_t prog_id)
{
	const struct verdict_answer a = { .request = { VERDICT_TRACE, prog_id } };
	int map = memfd_create("map", 0);
	struct verdict_cpu *cpu;

	assert_int_equal(ftruncate(map, ROOM), 0);
	cpu = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
	assert_ptr_not_equal(cpu, MAP_FAILED);
	answer_with(&a, map);
	close(map);
	return cpu;
}

static const struct verdict_trace *one_trace(const struct verdict_traces *t)
{
	size_t n;
	const struct verdict_trace *trace = verdict_traces(t, &n);

	assert_int_equal(n, 1);
	return trace;
}

static size_t n_traces(const struct verdict_traces *t)
{
	size_t n;

	verdict_traces(t, &n);
	return n;
}

static const uint32_t id[] = { 5, 9 };

/* One second later. */
static int follow(struct verdict_traces *t, const uint32_t *prog_id, size_t n)
{
	static struct timespec now = { .tv_sec = 1000 };
	struct verdict_attached attached[VERDICT_TRACES_MAX + 1];

	for (size_t i = 0; i < n; i++)
		attached[i] = (struct verdict_attached){ .prog_id = prog_id[i], .not_before = now };
	now.tv_sec++;
	return verdict_traces_follow(t, attached, n, &now);
}

/* In seconds; -1 = all its runs were counted. */
static int64_t unseen(const struct verdict_trace *trace)
{
	if (!trace->unseen_from.tv_sec)
		return -1;
	return trace->unseen_until.tv_sec - trace->unseen_from.tv_sec;
}

TEST_WITH(test_life_of_a_trace, setup, teardown)
{
	struct verdict_traces *t = *state;
	struct series_cpu cpus[CPUS] = { 0 };
	struct verdict_cpu *cpu;

	assert_int_equal(follow(t, id, 1), 0);
	assert_request(VERDICT_TRACE, 5);
	assert_int_equal(one_trace(t)->state, VERDICT_ASKED);
	/* it is requested once */
	assert_int_equal(follow(t, id, 1), 0);
	assert_no_request();
	cpu = give_memory(5);
	cpu[1].events = 3;
	cpu[1].timed = 1;
	cpu[1].timed_ns = 50;
	assert_int_equal(follow(t, id, 1), 0);
	assert_int_equal(one_trace(t)->state, VERDICT_ON);
	assert_int_equal(one_trace(t)->number, 1);
	assert_int_equal(one_trace(t)->cpu[1].events, 3);
	assert_int_equal(unseen(one_trace(t)), -1);
	assert_no_request();
	verdict_traces_sampled(t);
	assert_request(VERDICT_MISSED, 5);
	answer(VERDICT_MISSED, 5, 2);
	/* detached: the trace ends, and its counts are there once more */
	assert_int_equal(follow(t, NULL, 0), 0);
	assert_request(VERDICT_UNTRACE, 5);
	assert_int_equal(one_trace(t)->state, VERDICT_OFF);
	assert_int_equal(one_trace(t)->missed, 2);
	cpu[1].events = 4;
	answer(VERDICT_UNTRACE, 5, 3);
	assert_int_equal(follow(t, NULL, 0), 0);
	assert_int_equal(follow(t, NULL, 0), 0);
	assert_int_equal(one_trace(t)->cpu[1].events, 4);
	assert_no_request();
	verdict_traces_sampled(t);
	assert_int_equal(n_traces(t), 0);
	assert_int_equal(verdict_traces_missed(t), 3);
	/* its cost stays counted */
	verdict_traces_meter(t, cpus, CPUS, TP_XDP_EXCEPTION);
	assert_int_equal(cpus[0].meter[TP_XDP_EXCEPTION].events, 0);
	assert_int_equal(cpus[1].meter[TP_XDP_EXCEPTION].events, 4);
	assert_int_equal(cpus[1].meter[TP_XDP_EXCEPTION].timed_ns, 50);
	munmap(cpu, ROOM);
}

TEST_WITH(test_refused, setup, teardown)
{
	struct verdict_traces *t = *state;

	assert_int_equal(follow(t, id, 2), 0);
	assert_request(VERDICT_TRACE, 5);
	assert_request(VERDICT_TRACE, 9);
	refuse(5, VERDICT_BTF, -ENOENT);
	refuse(9, VERDICT_ATTACH, -E2BIG);
	assert_int_equal(follow(t, id, 2), 0);
	assert_int_equal(n_traces(t), 2);
	for (size_t i = 0, n; i < 2; i++)
		assert_int_equal(verdict_traces(t, &n)[i].state, VERDICT_REFUSED);
	assert_non_null(strstr(verdict_traces(t, &(size_t){ 0 })[0].reason, "no BTF"));
	assert_non_null(strstr(verdict_traces(t, &(size_t){ 0 })[1].reason, "limit on tracing"));
	assert_no_request();
	/* nothing needs to be ended */
	assert_int_equal(follow(t, id + 1, 1), 0);
	assert_int_equal(one_trace(t)->prog_id, 9);
	assert_no_request();
}

TEST_WITH(test_switch, setup, teardown)
{
	struct verdict_traces *t = *state;
	struct verdict_cpu *cpu;

	assert_int_equal(follow(t, id, 1), 0);
	assert_request(VERDICT_TRACE, 5);
	cpu = give_memory(5);
	munmap(cpu, ROOM);
	assert_int_equal(follow(t, id, 1), 0);
	/* immediately, not with the next snapshot */
	verdict_traces_switch(t, false);
	assert_request(VERDICT_UNTRACE, 5);
	/* the thread that switches does not change states */
	assert_int_equal(one_trace(t)->state, VERDICT_ON);
	answer(VERDICT_UNTRACE, 5, 0);
	assert_int_equal(follow(t, id, 1), 0);
	assert_int_equal(one_trace(t)->state, VERDICT_OFF);
	verdict_traces_sampled(t);
	assert_int_equal(n_traces(t), 0);
	assert_no_request();
	verdict_traces_switch(t, true);
	assert_int_equal(follow(t, id, 1), 0);
	assert_request(VERDICT_TRACE, 5);
	cpu = give_memory(5);
	munmap(cpu, ROOM);
	assert_int_equal(follow(t, id, 1), 0);
	assert_int_equal(one_trace(t)->state, VERDICT_ON);
	assert_int_equal(one_trace(t)->number, 2);
	/* not counted on purpose */
	assert_int_equal(unseen(one_trace(t)), -1);
}

/* Another program replaces the first. */
TEST_WITH(test_replaced, setup, teardown)
{
	struct verdict_traces *t = *state;
	const struct verdict_trace *trace;
	size_t n;

	assert_int_equal(follow(t, id, 1), 0);
	assert_request(VERDICT_TRACE, 5);
	munmap(give_memory(5), ROOM);
	assert_int_equal(follow(t, id, 1), 0);
	/* it may have been attached right after that */
	assert_int_equal(follow(t, id + 1, 1), 0);
	assert_request(VERDICT_UNTRACE, 5);
	assert_request(VERDICT_TRACE, 9);
	answer(VERDICT_UNTRACE, 5, 0);
	trace = verdict_traces(t, &n);
	assert_int_equal(n, 2);
	assert_true(trace[1].unseen_from.tv_sec);
	assert_false(trace[1].unseen_until.tv_sec);
	assert_int_equal(follow(t, id + 1, 1), 0);
	munmap(give_memory(9), ROOM);
	assert_int_equal(follow(t, id + 1, 1), 0);
	trace = verdict_traces(t, &n);
	assert_int_equal(unseen(&trace[0]), -1);
	assert_int_equal(trace[1].state, VERDICT_ON);
	assert_int_equal(unseen(&trace[1]), 3);
}

/* Before a snapshot has the counts of the first trace. */
TEST_WITH(test_attached_again, setup, teardown)
{
	struct verdict_traces *t = *state;
	const struct verdict_trace *trace;
	struct verdict_cpu *cpu;
	size_t n;

	assert_int_equal(follow(t, id, 1), 0);
	assert_request(VERDICT_TRACE, 5);
	cpu = give_memory(5);
	assert_int_equal(follow(t, id, 1), 0);
	assert_int_equal(follow(t, NULL, 0), 0);
	assert_request(VERDICT_UNTRACE, 5);
	/* the last request is answered first */
	assert_int_equal(follow(t, id, 1), 0);
	assert_no_request();
	answer(VERDICT_UNTRACE, 5, 0);
	assert_int_equal(follow(t, id, 1), 0);
	assert_request(VERDICT_TRACE, 5);
	munmap(give_memory(5), ROOM);
	assert_int_equal(follow(t, id, 1), 0);
	cpu[0].events = 7;
	munmap(cpu, ROOM);
	trace = verdict_traces(t, &n);
	assert_int_equal(n, 2);
	assert_int_equal(trace[0].number, 1);
	assert_int_equal(trace[0].cpu[0].events, 7);
	assert_int_equal(trace[1].number, 2);
	assert_int_equal(trace[1].state, VERDICT_ON);
	/* while the previous trace ended */
	assert_int_equal(unseen(&trace[1]), 3);
	verdict_traces_sampled(t);
	assert_int_equal(one_trace(t)->number, 2);
	assert_request(VERDICT_MISSED, 5);
	answer(VERDICT_MISSED, 5, 4);
	assert_int_equal(follow(t, id, 1), 0);
	assert_int_equal(one_trace(t)->missed, 4);
}

TEST_WITH(test_wait, setup, teardown)
{
	struct verdict_traces *t = *state;

	assert_int_equal(follow(t, id, 2), 0);
	munmap(give_memory(5), ROOM);
	refuse(9, VERDICT_BTF, -ENOENT);
	/* else it would take this long */
	verdict_traces_wait(t, 100000);
	assert_int_equal(verdict_traces(t, &(size_t){ 0 })[0].state, VERDICT_ON);
	assert_int_equal(verdict_traces(t, &(size_t){ 0 })[1].state, VERDICT_REFUSED);
}

/* Detached before the process has answered. */
TEST_WITH(test_gone_while_asked, setup, teardown)
{
	struct verdict_traces *t = *state;

	assert_int_equal(follow(t, id, 1), 0);
	assert_int_equal(follow(t, NULL, 0), 0);
	assert_request(VERDICT_TRACE, 5);
	assert_request(VERDICT_UNTRACE, 5);
	munmap(give_memory(5), ROOM);
	answer(VERDICT_UNTRACE, 5, 0);
	assert_int_equal(follow(t, NULL, 0), 0);
	assert_int_equal(one_trace(t)->state, VERDICT_OFF);
	verdict_traces_sampled(t);
	assert_int_equal(n_traces(t), 0);
	assert_no_request();
}

/* No descriptor is free in the monitor: a trace that nobody can read would hold the program. */
TEST_WITH(test_memory_that_is_not_there, setup, teardown)
{
	struct verdict_traces *t = *state;

	assert_int_equal(follow(t, id, 1), 0);
	assert_request(VERDICT_TRACE, 5);
	answer(VERDICT_TRACE, 5, 0);
	assert_int_equal(follow(t, id, 1), 0);
	assert_int_equal(one_trace(t)->state, VERDICT_REFUSED);
	assert_non_null(strstr(one_trace(t)->reason, "open files"));
	assert_request(VERDICT_UNTRACE, 5);
	answer(VERDICT_UNTRACE, 5, 0);
	assert_int_equal(follow(t, id, 1), 0);
	assert_int_equal(follow(t, id, 1), 0);
	assert_no_request();
	verdict_traces_sampled(t);
	assert_int_equal(follow(t, id, 1), 0);
	assert_request(VERDICT_TRACE, 5);
}

TEST_WITH(test_too_many, setup, teardown)
{
	struct verdict_traces *t = *state;
	uint32_t ids[VERDICT_TRACES_MAX + 1];
	const struct verdict_trace *trace;
	size_t n;

	for (uint32_t i = 0; i <= VERDICT_TRACES_MAX; i++)
		ids[i] = i + 1;
	assert_int_equal(follow(t, ids, VERDICT_TRACES_MAX + 1), 0);
	for (uint32_t i = 0; i < VERDICT_TRACES_MAX; i++)
		assert_request(VERDICT_TRACE, ids[i]);
	assert_no_request();
	trace = verdict_traces(t, &n);
	assert_int_equal(n, VERDICT_TRACES_MAX + 1);
	assert_int_equal(trace[n - 1].state, VERDICT_REFUSED);
	/* one of the others ends */
	refuse(1, VERDICT_PROGRAM, -ENOENT);
	assert_int_equal(follow(t, ids + 1, VERDICT_TRACES_MAX), 0);
	assert_request(VERDICT_TRACE, ids[VERDICT_TRACES_MAX]);
	trace = verdict_traces(t, &n);
	assert_int_equal(n, VERDICT_TRACES_MAX);
	assert_int_equal(trace[n - 1].state, VERDICT_ASKED);
}

TEST_WITH(test_process_ends, setup, teardown)
{
	struct verdict_traces *t = *state;
	uint64_t capabilities = 0;

	assert_int_equal(verdict_traces_pid(t, &capabilities), getpid());
	assert_int_equal(capabilities, 7);
	assert_int_equal(follow(t, id, 2), 0);
	munmap(give_memory(9), ROOM);
	assert_int_equal(follow(t, id, 2), 0);
	close(process);
	process = -1;
	assert_int_equal(follow(t, id, 2), -EPIPE);
	assert_int_equal(n_traces(t), 0);
	assert_int_equal(verdict_traces_pid(t, &capabilities), 0);
	assert_int_equal(capabilities, 0);
	assert_int_equal(follow(t, id, 2), -EPIPE);
}

/* As follow(), with packets to copy. */
static void follow_capture(struct verdict_traces *t, uint32_t prog_id,
			   const struct capture_choices *choices)
{
	const struct timespec now = { .tv_sec = 5000 };
	const struct verdict_attached attached = { prog_id, now, choices };

	assert_int_equal(verdict_traces_follow(t, &attached, 1, &now), 0);
}

/* The array of a capture as BPF has it. */
static union capture_element *give_array(uint32_t prog_id)
{
	const struct verdict_answer a = { .request = { VERDICT_CAPTURE, prog_id } };
	int map = memfd_create("capture", 0);
	union capture_element *element;

	assert_int_equal(ftruncate(map, ROOM), 0);
	element = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
	assert_ptr_not_equal(element, MAP_FAILED);
	answer_with(&a, map);
	close(map);
	return element;
}

static void trace_one(struct verdict_traces *t, const struct capture_choices *choices)
{
	follow_capture(t, 5, choices);
	assert_request(VERDICT_TRACE, 5);
	munmap(give_memory(5), ROOM);
	follow_capture(t, 5, choices);
}

TEST_WITH(test_life_of_a_capture, setup_capture, teardown)
{
	struct verdict_traces *t = *state;
	struct capture_choices choices = { .acts = 2, .rate = 10, .n = 1 };
	struct series_cpu cpus[CPUS] = { 0 };
	union capture_element *element;

	choices.choice[0].value[CAPTURE_QUEUE] = 7;
	assert_null(verdict_traces_no_capture(t));
	/* first a trace, then the capture, which is requested once */
	trace_one(t, &choices);
	assert_request(VERDICT_CAPTURE, 5);
	follow_capture(t, 5, &choices);
	assert_no_request();
	element = give_array(5);
	follow_capture(t, 5, &choices);
	assert_int_equal(element[CAPTURE_CONTROL].control.acts, 2);
	assert_int_equal(element[CAPTURE_CONTROL].control.rate, 10);
	assert_int_equal(element[CAPTURE_CONTROL].control.choices, 1);
	assert_int_equal(element[CAPTURE_CONTROL].control.prog_id, 5);
	assert_int_equal(element[CAPTURE_CHOICE].choice.value[CAPTURE_QUEUE], 7);
	/* other packets */
	choices.acts = 1;
	follow_capture(t, 5, &choices);
	assert_no_request();
	assert_int_equal(element[CAPTURE_CONTROL].control.acts, 1);
	element[CAPTURE_CPU].cpu = (struct capture_cpu){ .matched = 5, .refused = 2, .lost = 1 };
	element[CAPTURE_CPU + 1].cpu =
		(struct capture_cpu){ .matched = 4, .timed = 1, .timed_ns = 30 };
	assert_int_equal(verdict_traces_captured(t, 5).matched, 9);
	assert_int_equal(verdict_traces_captured(t, 9).matched, 0);
	verdict_traces_end_captures(t);
	assert_int_equal(element[CAPTURE_CONTROL].control.acts, 0);
	/* no packets any more: its counts and its cost stay */
	follow_capture(t, 5, NULL);
	assert_request(VERDICT_UNCAPTURE, 5);
	follow_capture(t, 5, &choices);
	assert_no_request();
	answer(VERDICT_UNCAPTURE, 5, 0);
	follow_capture(t, 5, NULL);
	assert_no_request();
	assert_int_equal(verdict_traces_captured(t, 0).matched, 9);
	assert_int_equal(verdict_traces_captured(t, 5).refused, 2);
	assert_int_equal(verdict_traces_captured(t, 5).lost, 1);
	verdict_traces_meter(t, cpus, CPUS, TP_XDP_EXCEPTION);
	assert_int_equal(cpus[1].meter[TP_XDP_EXCEPTION].timed_ns, 30 + OVERHEAD_FEXIT_NS);
	munmap(element, ROOM);
}

/* A trace that ends takes its capture along, and the process is not asked to end that. */
TEST_WITH(test_capture_of_an_ended_trace, setup_capture, teardown)
{
	const struct capture_choices choices = { .acts = 1, .rate = 1 };
	struct verdict_traces *t = *state;
	union capture_element *element;

	trace_one(t, &choices);
	assert_request(VERDICT_CAPTURE, 5);
	element = give_array(5);
	follow_capture(t, 5, &choices);
	element[CAPTURE_CPU].cpu.matched = 3;
	assert_int_equal(follow(t, NULL, 0), 0);
	assert_request(VERDICT_UNTRACE, 5);
	assert_no_request();
	element[CAPTURE_CPU].cpu.matched = 4;
	answer(VERDICT_UNTRACE, 5, 0);
	assert_int_equal(follow(t, NULL, 0), 0);
	verdict_traces_sampled(t);
	assert_int_equal(n_traces(t), 0);
	assert_int_equal(verdict_traces_captured(t, 5).matched, 4);
	munmap(element, ROOM);
}

TEST_WITH(test_capture_refused, setup_capture, teardown)
{
	const struct verdict_answer no = { .request = { VERDICT_CAPTURE, 5 },
					   .step = VERDICT_ATTACH,
					   .err = -E2BIG };
	const struct capture_choices choices = { .acts = 1, .rate = 1 };
	struct verdict_traces *t = *state;

	trace_one(t, &choices);
	assert_request(VERDICT_CAPTURE, 5);
	answer_with(&no, -1);
	follow_capture(t, 5, &choices);
	/* not again, and the verdicts are still counted */
	assert_no_request();
	assert_int_equal(one_trace(t)->state, VERDICT_ON);
	assert_non_null(strstr(verdict_traces_no_capture(t), "program 5: the kernel's limit"));
}

static void take(void *ctx, const struct capture_record *r)
{
	*(uint32_t *)ctx += r->n;
}

TEST_WITH(test_packets, setup_capture, teardown)
{
	struct verdict_traces *t = *state;
	struct capture_record r = { .n = 100 };
	uint32_t bytes = 0;

	ring.record = &r;
	ring.size = sizeof(r);
	verdict_traces_packets(t, take, &bytes);
	assert_int_equal(bytes, 100);
	/* records that are too short, or say that they have more bytes than they can have */
	ring.record = &r;
	ring.size = sizeof(r) - 1;
	verdict_traces_packets(t, take, &bytes);
	r.n = CAPTURE_BYTES + 1;
	ring.record = &r;
	ring.size = sizeof(r);
	verdict_traces_packets(t, take, &bytes);
	assert_int_equal(bytes, 100);
}
