// SPDX-License-Identifier: GPL-2.0-or-later
/* Containers that no file of this machine names: no row has an empty name. */
#include <stdlib.h>
#include <string.h>
#include "source/data_source.h"
#include "source/live_source.h"
#include "source/pods.h"
#include "unit/test.h"

TEST(test_unnamed)
{
	struct netns_owner owner[] = { { .netns = 7 }, { .netns = 8 }, { .netns = 9 } };
	const struct netns_owners owners = { .owner = owner, .n = 3 };
	struct live live = { 0 };
	struct snapshot s;
	struct error error = { 0 };
	const struct data_source *source = data_sources[DATA_SOURCE_PODS];
	void *pods = calloc(1, source->state_size);

	memset(owner[1].container.id, '7', CONTAINER_ID_LEN);
	strcpy(owner[2].container.pod_uid, "00000000-0000-4000-8000-0000000e57e5");
	snapshot_init(&s);
	assert_int_equal(source->open(pods, &live, &error), 0);
	/* each call returns it as known */
	for (int i = 0; i < 2; i++) {
		pods_set_owners(live.pods, &owners);
		assert_int_equal(source->sample(pods, &s), 0);
		assert_int_equal(s.rows[DATA_SOURCE_PODS].n, 0);
	}
	source->close(pods);
	free(pods);
	snapshot_free(&s);
}
