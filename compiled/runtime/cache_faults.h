/* The seeded faults of the code cache: what a look-up serves although the guard refuses it, and
 * what code that is served computes with. */
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
/* MU-15: the entries that the code uses. A tensor that is an attribute is part of the code, as it
 * was when the code was made; another one bound to it since is not noticed. */
const Tensor *cache_fault_attributes(const RuntimeSession *r, const Artifact *a,
                                     const CaptureInput *in);
/* GU-15: hooks of arguments are registered when a call is compiled; one that reuses the code has
 * none. */
const Artifact *cache_fault_without_hooks(RuntimeSession *r, const Artifact *a, CaptureInput *in);
/* GU-30: the code has the stream of the call that it was made in. */
RandomStream cache_fault_stream(const Artifact *a, const RandomStream *now);

#endif
