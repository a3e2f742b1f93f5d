// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of --capture: tests/kernels/captured.py reads whole ones; here are their blocks and errors.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "bpf/capture.h"
#include "output/capture_file.h"
#include "unit/test.h"

static char directory[] = "/tmp/xdptop-capture-XXXXXX";
static const struct snapshot_host host = { .kernel = "6.1.0" };
static struct capture_config config = { .acts = 0x3, .rate = 10 };

static int setup(void **state)
{
	strcpy(directory + sizeof(directory) - 7, "XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	snprintf(config.path, sizeof(config.path), "%s/a.pcapng", directory);
	return 0;
}

static int teardown(void **state)
{
	unlink(config.path);
	return rmdir(directory);
}

static const char *captured(struct source *s, uint32_t prog_id, struct capture_counts *n)
{
	*n = (struct capture_counts){ .matched = 5, .refused = 2, .lost = 1 };
	return NULL;
}

static const struct source_ops ops = { .captured = captured };
static struct source source = { .ops = &ops };

/* The types of the file's blocks, whose lengths must be right. */
static size_t read_blocks(uint32_t *type, size_t max)
{
	FILE *file = fopen(config.path, "r");
	uint32_t head[2], last;
	size_t n = 0;

	assert_non_null(file);
	while (fread(head, sizeof(head), 1, file) == 1) {
		assert_true(n < max && head[1] >= 12 && !(head[1] % 4));
		type[n++] = head[0];
		assert_int_equal(fseek(file, (long)head[1] - 12, SEEK_CUR), 0);
		assert_int_equal(fread(&last, sizeof(last), 1, file), 1);
		assert_int_equal(last, head[1]);
	}
	assert_true(feof(file));
	fclose(file);
	return n;
}

TEST_WITH(test_blocks, setup, teardown)
{
	struct packet p = {
		.ifname = "eth0",
		.record = { .prog_id = 1, .ifindex = 2, .length = 99, .n = 61, .act = 1 },
	};
	const uint32_t expected[] = { 0x0a0d0d0a, 1, 6, 6, 1, 6, 1, 6, 5, 5 };
	struct capture_file *f;
	struct error error;
	uint32_t type[16];
	struct stat st;

	assert_int_equal(capture_file_open(&f, &config, &host, &error), 0);
	capture_file_packet(f, &p);
	capture_file_packet(f, &p);
	strcpy(p.ifname, "eth1");
	capture_file_packet(f, &p);
	p.record.prog_id = 3;
	capture_file_packet(f, &p);
	assert_int_equal(capture_file_close(f, &source, true), EXIT_DONE);
	assert_int_equal(read_blocks(type, 16), sizeof(expected) / sizeof(expected[0]));
	assert_memory_equal(type, expected, sizeof(expected));
	assert_int_equal(stat(config.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

TEST_WITH(test_refused, setup, teardown)
{
	struct capture_file *f;
	struct error error = { 0 };

	close(open(config.path, O_CREAT | O_WRONLY, 0644));
	assert_int_equal(capture_file_open(&f, &config, &host, &error), -EEXIST);
	assert_non_null(strstr(error.text, "give the name of a new file"));
	unlink(config.path);
	assert_int_equal(symlink("elsewhere", config.path), 0);
	assert_int_equal(capture_file_open(&f, &config, &host, &error), 0);
	/* a link of the user is followed, as for other outputs */
	capture_file_remove(f);
	assert_int_equal(access(config.path, F_OK), -1);
	unlink(config.path);
	assert_int_equal(capture_file_open(&f, &config, &host, &error), 0);
	capture_file_remove(f);
	assert_int_equal(access(config.path, F_OK), -1);
}

/* A full disk: the file ends with the last whole block. */
TEST_WITH(test_full, setup, teardown)
{
	const struct packet p = { .ifname = "eth0",
				  .record = { .n = CAPTURE_BYTES, .length = CAPTURE_BYTES } };
	struct rlimit was, limit;
	struct capture_file *f;
	struct error error;
	uint32_t type[16];
	struct stat st;

	assert_int_equal(capture_file_open(&f, &config, &host, &error), 0);
	capture_file_packet(f, &p);
	assert_int_equal(stat(config.path, &st), 0);
	getrlimit(RLIMIT_FSIZE, &was);
	limit = (struct rlimit){ (rlim_t)st.st_size + 50, was.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	capture_file_packet(f, &p);
	capture_file_packet(f, &p);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	assert_int_equal(capture_file_close(f, &source, true), EXIT_FILE);
	assert_int_equal(read_blocks(type, 16), 3);
}

/* Texts that do not fit are left out, and the block stays whole. */
TEST(test_long_texts)
{
	static char text[PCAPNG_BLOCK_MAX + 1];
	struct pcapng_block b;
	uint32_t length;

	for (size_t n = 0; n < sizeof(text); n++) {
		memset(text, 'x', n);
		text[n] = '\0';
		pcapng_section(&b, text, text, text);
		assert_true(b.n <= sizeof(b.bytes) && !(b.n % 4));
		memcpy(&length, b.bytes + 4, sizeof(length));
		assert_int_equal(length, b.n);
		pcapng_interface(&b, text, text);
		assert_true(b.n <= sizeof(b.bytes));
	}
}
