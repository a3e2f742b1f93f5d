// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rig fires xdptop's tracepoints in exactly known numbers, in namespaces that disappear with it,
 * and prints what the kernel must have counted as JSON Lines.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "capture.h"
#include "cost.h"
#include "demo.h"
#include "device.h"
#include "dispatcher.h"
#include "fib_lookup.h"
#include "fill.h"
#include "filter.h"
#include "json.h"
#include "replaces.h"
#include "scene.h"
#include "stimulus.h"
#include "stop.h"
#include "verdicts.h"
#include "xsk.h"
#include "witness.h"

#define SCENES_MAX    64
#define COUNT_DEFAULT 1000
#define COUNT_MAX     1000000000

struct rig {
	struct scene_options options;
	const char *named;
	uint32_t count; /* -n; 0 = not given */
	bool hold;
	bool load;
	bool verify;
	struct scene *scenes;
	uint32_t counts[SCENES_MAX];
	const struct stimulus *stimuli[SCENES_MAX];
	int n;
};

static void usage_print(FILE *out)
{
	fputs("usage: rig [options] STIMULUS[=COUNT] ...   fire, print what must have been "
	      "counted\n"
	      "       rig --list                           the stimuli\n"
	      "       rig demo [--seconds S]               every tracepoint, until SIGINT or "
	      "SIGTERM\n"
	      "       rig bench                            commands on stdin, a JSON line for "
	      "each\n"
	      "       rig cost                             what one run of an XDP program takes, a "
	      "line for\n"
	      "                                            each on stdin: empty, profile, "
	      "statistics\n"
	      "       rig device COMMAND ...               single steps on devices that are there\n"
	      "       rig dispatcher DIRECTORY             programs in parts, one pinned there; a "
	      "line, and\n"
	      "                                            no process holds the other; a line ends "
	      "it\n"
	      "       rig replaces ROUNDS                  programs of two devices come and go\n"
	      "       rig fib-lookup IFNAME N ADDRESS...   a program that looks up routes\n"
	      "       rig fill N                           a program whose hashes have N entries; "
	      "a "
	      "line ends it\n"
	      "       rig capture N FLOOD                  N packets of known contents, then "
	      "FLOOD\n"
	      "                                            equal ones; a line starts each step\n"
	      "       rig filter PCAP UNREAD               packets that match filters of tcpdump "
	      "-ddd\n"
	      "       rig verdicts [IN FEED]               known verdicts, a line for each step; "
	      "on "
	      "veths,\n"
	      "                                            or on IN with frames from FEED\n"
	      "       rig programs NAME                    those of this name, whoever loaded "
	      "them\n"
	      "\n"
	      "  -n, --count COUNT   frames per stimulus (default 1000)\n"
	      "      --hold          wait for a line or EOF on stdin after `ready` and after "
	      "`done`\n"
	      "      --load          fire COUNT again and again until a line or EOF on stdin;\n"
	      "                      what is printed is the sum\n"
	      "      --verify        count with programs of the rig's own; exit 1 on a difference\n"
	      "      --packets       no live frames, as on kernels before 5.18\n"
	      "      --ifname NAME   of the ingress device\n"
	      "      --out-ifname NAME  of the target device\n"
	      "      --named PREFIX  bind the namespaces to /run/netns/PREFIX-src and PREFIX-dst\n"
	      "                      (of the Nth stimulus: PREFIXN-src and PREFIXN-dst)\n",
	      out);
}

static void stimuli_print(void)
{
	const struct stimulus *stimulus;

	for (unsigned int i = 0; (stimulus = stimulus_at(i)); i++)
		printf("%-17s %s\n%-17s   %s\n", stimulus->name, stimulus->fires, "",
		       stimulus->help);
}

static int count_parse(const char *s, uint32_t *count)
{
	char *end;
	unsigned long n = strtoul(s, &end, 10);

	if (*s < '0' || *s > '9' || *end || !n || n > COUNT_MAX)
		return -EINVAL;
	*count = n;
	return 0;
}

/* NAME or NAME=COUNT */
static int stimulus_parse(struct rig *rig, const char *arg)
{
	const char *equals = strchr(arg, '=');
	char name[32] = "";

	if (rig->n == SCENES_MAX) {
		fprintf(stderr, "rig: more than %d stimuli\n", SCENES_MAX);
		return -EINVAL;
	}
	if (!equals)
		equals = arg + strlen(arg);
	if ((size_t)(equals - arg) < sizeof(name))
		memcpy(name, arg, equals - arg);
	rig->stimuli[rig->n] = stimulus_find(name);
	if (!rig->stimuli[rig->n]) {
		fprintf(stderr, "rig: no stimulus of this name: %s (rig --list has them)\n", arg);
		return -EINVAL;
	}
	if (*equals && count_parse(equals + 1, &rig->counts[rig->n])) {
		fprintf(stderr, "rig: not a count: %s\n", arg);
		return -EINVAL;
	}
	if (++rig->n > 1)
		for (int i = 0; i < rig->n; i++)
			if (rig->stimuli[i]->flags & ALONE) {
				fprintf(stderr, "rig: %s: only alone: its events have no device\n",
					rig->stimuli[i]->name);
				return -EINVAL;
			}
	return 0;
}

static uint32_t scene_count(const struct rig *rig, int i)
{
	if (rig->counts[i])
		return rig->counts[i];
	if (rig->count)
		return rig->count;
	return rig->stimuli[i]->count ? rig->stimuli[i]->count : COUNT_DEFAULT;
}

static void line_print(const char *type)
{
	struct json json;

	json_begin(&json, stdout, type);
	json_end(&json);
}

static void skip_print(const struct scene *scene)
{
	struct json json;

	json_begin(&json, stdout, "skip");
	json_string(&json, "stimulus", scene->stimulus->name);
	json_string(&json, "reason", scene->skip);
	json_end(&json);
}

/* Waits for a line or EOF, at most @ms (-1 = forever). 1, 0, or -EINTR on a signal. */
static int line_wait(int ms)
{
	char c = 0;

	while (c != '\n') {
		int err = stop_wait(STDIN_FILENO, ms);

		if (err <= 0)
			return err;
		if (read(STDIN_FILENO, &c, 1) != 1)
			return 1;
	}
	return 1;
}

/* For --hold. 0 or -EINTR. */
static int gate_wait(const struct rig *rig)
{
	int err = rig->hold ? line_wait(-1) : 0;

	if (err < 0)
		return err;
	return stop_requested() ? -EINTR : 0;
}

static int rig_open(struct rig *rig)
{
	struct scene_options options = rig->options;
	int err = 0;

	rig->scenes = calloc(rig->n, sizeof(*rig->scenes));
	if (!rig->scenes)
		return -ENOMEM;
	for (int i = 0; i < rig->n && !err; i++) {
		if (rig->named && i)
			snprintf(options.named, sizeof(options.named), "%s%d", rig->named, i + 1);
		else if (rig->named)
			snprintf(options.named, sizeof(options.named), "%s", rig->named);
		err = scene_open(&rig->scenes[i], rig->stimuli[i], &options);
		if (!err && rig->scenes[i].skip[0])
			skip_print(&rig->scenes[i]);
		if (!err && stop_requested())
			err = -EINTR;
	}
	return err;
}

static int rig_fire(struct rig *rig)
{
	int err = 0;

	do {
		for (int i = 0; i < rig->n && !err; i++)
			if (!rig->scenes[i].skip[0])
				err = scene_fire(&rig->scenes[i], scene_count(rig, i));
		if (!err)
			err = rig->load ? line_wait(0) : 1;
	} while (!err);
	err = err < 0 ? err : 0;
	for (int i = 0; i < rig->n && !err; i++)
		if (!rig->scenes[i].skip[0])
			err = scene_expect(&rig->scenes[i]);
	/* Only now, so that nothing prints between the stimuli. */
	for (int i = 0; i < rig->n && !err; i++)
		for (int j = 0; j < rig->scenes[i].n_rows; j++)
			expect_print(&rig->scenes[i].rows[j], rig->stimuli[i]->name, stdout);
	return err;
}

static int rig_run(struct rig *rig)
{
	struct witness *witness = NULL;
	int err, differences = 0;

	err = rig_open(rig);
	if (!err && rig->verify) {
		witness = witness_open();
		if (!witness)
			err = -ENOTSUP;
	}
	if (!err) {
		line_print("ready");
		err = gate_wait(rig);
	}
	if (!err)
		err = rig_fire(rig);
	if (!err && witness)
		differences = witness_compare(witness, rig->scenes, rig->n);
	if (!err) {
		line_print("done");
		gate_wait(rig);
	}
	witness_close(witness);
	for (int i = 0; rig->scenes && i < rig->n; i++)
		scene_close(&rig->scenes[i]);
	free(rig->scenes);
	/* An end by signal is clean, but expectations are missing, so the status is not 0. */
	return err || differences ? 1 : 0;
}

int main(int argc, char **argv)
{
	enum {
		OPT_HOLD = 256,
		OPT_IFNAME,
		OPT_OUT,
		OPT_NAMED,
		OPT_VERIFY,
		OPT_LIST,
		OPT_PACKETS,
		OPT_LOAD
	};
	static const struct option longopts[] = {
		{ "count", required_argument, NULL, 'n' },
		{ "hold", no_argument, NULL, OPT_HOLD },
		{ "ifname", required_argument, NULL, OPT_IFNAME },
		{ "out-ifname", required_argument, NULL, OPT_OUT },
		{ "named", required_argument, NULL, OPT_NAMED },
		{ "load", no_argument, NULL, OPT_LOAD },
		{ "verify", no_argument, NULL, OPT_VERIFY },
		{ "packets", no_argument, NULL, OPT_PACKETS },
		{ "list", no_argument, NULL, OPT_LIST },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	struct rig rig = {};
	int c;

	if (stop_catch_signals())
		return 1;
	if (argc > 1 && !strcmp(argv[1], "bench"))
		return bench_run();
	if (argc == 4 && !strcmp(argv[1], "capture"))
		return capture_run((uint32_t)strtoul(argv[2], NULL, 10),
				   (uint32_t)strtoul(argv[3], NULL, 10));
	if (argc == 4 && !strcmp(argv[1], "filter"))
		return filter_packets(argv[2], (unsigned int)strtoul(argv[3], NULL, 10));
	if (argc == 2 && !strcmp(argv[1], "cost"))
		return cost_run();
	if (argc > 1 && !strcmp(argv[1], "demo"))
		return demo_run(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "device"))
		return device_run(argc - 1, argv + 1);
	if (argc == 3 && !strcmp(argv[1], "dispatcher"))
		return dispatcher_run(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "refused"))
		return xsk_refused_run((uint32_t)strtoul(argv[2], NULL, 10));
	if (argc == 3 && !strcmp(argv[1], "replaces"))
		return replaces_run((unsigned int)atoi(argv[2]));
	if (argc > 4 && !strcmp(argv[1], "fib-lookup"))
		return fib_lookup_run(argv[2], (unsigned int)atoi(argv[3]), argv + 4);
	if (argc == 3 && !strcmp(argv[1], "fill"))
		return fill_run((unsigned int)strtoul(argv[2], NULL, 10));
	if ((argc == 2 || argc == 4) && !strcmp(argv[1], "verdicts"))
		return verdicts_run(argv[2], argc == 4 ? argv[3] : NULL);
	if (argc == 3 && !strcmp(argv[1], "programs"))
		return verdicts_list(argv[2]);
	while ((c = getopt_long(argc, argv, "n:h", longopts, NULL)) != -1) {
		switch (c) {
		case 'n':
			if (count_parse(optarg, &rig.count)) {
				fprintf(stderr, "rig: not a count: %s\n", optarg);
				return 2;
			}
			break;
		case OPT_HOLD:
			rig.hold = true;
			break;
		case OPT_LOAD:
			rig.load = true;
			break;
		case OPT_IFNAME:
			rig.options.ifname = optarg;
			break;
		case OPT_OUT:
			rig.options.out_ifname = optarg;
			break;
		case OPT_NAMED:
			rig.named = optarg;
			break;
		case OPT_VERIFY:
			rig.verify = true;
			break;
		case OPT_PACKETS:
			rig.options.packets = true;
			break;
		case OPT_LIST:
			stimuli_print();
			return 0;
		case 'h':
			usage_print(stdout);
			return 0;
		default:
			usage_print(stderr);
			return 2;
		}
	}
	for (; optind < argc; optind++)
		if (stimulus_parse(&rig, argv[optind]))
			return 2;
	if (!rig.n) {
		usage_print(stderr);
		return 2;
	}
	return rig_run(&rig);
}
