/* Guards of a symbolic compilation.
 *
 * What a call must have in common with the compilation is its metadata, with symbols in place of
 * sizes: a symbol that occurs twice must be the same size twice, and strides are products of sizes
 * as they were. Beyond that the compiler has compared numbers: sizes with each other and with 0 and
 * 1 (broadcasting), with arguments (slices, indices), lengths, and strides with products of sizes
 * (contiguity). All numbers it read are known (walk_observed); a guard is a pair of them and how
 * they compare in the samples, which have the same graph. What holds for all sizes from 2 on is
 * left out. */
#include "compiled/runtime/symbols.h"

#include <string.h>

/* ---- metadata ---- */

static bool guard_refuse(MissReason *why, MissReason reason) {
    *why = reason;
    return false;
}

static bool same_names(const CaptureInput *a, const CaptureInput *b) {
    return a->n == b->n && a->nname == b->nname &&
           memcmp(a->name, b->name, sizeof *a->name * (size_t)a->nname) == 0 &&
           memcmp(a->named, b->named, sizeof *a->named * (size_t)a->nname) == 0;
}

/* The metadata of an AccumulateGrad counts: the region then starts with it on its tape. */
static bool same_grad_fn_state(const EntryTensor *a, const EntryTensor *b) {
    const TensorRecord *x = &a->record, *y = &b->record;
    return a->has_grad_fn == b->has_grad_fn && a->base == b->base && a->refuses == b->refuses &&
           a->node == b->node && a->refuses_at_once == b->refuses_at_once &&
           x->attr_version == y->attr_version && x->creation_meta == y->creation_meta &&
           x->topological_nr == y->topological_nr && same_meta(x->grad_fn_meta, y->grad_fn_meta) &&
           same_meta(x->accumulator_meta, y->accumulator_meta);
}

int64_t storage_spare(const CaptureInput *in, int i) {
    int64_t most = 0;
    for (int k = 0; k < in->n; k++) {
        int64_t extent = 0;
        if (in->tensors[k].storage == in->tensors[i].storage &&
            tensor_extent(&in->tensors[k], &extent)) {
            most = max_i64(most, extent);
        }
    }
    return in->tensors[i].storage->numel - most;
}

/* A symbol that has no value yet takes the size. */
static bool match_size(Symbols *symbols, int i, int d, int64_t was, int64_t size, MissReason *why) {
    int k = symbols ? symbols->dim[i][d] : -1;
    if (k < 0) {
        return size == was || guard_refuse(why, MISS_size);
    }
    symbols->size[k] = symbols->size[k] < 0 ? size : symbols->size[k];
    return symbols->size[k] == size ||
           (symbols->skips_equal && symbols->size[k] < size &&
            fault_triggered(symbols->compile, FAULT_GU_11)) ||
           guard_refuse(why, MISS_equal);
}

static bool match_entry(const CaptureInput *was, Symbols *symbols, const CaptureInput *in, int i,
                        MissReason *why) {
    const Tensor *a = &was->tensors[i], *b = &in->tensors[i];
    if (a->dtype != b->dtype) {
        return guard_refuse(why, MISS_dtype);
    }
    if (was->entry[i].record.requires_grad != in->entry[i].record.requires_grad) {
        return guard_refuse(why, MISS_requires_grad);
    }
    if (!same_grad_fn_state(&was->entry[i], &in->entry[i])) {
        return guard_refuse(why, MISS_history);
    }
    if (storage_leader(was->tensors, i) != storage_leader(in->tensors, i) ||
        counter_leader(was->tensors, i) != counter_leader(in->tensors, i)) {
        return guard_refuse(why, MISS_sharing);
    }
    if (a->ndim != b->ndim) {
        return guard_refuse(why, MISS_dims);
    }
    for (int d = 0; d < a->ndim; d++) {
        if (!match_size(symbols, i, d, a->size[d], b->size[d], why)) {
            return false;
        }
    }
    return true;
}

static bool has_symbol(const Symbols *symbols, int i, int ndim) {
    for (int d = 0; d < ndim; d++) {
        if (symbols->dim[i][d] >= 0) {
            return true;
        }
    }
    return false;
}

/* Do the strides that the code expects address elements of b's storage only? */
static bool expected_fits(const Symbols *symbols, const Tensor *a, const Tensor *b, int i) {
    Tensor t = *b;
    int64_t extent;
    for (int d = 0; d < a->ndim; d++) {
        Expr *e = symbols->stride[i][d];
        if (e && !expr_evaluate(e, symbols->size, symbols->n)) {
            return false;
        }
        t.stride[d] = e ? e->value : a->stride[d];
    }
    return tensor_extent(&t, &extent) && extent <= b->storage->numel;
}

/* Strides, offset and storage size, now that the symbols have values. */
static bool match_geometry(const CaptureInput *was, const Symbols *symbols, const CaptureInput *in,
                           int i, MissReason *why) {
    const Tensor *a = &was->tensors[i], *b = &in->tensors[i];
    bool assumed = symbols && symbols->skips_strides && has_symbol(symbols, i, a->ndim) &&
                   tensor_is_dense(b) && expected_fits(symbols, a, b, i);
    for (int d = 0; d < a->ndim; d++) {
        Expr *e = symbols ? symbols->stride[i][d] : NULL;
        if ((e ? !expr_evaluate(e, symbols->size, symbols->n) || e->value != b->stride[d]
               : a->stride[d] != b->stride[d]) &&
            !(assumed && fault_triggered(symbols->compile, FAULT_SH_4))) {
            return guard_refuse(why, MISS_stride);
        }
    }
    if (a->offset != b->offset) {
        return guard_refuse(why, MISS_stride);
    }
    return (symbols ? storage_spare(in, i) == 0 : a->storage->numel == b->storage->numel) ||
           guard_refuse(why, MISS_sharing);
}

bool guard_match(const CaptureInput *was, Symbols *symbols, const CaptureInput *in,
                 MissReason *why) {
    if (was->setup != in->setup || was->resume != in->resume || was->gradient != in->gradient ||
        !same_names(was, in)) {
        return guard_refuse(why, MISS_names);
    }
    if (in->grad_mode != was->grad_mode) {
        return guard_refuse(why, MISS_grad_mode);
    }
    for (int i = 0; symbols && i < symbols->n; i++) {
        symbols->size[i] = -1;
    }
    for (int i = 0; i < in->n; i++) {
        if (!match_entry(was, symbols, in, i, why)) {
            return false;
        }
    }
    for (int i = 0; symbols && i < symbols->n; i++) {
        if (symbols->size[i] < 2 &&
            !(symbols->skips_zero_one && fault_triggered(symbols->compile, FAULT_GU_5a))) {
            return guard_refuse(why, MISS_zero_one);
        }
    }
    for (int i = 0; i < in->n; i++) {
        if (!match_geometry(was, symbols, in, i, why)) {
            return false;
        }
    }
    return symbols || guard_refuse(why, MISS_value);
}

/* ---- comparisons ---- */

static int guard_compare(int64_t a, int64_t b) {
    return a < b ? COMPARES_LESS : a == b ? COMPARES_EQUAL : COMPARES_GREATER;
}

static bool guard_is_constant(const Expr *e) { return e->nterm == 0; }

/* Is the guard that just failed one that the seeded fault omits? */
static bool guard_omitted(const Compile *c, FaultId id) {
    return fault(c, id) && fault_triggered(c, id);
}

bool guards_hold(const Compile *c, const Symbols *symbols, MissReason *why) {
    for (int i = 0; i < symbols->n; i++) {
        if (((symbols->size[i] < symbols->least[i] && symbols->size[i] >= 2) ||
             symbols->size[i] > symbols->most[i]) &&
            !guard_omitted(c, FAULT_GU_9)) {
            return guard_refuse(why, MISS_order);
        }
    }
    for (int i = 0; i < symbols->n; i++) {
        if (symbols->size[i] % symbols->period != symbols->hint[i] % symbols->period &&
            !guard_omitted(c, FAULT_GU_5)) {
            return guard_refuse(why, MISS_divisible);
        }
    }
    for (int i = 0; i < symbols->nexpr; i++) {
        if (!expr_evaluate(symbols->expr[i], symbols->size, symbols->n) &&
            !guard_omitted(c, FAULT_GU_5)) {
            return guard_refuse(why, MISS_divisible);
        }
    }
    for (int i = 0; i < symbols->nguard; i++) {
        const Guard *g = &symbols->guard[i];
        if (!(guard_compare(g->a->value, g->b->value) & g->allowed) &&
            !guard_omitted(c, FAULT_GU_9)) {
            return guard_refuse(why, g->allowed == (COMPARES_LESS | COMPARES_GREATER) ? MISS_equal
                                                                                      : MISS_order);
        }
    }
    return true;
}

/* A guard on one expression: the least value it may have, or the greatest (negated, so that more is
 * stricter). */
static bool bound_of(const Guard *g, const Expr **of, bool *least, int64_t *bound) {
    bool turned = guard_is_constant(g->a), strict = !(g->allowed & COMPARES_EQUAL);
    if ((!turned && !guard_is_constant(g->b)) || g->allowed == COMPARES_EQUAL ||
        g->allowed == (COMPARES_LESS | COMPARES_GREATER)) {
        return false;
    }
    *of = turned ? g->b : g->a;
    *least = turned == ((g->allowed & COMPARES_LESS) != 0);
    int64_t c = (turned ? g->a : g->b)->constant;
    *bound = (*least ? c : -c) + strict;
    return true;
}

/* Does another guard imply this one? Of two equal ones the first is kept. */
static bool implied(const Symbols *symbols, int i) {
    const Expr *of, *other;
    bool least, other_least;
    int64_t bound, other_bound;
    if (!bound_of(&symbols->guard[i], &of, &least, &bound)) {
        return false;
    }
    for (int k = 0; k < symbols->nguard; k++) {
        if (k != i && bound_of(&symbols->guard[k], &other, &other_least, &other_bound) &&
            other == of && other_least == least &&
            (other_bound > bound || (other_bound == bound && k < i))) {
            return true;
        }
    }
    return false;
}

static void drop_implied(Symbols *symbols, Arena *arena) {
    Guard *kept = arena_array(arena, Guard, symbols->nguard);
    int n = 0;
    for (int i = 0; i < symbols->nguard; i++) {
        if (!implied(symbols, i)) {
            kept[n++] = symbols->guard[i];
        }
    }
    symbols->guard = kept;
    symbols->nguard = n;
}

void guards_make(Symbols *symbols, Arena *arena, Expr *const *observed, int64_t *const *value,
                 const bool *equated, int nfact, int nsample) {
    for (int pass = 0; pass < 2; pass++) { /* counted, then made */
        symbols->nguard = 0;
        for (int i = 0; i < nfact; i++) {
            for (int j = i + 1; j < nfact; j++) {
                if (guard_is_constant(observed[i]) && guard_is_constant(observed[j])) {
                    continue;
                }
                int seen = 0;
                for (int k = 0; k < nsample; k++) {
                    seen |= guard_compare(value[i][k], value[j][k]);
                }
                bool both_ways =
                    seen == (COMPARES_LESS | COMPARES_GREATER) && !(equated[i] && equated[j]);
                if (both_ways || seen == COMPARES_ANY ||
                    !(expr_compare(observed[i], observed[j], symbols->n) & ~seen)) {
                    continue;
                }
                if (pass == 1) {
                    symbols->guard[symbols->nguard] = (Guard){observed[i], observed[j], seen};
                }
                symbols->nguard++;
            }
        }
        symbols->guard = pass == 0 ? arena_array(arena, Guard, symbols->nguard) : symbols->guard;
    }
    drop_implied(symbols, arena);
}

void guard_print(Text *text, const Guard *g) {
    static const char *const sign[] = {"", "<", "==", "<=", ">", "!=", ">=", ""};
    expr_print(text, g->a);
    text_printf(text, " %s ", sign[g->allowed]);
    expr_print(text, g->b);
}
