/* Reducers of what statements work on: inputs, their data, and the arguments of ops. */
#include "harness/reduce/edit.h"
#include "tensor/array.h"
#include "harness/reduce/reduce.h"

#include <stdlib.h>

/* ---- inputs of all calls ---- */

Input *reduce_inputs_of(Program *p, int call, int *n) {
    if (call == 0) {
        *n = p->ninputs;
        return p->inputs;
    }
    *n = call <= p->nrecalls ? p->recalls[call - 1].ninputs : 0;
    return call <= p->nrecalls ? p->recalls[call - 1].inputs : NULL;
}

Input *reduce_input_at(Program *p, int k) {
    for (int call = 0; call <= p->nrecalls; call++) {
        int n;
        Input *inputs = reduce_inputs_of(p, call, &n);
        if (k < n) {
            return &inputs[k];
        }
        k -= n;
    }
    return NULL;
}

static int64_t reduce_values_extent_of(const Input *in) {
    Tensor t = {.dtype = in->dtype, .ndim = in->ndim, .offset = in->offset};
    for (int d = 0; d < in->ndim; d++) {
        t.size[d] = in->size[d];
        t.stride[d] = in->stride[d];
    }
    int64_t extent = 0;
    return tensor_extent(&t, &extent) ? extent : -1;
}

int64_t reduce_storage(const Input *inputs, int n, const Input *in) {
    int64_t need = reduce_values_extent_of(in);
    for (int j = 0; j < n; j++) {
        if (in->storage != NAME_NONE && inputs[j].storage == in->storage) {
            need = max_i64(need, reduce_values_extent_of(&inputs[j]));
        }
    }
    return need;
}

bool reduce_settle(Program *p) {
    for (int call = 0; call <= p->nrecalls; call++) {
        int n;
        Input *inputs = reduce_inputs_of(p, call, &n);
        for (int i = 0; i < n; i++) {
            Input *in = &inputs[i];
            if (!in->stride_given) {
                contiguous_strides(in->size, in->ndim, in->stride);
            }
        }
        for (int i = 0; i < n; i++) {
            Input *in = &inputs[i];
            if (!in->data.given || in->data.is_fill) {
                continue;
            }
            int64_t need = reduce_storage(inputs, n, in);
            if (need > in->data.numel) {
                return false;
            }
            in->data.numel = need;
        }
    }
    return true;
}

static void drop_from(Input *inputs, int *n, NameId name) {
    int kept = 0;
    for (int i = 0; i < *n; i++) {
        if (inputs[i].name != name) {
            inputs[kept++] = inputs[i];
        }
    }
    *n = kept;
}

Step reduce_input(Program *p, int k) {
    if (k >= p->ninputs) {
        return STEP_END;
    }
    Input dropped = p->inputs[k];
    if (dropped.storage != NAME_NONE &&
        dropped.data.given) { /* the next on the storage takes the data over */
        for (int i = k + 1; i < p->ninputs; i++) {
            if (p->inputs[i].storage == dropped.storage) {
                p->inputs[i].data = (InputData){
                    .given = true, .is_fill = true, .fill = FILL_dyadic, .seed = dropped.data.seed};
                break;
            }
        }
    }
    drop_from(p->inputs, &p->ninputs, dropped.name);
    for (int r = 0; r < p->nrecalls; r++) {
        drop_from(p->recalls[r].inputs, &p->recalls[r].ninputs, dropped.name);
    }
    edit_forget(p);
    return STEP_MADE;
}

Step reduce_requires_grad(Program *p, int k) {
    Input *in = reduce_input_at(p, k);
    if (in) {
        if (!in->requires_grad) {
            return STEP_NOTHING;
        }
        in->requires_grad = in->requires_grad_given = false;
        return STEP_MADE;
    }
    for (int i = 0; reduce_input_at(p, i); i++) {
        k--;
    }
    if (k >= p->nstmts) {
        return STEP_END;
    }
    Stmt *s = edit_statements(p->arena, p)[k];
    if (s->kind != STMT_OP || !s->requires_grad_given) {
        return STEP_NOTHING;
    }
    s->requires_grad = s->requires_grad_given = false;
    return STEP_MADE;
}

/* Of an input: plain strides without an offset; a storage of its own; no offset; one stride 2. */
Step reduce_layout(Program *p, int k) {
    Input *in;
    for (int i = 0; (in = reduce_input_at(p, i)) != NULL && k >= 3 + in->ndim; i++) {
        k -= 3 + in->ndim;
    }
    if (!in) {
        return STEP_END;
    }
    if (k == 0 && (in->stride_given || in->offset_given)) {
        in->stride_given = in->offset_given = false;
        in->offset = 0;
    } else if (k == 1 && in->storage != NAME_NONE) {
        in->storage = NAME_NONE;
        if (!in->data.given) {
            in->data = (InputData){.given = true, .is_fill = true, .fill = FILL_dyadic, .seed = 1};
        }
    } else if (k == 2 && in->offset_given) {
        in->offset_given = false;
        in->offset = 0;
    } else if (k > 2 && in->stride_given && in->stride[k - 3] > 2) {
        in->stride[k - 3] = 2;
    } else {
        return STEP_NOTHING;
    }
    return reduce_settle(p) ? STEP_MADE : STEP_NOTHING;
}

Step reduce_data(Program *p, int k) {
    static const FillKind simpler[] = {FILL_zeros, FILL_ones, FILL_arange, FILL_dyadic};
    Input *in = reduce_input_at(p, k / COUNT_OF(simpler));
    if (!in) {
        return STEP_END;
    }
    int rank = k % COUNT_OF(simpler);
    int now = !in->data.is_fill && in->data.numel <= MAX_WRITTEN
                  ? COUNT_OF(simpler) - 1
                  : COUNT_OF(simpler); /* few numbers are simpler than random ones */
    for (int i = 0; in->data.given && in->data.is_fill && i < COUNT_OF(simpler); i++) {
        now = in->data.fill == simpler[i] ? i : now;
    }
    if (!in->data.given || rank >= now) {
        return STEP_NOTHING;
    }
    uint64_t seed = in->data.is_fill ? in->data.seed : 1;
    in->data = (InputData){.given = true, .is_fill = true, .fill = simpler[rank]};
    in->data.seed = simpler[rank] == FILL_dyadic ? seed : 0;
    return STEP_MADE;
}

/* ---- integers of statements ---- */

static void add_int(ReduceInts *list, PInt *i, bool in_list) {
    if (i->size_of != NAME_NONE) {
        return;
    }
    list->in_list = array_reserve(list->arena, list->in_list, list->n, &(int){list->capacity}, 32,
                                  sizeof *list->in_list);
    list->v = array_reserve(list->arena, list->v, list->n, &list->capacity, 32, sizeof *list->v);
    list->in_list[list->n] = in_list;
    list->v[list->n++] = i;
}

ReduceInts reduce_integers(Program *p) {
    Stmt **stmts = edit_statements(p->arena, p);
    ReduceInts list = {.arena = p->arena};
    for (int sid = 0; sid < p->nstmts; sid++) {
        Stmt *s = stmts[sid];
        for (int a = 0; s->kind == STMT_OP && a < s->op->nparam; a++) {
            PArg *arg = &s->arg[a];
            ArgType type = s->op->param[a].type;
            if (!arg->given || arg->is_none) {
                continue;
            }
            if (type == ARG_INT || type == ARG_INT_OPT) {
                add_int(&list, &arg->i, false);
            }
            for (int i = 0; (type == ARG_INTS || type == ARG_INTS_OPT) && i < arg->ints.n; i++) {
                add_int(&list, &arg->ints.v[i], true);
            }
        }
    }
    return list;
}

Step reduce_integer(Program *p, int k) {
    ReduceInts list = reduce_integers(p);
    if (k / 3 >= list.n) {
        return STEP_END;
    }
    PInt *i = list.v[k / 3];
    int64_t value = i->value, now = k % 3 == 0 ? 0 : k % 3 == 1 ? 1 : value / 2;
    if (now == value || value == INT64_MIN || (now == 0 && value > 0 && list.in_list[k / 3]) ||
        llabs(now) > llabs(value) || (k % 3 == 2 && llabs(value) < 3)) {
        return STEP_NOTHING;
    }
    i->value = now;
    return STEP_MADE;
}

/* ---- arguments of ops ---- */

/* Argument number k over all op statements; NULL past the last. */
static PArg *nth_argument(Program *p, int k, const Param **param) {
    Stmt **stmts = edit_statements(p->arena, p);
    for (int sid = 0; sid < p->nstmts; sid++) {
        Stmt *s = stmts[sid];
        int n = s->kind == STMT_OP ? s->op->nparam : 0;
        if (k < n) {
            *param = &s->op->param[k];
            return &s->arg[k];
        }
        k -= n;
    }
    return NULL;
}

Step reduce_default_argument(Program *p, int k) {
    const Param *param;
    PArg *arg = nth_argument(p, k, &param);
    if (!arg) {
        return STEP_END;
    }
    if (!arg->given || !param->has_default) {
        return STEP_NOTHING;
    }
    *arg = (PArg){.given = false};
    return STEP_MADE;
}

Step reduce_scalar(Program *p, int k) {
    const Param *param;
    PArg *arg = nth_argument(p, k, &param);
    if (!arg) {
        return STEP_END;
    }
    bool is_scalar = param->type == ARG_SCALAR || param->type == ARG_SCALAR_OPT ||
                     (param->type == ARG_VALUE && !arg->is_tensor);
    if (!is_scalar || !arg->given || arg->is_none || arg->scalar.kind == CAT_BOOL) {
        return STEP_NOTHING;
    }
    if (arg->scalar.kind == CAT_INT ? arg->scalar.i == 1 : arg->scalar.f == 1) {
        return STEP_NOTHING;
    }
    arg->scalar = arg->scalar.kind == CAT_INT ? scalar_int(1) : scalar_float(1);
    return STEP_MADE;
}

Step reduce_index(Program *p, int k) {
    const Param *param;
    PArg *arg;
    for (int a = 0; (arg = nth_argument(p, a, &param)) != NULL; a++) {
        int n = param->type == ARG_INDEX && arg->given ? 2 * arg->index.n : 0;
        if (k >= n) {
            k -= n;
            continue;
        }
        PIndexItem *item = &arg->index.v[k / 2];
        if (k % 2 == 0) {
            for (int i = k / 2; i + 1 < arg->index.n; i++) {
                arg->index.v[i] = arg->index.v[i + 1];
            }
            arg->index.n--;
            return STEP_MADE;
        }
        if (item->kind != INDEX_SLICE || (!item->has_start && !item->has_stop && !item->has_step)) {
            return STEP_NOTHING;
        }
        item->has_start = item->has_stop = item->has_step = false;
        return STEP_MADE;
    }
    return STEP_END;
}
