# SPDX-License-Identifier: GPL-2.0-or-later
# Real drivers in qemu: make drivers [D="virtio_net igb/bare"]. No root needed.
.PHONY: drivers
drivers: ## test in qemu on real drivers, D="virtio_net igb/bare"
	@contrib/deps --install build kernels
	@$(MAKE) $(JOBS) --no-print-directory all $(O)/rig/rig $(O)/follow/follower
	@tests/drivers/run $(foreach d,$(D),'$(d)')
