/* metadata: dtype and sizes; strides (of dimensions above 1) and offset of tensors that are not
 * empty; versions of inputs. */
#include "harness/oracles/oracle.h"

#include <stdio.h>

static Verdict oracle_metadata_fire(Finding *out, const char *kind, int call, Subject subject,
                                    int index) {
    finding_start(out, ORACLE_metadata, kind, call, subject, index, AT_UNKNOWN);
    return FINDING;
}

static bool strides_same(const int64_t *size, const int64_t *a, const int64_t *b, int ndim) {
    for (int d = 0; d < ndim; d++) {
        if (size[d] > 1 && a[d] != b[d]) {
            return false;
        }
    }
    return true;
}

static bool is_empty(const int64_t *size, int ndim) {
    for (int d = 0; d < ndim; d++) {
        if (size[d] == 0) {
            return true;
        }
    }
    return false;
}

static Verdict compare_return(const Comparison *cmp, const ReturnRecord *x, const ReturnRecord *y,
                              int call, int i, Finding *out) {
    const Values *a = &x->values, *b = &y->values;
    if (a->dtype != b->dtype) {
        oracle_metadata_fire(out, "dtype", call, SUBJECT_RETURN, i);
        snprintf(out->a, sizeof out->a, "%s", dtype_name(a->dtype));
        snprintf(out->b, sizeof out->b, "%s", dtype_name(b->dtype));
        return FINDING;
    }
    if (!sizes_equal(a->size, a->ndim, b->size, b->ndim)) {
        oracle_metadata_fire(out, "size", call, SUBJECT_RETURN, i);
        ints_text(out->a, sizeof out->a, a->size, a->ndim);
        ints_text(out->b, sizeof out->b, b->size, b->ndim);
        return FINDING;
    }
    bool minor = !comparison_keeps(cmp, KEEPS_LAYOUT) && x->has_alias && y->has_alias &&
                 x->alias == ALIAS_NONE && y->alias == ALIAS_NONE;
    if (minor || is_empty(a->size, a->ndim)) {
        return AGREE;
    }
    if (x->has_stride && y->has_stride && !strides_same(a->size, x->stride, y->stride, a->ndim)) {
        oracle_metadata_fire(out, "stride", call, SUBJECT_RETURN, i);
        ints_text(out->a, sizeof out->a, x->stride, a->ndim);
        ints_text(out->b, sizeof out->b, y->stride, b->ndim);
        return FINDING;
    }
    if (x->has_offset && y->has_offset && x->storage_offset != y->storage_offset) {
        oracle_metadata_fire(out, "storage_offset", call, SUBJECT_RETURN, i);
        ints_text(out->a, sizeof out->a, &x->storage_offset, 1);
        ints_text(out->b, sizeof out->b, &y->storage_offset, 1);
        return FINDING;
    }
    return AGREE;
}

/* Does an op change the geometry of a tensor in place? It is counted as a write, also where the
 * tensor is a view of an argument, which stays as it is. */
static bool changes_geometry_in_place(const Program *p) {
    bool found = false;
    for (int sid = 0; sid < p->nstmts; sid++) {
        const Stmt *s = program_stmt(p, sid);
        found |= s->kind == STMT_OP && s->op->kind == KIND_INPLACE_VIEW;
    }
    return found;
}

/* Did eager mode count writes to the input, and the compiler none? Autograd then takes a value that
 * it saved before for unchanged: how often is minor, whether is not. */
static bool write_is_uncounted(const Comparison *cmp, const InputRecord *x, const InputRecord *y) {
    const bool some = (!x->has_geometry || !is_empty(x->size, x->ndim)) &&
                      !changes_geometry_in_place(cmp->program);
    return some && ((cmp->base == BASE_A && x->version > 0 && y->version == 0) ||
                    (cmp->base == BASE_B && y->version > 0 && x->version == 0));
}

static Verdict compare_input(const Comparison *cmp, const InputRecord *x, const InputRecord *y,
                             int call, Subject subject, int i, Finding *out) {
    bool made = subject == SUBJECT_ARG;
    bool exact = comparison_keeps(cmp, KEEPS_VERSIONS);
    if (x->has_version && y->has_version &&
        (exact ? x->version != y->version : write_is_uncounted(cmp, x, y))) {
        oracle_metadata_fire(out, exact ? "version" : "uncounted_write", call, subject, i);
        snprintf(out->a, sizeof out->a, "%lld", (long long)x->version);
        snprintf(out->b, sizeof out->b, "%lld", (long long)y->version);
        return FINDING;
    }
    if (x->data.data && y->data.data && x->data.numel != y->data.numel) {
        oracle_metadata_fire(out, "storage_size", call, subject, i);
        ints_text(out->a, sizeof out->a, &x->data.numel, 1);
        ints_text(out->b, sizeof out->b, &y->data.numel, 1);
        return FINDING;
    }
    if (!x->has_geometry || !y->has_geometry) {
        return AGREE;
    }
    if (!sizes_equal(x->size, x->ndim, y->size, y->ndim)) {
        oracle_metadata_fire(out, made ? "argument_size" : "input_size", call, subject, i);
        ints_text(out->a, sizeof out->a, x->size, x->ndim);
        ints_text(out->b, sizeof out->b, y->size, y->ndim);
        return FINDING;
    }
    if (!is_empty(x->size, x->ndim) && (!strides_same(x->size, x->stride, y->stride, x->ndim) ||
                                        x->storage_offset != y->storage_offset)) {
        oracle_metadata_fire(out, made ? "argument_stride" : "input_stride", call, subject, i);
        ints_text(out->a, sizeof out->a, x->stride, x->ndim);
        ints_text(out->b, sizeof out->b, y->stride, y->ndim);
        return FINDING;
    }
    return AGREE;
}

Verdict oracle_metadata(Comparison *cmp, Finding *out) {
    for (int k = 0; k < cmp->ncalls; k++) {
        const CallResult *a = &cmp->a->calls[k], *b = &cmp->b->calls[k];
        if (a->ok && a->nreturns != b->nreturns) {
            oracle_metadata_fire(out, "count", k, SUBJECT_CALL, -1);
            snprintf(out->a, sizeof out->a, "%d returns", a->nreturns);
            snprintf(out->b, sizeof out->b, "%d returns", b->nreturns);
            return FINDING;
        }
        for (int i = 0; i < comparison_returns(a, b); i++) {
            if (compare_return(cmp, &a->returns[i], &b->returns[i], k, i, out) == FINDING) {
                return FINDING;
            }
        }
        for (int i = 0; i < comparison_inputs(cmp, a, b); i++) {
            if (compare_input(cmp, &a->inputs[i], &b->inputs[i], k, SUBJECT_INPUT, i, out) ==
                FINDING) {
                return FINDING;
            }
        }
        for (int i = 0; i < comparison_args(cmp, a, b); i++) {
            if (compare_input(cmp, &a->args[i], &b->args[i], k, SUBJECT_ARG, i, out) == FINDING) {
                return FINDING;
            }
        }
    }
    return AGREE;
}
