# Fuzzing clusters (oss-fuzz/build.sh): the targets that run anywhere, built with the CC, CXX, CFLAGS, CXXFLAGS and LIB_FUZZING_ENGINE of the environment
# and linked statically with the cJSON in the folder CJSON. Without LIB_FUZZING_ENGINE they get the main that replays files. The same folders are
# instrumented for coverage as in mk/engines.mk.

CLUSTER         := $(BUILD)/cluster
CLUSTER_TARGETS := check codec json
CLUSTER_SRC     := $(filter-out $(shell grep -l '<libxml/' $(LIB_SRC)) fuzz/engines/afl.c fuzz/engines/libfuzzer.c,$(LIB_SRC))
CLUSTER_FLAGS    = $(CPPFLAGS) -DTWINGRAD_NO_BLAS -I$(CJSON)/.. $(ALL_CFLAGS)
CLUSTER_EDGES    = $(CLUSTER_FLAGS) $(if $(filter -fsanitize=fuzzer-no-link,$(CFLAGS)),-fno-sanitize-coverage=trace-cmp)
.PHONY: cluster-targets check-ossfuzz
cluster-targets: $(CLUSTER_TARGETS:%=$(TARGETS)/twingrad_%)
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
check-ossfuzz: ## the contract of OSS-Fuzz, without docker: build.sh and its targets under {libfuzzer, afl} x {address, undefined}
	oss-fuzz/check
