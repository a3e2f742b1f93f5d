// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/http_server.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/message.h"

#define REQUEST_SIZE 8192 /* bytes of a request's head, and of what the library keeps beside it */
#define BACKLOG      128

enum text_kind { TEXT_PROMETHEUS, TEXT_OPEN_METRICS, TEXT_KINDS };

static const char *const content_types[TEXT_KINDS] = {
	[TEXT_PROMETHEUS] = "text/plain; version=0.0.4; charset=utf-8",
	[TEXT_OPEN_METRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/* A connection that is open; fd -1 = free. */
struct client {
	int fd;
	uint64_t end; /* then it is cut */
};

struct http_server {
	struct MHD_Daemon *daemon;
	int epoll;
	http_print print;
	void *ctx;
	struct MHD_Response *answer[TEXT_KINDS]; /* NULL = nobody has asked yet */
	struct client client[HTTP_CONNECTIONS];
	bool has_room; /* since the library looked: it listens again when it runs once more */
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
		/* a manifest that is filled in has brackets around either kind */
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

static socklen_t address_size(const union http_address *a)
{
	return a->any.sa_family == AF_INET6 ? sizeof(a->in6) : sizeof(a->in);
}

/* As it stands in a URL. */
static void print_address(const union http_address *a, char *buf, size_t size)
{
	char name[INET6_ADDRSTRLEN] = "";

	if (a->any.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &a->in6.sin6_addr, name, sizeof(name));
		snprintf(buf, size, "[%s]:%u", name, ntohs(a->in6.sin6_port));
	} else {
		inet_ntop(AF_INET, &a->in.sin_addr, name, sizeof(name));
		snprintf(buf, size, "%s:%u", name, ntohs(a->in.sin_port));
	}
}

/* The socket, or -errno. *a gets the port that was taken. */
static int listen_at(union http_address *a)
{
	socklen_t len = address_size(a);
	int one = 1, err, fd;

	fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	/* connections of the run before may still wait for their end */
	if (!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	    !bind(fd, &a->any, len) && !listen(fd, BACKLOG) && !getsockname(fd, &a->any, &len))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static const char *remedy(int err)
{
	switch (err) {
	case -EADDRINUSE:
		return "; another process listens there: give another port";
	case -EACCES:
		return "; ports below 1024 take a capability, which is dropped by now: give "
		       "another one";
	case -EADDRNOTAVAIL:
		return "; no device here has this address: give one of 'ip addr', or 0.0.0.0 for "
		       "all";
	default:
		return "";
	}
}

static int find_client(const struct http_server *server, int fd)
{
	int i = 0;

	while (i < HTTP_CONNECTIONS && server->client[i].fd != fd)
		i++;
	return i;
}

static int client_fd(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/* The library sees an end of the connection, and closes it. */
static void cut(struct client *c)
{
	shutdown(c->fd, SHUT_RDWR);
	c->end = UINT64_MAX;
}

/*
 * The library has no more than HTTP_CONNECTIONS at a time, so there is room. Who takes the last
 * place ends the oldest connection: those who say nothing do not keep others waiting.
 */
static void take_connection(void *ctx, struct MHD_Connection *connection, void **socket_context,
			    enum MHD_ConnectionNotificationCode what)
{
	struct http_server *server = ctx;
	bool starts = what == MHD_CONNECTION_NOTIFY_STARTED;
	int fd = client_fd(connection), i = find_client(server, starts ? -1 : fd);
	struct client *oldest = server->client;

	if (i < HTTP_CONNECTIONS)
		server->client[i] = (struct client){
			.fd = starts ? fd : -1,
			.end = clock_ns() + HTTP_SECONDS * NSEC_PER_SEC,
		};
	server->has_room |= !starts;
	if (find_client(server, -1) < HTTP_CONNECTIONS)
		return;
	for (i = 1; i < HTTP_CONNECTIONS; i++)
		if (server->client[i].end < oldest->end)
			oldest = &server->client[i];
	cut(oldest);
}

static enum MHD_Result queue(struct MHD_Connection *connection, unsigned int status,
			     struct MHD_Response *response)
{
	return response ? MHD_queue_response(connection, status, response) : MHD_NO;
}

/* An answer of one line; header NULL = no more headers. */
static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned int status,
			      const char *text, const char *header, const char *value)
{
	struct MHD_Response *r =
		MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result;

	if (r) {
		MHD_add_response_header(r, "Content-Type", "text/plain; charset=utf-8");
		MHD_add_response_header(r, "Connection", "close");
		if (header)
			MHD_add_response_header(r, header, value);
	}
	result = queue(connection, status, r);
	if (r)
		MHD_destroy_response(r);
	return result;
}

/* 0 and the answer of this snapshot, -EAGAIN or -ENOMEM. */
static int make_answer(struct http_server *server, enum text_kind kind)
{
	struct MHD_Response *r;
	char *text = NULL;
	size_t len = 0;
	FILE *file;
	int err;

	if (server->answer[kind])
		return 0;
	file = server->print ? open_memstream(&text, &len) : NULL;
	if (!file)
		return server->print ? -ENOMEM : -EAGAIN;
	err = server->print(server->ctx, file, kind == TEXT_OPEN_METRICS);
	if (fclose(file) && !err)
		err = -ENOMEM;
	r = err ? NULL : MHD_create_response_from_buffer(len, text, MHD_RESPMEM_MUST_FREE);
	if (!r) {
		free(text);
		return err ? err : -ENOMEM;
	}
	MHD_add_response_header(r, "Content-Type", content_types[kind]);
	MHD_add_response_header(r, "Vary", "Accept");
	/* one request each: who is idle holds no connection */
	MHD_add_response_header(r, "Connection", "close");
	server->answer[kind] = r;
	return 0;
}

static enum MHD_Result answer(void *ctx, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *data,
			      size_t *data_size, void **request)
{
	struct http_server *server = ctx;
	const char *accept =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	enum text_kind kind = accept && strstr(accept, "application/openmetrics-text")
				      ? TEXT_OPEN_METRICS
				      : TEXT_PROMETHEUS;

	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n",
			      "Allow", "GET, HEAD");
	if (strcmp(url, "/metrics") != 0)
		return refuse(connection, MHD_HTTP_NOT_FOUND, "the counters are at /metrics\n",
			      NULL, NULL);
	switch (make_answer(server, kind)) {
	case 0:
		return queue(connection, MHD_HTTP_OK, server->answer[kind]);
	case -EAGAIN:
		return refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			      "the first interval is not over yet\n", "Retry-After", "1");
	default:
		return refuse(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "not enough memory\n",
			      NULL, NULL);
	}
}

static int start(struct http_server *server, int fd)
{
	const union MHD_DaemonInfo *info;

	server->daemon = MHD_start_daemon(
		MHD_USE_EPOLL, 0, NULL, NULL, answer, server, MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_LIMIT, HTTP_CONNECTIONS, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
		HTTP_CONNECTIONS_OF_ONE, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_SIZE,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_CONNECTION, take_connection,
		server, MHD_OPTION_END);
	if (!server->daemon) {
		close(fd);
		return -EIO;
	}
	info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	server->epoll = info->epoll_fd;
	return 0;
}

int http_server_open(struct http_server **server, const union http_address *address, bool quiet,
		     char *why, size_t size)
{
	struct http_server *s = calloc(1, sizeof(*s));
	union http_address a = *address;
	char name[64];
	int err = s ? 0 : -ENOMEM, fd = -1;

	for (int i = 0; s && i < HTTP_CONNECTIONS; i++)
		s->client[i].fd = -1;
	if (!err)
		fd = listen_at(&a);
	if (!err)
		err = fd < 0 ? fd : start(s, fd);
	print_address(&a, name, sizeof(name));
	if (err) {
		snprintf(why, size, "--listen %s: %s%s", name, strerror(-err), remedy(err));
		free(s);
		return err;
	}
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
	/* those who are still reading it hold it */
	for (int i = 0; i < TEXT_KINDS; i++) {
		if (server->answer[i])
			MHD_destroy_response(server->answer[i]);
		server->answer[i] = NULL;
	}
}

int http_server_fd(const struct http_server *server)
{
	return server->epoll;
}

int http_server_due(struct http_server *server)
{
	uint64_t now = clock_ns(), first = UINT64_MAX;
	MHD_UNSIGNED_LONG_LONG wait;

	if (server->has_room)
		return 0;
	/* the library has no time-outs: this is what it has read already */
	if (MHD_get_timeout(server->daemon, &wait) == MHD_YES && !wait)
		return 0;
	for (int i = 0; i < HTTP_CONNECTIONS; i++)
		if (server->client[i].fd >= 0 && server->client[i].end < first)
			first = server->client[i].end;
	if (first == UINT64_MAX)
		return -1;
	return first <= now ? 0 : (int)((first - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC);
}

void http_server_run(struct http_server *server)
{
	uint64_t now = clock_ns();

	for (int i = 0; i < HTTP_CONNECTIONS; i++)
		if (server->client[i].fd >= 0 && server->client[i].end <= now)
			cut(&server->client[i]);
	server->has_room = false;
	MHD_run(server->daemon);
}

void http_server_close(struct http_server *server)
{
	if (!server)
		return;
	http_server_renew(server);
	MHD_stop_daemon(server->daemon);
	free(server);
}
