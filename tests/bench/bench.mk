# SPDX-License-Identifier: GPL-2.0-or-later
# What tests/bench/bench runs besides the monitor and the rig. An archive, so that only what it uses is linked.
$(O)/bench/core.a: $(call obj,$(SRC))
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcs --thin $@ $^

$(O)/bench/synthetic: $(O)/tests/bench/synthetic.o $(O)/bench/core.a
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS_ALL)
