# SPDX-License-Identifier: GPL-2.0-or-later
# Random keys and sizes, on more terminals and for longer than the tests: make storm [SECONDS=60] [STORM_SEED=N]
.PHONY: storm
storm: ## random keys and sizes on the screen, SECONDS=60
	@contrib/deps --install build pytest tools
	@$(MAKE) $(JOBS) --no-print-directory all $(O)/rig/rig $(O)/tables/tables
	@$(SUDO) env STORM_SECONDS=$(SECONDS) $(if $(STORM_SEED),STORM_SEED=$(STORM_SEED)) \
		$(PYTEST) -q -p no:cacheprovider -s tests/screens/test_storm.py
