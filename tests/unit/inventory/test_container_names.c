// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of containers from files in a test directory, including hostile ones. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "inventory/container_names.h"
#include "unit/made_root.h"
#include "unit/test.h"

#define ID  "4f3c2a1b9d8e000102030405060708090a0b0c0d0e0f10111213141516171819"
#define UID "6b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0"

/* A path below the root; its directories are created. */
static const char *path_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *s = path + strlen(root) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(path, 0755);
		*s = '/';
	}
	return path;
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(path_of(name), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static struct pod find(const char *id, const char *uid)
{
	struct container_names *names = container_names_open(root);
	struct pod pod = { .netns = 7 };

	assert_non_null(names);
	strcpy(pod.container_id, id);
	strcpy(pod.uid, uid);
	container_names_find(names, &pod, 1);
	container_names_close(names);
	return pod;
}

#define NAMED(pod_, ns, name_, container_)                     \
	do {                                                   \
		const struct pod is = pod_;                    \
		assert_string_equal(is.namespace, ns);         \
		assert_string_equal(is.name, name_);           \
		assert_string_equal(is.container, container_); \
	} while (0)

TEST_WITH(test_kubernetes, make_root, remove_root)
{
	NAMED(find(ID, UID), "", "", "");
	/* a pod that has only its pause container, which has no log */
	mkdir(path_of("var/log/pods/kube-system_dns-7f9_" UID "/"), 0755);
	NAMED(find(ID, UID), "kube-system", "dns-7f9", "");
	NAMED(find("", UID), "kube-system", "dns-7f9", "");
	NAMED(find(ID, ""), "", "", "");
	symlink("/nowhere", path_of("var/log/containers/dns-7f9_kube-system_core-dns-" ID ".log"));
	NAMED(find(ID, UID), "kube-system", "dns-7f9", "core-dns");
	NAMED(find(ID, ""), "kube-system", "dns-7f9", "core-dns");
	NAMED(find("", ""), "", "", "");
}

TEST_WITH(test_later, make_root, remove_root)
{
	struct container_names *names = container_names_open(root);
	struct pod pod[2] = { { .uid = UID }, { .container_id = ID } };

	container_names_find(names, pod, 2);
	assert_string_equal(pod[0].name, "");
	mkdir(path_of("var/log/pods/a_b_" UID "/"), 0755);
	container_names_find(names, pod, 2);
	assert_string_equal(pod[0].name, "b");
	/* the directory is created again */
	assert_int_equal(rmdir(path_of("var/log/pods/a_b_" UID)), 0);
	assert_int_equal(rmdir(path_of("var/log/pods")), 0);
	mkdir(path_of("var/log/pods/a_c_" UID "/"), 0755);
	container_names_find(names, pod, 2);
	assert_string_equal(pod[0].name, "c");
	assert_string_equal(pod[1].name, "");
	/* another one there */
	strcpy(pod[1].uid, "0123456789abcdef0123456789abcdef");
	mkdir(path_of("var/log/pods/a_d_0123456789abcdef0123456789abcdef/"), 0755);
	container_names_find(names, pod, 2);
	assert_string_equal(pod[1].name, "d");
	container_names_close(names);
}

/* A directory with more entries than one read takes: the next call finds the rest. */
TEST_WITH(test_many_entries, make_root, remove_root)
{
	char name[96], uid[40] = "", *last;
	struct container_names *names;
	struct pod pod = { 0 };
	struct dirent *d;
	DIR *dir;

	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "var/log/pods/a_b_%032d", i);
		assert_int_equal(mknod(path_of(name), S_IFREG | 0644, 0), 0);
	}
	/* the last one in the order of the directory */
	dir = opendir(path_of("var/log/pods"));
	assert_non_null(dir);
	while ((d = readdir(dir)))
		if ((last = strrchr(d->d_name, '_')))
			snprintf(uid, sizeof(uid), "%s", last + 1);
	closedir(dir);
	strcpy(pod.uid, uid);
	names = container_names_open(root);
	container_names_find(names, &pod, 1);
	assert_string_equal(pod.name, "");
	container_names_find(names, &pod, 1);
	assert_string_equal(pod.name, "b");
	/* and again from the start */
	pod.name[0] = '\0';
	container_names_find(names, &pod, 1);
	container_names_find(names, &pod, 1);
	assert_string_equal(pod.name, "b");
	container_names_close(names);
}

TEST_WITH(test_hostile_entries, make_root, remove_root)
{
	static const char *const entries[] = { "_",
					       "__",
					       "___",
					       "a_b",
					       "a_b_",
					       "_b_c-.log",
					       "-" ID ".log",
					       "a_b-" ID ".log",
					       "a_-" ID ".log",
					       "a_b_c-" ID,
					       "a_b_c" ID ".log",
					       ID ".log",
					       ".log",
					       "a_b_x" ID "-.log" };
	char name[300];

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		snprintf(name, sizeof(name), "var/log/containers/%s", entries[i]);
		put(name, "");
		snprintf(name, sizeof(name), "var/log/pods/%s", entries[i]);
		put(name, "");
	}
	NAMED(find(ID, UID), "", "", "");
	mkfifo(path_of("var/log/pods/n\x1b[2J_p\xe2\x80\xae\n_" UID), 0666);
	NAMED(find(ID, UID), "n\\x1b[2J", "p\\xe2\\x80\\xae\\x0a", "");
	snprintf(name, sizeof(name), "var/log/containers/%0100d_%050d_c-" ID ".log", 1, 2);
	put(name, "");
	assert_int_equal(strlen(find(ID, "").name), 100);
	/* truncated: longer than any real name */
	memset(name, 'x', sizeof(name));
	memcpy(name, "var/log/pods/", 13);
	strcpy(name + 13 + 200, "_p_" UID);
	assert_int_equal(unlink(path_of("var/log/pods/n\x1b[2J_p\xe2\x80\xae\n_" UID)), 0);
	put(name, "");
	assert_int_equal(strlen(find("", UID).namespace), sizeof(((struct pod *)0)->namespace) - 1);
}

#define DOCKER "var/lib/docker/containers/" ID "/config.v2.json"
#define PODMAN "var/lib/containers/storage/vfs-containers/containers.json"
#define RM     "var/lib/containers/storage/overlay-containers/volatile-containers.json"

TEST_WITH(test_docker, make_root, remove_root)
{
	put(DOCKER, "{\"ID\":\"" ID "\",\"Config\":{\"Hostname\":\"h\"},\"Name\":\"/web-1\"}");
	NAMED(find(ID, ""), "", "", "web-1");
	/* Kubernetes names the containers of a pod */
	NAMED(find(ID, UID), "", "", "");
	put(DOCKER, "{\"Name\":\"/e\\u001b[31m\\u0000x\"}");
	NAMED(find(ID, ""), "", "", "e\\x1b[31m");
}

TEST_WITH(test_podman, make_root, remove_root)
{
	put(PODMAN, "[{},7,{\"id\":7},{\"id\":\"" ID "\"},{\"id\":\"x\",\"names\":[\"y\"]},"
		    "{\"id\":\"" ID "\",\"names\":[\"web\",\"other\"]}]");
	NAMED(find(ID, ""), "", "", "web");
	assert_int_equal(unlink(path_of(PODMAN)), 0);
	put(RM, "[{\"id\":\"" ID "\",\"names\":[\"gone-soon\"]}]");
	NAMED(find(ID, ""), "", "", "gone-soon");
	assert_int_equal(unlink(path_of(RM)), 0);
	put("run/containers/storage/vfs-containers/volatile-containers.json",
	    "[{\"id\":\"" ID "\",\"names\":[\"transient\"]}]");
	NAMED(find(ID, ""), "", "", "transient");
}

TEST_WITH(test_hostile_files, make_root, remove_root)
{
	static const char *const texts[] = { "",
					     "{",
					     "[[[[",
					     "null",
					     "7",
					     "\"x\"",
					     "[]",
					     "{\"Name\":{}}",
					     "{\"Name\":[\"a\"]}",
					     "[{\"id\":\"" ID "\",\"names\":\"x\"}]",
					     "[{\"id\":\"" ID "\",\"names\":[]}]",
					     "[{\"id\":\"" ID "\",\"names\":[{}]}]" };
	FILE *f;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put(DOCKER, texts[i]);
		put(PODMAN, texts[i]);
		NAMED(find(ID, ""), "", "", "");
	}
	/* nested too deeply, then too large */
	f = fopen(path_of(PODMAN), "w");
	for (int i = 0; i < 100000; i++)
		fputc('[', f);
	fclose(f);
	put(DOCKER, "{\"Name\":\"/web\"}");
	assert_int_equal(truncate(path_of(DOCKER), 2 << 20), 0);
	NAMED(find(ID, ""), "", "", "");
	/* a FIFO without a writer, not a file */
	assert_int_equal(unlink(path_of(DOCKER)), 0);
	assert_int_equal(mkfifo(path_of(DOCKER), 0666), 0);
	NAMED(find(ID, ""), "", "", "");
	assert_int_equal(unlink(path_of(DOCKER)), 0);
	put("elsewhere", "{\"Name\":\"/web\"}");
	assert_int_equal(symlink("../../../../../elsewhere", path_of(DOCKER)), 0);
	NAMED(find(ID, ""), "", "", "");
}
