# twingrad: one Makefile, variables not variants.
#   make CC=clang SAN=address,undefined OPT=-O1 BLAS=none
# Objects of each combination stay apart under $(BUILD)/<cc>-<san>-<opt>-<blas>/, so builds never clash and each stays incremental.

CC      ?= gcc
ifeq ($(origin CC),default)
CC      := gcc
endif
SAN     ?=
OPT     ?= -O2
BLAS    ?= openblas
EDGES   ?=
BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
V       ?=

empty   :=
comma   := ,
LIBFUZZER := $(BUILD)/libfuzzer$(if $(SAN),-$(subst $(comma),+,$(SAN)))
AFL     := $(BUILD)/afl
ENGINE_NEEDS_libfuzzer := $(LIBFUZZER)/campaign
ENGINE_NEEDS_afl := $(AFL)/campaign $(AFL)/twingrad_mutators.so
VARIANT := $(notdir $(firstword $(CC)))$(if $(SAN),-$(subst $(comma),+,$(SAN)))$(OPT)$(if $(filter none,$(BLAS)),-noblas)$(if $(EDGES),-edges)
OUT     := $(BUILD)/$(VARIANT)

WARN    := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
CPPFLAGS += -I. -isystem /usr/include/libxml2 -D_GNU_SOURCE $(if $(filter none,$(BLAS)),-DTWINGRAD_NO_BLAS)
ALL_CFLAGS := -std=c11 $(OPT) -g -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-strict-aliasing $(WARN) \
	$(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all) $(CFLAGS)
XML_LIBS := -lxml2
LDLIBS_ALL := $(if $(filter none,$(BLAS)),,-lopenblas) -lcjson -lm -lpthread -ldl $(LDLIBS)

DIRS    := tensor program reference compiled fuzz harness
LIB_SRC := $(filter-out harness/cli/main.c fuzz/engines/entry_%,$(wildcard $(addsuffix /*.c,$(DIRS)) $(addsuffix /*/*.c,$(DIRS))))
LIB_OBJ := $(LIB_SRC:%.c=$(OUT)/%.o)
BIN_OBJ := $(OUT)/harness/cli/main.o
UNIT    := $(patsubst %.c,$(OUT)/%,$(wildcard $(DIRS:%=tests/%/*.c)))
# What every program runs through.
HOT     := $(filter tensor/% reference/% program/infer/% program/kernels/% program/ops/emit.c program/ops/bind.c program/ops/typing.c,$(LIB_SRC))
DEPS    := $(LIB_OBJ:.o=.d) $(BIN_OBJ:.o=.d) $(UNIT:%=%.d)

Q := $(if $(V),,@)

.PHONY: all
all: twingrad ## build ./twingrad (the default)

twingrad: $(OUT)/twingrad
	$(Q)cmp -s $< $@ || cp -f $< $@

$(OUT)/twingrad: $(LIB_OBJ) $(BIN_OBJ)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(XML_LIBS) $(LDLIBS_ALL)

$(OUT)/libtwingrad.a: $(LIB_OBJ)
	$(Q)rm -f $@ && ar rcs $@ $^

# EDGES=1 (clang): the binary counts the edges of compiled/ that it reaches; distill keeps programs by them too.
$(OUT)/compiled/%.o: COUNTED := $(if $(EDGES),-fsanitize-coverage=inline-8bit-counters$(comma)pc-table)
$(HOT:%.c=$(OUT)/%.o): HOTTER := $(filter -O3,$(OPT:-O2=-O3))
$(OUT)/%.o: %.c
	@mkdir -p $(dir $@)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(HOTTER) $(COUNTED) -MMD -MP -c -o $@ $<

$(UNIT): $(OUT)/tests/%: tests/%.c $(OUT)/libtwingrad.a
	@mkdir -p $(dir $@)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MF $@.d $(LDFLAGS) -o $@ $< $(OUT)/libtwingrad.a -lcheck -lsubunit -lrt $(XML_LIBS) $(LDLIBS_ALL)

.PHONY: objects
objects: $(LIB_OBJ) $(BIN_OBJ) ## compile everything, link nothing

# ---- the two jobs a newcomer runs ----

PACKAGES     := gcc libc6-dev libcjson-dev libxml2-dev check bats python3-jsonschema libxml2-utils tidy $(if $(filter none,$(BLAS)),,libopenblas-dev)
DEV_PACKAGES := clang clang-format libclang-rt-14-dev afl++ binutils file zip unzip shellcheck python3-yaml python3-venv cvise
PACKAGES_libfuzzer := clang libclang-rt-14-dev
PACKAGES_afl := afl++ clang
SUDO         := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
# Packages that are not installed yet, so that a second `make deps` needs neither network nor root.
define install_packages
	@missing=; for p in $(1); do dpkg-query -W -f '$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; done; \
	[ -z "$$missing" ] || { $(SUDO) apt-get update -qq && DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq --no-install-recommends $$missing; }
endef

.PHONY: deps deps-dev
deps: ## install what building, fuzzing and testing need (Debian packages; root or sudo), and the engine of ENGINE=libfuzzer or afl
	$(call install_packages,$(PACKAGES) $(PACKAGES_$(ENGINE)))
deps-dev: ## install clang and clang-format as well
	$(call install_packages,$(PACKAGES) $(DEV_PACKAGES))

SECONDS ?= 60
SEED    ?= 1
ENGINE  ?=
JOBS    ?=
FAULT   ?=
.PHONY: fuzz engine
fuzz: twingrad engine ## a campaign of SECONDS=60 on reference,compiled: says what it found and where (reports/); ENGINE=libfuzzer|afl, JOBS=N, FAULT=RG-1
	./twingrad fuzz --known corpus/known.json --seed $(SEED) --seconds $(SECONDS) --timing $(if $(FAULT),--fault $(FAULT)) $(if $(ENGINE)$(JOBS),--engine $(or $(ENGINE),builtin) \
	--jobs $(or $(JOBS),1) --out reports/$(or $(ENGINE),builtin)$(FAULT:%=-%),--out reports)
engine: $(ENGINE_NEEDS_$(ENGINE)) ## what ENGINE=libfuzzer or afl needs for campaigns

.PHONY: test check
test: twingrad $(UNIT) entries ## every test; the last line is "N passed, N failed"
	@TWINGRAD=$(abspath $(OUT)/twingrad) tests/run $(OUT)
check: twingrad $(UNIT) ## the unit tests and the layers only: under a minute
	@TWINGRAD=$(abspath $(OUT)/twingrad) tests/run $(OUT) tensor/ program/ reference/ compiled/ fuzz/ harness/ layers

.PHONY: ops coverage
ops: twingrad ## write docs/reference/ops.md, the op table for readers, out of twingrad ops
	tools/ops_table $(OUT)/twingrad >$(OUT)/ops.md && mv $(OUT)/ops.md docs/reference/ops.md
coverage: twingrad ## does the generator produce and execute every op in 200,000 programs?
	bench/coverage $(OUT)/twingrad

.PHONY: replay golden bless bench peak compile-time speed
replay: twingrad ## replay the corpus: seeds, regressions and recorded PyTorch results
	./twingrad replay --known corpus/known.json corpus/seeds corpus/regressions corpus/versions corpus/distilled corpus/golden
bless: twingrad ## rewrite the golden IR dumps of tests/golden (read the diff)
	tests/checks/golden_ir $(OUT) --bless
bench: $(OUT)/bench/bench peak ## programs checked per second on one core, by stage, after the table of peak
	$(OUT)/bench/bench

LOG2 ?= 20
peak: $(OUT)/bench/peak_run twingrad ## speed on 2^LOG2=20 elements (10,..,24): both tiers, plain loops, the machine's limit, PyTorch where it is
	bench/peak $(OUT)/bench/peak_run --log2 $(LOG2) --json $(OUT)/peak.jsonl
compile-time: $(OUT)/bench/compile_time ## microseconds a compilation, stage by stage: random programs and the large workloads
	bench/compile_time $(OUT)/bench/compile_time
speed: twingrad $(OUT)/bench/reference_rounds ## the reference beside eager PyTorch, where one is installed, in microseconds
	bench/speed ./twingrad $(OUT)/bench/reference_rounds

.PHONY: minimize reducers groups
minimize: $(OUT)/bench/minimize_run twingrad ## how small findings of every fault become, how fast, and what bisection blames (docs/guide/findings.md)
	bench/minimize $(OUT)/bench/minimize_run ./twingrad
reducers: $(OUT)/bench/minimize_run $(OUT)/bench/reducers_run ## our minimizer beside C-Vise and plain ddmin on the same findings
	bench/reducers $(OUT)/bench/minimize_run $(OUT)/bench/reducers_run
groups: twingrad ## campaigns with three faults at once, whose findings must end in three groups, and lists that name them as known
	bench/groups ./twingrad

$(OUT)/bench/%: bench/%.c $(OUT)/libtwingrad.a
	@mkdir -p $(dir $@)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(OUT)/libtwingrad.a $(LDLIBS_ALL)

# ---- fuzzing engines (docs/guide/campaigns.md) ----

ENTRIES := check native codec json
.PHONY: entries libfuzzer
entries: $(ENTRIES:%=$(OUT)/fuzz/engines/entry_%) ## the targets of engines with a main of their own, which replays files
$(OUT)/fuzz/engines/entry_%: fuzz/engines/entry_%.c fuzz/engines/entry_main.c $(OUT)/libtwingrad.a
	@mkdir -p $(dir $@)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS_ALL)

# For the tests: an entry that must fail (a seeded fault), and one that records what it finds and goes on.
$(OUT)/fuzz/engines/entry_faulty: DEFINES := -DENTRY_FAULT='"RG-1"'
$(OUT)/fuzz/engines/entry_recording: DEFINES := -DENTRY_FAULT='"RG-1"' -DRECORD
$(OUT)/fuzz/engines/entry_faulty $(OUT)/fuzz/engines/entry_recording: harness/campaign/entry.c fuzz/engines/entry_check.c fuzz/engines/entry_main.c $(OUT)/libtwingrad.a
	@mkdir -p $(dir $@)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(DEFINES) $(LDFLAGS) -o $@ $^ $(LDLIBS_ALL)
entries: $(OUT)/fuzz/engines/entry_faulty $(OUT)/fuzz/engines/entry_recording

# libFuzzer: edges of compiled/ only, no comparisons traced (the kernels and the judge are not what is explored); codec and json, which never come there, have those of what
# they explore instead.
TEXT_SRC := $(wildcard program/json/*.c fuzz/codec/*.c)
# Without a table of addresses: libFuzzer would note those of every input that it keeps, which takes longer than checking it (its log says cov: 0; ft counts).
EDGE_FLAGS := -fsanitize-coverage=inline-8bit-counters
# libFuzzer's driver. -fsanitize=fuzzer also puts a hook on every memcmp and strcmp, for a dictionary that mutators of programs have no use for: 4 % of the time.
FUZZER_DRIVER = $(or $(if $(SAN),,$(wildcard $(shell clang -print-resource-dir)/lib/linux/libclang_rt.fuzzer-$(shell uname -m).a)),-fsanitize=fuzzer$(if $(SAN),$(comma)$(SAN)))
libfuzzer: $(ENTRIES:%=$(LIBFUZZER)/%) $(LIBFUZZER)/campaign ## the same targets under libFuzzer, with our mutators (clang)
$(LIBFUZZER)/compiled/%.o: compiled/%.c
	@mkdir -p $(dir $@)
	$(Q)clang $(CPPFLAGS) $(ALL_CFLAGS) $(EDGE_FLAGS) -MMD -MP -c -o $@ $<
$(LIBFUZZER)/text/%.o: %.c
	@mkdir -p $(dir $@)
	$(Q)clang $(CPPFLAGS) $(ALL_CFLAGS) $(EDGE_FLAGS) -MMD -MP -c -o $@ $<
$(LIBFUZZER)/%.o: %.c
	@mkdir -p $(dir $@)
	$(Q)clang $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
$(LIBFUZZER)/libtwingrad.a: $(LIB_SRC:%.c=$(LIBFUZZER)/%.o)
	$(Q)rm -f $@ && ar rcs $@ $^
$(LIBFUZZER)/%: $(LIBFUZZER)/fuzz/engines/entry_%.o $(LIBFUZZER)/fuzz/engines/libfuzzer.o $(LIBFUZZER)/libtwingrad.a
	$(Q)clang $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter-out $(if $(filter json,$*),%/engines/libfuzzer.o),$(filter %.o,$^)) $(filter %.a,$^) $(FUZZER_DRIVER) $(LDLIBS_ALL) -lstdc++
$(LIBFUZZER)/codec $(LIBFUZZER)/json: $(TEXT_SRC:%.c=$(LIBFUZZER)/text/%.o)
.PRECIOUS: $(LIBFUZZER)/%.o $(AFL)/%.o
-include $(wildcard $(addprefix $(LIBFUZZER)/,*/*.d */*/*.d */*/*/*.d))

# Coverage growth: one measuring program, linked as the builtin engine, under libFuzzer with its own mutations of bytes, with our mutators, and with our feedback too.
GROWTH := $(LIBFUZZER)/growth_builtin $(LIBFUZZER)/growth_bytes $(LIBFUZZER)/growth_mutators $(LIBFUZZER)/growth_feedback
.PHONY: growth
growth: $(GROWTH) twingrad ## coverage growth of the engines' modes over equal CPU time (bench/growth; SEEDS=10, CPU=30)
	bench/growth $(LIBFUZZER) $(or $(SEEDS),10) $(or $(CPU),30)
$(LIBFUZZER)/growth_bytes $(LIBFUZZER)/growth_mutators: GROWTH_FLAGS := -DUNDER_LIBFUZZER -DWITHOUT_FEEDBACK
$(LIBFUZZER)/growth_feedback: GROWTH_FLAGS := -DUNDER_LIBFUZZER
$(LIBFUZZER)/growth_bytes: GROWTH_DRIVER := -fsanitize=fuzzer
$(LIBFUZZER)/growth_mutators $(LIBFUZZER)/growth_feedback: GROWTH_DRIVER = $(LIBFUZZER)/fuzz/engines/libfuzzer.o $(FUZZER_DRIVER)
$(GROWTH): bench/growth_run.c $(LIBFUZZER)/fuzz/engines/libfuzzer.o $(LIBFUZZER)/libtwingrad.a
	$(Q)clang $(CPPFLAGS) $(ALL_CFLAGS) $(GROWTH_FLAGS) -c -o $@.o $<
	$(Q)clang $(ALL_CFLAGS) $(LDFLAGS) -o $@ $@.o $(GROWTH_DRIVER) $(LIBFUZZER)/libtwingrad.a $(LDLIBS_ALL) $(if $(GROWTH_DRIVER),-lstdc++)

# AFL++: the mutators as a library for AFL_CUSTOM_MUTATOR_LIBRARY, and the target of campaigns, of which compiled/ has counters on its edges.
AFL_SRC := $(filter tensor/% program/% fuzz/%,$(LIB_SRC))
.PHONY: afl-mutators
afl-mutators: $(AFL)/twingrad_mutators.so ## the mutators as a library for AFL++
$(AFL)/%.o: %.c
	@mkdir -p $(dir $@)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -fPIC -MMD -MP -c -o $@ $<
$(AFL)/twingrad_mutators.so: $(AFL_SRC:%.c=$(AFL)/%.o)
	$(Q)$(CC) $(ALL_CFLAGS) -shared $(LDFLAGS) -o $@ $^ -lcjson -lm
$(AFL)/target/compiled/%.o: compiled/%.c
	@mkdir -p $(dir $@)
	$(Q)AFL_QUIET=1 AFL_DONT_OPTIMIZE=1 afl-clang-fast $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
$(AFL)/target/%.o: %.c
	@mkdir -p $(dir $@)
	$(Q)clang $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
$(AFL)/libtwingrad.a: $(LIB_SRC:%.c=$(AFL)/target/%.o)
	$(Q)rm -f $@ && ar rcs $@ $^
$(AFL)/campaign: $(AFL)/target/fuzz/engines/entry_campaign.o $(AFL)/libtwingrad.a
	$(Q)AFL_QUIET=1 AFL_DONT_OPTIMIZE=1 afl-clang-fast $(ALL_CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(LDLIBS_ALL)
$(AFL)/check: $(AFL)/target/fuzz/engines/entry_check.o $(AFL)/libtwingrad.a
	$(Q)AFL_QUIET=1 AFL_DONT_OPTIMIZE=1 afl-clang-fast $(ALL_CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(LDLIBS_ALL)
-include $(wildcard $(addprefix $(AFL)/,*/*.d */*/*.d */*/*/*.d))

# Clusters (oss-fuzz/build.sh): the targets that can run anywhere, for the engine, compiler and flags that CC, CXX, CFLAGS, CXXFLAGS and LIB_FUZZING_ENGINE say (without an
# engine: the main that replays files), linked statically with the cJSON of the folder CJSON. What is instrumented for coverage is as above.
CLUSTER         := $(BUILD)/cluster
CLUSTER_TARGETS := check codec json
CLUSTER_SRC     := $(filter-out $(shell grep -l '<libxml/' $(LIB_SRC)) fuzz/engines/afl.c fuzz/engines/libfuzzer.c,$(LIB_SRC))
CLUSTER_FLAGS   := $(CPPFLAGS) -DTWINGRAD_NO_BLAS -I$(CJSON)/.. $(ALL_CFLAGS)
.PHONY: cluster-targets check-ossfuzz
cluster-targets: $(CLUSTER_TARGETS:%=$(TARGETS)/twingrad_%)
CLUSTER_EDGES   := $(CLUSTER_FLAGS) $(if $(filter -fsanitize=fuzzer-no-link,$(CFLAGS)),-fno-sanitize-coverage=trace-cmp)
$(CLUSTER)/compiled/%.o: compiled/%.c
	@mkdir -p $(dir $@)
	$(Q)$(CC) $(CLUSTER_EDGES) -c -o $@ $<
$(CLUSTER)/text/%.o: %.c
	@mkdir -p $(dir $@)
	$(Q)$(CC) $(CLUSTER_EDGES) -c -o $@ $<
$(CLUSTER)/%.o: %.c
	@mkdir -p $(dir $@)
	$(Q)AFL_LLVM_ALLOWLIST=$(CURDIR)/fuzz/engines/afl_nothing.txt $(CC) $(filter-out -fsanitize=fuzzer-no-link,$(CLUSTER_FLAGS)) -c -o $@ $<
$(CLUSTER)/cJSON.o: $(CJSON)/cJSON.c
	@mkdir -p $(dir $@)
	$(Q)$(CC) $(filter-out -fsanitize=fuzzer-no-link,$(CFLAGS)) -c -o $@ $<
$(CLUSTER)/libtwingrad.a: $(CLUSTER_SRC:%.c=$(CLUSTER)/%.o) $(CLUSTER)/cJSON.o
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(TARGETS)/twingrad_%: $(CLUSTER)/fuzz/engines/entry_%.o $(CLUSTER)/fuzz/engines/libfuzzer.o $(CLUSTER)/fuzz/engines/entry_main.o $(CLUSTER)/libtwingrad.a
	$(Q)$(CXX) $(CXXFLAGS) $(LDFLAGS) -o $@ $(filter-out $(if $(LIB_FUZZING_ENGINE),$(if $(filter json,$*),%/engines/libfuzzer.o) %/entry_main.o,%/engines/libfuzzer.o),$(filter %.o,$^)) \
	$(filter %.a,$^) $(LIB_FUZZING_ENGINE) -lm -lpthread -ldl
$(TARGETS)/twingrad_codec $(TARGETS)/twingrad_json: $(TEXT_SRC:%.c=$(CLUSTER)/text/%.o)
.PRECIOUS: $(CLUSTER)/%.o
.PHONY: bench-engines
bench-engines: twingrad $(OUT)/bench/bench ## programs a second by engine, with and without sanitizers, and by stage (docs/guide/campaigns.md)
	$(Q)$(MAKE) $(BUILD)/libfuzzer/check afl-mutators $(AFL)/check
	$(Q)$(MAKE) SAN=address,undefined CFLAGS=-fsanitize-trap=undefined $(BUILD)/libfuzzer-address+undefined/check
	bench/engines $(BUILD)
check-ossfuzz: ## the contract of OSS-Fuzz, without docker: build.sh and its targets under {libfuzzer, afl} x {address, undefined}
	oss-fuzz/check

# ---- PyTorch as an executor (docs/guide/targets.md); nothing else needs it ----

TORCH ?= 2.13.0
RUNS  ?= 20000
.PHONY: torch fidelity versions
torch: ## install PyTorch for the targets: build/torch by pip, torch113 by apt where that is to be had
	@[ -x build/torch/bin/python ] || python3 -m venv build/torch
	@build/torch/bin/python -c 'import torch' 2>/dev/null || build/torch/bin/pip install --quiet torch==$(TORCH) || \
	echo "pip cannot install torch==$(TORCH) here: target 'torch' stays away"
	@/usr/bin/python3 -c 'import torch' 2>/dev/null || { $(SUDO) apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq --no-install-recommends python3-torch; } || \
	echo "apt cannot install python3-torch here: target 'torch113' stays away"
versions: twingrad ## where PyTorch 2.13 differs from 1.13: every row of docs/reference/versions.md again, and RUNS=20000 random programs
	bench/versions ./twingrad $(RUNS) $(SEED)
fidelity: twingrad ## RUNS=20000 random programs on the reference and on PyTorch 1.13 (docs/guide/fidelity.md); PROFILE=autograd: others
	bench/fidelity ./twingrad $(RUNS) $(SEED) torch113:eager $(PROFILE)

# ---- sanitizers: the same tests, objects apart ----

.PHONY: asan msan
asan: ## all tests under AddressSanitizer and UndefinedBehaviorSanitizer
	ASAN_OPTIONS=detect_leaks=0 CK_FORK=no $(MAKE) SAN=address,undefined,float-cast-overflow OPT=-O1 test
msan: ## all tests under MemorySanitizer (clang, no BLAS, own C code and an uninstrumented cJSON)
	CK_FORK=no $(MAKE) CC=clang SAN=memory OPT=-O1 BLAS=none test

# ---- the house ----

.PHONY: layers format install uninstall
layers: objects ## what folders may include, their sizes, and link-level cycles
	@tests/checks/layers $(OUT)
	@tests/checks/cycles $(OUT)
format: ## clang-format every C file
	clang-format -i $(wildcard $(addsuffix /*.[ch],$(DIRS) tests bench) $(addsuffix /*/*.[ch],$(DIRS) tests))
compile_commands.json: $(LIB_SRC) Makefile ## for editors
	@{ echo '['; sep=; for f in $(LIB_SRC) harness/cli/main.c; do \
	printf '%s{"directory":"%s","file":"%s","command":"%s"}\n' "$$sep" "$(CURDIR)" "$$f" \
	'$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -c '"$$f"; sep=,; done; echo ']'; } > $@

install: twingrad ## install to $(DESTDIR)$(PREFIX): binary, man page, schema
	install -D -m 755 twingrad $(DESTDIR)$(PREFIX)/bin/twingrad
	install -D -m 644 docs/man/twingrad.1 $(DESTDIR)$(PREFIX)/share/man/man1/twingrad.1
	install -D -m 644 targets/targets.json $(DESTDIR)$(PREFIX)/share/twingrad/targets/targets.json
	install -D -m 755 targets/torch_target.py $(DESTDIR)$(PREFIX)/share/twingrad/targets/torch_target.py
	install -D -m 644 corpus/schema.json $(DESTDIR)$(PREFIX)/share/twingrad/schema.json
uninstall: ## remove what install installed
	rm -f $(DESTDIR)$(PREFIX)/bin/twingrad $(DESTDIR)$(PREFIX)/share/man/man1/twingrad.1
	rm -rf $(DESTDIR)$(PREFIX)/share/twingrad

.PHONY: help
help: ## this list
	@grep -hE '^[a-z_. -]+:.*##' Makefile | sed -E 's/:[^#]*## /|/' | awk -F'|' '{printf "  %-18s %s\n", $$1, $$2}'
	@echo "variables: CC=$(CC) SAN=$(SAN) OPT=$(OPT) BLAS=$(BLAS) BUILD=$(BUILD) PREFIX=$(PREFIX) V=$(V)"

.PHONY: clean
clean: ## remove what was built
	rm -rf $(BUILD) twingrad compile_commands.json

-include $(DEPS)
