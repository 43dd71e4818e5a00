# The same tests under sanitizers. Each variant has its own objects.

.PHONY: asan msan
asan: ## all tests under AddressSanitizer and UndefinedBehaviorSanitizer
	ASAN_OPTIONS=detect_leaks=0 CK_FORK=no $(MAKE) SAN=address,undefined,float-cast-overflow OPT=-O1 test
msan: ## all tests under MemorySanitizer (clang, no BLAS, own C code and an uninstrumented cJSON)
	CK_FORK=no $(MAKE) CC=clang SAN=memory OPT=-O1 BLAS=none test
