// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules that look into maps: what they report about slots, queues and entries. */
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include "diagnose/map_evidence.h"
#include "source/programs.h"
#include "unit/made_sockets.h"
#include "unit/test.h"

static struct series *gave_up(struct fixture *f)
{
	return came(f, TP_XDP_EXCEPTION,
		    (struct series_key){ .netns = MADE_NETNS, .ifindex = 3, .prog_id = 42 },
		    COUNTS(80));
}

FINDING_TEST(test_free_slots)
{
	const struct finding *finding;

	gave_up(f);
	map(f, 4, BPF_MAP_TYPE_DEVMAP, 64, "of_another")->user[0] = 41;
	entry(f, 1);
	map(f, 6, BPF_MAP_TYPE_DEVMAP, 64, "tx_port");
	entry(f, 0);
	entry(f, 2);
	entry(f, 7);
	map(f, 7, BPF_MAP_TYPE_CPUMAP, 4, "cpus");
	entry(f, 0);
	entry(f, 1);
	entry(f, 3);
	map(f, 8, BPF_MAP_TYPE_DEVMAP_HASH, 2, "");
	entry(f, 9);
	entry(f, 500);
	map(f, 9, BPF_MAP_TYPE_DEVMAP, 4, "none");
	update(f);
	finding = expect_only(f, "aborted");
	says(finding, "redirected to an empty map slot, or");
	says(finding, "; its devmap tx_port (id 6) has entries in 3 of 64 slots: 0, 2, 7; its "
		      "cpumap cpus (id 7) has entries in 3 of 4 slots, not in 2; its devmap_hash "
		      "8 has 2 keys: 9, 500; its devmap none (id 9) is empty (4 slots)");
	assert_null(strstr(finding->text, "of_another"));
	/* any of them is possible */
	assert_int_equal(finding->location.map_id, 0);
	assert_memory_equal(finding->commands,
			    "bpftool map dump id 6\nbpftool map dump id 7\n"
			    "bpftool map dump id 8\nbpftool prog show id 42",
			    80);
}

FINDING_TEST(test_one_key)
{
	gave_up(f);
	map(f, 8, BPF_MAP_TYPE_DEVMAP_HASH, 2, "");
	entry(f, 9);
	update(f);
	says(expect_only(f, "aborted"), "; its devmap_hash 8 has 1 key: 9");
}

FINDING_TEST(test_no_free_slots)
{
	const struct finding *finding;

	f->alone = true;
	gave_up(f);
	map(f, 6, BPF_MAP_TYPE_DEVMAP, 2, "tx_port");
	entry(f, 0);
	entry(f, 1);
	update(f);
	/* it is new: packets may have come before its entries */
	says(expect_only(f, "aborted"), "redirected to an empty map slot");
	again(f);
	finding = expect_only(f, "aborted");
	says(finding, "every slot of the program's maps has an entry");
	assert_null(strstr(finding->text, "empty"));
	assert_int_equal(finding->location.map_id, 0);
	assert_null(strstr(finding->commands, "map dump"));
	assert_null(strstr(finding->remedy.text, "slot"));
}

/* A map that was not read completely keeps its name, and is not reported as full. */
FINDING_TEST(test_slots_not_read)
{
	struct map_entry *m;

	gave_up(f);
	map(f, 5, BPF_MAP_TYPE_DEVMAP, 1, "full");
	entry(f, 0);
	m = map(f, 6, BPF_MAP_TYPE_DEVMAP, 64, "tx_port");
	m->slots_read = 32;
	update(f);
	again(f);
	says(expect_only(f, "aborted"), "redirected to an empty map slot");
	says(expect_only(f, "aborted"),
	     "; in its devmap tx_port (id 6), 32 of 64 slots have not yet been read");
	/* all slots were read, but not all entries have a row */
	m->slots_read = 64;
	m->used = 64;
	again(f);
	says(expect_only(f, "aborted"), "; not all entries of its devmap tx_port (id 6) are known");
}

/* The text is limited to what the counts show. */
FINDING_TEST(test_slots_unknown)
{
	struct map_entry *m;
	static const char before[] =
		"the program returned XDP_ABORTED, redirected to an empty map slot, or passed "
		"invalid flags; the share of these packets is not known";

	gave_up(f);
	map(f, 5, BPF_MAP_TYPE_DEVMAP, 64, "tx_port");
	m = map(f, 6, BPF_MAP_TYPE_DEVMAP, 64, "of_many");
	/* it may be a program that the row has no room for */
	m->user[0] = 1;
	m->users_total = 5;
	update(f);
	assert_string_equal(strstr(expect_only(f, "aborted")->text, ": ") + 2, before);
	/* maps that lead to it were not all read */
	m->users_total = 1;
	m->users_known = false;
	f->to.mono_ns++;
	update(f);
	assert_string_equal(strstr(expect_only(f, "aborted")->text, ": ") + 2, before);
	/* it uses none */
	m->users_known = true;
	m[-1].user[0] = 1;
	f->to.mono_ns++;
	update(f);
	assert_string_equal(strstr(expect_only(f, "aborted")->text, ": ") + 2, before);
}

static struct program *program(struct fixture *f, uint32_t id)
{
	struct program *p = snapshot_add_row(&f->to, DATA_SOURCE_PROGRAMS, sizeof(*p));

	assert_non_null(p);
	*p = (struct program){ .prog_id = id, .maps_known = true };
	return p;
}

/* The map has more users than its row names, but an attached program knows its maps. */
FINDING_TEST(test_many_users)
{
	const struct finding *finding;
	struct map_entry *m;
	struct program *p;

	gave_up(f);
	map(f, 4, BPF_MAP_TYPE_DEVMAP, 64, "of_another")->user[0] = 41;
	map(f, 5, BPF_MAP_TYPE_DEVMAP, 2, "full");
	entry(f, 0);
	entry(f, 1);
	m = map(f, 6, BPF_MAP_TYPE_DEVMAP, 64, "tx_port");
	memcpy(m->user, (uint32_t[]){ 30, 31, 32, 33 }, sizeof(m->user));
	m->users_total = 200;
	p = program(f, 42);
	p->map[0] = 5;
	p->map[1] = 6;
	p->maps_total = 2;
	update(f);
	again(f);
	finding = expect_only(f, "aborted");
	says(finding, "its devmap tx_port (id 6) is empty (64 slots)");
	assert_int_equal(strncmp(finding->remedy.text, "add the entries", 15), 0);
	assert_null(strstr(finding->text, "of_another"));
	assert_int_equal(finding->location.map_id, 6);
	assert_int_equal(finding->location.prog_id, 42);
	assert_memory_equal(finding->commands, "bpftool map dump id 6\nbpftool prog show id 42\n",
			    46);
	/* more maps than fit in its row: this may be one of them */
	p->map[1] = 0;
	p->maps_total = PROGRAM_MAPS + 1;
	again(f);
	assert_null(strstr(expect_only(f, "aborted")->text, "has an entry"));
	/* only the named programs use it */
	m->users_total = 4;
	again(f);
	says(expect_only(f, "aborted"), "every slot of the program's maps has an entry");
	/* the program had another map until it stopped a tail call */
	((struct program *)program_find(&f->from, 42))->map[1] = 7;
	f->to.mono_ns++;
	update(f);
	assert_null(strstr(expect_only(f, "aborted")->text, "has an entry"));
}

/* There are more maps than rows: the map may be one without a row. */
FINDING_TEST(test_map_without_row)
{
	struct program *p;

	gave_up(f);
	map(f, 5, BPF_MAP_TYPE_DEVMAP, 1, "full");
	entry(f, 0);
	p = program(f, 42);
	p->map[0] = 5;
	p->map[1] = 6;
	p->maps_total = 2;
	update(f);
	again(f);
	assert_null(strstr(expect_only(f, "aborted")->text, "has an entry"));
	p->map[1] = 0;
	p->maps_total = 1;
	again(f);
	says(expect_only(f, "aborted"), "every slot of the program's maps has an entry");
}

/* A dispatcher has no maps itself, but its parts do. */
FINDING_TEST(test_dispatcher)
{
	gave_up(f);
	map(f, 6, BPF_MAP_TYPE_DEVMAP, 64, "tx_port")->user[0] = 50;
	program(f, 42)->parts = 1;
	program(f, 50)->part_of = 42;
	update(f);
	says(expect_only(f, "aborted"), "its devmap tx_port (id 6) is empty (64 slots)");
}

static void full_queue(struct fixture *f, uint32_t qsize, uint32_t prog_id)
{
	struct map_entry *e;

	map(f, 7, BPF_MAP_TYPE_CPUMAP, 8, "cpus");
	e = entry(f, 2);
	e->qsize = qsize;
	e->fill = qsize - 2;
	e->prog_id = prog_id;
	came(f, TP_XDP_CPUMAP_ENQUEUE, redirect(SERIES_MAP_CPUMAP, 7, 2, 0), COUNTS(50, 0, 9));
	update(f);
	again(f);
}

static void says_command(const struct finding *finding, uint32_t key, uint32_t qsize,
			 const char *program)
{
	const unsigned char *k = (const unsigned char *)&key, *q = (const unsigned char *)&qsize;
	char line[128];

	snprintf(line, sizeof(line),
		 "\nbpftool map update id 7 key %u %u %u %u value %u %u %u %u%s", k[0], k[1], k[2],
		 k[3], q[0], q[1], q[2], q[3], program);
	if (!strstr(finding->commands, line))
		fail_msg("'%s' has no '%s'", finding->commands, line);
}

FINDING_TEST(test_queue_size)
{
	const struct finding *finding;

	f->alone = true;
	full_queue(f, 192, 0);
	finding = expect_only(f, "cpumap-queue-full");
	says(finding, "the queue holds at most 192 frames, and 190 wait in it now");
	says_command(finding, 2, 2048, " 0 0 0 0");
	/* showing comes before changing */
	assert_memory_equal(finding->commands, "bpftool map dump id 7\n", 22);
	/* the value has no room for a program */
	((struct map_entry *)map_find(&f->to, 7))->value_size = 4;
	again(f);
	says_command(expect_only(f, "cpumap-queue-full"), 2, 2048, "");
	((struct map_entry *)map_entry_find(&f->to, 7, 2))->qsize = 1;
	again(f);
	says_command(expect_only(f, "cpumap-queue-full"), 2, 2048, "");
	((struct map_entry *)map_entry_find(&f->to, 7, 2))->qsize = 2048;
	again(f);
	says_command(expect_only(f, "cpumap-queue-full"), 2, 4096, "");
	/* not above the kernel's limit */
	((struct map_entry *)map_entry_find(&f->to, 7, 2))->qsize = 10000;
	again(f);
	says_command(expect_only(f, "cpumap-queue-full"), 2, 16384, "");
	((struct map_entry *)map_entry_find(&f->to, 7, 2))->qsize = 16384;
	again(f);
	assert_null(strstr(expect_only(f, "cpumap-queue-full")->commands, "update"));
	/* the size of a value is unknown */
	((struct map_entry *)map_entry_find(&f->to, 7, 2))->qsize = 192;
	((struct map_entry *)map_find(&f->to, 7))->value_size = 0;
	again(f);
	assert_null(strstr(expect_only(f, "cpumap-queue-full")->commands, "update"));
}

/* An update without its descriptor would remove the program. */
FINDING_TEST(test_queue_of_program)
{
	const struct finding *finding;

	full_queue(f, 192, 50);
	finding = expect_only(f, "cpumap-queue-full");
	says(finding, "192 frames, and 190 wait");
	assert_null(strstr(finding->commands, "update"));
	assert_non_null(strstr(finding->remedy.text, "would remove"));
}

FINDING_TEST(test_busy_queue)
{
	const struct finding *finding;

	came(f, TP_XDP_CPUMAP_KTHREAD, redirect(SERIES_MAP_CPUMAP, 7, 2, 0), COUNTS(5000, 39100));
	full_queue(f, 192, 0);
	finding = expect_only(f, "cpumap-cpu-busy");
	says(finding, "hardly ever sleeps");
	says(finding, "192 frames, and 190 wait in it now");
	/* a larger queue does not help */
	assert_null(strstr(finding->commands, "update"));
}

FINDING_TEST(test_entry_of_program)
{
	struct series *xmit = came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(5, 0, 80));
	const struct finding *finding;

	f->alone = true;
	xmit->to_prog_id = 50;
	strcpy(xmit->to_prog_name, "acl");
	map(f, 6, BPF_MAP_TYPE_DEVMAP, 64, "tx_port");
	*entry(f, 7) = (struct map_entry){ .map_id = 6,
					   .is_entry = 1,
					   .key = 7,
					   .to_netns = MADE_NETNS,
					   .to_ifindex = 4,
					   .prog_id = 50,
					   .prog_name = "acl" };
	/* another program, another device */
	entry(f, 8)->prog_id = 51;
	entry(f, 9)->prog_id = 50;
	update(f);
	finding = expect_only(f, "egress-program-drops");
	says(finding, "the devmap program acl (id 50), of devmap tx_port (id 6) key 7, drops");
	assert_int_equal(finding->location.prog_id, 50);
	assert_int_equal(finding->location.map_id, 6);
	assert_int_equal(finding->severity, FINDING_INFO);
	/* no entry has it any longer */
	((struct map_entry *)map_entry_find(&f->to, 6, 7))->prog_id = 0;
	f->to.mono_ns++;
	update(f);
	says(expect_only(f, "egress-program-drops"), "the devmap program acl (id 50) drops");
}

/* Which entry the program of an exception belongs to. */
FINDING_TEST(test_exception_of_entry)
{
	struct map_entry *e;

	device(f, MADE_NETNS, 4, "eth4");
	*snapshot_add_netdev(&f->from) = snapshot_netdevs(&f->to)[0];
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(5, 80));
	came(f, TP_XDP_EXCEPTION,
	     (struct series_key){ .netns = MADE_NETNS, .ifindex = 4, .prog_id = 50 }, COUNTS(5));
	map(f, 6, BPF_MAP_TYPE_DEVMAP, 64, "tx_port");
	entry(f, 3);
	for (uint32_t key = 7; key < 9; key++) {
		e = entry(f, key);
		e->to_netns = MADE_NETNS;
		e->to_ifindex = 4;
		e->prog_id = 50;
	}
	map(f, 7, BPF_MAP_TYPE_CPUMAP, 64, "cpus");
	entry(f, 1)->prog_id = 50;
	update(f);
	says(expect_only(f, "aborted"),
	     "the program of devmap tx_port (id 6) key 7 and 1 more returned XDP_ABORTED");
	assert_int_equal(expect_only(f, "aborted")->location.map_id, 6);
	assert_non_null(strstr(expect_only(f, "aborted")->commands, "bpftool map dump id 6"));
}

/* Drops of a veth without an errno: the peer's ring, if nothing else is possible. */
FINDING_TEST(test_veth_ring)
{
	static const char both[] = "is full (256 frames), or frames are longer than its MTU",
			  any[] = "or a devmap program drops them";
	struct netdev *d;

	f->alone = true;
	for (uint32_t i = 4; i < 6; i++) {
		d = device(f, MADE_NETNS, i, i == 4 ? "veth4" : "veth5");
		strcpy(d->kind, "veth");
		d->peer_netns = MADE_NETNS;
		d->peer_ifindex = 9 - i;
		d->mtu = 1500;
	}
	map(f, 6, BPF_MAP_TYPE_DEVMAP, 64, "tx_port");
	*entry(f, 7) = (struct map_entry){
		.map_id = 6, .is_entry = 1, .key = 7, .to_netns = MADE_NETNS, .to_ifindex = 4
	};
	snapshot_copy(&f->from, &f->to);
	f->from.mono_ns -= MADE_S;
	for (int i = 0; i < TP_COUNT; i++)
		f->from.tp[i].on_ns -= f->from.tp[i].on_ns ? MADE_S : 0;
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(5, 0, 80));
	update(f);
	says(expect_only(f, "target-ring-full"), ": the receive ring of veth5, the veth's other "
						 "end, is full (256 frames): frames come faster");
	/* at the start of the interval, or now, the MTU is smaller */
	snapshot_netdevs(&f->from)[1].mtu = 1400;
	f->to.mono_ns++;
	update(f);
	says(expect_only(f, "target-ring-full"), both);
	assert_int_equal(strncmp(expect_only(f, "target-ring-full")->remedy.text,
				 "raise the peer's MTU if it", 26),
			 0);
	snapshot_netdevs(&f->from)[1].mtu = 1500;
	snapshot_netdevs(&f->to)[0].mtu = 3000;
	f->to.mono_ns++;
	update(f);
	says(expect_only(f, "target-ring-full"), both);
	/* all the time: the frames are too long, if the ring cannot have been full */
	snapshot_netdevs(&f->from)[0].mtu = 3000;
	f->to.mono_ns++;
	update(f);
	says(expect_only(f, "target-ring-full"),
	     ": frames are longer than the MTU of 1500 of "
	     "veth5, the veth's other end; the veth's own MTU is 3000");
	assert_true(runs(expect_only(f, "target-ring-full"), "link set dev veth5 mtu 3000"));
	f->to.series[0].total.packets += 256;
	f->to.mono_ns++;
	update(f);
	says(expect_only(f, "target-ring-full"),
	     ", or the receive ring there is full (256 frames)");
	f->to.series[0].total.packets -= 256;
	snapshot_netdevs(&f->from)[0].mtu = 1500;
	snapshot_netdevs(&f->to)[0].mtu = 1500;
	/* the entry had a program, or leads elsewhere and some maps were not read */
	((struct map_entry *)map_entry_find(&f->from, 6, 7))->prog_id = 50;
	f->to.mono_ns++;
	update(f);
	says(expect_only(f, "target-ring-full"), any);
	/* the MTUs are known to be equal */
	assert_null(strstr(expect_only(f, "target-ring-full")->text, "MTU"));
	assert_null(strstr(expect_only(f, "target-ring-full")->remedy.text, "MTU"));
	((struct map_entry *)map_entry_find(&f->from, 6, 7))->prog_id = 0;
	((struct map_entry *)map_entry_find(&f->to, 6, 7))->to_ifindex = 9;
	((struct map_entry *)map_find(&f->to, 6))->slots_read = 63;
	f->to.mono_ns++;
	update(f);
	says(expect_only(f, "target-ring-full"), any);
	((struct map_entry *)map_find(&f->to, 6))->slots_read = 64;
	f->to.mono_ns++;
	update(f);
	says(expect_only(f, "target-ring-full"), "frames come faster");
}

TEST(test_number_list)
{
	const struct map_entry row[] = { { .map_id = 1 }, { .key = 0 }, { .key = 2 },
					 { .key = 3 },    { .key = 9 }, { .key = UINT32_MAX } };
	struct number_list list = { 0 };

	number_list_add_free(&list, row, 6, UINT32_MAX);
	assert_string_equal(number_list_end(&list), "1, 4-8, 10-4294967294");
	list = (struct number_list){ 0 };
	number_list_add_free(&list, row, 5, 3);
	assert_string_equal(number_list_end(&list), "1");
	list = (struct number_list){ 0 };
	number_list_add_free(&list, row, 1, 2);
	assert_string_equal(number_list_end(&list), "0-1");
	list = (struct number_list){ 0 };
	assert_string_equal(number_list_end(&list), "");
	for (uint32_t i = 0; i < 4; i++)
		number_list_add(&list, i, i);
	number_list_add(&list, 7, 7);
	assert_string_equal(number_list_end(&list), "0-3, 7");
	list = (struct number_list){ 0 };
	for (uint32_t i = 0; i < 2000; i += 2)
		number_list_add(&list, i, i);
	number_list_end(&list);
	assert_true(strlen(list.text) < sizeof(list.text));
	assert_string_equal(list.text + strlen(list.text) - 5, ", ...");
}
