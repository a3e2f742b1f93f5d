// SPDX-License-Identifier: GPL-2.0-or-later
#include "device.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/if_tun.h>
#include <linux/if_xdp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "frame.h"
#include "json.h"
#include "rig.skel.h"
#include "stop.h"
#include "xsk.h"

/* Prints "rig: device COMMAND: reason" and returns the exit status. */
static int device_end(const char *command, int err)
{
	if (err)
		fprintf(stderr, "rig: device %s: %s\n", command, strerror(-err));
	return err ? 1 : 0;
}

/* A name, or the number of a device that may not exist. */
static int device_ifindex(const char *name)
{
	int ifindex = if_nametoindex(name);

	return ifindex ? ifindex : atoi(name) > 0 ? atoi(name) : -errno;
}

/* Loads only this program; it sends to @target, by ifindex or through slot 0 of the devmap. */
static struct rig_bpf *device_load(const char *name, int target, bool egress)
{
	struct bpf_devmap_val value = { .ifindex = target };
	struct rig_bpf *bpf = rig_bpf__open();
	struct bpf_program *program;
	__u32 key = 0;
	int err;

	if (!bpf)
		return NULL;
	bpf_object__for_each_program (program, bpf->obj) {
		const char *found = bpf_program__name(program);

		bpf_program__set_autoload(
			program, !strcmp(found, name) || (egress && !strcmp(found, "rig_on_dev")));
	}
	bpf->rodata->target_ifindex = target;
	/* Up to 5.13 generic mode refuses programs whose devmap has room for a program. */
	err = egress ? 0 : bpf_map__set_value_size(bpf->maps.rig_devmap, sizeof(__u32));
	if (!err)
		err = rig_bpf__load(bpf);
	if (!err && egress)
		value.bpf_prog.fd = bpf_program__fd(bpf->progs.rig_on_dev);
	if (!err && !strcmp(name, "rig_to_devmap"))
		err = bpf_map_update_elem(bpf_map__fd(bpf->maps.rig_devmap), &key, &value, BPF_ANY);
	if (err) {
		rig_bpf__destroy(bpf);
		errno = -err;
		return NULL;
	}
	return bpf;
}

/* Pin of the program that was attached last. */
#define XSKMAP_PIN "/sys/fs/bpf/rig_xskmap"

static int pin_xskmap(const struct rig_bpf *bpf)
{
	unlink(XSKMAP_PIN);
	return bpf_obj_pin(bpf_map__fd(bpf->maps.rig_xskmap), XSKMAP_PIN);
}

static void pin_path(char *path, size_t size, const char *ifname)
{
	snprintf(path, size, "/sys/fs/bpf/%s", ifname);
}

/*
 * Replaces a link that exists already, which does not reset the device. 0, or the kernel's error.
 */
static int attach_link(const char *path, int ifindex, int prog_fd, __u32 flags, int *err)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = flags);
	int fd = bpf_obj_get(path), refused;

	if (fd >= 0) {
		refused = bpf_link_update(fd, prog_fd, NULL);
	} else {
		fd = bpf_link_create(prog_fd, ifindex, BPF_XDP, &opts);
		refused = fd < 0 ? fd : 0;
		*err = fd < 0 ? 0 : bpf_obj_pin(fd, path);
	}
	if (fd >= 0)
		close(fd);
	return refused;
}

/* Attaches over netlink, as ip does, or by a link. A refusal by the kernel is a valid answer. */
static int device_attach(const char *ifname, const char *mode, const char *name, const char *to,
			 bool egress)
{
	const __u32 flags = strcmp(mode, "generic") ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE;
	int ifindex = device_ifindex(ifname), target = to ? device_ifindex(to) : 0;
	struct rig_bpf *bpf;
	struct json json;
	char path[64];
	int prog_fd, refused, err = 0;

	if (ifindex < 0 || target < 0)
		return -ENODEV;
	bpf = device_load(name, target, egress);
	if (!bpf)
		return -errno;
	prog_fd = bpf_program__fd(bpf_object__find_program_by_name(bpf->obj, name));
	pin_path(path, sizeof(path), ifname);
	refused = strcmp(mode, "netlink") ? attach_link(path, ifindex, prog_fd, flags, &err)
					  : bpf_xdp_attach(ifindex, prog_fd, flags, NULL);
	if (!err && !strcmp(name, "rig_to_xskmap"))
		err = pin_xskmap(bpf);
	json_begin(&json, stdout, "attach");
	json_string(&json, "ifname", ifname);
	json_number(&json, "err", refused);
	json_number(&json, "pid", getpid());
	json_end(&json);
	rig_bpf__destroy(bpf);
	return err;
}

static int device_detach(const char *ifname)
{
	struct json json;
	char path[64];
	int fd, err;

	pin_path(path, sizeof(path), ifname);
	fd = bpf_obj_get(path);
	/* closing the last descriptor would detach it only later */
	err = fd < 0 ? bpf_xdp_detach(device_ifindex(ifname), XDP_FLAGS_DRV_MODE, NULL)
		     : bpf_link_detach(fd);
	if (fd >= 0)
		close(fd);
	if (err || (fd >= 0 && unlink(path)))
		return err ? err : -errno;
	json_begin(&json, stdout, "detach");
	json_string(&json, "ifname", ifname);
	json_end(&json);
	return 0;
}

static int device_send(const char *ifname, const char *count, const char *len, bool flows)
{
	const struct netns here = { .fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC) };
	struct link link = { .ns = &here, .ifindex = device_ifindex(ifname) };
	const struct frame_sizes sizes = {
		.min = atoi(len), .max = atoi(len), .step = 1, .flows = flows
	};
	uint64_t bytes = 0;
	struct json json;
	int err;

	if (here.fd < 0 || link.ifindex < 0)
		return -ENODEV;
	if (sizes.min > FRAME_MAX)
		return -EMSGSIZE;
	err = frame_send(&link, NULL, atoi(count), &sizes, &bytes);
	link_close(&link);
	close(here.fd);
	if (err)
		return err;
	json_begin(&json, stdout, "send");
	json_string(&json, "ifname", ifname);
	json_number(&json, "frames", atoi(count));
	json_end(&json);
	return 0;
}

static int device_xsk(const char *ifname, const char *mode, const char *n, const char *use)
{
	int ifindex = device_ifindex(ifname), map_fd = bpf_obj_get(XSKMAP_PIN), err;
	uint16_t flags = strcmp(mode, "copy") ? XDP_ZEROCOPY : XDP_COPY;

	if (ifindex < 0 || map_fd < 0)
		return ifindex < 0 ? ifindex : map_fd;
	if (!strcmp(mode, "wakeup"))
		flags |= XDP_USE_NEED_WAKEUP;
	err = xsk_run(ifindex, map_fd, flags, atoi(n), use);
	close(map_fd);
	return err;
}

/*
 * Nonblocking, since only then the driver runs a native program on written frames
 * (tun_can_build_skb()).
 */
static int tap_open(const char *ifname)
{
	struct ifreq ifr = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	strncpy(ifr.ifr_name, ifname, sizeof(ifr.ifr_name) - 1);
	return ioctl(fd, TUNSETIFF, &ifr) ? -errno : fd;
}

/*
 * A cable between two taps, until a signal: connects each one's output to the other's input. Of a
 * deaf one nothing is read.
 */
static int device_cable(const char *a, const char *b, bool deaf)
{
	struct pollfd ends[2] = { { .events = POLLIN, .fd = tap_open(a) },
				  { .events = POLLIN, .fd = tap_open(b) } };
	char frame[FRAME_MAX];
	struct json json;
	ssize_t len;

	if (ends[0].fd < 0 || ends[1].fd < 0)
		return ends[0].fd < 0 ? ends[0].fd : ends[1].fd;
	json_begin(&json, stdout, "ready");
	json_end(&json);
	while (!stop_requested()) {
		if (poll(ends, 2 - deaf, -1) < 0)
			continue;
		for (int i = 0; i < 2 - deaf; i++) {
			/* then the other end, so that neither waits for long */
			for (int n = 0; n < 64; n++) {
				len = read(ends[i].fd, frame, sizeof(frame));
				if (len <= 0)
					break;
				if (write(ends[!i].fd, frame, len) < 0 && errno != EIO)
					return -errno;
			}
		}
	}
	return 0;
}

static void device_print_usage(void)
{
	fputs("usage: rig device attach IFNAME native|generic|netlink PROGRAM [TARGET [egress]]\n"
	      "       rig device detach IFNAME\n"
	      "       rig device send IFNAME COUNT LEN [flows]\n"
	      "       rig device xsk IFNAME copy|zerocopy|wakeup BUFFERS [read|busy]\n"
	      "       rig device xsk IFNAME copy|zerocopy|wakeup FRAMES "
	      "send|share|poll|asleep|keep\n"
	      "                                            an AF_XDP socket, until SIGINT or "
	      "SIGTERM\n"
	      "       rig device cable TAP TAP [deaf]      until SIGINT or SIGTERM\n",
	      stderr);
}

int device_run(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";
	int err;

	if (!strcmp(command, "attach") && argc >= 5 && argc <= 7)
		err = device_attach(argv[2], argv[3], argv[4], argc > 5 ? argv[5] : NULL, argc > 6);
	else if (!strcmp(command, "detach") && argc == 3)
		err = device_detach(argv[2]);
	else if (!strcmp(command, "send") && (argc == 5 || argc == 6))
		err = device_send(argv[2], argv[3], argv[4], argc > 5);
	else if (!strcmp(command, "xsk") && (argc == 5 || argc == 6))
		err = device_xsk(argv[2], argv[3], argv[4], argc > 5 ? argv[5] : "");
	else if (!strcmp(command, "cable") && (argc == 4 || argc == 5))
		err = device_cable(argv[2], argv[3], argc > 4);
	else {
		device_print_usage();
		return 2;
	}
	return device_end(command, err);
}
