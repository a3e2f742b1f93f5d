// SPDX-License-Identifier: GPL-2.0-or-later
/* Every error found in the kernel's sources has a meaning, and the right one. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "diagnose/cause.h"
#include "diagnose/driver.h"
#include "diagnose/finding_code.h"
#include "model/tracepoint.h"
#include "unit/test.h"

#define LATEST UINT16_MAX

TEST(test_rows)
{
	for (size_t i = 0; i < n_causes; i++) {
		const struct cause *m = &causes[i];

		assert_true(m->tracepoints != 0 && m->tracepoints < BIT(TP_COUNT));
		assert_true(m->redirect != 0);
		assert_true(m->code > -4096 && m->code <= CAUSE_BAD_ACT);
		/* a line that fits a cell of a wide screen */
		assert_true(strlen(m->meaning) > 10 && strlen(m->meaning) <= 100);
		assert_null(strchr(m->meaning, '\n'));
		assert_true(strlen(m->remedy.text) > 5);
		assert_true(strlen(m->source) > 5);
		/* a row that an earlier one hides is never used */
		for (size_t j = 0; j < i; j++)
			assert_false(causes[j].code == m->code && !cause_up_to(&causes[j]) &&
				     !(m->tracepoints & ~causes[j].tracepoints) &&
				     !(m->redirect & ~causes[j].redirect));
		for (uint32_t tp = 0; tp < TP_COUNT; tp++)
			if (m->tracepoints & BIT(tp) && tracepoints[tp].has & HAS_ERR)
				assert_true(m->code <= 0);
	}
}

/* Pasted from the top, commands that show something come before those that change something. */
static void look_first(const char *commands)
{
	static const char *const changing[] = { " link set ",  "ethtool -K ",   "ethtool -G ",
						"ethtool -L ", " link detach ", "| clang" };
	char line[512];
	bool changed = false;

	while ((commands = next_line(commands, line, sizeof(line)))) {
		bool changes = false;

		for (size_t i = 0; i < sizeof(changing) / sizeof(changing[0]); i++)
			changes = changes || strstr(line, changing[i]);
		if (changed && !changes)
			fail_msg("'%s' inspects after a change", line);
		changed = changes;
	}
}

TEST(test_commands_look_first)
{
	const struct finding_code *code;

	for (size_t i = 0; i < n_causes; i++)
		look_first(causes[i].remedy.commands);
	for (size_t i = 0; i < n_drivers; i++)
		for (const struct cause *c = drivers[i].causes; c && c->tracepoints; c++)
			look_first(c->remedy.commands);
	for (size_t i = 0; i <= TARGET_NEVER; i++)
		look_first(target_causes[i].remedy.commands);
	for (size_t i = 0; (code = finding_code_at(i)); i++) {
		look_first(code->remedy.commands);
		for (const struct rule *rule = code->rules; rule->subject; rule++)
			look_first(rule->remedy.commands);
	}
}

static struct series_key key(uint32_t map_type, uint32_t map_id, int code)
{
	return (struct series_key){ .map_type = map_type, .map_id = map_id, .code = code };
}

static void expect(uint32_t tp, struct series_key k, const char *part)
{
	const struct cause *m = cause_find(LATEST, tp, &k);

	if (!part) {
		assert_null(m);
		return;
	}
	assert_non_null(m);
	if (!strstr(m->meaning, part))
		fail_msg("'%s' does not say '%s'", m->meaning, part);
}

TEST(test_redirect_err)
{
	const uint32_t tp = TP_XDP_REDIRECT_ERR, ifindex = SERIES_MAP_ID_IFINDEX;

	expect(tp, key(0, ifindex, -ENETDOWN), "down");
	expect(tp, key(SERIES_MAP_DEVMAP_HASH, 5, -ENETDOWN), "down");
	expect(tp, key(SERIES_MAP_DEVMAP, 5, -EMSGSIZE), "MTU");
	expect(tp, key(SERIES_MAP_DEVMAP, 5, -EOPNOTSUPP), "cannot transmit");
	/* one errno, four causes */
	expect(tp, key(0, ifindex, -EINVAL), "no such ifindex");
	expect(tp, key(SERIES_MAP_XSKMAP, 5, -EINVAL), "other than the packet's");
	expect(tp, key(SERIES_MAP_DEVMAP, 5, -EINVAL), "no entry");
	expect(tp, key(0, 0, -EINVAL), "without calling");
	expect(tp, key(0, 0, -EBADRQC),
	       "without calling a redirect helper, or the helper refused its flags");
	expect(tp, key(SERIES_MAP_CPUMAP, 5, -EBADRQC), "generic");
	expect(tp, key(SERIES_MAP_XSKMAP, 5, -ENXIO), "not bound");
	expect(tp, key(SERIES_MAP_XSKMAP, 5, -ENOBUFS), "receive ring is full");
	expect(tp, key(SERIES_MAP_XSKMAP, 5, -ENOMEM), "fill ring is empty (copy mode)");
	expect(tp, key(SERIES_MAP_XSKMAP, 5, -ENOSPC), "UMEM frame");
	expect(tp, key(SERIES_MAP_CPUMAP, 5, -ENOSPC), "queue of the target CPU");
	expect(tp, key(SERIES_MAP_DEVMAP, 5, -EOVERFLOW), "headroom");
	expect(tp, key(SERIES_MAP_DEVMAP, 5, -ENOENT), "being destroyed");
	expect(tp, key(SERIES_MAP_DEVMAP, 5, -ENOMEM), "broadcast");
	expect(tp, key(SERIES_MAP_CPUMAP, 5, -EOVERFLOW), "headroom");
	expect(tp, key(99, 5, -EFAULT), "another program");
	expect(tp, key(0, ifindex, -4000), NULL);
	expect(tp, key(0, ifindex, 0), NULL);
}

TEST(test_others)
{
	expect(TP_XDP_DEVMAP_XMIT, key(0, 0, 0), "fewer frames");
	expect(TP_XDP_DEVMAP_XMIT, key(0, 0, -ENXIO), "no TX queue for this CPU, or is not ready");
	expect(TP_XDP_DEVMAP_XMIT, key(0, 0, -ENETDOWN), "down");
	expect(TP_XDP_DEVMAP_XMIT, key(0, 0, -EINVAL), "down or resetting");
	expect(TP_XDP_DEVMAP_XMIT, key(0, 0, -EIO), "ionic, sfc");
	expect(TP_XDP_DEVMAP_XMIT, key(0, 0, -EBUSY), "gve");
	expect(TP_XDP_DEVMAP_XMIT, key(0, 0, -ENOMEM), "gve");
	expect(TP_XDP_DEVMAP_XMIT, key(0, 0, -EPERM), "ionic");
	expect(TP_XDP_DEVMAP_XMIT, key(0, 0, -EOPNOTSUPP), "gve");
	expect(TP_XDP_DEVMAP_XMIT, key(0, 0, -ENODEV), "xen");
	expect(TP_XDP_BULK_TX, key(0, 0, -ENXIO), "a NIC's transmit ring is full");
	expect(TP_XDP_BULK_TX, key(0, 0, 0), "peer");
	expect(TP_XDP_CPUMAP_ENQUEUE, key(SERIES_MAP_CPUMAP, 5, 0), "full");
	expect(TP_XDP_CPUMAP_KTHREAD, key(0, 0, 0), "memory");
	expect(TP_LINK_ATTACH_FAILED, key(0, 0, 0), "attach");
	expect(TP_MEM_CONNECT, key(0, 0, 0), NULL);
}

/* Remedies for some drivers are given only for these, and useless ones never. */
TEST(test_advice)
{
	static const struct {
		uint32_t tp, map_type;
		int code;
		const char *with, *without;
	} cases[] = {
		{ TP_XDP_REDIRECT_ERR, SERIES_MAP_DEVMAP, -EOPNOTSUPP, "cannot be broadcast",
		  "Intel" },
		{ TP_XDP_REDIRECT_ERR, SERIES_MAP_DEVMAP, -EOPNOTSUPP, "never accept redirected",
		  NULL },
		{ TP_XDP_REDIRECT_ERR, SERIES_MAP_DEVMAP, -EOVERFLOW, "8 upper devices", NULL },
		{ TP_XDP_REDIRECT_ERR, SERIES_MAP_DEVMAP, -EMSGSIZE, "tso off gso off", NULL },
		{ TP_XDP_REDIRECT_ERR, 0, -EINVAL, "map key of an earlier packet", NULL },
		{ TP_XDP_REDIRECT_ERR, SERIES_MAP_XSKMAP, -ENOBUFS, "use busy polling", NULL },
		{ TP_XDP_DEVMAP_XMIT, 0, -ENETDOWN, "cable", "program" },
		{ TP_XDP_DEVMAP_XMIT, 0, -ENXIO, "for a veth, bring up its peer", "program" },
		{ TP_XDP_DEVMAP_XMIT, 0, 0, "Since 6.1, the first frame", NULL },
		{ TP_XDP_BULK_TX, 0, -ENXIO, "GRO alone does not help", NULL },
		{ TP_XDP_EXCEPTION, 0, XDP_REDIRECT, "several buffers", NULL },
		{ TP_XDP_EXCEPTION, 0, XDP_REDIRECT, "refused a frame of several buffers", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct series_key k = key(cases[i].map_type, SERIES_MAP_ID_IFINDEX, cases[i].code);
		const struct cause *c = cause_find(LATEST, cases[i].tp, &k);
		const char *without = cases[i].without;

		assert_non_null(c);
		if (!strstr(c->remedy.text, cases[i].with))
			fail_msg("'%s' does not say '%s'", c->remedy.text, cases[i].with);
		assert_true(!without ||
			    (!strstr(c->remedy.text, without) && !strstr(c->meaning, without)));
	}
}

TEST(test_exception)
{
	expect(TP_XDP_EXCEPTION, key(0, 0, 0), "empty map slot");
	expect(TP_XDP_EXCEPTION, key(0, 0, 2), "build an skb for the packet (aquantia, fec)");
	expect(TP_XDP_EXCEPTION, key(0, 0, 3), "XDP_TX failed");
	expect(TP_XDP_EXCEPTION, key(0, 0, 4), "xdp_redirect_err");
	expect(TP_XDP_EXCEPTION, key(0, 0, 5), "not a valid XDP action");
	expect(TP_XDP_EXCEPTION, key(0, 0, 77), "not a valid XDP action");
	/* -EINVAL returned as an action is not an errno */
	expect(TP_XDP_EXCEPTION, key(0, 0, -EINVAL), "not a valid XDP action");
	expect(TP_XDP_EXCEPTION, key(0, 0, -1), "not a valid XDP action");
}
