// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * From the kernel's include/uapi/linux/landlock.h, because Debian 12's ends at ABI 2. The numbers
 * of the calls are the same on all architectures.
 */
enum { CREATE_RULESET = 444, ADD_RULE, RESTRICT_SELF };

#define CREATE_RULESET_VERSION 1
#define RULE_PATH_BENEATH      1

#define FS_EXECUTE                 (1ULL << 0)
#define FS_WRITE_FILE              (1ULL << 1)
#define FS_REMOVE_DIR              (1ULL << 4)
#define FS_REMOVE_FILE             (1ULL << 5)
#define FS_MAKE_REG                (1ULL << 8)
#define FS_MAKE                    (0x7fULL << 6) /* any kind */
#define FS_REFER                   (1ULL << 13)
#define FS_TRUNCATE                (1ULL << 14)
#define FS_IOCTL_DEV               (1ULL << 15)
#define NET_BIND_TCP               (1ULL << 0)
#define NET_CONNECT_TCP            (1ULL << 1)
#define SCOPE_ABSTRACT_UNIX_SOCKET (1ULL << 0)
#define SCOPE_SIGNAL               (1ULL << 1)

struct ruleset {
	uint64_t fs, net, scoped;
};

struct path_beneath {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

/* What a ruleset of this ABI can refuse. Reading stays allowed. */
static struct ruleset refused(long abi)
{
	struct ruleset r = { .fs = FS_EXECUTE | FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE |
				   FS_MAKE };

	r.fs |= abi >= 2 ? FS_REFER : 0;
	r.fs |= abi >= 3 ? FS_TRUNCATE : 0;
	r.net |= abi >= 4 ? NET_BIND_TCP | NET_CONNECT_TCP : 0;
	r.fs |= abi >= 5 ? FS_IOCTL_DEV : 0;
	r.scoped |= abi >= 6 ? SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL : 0;
	return r;
}

static int allow(int ruleset, int path, uint64_t rights)
{
	struct path_beneath rule = { .allowed = rights, .parent = path };

	if (path < 0 || !rights)
		return 0;
	return syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0) ? -errno : 0;
}

static int add_rules(int ruleset, const struct ruleset *r, int create, int replace)
{
	/* the terminal, for keys and modes, when stdin is a recording */
	int tty = open("/dev/tty", O_PATH | O_CLOEXEC);
	int err = allow(ruleset, tty, r->fs & FS_IOCTL_DEV);

	if (tty >= 0)
		close(tty);
	if (!err)
		err = allow(ruleset, create, FS_MAKE_REG | FS_WRITE_FILE);
	if (!err)
		err = allow(ruleset, replace, FS_MAKE_REG | FS_WRITE_FILE | FS_REMOVE_FILE);
	return err;
}

int landlock_confine(int create, int replace, bool starts)
{
	long abi = syscall(CREATE_RULESET, NULL, 0, CREATE_RULESET_VERSION);
	struct ruleset r = refused(abi);
	int ruleset, err;

	/* ENOSYS, EOPNOTSUPP; EPERM from a container's filter */
	if (abi < 1)
		return 0;
	r.fs &= starts ? ~FS_EXECUTE : ~0ULL;
	/* an older kernel accepts the longer struct if the members that it does not know are 0 */
	ruleset = (int)syscall(CREATE_RULESET, &r, sizeof(r), 0);
	if (ruleset < 0)
		return -errno;
	err = add_rules(ruleset, &r, create, replace);
	if (!err && syscall(RESTRICT_SELF, ruleset, 0))
		err = -errno;
	close(ruleset);
	return err;
}
