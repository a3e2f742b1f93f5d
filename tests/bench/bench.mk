# SPDX-License-Identifier: GPL-2.0-or-later
# What tests/bench/bench runs besides the monitor and the rig.
$(O)/bench/synthetic: $(O)/tests/bench/synthetic.o $(O)/src/slots.o $(call obj,$(CORE_SRC))
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(call pkg,--libs,$(LIBS_CORE)) -lpthread -lm
