/* The seeded faults of the code cache: what a look-up serves although the guard refuses it. All are
 * called only with a seeded fault. */
#ifndef COMPILED_RUNTIME_CACHE_FAULTS_H
#define COMPILED_RUNTIME_CACHE_FAULTS_H

#include "compiled/runtime/runtime.h"

/* Does a fault serve the call with `a`? */
bool cache_fault_serves(const Compile *c, const RuntimeSession *r, const Artifact *a,
                        const CaptureInput *in, const void *key, int64_t bytes);
/* The code that a fault finds by what is left of an evicted entry, or NULL. */
Artifact *cache_fault_evicted(const Compile *c, const RuntimeSession *r, const CaptureInput *in,
                              const void *key, int64_t bytes);
/* GU-14: the entry of the region of `least` that was compiled first. */
Artifact *cache_fault_oldest(const Compile *c, Artifact *least);
/* What the region was captured from, where a fault has served it code of another guard: a backward
 * that resumes it later captures the same tape again. */
void cache_fault_inputs(const Compile *c, const Artifact *a, Region *region);

#endif
