/* The seeded faults of what the caller does around the call: writes between the forward and the
 * backward, .grad that is kept. Called only with a seeded fault. */
#ifndef COMPILED_RUNTIME_CALLER_FAULTS_H
#define COMPILED_RUNTIME_CALLER_FAULTS_H

#include "compiled/runtime/runtime.h"

/* ER-10a: is the version that entry `v` has now not looked at by the resumed backward? */
bool caller_write_unseen(const Capture *cap, const Var *v);
/* GR-20: what compiling this call adds to the .grad that is kept. */
void caller_grads_doubled(RuntimeSession *r);

#endif
