// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracing/verdict_traces.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include "base/array.h"
#include "base/clock.h"
#include "base/libc.h"
#include "tracing/grace_period.h"
#include "tracing/verdict_tracer.h"

#define END_MS     2000                /* how long to wait for the process to end */
#define MEMORY_MAX (256 * 1024 * 1024) /* for all traces: there may be many CPUs */

struct verdict_traces {
	int socket, process; /* to the tracer, and its pidfd; -1 = none */
	pid_t pid;
	uint64_t capabilities;
	uint32_t cpus;
	uint32_t number;      /* of the last trace */
	size_t bytes;         /* memory of one trace */
	size_t max;           /* traces at a time */
	pthread_mutex_t lock; /* protects the members below */
	bool on;
	/* programs_follow() has listed programs since it was switched on: others are new */
	bool named;
	struct verdict_trace *trace; /* ascending by prog_id */
	size_t n, cap;
	/* sums of ended traces: by CPU, and skipped runs */
	struct series_meter *ended;
	uint64_t ended_missed;
	struct captures *captures; /* NULL = packets cannot be copied: no_capture */
	struct error no_capture;
};

/* Without captures, verdicts are still counted. */
static void open_captures(struct verdict_traces *t, struct verdict_programs *p, bool both)
{
	t->no_capture = p->no_ring;
	t->captures = p->ring < 0 ? NULL : captures_open(p->ring, t->cpus, both);
	if (p->ring < 0 || t->captures)
		return;
	error_set(&t->no_capture, -errno, "the ring for packets cannot be mapped: %s",
		  strerror(errno));
	close(p->ring);
	p->ring = -1;
}

static int tracer_start(struct verdict_traces *t, enum captures_config captures,
			struct error *error)
{
	struct verdict_programs *p = memory_new(1, sizeof(*p));
	int err;

	p->ring = -1;
	err = verdict_tracer_prepare(p, captures, error);
	if (!err) {
		open_captures(t, p, captures == CAPTURES_BOTH);
		t->socket = verdict_tracer_start(p, t->cpus, &t->pid, &t->capabilities, error);
		err = t->socket < 0 ? t->socket : 0;
	}
	if (p->ring >= 0)
		close(p->ring);
	free(p);
	return err;
}

struct verdict_traces *verdict_traces_open(uint32_t cpus, enum captures_config captures,
					   struct error *error)
{
	struct verdict_traces *t = memory_new(1, sizeof(*t));
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	t->cpus = cpus;
	t->bytes = (sizeof(struct verdict_cpu) * cpus + page - 1) / page * page;
	t->max = MEMORY_MAX / t->bytes;
	if (t->max > VERDICT_TRACES_MAX)
		t->max = VERDICT_TRACES_MAX;
	t->on = true;
	t->ended = memory_new(cpus, sizeof(*t->ended));
	if (tracer_start(t, captures, error)) {
		captures_close(t->captures);
		free(t->ended);
		free(t);
		return NULL;
	}
	t->process = pidfd_open(t->pid, 0);
	pthread_mutex_init(&t->lock, NULL);
	return t;
}

/* Adds the time of the trace's capture too, because both programs run for the same packets. */
static void add_meter(struct series_meter *to, const struct verdict_trace *trace, uint32_t cpu)
{
	if (trace->cpu) {
		to->events += trace->cpu[cpu].events;
		to->timed += trace->cpu[cpu].timed;
		to->timed_ns += trace->cpu[cpu].timed_ns;
	}
	if (trace->capture.element)
		to->timed_ns += capture_ns(&trace->capture, cpu);
}

static void end_capture(struct verdict_traces *t, struct verdict_trace *trace)
{
	for (uint32_t i = 0; i < t->cpus && trace->capture.element; i++)
		t->ended[i].timed_ns += capture_ns(&trace->capture, i);
	if (trace->capture.element)
		capture_end(t->captures, &trace->capture, trace->prog_id);
}

static void remove_trace(struct verdict_traces *t, size_t at)
{
	struct verdict_trace *trace = &t->trace[at];

	t->ended_missed += trace->missed;
	end_capture(t, trace);
	for (uint32_t i = 0; i < t->cpus; i++)
		add_meter(&t->ended[i], trace, i);
	if (trace->cpu)
		munmap((void *)trace->cpu, t->bytes);
	memmove(trace, trace + 1, (--t->n - at) * sizeof(*trace));
}

void verdict_traces_close(struct verdict_traces *t)
{
	struct pollfd process = { .events = POLLIN };

	if (!t)
		return;
	close(t->socket);
	process.fd = t->process;
	if (t->process >= 0) {
		poll(&process, 1, END_MS);
		close(t->process);
	}
	while (t->n)
		remove_trace(t, t->n - 1);
	captures_close(t->captures);
	pthread_mutex_destroy(&t->lock);
	free(t->trace);
	free(t->ended);
	free(t);
}

pid_t verdict_traces_pid(const struct verdict_traces *t, uint64_t *capabilities)
{
	*capabilities = t->pid ? t->capabilities : 0;
	return t->pid;
}

/* False = the socket is full: ask again later. */
static bool tracer_ask(struct verdict_traces *t, enum verdict_op op, uint32_t prog_id,
		       uint32_t insns)
{
	struct verdict_request request = { .op = op, .prog_id = prog_id, .insns = insns };

	return send(t->socket, &request, sizeof(request), MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
}

static void end_trace(struct verdict_traces *t, struct verdict_trace *trace)
{
	if (trace->ending || trace->state == VERDICT_REFUSED)
		return;
	trace->ended = !trace->asked;
	trace->ending = trace->ended || tracer_ask(t, VERDICT_UNTRACE, trace->prog_id, 0);
}

/* The reason for a -errno of bpf(2). */
static void refused_text(enum verdict_step step, int err, char *buf, size_t size)
{
	const char *what = "the kernel refuses to trace it";

	switch (step) {
	case VERDICT_PROGRAM:
		if (err == -ENOENT)
			what = "it is gone";
		break;
	case VERDICT_BTF:
		what = "it has no BTF: the compiler or the loader left it out (use clang -g)";
		err = err == -ENOENT ? 0 : err;
		break;
	case VERDICT_LOAD:
		/*
		 * the verifier then sees numbers as arguments: btf_distill_func_proto(),
		 * kernel/bpf/btf.c
		 */
		if (err == -EACCES)
			what = "according to its BTF the main function does not take a struct "
			       "xdp_md";
		break;
	case VERDICT_ATTACH:
		/* bpf_trampoline_link_prog(), kernel/bpf/trampoline.c */
		if (err == -EBUSY)
			what = "another program replaces its main function (freplace)";
		else if (err == -E2BIG)
			what = "the kernel's limit on tracing programs attached to one program is "
			       "reached";
		break;
	default:
		break;
	}
	snprintf(buf, size, "%s%s%s", what, err ? ": " : "", err ? errno_text(err) : "");
}

static void trace_refuse(struct verdict_trace *trace, enum verdict_step step, int err)
{
	trace->state = VERDICT_REFUSED;
	refused_text(step, err, trace->reason, sizeof(trace->reason));
}

static void take_trace(struct verdict_traces *t, struct verdict_trace *trace,
		       const struct verdict_answer *answer, int map, const struct timespec *now)
{
	void *memory = MAP_FAILED;
	/* recvmsg() omits the descriptor if too many files are open */
	int err = -EMFILE;

	if (map >= 0) {
		memory = mmap(NULL, t->bytes, PROT_READ, MAP_SHARED, map, 0);
		err = -errno;
	}
	if (memory != MAP_FAILED) {
		trace->cpu = memory;
		trace->number = ++t->number;
		if (trace->unseen_from.tv_sec)
			trace->unseen_until = *now;
		if (!trace->ending)
			trace->state = VERDICT_ON;
	} else if (answer->step) {
		trace_refuse(trace, answer->step, answer->err);
	} else {
		/* its counts could not be read: end it, then ask again */
		end_trace(t, trace);
		if (trace->ending)
			trace_refuse(trace, VERDICT_MAP, err);
	}
}

static void take_capture(struct verdict_traces *t, struct verdict_trace *trace,
			 const struct verdict_answer *answer, int map)
{
	char why[VERDICT_REASON_LEN];
	int err = -EMFILE;

	trace->capturing.asked = false;
	if (map >= 0)
		err = capture_begin(t->captures, &trace->capture, map);
	trace->capture.insns = answer->request.insns;
	if (map >= 0 && !err)
		return;
	trace->capturing.refused = true;
	refused_text(answer->step ?: VERDICT_MAP, answer->step ? answer->err : err, why,
		     sizeof(why));
	if (!t->no_capture.text[0])
		error_set(&t->no_capture, 0, "program %u: %s", trace->prog_id, why);
}

static void take_answer(struct verdict_traces *t, const struct verdict_answer *answer, int map,
			const struct timespec *now)
{
	uint32_t prog_id = answer->request.prog_id;
	/*
	 * of several traces of a program the last: a new one is requested only after the others
	 * ended
	 */
	size_t after = array_lower_bound(t->trace, t->n, e, e->prog_id <= prog_id);
	struct verdict_trace *trace = after ? &t->trace[after - 1] : NULL;

	if (!trace || trace->prog_id != prog_id)
		return;
	switch (answer->request.op) {
	case VERDICT_TRACE:
		take_trace(t, trace, answer, map, now);
		break;
	case VERDICT_MISSED:
		trace->asked_missed = false;
		trace->missed = answer->number;
		break;
	case VERDICT_CAPTURE:
		take_capture(t, trace, answer, map);
		break;
	case VERDICT_UNCAPTURE:
		trace->capturing.ending = false;
		end_capture(t, trace);
		break;
	default:
		trace->ended = true;
		trace->missed = answer->number;
	}
}

/* Take one answer. 1, 0 = none is queued, or -errno = the process has ended. */
static int receive(struct verdict_traces *t, const struct timespec *now)
{
	struct verdict_answer answer;
	int fd[FD_PASS_MAX];
	ssize_t n = fd_pass_receive(t->socket, &answer, sizeof(answer), fd, MSG_DONTWAIT);

	if (n == -EAGAIN || n == -EINTR)
		return 0;
	if (n == sizeof(answer))
		take_answer(t, &answer, fd[0], now);
	for (int i = 0; i < FD_PASS_MAX; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	return n == sizeof(answer) ? 1 : -EPIPE;
}

static bool is_full(const struct verdict_traces *t)
{
	size_t traced = 0;

	for (size_t i = 0; i < t->n; i++)
		traced += t->trace[i].asked && t->trace[i].state != VERDICT_REFUSED;
	return traced >= t->max;
}

/* Request a trace if there is room. */
static void begin_trace(struct verdict_traces *t, struct verdict_trace *trace,
			const struct timespec *now)
{
	trace->too_many = is_full(t);
	if (trace->too_many) {
		trace->state = VERDICT_REFUSED;
		snprintf(trace->reason, sizeof(trace->reason),
			 "%zu others are traced already, which is the limit", t->max);
		if (!trace->unseen_from.tv_sec)
			trace->unseen_from = *now;
		return;
	}
	trace->reason[0] = '\0';
	trace->state = VERDICT_ASKED;
	trace->asked = tracer_ask(t, VERDICT_TRACE, trace->prog_id, 0);
}

static void add_trace(struct verdict_traces *t, const struct verdict_attached *attached, size_t at,
		      const struct timespec *now)
{
	struct verdict_trace *trace = array_insert(t->trace, t->n, t->cap, at);

	trace->prog_id = attached->prog_id;
	if (at && trace[-1].prog_id == attached->prog_id && trace[-1].again.tv_sec)
		trace->unseen_from = trace[-1].again;
	else if (t->named)
		trace->unseen_from = attached->not_before;
	begin_trace(t, trace, now);
}

/*
 * Begin or end the capture of a program that is attached, or choose other packets. A filter with
 * more instructions than the last one needs a new capture.
 */
static void capture_follow(struct verdict_traces *t, struct verdict_trace *trace,
			   const struct capture_choices *wanted)
{
	bool captures = trace->capture.element, fits;

	if (trace->ending || trace->state != VERDICT_ON || !t->captures || trace->capturing.ending)
		return;
	fits = captures && wanted && wanted->code.n <= trace->capture.insns;
	if (captures)
		capture_choose(&trace->capture, trace->prog_id, fits ? wanted : NULL);
	if (trace->capturing.asked)
		return;
	if (captures && !fits)
		trace->capturing.ending = tracer_ask(t, VERDICT_UNCAPTURE, trace->prog_id, 0);
	else if (!captures && wanted && !trace->capturing.refused)
		trace->capturing.asked =
			tracer_ask(t, VERDICT_CAPTURE, trace->prog_id, wanted->code.n);
}

static void programs_follow(struct verdict_traces *t, const struct verdict_attached *attached,
			    size_t n, const struct timespec *now)
{
	size_t at = 0;

	for (size_t i = 0; at < t->n || i < n;) {
		struct verdict_trace *trace = &t->trace[at];
		bool is_attached = i < n && at < t->n && attached[i].prog_id == trace->prog_id;

		if (at == t->n || (i < n && attached[i].prog_id < trace->prog_id)) {
			size_t before = t->n;

			if (t->on)
				add_trace(t, &attached[i], at, now);
			at += t->n - before;
			i++;
		} else if (trace->ended && trace->state != VERDICT_REFUSED) {
			/* detached; if attached again, it has another trace */
			at++;
		} else if (is_attached && t->on) {
			if (trace->ending && !trace->again.tv_sec)
				trace->again = attached[i].not_before;
			if (trace->too_many || (trace->state == VERDICT_ASKED && !trace->asked))
				begin_trace(t, trace, now);
			capture_follow(t, trace, attached[i].capture);
			i++;
			at++;
		} else {
			i += is_attached;
			end_trace(t, trace);
			if (trace->state == VERDICT_REFUSED && !trace->ending)
				remove_trace(t, at);
			else
				at++;
		}
	}
}

int verdict_traces_follow(struct verdict_traces *t, const struct verdict_attached *attached,
			  size_t n, const struct timespec *now)
{
	int more;

	pthread_mutex_lock(&t->lock);
	do
		more = t->pid ? receive(t, now) : -EPIPE;
	while (more > 0);
	if (!more)
		programs_follow(t, attached, n, now);
	t->named = t->on;
	/* only here, because the main thread reads states without the lock */
	for (size_t i = 0; i < t->n; i++)
		if (t->trace[i].ending && t->trace[i].state != VERDICT_REFUSED)
			t->trace[i].state = VERDICT_OFF;
	for (t->pid = more ? 0 : t->pid; more && t->n;)
		remove_trace(t, t->n - 1);
	pthread_mutex_unlock(&t->lock);
	return more;
}

static bool is_waiting(const struct verdict_traces *t)
{
	size_t i = 0;

	while (i < t->n && !(t->trace[i].state == VERDICT_ASKED && t->trace[i].asked))
		i++;
	return i < t->n;
}

void verdict_traces_wait(struct verdict_traces *t, int timeout_ms)
{
	struct pollfd answers = { .fd = t->socket, .events = POLLIN };
	uint64_t end = clock_ns() + timeout_ms * NSEC_PER_MSEC, now = 0;
	struct timespec wall;
	int more = 1;

	while (more > 0 && is_waiting(t) && (now = clock_ns()) < end &&
	       poll(&answers, 1, (int)((end - now) / NSEC_PER_MSEC) + 1) > 0) {
		clock_gettime(CLOCK_REALTIME, &wall);
		pthread_mutex_lock(&t->lock);
		more = receive(t, &wall);
		pthread_mutex_unlock(&t->lock);
	}
}

void verdict_traces_sampled(struct verdict_traces *t)
{
	pthread_mutex_lock(&t->lock);
	for (size_t i = t->n; i-- > 0;) {
		struct verdict_trace *trace = &t->trace[i];

		if (trace->ended)
			remove_trace(t, i);
		else if (trace->state == VERDICT_ON && !trace->ending && !trace->asked_missed)
			trace->asked_missed = tracer_ask(t, VERDICT_MISSED, trace->prog_id, 0);
	}
	pthread_mutex_unlock(&t->lock);
}

const struct verdict_trace *verdict_traces(const struct verdict_traces *t, size_t *n)
{
	*n = t->n;
	return t->trace;
}

uint64_t verdict_traces_missed(const struct verdict_traces *t)
{
	uint64_t missed = t->ended_missed;

	for (size_t i = 0; i < t->n; i++)
		missed += t->trace[i].missed;
	return missed;
}

void verdict_traces_switch(struct verdict_traces *t, bool on)
{
	pthread_mutex_lock(&t->lock);
	t->on = on;
	t->named = false;
	for (size_t i = 0; i < t->n && !on; i++)
		end_trace(t, &t->trace[i]);
	pthread_mutex_unlock(&t->lock);
}

void verdict_traces_meter(struct verdict_traces *t, struct series_cpu *cpu, uint32_t cpus,
			  int tracepoint)
{
	pthread_mutex_lock(&t->lock);
	for (uint32_t i = 0; i < cpus && i < t->cpus; i++) {
		struct series_meter sum = t->ended[i];

		for (size_t k = 0; k < t->n; k++)
			add_meter(&sum, &t->trace[k], i);
		cpu[i].meter[tracepoint] = sum;
	}
	pthread_mutex_unlock(&t->lock);
}

const char *verdict_traces_no_capture(const struct verdict_traces *t)
{
	if (t->captures && !t->no_capture.text[0])
		return NULL;
	return error_text(&t->no_capture);
}

void verdict_traces_packets(struct verdict_traces *t, capture_record_fn fn, void *ctx)
{
	captures_read(t->captures, fn, ctx);
}

void verdict_traces_end_captures(struct verdict_traces *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->trace[i].capture.element)
			capture_choose(&t->trace[i].capture, t->trace[i].prog_id, NULL);
	grace_period();
}

struct capture_counts verdict_traces_captured(const struct verdict_traces *t, uint32_t prog_id)
{
	struct capture_counts n = { 0 };

	if (!t->captures)
		return n;
	captures_count_ended(t->captures, prog_id, &n);
	for (size_t i = 0; i < t->n; i++)
		if (t->trace[i].capture.element && (!prog_id || t->trace[i].prog_id == prog_id))
			capture_count(t->captures, &t->trace[i].capture, &n);
	return n;
}
