/* Reducers of data that is written out: tensors in statements, lists in an index, elements one by
 * one. */
#include "harness/reduce/edit.h"
#include "harness/reduce/reduce.h"

#include "tensor/tensor.h"

#include <math.h>

enum { MAX_ELEMENTS = 64 /* of one tensor, to be tried one by one */ };

/* The argument called `name` of a literal. */
static PArg *literal_argument(Stmt *s, const char *name) { return &s->arg[op_param(s->op, name)]; }

static bool reduce_literal_is_literal(const Stmt *s) {
    return s->kind == STMT_OP && s->op->id == OP_tensor;
}

/* One dimension of a literal to 1, or to half, with the first elements that are left. */
Step reduce_literal(Program *p, int k) {
    Stmt **stmts = edit_statements(p->arena, p);
    for (int sid = 0; sid < p->nstmts; sid++) {
        Stmt *s = stmts[sid];
        int n = reduce_literal_is_literal(s) ? 2 * literal_argument(s, "size")->ints.n : 0;
        if (k >= n) {
            k -= n;
            continue;
        }
        PArg *size = literal_argument(s, "size"), *data = literal_argument(s, "data");
        PInt *d = &size->ints.v[k / 2];
        int64_t now = k % 2 == 0 ? 1 : d->value / 2;
        if (d->size_of != NAME_NONE || d->value <= 1 || now >= d->value ||
            (k % 2 == 1 && now <= 1)) {
            return STEP_NOTHING;
        }
        data->data.n = data->data.n / d->value * now;
        d->value = now;
        return STEP_MADE;
    }
    return STEP_END;
}

/* The lists of one index to their first element, or without their last: those of one length
 * together. */
Step reduce_list(Program *p, int k) {
    Stmt **stmts = edit_statements(p->arena, p);
    for (int sid = 0; sid < p->nstmts; sid++) {
        Stmt *s = stmts[sid];
        for (int a = 0; s->kind == STMT_OP && a < s->op->nparam; a++) {
            PArg *arg = &s->arg[a];
            if (s->op->param[a].type != ARG_INDEX || !arg->given) {
                continue;
            }
            if (k >= 2) {
                k -= 2;
                continue;
            }
            int longest = 0;
            for (int i = 0; i < arg->index.n; i++) {
                const PIndexItem *item = &arg->index.v[i];
                longest = item->kind == INDEX_LIST && item->count > longest ? item->count : longest;
            }
            int now = k == 0 ? 1 : longest - 1;
            if (longest <= 1 || (k == 1 && now <= 1)) {
                return STEP_NOTHING;
            }
            for (int i = 0; i < arg->index.n; i++) {
                PIndexItem *item = &arg->index.v[i];
                item->count =
                    item->kind == INDEX_LIST && item->count == longest ? now : item->count;
            }
            return STEP_MADE;
        }
    }
    return STEP_END;
}

/* Writes out a random fill of few elements, so that each can be simplified. */
Step reduce_written(Program *p, int k) {
    for (int call = 0; call <= p->nrecalls; call++) {
        int n;
        Input *inputs = reduce_inputs_of(p, call, &n);
        if (k >= n) {
            k -= n;
            continue;
        }
        Input *in = &inputs[k];
        const InputData *data = &in->data;
        if (!data->given || !data->is_fill || data->fill == FILL_zeros || data->fill == FILL_ones ||
            data->fill == FILL_arange || !reduce_settle(p)) {
            return STEP_NOTHING;
        }
        int64_t numel = reduce_storage(inputs, n, in);
        if (numel < 1 || numel > MAX_WRITTEN) {
            return STEP_NOTHING;
        }
        void *elements = arena_alloc(p->arena, numel * dtype_bytes(in->dtype));
        fill_buffer(elements, in->dtype, numel, data->fill, data->seed);
        in->data = (InputData){.given = true, .data = elements, .numel = numel};
        return STEP_MADE;
    }
    return STEP_END;
}

/* Sets element i to `value`, 0 or 1; nothing if it is as simple already. */
static Step simplify_element(void *data, DType dtype, int64_t i, int value) {
    double now = element_double(data, dtype, i);
    if (value == 1 ? now == 0 || now == 1 : now == 0 && !signbit(now)) {
        return STEP_NOTHING;
    }
    element_store_double(data, dtype, i, value);
    return STEP_MADE;
}

Step reduce_element(Program *p, int k) {
    for (int call = 0; call <= p->nrecalls; call++) {
        Input *inputs = call == 0 ? p->inputs : p->recalls[call - 1].inputs;
        int ninputs = call == 0 ? p->ninputs : p->recalls[call - 1].ninputs;
        for (int i = 0; i < ninputs; i++) {
            InputData *data = &inputs[i].data;
            int64_t n = data->given && !data->is_fill ? 2 * min_i64(data->numel, MAX_ELEMENTS) : 0;
            if (k < n) {
                return simplify_element(data->data, inputs[i].dtype, k / 2, k % 2);
            }
            k -= (int)n;
        }
    }
    Stmt **stmts = edit_statements(p->arena, p);
    for (int sid = 0; sid < p->nstmts; sid++) {
        Stmt *s = stmts[sid];
        int64_t n = reduce_literal_is_literal(s)
                        ? 2 * min_i64(literal_argument(s, "data")->data.n, MAX_ELEMENTS)
                        : 0;
        if (k < n) {
            return simplify_element(literal_argument(s, "data")->data.data,
                                    literal_argument(s, "dtype")->dtype, k / 2, k % 2);
        }
        k -= (int)n;
    }
    return STEP_END;
}
