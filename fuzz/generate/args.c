/* All arguments of an op, from the types and names of its schema's parameters.
 *
 * The main tensor is drawn first (self, unless the schema says otherwise), then every parameter in
 * order; a `src` that must have the size of a view described by later parameters is drawn last.
 * Nothing here tests an op by name: a parameter is drawn by its name and type, or as the row's
 * column DRAW says (program/ops/hints.h), and inference refuses what does not fit. */
#include "fuzz/generate/args.h"

static bool dtype_argument(Draw *x, int k) {
    Gen *g = x->g;
    const Param *p = &x->op->param[k];
    static const DType made[] = {DT_float32, DT_float32,  DT_float32, DT_float64, DT_int64,
                                 DT_int64,   DT_int32,    DT_bool,    DT_int16,   DT_int8,
                                 DT_uint8,   DT_bfloat16, DT_float16};
    if (p->type == ARG_DTYPE_OPT || p->has_default) {
        bool factory = x->op->kind == KIND_FACTORY;
        if (draw_chance(g, factory ? 50 : 85)) {
            return true;
        }
        if (p->has_default && factory && p->type == ARG_DTYPE_OPT && draw_chance(g, 30)) {
            x->s->arg[k] = (PArg){.given = true, .is_none = true};
            return true;
        }
    }
    if (x->op->kind == KIND_STORAGE) { /* the bytes of bools are not supported */
        DType read = made[draw_below(g, COUNT_OF(made))];
        set_dtype(x->s, k, read == DT_bool ? DT_int32 : read);
        return true;
    }
    DType dtype = draw_chance(g, 50) ? g->main : made[draw_below(g, COUNT_OF(made))];
    if (x->op->kind == KIND_FACTORY && has(x->op, "row")) {
        dtype = draw_chance(g, 80) ? DT_int64 : DT_int32;
    }
    set_dtype(x->s, k, dtype);
    return true;
}

static bool bool_argument(Draw *x, int k) {
    const Param *p = &x->op->param[k];
    bool on = !(p->has_default && p->def.b); /* largest, sorted: switched off now and then */
    if ((!on && !named(p, "requires_grad")) || named(p, "right") || named(p, "out_int32")) {
        if (draw_chance(x->g, 35)) {
            set_bool(x->s, k, on);
        }
        return true;
    }
    int percent = named(p, "sparse_grad")     ? 0 /* a sparse gradient is another type of tensor */
                  : named(p, "keepdim")       ? 35
                  : named(p, "requires_grad") ? 40
                  : named(p, "copy") || named(p, "accumulate") ? 25
                                                               : 3;
    if (!x->s->arg[k].given && draw_chance(x->g, percent)) {
        set_bool(x->s, k, named(p, "requires_grad") ? draw_chance(x->g, 35) : true);
    } else if (!x->s->arg[k].given && !p->has_default) {
        set_bool(x->s, k, draw_chance(x->g, 50));
    }
    return true;
}

static bool data_argument(Draw *x, int k) { /* tensor literal: data, size and dtype together */
    Gen *g = x->g;
    int64_t size[MAX_DIMS];
    int n = draw_size(g, size);
    int64_t numel = 0;
    int ks = op_param(x->op, "size"), kd = op_param(x->op, "dtype");
    if (!sizes_numel(size, n, &numel) || numel > 24 || ks < 0 || kd < 0) {
        n = 0;
        numel = 1;
    }
    DType dtype = draw_dtype(g);
    void *data = arena_alloc_raw(g->arena, numel * dtype_bytes(dtype));
    for (int64_t i = 0; i < numel; i++) {
        element_store_double(data, dtype, i,
                             dtype_is_float(dtype) ? (double)draw_between(g, -16, 16) / 8
                                                   : (double)draw_below(g, 6));
    }
    x->s->arg[k] = (PArg){.given = true, .data = {data, numel}};
    if (ks >= 0 && kd >= 0) {
        set_ints(g, x->s, ks, size, n);
        set_dtype(x->s, kd, dtype);
    }
    return true;
}

static bool index_items(Draw *x, int k) {
    Gen *g = x->g;
    PIndexItem items[GEN_ITEMS];
    bool repeats = false;
    int n = draw_index(g, x->t, true, items, &repeats);
    set_index(x->s, k, arena_copy(g->arena, items, (int64_t)sizeof items[0] * n), n);
    return k + 1 >= x->op->nparam || draw_setitem_value(g, x->s, repeats);
}

/* ---- set_: the source, and for the form with sizes a window of its memory ---- */

/* A tensor that set_ takes: mostly of self's dtype, without a gradient where that is recorded, and
 * contiguous where PyTorch asks for it. */
static bool is_source(Draw *x, const GenVar *v, bool strict) {
    Gen *g = x->g;
    bool storage = op_takes_storage(x->op);
    bool other = storage && v->t->dtype != DT_bool && x->t->dtype != DT_bool;
    if (v->dead || (v == x->self && strict) ||
        (v->t->dtype != x->t->dtype && (strict || !other) && !draw_chance(g, 1))) {
        return false;
    }
    return !strict || ((storage || !g->grad || !gen_var_requires_grad(g, v)) &&
                       (!storage || tensor_is_contiguous(v->t)));
}

static GenVar *existing_source(Draw *x) {
    Gen *g = x->g;
    bool strict = !draw_chance(g, 15);
    int start = g->nvars > 0 ? (int)draw_below(g, g->nvars) : 0;
    for (int i = 0; i < g->nvars; i++) {
        GenVar *v = &g->var[(start + i) % g->nvars];
        if (is_source(x, v, strict)) {
            return v;
        }
    }
    return NULL;
}

static bool draw_source(Draw *x, int k) {
    Gen *g = x->g;
    GenVar *v = draw_chance(g, 80) ? existing_source(x) : NULL;
    if (v == NULL) {
        int64_t size[MAX_DIMS];
        bool same = draw_chance(g, 50);
        int n = same ? x->t->ndim : draw_size(g, size);
        dims_copy(size, same ? x->t->size : size, n);
        v = draw_need(g, (Need){.dtype = x->t->dtype, .ndim = n, .size = size});
    }
    if (v != NULL) {
        set_tensor(x->s, k, v);
    }
    return v != NULL;
}

/* Sizes and strides in the memory of the source; now and then beyond its end, which then moves. */
static void draw_window(Draw *x) {
    Gen *g = x->g;
    const GenVar *source = gen_find(g, x->s->arg[1].tensor);
    int64_t size[2], stride[2], room = g->data[source->data].numel - source->t->offset;
    int64_t offset = room > 0 && draw_chance(g, 60) ? draw_below(g, (int)min_i64(room, 9)) : 0;
    int n = (int)draw_below(g, 3);
    room = draw_chance(g, 5) ? room + 3 : room - offset;
    for (int d = 0; d < n; d++) {
        stride[d] = draw_chance(g, 80) ? 1 + draw_below(g, 3) : draw_below(g, 5);
        int64_t most = stride[d] > 0 ? (room + stride[d] - 1) / stride[d] : 3;
        size[d] = most > 0 ? draw_between(g, draw_chance(g, 10) ? 0 : 1, min_i64(most, 4)) : 0;
        room -= size[d] > 0 ? (size[d] - 1) * stride[d] : room;
    }
    set_int(x->s, 2, draw_chance(g, 3) ? offset - 2 : offset);
    set_ints(g, x->s, 3, size, n);
    if (n == 0 || draw_chance(g, 85)) {
        set_ints(g, x->s, 4, stride, n);
    }
}

static Drawn set_argument(Draw *x, int k) {
    if (!op_sets_storage(x->op)) {
        return DRAWN_ELSEWHERE;
    }
    if (k == 1) {
        return draw_source(x, k) ? DRAWN : DRAWN_NOTHING;
    }
    if (k == 2) {
        draw_window(x);
    }
    return DRAWN;
}

static bool args_argument(Draw *x, int k) {
    const Param *p = &x->op->param[k];
    if (k == x->main) {
        return true;
    }
    Drawn own = set_argument(x, k);
    if (own == DRAWN_ELSEWHERE) {
        own = x->op->random ? random_argument(x, k) : nn_argument(x, k);
    }
    if (own != DRAWN_ELSEWHERE) {
        return own == DRAWN;
    }
    switch (p->type) {
    case ARG_TENSOR:
    case ARG_TENSOR_OPT:
        return x->t != NULL && tensor_argument(x, k);
    case ARG_TENSORS:
        return tensors_argument(x, k);
    case ARG_TENSORS_OPT:
        return x->t != NULL && indices_argument(x, k);
    case ARG_SCALAR:
    case ARG_SCALAR_OPT:
        return scalar_argument(x, k);
    case ARG_INT:
    case ARG_INT_OPT:
        return x->s->arg[k].given || int_argument(x, k);
    case ARG_INTS:
    case ARG_INTS_OPT:
        return ints_argument(x, k);
    case ARG_BOOL:
        return bool_argument(x, k);
    case ARG_FLOAT:
        x->s->arg[k] = (PArg){.given = true, .f = 0.5};
        return true;
    case ARG_FLOAT_OPT:
        return true;
    case ARG_DTYPE:
    case ARG_DTYPE_OPT:
        return x->s->arg[k].given || dtype_argument(x, k);
    case ARG_STR:
    case ARG_STR_OPT: /* rounding_mode */
        if (named(p, "approximate")) {
            x->s->arg[k] = (PArg){.given = true, .str = draw_chance(x->g, 50) ? "tanh" : "none"};
            return true;
        }
        if (named(p, "reduce")) {
            x->s->arg[k] = (PArg){.given = true, .str = draw_chance(x->g, 60) ? "add" : "multiply"};
            return true;
        }
        if (named(p, "side")) {
            const PArg *right = &x->s->arg[op_param(x->op, "right")];
            if (draw_chance(x->g, 40)) {
                x->s->arg[k] = (PArg){
                    .given = true,
                    .str = (right->given && right->b) || draw_chance(x->g, 50) ? "right" : "left"};
            }
            return true;
        }
        x->s->arg[k] =
            draw_chance(x->g, 20) && p->type == ARG_STR_OPT
                ? (PArg){.given = true, .is_none = true}
                : (PArg){.given = true, .str = draw_chance(x->g, 50) ? "floor" : "trunc"};
        return true;
    case ARG_INDEX:
        return x->t != NULL && index_items(x, k);
    case ARG_VALUE:
        return x->s->arg[k].given; /* with the index */
    case ARG_DATA:
        return data_argument(x, k);
    }
    return false;
}

bool draw_arguments(Gen *g, Stmt *s, GenVar *self) {
    const OpInfo *op = s->op;
    Draw x = {.g = g, .s = s, .op = op, .main = main_param(op)};
    if (x.main >= 0) {
        x.self = self != NULL ? self : draw_main(g, op);
        if (x.self == NULL || (self != NULL && !main_has_dims(op, self))) {
            return false;
        }
        x.t = x.self->t;
        set_tensor(s, x.main, x.self);
        x.dim = x.t->ndim > 0 ? draw_below(g, x.t->ndim) : 0;
        const OpInfo *form = op_form(op);
        x.divides =
            form->kind == KIND_POINTWISE && !dtype_is_float(x.t->dtype) &&
            (pw_is_quotient(form->pw) || (form->pw == PW_div && has(form, "rounding_mode")));
    }
    int last = -1;
    for (int k = op->out_dtype != OUT_NOT; k < op->nparam; k++) {
        if (op->window != OP_NONE && named(&op->param[k], "src")) {
            last = k;
        } else if (!args_argument(&x, k)) {
            return false;
        }
    }
    if (last >= 0 && !args_argument(&x, last)) {
        return false;
    }
    if (op->out_dtype != OUT_NOT && !into_argument(&x)) {
        return false;
    }
    if (op->kind == KIND_FACTORY && dtype_is_float(g->main) && draw_chance(g, 8)) {
        int kd = op_param(op, "dtype");
        bool floating =
            kd < 0 || !s->arg[kd].given || s->arg[kd].is_none || dtype_is_float(s->arg[kd].dtype);
        bool named_float = op->floating || (kd >= 0 && s->arg[kd].given && !s->arg[kd].is_none);
        if (floating && named_float) {
            s->requires_grad = s->requires_grad_given = true;
        }
    }
    return true;
}
