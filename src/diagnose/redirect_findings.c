// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about redirects to devices: which of them cannot take the frames, and why. */
#include "diagnose/finding_code.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SENT    (PER_DEVICE | PER_TARGET)
#define FLOW    (PER_DEVICE | PER_TARGET | PER_PROG)
#define PROGRAM (PER_DEVICE | PER_PROG)

static bool says_mtu(struct evidence *e)
{
	if (e->to && e->to->mtu)
		snprintf(e->what, sizeof(e->what),
			 "frames are longer than the target's MTU of %u allows; XDP neither "
			 "fragments nor tells the sender",
			 e->to->mtu);
	return true;
}

static bool is_veth(const struct netdev *d)
{
	return d && !strcmp(d->kind, "veth");
}

/* drivers/net/veth.c, veth_set_xdp_features(): the flag follows the peer's program and GRO. */
static bool peer_lacks_xdp(struct evidence *e)
{
	return is_veth(e->to) && (!e->peer || (e->peer->mode == NETDEV_NONE && !e->peer->gone));
}

/* Every driver with native XDP sets it, whatever is attached (xdp_set_features_flag()). */
static bool lacks_xdp(struct evidence *e)
{
	return e->to && e->to->has_features &&
	       !(e->to->features & (NETDEV_XDP_BASIC | NETDEV_XDP_NDO_XMIT));
}

/* kernel/bpf/devmap.c, __xdp_enqueue(): with frags NDO_XMIT_SG is needed as well. */
static bool lacks_multi_buffer(struct evidence *e)
{
	return e->to && e->to->has_features && e->to->features & NETDEV_XDP_NDO_XMIT &&
	       !(e->to->features & NETDEV_XDP_NDO_XMIT_SG);
}

static bool is_ifindex_zero(struct evidence *e)
{
	return !e->series->key.target;
}

/* clang-format off */
static const struct finding_code codes[] = {
	{ "target-down", FINDING_CRITICAL,
	  "frames are redirected to a device that is down (ENETDOWN)", { 0 },
	  RULES({ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_TO_DEVICE, -ENETDOWN, .per = FLOW },
		{ RULE_LOSS, AT_XMIT, .code = -ENETDOWN, .per = SENT }) },
	{ "frame-too-big", FINDING_CRITICAL,
	  "redirected frames are longer than the target's MTU (EMSGSIZE)", { 0 },
	  RULES({ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_TO_DEVICE, -EMSGSIZE, .per = FLOW,
		  .when = says_mtu }) },
	{ "target-cannot-receive", FINDING_CRITICAL,
	  "the target of a redirect cannot transmit XDP frames now (EOPNOTSUPP)", { 0 },
	  RULES({ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_TO_DEVICE, -EOPNOTSUPP, .per = FLOW,
		  .when = peer_lacks_xdp,
		  .text = "a veth takes redirected frames only while its peer has an XDP program "
			  "or GRO; {peer} has neither",
		  .remedy.commands = "{in_peer}ethtool -K {peer} gro on\n"
				     "{ip_peer} -d link show dev {peer}\n"
				     "{in_peer}bpftool net" },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_TO_DEVICE, -EOPNOTSUPP, .per = FLOW,
		  .when = lacks_xdp,
		  .text = "the target never transmits XDP frames: its driver has no native XDP",
		  .remedy = { "choose another target; what is for this host, or for a device without "
			      "XDP, the stack can send (XDP_PASS), or a program in generic mode",
			      "{ip_to} -d link show dev {to}\n"
			      "bpftool prog show id {prog}" } },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_TO_DEVICE, -EOPNOTSUPP, .per = FLOW,
		  .when = lacks_multi_buffer,
		  .text = "the target transmits XDP frames of one buffer only: these have "
			  "several, or it has begun to transmit just now",
		  .remedy.commands = "{ip} link show dev {dev}\n"
				     "{ip_to} -d link show dev {to}" },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_TO_DEVICE, -EOPNOTSUPP, .per = FLOW }) },
	{ "no-such-ifindex", FINDING_CRITICAL,
	  "a program redirects to an ifindex that is not in its device's namespace (EINVAL)", { 0 },
	  RULES({ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_IFINDEX, -EINVAL, .per = PROGRAM,
		  .when = is_ifindex_zero,
		  .text = "it redirects to ifindex 0: it ignored that bpf_redirect_map() failed, "
			  "or up to Linux 5.10 called no helper",
		  .remedy.commands = "bpftool prog dump xlated id {prog}" },
		/* per program, not per ifindex: a program may use any number of wrong ones */
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_IFINDEX, -EINVAL, .per = PROGRAM,
		  .text = "it redirects to {to}, which is not in the network namespace of the "
			  "device" }) },
};
/* clang-format on */

const struct finding_group redirect_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
