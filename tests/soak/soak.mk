# SPDX-License-Identifier: GPL-2.0-or-later
# Exactness over time: make soak [SECONDS=600] [DEVICES=20000]. SECONDS means another thing to fuzz.
DEVICES ?= 20000
SOAK_SECONDS := $(if $(filter command environment,$(firstword $(origin SECONDS))),$(SECONDS),600)

.PHONY: soak
soak:
	@contrib/deps --install build test
	@$(MAKE) $(JOBS) --no-print-directory all $(O)/rig/rig
	@$(SUDO) tests/soak/soak $(SOAK_SECONDS) $(DEVICES)
