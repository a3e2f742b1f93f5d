// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A finding's life: whatever happens to devices, maps, programs and losses, what was said once
 * stays the same.
 */
#include <errno.h>
#include <string.h>
#include "base/hash.h"
#include "unit/made_finding.h"
#include "unit/made_sockets.h"
#include "unit/test.h"

#define RUNS  150
#define STEPS 60

/* What was last known of a finding. */
struct told {
	struct finding finding;
	bool is_known;
};

struct life {
	struct told told[FINDINGS_MAX];
	size_t n;
	uint64_t random;
	uint32_t mtu; /* of the target, different in each state */
};

static uint32_t any(struct life *l, uint32_t n)
{
	l->random = hash_add(l->random, n);
	return (uint32_t)(l->random >> 32) % n;
}

static struct told *told_of(struct life *l, uint64_t id)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->told[i].finding.id == id)
			return &l->told[i];
	assert_true(l->n < FINDINGS_MAX);
	l->told[l->n] = (struct told){ 0 };
	return &l->told[l->n++];
}

static bool stays(uint32_t was, uint32_t is)
{
	return !was || was == is;
}

static void check_place(const struct location *was, const struct location *is)
{
	assert_true(stays(was->dev.ifindex, is->dev.ifindex));
	assert_true(stays(was->to.ifindex, is->to.ifindex));
	assert_true(stays(was->prog_id, is->prog_id));
	assert_true(stays(was->map_id, is->map_id));
	assert_true(stays(was->socket_inode, is->socket_inode));
	assert_int_equal(was->to_cpu, is->to_cpu);
}

static void check(struct fixture *f, struct life *l)
{
	for (size_t i = 0; i < f->findings.n; i++) {
		const struct finding *now = &f->findings.finding[i];
		struct told *t = told_of(l, now->id);
		const struct finding *was = &t->finding;

		for (size_t k = 0; k < i; k++)
			assert_true(f->findings.finding[k].id != now->id);
		if (t->is_known && was->active && now->active) {
			assert_ptr_equal(was->code, now->code);
			assert_int_equal(was->first.tv_sec, now->first.tv_sec);
			check_place(&was->location, &now->location);
			if (!now->seen) {
				assert_string_equal(was->text, now->text);
				assert_string_equal(was->commands, now->commands);
				assert_int_equal(was->severity, now->severity);
			}
		}
		t->is_known = true;
		t->finding = *now;
	}
}

/* Changes something that words depend on. */
static void change(struct fixture *f, struct life *l)
{
	struct netdev *to = (struct netdev *)snapshot_find_netdev(&f->to, BLUE, 4);
	struct netdev *peer = (struct netdev *)snapshot_find_netdev(&f->to, BLUE, 9);
	struct netdev *in = (struct netdev *)snapshot_find_netdev(&f->to, MADE_NETNS, 3);

	switch (any(l, 8)) {
	case 0:
		to->mtu = ++l->mtu;
		break;
	case 1:
		peer->mtu = any(l, 2) ? to->mtu : 100;
		break;
	case 2:
		to->up = !to->up;
		break;
	case 3:
		peer->up = !peer->up;
		break;
	case 4:
		peer->prog_id = peer->prog_id ? 0 : 50 + any(l, 9);
		peer->mode = peer->prog_id ? NETDEV_NATIVE : NETDEV_NONE;
		break;
	case 5:
		in->prog_id = any(l, 3) ? 42 + any(l, 3) : 0;
		in->mode = in->prog_id ? NETDEV_NATIVE : NETDEV_NONE;
		break;
	case 6:
		to->features ^= NETDEV_XDP_NDO_XMIT;
		break;
	default:
		snprintf(to->name, sizeof(to->name), "lan%u", any(l, 100));
	}
}

static void lose(struct fixture *f, struct life *l)
{
	for (size_t i = 0; i < f->to.n_series; i++) {
		struct series *s = &f->to.series[i];
		uint64_t n = 1 + any(l, 200);

		if (any(l, 3))
			continue;
		s->total.events += n;
		if (s->tracepoint != TP_XDP_REDIRECT_ERR)
			s->total.drops += n;
		f->to.tp[s->tracepoint].events += n;
	}
}

TEST(test_any_life)
{
	struct life *l = calloc(1, sizeof(*l));

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct fixture *f = fixture_new();

		*l = (struct life){ .random = seed, .mtu = 1000 };
		device(f, MADE_NETNS, 3, "eth3");
		device(f, BLUE, 4, "lan4")->mtu = 1000;
		device(f, BLUE, 9, "peer9")->mtu = 1000;
		made_sort_netdevs(&f->to);
		for (uint32_t i = 4; i <= 9; i += 5) {
			struct netdev *d = (struct netdev *)snapshot_find_netdev(&f->to, BLUE, i);

			strcpy(d->kind, "veth");
			d->peer_netns = BLUE;
			d->peer_ifindex = 13 - i;
			d->has_features = true;
			d->features = NETDEV_XDP_BASIC;
		}
		came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -EMSGSIZE),
		     COUNTS(0));
		came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -EOPNOTSUPP),
		     COUNTS(0));
		came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -ENETDOWN),
		     COUNTS(0));
		came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_XSKMAP, 5, 2, -ENOBUFS),
		     COUNTS(0));
		came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(0));
		came(f, TP_XDP_CPUMAP_ENQUEUE, redirect(SERIES_MAP_CPUMAP, 8, 2, 0), COUNTS(0));
		for (int i = 0; i < STEPS; i++) {
			step(f);
			if (!any(l, 3))
				change(f, l);
			if (any(l, 3))
				lose(f, l);
			update(f);
			check(f, l);
		}
		fixture_free(f);
	}
	free(l);
}

/* Losses for `n` intervals; in the last one somebody mends the cause, after some losses. */
static const struct finding *lose_and_mend(struct fixture *f, int n,
					   void (*mend)(struct fixture *f))
{
	for (int i = 0; i <= n; i++) {
		step(f);
		if (i < n) {
			f->to.series[0].total.events += 7;
			f->to.series[0].total.drops += f->to.series[0].total.drops ? 7 : 0;
			f->to.tp[f->to.series[0].tracepoint].events += 7;
		}
		if (i == n - 1)
			mend(f);
		update(f);
	}
	assert_int_equal(f->findings.n_active, 1);
	assert_false(f->findings.finding[0].seen);
	return &f->findings.finding[0];
}

static struct netdev *at(struct fixture *f, uint32_t ifindex)
{
	return (struct netdev *)snapshot_find_netdev(&f->to, BLUE, ifindex);
}

static void veth(struct fixture *f, uint32_t ifindex, uint32_t peer)
{
	char name[16];
	struct netdev *d;

	snprintf(name, sizeof(name), "veth%u", ifindex);
	d = device(f, BLUE, ifindex, name);
	strcpy(d->kind, "veth");
	d->peer_netns = BLUE;
	d->peer_ifindex = peer;
	d->mtu = 600;
	d->has_features = true;
	d->features = NETDEV_XDP_BASIC;
}

static void veths(struct fixture *f)
{
	veth(f, 4, 9);
	veth(f, 9, 4);
	made_sort_netdevs(&f->to);
}

static void raise_mtu(struct fixture *f)
{
	at(f, 4)->mtu = 1500;
}

FINDING_TEST(test_mended_mtu)
{
	const struct finding *finding;
	char stopped[64];

	veths(f);
	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -EMSGSIZE), COUNTS(0));
	finding = lose_and_mend(f, 3, raise_mtu);
	tells(finding, "MTU of 600 allows");
	assert_string_equal(finding_stopped_text(finding, f->to.mono_ns, stopped, sizeof(stopped)),
			    "stopped 1s ago, clears in 9s");
}

static void raise_peer(struct fixture *f)
{
	at(f, 9)->up = true;
}

FINDING_TEST(test_mended_peer)
{
	const struct finding *finding;

	veths(f);
	at(f, 9)->up = false;
	came(f, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(0));
	f->to.series[0].key.code = -ENXIO;
	f->to.series[0].key.to_netns = BLUE;
	finding = lose_and_mend(f, 3, raise_peer);
	assert_string_equal(finding->code->name, "target-not-ready");
	tells(finding, "peer veth9 (+532222) is down");
	assert_null(strstr(finding->text, "GRO"));
	assert_null(strstr(finding->commands, "gro"));
	assert_non_null(strstr(finding->commands, "veth9 up"));
	/* it was not the only cause */
	step(f);
	f->to.series[0].total.events += 7;
	f->to.tp[TP_XDP_DEVMAP_XMIT].events += 7;
	update(f);
	assert_int_equal(f->findings.n, 2);
	assert_true(f->findings.finding[0].seen);
	assert_false(f->findings.finding[1].seen);
	tells(&f->findings.finding[1], "peer veth9 (+532222) is down");
	assert_true(f->findings.finding[0].id != f->findings.finding[1].id);
}

static void attach(struct fixture *f)
{
	at(f, 9)->prog_id = 12;
	at(f, 9)->mode = NETDEV_NATIVE;
	at(f, 4)->features |= NETDEV_XDP_NDO_XMIT;
}

/* After the mend another rule, or another finding, would fit the interval. */
FINDING_TEST(test_mended_features)
{
	const struct finding *finding;

	veths(f);
	came(f, TP_XDP_REDIRECT_ERR, redirect(SERIES_MAP_DEVMAP, 7, 4, -EOPNOTSUPP), COUNTS(0));
	finding = lose_and_mend(f, 3, attach);
	assert_string_equal(finding->code->name, "target-cannot-receive");
	tells(finding, "veth9 (+532222) has neither");
	assert_int_equal(finding->total, 21);
}
