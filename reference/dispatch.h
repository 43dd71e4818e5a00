/* Ops applied eagerly: infer, allocate, compute, record. This is the Emit of the reference. */
#ifndef REFERENCE_DISPATCH_H
#define REFERENCE_DISPATCH_H

#include "reference/tape.h"

/* A session whose Emit executes. */
Session session_new(Arena *arena, Error *err, const RunOptions *options, bool grad_mode);

/* Computes `call` into fresh storage: infer, allocate, kernel (and shadow). No history. out: as many as inferred. */
ErrCode dispatch_compute(Session *s, const Call *call, Tensor **out, int *nout);

#endif
