// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "bpf/iter_records.h"
#include "bpf/shared.h"
#include "model/kernel_names.h"

/*
 * Linux's errnos (include/uapi/asm-generic/errno*.h). The numbers differ between architectures. A
 * table of our own, because strerrorname_np() is glibc only and has no kernel-internal ones.
 */
/* clang-format off */
#define E(name) { name, #name }

static const struct {
	int number;
	const char *name;
} errnos[] = {
	E(EPERM), E(ENOENT), E(ESRCH), E(EINTR), E(EIO), E(ENXIO), E(E2BIG), E(ENOEXEC), E(EBADF),
	E(ECHILD), E(EAGAIN), E(ENOMEM), E(EACCES), E(EFAULT), E(ENOTBLK), E(EBUSY), E(EEXIST),
	E(EXDEV), E(ENODEV), E(ENOTDIR), E(EISDIR), E(EINVAL), E(ENFILE), E(EMFILE), E(ENOTTY),
	E(ETXTBSY), E(EFBIG), E(ENOSPC), E(ESPIPE), E(EROFS), E(EMLINK), E(EPIPE), E(EDOM),
	E(ERANGE), E(EDEADLK), E(ENAMETOOLONG), E(ENOLCK), E(ENOSYS), E(ENOTEMPTY), E(ELOOP),
	E(ENOMSG), E(EIDRM), E(ECHRNG), E(EL2NSYNC), E(EL3HLT), E(EL3RST), E(ELNRNG), E(EUNATCH),
	E(ENOCSI), E(EL2HLT), E(EBADE), E(EBADR), E(EXFULL), E(ENOANO), E(EBADRQC), E(EBADSLT),
	E(EBFONT), E(ENOSTR), E(ENODATA), E(ETIME), E(ENOSR), E(ENONET), E(ENOPKG), E(EREMOTE),
	E(ENOLINK), E(EADV), E(ESRMNT), E(ECOMM), E(EPROTO), E(EMULTIHOP), E(EDOTDOT), E(EBADMSG),
	E(EOVERFLOW), E(ENOTUNIQ), E(EBADFD), E(EREMCHG), E(ELIBACC), E(ELIBBAD), E(ELIBSCN),
	E(ELIBMAX), E(ELIBEXEC), E(EILSEQ), E(ERESTART), E(ESTRPIPE), E(EUSERS), E(ENOTSOCK),
	E(EDESTADDRREQ), E(EMSGSIZE), E(EPROTOTYPE), E(ENOPROTOOPT), E(EPROTONOSUPPORT),
	E(ESOCKTNOSUPPORT), E(EOPNOTSUPP), E(EPFNOSUPPORT), E(EAFNOSUPPORT), E(EADDRINUSE),
	E(EADDRNOTAVAIL), E(ENETDOWN), E(ENETUNREACH), E(ENETRESET), E(ECONNABORTED),
	E(ECONNRESET), E(ENOBUFS), E(EISCONN), E(ENOTCONN), E(ESHUTDOWN), E(ETOOMANYREFS),
	E(ETIMEDOUT), E(ECONNREFUSED), E(EHOSTDOWN), E(EHOSTUNREACH), E(EALREADY), E(EINPROGRESS),
	E(ESTALE), E(EUCLEAN), E(ENOTNAM), E(ENAVAIL), E(EISNAM), E(EREMOTEIO), E(EDQUOT),
	E(ENOMEDIUM), E(EMEDIUMTYPE), E(ECANCELED), E(ENOKEY), E(EKEYEXPIRED), E(EKEYREVOKED),
	E(EKEYREJECTED), E(EOWNERDEAD), E(ENOTRECOVERABLE), E(ERFKILL), E(EHWPOISON),
	/* other names of numbers above, found by name only */
	E(EWOULDBLOCK), E(EDEADLOCK), E(ENOTSUP),
	E(ENOTSUPP),
};
/* clang-format on */

static const char *const acts[] = { "ABORTED", "DROP", "PASS", "TX", "REDIRECT" };

/* Maps that xdptop looks at, with the names of libbpf_bpf_map_type_str(). */
static const struct {
	uint32_t type;
	const char *name;
} map_types[] = {
	{ SERIES_MAP_DEVMAP, "devmap" },       { SERIES_MAP_CPUMAP, "cpumap" },
	{ SERIES_MAP_XSKMAP, "xskmap" },       { SERIES_MAP_DEVMAP_HASH, "devmap_hash" },
	{ BPF_MAP_TYPE_HASH, "hash" },         { BPF_MAP_TYPE_PERCPU_HASH, "percpu_hash" },
	{ BPF_MAP_TYPE_LRU_HASH, "lru_hash" }, { BPF_MAP_TYPE_LRU_PERCPU_HASH, "lru_percpu_hash" },
	{ BPF_MAP_TYPE_LPM_TRIE, "lpm_trie" }, { BPF_MAP_TYPE_PROG_ARRAY, "prog_array" },
	{ BPF_MAP_TYPE_ARRAY, "array" },       { BPF_MAP_TYPE_PERCPU_ARRAY, "percpu_array" },
	{ MAP_TYPE_RHASH, "rhash" },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *errno_name(int err)
{
	/* unsigned: -INT_MIN does not exist */
	unsigned int number = err < 0 ? -(unsigned int)err : (unsigned int)err;

	for (size_t i = 0; i < COUNT(errnos); i++)
		if ((unsigned int)errnos[i].number == number)
			return errnos[i].name;
	return NULL;
}

const char *errno_text(int err)
{
	int number = err < 0 ? -err : err;

	return number == ENOTSUPP ? "Operation is not supported (ENOTSUPP)" : strerror(number);
}

int errno_find(const char *name)
{
	for (size_t i = 0; i < COUNT(errnos); i++)
		if (!strcasecmp(errnos[i].name, name))
			return errnos[i].number;
	return 0;
}

const char *act_name(int act, char *buf, size_t size)
{
	if (act >= 0 && (size_t)act < COUNT(acts))
		return acts[act];
	snprintf(buf, size, "UNKNOWN(%d)", act);
	return buf;
}

int act_find(const char *name)
{
	int number;
	char end;

	for (size_t i = 0; i < COUNT(acts); i++)
		if (!strcasecmp(acts[i], name))
			return (int)i;
	if (sscanf(name, "UNKNOWN(%11d%c", &number, &end) == 2 && end == ')')
		return number;
	return -1;
}

const char *map_type_name(uint32_t map_type)
{
	for (size_t i = 0; i < COUNT(map_types); i++)
		if (map_types[i].type == map_type)
			return map_types[i].name;
	return NULL;
}

int map_type_find(const char *name)
{
	for (size_t i = 0; i < COUNT(map_types); i++)
		if (!strcmp(map_types[i].name, name))
			return (int)map_types[i].type;
	return -1;
}

uint16_t kernel_version(const char *release)
{
	unsigned int major, minor;

	if (sscanf(release, "%3u.%3u", &major, &minor) != 2 || major > UINT8_MAX ||
	    minor > UINT8_MAX)
		return 0;
	return (uint16_t)KERNEL(major, minor);
}

const char *kernel_lacks(const char *release, const char *thing, uint16_t since, char *buf,
			 size_t size)
{
	uint16_t version = kernel_version(release);

	if (version && version < since)
		snprintf(buf, size, "%s needs Linux %d.%d or later", thing, since >> 8,
			 since & 0xff);
	else
		snprintf(buf, size, "this kernel has no %s", thing);
	return buf;
}
