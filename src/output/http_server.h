/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --listen: /metrics, /healthz and an index over HTTP with libevent's evhttp, without a thread:
 * http_server_poll() replaces poll(2), and serves meanwhile. All clients share one answer, which is
 * made on the first request. Clients cannot make it hold more than HTTP_CONNECTIONS buffers, nor a
 * connection longer than HTTP_SECONDS. If a new connection exceeds a limit, the oldest one of
 * its address, or of all, is closed.
 */
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include "base/error.h"

#define HTTP_CONNECTIONS        64
#define HTTP_CONNECTIONS_OF_ONE 32 /* per address */
#define HTTP_SECONDS            10 /* maximum time of a connection: Prometheus does not wait longer */

/* Where to listen; family 0 = nowhere. */
union http_address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

/*
 * PORT, :PORT (both on 127.0.0.1), ADDR:PORT or [ADDR]:PORT; ADDR is numeric or "localhost". Port 0
 * = any free port. 0 or -EINVAL.
 */
int http_address_parse(const char *text, union http_address *to);

struct http_server;

/* Binds and listens. Names the address unless `quiet`. 0, or -errno and *error. */
int http_server_open(struct http_server **server, const union http_address *address, bool quiet,
		     struct error *error);
/* Prints the answer. Returns 0, -EAGAIN if there is none yet, or -errno. */
typedef int (*http_print)(void *ctx, FILE *to, bool open_metrics);
void http_server_set(struct http_server *server, http_print print, void *ctx);
/* Drops the printed answers: there is a new snapshot. */
void http_server_renew(struct http_server *server);
/*
 * As poll(2), for descriptors to read from. They and the timeout come before the clients. With
 * timeout 0 it does what it can without waiting.
 */
int http_server_poll(void *server, struct pollfd *fds, nfds_t n, int timeout_ms);
void http_server_close(struct http_server *server);
