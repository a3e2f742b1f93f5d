// SPDX-License-Identifier: GPL-2.0-or-later
#include "outcome.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <string.h>

int outcome_set_program(struct scene *scene, struct expect *row)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int err;

	err = bpf_obj_get_info_by_fd(bpf_program__fd(scene->program), &info, &len);
	if (err)
		return err;
	row->field[FIELD_PROG_ID] = info.id;
	memcpy(row->prog_name, info.name, sizeof(row->prog_name));
	return 0;
}

int outcome_set_map(struct scene *scene, struct expect *row)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int err;

	if (scene->map_fd < 0) {
		row->field[FIELD_MAP_TYPE] = SERIES_NULL;
		row->field[FIELD_MAP_ID] = SERIES_NULL;
		return 0;
	}
	err = bpf_obj_get_info_by_fd(scene->map_fd, &info, &len);
	if (err)
		return err;
	row->field[FIELD_MAP_TYPE] = info.type;
	row->field[FIELD_MAP_ID] = info.id;
	return 0;
}

void outcome_add_fed(struct scene *scene)
{
	struct expect *row;

	if (!scene->fed_frames)
		return;
	row = scene_add_row(scene, TP_NET_DEV_QUEUE);
	expect_set_from(row, &scene->feed);
	row->field[FIELD_EVENTS] = scene->fed_frames;
	row->field[FIELD_PACKETS] = scene->fed_frames;
	row->field[FIELD_BYTES] = scene->fed_bytes;
}

static int set_egress_program(struct scene *scene, struct expect *row)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int err = 0;

	row->to_prog_id = SERIES_NULL;
	if (scene->egress) {
		err = bpf_obj_get_info_by_fd(bpf_program__fd(scene->egress), &info, &len);
		row->to_prog_id = info.id;
	}
	return err;
}

static int add_redirect(struct scene *scene, enum series_tracepoint tracepoint)
{
	const struct stimulus *stimulus = scene->stimulus;
	struct expect *row = scene_add_row(scene, tracepoint);
	int err;

	expect_set_from(row, &scene->in);
	if (stimulus->target != TARGET_NONE)
		expect_set_to(row, &scene->out);
	row->field[FIELD_TO_CPU] = SERIES_NULL;
	row->field[FIELD_ACT] = XDP_REDIRECT;
	row->field[FIELD_ERR] = tracepoint == TP_XDP_REDIRECT ? 0 : stimulus->err;
	expect_set_frames(row, scene->frames);
	err = outcome_set_program(scene, row);
	if (!err)
		err = set_egress_program(scene, row);
	return err ? err : outcome_set_map(scene, row);
}

/* Generic mode sends each frame separately: no bulk, no devmap_xmit. */
static struct expect *add_devmap_xmit(struct scene *scene)
{
	struct expect *row;

	if (scene->entry == ENTRY_GENERIC)
		return NULL;
	row = scene_add_row(scene, TP_XDP_DEVMAP_XMIT);
	expect_set_from(row, &scene->in);
	expect_set_to(row, &scene->out);
	row->sent_plus_drops = scene->frames;
	set_egress_program(scene, row);
	/* A NAPI poll finds a varying number of packets; a batch of live frames is fixed. */
	if (scene->entry == ENTRY_LIVE)
		row->field[FIELD_EVENTS] = scene->bulks_devmap;
	return row;
}

int outcome_redirect(struct scene *scene)
{
	struct expect *row;
	int err = add_redirect(scene, TP_XDP_REDIRECT);

	row = add_devmap_xmit(scene);
	if (row)
		row->field[FIELD_ERR] = 0;
	outcome_add_fed(scene);
	return err;
}

int outcome_redirect_lost(struct scene *scene)
{
	struct expect *row;
	int err = add_redirect(scene, TP_XDP_REDIRECT);

	row = add_devmap_xmit(scene);
	if (row) {
		row->field[FIELD_ERR] = scene->stimulus->err;
		row->field[FIELD_PACKETS] = 0;
		row->field[FIELD_DROPS] = scene->frames;
	}
	outcome_add_fed(scene);
	return err;
}

int outcome_redirect_err(struct scene *scene)
{
	int err = add_redirect(scene, TP_XDP_REDIRECT_ERR);

	outcome_add_fed(scene);
	return err;
}

int outcome_exception(struct scene *scene)
{
	struct expect *row = scene_add_row(scene, TP_XDP_EXCEPTION);

	expect_set_from(row, &scene->in);
	row->field[FIELD_TO_NETNS] = SERIES_NULL;
	row->field[FIELD_TO_IFINDEX] = SERIES_NULL;
	row->field[FIELD_TO_CPU] = SERIES_NULL;
	row->field[FIELD_MAP_TYPE] = SERIES_NULL;
	row->field[FIELD_MAP_ID] = SERIES_NULL;
	row->field[FIELD_ACT] = !strcmp(scene->stimulus->program, "rig_bad_act") ? 77 : XDP_ABORTED;
	expect_set_frames(row, scene->frames);
	outcome_add_fed(scene);
	return outcome_set_program(scene, row);
}

int outcome_bulk_tx(struct scene *scene)
{
	struct expect *row = scene_add_row(scene, TP_XDP_BULK_TX);

	expect_set_from(row, &scene->in);
	row->field[FIELD_ERR] = scene->stimulus->err;
	row->field[FIELD_PACKETS] = scene->stimulus->err ? 0 : scene->frames;
	row->field[FIELD_DROPS] = scene->stimulus->err ? scene->frames : 0;
	row->sent_plus_drops = scene->frames;
	outcome_add_fed(scene);
	return 0;
}

/*
 * veth_xdp_flush() wakes a receiver only if it has an XDP program. So frames of XDP_TX stay in the
 * ring of a receiver with GRO only: 256 in total, and the rest is lost. A kernel that fixes this
 * sends them all; the sum is the same.
 */
int outcome_bulk_tx_full(struct scene *scene)
{
	int err = outcome_bulk_tx(scene);

	scene->rows[0].field[FIELD_PACKETS] = EXPECT_ABSENT;
	scene->rows[0].field[FIELD_DROPS] = EXPECT_ABSENT;
	return err;
}

/* Sent by the ingress device itself, so that --ifname names the device of the series. */
int outcome_queue(struct scene *scene)
{
	struct expect *row = scene_add_row(scene, TP_NET_DEV_QUEUE);

	expect_set_from(row, &scene->in);
	row->field[FIELD_EVENTS] = scene->fed_frames;
	row->field[FIELD_PACKETS] = scene->fed_frames;
	row->field[FIELD_BYTES] = scene->fed_bytes;
	return 0;
}
