/* A *_scatter op in a backward whose self overlaps itself, as an unfold of a gradient does: a write
 * to a copy of self's memory, by which the elements that share a location with a written one change
 * as well (aten/src/ATen/native/TensorShape.cpp, clone_preserve_strides). */
#ifndef COMPILED_PASSES_JOINT_SCATTER_H
#define COMPILED_PASSES_JOINT_SCATTER_H

#include "compiled/ir/graph.h"
#include "program/ops/emit.h"

bool joint_scatters_into_overlap(const Call *call);
/* Records the call, which inference has accepted, as a store: *out is laid out as self. */
ErrCode joint_scatter_into_overlap(Emit *e, Graph *g, const Call *call, Tensor **out);

#endif
