/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --listen: /metrics over HTTP, by libevent's evhttp, without a thread: http_server_poll() waits in
 * place of poll(2), and serves meanwhile. An answer is the same buffer for all who ask; it is made
 * when the first one asks. Clients cannot make it hold more than HTTP_CONNECTIONS buffers, nor a
 * connection longer than HTTP_SECONDS. A connection beyond a limit cuts the oldest one, of its
 * address or of all.
 */
#ifndef XDPTOP_HTTP_SERVER_H
#define XDPTOP_HTTP_SERVER_H

#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define HTTP_CONNECTIONS        64
#define HTTP_CONNECTIONS_OF_ONE 32 /* of one address */
#define HTTP_SECONDS            10 /* a connection, in all: Prometheus does not wait longer */

/* Where to listen; family 0 = nowhere. */
union http_address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

/*
 * PORT, :PORT (both on 127.0.0.1), ADDR:PORT or [ADDR]:PORT; ADDR is numeric or "localhost".
 * Port 0 = any that is free. 0, or -EINVAL.
 */
int http_address_parse(const char *text, union http_address *to);

struct http_server;

/* Binds and listens, says on stderr where unless `quiet`. 0, or -errno with a message in why. */
int http_server_open(struct http_server **server, const union http_address *address, bool quiet,
		     char *why, size_t size);
/*
 * Who prints the answer: 0, -EAGAIN = there is none yet, or -errno. Until it is set there is none.
 */
typedef int (*http_print)(void *ctx, FILE *to, bool open_metrics);
void http_server_set(struct http_server *server, http_print print, void *ctx);
/* What was printed is old now. */
void http_server_renew(struct http_server *server);
/*
 * As poll(2), of descriptors that are read from: they and the time come before the clients. With a
 * time of 0 it does what can be done without waiting.
 */
int http_server_poll(void *server, struct pollfd *fds, nfds_t n, int timeout_ms);
/* NULL is allowed. */
void http_server_close(struct http_server *server);

#endif
