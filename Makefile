# SPDX-License-Identifier: GPL-2.0-or-later
# make help lists the targets: those with a text after ##, here and in tests/.
O := build
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
BASHCOMPDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHCOMPDIR ?= $(PREFIX)/share/zsh/site-functions
FISHCOMPDIR ?= $(PREFIX)/share/fish/vendor_completions.d
UNITDIR ?= $(PREFIX)/lib/systemd/system
SYSUSERSDIR ?= $(PREFIX)/lib/sysusers.d
EXAMPLEDIR ?= $(PREFIX)/share/doc/xdptop/examples

RELEASE := 0.2.0
# asked once, and only if needed: contrib/version
VERSION = $(eval VERSION := $$(shell contrib/version $(RELEASE)))$(VERSION)
CLANG ?= clang
PKG_CONFIG ?= pkg-config
BPFTOOL ?= $(firstword $(shell PATH="$$PATH:/usr/sbin:/sbin" command -v bpftool 2>/dev/null) bpftool)
CLANG_FORMAT ?= clang-format
PYTEST ?= /usr/bin/python3 -m pytest
# V=1 shows the commands
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-8s%s\n' $(1) $@)
JOBS := -j$(shell nproc 2>/dev/null || echo 1)
SUDO := $(if $(filter 0,$(shell id -u)),,$(shell command -v sudo))

# The monitor's flags. A distribution's CFLAGS and LDFLAGS replace them, including hardening. BPF has
# its own BPF_CFLAGS, because -fstack-protector and friends break -target bpf.
CFLAGS ?= -O2 -g -fPIE -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 \
	$(if $(findstring clang,$(CC)),,-fstack-clash-protection)
BPF_CFLAGS ?= -O2 -g
# without the -fPIE above, the compiler decides about -pie
LDFLAGS ?= $(if $(filter file,$(origin CFLAGS)),-pie) -Wl,-z,relro,-z,now
# the same output in every directory
PREFIX_MAP = '-ffile-prefix-map=$(CURDIR)=.'
# WERROR=-Werror is only for make check and make lint, because the next compiler has new warnings
WARN := -Wall -Wextra $(WERROR) -Wno-unused-parameter -Wmissing-prototypes -Wstrict-prototypes \
	-Wshadow -Wvla
# gcc guesses from ranges; text is cut to its buffer on purpose
WARN += $(if $(findstring clang,$(CC)),,-Wno-format-truncation)
LIBS_CORE := json-c libcap-ng libmnl libzstd libevent_extra libevent_core
# LIBBPF=DIR replaces the system's libbpf: its source tree, or its install directory, with libbpf.a
LIBS_KERNEL := $(if $(LIBBPF),libelf zlib,libbpf)
LIBBPF_TREE := $(and $(LIBBPF),$(wildcard $(LIBBPF)/src/libbpf.map))
LIBBPF_DIR := $(abspath $(if $(LIBBPF_TREE),$(O)/libbpf,$(LIBBPF)))
LIBBPF_A := $(if $(LIBBPF_TREE),$(LIBBPF_DIR)/lib/libbpf.a,$(if $(LIBBPF),$(or $(firstword $(wildcard \
	$(foreach lib,lib lib64 lib/*,$(LIBBPF_DIR)/$(lib)/libbpf.a))),$(error LIBBPF=$(LIBBPF): neither a \
	source tree of libbpf nor a directory with lib/libbpf.a and include/bpf))))
LIBS_UI := ncursesw
# pkg-config runs when a rule needs it, so `make deps` works before it is installed
pkg = $(shell $(PKG_CONFIG) $(1) $(2) 2>/dev/null)
# run once, not for each object
PKG_CFLAGS = $(eval PKG_CFLAGS := $(call pkg,--cflags,$(LIBS_CORE) $(LIBS_KERNEL) $(LIBS_UI)))$(PKG_CFLAGS)
CPPFLAGS_ALL = -D_GNU_SOURCE -I. -Isrc -I$(O) $(if $(LIBBPF),$(LIBBPF_CFLAGS)) \
	$(PKG_CFLAGS) $(CPPFLAGS)
# the last map of a directory wins, so a distribution can set one
CFLAGS_ALL = -std=gnu11 $(WARN) $(PREFIX_MAP) $(CFLAGS)
LDFLAGS_ALL = $(LDFLAGS)
LDLIBS_ALL = $(LIBBPF_A) $(or $(call pkg,--libs,$(LIBS_CORE) $(LIBS_KERNEL) $(LIBS_UI)),$(error $(PKG_CONFIG) \
	does not know all of: $(LIBS_CORE) $(LIBS_KERNEL) $(LIBS_UI); 'make deps' installs them)) -lpthread -lm
LIBBPF_CFLAGS = $(if $(LIBBPF),-I$(LIBBPF_DIR)/include,$(call pkg,--cflags,libbpf))
LIBBPF_LIBS = $(LIBBPF_A) $(call pkg,--libs,$(LIBS_KERNEL))

MULTIARCH := $(shell uname -m)-linux-gnu
# Macros of the target: __BYTE_ORDER__, __SIZEOF_POINTER__
target_is = $(shell $(CC) -dM -E -x c /dev/null | grep -x '.define $(1) $(2)')
BPF_TARGET ?= $(if $(call target_is,__BYTE_ORDER__,__ORDER_BIG_ENDIAN__),bpfeb,bpfel)
BPF_ARCH = $(if $(call target_is,__x86_64__,1),-D__TARGET_ARCH_x86)
BPF_CFLAGS_ALL = -target $(BPF_TARGET) -mcpu=v3 $(BPF_ARCH) $(PREFIX_MAP) -D__BPF__ -Wall -Wextra $(WERROR) -Wno-unused-parameter \
	-Wno-unknown-attributes $(if $(wildcard /usr/include/$(MULTIARCH)),-I/usr/include/$(MULTIARCH)) $(BPF_CFLAGS)

# Every folder of src/ is one part of the program; tests/lint knows which may include which.
SRC := $(wildcard src/*/*.c)
UI_SRC := $(wildcard ui/*.c)
obj = $(patsubst %.c,$(O)/%.o,$(1))
PROGRAM_OBJ := $(call obj,src/main.c $(SRC) $(UI_SRC))
# bpf/SOURCE_BUILD is a build of one source, see bpf/kernel_read.h
GENERATED := $(patsubst %,$(O)/%.skel.h,xdptop xdptop_lockdown perf iters iters_lockdown verdict capture fib) \
	$(O)/base/version.h

.PHONY: FORCE all help compdb sizes howto objects deps run demo picture check check-release check-bare pytest pytest-release unit batch kernel bench dashboard lint install uninstall clean
.DELETE_ON_ERROR:
.SECONDARY:
all: xdptop ## build ./xdptop

$(O)/libbpf/lib/libbpf.a: $(LIBBPF_TREE)
	$(call say,MAKE)
	$(Q)$(MAKE) -s -C $(LIBBPF)/src BUILD_STATIC_ONLY=1 CFLAGS='$(CFLAGS)' OBJDIR=$(LIBBPF_DIR)/obj DESTDIR=$(LIBBPF_DIR) \
		INCLUDEDIR=/include LIBDIR=/lib UAPIDIR=/include install install_uapi_headers >/dev/null

# Name missing packages before a compiler does so less clearly.
$(O)/.deps: $(if $(LIBBPF_TREE),$(O)/libbpf/lib/libbpf.a)
	@contrib/deps --check build
	$(if $(call target_is,__SIZEOF_POINTER__,4),$(error $(CC) builds for 32 bits, xdptop for 64 only: it \
		shares memory with BPF programs, whose pointers have 64))
	@mkdir -p $(O) && touch $@

xdptop $(O)/xdptop: $(PROGRAM_OBJ)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS_ALL)

# the flags are in this file
$(O)/%.o: %.c Makefile | $(O)/.deps $(GENERATED)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

# The iterators and install.bpf.c are one object of several sources, because every object costs a parse of the
# kernel's BTF. bpftool strips debug information.
bpf_build = $(wordlist 2,2,$(subst _, ,$*))
bpf_source = $(if $(filter iters%,$*),$(addprefix -include ,$(wildcard bpf/*_iter.bpf.c) \
	bpf/install.bpf.c) -x c /dev/null,$(strip \
	bpf/$(firstword $(subst _, ,$*)).bpf.c))
$(O)/%.bpf.o: $(wildcard bpf/*.h bpf/*.c) Makefile | $(O)/.deps
	$(call say,BPF)
	$(Q)$(CLANG) $(BPF_CFLAGS_ALL) $(LIBBPF_CFLAGS) $(patsubst %,-DBUILD_%,$(bpf_build)) -c -o $@.debug $(bpf_source)
	$(Q)$(BPFTOOL) gen object $@ $@.debug && rm $@.debug

# A new commit only compiles files that name the version.
$(O)/base/version.h: FORCE
	@mkdir -p $(@D)
	@text='#define XDPTOP_VERSION "$(VERSION)"'; echo "$$text" | cmp -s - $@ || echo "$$text" >$@

# only these: an old .d file may name one whose source is gone
$(filter %.skel.h,$(GENERATED)): $(O)/%.skel.h: $(O)/%.bpf.o
	$(call say,SKEL)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf >$@
	$(Q)case $$(od -An -tu1 -j5 -N1 $<) in *2) order=BIG ;; *) order=LITTLE ;; esac; \
		echo "_Static_assert(__BYTE_ORDER__ == __ORDER_$${order}_ENDIAN__," \
			'"$< has another byte order, not that of the program: make clean");' >>$@

-include $(wildcard $(foreach d,* */* */*/* */*/*/*,$(O)/$(d)/*.d))
include $(wildcard contrib/*/*.mk tests/*.mk tests/*/*.mk)

objects: $(PROGRAM_OBJ)

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## */\1\t/p' $(filter-out %.d,$(MAKEFILE_LIST)) | sort | expand -t 12

# The first command of a source is the program's; the unit tests compile it again with sanitizers.
compdb: $(GENERATED) ## write compile_commands.json, for clangd and other tools
	@$(MAKE) -nB --no-print-directory V=1 objects $(UNIT_RUN) | \
		awk -v dir='$(CURDIR)' '/ -c -o / && !seen[$$NF]++ { gsub(/[\\"]/, "\\\\&"); \
			printf "%s{ \"directory\": \"%s\", \"file\": \"%s\", \"command\": \"%s\" }", \
				n++ ? ",\n" : "[\n", dir, $$NF, $$0 } END { print "\n]" }' >compile_commands.json

sizes: ## print the lines of the monitor and of each capability
	@contrib/sizes

howto: ## print each line that names an existing thing: WHAT=column
	@contrib/howto $(WHAT)

print-%:
	@echo $($*)

# Both compilers, clang as for make fuzz, the formatter, and which folder may include which.
STRICT = $(JOBS) --no-print-directory WERROR=-Werror
lint: ## both compilers, clang-format, rules of the folders
	@$(MAKE) $(STRICT) -s objects $(FUZZ)/core.a $(FUZZ)/src/main.o
	@O=$(O) MAKE=$(MAKE) CLANG_FORMAT=$(CLANG_FORMAT) tests/lint

# With CI=true a step that cannot run fails instead of being skipped. TESTS=tests/batch runs only the Python tests
# below it.
TESTS ?= tests
TESTED := all $(O)/rig/rig $(O)/forget/xdptop $(O)/tables/tables $(O)/count/xdptop $(O)/bench/synthetic $(O)/faults.so \
	$(O)/confined/confined $(O)/confined/tracer $(O)/follow/follower $(O)/follow/forgetful $(O)/week/week $(O)/week/jump
check: ## run all tests of a change; names packages before it installs them; NO_INSTALL=1 installs nothing
	@contrib/deps --try build $(CHECK_STEPS) tools
	@$(MAKE) $(STRICT) $(TESTED)
	@$(STEPS) FUZZ_SECONDS=0 tests/steps check $(CHECK_STEPS)

check-release: ## test what only a release has: packages, containers, musl, Prometheus, the static program, ASan
	@contrib/deps --try build fuzz pytest tools release static
	@contrib/deps --unpack $(O)/packages
	@$(MAKE) $(STRICT) $(TESTED) $(STATIC)/xdptop $(O)/asan/xdptop
	@$(STEPS) FUZZ_SECONDS=10 tests/steps check-release fuzz pytest-release

check-bare: ## both commands of README in a bare Debian 12, as root
	@contrib/deps --install bare
	@$(SUDO) env CI=$(CI) TESTS='$(TESTS)' tests/bare

CHECK_STEPS := lint unit fuzz pytest
# in a variable, because make -n runs each line that names make
STEPS = STEP='$(MAKE) $(STRICT)' TESTS='$(TESTS)'
# most tests wait, for an interval or a terminal
PYTESTS := 4
pytest: MARKED := not release
pytest-release: MARKED := release
# tests build as a user does, without -Werror
pytest pytest-release:
	@$(SUDO) env -u MAKEFLAGS -u WERROR CI=$(CI) $(PYTEST) -q -p no:cacheprovider -ra -n $(PYTESTS) --dist loadgroup -m '$(MARKED)' $(TESTS)

# Outputs and recordings; GENERATE=1 rewrites the goldens.
batch: all $(O)/tables/tables $(O)/count/xdptop $(O)/week/week $(O)/week/jump ## test outputs and recordings; GENERATE=1 rewrites the goldens
	@env CI=$(CI) GENERATE=$(GENERATE) $(PYTEST) -q -p no:cacheprovider -ra -n $(PYTESTS) --dist loadgroup \
		-m 'not release' tests/batch

kernel: all $(O)/rig/rig $(O)/forget/xdptop $(O)/confined/confined $(O)/confined/tracer $(O)/follow/follower \
		$(O)/follow/forgetful ## test against this kernel, as root
	@$(SUDO) env CI=$(CI) $(PYTEST) -q -p no:cacheprovider -ra tests/kernel

bench: ## measure what an event costs, as root; BEFORE=FILE measures another xdptop beside it
	@contrib/deps --install build tools bench
	@$(MAKE) $(JOBS) --no-print-directory all $(O)/rig/rig $(O)/bench/synthetic $(O)/tables/tables $(O)/follow/follower
	@$(SUDO) env BEFORE=$(BEFORE) tests/bench/bench

deps: ## install the packages that the build and the tests need
	@contrib/deps --install build $(CHECK_STEPS) tools release static
	@contrib/deps --unpack $(O)/packages

run: ## name and install missing packages, build, start with ARGS="..."
	@contrib/deps --try build
	@$(MAKE) $(JOBS) --no-print-directory all
	$(SUDO) ./xdptop $(ARGS)

demo: ## start it with its own traffic
	@contrib/deps --try build demo
	@$(MAKE) $(JOBS) --no-print-directory all $(O)/rig/rig
	@$(SUDO) contrib/demo $(O)/rig/rig ./xdptop $(ARGS)

picture: ## make README's pictures from recordings, in xterm and tmux
	@contrib/deps --install build picture
	@$(MAKE) $(JOBS) --no-print-directory all
	contrib/picture doc/xdptop.png
	contrib/animation doc/incident.svg

dashboard: ## check the dashboard with the types that Grafana publishes (npm)
	@tests/dashboard

# What goes where below $(DESTDIR): uninstall removes what install put there. UNITDIR= means no units, and no user
UNITS = $(addprefix $(UNITDIR)/,$(if $(UNITDIR),xdptop.service xdptop-listen.service xdptop-record.service))
SYSUSERS = $(if $(UNITDIR),$(SYSUSERSDIR)/xdptop.conf)
# INITDIR=/etc/init.d: the script of OpenRC, and its settings
INITS = $(if $(INITDIR),$(INITDIR)/xdptop-record $(dir $(INITDIR))conf.d/xdptop-record)
MAN_PAGES := $(wildcard man/*.[578])
INSTALLED = $(BINDIR)/xdptop $(foreach m,$(MAN_PAGES),$(MANDIR)/man$(patsubst .%,%,$(suffix $m))/$(notdir $m)) \
	$(BASHCOMPDIR)/xdptop $(ZSHCOMPDIR)/_xdptop $(FISHCOMPDIR)/xdptop.fish \
	$(UNITS) $(SYSUSERS) $(INITS) $(EXAMPLEDIR)/xdptop.rules.yml $(EXAMPLEDIR)/grafana.json $(EXAMPLEDIR)/xdptop.conf \
	$(EXAMPLEDIR)/incident.jsonl.zst
INSTALL_DIRS = $(patsubst %/,%,$(sort $(dir $(addprefix $(DESTDIR),$(INSTALLED)))))
INSTALL ?= install
INSTALL_DATA = $(INSTALL) -m 0644
# The folders created by install. uninstall removes them if empty; other folders may belong to somebody else.
MADE := $(O)/.made

install: all ## install below DESTDIR and PREFIX
	@{ cat $(MADE) 2>/dev/null; for d in $(INSTALL_DIRS); do \
		while [ ! -e "$$d" ]; do echo "$$d"; d=$$(dirname "$$d"); done; done; } >$(MADE).new
	@mv -f $(MADE).new $(MADE)
	$(INSTALL) -d $(INSTALL_DIRS)
	$(INSTALL) -m 0755 xdptop $(DESTDIR)$(BINDIR)/xdptop
	for page in $(MAN_PAGES); do $(INSTALL_DATA) $$page $(DESTDIR)$(MANDIR)/man$${page##*.} || exit; done
	$(INSTALL_DATA) completions/xdptop $(DESTDIR)$(BASHCOMPDIR)/xdptop
	$(INSTALL_DATA) completions/_xdptop $(DESTDIR)$(ZSHCOMPDIR)/_xdptop
	$(INSTALL_DATA) completions/xdptop.fish $(DESTDIR)$(FISHCOMPDIR)/xdptop.fish
	for unit in $(UNITS); do \
		sed 's|=/usr/bin/|=$(BINDIR)/|' contrib/*/$${unit##*/} >$(DESTDIR)$$unit && \
		chmod 0644 $(DESTDIR)$$unit || exit; \
	done
	$(if $(SYSUSERS),$(INSTALL_DATA) contrib/recorder/xdptop.sysusers $(DESTDIR)$(SYSUSERS))
	$(if $(INITDIR),sed 's|=/usr/bin/|=$(BINDIR)/|' contrib/recorder/xdptop-record.initd >$(DESTDIR)$(word 1,$(INITS)) && \
		chmod 0755 $(DESTDIR)$(word 1,$(INITS)) && \
		$(INSTALL_DATA) contrib/recorder/xdptop-record.confd $(DESTDIR)$(word 2,$(INITS)))
	$(INSTALL_DATA) contrib/prometheus/xdptop.rules.yml contrib/prometheus/grafana.json \
		doc/xdptop.conf doc/incident.jsonl.zst $(DESTDIR)$(EXAMPLEDIR)

uninstall: ## remove the files that install installed
	rm -f $(addprefix $(DESTDIR),$(INSTALLED))
	@rmdir $(DESTDIR)$(EXAMPLEDIR) $(DESTDIR)$(patsubst %/,%,$(dir $(EXAMPLEDIR))) 2>/dev/null || true
	@for d in $(INSTALL_DIRS); do \
		while grep -qxsF -e "$$d" $(MADE) && { [ ! -e "$$d" ] || rmdir "$$d"; }; do d=$$(dirname "$$d"); done; \
	done 2>/dev/null
	@[ ! -e $(MADE) ] || { xargs -rd '\n' ls -d <$(MADE) >$(MADE).new 2>/dev/null; mv -f $(MADE).new $(MADE); }

clean: ## remove everything that was built
	rm -rf $(O) xdptop compile_commands.json
