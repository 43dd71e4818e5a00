/* The target of campaigns (twingrad fuzz --engine): the pair, the fault and all other options are
 * in the file `job` of the folder that it runs in. It leaves findings to the campaign and goes on.
 */
#include "harness/campaign/worker.h"
#include "harness/cli/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* AFL++'s fork server, which starts targets. */
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    worker_follow_parent();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    worker_input(data, size, fuzz_parse, NULL);
    return 0;
}
