/* Ops applied eagerly: infer, allocate, compute, record. This is the Emit of the reference. */
#ifndef REFERENCE_DISPATCH_H
#define REFERENCE_DISPATCH_H

#include "reference/tape.h"

/* A session whose Emit executes. */
Session session_new(Arena *arena, Error *err, const RunOptions *options, bool grad_mode);

/* ---- parts that functional and in-place ops share ---- */
/* The row's inference; its refusal is the session's error. */
ErrCode dispatch_infer(Session *s, const Call *call, Infer *r);
/* The row's kernel into allocated outputs, as inferred; notes what it finds undefined. */
ErrCode dispatch_kernel(Session *s, const Call *call, const Infer *inferred, Tensor *const *out);
/* A numbered storage for metadata `t`, with its shadow. */
ErrCode dispatch_allocate(Session *s, Tensor *t);
/* Is a call recorded whose operands are these, if one of them requires grad, and does one? Masks
 * and indices do not count; view ops differentiate their first operand only. */
bool dispatch_requires_grad(const Session *s, const OpInfo *op, const Slots *slots);
/* An INPLACE row: out[0] = self. */
ErrCode dispatch_inplace(Session *s, const Call *call, Tensor **out, int *nout);

/* ---- dispatch_storage.c ---- */
/* An INPLACE_VIEW row: out[0] = self, with other sizes and strides. */
ErrCode dispatch_inplace_view(Session *s, const Call *call, Tensor **out, int *nout);
/* A STORAGE row. */
ErrCode dispatch_storage(Session *s, const Call *call, Tensor **out, int *nout);
/* After elements of `written` have changed: what other readings of its memory are now. */
void dispatch_storage_written(Session *s, const Storage *written);

#endif
