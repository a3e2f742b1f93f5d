// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/container_names.h"

#include <dirent.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/memory.h"
#include "base/sanitize.h"

#define ENTRIES_MAX 16384      /* entries read from a directory at a time */
#define FILE_MAX    (1u << 20) /* bytes per file */
#define DEPTH_MAX   32         /* nested objects and arrays */

/* Kubernetes: an entry per container, and one per pod. */
enum { CONTAINER_LOGS, POD_LOGS, DIRECTORIES };

static const char *const directories[DIRECTORIES] = {
	[CONTAINER_LOGS] = "/var/log/containers",
	[POD_LOGS] = "/var/log/pods",
};

/*
 * podman's stores; the second does not survive a boot. In each, every storage driver has two lists
 * of containers: permanent, and of `podman run --rm`.
 */
static const char *const storages[] = { "/var/lib/containers/storage", "/run/containers/storage" };
#define STORAGES (sizeof(storages) / sizeof(storages[0]))

static const char *const lists[] = {
	"overlay-containers/containers.json",
	"overlay-containers/volatile-containers.json",
	"vfs-containers/containers.json",
	"vfs-containers/volatile-containers.json",
};
#define LISTS (sizeof(lists) / sizeof(lists[0]))

struct container_names {
	const char *root;
	DIR *directory[DIRECTORIES];
	int docker, storage[STORAGES];
};

static void set_text(char *to, size_t size, const char *from, size_t len)
{
	sanitize(to, size, from, len);
}

/* POD_NAMESPACE_CONTAINER-ID.log; none of these names contains a `_`. */
static void take_container_log(const char *name, struct pod *pod, size_t n)
{
	static const char end[] = ".log";
	size_t len = strlen(name), tail = 1 + CONTAINER_ID_LEN + strlen(end);
	const char *namespace = strchr(name, '_');
	const char *container = namespace ? strchr(namespace + 1, '_') : NULL;
	const char *id = len > tail ? name + len - tail + 1 : name;

	if (!container || id - 1 <= container || id[-1] != '-' ||
	    strcmp(id + CONTAINER_ID_LEN, end) != 0)
		return;
	for (size_t i = 0; i < n; i++) {
		if (memcmp(pod[i].container_id, id, CONTAINER_ID_LEN) != 0)
			continue;
		set_text(pod[i].name, sizeof(pod[i].name), name, (size_t)(namespace - name));
		set_text(pod[i].namespace, sizeof(pod[i].namespace), namespace + 1,
			 (size_t)(container - namespace - 1));
		set_text(pod[i].container, sizeof(pod[i].container), container + 1,
			 (size_t)(id - 1 - container - 1));
	}
}

/* NAMESPACE_POD_UID */
static void take_pod_log(const char *name, struct pod *pod, size_t n)
{
	const char *of = strchr(name, '_'), *uid = of ? strchr(of + 1, '_') : NULL;

	if (!uid)
		return;
	for (size_t i = 0; i < n; i++) {
		if (!*pod[i].uid || strcmp(pod[i].uid, uid + 1) != 0)
			continue;
		set_text(pod[i].namespace, sizeof(pod[i].namespace), name, (size_t)(of - name));
		set_text(pod[i].name, sizeof(pod[i].name), of + 1, (size_t)(uid - of - 1));
	}
}

static void open_directory(struct container_names *c, int which)
{
	char path[PATH_MAX];
	struct stat st;
	DIR **dir = &c->directory[which];

	/* deleted: a new directory of that name may exist */
	if (*dir && (fstat(dirfd(*dir), &st) || !st.st_nlink)) {
		closedir(*dir);
		*dir = NULL;
	}
	if (*dir)
		return;
	snprintf(path, sizeof(path), "%s%s", c->root, directories[which]);
	*dir = opendir(path);
}

static void read_directory(struct container_names *c, int which, struct pod *pod, size_t n)
{
	struct dirent *d = NULL;
	int entries = 0;

	open_directory(c, which);
	if (!c->directory[which])
		return;
	/* the next call continues in a larger directory */
	while (entries++ < ENTRIES_MAX && (d = readdir(c->directory[which]))) {
		if (which == CONTAINER_LOGS)
			take_container_log(d->d_name, pod, n);
		else
			take_pod_log(d->d_name, pod, n);
	}
	if (!d)
		rewinddir(c->directory[which]);
}

static char *read_text(int fd, size_t size)
{
	char *text = memory_new(size + 1, 1);
	ssize_t got = read(fd, text, size);

	if (got < 0) {
		free(text);
		return NULL;
	}
	text[got] = '\0';
	return text;
}

/* NULL = no such file, or its content is not valid. */
static struct json_object *read_json(int dir, const char *path)
{
	struct json_object *json;
	struct json_tokener *tokener;
	char *text = NULL;
	struct stat st;
	/* O_NONBLOCK: a FIFO would block */
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= FILE_MAX)
		text = read_text(fd, (size_t)st.st_size);
	close(fd);
	if (!text)
		return NULL;
	json_memory(strlen(text));
	tokener = json_tokener_new_ex(DEPTH_MAX);
	if (!tokener)
		memory_missing();
	json = json_tokener_parse_ex(tokener, text, -1);
	json_tokener_free(tokener);
	free(text);
	return json;
}

static struct json_object *member(struct json_object *of, const char *name)
{
	struct json_object *value = NULL;

	return json_object_object_get_ex(of, name, &value) ? value : NULL;
}

/* docker stores the name with a leading slash. */
static void set_container(struct pod *pod, struct json_object *name)
{
	const char *text;

	if (!json_object_is_type(name, json_type_string))
		return;
	text = json_object_get_string(name);
	text += *text == '/';
	set_text(pod->container, sizeof(pod->container), text, strlen(text));
}

/* Containers with a uid belong to Kubernetes, and their runtime has other names for them. */
static bool is_alone(const struct pod *pod)
{
	return *pod->container_id && !*pod->uid && !*pod->container;
}

static void ask_docker(int dir, struct pod *pod)
{
	char path[CONTAINER_ID_LEN + sizeof("/config.v2.json")];
	struct json_object *config;

	snprintf(path, sizeof(path), "%s/config.v2.json", pod->container_id);
	config = read_json(dir, path);
	set_container(pod, member(config, "Name"));
	json_object_put(config);
}

/* [{"id": "...", "names": ["..."]}] */
static void ask_storage(int dir, const char *list, struct pod *pod, size_t n)
{
	struct json_object *all = read_json(dir, list);
	size_t entries =
		json_object_is_type(all, json_type_array) ? json_object_array_length(all) : 0;

	for (size_t i = 0; i < entries && i < ENTRIES_MAX; i++) {
		struct json_object *entry = json_object_array_get_idx(all, i);
		struct json_object *names = member(entry, "names");
		const char *id = json_object_get_string(member(entry, "id"));

		if (!id || !json_object_is_type(names, json_type_array))
			continue;
		for (size_t k = 0; k < n; k++)
			if (is_alone(&pod[k]) && !strcmp(pod[k].container_id, id))
				set_container(&pod[k], json_object_array_get_idx(names, 0));
	}
	json_object_put(all);
}

void container_names_find(struct container_names *c, struct pod *pod, size_t n)
{
	bool left = false;

	for (int i = 0; i < DIRECTORIES; i++)
		read_directory(c, i, pod, n);
	for (size_t i = 0; i < n; i++) {
		if (is_alone(&pod[i]) && c->docker >= 0)
			ask_docker(c->docker, &pod[i]);
		left |= is_alone(&pod[i]);
	}
	for (size_t i = 0; left && i < STORAGES; i++)
		for (size_t k = 0; k < LISTS && c->storage[i] >= 0; k++)
			ask_storage(c->storage[i], lists[k], pod, n);
}

static int open_path(const struct container_names *c, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", c->root, name);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

struct container_names *container_names_open(const char *root)
{
	struct container_names *c = memory_new(1, sizeof(*c));

	c->root = root;
	for (int i = 0; i < DIRECTORIES; i++)
		open_directory(c, i);
	c->docker = open_path(c, "/var/lib/docker/containers");
	for (size_t i = 0; i < STORAGES; i++)
		c->storage[i] = open_path(c, storages[i]);
	return c;
}

void container_names_close(struct container_names *c)
{
	if (!c)
		return;
	for (int i = 0; i < DIRECTORIES; i++)
		if (c->directory[i])
			closedir(c->directory[i]);
	if (c->docker >= 0)
		close(c->docker);
	for (size_t i = 0; i < STORAGES; i++)
		if (c->storage[i] >= 0)
			close(c->storage[i]);
	free(c);
}
