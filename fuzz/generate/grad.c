/* torch.autograd.grad inside the program, and the situations that it makes: gradients
 * differentiated again, graphs that are freed, gradients that are the tensor passed in, or a
 * view of it, and are written.
 *
 * Which inputs an output depends on is guessed from the bases that statements read (Base.from). The
 * metadata of a gradient are those of its input, its strides a guess: it may also be
 * expanded or transposed. */
#include "fuzz/patterns/pattern.h"

#include <math.h>

enum { GRAD_OUTPUTS = 2, GRAD_INPUTS = 3 };

static bool is_output(const Gen *g, const GenVar *v) {
    return gen_var_requires_grad(g, v) && !v->no_grad && (!g->base[v->base].leaf || v->view);
}
static bool grad_is_input(const Gen *g, const GenVar *v) {
    return gen_var_requires_grad(g, v) && !v->no_grad;
}

/* Something that the outputs reach, as far as the guesses tell; leaves more often. */
static GenVar *reached_input(Gen *g, uint64_t from) {
    GenVar *best = NULL;
    for (int i = 0; i < 8 && g->nvars > 0; i++) {
        GenVar *v = &g->var[draw_below(g, g->nvars)];
        if (v->dead || v->fuzzy || !grad_is_input(g, v)) {
            continue;
        }
        bool reached = from >> (v->base % 64) & 1 && !v->view;
        if (reached && (g->base[v->base].leaf || draw_chance(g, 40))) {
            return v;
        }
        best = best != NULL && !reached ? best : v;
    }
    return best;
}

bool draw_tangents(Gen *g, GradStmt *grad, GenVar *const *output, uint64_t *fed) {
    bool scalars = true;
    for (int i = 0; i < grad->noutputs; i++) {
        scalars = scalars && tensor_numel(output[i]->t) == 1;
    }
    if (scalars && draw_chance(g, 60)) {
        return true;
    }
    grad->grad_outputs = arena_array(g->arena, NameId, grad->noutputs);
    grad->ngrad_outputs = grad->noutputs;
    for (int i = 0; i < grad->noutputs; i++) {
        const Tensor *t = output[i]->t;
        if (tensor_numel(t) == 1 && draw_chance(g, 30)) {
            grad->grad_outputs[i] = NAME_NONE;
            continue;
        }
        DType dtype = draw_chance(g, 4) ? draw_dtype(g) : t->dtype;
        GenVar *v = draw_need(
            g,
            (Need){.dtype = dtype, .ndim = t->ndim, .size = t->size, .plain = draw_chance(g, 50)});
        if (v == NULL) {
            return false;
        }
        v->spent = true;
        *fed |= g->base[v->base].from;
        grad->grad_outputs[i] = v->name;
    }
    return true;
}

static GenVar *bind_gradient(Gen *g, const GenVar *input, NameId name, bool recorded,
                             uint64_t from) {
    Tensor *t = arena_copy(g->arena, input->t, (int64_t)sizeof *input->t);
    tensor_set_contiguous(t, t->dtype, t->size, t->ndim);
    int data = gen_data(g, -HUGE_VAL, HUGE_VAL, BITS_INEXACT, tensor_numel(t));
    int base = gen_base(g, recorded, !recorded);
    g->data[data].gradient = true;
    g->base[base].from |= recorded ? from : 0;
    return gen_var(g, name, t, data, base);
}

GenVar *draw_grad(Gen *g, GradForm form) {
    GenVar *output[GRAD_OUTPUTS], *input[GRAD_INPUTS];
    GradStmt *grad = arena_new(g->arena, GradStmt);
    int noutputs = draw_chance(g, 20) ? 2 : 1, ninputs = 1 + draw_below(g, GRAD_INPUTS);
    uint64_t from = 0, fed = 0;
    if (g->nstmts == 0 || !gen_room(g)) {
        return NULL;
    }
    for (int i = 0; i < noutputs; i++) {
        output[i] = i == 0 && form.output != NULL ? form.output : draw_var(g, is_output);
        if (output[i] == NULL || output[i]->fuzzy) {
            return NULL;
        }
        from |= g->base[output[i]->base].from;
    }
    bool unused = false;
    for (int i = 0; i < ninputs; i++) {
        input[i] = i == 0 && form.input != NULL ? form.input : reached_input(g, from);
        if (input[i] == NULL) {
            return NULL;
        }
        unused = unused || !(from >> (input[i]->base % 64) & 1) || input[i]->view;
    }
    grad->noutputs = noutputs;
    grad->outputs = arena_array(g->arena, NameId, noutputs);
    grad->ninputs = ninputs;
    grad->inputs = arena_array(g->arena, NameId, ninputs);
    grad->ngrad_outputs = -1;
    if (!draw_tangents(g, grad, output, &fed) || !gen_room(g)) {
        return NULL;
    }
    for (int i = 0; i < noutputs; i++) {
        output[i]->spent = true;
        grad->outputs[i] = output[i]->name;
    }
    grad->create_graph = draw_chance(g, form.create_percent);
    bool retain = draw_chance(g, form.retain_percent);
    if (retain != grad->create_graph || draw_chance(g, 15)) {
        grad->retain_given = true;
        grad->retain_graph = retain;
    }
    grad->allow_unused = draw_chance(g, unused ? 92 : 40);
    Stmt *s = stmt_new(g, STMT_GRAD);
    s->grad = grad;
    s->out_list = true;
    s->nout = ninputs;
    s->out = arena_array(g->arena, NameId, ninputs);
    GenVar *first = NULL;
    for (int i = 0; i < ninputs; i++) {
        grad->inputs[i] = input[i]->name;
        s->out[i] = gen_fresh_name(g);
        bool reached = from >> (input[i]->base % 64) & 1;
        GenVar *v = bind_gradient(g, input[i], s->out[i], grad->create_graph, from | fed);
        v->dead = !reached; /* likely None */
        first = first == NULL && reached ? v : first;
    }
    stmt_append(g, s);
    return first;
}

/* ---- patterns ---- */

/* A smooth function of a fresh leaf, in two or three ops. */
static GenVar *smooth(Gen *g, GenVar *x) {
    static const OpId unary[] = {OP_exp,    OP_sin,  OP_tanh, OP_sigmoid,
                                 OP_square, OP_relu, OP_abs,  OP_neg};
    GenVar *v = draw_chance(g, 60) ? say2(g, OP_mul_Tensor, x, x)
                                   : say(g, unary[draw_below(g, COUNT_OF(unary))], x);
    for (int i = draw_below(g, 3); i > 0 && v != NULL; i--) {
        int r = draw_below(g, 4);
        if (r == 0) {
            v = say2(g, OP_mul_Tensor, v, x);
        } else if (r == 1) {
            v = say(g, unary[draw_below(g, COUNT_OF(unary))], v);
        } else {
            GenVar *made = draw_this_op(g, OP_getitem, v);
            v = made != NULL && draw_chance(g, 70) ? made : v;
        }
    }
    return v;
}

bool pattern_second_derivative(Gen *g) {
    GenVar *x = pattern_input(g, 0, true), *y = smooth(g, x);
    if (y == NULL) {
        return false;
    }
    if (draw_chance(g, 40)) {
        y = say(g, OP_sum, y);
    }
    pattern_noise(g);
    GenVar *first = y == NULL ? NULL : draw_grad(g, (GradForm){y, x, 100, 95});
    if (first == NULL) {
        return false;
    }
    GenVar *z = draw_chance(g, 50) ? say2(g, OP_mul_Tensor, first, x) : say(g, OP_sin, first);
    if (z != NULL && draw_chance(g, 25)) {
        want_return(g, draw_grad(g, (GradForm){z, x, 60, 90}));
    }
    want_return(g, z == NULL || draw_chance(g, 30) ? first : z);
    want_return(g, draw_chance(g, 30) ? y : NULL);
    g->want_backward = true;
    return true;
}

bool pattern_freed_graph(Gen *g) {
    GenVar *x = pattern_input(g, 0, true), *y = smooth(g, x), *z = y == NULL ? NULL : smooth(g, y);
    GenVar *first =
        z == NULL ? NULL : draw_grad(g, (GradForm){z, draw_chance(g, 60) ? x : y, 25, 0});
    if (first == NULL) {
        return false;
    }
    if (draw_chance(g, 40)) {
        pattern_noise(g);
        draw_grad(g, (GradForm){draw_chance(g, 50) ? z : y, x, 30, 50});
    }
    want_return(g, draw_chance(g, 50) ? z : y);
    want_return(g, first);
    g->want_backward = true;
    return true;
}

/* Ops that pass their gradient on, or a view of it: the result may be the very tensor that was
 * passed, and is then written. */
bool pattern_passed_gradient(Gen *g) {
    static const OpId form[] = {OP_clone, OP_add_Scalar, OP_t,      OP_unsqueeze,
                                OP_alias, OP_sum,        OP_select, OP_ravel};
    GenVar *x = pattern_input(g, 1, true);
    GenVar *y = x == NULL || x->t->ndim > 2
                    ? NULL
                    : draw_this_op(g, form[draw_below(g, COUNT_OF(form))], x);
    if (y == NULL || !gen_var_requires_grad(g, y)) {
        return false;
    }
    GenVar *fed =
        draw_input(g, y->t->dtype, y->t->size, y->t->ndim, false, draw_chance(g, 30) ? 100 : 0);
    if (fed == NULL) {
        return false;
    }
    GenVar *v = draw_chance(g, 50) && !gen_var_requires_grad(g, fed)
                    ? fed
                    : say_scalar(g, OP_mul_Scalar, fed, scalar_int(2));
    GenVar *first = v == NULL ? NULL : draw_grad(g, (GradForm){y, x, 30, 60});
    if (first == NULL) {
        return false;
    }
    GenVar *written = draw_chance(g, 50) ? first : v;
    say_scalar(g, OP_mul__Scalar, written, scalar_int(3));
    want_return(g, first);
    want_return(g, v);
    return true;
}

/* Gradients of non-leaves, retained. */
bool pattern_kept_gradient(Gen *g) {
    GenVar *x = pattern_input(g, 0, true), *y = smooth(g, x);
    if (y == NULL) {
        return false;
    }
    say(g, OP_retain_grad, y);
    if (draw_chance(g, 30)) {
        say_scalar(g, OP_mul__Scalar, y, scalar_int(2));
    }
    GenVar *z = smooth(g, y);
    if (z != NULL && draw_chance(g, 40)) {
        draw_grad(g, (GradForm){z, x, 50, 95});
    }
    want_return(g, y);
    want_return(g, z);
    g->want_backward = true;
    return true;
}
