/* The native tier, as callers of the executor see it: open it, name it in CompileOptions.native,
 * close it. */
#ifndef COMPILED_CORE_NATIVE_TIER_H
#define COMPILED_CORE_NATIVE_TIER_H

#include "tensor/base.h"

/* What the native tier has compiled, and where that is kept. Not shared by threads. */
typedef struct Native Native;
typedef struct NativeSettings {
    const char *cache; /* folder; NULL: the user's ($XDG_CACHE_HOME, ~/.cache, $TMPDIR); "none":
                          nothing is kept */
} NativeSettings;
/* Finds the C compiler ($CC, else cc) and tries it. NULL, and one sentence in `message`, if none
 * works. */
Native *native_open(const NativeSettings *settings, char *message, size_t message_size);
void native_close(Native *native);

#endif
