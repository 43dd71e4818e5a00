# PyTorch as an executor (docs/guide/targets.md). Nothing else needs it.

# The release that the target `torch` runs; targets/torch-version is the only place that names it.
TORCH_DEFAULT := $(shell cat targets/torch-version)
TORCH  ?= $(TORCH_DEFAULT)
RUNS   ?= 20000
TARGET ?= torch
# An environment is made for each release, and Inductor compiles C++ that includes Python.h; a search has it compiled by clang, which needs omp.h.
TORCH_PACKAGES := g++ python3-venv python3-dev
TORCH_CLANG := clang libomp-dev
.PHONY: torch torch113 torch-packages fidelity versions
torch: torch113 torch-packages ## install PyTorch for the targets: the default release, Debian's 1.13 by apt; TORCH="2.15.0 2.8.0" several, TORCH=newest what pip offers
	@PYTHON="$(PYTHON)" mk/torch $(TORCH_DEFAULT) $(TORCH)
torch-packages:
	$(call install_packages,$(TORCH_PACKAGES)) || \
	echo "apt cannot install $(TORCH_PACKAGES) here: making an environment, or the mode inductor, may fail"
	$(call install_packages,$(TORCH_CLANG)) || echo "apt cannot install $(TORCH_CLANG) here: a search in the mode inductor uses g++, and is slower"
torch113:
	@/usr/bin/python3 -c 'import torch' 2>/dev/null || { $(SUDO) apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq --no-install-recommends python3-torch; } || \
	echo "apt cannot install python3-torch here: target 'torch1.13' is unavailable"
versions: twingrad ## the answers of the installed releases of PyTorch, for the program of every rule in which they differ (docs/reference/versions.md)
	bench/versions ./twingrad
fidelity: twingrad ## RUNS=20000 random programs on the reference and on PyTorch (docs/guide/fidelity.md); TARGET=torch1.13, PROFILE=autograd: others
	bench/fidelity ./twingrad $(RUNS) $(SEED) $(TARGET):eager $(PROFILE)
