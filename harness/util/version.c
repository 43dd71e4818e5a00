/* The version as a string. The build defines TWINGRAD_VERSION for this file only (mk/build.mk). */
#include "harness/util/version.h"

#define QUOTE(x) #x
#define EXPAND_AND_QUOTE(x) QUOTE(x)

const char *twingrad_version(void) { return EXPAND_AND_QUOTE(TWINGRAD_VERSION); }
