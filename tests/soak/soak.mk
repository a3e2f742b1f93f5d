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

# The whole program, instrumented: $(O)/asan/xdptop, $(O)/tsan/xdptop.
SANITIZED := asan tsan
sanitize_asan := -fsanitize=address,undefined -fno-sanitize-recover=undefined
sanitize_tsan := -fsanitize=thread
sanitized = $(PROGRAM_OBJ:$(O)/%=$(O)/$(1)/%) $(O)/$(1)/tests/soak/unconfined.o

define sanitized_rules
$(O)/$(1)/%.o: %.c | $(O)/.deps $(GENERATED)
	@mkdir -p $$(@D)
	$$(call say,CC)
	$$(Q)$$(CC) $$(CPPFLAGS_ALL) $$(CFLAGS_ALL) -U_FORTIFY_SOURCE -O1 -g -fno-omit-frame-pointer $(sanitize_$(1)) \
		-MMD -MP -c -o $$@ $$<

$(O)/$(1)/xdptop: $(call sanitized,$(1))
	$$(call say,LINK)
	$$(Q)$$(CC) $$(CFLAGS_ALL) $(sanitize_$(1)) $$(LDFLAGS_ALL) -Wl,--wrap=prctl,--wrap=setresuid \
		-Wl,--wrap=syscall_filter_install,--wrap=syscall_filter_load \
		-o $$@ $$^ $$(LDLIBS_ALL)
endef
$(foreach s,$(SANITIZED),$(eval $(call sanitized_rules,$(s))))

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
