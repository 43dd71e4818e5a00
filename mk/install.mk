# make install and make uninstall. Both read the same list, so that uninstall removes exactly what install wrote.

SHARE := $(PREFIX)/share
ZSH_COMPLETIONS ?= $(SHARE)/zsh/site-functions
SEED_FILES := $(wildcard corpus/seeds/*.json corpus/upstream/outcomes.json corpus/upstream/programs/*.json)
# FILE:MODE:PLACE; with ENGINE=libfuzzer or afl also what campaigns of that engine need.
INSTALLED := twingrad:755:$(PREFIX)/bin/twingrad \
	$(foreach f,$(wildcard docs/man/*.[1-8]),$(f):644:$(SHARE)/man/man$(subst .,,$(suffix $(f)))/$(notdir $(f))) \
	targets/targets.json:644:$(SHARE)/twingrad/targets/targets.json \
	targets/error_codes.tsv:644:$(SHARE)/twingrad/targets/error_codes.tsv \
	targets/torch_target.py:755:$(SHARE)/twingrad/targets/torch_target.py \
	$(foreach f,$(filter-out targets/torch_target.py,$(wildcard targets/*.py)),$(f):644:$(SHARE)/twingrad/$(f)) \
	corpus/schema.json:644:$(SHARE)/twingrad/schema.json \
	corpus/known/torch.json:644:$(SHARE)/twingrad/corpus/known/torch.json \
	$(foreach f,$(SEED_FILES),$(f):644:$(SHARE)/twingrad/$(f)) \
	completions/twingrad.bash:644:$(SHARE)/bash-completion/completions/twingrad \
	completions/_twingrad:644:$(ZSH_COMPLETIONS)/_twingrad \
	$(foreach f,$(ENGINE_NEEDS_$(ENGINE)),$(f):755:$(PREFIX)/libexec/twingrad/$(ENGINE)/$(notdir $(f)))
# Folders that belong to twingrad alone, deepest first: uninstall removes them once they are empty.
OWN_FOLDERS := $(SHARE)/twingrad/corpus/seeds $(SHARE)/twingrad/corpus/upstream/programs $(SHARE)/twingrad/corpus/upstream $(SHARE)/twingrad/corpus/known $(SHARE)/twingrad/corpus $(SHARE)/twingrad/targets $(SHARE)/twingrad \
	$(if $(ENGINE),$(PREFIX)/libexec/twingrad/$(ENGINE) $(PREFIX)/libexec/twingrad)

.PHONY: install uninstall
install: twingrad engine ## install to $(DESTDIR)$(PREFIX): program, targets, man page, schema, seeds, bash and zsh completion; ENGINE=libfuzzer|afl too
	@set -e; for row in $(INSTALLED); do \
	file=$${row%%:*}; rest=$${row#*:}; install -D -m $${rest%%:*} $$file "$(DESTDIR)$${rest#*:}"; done
uninstall: ## remove what install wrote (same PREFIX, DESTDIR and ENGINE)
	@for row in $(INSTALLED); do rm -f "$(DESTDIR)$${row##*:}"; done
	@for folder in $(OWN_FOLDERS); do [ ! -d "$(DESTDIR)$$folder" ] || rmdir --ignore-fail-on-non-empty "$(DESTDIR)$$folder"; done
