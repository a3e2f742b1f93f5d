# SPDX-License-Identifier: GPL-2.0-or-later
# Long tests: make soak [SECONDS=600] [DEVICES=20000] [HOURS=1] [PARTS="session memory exact healthy faults"]
#   session  a minute of the screen under ASan, UBSan and LeakSanitizer; under ThreadSanitizer
#   memory   memory of a replay of hours, on the screen and in batch
#   exact    frames at full rate and devices that come and go, for SECONDS
#   healthy  all kinds of traffic without losses: no finding, for SECONDS
#   faults   each allocation fails in turn; disks of many sizes, pipes closed anywhere
# For make fuzz SECONDS has another default.
PARTS ?= session memory exact healthy faults
DEVICES ?= 20000
HOURS ?= 1
SOAK_SECONDS := $(if $(filter command environment,$(firstword $(origin SECONDS))),$(SECONDS),600)

# The whole program, instrumented: $(O)/asan/xdptop, of the objects of the unit tests, and $(O)/tsan/xdptop.
SANITIZED := asan tsan
UNCONFINED := -Wl,--wrap=prctl,--wrap=setresuid,--wrap=syscall_filter_install,--wrap=syscall_filter_load
sanitized = $(patsubst $(O)/%,$(1)/%,$(PROGRAM_OBJ) $(O)/tests/soak/unconfined.o)

$(O)/asan/xdptop: $(call sanitized,$(UNIT))
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(UNIT_CFLAGS) $(LDFLAGS_ALL) $(UNCONFINED) -o $@ $^ $(LDLIBS_ALL)

$(O)/tsan/%.o: %.c | $(O)/.deps $(GENERATED)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -U_FORTIFY_SOURCE -O1 -g -fno-omit-frame-pointer -fsanitize=thread -MMD -MP -c -o $@ $<

$(O)/tsan/xdptop: $(call sanitized,$(O)/tsan)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) -fsanitize=thread $(LDFLAGS_ALL) $(UNCONFINED) -o $@ $^ $(LDLIBS_ALL)

.PHONY: asan soak soak-exact soak-healthy soak-session soak-memory soak-faults
asan: $(O)/asan/xdptop ## build build/asan/xdptop: the program under ASan and UBSan

soak: ## sanitized sessions, an hour of replay, exact counts, healthy traffic, faults: SECONDS=600
	@contrib/deps --install build pytest tools
	@$(MAKE) $(JOBS) --no-print-directory all $(O)/rig/rig $(SANITIZED:%=$(O)/%/xdptop)
	@$(MAKE) --no-print-directory $(PARTS:%=soak-%)

soak-exact:
	@$(SUDO) tests/soak/soak $(SOAK_SECONDS) $(DEVICES)

soak-healthy:
	@$(SUDO) tests/soak/healthy $(SOAK_SECONDS)

soak-session:
	@$(SUDO) tests/soak/session 60 $(SANITIZED:%=$(O)/%/xdptop)

soak-memory:
	@tests/soak/memory $(HOURS)

soak-faults: all $(O)/faults.so
	@$(SUDO) env CI=$(CI) FAULTS=all $(PYTEST) -q -p no:cacheprovider -ra \
		tests/batch/test_replay_faults.py tests/kernel/test_live_faults.py
