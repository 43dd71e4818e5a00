/* The compiled executor's own layouts of views: sizes, strides and offset in self's storage, from
 * PyTorch's documentation of each op (views.c dispatches). */
#ifndef COMPILED_VIEWS_H
#define COMPILED_VIEWS_H

#include "compiled/core/compilation.h"
#include "program/ops/op.h"

/* For a VIEW, MULTI_VIEW or STORAGE row what call->op->infer is, but decided here. The text and the
 * code of a refusal are those of inference. */
ErrCode view_infer(const Compile *c, const Call *call, Infer *r);
/* Is it a reduction, or an op like it, that names one or several dims of self? */
bool view_names_dims(const OpInfo *op);
/* Are the dims that it names dims of self? */
ErrCode view_check_dims(const Compile *c, const Call *call, Error *err);
/* The part of self that a *_scatter op writes, in a tensor with the layout `like`. False: it is
 * refused. */
bool view_scattered(const Call *call, const Tensor *like, Tensor *out);
/* Where cat and stack put one operand: *part is the view of the result that it fills. *at is 0 for
 * the first and is advanced by each call. False for an empty operand that cat leaves out. */
bool view_joined(const Call *call, const Tensor *result, const Tensor *operand, int64_t *at,
                 Tensor *part);

#endif
