// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracing/filter_compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/libc.h"
#include "base/sanitize.h"
#include "base/side_process.h"
#include "model/pcap_filter.h"

#define COMPILE_S    5         /* a name of a host may be looked up */
#define MEMORY_BYTES (1 << 29) /* of tcpdump */

/* What tcpdump needs to know of a capture: pcap-savefile(5). */
static const struct {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t zone, sigfigs, snaplen, linktype;
} empty_file = { 0xa1b2c3d4, 2, 4, 0, 0, UINT16_MAX, 1 };

/* Does not return. */
static void run_tcpdump(const char *filter, int in, int out, int err)
{
	const struct rlimit memory = { MEMORY_BYTES, MEMORY_BYTES };

	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(1);
	closefrom(3);
	setrlimit(RLIMIT_AS, &memory);
	alarm(COMPILE_S);
	execlp("tcpdump", "tcpdump", "-ddd", "-r", "-", "--", filter, NULL);
	/* EACCES: a directory of PATH is closed to nobody, and no other one has it */
	dprintf(STDERR_FILENO, "tcpdump, which compiles filters: %s%s", strerror(errno),
		errno == ENOENT || errno == EACCES ? "; install it" : "");
	_exit(1);
}

/* Answers a filter with tcpdump's stdout and stderr: pipes, which AppArmor's profiles allow. */
static void serve_compile(void *ctx, void *packet, int with, int opened[FD_PASS_MAX])
{
	int in[2], out[2], err[2];

	(void)ctx;
	(void)with;
	((char *)packet)[PCAP_FILTER_MAX - 1] = '\0';
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		_exit(1);
	(void)!write(in[1], &empty_file, sizeof(empty_file));
	if (!fork())
		run_tcpdump(packet, in[0], out[1], err[1]);
	close(in[0]);
	close(in[1]);
	close(out[1]);
	close(err[1]);
	opened[0] = out[0];
	opened[1] = err[0];
}

static const struct side_process compiler = {
	.task = "compiles filters",
	.any_call = true,
	.request = PCAP_FILTER_MAX,
	.answer = 1,
	.serve = serve_compile,
};

int filter_compiler_start(struct error *error)
{
	uint64_t capabilities;
	pid_t pid;

	return side_process_start(&compiler, -1, NULL, &pid, &capabilities, error);
}

/* All that comes, as a text; closes it. Returns its length. */
static size_t read_all(int fd, char *buf, size_t size)
{
	struct pollfd more = { .fd = fd, .events = POLLIN };
	ssize_t got = 0;
	size_t n = 0;

	while (n < size - 1 && poll(&more, 1, COMPILE_S * 1000) > 0 &&
	       (got = read(fd, buf + n, size - 1 - n)) > 0)
		n += (size_t)got;
	buf[n] = '\0';
	close(fd);
	return n;
}

/* What tcpdump says is in the last line, after its name; before it, which file it reads. */
static int tcpdump_refused(char *said, size_t n, struct error *error)
{
	static const char name[] = "tcpdump: ";
	char text[320], *line;

	while (n && said[n - 1] == '\n')
		said[--n] = '\0';
	line = memrchr(said, '\n', n);
	line = line ? line + 1 : said;
	line += strncmp(line, name, sizeof(name) - 1) ? 0 : sizeof(name) - 1;
	sanitize(text, sizeof(text), line, strlen(line));
	return error_set(error, -EINVAL, "%s", n ? text : "tcpdump has not answered");
}

int filter_compile(int socket, const char *filter, struct capture_code *to, struct error *error)
{
	char request[PCAP_FILTER_MAX] = "", code[PCAP_FILTER_TEXT], said[1024], answer;
	int fd[FD_PASS_MAX];
	size_t n, n_said;

	if (strlen(filter) >= sizeof(request))
		return error_set(error, -EINVAL, "it is longer than %d bytes", PCAP_FILTER_MAX - 1);
	memcpy(request, filter, strlen(filter));
	if (send(socket, request, sizeof(request), MSG_NOSIGNAL) < 0 ||
	    fd_pass_receive(socket, &answer, sizeof(answer), fd, 0) != sizeof(answer))
		return error_set(error, -EPIPE, "no process compiles filters");
	n = read_all(fd[0], code, sizeof(code));
	n_said = read_all(fd[1], said, sizeof(said));
	return n ? pcap_filter_parse(code, to, error) : tcpdump_refused(said, n_said, error);
}
