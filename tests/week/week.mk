# SPDX-License-Identifier: GPL-2.0-or-later
# Writes a week of recordings by the recorder itself, with a clock of its own.
$(O)/week/week: $(O)/tests/week/week.o $(O)/bench/core.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS_ALL)
