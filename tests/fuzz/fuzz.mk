# SPDX-License-Identifier: GPL-2.0-or-later
# libFuzzer with ASan and UBSan: make fuzz [SECONDS=60] for each target; 0 runs the corpus only. Inputs that
# find a bug go to tests/fuzz/corpus/; new inputs that only widen the coverage go to $(O)/fuzz/corpus.
FUZZ := $(O)/fuzz
SECONDS ?= 60
FUZZERS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_CFLAGS := -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined \
	-fno-sanitize-recover=all

$(FUZZ)/%.o: %.c | $(O)/.deps $(GENERATED)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CLANG) $(CPPFLAGS_ALL) -std=gnu11 $(filter-out -Wno-format-truncation,$(WARN)) $(FUZZ_CFLAGS) -MMD -MP -c -o $@ $<

# An archive: a target links only what it uses, so none needs libbpf because another does.
$(FUZZ)/core.a: $(patsubst %.c,$(FUZZ)/%.o,$(SRC) $(UI_SRC))
	@rm -f $@
	$(Q)$(AR) rcs --thin $@ $^

$(FUZZ)/fuzz_%: $(FUZZ)/tests/fuzz/fuzz_%.o $(FUZZ)/core.a
	$(call say,LINK)
	$(Q)$(CLANG) -fsanitize=fuzzer,address,undefined -o $@ $^ $(LDLIBS_ALL)

.PRECIOUS: $(FUZZ)/%.o
.PHONY: fuzz
fuzz: $(FUZZERS:%=$(FUZZ)/fuzz_%) ## fuzz the parsers, SECONDS=60 each
	@for f in $(FUZZERS); do \
		mkdir -p $(FUZZ)/corpus/$$f; \
		$(FUZZ)/fuzz_$$f $(if $(filter 0,$(SECONDS)),-runs=0,-max_total_time=$(SECONDS)) -timeout=60 -rss_limit_mb=2048 -max_len=16384 \
			-close_fd_mask=3 -print_funcs=0 -artifact_prefix=$(FUZZ)/$$f- -print_final_stats=1 \
			$(FUZZ)/corpus/$$f tests/fuzz/corpus/$$f >$(FUZZ)/$$f.log 2>&1 || \
			{ tail -n 40 $(FUZZ)/$$f.log; echo "fuzz: $$f FAILED" >&2; exit 1; }; \
		echo "fuzz: $$f: $$(sed -n 's/.*number_of_executed_units: //p' $(FUZZ)/$$f.log) runs, none failed"; \
	done
