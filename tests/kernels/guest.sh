# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Shared by the guests: the first program of each sources this, runs its steps, and ends with power_off.
# Output goes to a second serial port as records, one per line: "STEP WHAT text". The host judges them.
export PATH=/bin TERM=linux LC_ALL=C.UTF-8
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mkdir -p /dev/pts /tmp /run
mount -t devpts none /dev/pts
mount -t tmpfs none /tmp
mount -t tmpfs none /run
mount -t bpf none /sys/fs/bpf
# a word of the kernel's command line
# shellcheck disable=SC2154
exec 3>"/dev/$results"
stty -F "/dev/$results" raw -echo
for m in /modules/*.ko; do
	insmod "$m" || echo "boot error insmod $m" >&3
done


step=boot
say() { echo "$step $*" >&3; }
# its last line may have no newline
send() { [ -f "$2" ] && awk -v as="$step $1" '{ print as, $0 }' "$2" >&3; }

# start STEP xdptop-options: returns when it is attached (its header is there) or has ended
start() {
	step=$1
	shift
	rm -f /tmp/error
	: >/tmp/xdptop
	xdptop -o json --budget 0 "$@" >/tmp/xdptop 2>/tmp/error &
	monitor=$!
	tries=0
	until grep -q '"type":"header"' /tmp/xdptop; do
		kill -0 "$monitor" 2>/dev/null || break
		tries=$((tries + 1))
		[ $tries -lt 600 ] || break
		sleep 0.1
	done
	[ -f "/proc/$monitor/status" ] || return
	grep -E '^(CapEff|CapPrm|NoNewPrivs|Seccomp):' "/proc/$monitor/status" >/tmp/status
	send status /tmp/status
}

finish() {
	kill -INT "$monitor"
	wait "$monitor"
	say xdptop-rc $?
	send xdptop /tmp/xdptop
	send error /tmp/error
}

# the monitor's last snapshot, as far as it is written
seq() { tail -c 4096 /tmp/xdptop | grep -o '"seq":[0-9]*' | tail -n 1 | cut -d : -f 2; }
later() { [ "$(seq)" -ge "$1" ]; }

# until a snapshot is written that was made after this: the next one may be older
snapshot() {
	seen=$(seq)
	until later $((seen + 2)); do
		kill -0 "$monitor" 2>/dev/null || break
		sleep 0.1
	done
}

power_off() {
	step=end
	dmesg >/tmp/dmesg
	grep -m 1 -B 2 -A 30 -E 'BUG:|WARNING:|Oops|stall|Call Trace' /tmp/dmesg >/tmp/splat
	send splat /tmp/splat
	say cpus "$(cat /sys/devices/system/cpu/possible)" "$(cat /sys/devices/system/cpu/online)"
	say release "$(uname -r)"
	say 'done'
	exec 3>&-
	sleep 0.2 # for the last bytes on the serial port
	poweroff -f
}
