// SPDX-License-Identifier: GPL-2.0-or-later
#include "backlog.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "cpumap.h"
#include "rig.skel.h"

int backlog_prepare(struct scene *scene)
{
	bpf_program__set_autoload(scene->bpf->progs.rig_slow, true);
	return cpumap_prepare(scene);
}

/* Mounts the sysfs of this network namespace without a mount point. A descriptor, or -errno. */
static int open_sysfs(void)
{
	int fs = fsopen("sysfs", FSOPEN_CLOEXEC), fd = -1;

	if (fs >= 0 && !fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		fd = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	fd = fd < 0 ? -errno : fd;
	if (fs >= 0)
		close(fs);
	return fd;
}

/* "4,00000000" is CPU 34: Documentation/core-api/printk-formats.rst, bitmap. */
static int set_rps(const struct link *link, unsigned int cpu)
{
	char path[96], mask[512];
	int sysfs, fd, len, err = netns_enter(link->ns);

	if (err)
		return err;
	sysfs = open_sysfs();
	if (sysfs < 0)
		return sysfs;
	len = snprintf(mask, sizeof(mask), "%x", 1u << cpu % 32);
	for (unsigned int word = 0; word < cpu / 32; word++)
		len += snprintf(mask + len, sizeof(mask) - len, ",00000000");
	snprintf(path, sizeof(path), "class/net/%s/queues/rx-0/rps_cpus", link->name);
	fd = openat(sysfs, path, O_WRONLY | O_CLOEXEC);
	err = fd < 0 || write(fd, mask, len) != len ? -errno : 0;
	if (fd >= 0)
		close(fd);
	close(sysfs);
	return err;
}

int backlog_arm(struct scene *scene)
{
	int err = scene_attach(scene, &scene->in, "rig_slow", true);

	return err ? err : set_rps(&scene->in, scene->bpf->rodata->target_cpu);
}

int backlog_expect(struct scene *scene)
{
	return 0;
}
