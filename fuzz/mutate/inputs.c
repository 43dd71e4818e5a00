/* Mutators of inputs: dtype, sizes, layout, storage, flags, data. The data of a changed input is a
 * fill, since its length changes. */
#include "fuzz/mutate/mutant.h"

#include <string.h>

static Input *pick_input(Mutant *m) {
    return m->p->ninputs > 0 ? &m->p->inputs[mutant_below(m, m->p->ninputs)] : NULL;
}

static bool is_leader(const Program *p, const Input *in) {
    for (const Input *i = p->inputs; i < in; i++) {
        if (in->storage != NAME_NONE && i->storage == in->storage) {
            return false;
        }
    }
    return true;
}

static void refill(Mutant *m, Input *in) {
    if (!is_leader(m->p, in)) {
        in->data = (InputData){.given = false};
    } else if (!in->data.given || !in->data.is_fill) {
        in->data = (InputData){.given = true,
                               .is_fill = true,
                               .fill = FILL_dyadic,
                               .seed = (uint64_t)mutant_below(m, 1000)};
    }
}

static void refill_all(Mutant *m) {
    for (int i = 0; i < m->p->ninputs; i++) {
        refill(m, &m->p->inputs[i]);
    }
}

static void set_contiguous(Input *in) {
    in->stride_given = in->offset_given = false;
    in->offset = 0;
    contiguous_strides(in->size, in->ndim, in->stride);
}

bool mutator_change_input_dtype(Mutant *m) {
    Input *in = pick_input(m);
    if (!in) {
        return false;
    }
    DType to = (DType)mutant_below(m, DT_COUNT);
    for (int i = 0; i < m->p->ninputs; i++) { /* all on one storage have one dtype */
        Input *other = &m->p->inputs[i];
        if (other == in || (in->storage != NAME_NONE && other->storage == in->storage)) {
            other->dtype = to;
            other->requires_grad = other->requires_grad && dtype_is_float(to);
            if (other->data.given && !other->data.is_fill) {
                other->data.given = false;
                refill(m, other);
            }
        }
    }
    return true;
}

bool mutator_change_input_size(Mutant *m) {
    static const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17};
    Input *in = pick_input(m);
    if (!in || in->ndim == 0) {
        return false;
    }
    int64_t from = in->size[mutant_below(m, in->ndim)],
            to = sizes[mutant_below(m, COUNT_OF(sizes))];
    bool everywhere = mutant_chance(m, 70);
    for (int i = 0; i < m->p->ninputs; i++) {
        Input *other = &m->p->inputs[i];
        bool changed = false;
        for (int d = 0; d < other->ndim && (everywhere || other == in); d++) {
            changed |= other->size[d] == from;
            other->size[d] = other->size[d] == from ? to : other->size[d];
        }
        if (changed && (!other->stride_given || mutant_chance(m, 70))) {
            set_contiguous(other);
        }
    }
    refill_all(m);
    return from != to;
}

bool mutator_change_layout(Mutant *m) {
    Input *in = pick_input(m);
    if (!in || in->ndim == 0) {
        return false;
    }
    int d = mutant_below(m, in->ndim), e = mutant_below(m, in->ndim);
    int64_t stride = in->stride[d];
    switch (mutant_below(m, 5)) {
    case 0: /* transposed */
        in->stride[d] = in->stride[e];
        in->stride[e] = stride;
        break;
    case 1:
        in->stride[d] = 0;
        break;
    case 2:
        for (int k = 0; k < in->ndim; k++) {
            in->stride[k] = in->stride[k] > 64 ? in->stride[k] : in->stride[k] * 2;
        }
        break;
    case 3:
        in->offset = 1 + mutant_below(m, 4);
        in->offset_given = true;
        break;
    default:
        set_contiguous(in);
        refill_all(m);
        return true;
    }
    in->stride_given = true;
    refill_all(m);
    return true;
}

bool mutator_share_storage(Mutant *m) {
    Program *p = m->p;
    if (p->ninputs < 2) {
        return false;
    }
    int a = mutant_below(m, p->ninputs), b = mutant_below(m, p->ninputs);
    Input *first = &p->inputs[a < b ? a : b], *second = &p->inputs[a < b ? b : a];
    if (first == second) {
        return false;
    }
    if (second->storage != NAME_NONE) {
        second->storage = NAME_NONE;
    } else {
        if (first->storage == NAME_NONE) {
            first->storage = mutant_fresh(m);
        }
        second->storage = first->storage;
        second->dtype = first->dtype;
        second->requires_grad = second->requires_grad && dtype_is_float(first->dtype);
    }
    refill_all(m);
    return true;
}

bool mutator_turn_requires_grad(Mutant *m) {
    Input *in = pick_input(m);
    if (!in || !dtype_is_float(in->dtype)) {
        return false;
    }
    in->requires_grad = in->requires_grad_given = !in->requires_grad;
    return true;
}

bool mutator_change_data(Mutant *m) {
    if (program_is_random(m->p) && mutant_chance(m, 50)) {
        m->p->seed = (uint64_t)mutant_below(m, 1000);
        m->p->seed_given = true;
        return true;
    }
    Input *in = pick_input(m);
    if (!in || !is_leader(m->p, in)) {
        return false;
    }
    FillKind fill = (FillKind)mutant_below(m, FILL_COUNT);
    in->data = (InputData){
        .given = true, .is_fill = true, .fill = fill, .seed = (uint64_t)mutant_below(m, 1000)};
    return true;
}
