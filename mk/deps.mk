# Debian packages that building, testing and fuzzing need.

PACKAGES     := gcc libc6-dev libcjson-dev libxml2-dev check bats python3-jsonschema libxml2-utils tidy $(if $(filter none,$(BLAS)),,libopenblas-dev)
DEV_PACKAGES := clang clang-format libclang-rt-14-dev afl++ binutils file zip unzip shellcheck python3-yaml python3-venv cvise
DEB_PACKAGES := build-essential dpkg-dev debhelper fakeroot lintian
NIGHTLY_PACKAGES := mmdebstrap zsh man-db $(DEB_PACKAGES)
PACKAGES_libfuzzer := clang libclang-rt-14-dev
PACKAGES_afl := afl++ clang
SUDO         := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
# Installs only what is missing, so that a second `make deps` needs neither network nor root.
define install_packages
	@missing=; for p in $(1); do dpkg-query -W -f '$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; done; \
	[ -z "$$missing" ] || { $(SUDO) apt-get update -qq && DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq --no-install-recommends $$missing; }
endef

.PHONY: deps deps-dev deps-deb deps-nightly
deps: ## install what building, fuzzing and testing need (Debian packages; root or sudo), and the engine of ENGINE=libfuzzer or afl
	$(call install_packages,$(PACKAGES) $(PACKAGES_$(ENGINE)))
deps-dev: ## install clang and clang-format as well
	$(call install_packages,$(PACKAGES) $(DEV_PACKAGES))
deps-deb: ## install what make deb needs
	$(call install_packages,$(PACKAGES) $(DEB_PACKAGES))
deps-nightly: ## install what .ci/nightly needs besides deps-dev
	$(call install_packages,$(PACKAGES) $(DEV_PACKAGES) $(NIGHTLY_PACKAGES))
