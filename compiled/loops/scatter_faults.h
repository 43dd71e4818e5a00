/* The seeded faults of scatters through a view (GR-1, GR-2, GR-3). */
#ifndef COMPILED_LOOPS_SCATTER_FAULTS_H
#define COMPILED_LOOPS_SCATTER_FAULTS_H

#include "compiled/loops/fused_op.h"

/* Makes the written region of a scatter, the only fused op of its nest, what the seeded fault takes
 * it for. False: nothing is written. */
bool scatter_fault_collapse(const Compile *c, FusedOp *m);

#endif
