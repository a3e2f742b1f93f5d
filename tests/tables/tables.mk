# SPDX-License-Identifier: GPL-2.0-or-later
# Fills the man pages, the completions and the alert rules from the program's tables: make tables
TABLES_FILLED := man/xdptop.8 man/xdptop-columns.7 man/xdptop-formats.5 completions/xdptop completions/_xdptop \
	completions/xdptop.fish contrib/prometheus/xdptop.rules.yml doc/recording.md

.PHONY: tables
tables: $(O)/tables/tables ## fill man pages, completions and alert rules from the program's tables
	$(Q)tests/tables/fill $< $(TABLES_FILLED)

# an archive: only what is needed is linked, and that needs no kernel
$(O)/tables/tables: $(O)/tests/tables/tables.o $(O)/ui/key.o $(O)/tables/core.a
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS_ALL)

$(O)/tables/core.a: $(call obj,$(SRC))
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcs --thin $@ $^
