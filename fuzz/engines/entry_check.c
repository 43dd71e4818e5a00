/* The pair that campaigns run on: bytes as a program on the reference and on the compiled
 * executor. */
#include "harness/campaign/entry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    entry_check("reference,compiled", data, size);
    return 0;
}
