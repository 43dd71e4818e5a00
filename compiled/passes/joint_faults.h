/* The seeded faults of joint that change a call of a derivative rule. The rules are the
 * reference's, too, so they are right; what joint records of them is not. */
#ifndef COMPILED_PASSES_JOINT_FAULTS_H
#define COMPILED_PASSES_JOINT_FAULTS_H

#include "compiled/core/compilation.h"
#include "program/ops/emit.h"

bool joint_fault_clamps_divisor(const Compile *c, const Call *call);
const Call *joint_fault_dense_base(const Compile *c, const Call *call);

/* Does the tangent of return k go nowhere (MU-4)? */
bool joint_fault_detached_slot(const Compile *c, int k);
/* The tangent of a return laid out as `like`, as joint reads it (GR-17). */
Tensor *joint_fault_coerce_tangent(const Compile *c, const Tensor *like, Tensor *tangent);

#endif
