# Measurements. Results are recorded in bench/results/.

LOG2 ?= 20
.PHONY: bench peak compile-time speed
bench: $(OUT)/bench/bench peak ## programs checked per second on one core, by stage, after the table of peak
	$(OUT)/bench/bench
peak: $(OUT)/bench/peak_run twingrad ## speed on 2^LOG2=20 elements (10,..,24): both tiers, plain loops, the roofline, PyTorch if installed
	bench/peak $(OUT)/bench/peak_run --log2 $(LOG2) --json $(OUT)/peak.jsonl
compile-time: $(OUT)/bench/compile_time ## microseconds per compilation, by stage: random programs and the large workloads
	bench/compile_time $(OUT)/bench/compile_time
speed: twingrad $(OUT)/bench/reference_rounds ## the reference and eager PyTorch (if installed), in microseconds
	bench/speed ./twingrad $(OUT)/bench/reference_rounds

.PHONY: minimize reducers groups
minimize: $(OUT)/bench/minimize_run twingrad ## the size of minimized findings of every fault, the time it takes, and what bisection blames (docs/guide/findings.md)
	bench/minimize $(OUT)/bench/minimize_run ./twingrad
reducers: $(OUT)/bench/minimize_run $(OUT)/bench/reducers_run ## our minimizer, C-Vise and plain ddmin on the same findings
	bench/reducers $(OUT)/bench/minimize_run $(OUT)/bench/reducers_run
groups: twingrad ## campaigns with three faults at once: findings must form three groups, and known-issue lists must match them
	bench/groups ./twingrad

.PHONY: bench-engines
bench-engines: twingrad $(OUT)/bench/bench ## programs per second by engine, with and without sanitizers, and by stage (docs/guide/campaigns.md)
	$(Q)$(MAKE) $(BUILD)/libfuzzer/check afl-mutators $(AFL)/check
	$(Q)$(MAKE) SAN=address,undefined CFLAGS=-fsanitize-trap=undefined $(BUILD)/libfuzzer-address+undefined/check
	bench/engines $(BUILD)

$(OUT)/bench/%: bench/%.c $(OUT)/libtwingrad.a
	@mkdir -p $(dir $@)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(OUT)/libtwingrad.a $(LDLIBS_ALL)
