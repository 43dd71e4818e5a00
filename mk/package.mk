# A Debian package (packaging in debian/). The build runs in a copy of the tracked files, so that this tree stays as it is.

DEB := $(BUILD)/deb
.PHONY: deb
deb: ## build a Debian package in build/deb and check it with lintian (make deps-deb installs the tools)
	tools/build_deb $(DEB)
