# SPDX-License-Identifier: GPL-2.0-or-later
# Other kernels in qemu: make kernels [K="5.10 6.*"]. No root needed.
.PHONY: kernels
kernels: ## test in qemu on other kernels, K="5.10 6.*"
	@contrib/deps --install build kernels
	@$(MAKE) $(JOBS) --no-print-directory all $(O)/rig/rig $(O)/follow/follower
	@tests/kernels/run $(foreach k,$(K),'$(k)')
