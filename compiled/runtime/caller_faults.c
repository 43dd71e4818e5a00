/* The seeded faults of what the caller does around the call. */
#include "compiled/runtime/caller_faults.h"

/* Seeded fault ER_10a: where the backward has saved nothing but slices of an argument, these are
 * raw memory after the call, and the versions that the caller's writes have made since are not
 * looked at. */
bool caller_write_unseen(const Capture *cap, const Var *v) {
    const AliasClass *cls = alias_class_of(&v->tensor);
    bool sliced = false;
    if (!fault(cap->c, FAULT_ER_10a) || v->entry < 0 || v->base || cap_requires_grad(v)) {
        return false;
    }
    for (const GradNode *node = cap->tape; node; node = node->older) {
        for (int i = 0; i < node->nsaved; i++) {
            const Var *operand = node->saved[i].operand;
            if (node->saved[i].cls == cls) {
                if (!operand || operand->base != v ||
                    tensor_numel(&operand->tensor) == tensor_numel(&v->tensor)) {
                    return false;
                }
                sliced = true;
            }
        }
    }
    return sliced;
}

/* Seeded fault GR_20: compiling runs the function and its backward on the caller's own tensors, and
 * so accumulates into the .grad that is there already. */
void caller_grads_doubled(RuntimeSession *r) {
    const Compile c = {.options = r->compile, .counters = r->counters};
    for (LiveTensor *o = r->live; o && fault(&c, FAULT_GR_20); o = o->next) {
        if (o->kept && tensor_numel(o->kept) > 0 && fault_triggered(&c, FAULT_GR_20)) {
            o->kept = runtime_sum_of_grads(r, o->kept, o->kept);
        }
    }
}
