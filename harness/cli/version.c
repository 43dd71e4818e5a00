/* twingrad --version. The build defines TWINGRAD_COMMIT for this file only (mk/build.mk): a git
 * hash, with "-dirty" if tracked files were changed, or "unknown". */
#include "harness/util/version.h"

#include "harness/cli/command.h"

#include <stdio.h>

#define QUOTE(x) #x
#define EXPAND_AND_QUOTE(x) QUOTE(x)

const char *cli_commit(void) { return EXPAND_AND_QUOTE(TWINGRAD_COMMIT); }

int cmd_version(void) {
    printf("twingrad %s\ncommit: %s\ncompiler: %s\nsemantics: PyTorch %s\nprogram format: 1, 2\n",
           twingrad_version(), cli_commit(), TWINGRAD_COMPILER, semantics_name(SEMANTICS_DEFAULT));
    return finish(EXIT_AGREE);
}
