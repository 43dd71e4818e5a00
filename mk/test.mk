# Tests, and short campaigns.

SECONDS ?= 60
SEED    ?= 1
ENGINE  ?=
JOBS    ?=
FAULT   ?=
.PHONY: fuzz engine
fuzz: twingrad engine ## a campaign of SECONDS=60 on reference,compiled; findings go to reports/; ENGINE=libfuzzer|afl, JOBS=N, FAULT=RG-1
	./twingrad fuzz --seed $(SEED) --seconds $(SECONDS) --timing $(if $(FAULT),--fault $(FAULT)) $(if $(ENGINE)$(JOBS),--engine $(or $(ENGINE),builtin) \
	--jobs $(or $(JOBS),1) --out reports/$(or $(ENGINE),builtin)$(FAULT:%=-%),--out reports)

.PHONY: test check
test: twingrad $(UNIT) entries ## every test; the last line is "N passed, N failed"
	@TWINGRAD=$(abspath $(OUT)/twingrad) tests/run $(OUT)
check: twingrad $(UNIT) ## the unit tests and the layers only: under a minute
	@TWINGRAD=$(abspath $(OUT)/twingrad) tests/run $(OUT) tensor/ program/ reference/ compiled/ fuzz/ harness/ layers

.PHONY: faults
faults: twingrad ## does every seeded fault show in its witness, by the oracle predicted, and none without its fault? a sample of them by search?
	@TWINGRAD=$(abspath $(OUT)/twingrad) tests/checks/faults $(OUT)

.PHONY: check-found
check-found: ## do the scripts of docs/found.md still have the outcomes stated there, on each release of PyTorch that is installed?
	tools/found_bugs check

.PHONY: check-hunt
check-hunt: ## do the scripts of docs/hunt-2.15.md still show their differences on PyTorch 2.15.0?
	tools/hunt_bugs check

.PHONY: replay golden bless ops coverage
replay: twingrad ## replay the corpus: seeds, regressions and recorded PyTorch results
	./twingrad replay corpus/seeds corpus/regressions corpus/upstream/programs corpus/versions corpus/distilled corpus/golden/1.13
bless: twingrad ## rewrite the golden IR dumps of tests/golden (read the diff)
	tests/checks/golden_ir $(OUT) --bless
ops: twingrad ## write docs/reference/ops.md, the op table for readers, from `twingrad ops`
	tools/ops_table $(OUT)/twingrad >$(OUT)/ops.md && mv $(OUT)/ops.md docs/reference/ops.md
coverage: twingrad ## does the generator produce and execute every op in 200,000 programs?
	bench/coverage $(OUT)/twingrad
