# twingrad. `make help` lists the targets; mk/ holds them, one file for each concern.
#   make CC=clang SAN=address,undefined OPT=-O1 BLAS=none
# Every combination of these variables has a folder of its own, $(BUILD)/<cc>-<san>-<opt>-<blas>/, so that variants do not
# overwrite each other and each one rebuilds incrementally.

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

.PHONY: all
all: twingrad ## build ./twingrad (the default)

MK := mk/build.mk mk/deps.mk mk/test.mk mk/bench.mk mk/engines.mk mk/cluster.mk mk/torch.mk mk/sanitizers.mk mk/dev.mk mk/install.mk mk/package.mk
include $(MK)

.PHONY: help
help: ## this list
	@grep -hE '^[a-z_. -]+:.*##' Makefile $(MK) | sed -E 's/:[^#]*## /\t/' | awk -F'\t' '{printf "  %-18s %s\n", $$1, $$2}'
	@echo "variables: CC=$(CC) SAN=$(SAN) OPT=$(OPT) BLAS=$(BLAS) BUILD=$(BUILD) PREFIX=$(PREFIX) V=$(V)"

.PHONY: clean
clean: ## remove what was built
	rm -rf $(BUILD) twingrad compile_commands.json
