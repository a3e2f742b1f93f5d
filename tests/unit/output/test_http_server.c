// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The server of --listen with its clients in one thread: a client that does not read blocks nobody.
 */
#include <stdlib.h>
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/clock.h"
#include "output/http_server.h"
#include "unit/test.h"

static uint64_t passed_ns;

/* Replaces libc's. Time advances by passed_ns only, so a slow machine does not matter. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	*now = ns_to_timespec((int64_t)passed_ns);
	return 0;
}

static int when_idle = -1; /* written to when the server would wait */
static bool no_descriptor; /* none is free */

/* Replaces libc's. */
int epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
	long ready = syscall(SYS_epoll_pwait, fd, events, n, 0, NULL, 0);

	if (ready || !timeout)
		return (int)ready;
	if (when_idle >= 0)
		assert_int_equal(write(when_idle, "", 1), 1);
	return (int)syscall(SYS_epoll_pwait, fd, events, n, timeout, NULL, 0);
}

/* Replaces libc's. */
int accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
	if (no_descriptor) {
		errno = EMFILE;
		return -1;
	}
	return (int)syscall(SYS_accept4, fd, address, len, flags);
}

static void parses(const char *text, const char *address, int port)
{
	union http_address a = { 0 };
	char name[INET6_ADDRSTRLEN];

	assert_int_equal(http_address_parse(text, &a), address ? 0 : -EINVAL);
	if (!address) {
		assert_int_equal(a.any.sa_family, 0);
		return;
	}
	if (a.any.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &a.in6.sin6_addr, name, sizeof(name));
		assert_int_equal(ntohs(a.in6.sin6_port), port);
	} else {
		inet_ntop(AF_INET, &a.in.sin_addr, name, sizeof(name));
		assert_int_equal(ntohs(a.in.sin_port), port);
	}
	assert_string_equal(name, address);
}

TEST(test_addresses)
{
	static const char *const bad[] = {
		"",
		":",
		"x",
		"65536",
		":99999999999",
		"-1",
		"+1",
		" 1",
		"1 ",
		"0x10",
		"1.2.3.4",
		"1.2.3.4:",
		"::1:9",
		"[::1]",
		"[::1:9435",
		"::1]:9435",
		"host:1",
		"[]:1",
		"[:1",
		"1.2.3:1",
		"1.2.3.4:1:1",
		"[fe80::1%lo]:1",
		"0000000000000000000000000000000000000000000000000000000000000000000000:1",
	};

	parses("9435", "127.0.0.1", 9435);
	parses(":9435", "127.0.0.1", 9435);
	parses("0", "127.0.0.1", 0);
	parses("localhost:65535", "127.0.0.1", 65535);
	parses("0.0.0.0:80", "0.0.0.0", 80);
	parses("10.1.2.3:9435", "10.1.2.3", 9435);
	parses("[::1]:9435", "::1", 9435);
	parses("[::]:9435", "::", 9435);
	parses("[10.1.2.3]:9435", "10.1.2.3", 9435);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		parses(bad[i], NULL, 0);
}

struct printer {
	int printed, err;
	size_t size;
};

/* A line with the answer's number, in any number of bytes. */
static int print(void *ctx, FILE *to, bool open_metrics)
{
	struct printer *p = ctx;

	if (p->err)
		return p->err;
	fprintf(to, "%s %d%*s\n", open_metrics ? "open" : "plain", ++p->printed, (int)p->size, "");
	return 0;
}

struct fixture {
	struct http_server *server;
	struct printer printer;
	struct sockaddr_in at;
};

static int setup(void **state)
{
	static struct fixture f;
	union http_address address;
	struct error error = { 0 };
	char text[16];

	f = (struct fixture){ 0 };
	passed_ns = 0;
	for (int port = 20000; !f.server && port < 30000; port++) {
		snprintf(text, sizeof(text), ":%d", port);
		http_address_parse(text, &address);
		f.at = address.in;
		if (http_server_open(&f.server, &address, true, &error))
			f.server = NULL;
	}
	assert_non_null(f.server);
	/* a second server cannot listen there */
	assert_int_equal(http_server_open(&(struct http_server *){ NULL }, &address, true, &error),
			 -EADDRINUSE);
	assert_non_null(strstr(error.text, "give another port"));
	http_server_set(f.server, print, &f.printer);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	http_server_close(f->server);
	return 0;
}

/* Connects from the nth address of this machine. */
static int client_of(const struct fixture *f, unsigned int n, const char *request)
{
	struct sockaddr_in own = { .sin_family = AF_INET,
				   .sin_addr = { htonl(INADDR_LOOPBACK + n) } };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (const struct sockaddr *)&own, sizeof(own)), 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)&f->at, sizeof(f->at)), 0);
	assert_int_equal(write(fd, request, strlen(request)), strlen(request));
	return fd;
}

static int client(const struct fixture *f, const char *request)
{
	return client_of(f, 0, request);
}

/* Runs the server until it has data for this client, or closes it; hangs if that never happens. */
static void serve(struct fixture *f, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	assert_int_equal(http_server_poll(f->server, &p, 1, -1), 1);
}

/* Runs it until it has nothing to do; hangs if that never happens. */
static void settle(struct fixture *f)
{
	int idle[2];

	assert_int_equal(pipe(idle), 0);
	when_idle = idle[1];
	serve(f, idle[0]);
	when_idle = -1;
	close(idle[0]);
	close(idle[1]);
}

static void assert_waits(int fd)
{
	assert_int_equal(recv(fd, &(char){ 0 }, 1, MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
}

/* The whole answer; the caller frees it. */
static char *receive(struct fixture *f, int fd, size_t *size)
{
	size_t room = 64u << 20, len = 0;
	char *text = malloc(room);
	ssize_t n;

	do {
		serve(f, fd);
		n = recv(fd, text + len, room - len - 1, 0);
		len += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	text[len] = '\0';
	close(fd);
	if (size)
		*size = len;
	return text;
}

#define GET "GET /metrics HTTP/1.1\r\nHost: localhost\r\n"

static void answers(struct fixture *f, const char *request, const char *status, const char *in_it)
{
	char *text = receive(f, client(f, request), NULL);

	if (!strstr(text, in_it))
		print_error("%s", text);
	assert_int_equal(strncmp(text, status, strlen(status)), 0);
	assert_non_null(strstr(text, in_it));
	free(text);
}

TEST_OF(test_answers, setup, teardown, struct fixture *f)
{
	/* no snapshot yet */
	f->printer.err = -EAGAIN;
	answers(f, GET "\r\n", "HTTP/1.1 503 ", "Retry-After: 1\r\n");
	answers(f, GET "\r\n", "HTTP/1.1 503 ", "interval");
	f->printer.err = 0;
	/* printed once for all, and again for the next snapshot */
	for (int i = 0; i < 3; i++)
		answers(f, GET "\r\n", "HTTP/1.1 200 ", "\r\n\r\nplain 1\n");
	answers(f, GET "\r\n", "HTTP/1.1 200 ", "Content-Type: text/plain; version=0.0.4");
	answers(f, GET "Accept: application/openmetrics-text;version=1.0.0,*/*;q=0.1\r\n\r\n",
		"HTTP/1.1 200 ", "\r\n\r\nopen 2\n");
	answers(f, GET "Accept: application/openmetrics-text\r\n\r\n", "HTTP/1.1 200 ",
		"Content-Type: application/openmetrics-text; version=1.0.0");
	http_server_renew(f->server);
	assert_int_equal(f->printer.printed, 2);
	answers(f, GET "\r\n", "HTTP/1.1 200 ", "\r\n\r\nplain 3\n");
	/* other requests */
	answers(f, "HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 200 ",
		"Content-Length: 8\r\n");
	answers(f, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 200 ",
		"<a href=\"metrics\">");
	answers(f, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 200 ",
		"Content-Type: text/html; charset=utf-8");
	answers(f, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 200 ",
		"\r\n\r\nok\n");
	answers(f, "GET /healthz/ HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 404 ",
		"/metrics\n");
	answers(f, "GET /metricsx HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 404 ",
		"/metrics\n");
	answers(f, "GET /metrics%00x HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 404 ",
		"/metrics\n");
	answers(f, "POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 405 ", "Allow: GET, HEAD\r\n");
	answers(f, "BREW /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 405 ",
		"Allow: GET, HEAD\r\n");
	/* bodies are not read */
	answers(f, GET "Content-Length: 1\r\n\r\n", "HTTP/1.1 413 ", "Connection: close\r\n");
	answers(f, GET "Transfer-Encoding: chunked\r\n\r\n1\r\n", "HTTP/1.1 413 ",
		"Connection: close\r\n");
}

/* On a loopback address, a web page cannot connect by its own name. */
TEST_OF(test_names, setup, teardown, struct fixture *f)
{
	static const char *const own[] = { "localhost",  "LOCALHOST:9435", "127.0.0.1",
					   "10.0.0.1:1", "[::1]:9435",     "[::1]" };
	static const char *const others[] = {
		"[evil.com]",
		"[",
		"[]",
		"[::1]x",
		"example.com",
		"example.com:9435",
		"localhost.example.com",
		"localhostx",
		"127.0.0.1.example",
		"",
	};
	char name[HOST_NAME_MAX + 1] = "", request[1000];

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		snprintf(request, sizeof(request), "GET /metrics HTTP/1.1\r\nHost: %s\r\n\r\n",
			 own[i]);
		answers(f, request, "HTTP/1.1 200 ", "plain 1\n");
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		snprintf(request, sizeof(request), "GET /metrics HTTP/1.1\r\nHost: %s\r\n\r\n",
			 others[i]);
		answers(f, request, "HTTP/1.1 403 ", "localhost");
	}
	gethostname(name, sizeof(name) - 1);
	snprintf(request, sizeof(request), "GET /metrics HTTP/1.1\r\nHost: %s:9435\r\n\r\n", name);
	answers(f, request, "HTTP/1.1 200 ", "plain 1\n");
	/* the name in the request line comes first */
	answers(f, "GET http://example.com/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"HTTP/1.1 403 ", "");
	answers(f, "GET http://localhost/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"HTTP/1.1 200 ", "");
	answers(f, "GET /metrics HTTP/1.0\r\n\r\n", "HTTP/1.0 200 ", "plain 1\n");
}

/* Expects this status for a query of this many bytes. */
static void answers_query(struct fixture *f, int bytes, const char *status)
{
	char *request = NULL;

	assert_true(asprintf(&request, "GET /metrics?%0*d HTTP/1.1\r\nHost: localhost\r\n\r\n",
			     bytes, 0) > 0);
	answers(f, request, status, "Connection: close\r\n");
	free(request);
}

/* Each is answered at once, whatever its length. */
TEST_WITH(test_queries, setup, teardown)
{
	for (int bytes = 100; bytes < 30000; bytes += bytes / 2)
		answers_query(*state, bytes, bytes < 8000 ? "HTTP/1.1 200 " : "HTTP/1.1 400 ");
}

/* Requests that the library refuses itself, or ends silently. */
TEST_OF(test_garbage, setup, teardown, struct fixture *f)
{
	static const char *const requests[] = {
		"\r\n\r\n\r\n",
		"GET\r\n\r\n",
		"\x16\x03\x01\x02\n\n",
		"GET /metrics HTTP/9.9\r\n\r\n",
		"GET /metrics HTTP/1.1\r\n\r\n", /* without Host */
		"GET /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
		"GET /metrics HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
		"chunked\r\n\r\nzz\r\n",
	};
	char *longest = malloc(1u << 16);

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		int fd = client(f, requests[i]);

		shutdown(fd, SHUT_WR);
		settle(f);
		/* for some it waits for more input */
		passed_ns += HTTP_SECONDS * NSEC_PER_SEC;
		free(receive(f, fd, NULL));
	}
	memset(longest, 'a', (1u << 16) - 1);
	longest[(1u << 16) - 1] = '\0';
	memcpy(longest, "GET /", 5);
	free(receive(f, client(f, longest), NULL));
	free(longest);
	answers(f, GET "\r\n", "HTTP/1.1 200 ", "plain 1\n");
}

/* Half of the clients do not read; the others get whole answers, each of its own snapshot. */
TEST_OF(test_slow_readers, setup, teardown, struct fixture *f)
{
	size_t len, size = 8u << 20; /* no socket buffers that much */
	int slow[HTTP_CONNECTIONS_OF_ONE - 1];
	char *text;

	f->printer.size = size;
	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
		slow[i] = client(f, GET "\r\n");
		serve(f, slow[i]);
	}
	assert_int_equal(f->printer.printed, 1);
	http_server_renew(f->server);
	for (int i = 0; i < 3; i++) {
		text = receive(f, client(f, GET "\r\n"), &len);
		assert_non_null(strstr(text, "\r\n\r\nplain 2 "));
		assert_true(len > size);
		free(text);
	}
	/* it waits for them */
	settle(f);
	/* their answers are kept for them */
	text = receive(f, slow[0], &len);
	assert_non_null(strstr(text, "\r\n\r\nplain 1 "));
	assert_true(len > size);
	free(text);
	for (size_t i = 1; i < sizeof(slow) / sizeof(slow[0]); i++)
		close(slow[i]);
	text = receive(f, client(f, GET "\r\n"), &len);
	free(text);
}

/* Silent clients that reconnect when closed do not lock out others of their address. */
TEST_OF(test_connections_of_one, setup, teardown, struct fixture *f)
{
	int fd[HTTP_CONNECTIONS_OF_ONE], oldest = 0;
	size_t len;

	for (int i = 0; i < HTTP_CONNECTIONS_OF_ONE; i++)
		fd[i] = client(f, "GET /metr");
	settle(f);
	for (int i = 0; i < 3 * HTTP_CONNECTIONS_OF_ONE; i++) {
		answers(f, GET "\r\n", "HTTP/1.1 200 ", "\r\n\r\nplain 1\n");
		free(receive(f, fd[oldest], &len));
		assert_int_equal(len, 0);
		fd[oldest] = client(f, "GET /metr");
		settle(f);
		oldest = (oldest + 1) % HTTP_CONNECTIONS_OF_ONE;
		assert_waits(fd[oldest]);
	}
	for (int i = 0; i < HTTP_CONNECTIONS_OF_ONE; i++)
		close(fd[i]);
}

/* Silent clients do not take the place of others: when all are taken, the oldest is closed. */
TEST_OF(test_all_places, setup, teardown, struct fixture *f)
{
	int fd[HTTP_CONNECTIONS], last = HTTP_CONNECTIONS - 1;
	char *text;
	size_t len;

	for (int i = 0; i < HTTP_CONNECTIONS; i++) {
		fd[i] = client_of(f, 1 + (unsigned int)i / HTTP_CONNECTIONS_OF_ONE, "GET /metr");
		settle(f);
		passed_ns++;
	}
	text = receive(f, client(f, GET "\r\n"), NULL);
	assert_non_null(strstr(text, "\r\n\r\nplain 1\n"));
	free(text);
	free(receive(f, fd[0], &len));
	assert_int_equal(len, 0);
	/* the others keep their connections */
	assert_int_equal(write(fd[last], "ics HTTP/1.1\r\n\r\n", 17), 17);
	text = receive(f, fd[last], NULL);
	assert_non_null(strstr(text, "\r\n\r\nplain 1\n"));
	free(text);
	for (int i = 1; i < last; i++)
		close(fd[i]);
}

/* Clients that send nothing more, or a byte now and then, are closed when their time is over. */
TEST_OF(test_stalled, setup, teardown, struct fixture *f)
{
	int silent, slow;
	size_t len;

	silent = client(f, "GET /metrics");
	slow = client(f, "G");
	settle(f);
	/* another byte does not extend it */
	passed_ns += HTTP_SECONDS * NSEC_PER_SEC - 1;
	assert_int_equal(write(slow, "E", 1), 1);
	settle(f);
	assert_waits(silent);
	assert_waits(slow);
	passed_ns++;
	free(receive(f, silent, &len));
	assert_int_equal(len, 0);
	free(receive(f, slow, &len));
	assert_int_equal(len, 0);
}

/* Input of a client that does not read its answer stays in the socket. */
TEST_OF(test_flood, setup, teardown, struct fixture *f)
{
	static const char bytes[1 << 20];
	size_t sent = 0;
	ssize_t n;
	int fd;

	f->printer.size = 8u << 20;
	fd = client(f, GET "\r\n");
	do {
		settle(f);
		n = send(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		sent += n > 0 ? (size_t)n : 0;
	} while (n > 0 && sent < 64 * sizeof(bytes));
	assert_int_equal(n, -1);
	assert_int_equal(errno, EAGAIN);
	close(fd);
}

/* Without a free descriptor it waits, without spinning; then the client is served. */
TEST_OF(test_no_descriptor, setup, teardown, struct fixture *f)
{
	int fd = client(f, GET "\r\n");
	char *text;

	no_descriptor = true;
	settle(f);
	assert_waits(fd);
	no_descriptor = false;
	text = receive(f, fd, NULL);
	assert_non_null(strstr(text, "\r\n\r\nplain 1\n"));
	free(text);
}
