# SPDX-License-Identifier: GPL-2.0-or-later
# Unit tests: tests/unit/FOLDER/test_*.c with the folders of src/, each one program without kernel or
# terminal, under ASan and UBSan. Included by the top-level Makefile, whose variables it uses.
#   make unit                     all          make unit T=table     tests/unit/table/test_table.c only
UNIT := $(O)/unit
T ?= *
UNIT_SRC := $(wildcard tests/unit/*/test_$(T).c)
UNIT_RUN := $(patsubst tests/unit/%.c,$(UNIT)/%,$(UNIT_SRC))
# A shared library: linked into each test it took 600 MB.
UNIT_OBJ := $(patsubst %.c,$(UNIT)/%.o,$(SRC) $(UI_SRC))
UNIT_CFLAGS = $(CFLAGS_ALL) -fPIC -U_FORTIFY_SOURCE -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=all $(call pkg,--cflags,cmocka)
UNIT_LIBS = $(call pkg,--libs,cmocka) $(LDLIBS_ALL)

# All tests run, even if one fails or hangs; the names of the failed ones come last.
unit: $(UNIT_RUN) ## unit tests, under ASan and UBSan; T=table runs one
	@[ -n "$^" ] || { echo "unit: no tests/unit/*/test_$(T).c" >&2; exit 1; }; \
	failed=$$(printf '%s\n' $^ | CMOCKA_MESSAGE_OUTPUT=STDOUT xargs -P $$(nproc) -I {} sh -c \
		'timeout --foreground 1800 {} >{}.log 2>&1 || echo {}'); \
	for t in $$failed; do cat $$t.log; done; \
	[ -z "$$failed" ] || { echo "unit: FAILED:" $${failed} >&2; exit 1; }; \
	echo "unit: $$(cat $(^:=.log) | grep -c '^\[       OK') passed, 0 failed"

$(UNIT_RUN): $(UNIT)/%: $(UNIT)/tests/unit/%.o $(UNIT)/tests/unit/main.o $(UNIT)/core.so
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(UNIT_CFLAGS) $(LDFLAGS_ALL) -Wl,-rpath,'$$ORIGIN/..' -o $@ $^ $(UNIT_LIBS)

$(UNIT)/core.so: $(UNIT_OBJ)
	$(call say,LINK)
	$(Q)$(CC) $(UNIT_CFLAGS) -shared $(filter-out -pie,$(LDFLAGS_ALL)) -Wl,-soname,core.so -o $@ $^ $(LDLIBS_ALL)

$(UNIT)/%.o: %.c tests/tests.mk | $(O)/.deps $(GENERATED)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS_ALL) -Itests $(UNIT_CFLAGS) -MMD -MP -c -o $@ $<

.PRECIOUS: $(UNIT)/%.o

# The monitor without one of its tracepoints, so that the kernel seems to have a new one, and without the walk over
# all namespaces, as before 5.17.
FORGET := $(O)/forget
$(FORGET)/xdptop: $(PROGRAM_OBJ) $(O)/tests/kernel/forgetful.o
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -Wl,--wrap=tracepoint_find,--wrap=btf__find_by_name_kind \
		-Wl,--wrap=bpf_object__load_skeleton -o $@ $^ $(LDLIBS_ALL)

# Counts the blocks of code that the monitor executes for a snapshot.
COUNT := $(O)/count
COUNTED := $(patsubst %.c,%,$(wildcard $(addsuffix /*.c,$(addprefix src/,model source diagnose table explain output))))
$(COUNT)/%.o: %.c | $(O)/.deps $(GENERATED)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -fsanitize-coverage=trace-pc -MMD -MP -c -o $@ $<

$(COUNT)/xdptop: $(COUNTED:%=$(COUNT)/%.o) $(filter-out $(COUNTED:%=$(O)/%.o),$(PROGRAM_OBJ)) $(O)/tests/batch/count.o
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -Wl,--wrap=memmove,--wrap=getauxval -o $@ $^ $(LDLIBS_ALL)

# Preloaded into the monitor: makes allocations fail and reads short.
$(O)/faults.so: tests/faults.c
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) -D_GNU_SOURCE $(CFLAGS_ALL) -shared -fPIC -o $@ $< -ldl

# Confined like the monitor, tries what must be refused.
CONFINED := $(O)/confined
$(CONFINED)/confined: $(call obj,$(addprefix tests/kernel/,confined.c foreign.c) \
		$(addprefix src/base/,error.c landlock.c privilege.c sanitize.c syscall_filter.c))
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(call pkg,--libs,libcap-ng) -lpthread -lutil

# The processes that keep capabilities, and requests to them.
$(CONFINED)/tracer: $(call obj,tests/kernel/tracer.c src/tracing/verdict_tracer.c \
		$(addprefix src/inventory/,netlink_socket.c netns_opener.c netns_scan.c) \
		src/model/netns_owner.c \
		$(addprefix src/base/,error.c landlock.c memory.c path_walk.c sanitize.c side_process.c \
		syscall_filter.c) src/model/kernel_names.c)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(call pkg,--libs,libbpf libcap-ng)

# Following without the rest of the program.
FOLLOW := $(O)/follow
$(FOLLOW)/follower: $(O)/tests/kernel/follower.o $(O)/bench/core.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS_ALL)

# The same with a tracepoint that the registry does not know.
$(FOLLOW)/forgetful: $(O)/tests/kernel/follower.o $(O)/tests/kernel/forgetful.o $(O)/bench/core.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -Wl,--wrap=tracepoint_find,--wrap=btf__find_by_name_kind \
		-Wl,--wrap=bpf_object__load_skeleton -o $@ $^ $(LDLIBS_ALL)
