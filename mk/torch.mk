# PyTorch as an executor (docs/guide/targets.md). Nothing else needs it.

TORCH ?= 2.13.0
RUNS  ?= 20000
.PHONY: torch fidelity versions
torch: ## install PyTorch for the targets: build/torch by pip, torch113 by apt, if available
	@[ -x build/torch/bin/python ] || python3 -m venv build/torch
	@build/torch/bin/python -c 'import torch' 2>/dev/null || build/torch/bin/pip install --quiet torch==$(TORCH) || \
	echo "pip cannot install torch==$(TORCH) here: target 'torch' is unavailable"
	@/usr/bin/python3 -c 'import torch' 2>/dev/null || { $(SUDO) apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq --no-install-recommends python3-torch; } || \
	echo "apt cannot install python3-torch here: target 'torch113' is unavailable"
versions: twingrad ## where PyTorch 2.13 differs from 1.13: every row of docs/reference/versions.md again, and RUNS=20000 random programs
	bench/versions ./twingrad $(RUNS) $(SEED)
fidelity: twingrad ## RUNS=20000 random programs on the reference and on PyTorch 1.13 (docs/guide/fidelity.md); PROFILE=autograd: others
	bench/fidelity ./twingrad $(RUNS) $(SEED) torch113:eager $(PROFILE)
