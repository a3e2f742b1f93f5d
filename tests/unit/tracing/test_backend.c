// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tracing/backend.h"
#include "unit/test.h"

/* What libbpf prints on stderr about a missing object. */
static void open_object(const char *name, char *text, size_t size)
{
	FILE *file = tmpfile();
	int err = dup(STDERR_FILENO);
	ssize_t n;

	assert_non_null(file);
	dup2(fileno(file), STDERR_FILENO);
	assert_null(bpf_object__open_file(name, NULL));
	fflush(stderr);
	dup2(err, STDERR_FILENO);
	close(err);
	n = pread(fileno(file), text, size - 1, 0);
	assert_true(n >= 0);
	text[n] = '\0';
	fclose(file);
}

/* Foreign names cannot control the terminal; lines stay lines. */
TEST(test_log)
{
	char text[4096];

	backend_log(true);
	open_object("/none/\x1b[2J\xe2\x80\xae\r\\\n\nx\tend", text, sizeof(text));
	assert_non_null(strstr(text, "/none/\\x1b[2J\\xe2\\x80\\xae\\x0d\\\\\n\nx\\x09end"));
	assert_int_equal(text[strlen(text) - 1], '\n');
	backend_log(false);
	open_object("/none/quiet", text, sizeof(text));
	assert_string_equal(text, "");
}
