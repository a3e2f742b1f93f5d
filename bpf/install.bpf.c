// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports each change of a device's XDP program, with the process that made it. All of them pass
 * dev_xdp_install() (net/core/dev.c, 5.9 and later): netlink, BPF links, and the end of a link. It
 * is called under rtnl_lock, before the device's xdp_state has the new program. Also reports what
 * that function refused, and refused binds of AF_XDP sockets.
 */
#include "device_prog.h"
#include "iter_records.h"
#include "syscall.h"
#include "xdp_socket_types.h"

#define PF_KTHREAD 0x00200000

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, INSTALLS_SIZE);
} installs SEC(".maps");

/* Records for which the ring had no room; apart from refusals that a tracepoint may report. */
__u64 installs_lost = 0, installs_told_lost = 0;

static __always_inline const struct bpf_prog *installed(const struct net_device *dev, __u32 mode)
{
	if (mode == WALK_GENERIC)
		return device_prog(dev, WALK_GENERIC);
	if (mode == WALK_NATIVE)
		return device_prog(dev, WALK_NATIVE);
	return mode == WALK_OFFLOAD ? device_prog(dev, WALK_OFFLOAD) : NULL;
}

static __always_inline void name_installed(const struct bpf_prog *prog, struct install_prog *to)
{
	const struct bpf_prog_aux *aux;

	if (!prog)
		return;
	aux = BPF_CORE_READ(prog, aux);
	to->id = BPF_CORE_READ(aux, id);
	kernel_read_name(to->name, sizeof(to->name), aux->name);
}

/* unregister_netdevice_many() takes a device off the list before it detaches the program. */
static __always_inline bool is_listed(const struct net_device *dev)
{
	const void *node = (const char *)dev + bpf_core_field_offset(struct net_device, dev_list);

	return BPF_CORE_READ(dev, dev_list.prev, next) == node;
}

/* Fill in who did it, and write it. */
static __always_inline void report(struct install_record *r)
{
	const struct task_struct *task = (const void *)bpf_get_current_task();

	r->ktime_ns = bpf_ktime_get_ns();
	/* a worker releases links for processes that have ended */
	if (!(BPF_CORE_READ(task, flags) & PF_KTHREAD)) {
		r->pid = bpf_get_current_pid_tgid() >> 32;
		bpf_get_current_comm(r->comm, sizeof(r->comm));
	}
	if (bpf_ringbuf_output(&installs, r, sizeof(*r), 0))
		__sync_fetch_and_add(
			r->by_link || r->message[0] ? &installs_told_lost : &installs_lost, 1);
}

static __always_inline void set_refusal(struct install_record *r, const struct netlink_ext_ack *ack)
{
	const char *message = ack ? BPF_CORE_READ(ack, _msg) : NULL;
	struct syscall call = {};

	if (message)
		kernel_read_str(r->message, sizeof(r->message), message);
	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs) &&
	    syscall_get(&call) && is_bpf_call(&call))
		r->by_link = call.arg[0] == BPF_LINK_CREATE;
}

SEC("fexit/dev_xdp_install")
int BPF_PROG(xdp_install, const struct net_device *dev, __u32 mode, void *op,
	     const struct netlink_ext_ack *extack, __u32 flags, const struct bpf_prog *prog,
	     int err)
{
	struct install_record r = {};

	if (!is_listed(dev))
		return 0;
	r.err = err;
	r.setup = err ? SETUP_ATTACH_REFUSED : SETUP_INSTALLED;
	if (err)
		set_refusal(&r, extack);
	r.mode = mode;
	r.netns = BPF_CORE_READ(dev, nd_net.net, ns.inum);
	r.ifindex = BPF_CORE_READ(dev, ifindex);
	kernel_read_name(r.ifname, sizeof(r.ifname), dev->name);
	name_installed(installed(dev, mode), &r.old_prog);
	name_installed(prog, &r.new_prog);
	report(&r);
	return 0;
}

/* The kernel has copied this from the process: include/uapi/linux/if_xdp.h. */
struct bind_address {
	__u16 family, flags;
	__u32 ifindex, queue, umem_fd;
};

SEC("fexit/xsk_bind")
int BPF_PROG(bind_refused, const struct socket *sock, const void *address, int len, int err)
{
	struct install_record r = { .setup = SETUP_BIND_REFUSED, .err = err };
	struct bind_address to = {};

	if (!err || len < (int)sizeof(to))
		return 0;
	kernel_read(&to, sizeof(to), address);
	r.netns = BPF_CORE_READ(sock, sk, __sk_common.skc_net.net, ns.inum);
	r.ifindex = to.ifindex;
	r.queue = to.queue;
	r.flags = to.flags;
	report(&r);
	return 0;
}
