/* The tiers of the compiled executor against each other. Needs a C compiler where it runs, so not
 * for clusters. */
#include "harness/campaign/entry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    entry_check("compiled,compiled:native", data, size);
    return 0;
}
