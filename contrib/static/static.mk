# SPDX-License-Identifier: GPL-2.0-or-later
# make static builds one file that needs no other, from the objects of the dynamic program and the
# distribution's static libraries.
STATIC := $(O)/static
# Debian has libmnl.a since version 13
LIBMNL_A = $(or $(filter /%,$(shell $(CC) -print-file-name=libmnl.a)),$(STATIC)/libmnl.a)
STATIC_LIBS = $(LIBBPF_A) $(patsubst -lmnl,$(LIBMNL_A),$(call pkg,--static --libs,$(LIBS_CORE) $(LIBS_KERNEL) $(LIBS_UI))) -lm

.PHONY: static
static: ## build build/static/xdptop, which needs no other file; ARCH=arm64 builds build/arm64/static/xdptop
	@contrib/deps --install build static $(if $(ARCH),cross)
	@$(if $(ARCH),python3 -B tests/kernels/cross.py $(ARCH) static/xdptop,$(MAKE) $(JOBS) \
		--no-print-directory $(STATIC)/xdptop)

# The locale of the linked libc, also when cross-building; without it, the program draws ASCII.
LOCALE = $(firstword $(wildcard $(addsuffix /usr/lib/locale/C.utf8/LC_CTYPE,$(shell $(CC) -print-sysroot 2>/dev/null) \
	$(patsubst --sysroot=%,%,$(filter --sysroot=%,$(CC))))) $(wildcard /usr/lib/locale/C.utf8/LC_CTYPE))
$(O)/contrib/static/locale.o: CPPFLAGS += -DLOCALE='"$(LOCALE)"'

# The linker warns about a call that makes libc load a shared library; here that is an error.
$(STATIC)/xdptop: $(PROGRAM_OBJ) $(STATIC)/terminfo.o $(O)/contrib/static/no_lookups.o \
		$(if $(LOCALE),$(O)/contrib/static/locale.o) $(STATIC)/.libmnl
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) $(filter-out -pie,$(LDFLAGS_ALL)) -static-pie -s -Wl,--fatal-warnings \
		-o $@ $(filter %.o,$^) $(STATIC_LIBS)

$(STATIC)/.libmnl: contrib/deps
	@mkdir -p $(@D)
	@$(if $(filter $(STATIC)/%,$(LIBMNL_A)),contrib/deps --libmnl $(LIBMNL_A) $(shell $(CC) -dumpmachine))
	@touch $@

$(STATIC)/terminfo.c: contrib/static/terminfo
	@mkdir -p $(@D)
	$(Q)$< >$@

$(STATIC)/terminfo.o: $(STATIC)/terminfo.c Makefile
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<
