# Compiling and linking: the library, the program, the unit tests.

empty   :=
comma   := ,
VARIANT := $(notdir $(firstword $(CC)))$(if $(SAN),-$(subst $(comma),+,$(SAN)))$(OPT)$(if $(filter none,$(BLAS)),-noblas)$(if $(EDGES),-edges)
OUT     := $(BUILD)/$(VARIANT)

WARN    := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
CPPFLAGS += -I. -isystem /usr/include/libxml2 -D_GNU_SOURCE $(if $(filter none,$(BLAS)),-DTWINGRAD_NO_BLAS)
ALL_CFLAGS := -std=c11 $(OPT) -g -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-strict-aliasing $(WARN) \
	$(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all) $(CFLAGS)
XML_LIBS := -lxml2
LDLIBS_ALL := -lcjson -lm -lpthread -ldl $(LDLIBS)

DIRS    := tensor program reference compiled fuzz harness
# The command line's own files are no part of the library; nor are the entry points of fuzzing engines.
BIN_SRC := harness/cli/main.c harness/cli/version.c
LIB_SRC := $(filter-out $(BIN_SRC) fuzz/engines/entry_%,$(wildcard $(addsuffix /*.c,$(DIRS)) $(addsuffix /*/*.c,$(DIRS))))
LIB_OBJ := $(LIB_SRC:%.c=$(OUT)/%.o)
BIN_OBJ := $(BIN_SRC:%.c=$(OUT)/%.o)
UNIT    := $(patsubst %.c,$(OUT)/%,$(wildcard $(DIRS:%=tests/%/*.c) $(DIRS:%=tests/%/*/*.c)))
# What every program runs through is compiled at -O3.
HOT     := $(filter tensor/% reference/% program/infer/% program/kernels/% program/ops/emit.c program/ops/slots.c program/ops/bind.c program/ops/typing.c,$(LIB_SRC))
DEPS    := $(LIB_OBJ:.o=.d) $(BIN_OBJ:.o=.d) $(UNIT:%=%.d)

Q := $(if $(V),,@)

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

# ---- version and commit (twingrad --version) ----

# The commit is compiled into harness/cli/version.c only, which is linked into the program but not into the library: a new commit
# compiles one file and links one program. mk/commit prints it; $(BUILD)/commit is written only when the commit changed.
VERSION := $(shell cat VERSION)
%/harness/util/version.o: CPPFLAGS += -DTWINGRAD_VERSION=$(VERSION)
%/harness/cli/version.o: CPPFLAGS += -DTWINGRAD_COMMIT=$(shell cat $(BUILD)/commit 2>/dev/null)
$(addsuffix /harness/util/version.o,$(OUT) $(BUILD)/libfuzzer $(BUILD)/afl/target $(BUILD)/cluster): VERSION
$(OUT)/harness/cli/version.o: $(BUILD)/commit
.PHONY: always
$(BUILD)/commit: always
	@mkdir -p $(BUILD)
	@mk/commit >$@.$$$$; if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi

-include $(DEPS)
