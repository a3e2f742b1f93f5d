// SPDX-License-Identifier: GPL-2.0-or-later
#include "dispatcher.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dispatcher.skel.h"
#include "json.h"
#include "link.h"
#include "netns.h"

enum { BY_NETLINK, SHARING, BY_LINK, WHOLES };

struct dispatchers {
	struct netns ns;
	struct link dev[WHOLES];
	int fd[WHOLES]; /* of the programs */
	struct dispatcher_bpf *pinned, *shared;
	struct bpf_link *pinned_link, *shared_link[WHOLES];
	char pin[64];
};

/* Loads one program of the object; a part together with the function of @whole that it replaces. */
static struct dispatcher_bpf *load(const char *name, int whole, const char *function)
{
	struct dispatcher_bpf *bpf = dispatcher_bpf__open();
	struct bpf_program *p;
	int err = bpf ? 0 : -errno;

	if (bpf)
		bpf_object__for_each_program (p, bpf->obj)
			bpf_program__set_autoload(p, !strcmp(bpf_program__name(p), name));
	if (!err && function)
		err = bpf_program__set_attach_target(
			bpf_object__find_program_by_name(bpf->obj, name), whole, function);
	if (!err)
		err = dispatcher_bpf__load(bpf);
	if (!err)
		return bpf;
	dispatcher_bpf__destroy(bpf);
	errno = -err;
	return NULL;
}

static int program_id(int fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int err = bpf_obj_get_info_by_fd(fd, &info, &len);

	return err ? err : (int)info.id;
}

static void print(const char *name, int fd, const struct link *dev)
{
	struct json json;

	json_begin(&json, stdout, "program");
	json_string(&json, "prog_name", name);
	json_number(&json, "prog_id", program_id(fd));
	if (dev)
		json_string(&json, "ifname", dev->name);
	json_number(&json, "pid", getpid());
	json_end(&json);
}

static int devices_open(struct dispatchers *d)
{
	int err = netns_open(&d->ns);

	if (err)
		return err;
	link_init(&d->dev[BY_NETLINK], &d->ns, "rig-in");
	link_init(&d->dev[SHARING], &d->ns, "rig-feed");
	link_init(&d->dev[BY_LINK], &d->ns, "lo");
	d->dev[BY_LINK].ifindex = 1;
	err = link_add_veth(&d->dev[BY_NETLINK], &d->dev[SHARING], 1500);
	return err ? err : netns_enter(&d->ns);
}

/* A link stays open until this process ends. */
static int whole_attach(struct dispatchers *d, int i)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_SKB_MODE);
	int link;

	if (i != BY_LINK)
		return bpf_xdp_attach(d->dev[i].ifindex, d->fd[i], 0, NULL);
	link = bpf_link_create(d->fd[i], d->dev[i].ifindex, BPF_XDP, &opts);
	return link < 0 ? link : 0;
}

static int parts_attach(struct dispatchers *d)
{
	d->pinned = load("rig_pinned", d->fd[BY_NETLINK], "prog0");
	d->shared = d->pinned ? load("rig_shared", d->fd[BY_NETLINK], "prog1") : NULL;
	if (!d->shared)
		return -errno;
	d->pinned_link = bpf_program__attach_freplace(d->pinned->progs.rig_pinned, 0, NULL);
	if (!d->pinned_link)
		return -errno;
	for (int i = 0; i < WHOLES; i++) {
		d->shared_link[i] = bpf_program__attach_freplace(d->shared->progs.rig_shared,
								 i == BY_NETLINK ? 0 : d->fd[i],
								 i == BY_NETLINK ? NULL : "prog1");
		if (!d->shared_link[i])
			return -errno;
	}
	return bpf_link__pin(d->pinned_link, d->pin);
}

static int dispatchers_open(struct dispatchers *d)
{
	int err = devices_open(d);

	for (int i = 0; i < WHOLES && !err; i++) {
		struct dispatcher_bpf *bpf = load("rig_dispatcher", 0, NULL);

		if (!bpf)
			return -errno;
		d->fd[i] = dup(bpf_program__fd(bpf->progs.rig_dispatcher));
		dispatcher_bpf__destroy(bpf);
		print("rig_dispatcher", d->fd[i], &d->dev[i]);
	}
	if (!err)
		err = parts_attach(d);
	if (err)
		return err;
	print("rig_pinned", bpf_program__fd(d->pinned->progs.rig_pinned), NULL);
	print("rig_shared", bpf_program__fd(d->shared->progs.rig_shared), NULL);
	for (int i = 0; i < WHOLES && !err; i++) {
		err = whole_attach(d, i);
		close(d->fd[i]);
	}
	/* the pin holds the link, and the link the program */
	bpf_link__destroy(d->pinned_link);
	dispatcher_bpf__destroy(d->pinned);
	return err;
}

int dispatcher_run(const char *pins)
{
	struct dispatchers d = {};
	struct json json;
	int err;

	snprintf(d.pin, sizeof(d.pin), "%s/rig-part", pins);
	err = dispatchers_open(&d);
	if (err) {
		fprintf(stderr, "rig: dispatcher: %s\n", strerror(-err));
		return 1;
	}
	json_begin(&json, stdout, "ready");
	json_end(&json);
	getchar();
	for (int i = 0; i < WHOLES; i++)
		bpf_link__destroy(d.shared_link[i]);
	dispatcher_bpf__destroy(d.shared);
	getchar();
	return unlink(d.pin) ? 1 : 0;
}
