// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/http_server.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/event_struct.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/memory.h"

#define REQUEST_SIZE 8192      /* bytes of request line and headers */
#define WRITE_SIZE   (1 << 20) /* bytes written to a connection in its turn */
#define BACKLOG      128
#define POLLED       8

enum text_kind { TEXT_PROMETHEUS, TEXT_OPEN_METRICS, TEXT_KINDS };

static const char *const content_types[TEXT_KINDS] = {
	[TEXT_PROMETHEUS] = "text/plain; version=0.0.4; charset=utf-8",
	[TEXT_OPEN_METRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

static const struct reply {
	int status;
	const char *header, *value, *text;
} metrics = { HTTP_OK, "Vary", "Accept", NULL },
  index_page = { HTTP_OK, NULL, NULL,
		 "<!DOCTYPE html>\n<title>xdptop</title>\n<h1>xdptop</h1>\n"
		 "<p><a href=\"metrics\">/metrics</a>: the counters and findings, for Prometheus\n"
		 "<p><a href=\"healthz\">/healthz</a>: ok while xdptop samples\n" },
  healthy = { HTTP_OK, NULL, NULL, "ok\n" },
  bad_method = { HTTP_BADMETHOD, "Allow", "GET, HEAD", "only GET and HEAD\n" },
  forbidden = { 403, NULL, NULL, "use localhost, this machine's name or an address\n" },
  not_found = { HTTP_NOTFOUND, NULL, NULL, "the counters are at /metrics\n" },
  too_early = { HTTP_SERVUNAVAIL, "Retry-After", "1", "the first interval is not over yet\n" };

struct answer {
	unsigned int holders; /* the server, and each connection that is still reading it */
	size_t len;
	char *text;
};

struct http_server {
	struct event_base *base;
	struct evhttp *http;
	struct evconnlistener *listener;
	struct bufferevent *accepted; /* not yet admitted */
	struct event admission, end;
	struct {
		struct evhttp_connection *connection;
		uint64_t end;       /* when it is closed */
	} client[HTTP_CONNECTIONS]; /* the oldest first */
	int clients;
	bool is_loopback; /* it listens on a loopback address */
	char name[HOST_NAME_MAX + 1];
	http_print print;
	void *ctx;
	struct answer *answer[TEXT_KINDS]; /* NULL = no request yet */
};

static int parse_port(const char *text, in_port_t *port)
{
	char *end = NULL;
	unsigned long n = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;

	if (!end || *end || end - text > 5 || n > UINT16_MAX)
		return -EINVAL;
	*port = htons((uint16_t)n);
	return 0;
}

int http_address_parse(const char *text, union http_address *to)
{
	const char *colon = strrchr(text, ':');
	union http_address a = { .in = { .sin_family = AF_INET } };
	char name[INET6_ADDRSTRLEN + 2], *address = name;
	in_port_t port;
	size_t len = colon ? (size_t)(colon - text) : 0;

	if (parse_port(colon ? colon + 1 : text, &port) || len >= sizeof(name))
		return -EINVAL;
	memcpy(name, text, len);
	name[len] = '\0';
	if (!len || !strcmp(name, "localhost"))
		strcpy(name, "127.0.0.1");
	if (name[0] == '[' && name[len - 1] == ']') {
		name[len - 1] = '\0';
		/* a generated manifest also has brackets around IPv4 */
		address++;
	}
	if (inet_pton(AF_INET, address, &a.in.sin_addr) == 1) {
		a.in.sin_port = port;
	} else {
		a.in6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = port };
		if (address == name || inet_pton(AF_INET6, address, &a.in6.sin6_addr) != 1)
			return -EINVAL;
	}
	*to = a;
	return 0;
}

/* As in a URL. */
static void print_address(const union http_address *a, char *buf, size_t size)
{
	bool v6 = a->any.sa_family == AF_INET6;
	char name[INET6_ADDRSTRLEN] = "";

	inet_ntop(a->any.sa_family, v6 ? (const void *)&a->in6.sin6_addr : &a->in.sin_addr, name,
		  sizeof(name));
	snprintf(buf, size, v6 ? "[%s]:%u" : "%s:%u", name,
		 ntohs(v6 ? a->in6.sin6_port : a->in.sin_port));
}

static const char *remedy(int err)
{
	switch (err) {
	case -EADDRINUSE:
		return "; another process listens there, so give another port";
	case -EACCES:
		return "; ports below 1024 need a capability, which xdptop has dropped by now, so "
		       "give another port";
	case -EADDRNOTAVAIL:
		return "; no device here has this address, so give one from 'ip addr', or 0.0.0.0 "
		       "for all";
	default:
		return "";
	}
}

static const char *address_of(struct evhttp_connection *connection)
{
	char *address;
	uint16_t port;

	evhttp_connection_get_peer(connection, &address, &port);
	return address;
}

static void connection_forget(struct evhttp_connection *connection, void *ctx)
{
	struct http_server *s = ctx;
	int i = 0;

	while (i < s->clients && s->client[i].connection != connection)
		i++;
	if (i == s->clients)
		return;
	s->clients--;
	memmove(&s->client[i], &s->client[i + 1], (size_t)(s->clients - i) * sizeof(s->client[i]));
}

/* All have the same time limit, so the oldest connection ends first. */
static void end_clients(evutil_socket_t fd, short what, void *ctx)
{
	struct http_server *s = ctx;
	uint64_t now = clock_ns();
	struct timespec left;

	while (s->clients && s->client[0].end <= now)
		evhttp_connection_free(s->client[0].connection);
	if (!s->clients)
		return;
	left = ns_to_timespec((int64_t)(s->client[0].end - now));
	event_add(&s->end, &(struct timeval){ left.tv_sec, left.tv_nsec / 1000 });
}

/*
 * If a new client exceeds a limit, the oldest connection from its address, or from any, is closed,
 * so that idle clients lock nobody out.
 */
static void make_room(struct http_server *s, const char *address)
{
	int of_one = 0, oldest = 0;

	for (int i = s->clients - 1; i >= 0; i--) {
		if (!strcmp(address_of(s->client[i].connection), address)) {
			oldest = i;
			of_one++;
		}
	}
	if (of_one == HTTP_CONNECTIONS_OF_ONE)
		evhttp_connection_free(s->client[oldest].connection);
	else if (s->clients == HTTP_CONNECTIONS)
		evhttp_connection_free(s->client[0].connection);
}

/*
 * evhttp does not report a connection before its first request, but asks for its buffers. It is
 * admitted right after that, and nothing is accepted or read in between.
 */
static struct bufferevent *accept_client(struct event_base *base, void *ctx)
{
	struct http_server *s = ctx;
	struct bufferevent *b = bufferevent_socket_new(base, -1, 0);

	/* evhttp continues to read while it writes the answer */
	bufferevent_setwatermark(b, EV_READ, 0, (size_t)2 * REQUEST_SIZE);
	bufferevent_set_max_single_write(b, WRITE_SIZE);
	bufferevent_incref(b);
	s->accepted = b;
	evconnlistener_disable(s->listener);
	event_active(&s->admission, EV_TIMEOUT, 0);
	return b;
}

static void admit(evutil_socket_t fd, short what, void *ctx)
{
	struct http_server *s = ctx;
	void *connection;

	/* the argument of evhttp's callbacks; NULL = the connection has failed */
	bufferevent_getcb(s->accepted, NULL, NULL, NULL, &connection);
	bufferevent_decref(s->accepted);
	s->accepted = NULL;
	evconnlistener_enable(s->listener);
	if (!connection)
		return;
	make_room(s, address_of(connection));
	s->client[s->clients].connection = connection;
	s->client[s->clients++].end = clock_ns() + HTTP_SECONDS * NSEC_PER_SEC;
	evhttp_connection_set_closecb(connection, connection_forget, s);
	if (s->clients == 1)
		end_clients(-1, 0, s);
}

/* Perhaps no descriptor is free. A retry would fail at once, so it waits for the next interval. */
static void accept_failed(struct evconnlistener *listener, void *ctx)
{
	evconnlistener_disable(listener);
}

static void answer_release(const void *text, size_t len, void *answer)
{
	struct answer *a = answer;

	if (!a || --a->holders)
		return;
	free(a->text);
	free(a);
}

/* 0, or -EAGAIN = no snapshot yet. */
static int make_answer(struct http_server *s, enum text_kind kind)
{
	struct answer *a = memory_new(1, sizeof(*a));
	FILE *file = open_memstream(&a->text, &a->len);
	int err;

	if (!file)
		memory_missing();
	err = s->print(s->ctx, file, kind == TEXT_OPEN_METRICS);
	if (fclose(file))
		memory_missing();
	a->holders = 1;
	if (err)
		answer_release(NULL, 0, a);
	else
		s->answer[kind] = a;
	return err;
}

/*
 * Protects against DNS rebinding: a web page can make its own name resolve to 127.0.0.1 and read
 * the answers, but its requests carry that name. On other addresses Prometheus may use any name of
 * the machine.
 */
static bool is_own_name(const struct http_server *s, const char *host)
{
	char in6[INET6_ADDRSTRLEN];
	struct in6_addr address;
	size_t len = host ? strlen(host) : 0;

	if (!s->is_loopback || !host || !strcasecmp(host, "localhost") ||
	    !strcasecmp(host, s->name) || inet_pton(AF_INET, host, &address) == 1)
		return true;
	if (host[0] != '[' || host[len - 1] != ']' || len - 2 >= sizeof(in6))
		return false;
	snprintf(in6, sizeof(in6), "%.*s", (int)(len - 2), host + 1);
	return inet_pton(AF_INET6, in6, &address) == 1;
}

/* The text of metrics is added to the body. */
static const struct reply *reply_choose(struct http_server *s, struct evhttp_request *request,
					enum text_kind kind, struct evbuffer *body)
{
	enum evhttp_cmd_type method = evhttp_request_get_command(request);
	const char *path = evhttp_uri_get_path(evhttp_request_get_evhttp_uri(request));
	struct answer *a;

	if (method != EVHTTP_REQ_GET && method != EVHTTP_REQ_HEAD)
		return &bad_method;
	if (!is_own_name(s, evhttp_request_get_host(request)))
		return &forbidden;
	if (!strcmp(path, "/"))
		return &index_page;
	if (!strcmp(path, "/healthz"))
		return &healthy;
	if (strcmp(path, "/metrics") != 0)
		return &not_found;
	if (!s->answer[kind] && make_answer(s, kind))
		return &too_early;
	a = s->answer[kind];
	a->holders++;
	evbuffer_add_reference(body, a->text, a->len, answer_release, a);
	return &metrics;
}

static void answer(struct evhttp_request *request, void *ctx)
{
	struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
	struct evbuffer *body = evhttp_request_get_output_buffer(request);
	const char *accept =
		evhttp_find_header(evhttp_request_get_input_headers(request), "Accept");
	enum text_kind kind = accept && strstr(accept, "application/openmetrics-text")
				      ? TEXT_OPEN_METRICS
				      : TEXT_PROMETHEUS;
	const struct reply *r = reply_choose(ctx, request, kind, body);
	char len[24];

	if (r->text)
		evbuffer_add_reference(body, r->text, strlen(r->text), NULL, NULL);
	if (r->header)
		evhttp_add_header(headers, r->header, r->value);
	snprintf(len, sizeof(len), "%zu", evbuffer_get_length(body));
	evhttp_add_header(headers, "Content-Length", len);
	evhttp_add_header(headers, "Content-Type",
			  r == &index_page ? "text/html; charset=utf-8"
			  : r->text        ? "text/plain; charset=utf-8"
					   : content_types[kind]);
	/* one request each, so an idle client holds no connection */
	evhttp_add_header(headers, "Connection", "close");
	/* evhttp before 2.2 would send the body */
	if (evhttp_request_get_command(request) == EVHTTP_REQ_HEAD)
		evbuffer_drain(body, SIZE_MAX);
	evhttp_send_reply(request, r->status, NULL, NULL);
}

static void loop_stop(evutil_socket_t fd, short what, void *base)
{
	event_base_loopbreak(base);
}

static void keep_quiet(int severity, const char *text)
{
}

static void *get_memory(size_t size)
{
	return memory_resize(NULL, size, 1);
}

static void *change_memory(void *memory, size_t size)
{
	return memory_resize(memory, size, 1);
}

/* 0 or -errno. Sets *a to the actual port. A silent client is not accepted for a second. */
static int listen_at(struct http_server *s, union http_address *a)
{
	const unsigned int flags = LEV_OPT_REUSEABLE | LEV_OPT_CLOSE_ON_EXEC |
				   LEV_OPT_CLOSE_ON_FREE | LEV_OPT_DISABLED |
				   LEV_OPT_DEFERRED_ACCEPT;
	socklen_t len = sizeof(*a);

	event_set_log_callback(keep_quiet);
	/* libevent 2.1 crashes when it cannot allocate a connection */
	event_set_mem_functions(get_memory, change_memory, free);
	s->base = event_base_new();
	if (!s->base)
		return -errno;
	event_base_priority_init(s->base, 2);
	s->http = evhttp_new(s->base);
	s->listener =
		evconnlistener_new_bind(s->base, NULL, NULL, flags, BACKLOG, &a->any, (int)len);
	if (!s->listener)
		return -errno;
	evhttp_bind_listener(s->http, s->listener);
	s->is_loopback = a->any.sa_family == AF_INET6
				 ? IN6_IS_ADDR_LOOPBACK(&a->in6.sin6_addr)
				 : ntohl(a->in.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	gethostname(s->name, sizeof(s->name) - 1);
	return getsockname(evconnlistener_get_fd(s->listener), &a->any, &len) ? -errno : 0;
}

static void set_up(struct http_server *s)
{
	event_assign(&s->admission, s->base, -1, 0, admit, s);
	event_assign(&s->end, s->base, -1, 0, end_clients, s);
	evconnlistener_set_error_cb(s->listener, accept_failed);
	evhttp_set_bevcb(s->http, accept_client, s);
	evhttp_set_gencb(s->http, answer, s);
	/* reply_choose() refuses the others with 405; evhttp would answer 501 */
	evhttp_set_allowed_methods(s->http, UINT16_MAX);
	evhttp_set_max_headers_size(s->http, REQUEST_SIZE);
	evhttp_set_max_body_size(s->http, 0);
}

int http_server_open(struct http_server **server, const union http_address *address, bool quiet,
		     struct error *error)
{
	struct http_server *s = memory_new(1, sizeof(*s));
	union http_address a = *address;
	int err = listen_at(s, &a);
	char name[64];

	print_address(&a, name, sizeof(name));
	if (err) {
		error->exit_code = EXIT_FILE;
		error_set(error, err, "--listen %s: %s%s", name, strerror(-err), remedy(err));
		http_server_close(s);
		return err;
	}
	set_up(s);
	if (!quiet)
		message("--listen: http://%s/metrics", name);
	*server = s;
	return 0;
}

void http_server_set(struct http_server *server, http_print print, void *ctx)
{
	server->print = print;
	server->ctx = ctx;
}

void http_server_renew(struct http_server *server)
{
	for (int i = 0; i < TEXT_KINDS; i++) {
		answer_release(NULL, 0, server->answer[i]);
		server->answer[i] = NULL;
	}
}

int http_server_poll(void *server, struct pollfd *fds, nfds_t n, int timeout_ms)
{
	struct http_server *s = server;
	struct timeval time = { timeout_ms / 1000, timeout_ms % 1000 * 1000 };
	struct event wake[POLLED];
	nfds_t i;
	int err;

	for (i = 0; i < n && i < POLLED; i++) {
		event_assign(&wake[i], s->base, fds[i].fd, EV_READ, loop_stop, s->base);
		event_priority_set(&wake[i], 0);
		/* epoll refuses a regular file, which is always ready */
		if (fds[i].fd >= 0 && event_add(&wake[i], timeout_ms > 0 ? &time : NULL))
			timeout_ms = 0;
	}
	if (!s->accepted)
		evconnlistener_enable(s->listener);
	err = event_base_loop(s->base, timeout_ms ? 0 : EVLOOP_ONCE | EVLOOP_NONBLOCK);
	while (i-- > 0)
		event_del(&wake[i]);
	return poll(fds, n, err < 0 ? timeout_ms : 0);
}

void http_server_close(struct http_server *server)
{
	if (!server)
		return;
	if (server->http)
		evhttp_free(server->http);
	if (server->accepted)
		bufferevent_decref(server->accepted);
	if (server->base)
		event_base_free(server->base);
	http_server_renew(server);
	free(server);
}
