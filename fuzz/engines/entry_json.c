/* The JSON reader: any text is a program that prints to a fixed point, or is refused with a
 * sentence. */
#include "harness/campaign/entry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    entry_json(data, size);
    return 0;
}
