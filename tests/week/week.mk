# SPDX-License-Identifier: GPL-2.0-or-later
# Writes a week of recordings by the recorder itself, with a clock of its own.
$(O)/week/week: $(O)/tests/week/week.o $(O)/bench/core.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS_ALL)

# Compares jumps in them with a replay that came there by itself.
JUMP_UI := history view_state layout
$(O)/week/jump: $(O)/tests/week/jump.o $(JUMP_UI:%=$(O)/ui/%.o) $(O)/bench/core.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS_ALL)
