# Fuzzing engines: entry points that replay files, libFuzzer targets, AFL++ mutators and target (docs/guide/campaigns.md).

LIBFUZZER := $(BUILD)/libfuzzer$(if $(SAN),-$(subst $(comma),+,$(SAN)))
AFL       := $(BUILD)/afl
ENGINE_NEEDS_libfuzzer := $(LIBFUZZER)/campaign
ENGINE_NEEDS_afl := $(AFL)/campaign $(AFL)/twingrad_mutators.so

ENTRIES := check native codec json
.PHONY: engine entries libfuzzer afl-mutators growth
engine: $(ENGINE_NEEDS_$(ENGINE)) ## what ENGINE=libfuzzer or afl needs for campaigns
	$(if $(filter-out builtin libfuzzer afl,$(ENGINE)),$(error there is no engine '$(ENGINE)': builtin, libfuzzer, afl))@:
entries: $(ENTRIES:%=$(OUT)/fuzz/engines/entry_%) ## the fuzz targets with a main of their own, which replays files
$(OUT)/fuzz/engines/entry_%: fuzz/engines/entry_%.c fuzz/engines/entry_main.c $(OUT)/libtwingrad.a
	@mkdir -p $(dir $@)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS_ALL)

# For the tests: an entry with a seeded fault, which must fail, and one that records its findings and continues.
$(OUT)/fuzz/engines/entry_faulty: DEFINES := -DENTRY_FAULT='"RG-1"'
$(OUT)/fuzz/engines/entry_recording: DEFINES := -DENTRY_FAULT='"RG-1"' -DRECORD
$(OUT)/fuzz/engines/entry_faulty $(OUT)/fuzz/engines/entry_recording: harness/campaign/entry.c fuzz/engines/entry_check.c fuzz/engines/entry_main.c $(OUT)/libtwingrad.a
	@mkdir -p $(dir $@)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(DEFINES) $(LDFLAGS) -o $@ $^ $(LDLIBS_ALL)
entries: $(OUT)/fuzz/engines/entry_faulty $(OUT)/fuzz/engines/entry_recording

# ---- libFuzzer ----

# Only the edges of compiled/ count, and comparisons are not traced: kernels and comparison code are not what a campaign explores. The targets
# codec and json never reach compiled/; for them the edges of the decoders count.
TEXT_SRC := $(wildcard program/json/*.c fuzz/codec/*.c)
# No table of addresses: libFuzzer would record those of every input it keeps, which takes longer than checking the input. (Its log therefore says
# "cov: 0"; "ft" is the number of features.)
EDGE_FLAGS := -fsanitize-coverage=inline-8bit-counters
# Without a sanitizer, link the driver archive alone: -fsanitize=fuzzer also hooks every memcmp and strcmp to build a dictionary, which costs 4 % of the time
# and is of no use to mutators of programs.
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

# Coverage growth. One measuring program is linked four times: as the builtin engine, and under libFuzzer with its own byte mutations, with our mutators,
# and with our mutators and our feedback.
GROWTH := $(LIBFUZZER)/growth_builtin $(LIBFUZZER)/growth_bytes $(LIBFUZZER)/growth_mutators $(LIBFUZZER)/growth_feedback
growth: $(GROWTH) twingrad ## coverage growth of the engines' modes over equal CPU time (bench/growth; SEEDS=10, CPU=30)
	bench/growth $(LIBFUZZER) $(or $(SEEDS),10) $(or $(CPU),30)
$(LIBFUZZER)/growth_bytes $(LIBFUZZER)/growth_mutators: GROWTH_FLAGS := -DUNDER_LIBFUZZER -DWITHOUT_FEEDBACK
$(LIBFUZZER)/growth_feedback: GROWTH_FLAGS := -DUNDER_LIBFUZZER
$(LIBFUZZER)/growth_bytes: GROWTH_DRIVER := -fsanitize=fuzzer
$(LIBFUZZER)/growth_mutators $(LIBFUZZER)/growth_feedback: GROWTH_DRIVER = $(LIBFUZZER)/fuzz/engines/libfuzzer.o $(FUZZER_DRIVER)
$(GROWTH): bench/growth_run.c $(LIBFUZZER)/fuzz/engines/libfuzzer.o $(LIBFUZZER)/libtwingrad.a
	$(Q)clang $(CPPFLAGS) $(ALL_CFLAGS) $(GROWTH_FLAGS) -c -o $@.o $<
	$(Q)clang $(ALL_CFLAGS) $(LDFLAGS) -o $@ $@.o $(GROWTH_DRIVER) $(LIBFUZZER)/libtwingrad.a $(LDLIBS_ALL) $(if $(GROWTH_DRIVER),-lstdc++)

# ---- AFL++ ----

# The mutators are a library for AFL_CUSTOM_MUTATOR_LIBRARY; in the target of campaigns, only compiled/ is instrumented.
AFL_SRC := $(filter tensor/% program/% fuzz/%,$(LIB_SRC))
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

-include $(wildcard $(addprefix $(LIBFUZZER)/,*/*.d */*/*.d */*/*/*.d) $(addprefix $(AFL)/,*/*.d */*/*.d */*/*/*.d))
