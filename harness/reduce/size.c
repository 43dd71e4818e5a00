/* Reducers of sizes. What depends on a size is changed with it: strides of a dense tensor, in any
 * order of its dimensions; arguments that equal the size, or the number of elements of an input;
 * indices; written data. */
#include "harness/reduce/edit.h"
#include "harness/reduce/reduce.h"

#include <string.h>

/* The size that candidate `way` tries instead of size `v`, or -1. */
static int64_t reduce_size_smaller(int64_t v, int way) {
    switch (way) {
    case 0:
        return v > 1 ? 1 : -1;
    case 1:
        return v > 2 ? 2 : -1;
    case 2:
        return v > 4 ? v / 2 : -1;
    default:
        return v > 3 ? v - 1 : -1;
    }
}
enum { WAYS = 4, MAX_SIZES = 256 };

static int64_t numel_of(const Input *in) {
    int64_t n = 1;
    for (int d = 0; d < in->ndim; d++) {
        n *= in->size[d];
    }
    return n;
}

/* The dimensions of `in` from the least stride to the largest, if with these strides each element
 * follows the one before it. */
static bool dense_order(const Input *in, int *order) {
    for (int d = in->ndim - 1, n = 0; d >= 0; d--, n++) {
        int at = n;
        for (; at > 0 && in->stride[order[at - 1]] > in->stride[d]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = d;
    }
    int64_t next = 1;
    for (int i = 0; i < in->ndim; i++) {
        if (in->size[order[i]] != 1 && in->stride[order[i]] != next) {
            return false;
        }
        next *= in->size[order[i]];
    }
    return true;
}

/* All inputs of all calls. */
typedef struct Inputs {
    Input *v;
    int n;
} Inputs;

static Inputs inputs_now(Program *p) {
    Inputs all = {.n = 0};
    while (reduce_input_at(p, all.n)) {
        all.n++;
    }
    all.v = arena_array(p->arena, Input, all.n + 1);
    for (int i = 0; i < all.n; i++) {
        all.v[i] = *reduce_input_at(p, i);
    }
    return all;
}

/* After sizes of inputs were changed, which were `before`: strides and numbers of elements
 * follow. */
static void follow(Program *p, const Inputs *before) {
    for (int i = 0; i < before->n; i++) {
        Input *in = reduce_input_at(p, i);
        int order[MAX_DIMS];
        if (in->stride_given && dense_order(&before->v[i], order)) {
            int64_t next = 1;
            for (int d = 0; d < in->ndim; d++) {
                in->stride[order[d]] = next;
                next *= max_i64(in->size[order[d]], 1);
            }
        }
    }
    ReduceInts list = reduce_integers(p);
    for (int k = 0; k < list.n; k++) {
        for (int i = 0; i < p->ninputs; i++) {
            int64_t was = numel_of(&before->v[i]), is = numel_of(&p->inputs[i]);
            if (list.in_list[k] && list.v[k]->value == was && is != was) {
                list.v[k]->value = is;
                break;
            }
        }
    }
}

/* Indices into a dim of size `old` are brought into the range of size `now`. */
static void repair_index(Program *p, int64_t old, int64_t now) {
    Stmt **stmts = edit_statements(p->arena, p);
    for (int sid = 0; sid < p->nstmts; sid++) {
        Stmt *s = stmts[sid];
        for (int a = 0; s->kind == STMT_OP && a < s->op->nparam; a++) {
            PArg *arg = &s->arg[a];
            for (int i = 0; s->op->param[a].type == ARG_INDEX && arg->given && i < arg->index.n;
                 i++) {
                PIndexItem *item = &arg->index.v[i];
                if (item->kind == INDEX_INT && item->start.size_of == NAME_NONE &&
                    item->start.value >= now && item->start.value < old) {
                    item->start.value = now - 1;
                } else if (item->kind == INDEX_LIST) {
                    int64_t *list = arena_array(p->arena, int64_t, item->count + 1);
                    for (int j = 0; j < item->count; j++) {
                        list[j] =
                            item->list[j] >= now && item->list[j] < old ? now - 1 : item->list[j];
                    }
                    item->list = list;
                }
            }
        }
        int dtype = s->kind == STMT_OP && s->op->id == OP_tensor ? op_param(s->op, "dtype") : -1;
        if (dtype >= 0 && s->arg[dtype].dtype == DT_int64) { /* as likely as not an index */
            PArg *data = &s->arg[op_param(s->op, "data")];
            for (int64_t i = 0; i < data->data.n; i++) {
                int64_t v = element_int(data->data.data, DT_int64, i);
                if (v >= now && v < old) {
                    element_store_int(data->data.data, DT_int64, i, now - 1);
                }
            }
        }
    }
}

/* Cuts the data of literals whose sizes became smaller. False if some became larger. */
static bool settle_literals(Program *p) {
    Stmt **stmts = edit_statements(p->arena, p);
    for (int sid = 0; sid < p->nstmts; sid++) {
        Stmt *s = stmts[sid];
        if (s->kind != STMT_OP || s->op->id != OP_tensor) {
            continue;
        }
        PArg *size = &s->arg[op_param(s->op, "size")], *data = &s->arg[op_param(s->op, "data")];
        int64_t n = 1;
        for (int i = 0; i < size->ints.n; i++) {
            n = size->ints.v[i].size_of == NAME_NONE && size->ints.v[i].value >= 0
                    ? n * size->ints.v[i].value
                    : INT64_MAX / 64;
            if (n > data->data.n) {
                return false;
            }
        }
        data->data.n = n;
    }
    return true;
}

/* Sizes that inputs of call `call`, or of all (-1), have, each once, in the order in which they
 * come. */
static int sizes_in(Program *p, int call, int64_t *size) {
    int n = 0;
    for (int c = call < 0 ? 0 : call; c <= (call < 0 ? p->nrecalls : call); c++) {
        int ninputs;
        const Input *inputs = reduce_inputs_of(p, c, &ninputs);
        for (int i = 0; i < ninputs; i++) {
            for (int d = 0; d < inputs[i].ndim; d++) {
                bool known = n == MAX_SIZES;
                for (int j = 0; j < n; j++) {
                    known |= size[j] == inputs[i].size[d];
                }
                if (!known) {
                    size[n++] = inputs[i].size[d];
                }
            }
        }
    }
    return n;
}

/* Makes `old` `now`: in one call its inputs' sizes, in all (-1) arguments and indices, too. */
static Step replace_size(Program *p, int call, int64_t old, int64_t now) {
    Inputs before = inputs_now(p);
    for (int c = call < 0 ? 0 : call; c <= (call < 0 ? p->nrecalls : call); c++) {
        int n;
        Input *inputs = reduce_inputs_of(p, c, &n);
        for (int i = 0; i < n; i++) {
            for (int d = 0; d < inputs[i].ndim; d++) {
                inputs[i].size[d] = inputs[i].size[d] == old ? now : inputs[i].size[d];
            }
        }
    }
    if (call < 0) {
        ReduceInts list = reduce_integers(p);
        for (int i = 0; i < list.n; i++) {
            list.v[i]->value = list.v[i]->value == old ? now : list.v[i]->value;
        }
        repair_index(p, old, now);
    }
    follow(p, &before);
    return reduce_settle(p) && settle_literals(p) ? STEP_MADE : STEP_NOTHING;
}

Step reduce_size(Program *p, int k) {
    for (int call = -1; call <= (p->nrecalls > 0 ? p->nrecalls : -1); call++) {
        int64_t size[MAX_SIZES];
        int n = sizes_in(p, call, size);
        if (k < n * WAYS) {
            int64_t old = size[k / WAYS], now = reduce_size_smaller(old, k % WAYS);
            return now < 0 ? STEP_NOTHING : replace_size(p, call, old, now);
        }
        k -= n * WAYS;
    }
    return STEP_END;
}

/* Dimension d of the inputs called `name` in all calls, or of all (NAME_NONE), becomes at most
 * `most`. False if it is. */
static bool bound_dimension(Program *p, NameId name, int d, int64_t most) {
    Inputs before = inputs_now(p);
    bool changed = false;
    for (int i = 0; i < before.n; i++) {
        Input *in = reduce_input_at(p, i);
        if ((name == NAME_NONE || in->name == name) && d < in->ndim && in->size[d] > most) {
            in->size[d] = most;
            changed = true;
        }
    }
    if (changed) {
        follow(p, &before);
    }
    return changed;
}

Step reduce_dimension(Program *p, int k) {
    for (int i = 0; reduce_input_at(p, i); i++) {
        Input *in = reduce_input_at(p, i);
        if (k < in->ndim * WAYS) {
            Inputs before = inputs_now(p);
            int64_t now = reduce_size_smaller(in->size[k / WAYS], k % WAYS);
            if (now < 0) {
                return STEP_NOTHING;
            }
            in->size[k / WAYS] = now;
            follow(p, &before);
            return reduce_settle(p) && settle_literals(p) ? STEP_MADE : STEP_NOTHING;
        }
        k -= in->ndim * WAYS;
    }
    for (int i = 0; i < p->ninputs && p->nrecalls > 0; i++) {
        const Input *in = &p->inputs[i];
        if (k < in->ndim * 2) {
            return bound_dimension(p, in->name, k / 2, 1 + k % 2) && reduce_settle(p) &&
                           settle_literals(p)
                       ? STEP_MADE
                       : STEP_NOTHING;
        }
        k -= in->ndim * 2;
    }
    return STEP_END;
}

static Step drop_dimension(Program *p, NameId name, int d) {
    bound_dimension(p, name, d, 1);
    for (int i = 0; reduce_input_at(p, i); i++) {
        Input *in = reduce_input_at(p, i);
        if ((name == NAME_NONE || in->name == name) && d < in->ndim) {
            in->ndim--;
            memmove(&in->size[d], &in->size[d + 1], sizeof in->size[0] * (size_t)(in->ndim - d));
            memmove(&in->stride[d], &in->stride[d + 1],
                    sizeof in->stride[0] * (size_t)(in->ndim - d));
        }
    }
    return reduce_settle(p) && settle_literals(p) ? STEP_MADE : STEP_NOTHING;
}

Step reduce_rank(Program *p, int k) {
    int most = 0;
    for (int i = 0; i < p->ninputs; i++) {
        if (k < p->inputs[i].ndim) {
            return drop_dimension(p, p->inputs[i].name, k);
        }
        k -= p->inputs[i].ndim;
        most = p->inputs[i].ndim > most ? p->inputs[i].ndim : most;
    }
    return p->ninputs > 1 && k < most ? drop_dimension(p, NAME_NONE, k) : STEP_END;
}
