/* The byte codec: any bytes are a program, and every program comes back from its bytes. */
#include "harness/campaign/entry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    entry_codec(data, size);
    return 0;
}
