# SPDX-License-Identifier: GPL-2.0-or-later
# The traffic rig: $(O)/rig/rig. Included by the top-level Makefile, whose variables it uses.
RIG_BPF := rig witness empty dispatcher verdicts cost fill fib_lookup filter
RIG_OBJ := $(patsubst tests/rig/%.c,$(O)/rig/%.o,\
	$(filter-out %.bpf.c,$(wildcard tests/rig/*.c)))

.PHONY: rig
rig: $(O)/rig/rig ## build the traffic generator of the tests

$(O)/rig/rig: $(RIG_OBJ)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(LIBBPF_LIBS)

$(O)/rig/%.o: tests/rig/%.c $(RIG_BPF:%=$(O)/rig/%.skel.h)
	$(call say,CC)
	$(Q)$(CC) -D_GNU_SOURCE -I$(O)/rig $(CFLAGS_ALL) $(LIBBPF_CFLAGS) -MMD -MP -c -o $@ $<

$(O)/rig/%.bpf.o: tests/rig/%.bpf.c tests/rig/series.h tests/rig/verdicts_map.h bpf/capture.h bpf/capture_filter.h | $(O)/.deps
	@mkdir -p $(@D)
	$(call say,BPF)
	$(Q)$(CLANG) $(BPF_CFLAGS_ALL) -c -o $@ $<

$(O)/rig/%.skel.h: $(O)/rig/%.bpf.o
	$(call say,SKEL)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf >$@
