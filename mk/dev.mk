# For developers: include layers, formatting, vocabulary, editors.

.PHONY: layers format check-format vocabulary
layers: objects ## check include direction, folder and file sizes, and link-level cycles
	@tests/checks/layers $(OUT)
	@tests/checks/cycles $(OUT)
format: ## clang-format every C file (version 14)
	tools/c_files | xargs clang-format -i
check-format: ## does every C file have the format of make format?
	@tests/checks/format $(OUT)
vocabulary: ## terms to avoid (tools/vocabulary.tsv), hits per folder
	@python3 tests/checks/vocabulary --count
compile_commands.json: $(LIB_SRC) Makefile $(MK) ## for editors
	@{ echo '['; sep=; for f in $(LIB_SRC) $(BIN_SRC); do \
	printf '%s{"directory":"%s","file":"%s","command":"%s"}\n' "$$sep" "$(CURDIR)" "$$f" \
	'$(CC) $(CPPFLAGS) -DTWINGRAD_VERSION=$(VERSION) -DTWINGRAD_COMMIT=unknown $(ALL_CFLAGS) -c '"$$f"; sep=,; done; echo ']'; } > $@
