// SPDX-License-Identifier: GPL-2.0-or-later
/* Ids in the cgroup paths of the container runtimes. */
#include <string.h>
#include "model/netns_owner.h"
#include "unit/test.h"

#define ID     "4f3c2a1b9d8e000102030405060708090a0b0c0d0e0f10111213141516171819"
#define NODE   "aaaaaaaabbbbbbbbccccccccddddddddaaaaaaaabbbbbbbbccccccccdddddddd"
#define UID    "6b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0"
#define UID_   "6b1c2d3e_4f50_6172_8394_a5b6c7d8e9f0"
#define STATIC "0123456789abcdef0123456789abcdef"

TEST(test_paths)
{
	static const struct {
		const char *path, *id, *uid;
	} cases[] = {
		{ "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_
		  ".slice/cri-containerd-" ID ".scope\n",
		  ID, UID },
		{ "/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope", ID, UID },
		{ "/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope/container", ID,
		  UID },
		{ "/kubepods/burstable/pod" UID "/" ID, ID, UID },
		{ "/kubepods/besteffort/pod" UID, "", UID },
		{ "/kubepods/pod" STATIC "/" ID, ID, STATIC },
		{ "/kubepods-besteffort-pod" STATIC ".slice/cri-containerd-" ID ".scope", ID,
		  STATIC },
		/* as seen from another cgroup namespace */
		{ "0::/../kubepods-pod" UID_ ".slice/cri-containerd-" ID ".scope", ID, UID },
		{ "/system.slice/docker-" ID ".scope", ID, "" },
		{ "12:pids:/docker/" ID "\n1:name=systemd:/docker/" ID "\n0::/\n", ID, "" },
		{ "/machine.slice/libpod-" ID ".scope", ID, "" },
		{ "/machine.slice/libpod-" ID ".scope/container", ID, "" },
		{ "/machine.slice/machine-libpod_pod_" NODE ".slice/libpod-" ID ".scope", ID, "" },
		/* a node that is a container (kind): the innermost id counts */
		{ "/docker/" NODE "/kubelet/kubepods/pod" UID "/" ID, ID, UID },
		{ "/user.slice/user-0.slice/session-1.scope", "", "" },
		/* too long, too short, not hexadecimal, without uid */
		{ "/docker-" ID "0.scope", "", "" },
		{ "/docker-4f3c2a1b9d8e.scope", "", "" },
		{ "/docker/" UID "/podman/pods/tripod" UID "/pod" UID "0", "", "" },
		{ "/kubepods/pod" UID "x/pod-1234", "", "" },
		{ "", "", "" },
	};
	struct container_ref ref;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		container_ref_parse(&ref, cases[i].path, strlen(cases[i].path));
		assert_string_equal(ref.id, cases[i].id);
		assert_string_equal(ref.pod_uid, cases[i].uid);
	}
}

TEST(test_limits)
{
	static const char text[] = "/docker/" ID "\0/docker/" NODE;
	static char big[1 << 16];
	struct container_ref ref;

	/* raw bytes, terminated early by a NUL */
	container_ref_parse(&ref, text, sizeof(text));
	assert_string_equal(ref.id, ID);
	container_ref_parse(&ref, text, 20);
	assert_string_equal(ref.id, "");
	memset(big, 'a', sizeof(big));
	container_ref_parse(&ref, big, sizeof(big));
	assert_string_equal(ref.id, "");
	memset(big, '/', sizeof(big));
	memcpy(big, text, strlen(text));
	container_ref_parse(&ref, big, sizeof(big));
	assert_string_equal(ref.id, ID);
}
