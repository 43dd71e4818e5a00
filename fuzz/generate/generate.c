/* The skeleton of a program: a few inputs, perhaps a setup, statements with a pattern among
 * them, perhaps a deliberate error, returns, a backward, further calls, a Python surface. Weights
 * are drawn per program (swarm testing), sizes from a palette per program.
 *
 * Randomness: one SplitMix64 stream, started from (seed, index), so that any program can be
 * regenerated alone. */
#include "fuzz/generate/vary.h"

#include <limits.h>
#include <string.h>

enum { LARGE = 4200 /* elements of the tensors of large programs */ };

/* ---- hooks on the Emit ---- */

static ErrCode watch_apply(Emit *e, const Call *call, Tensor **out, int *nout) {
    Gen *g = (Gen *)e;
    ErrCode code = g->infer(e, call, out, nout);
    if (code != ERR_none) {
        return code;
    }
    OpKind kind = call->op->kind;
    for (int i = 0; i < *nout && g->nmade < GEN_MADE; i++) {
        Made *made = &g->made[g->nmade++];
        made->out = out[i];
        made->view = kind == KIND_VIEW || kind == KIND_MULTI_VIEW;
        made->multi = kind == KIND_MULTI_VIEW;
        made->parent = made->view || kind == KIND_META || kind == KIND_STORAGE ||
                               kind == KIND_INPLACE || kind == KIND_INPLACE_VIEW
                           ? call->arg[0].tensor
                           : NULL;
        if (made->parent == out[i]) {
            g->nmade--;
        }
    }
    return ERR_none;
}

/* The size of a mask's coordinates is known only where the mask is a whole input. */
static ErrCode watch_count(Emit *e, const Tensor *mask, int64_t *count) {
    Gen *g = (Gen *)e;
    for (int i = 0; i < g->nvars; i++) {
        const Data *data = &g->data[g->var[i].data];
        if (g->var[i].t == mask && data->trues >= 0 && tensor_numel(mask) == data->numel) {
            *count = data->trues;
            return ERR_none;
        }
    }
    g->fuzzy = true;
    *count = g->options->max_elements > 0 ? tensor_numel(mask) : tensor_numel(mask) / 2;
    return ERR_none;
}

/* ---- one program ---- */

/* Everything but the program's own parts. */
static void generate_start(Gen *g, Arena *arena, const GenerateOptions *options, Program *p,
                           uint64_t state) {
    memset(g, 0, offsetof(Gen, made));
    g->options = options;
    semantics_enter(p->semantics);
    g->w = options->weight;
    g->room = options->max_statements > 0 ? options->max_statements : INT_MAX;
    g->arena = arena;
    g->err.quiet = true;
    g->meta = meta_emit(arena, &g->err);
    g->infer = g->meta.emit.apply;
    g->meta.emit.apply = watch_apply;
    g->meta.emit.count_nonzero = watch_count;
    g->rng.state = state;
    g->p = p;
    g->names = arena_alloc_raw(arena, (int64_t)sizeof(char *) * GEN_NAMES);
    g->env = arena_array(arena, Tensor *, GEN_NAMES);
    g->block = &p->body;
}

static Program *new_program(Gen *g, Arena *arena, const GenerateOptions *options, uint64_t seed,
                            uint64_t index) {
    Rng mix = {seed};
    uint64_t a = rng_next(&mix);
    mix.state = a ^ (index * 0xD1342543DE82EF95u);
    Program *p = arena_new(arena, Program);
    p->semantics = options->semantics;
    generate_start(g, arena, options, p, rng_next(&mix));
    p->arena = arena;
    p->names = g->names;
    p->inputs = arena_alloc_raw(arena, (int64_t)sizeof *p->inputs * GEN_INPUTS);
    p->inputs_given = true;
    p->grad_mode = true;
    p->backward.nof = -1;
    p->name =
        arena_printf(arena, "fuzz-%llu-%llu", (unsigned long long)seed, (unsigned long long)index);
    return p;
}

/* Sizes that make loops of vectors, their tails, and reductions over several of them. */
static const int64_t VECTOR[] = {1,  7,  8,  15, 16,  17,  31,   32,   33,   63,
                                 64, 65, 65, 64, 100, 100, 1000, 1000, 1025, 2048};

static void draw_vector_scale(Gen *g, int64_t bound) {
    static const int64_t most[] = {1 << 12, 1 << 12, 1 << 13, 1 << 14, 1 << 16};
    g->situation.vector = true;
    g->most = bound > 0 ? bound : most[draw_below(g, COUNT_OF(most))];
    for (int i = 0; i < 3; i++) {
        g->palette[i] = VECTOR[draw_below(g, COUNT_OF(VECTOR))];
    }
}

static void draw_swarm(Gen *g) {
    static const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9};
    _Static_assert(W_extent_9 - W_extent_0 + 1 == COUNT_OF(sizes), "a weight a size");
    int64_t bound = g->options->max_elements;
    for (int i = 0; i < 3; i++) {
        g->palette[i] = sizes[draw_share(g, W_extent_0, W_extent_9)];
    }
    g->most = GEN_ELEMENTS;
    int scale = W_scale_small + draw_share(g, W_scale_small, W_scale_vector);
    if (scale == W_scale_vector) {
        draw_vector_scale(g, bound);
    } else if (scale == W_scale_large) {
        static const int64_t large[] = {13, 16, 17, 31, 33, 64, 65, 100, 128, 129, 255, 513, 1000};
        int usual = bound > LARGE ? COUNT_OF(large) : 8;
        g->most = bound > LARGE ? bound : LARGE;
        for (int i = 0; i < 3; i++) {
            g->palette[i] = large[draw_below(g, usual)];
        }
    }
    g->most = bound > 0 ? min_i64(g->most, bound) : g->most;
    static const DType mains[] = {DT_float32, DT_float64, DT_bfloat16, DT_float16};
    g->main = mains[draw_share(g, W_main_float32, W_main_float16)];
    g->specials = draw_chance(g, g->w[W_specials]);
    static const int times[] = {0, 2, 4, 8};
    g->nop = g->options->nop;
    bool random =
        g->w[W_class_random] > 0; /* else a seed draws what it drew before there were any */
    while (!random && g->nop > 1 && op_info(g->options->op[g->nop - 1])->random) {
        g->nop--;
    }
    for (int i = 0; i < CLASS_COUNT - !random; i++) {
        g->weight[i] =
            g->w[W_class_factory + i] * times[draw_share(g, W_swarm_none, W_swarm_twice)] / 4;
    }
    g->op_salt = rng_next(&g->rng);
    static const int off[] = {0, 30, 60};
    g->op_off = off[draw_below(g, COUNT_OF(off))];
    g->want_sizes = draw_chance(g, g->w[W_other_sizes]);
    if (draw_chance(g, g->w[W_no_grad_call])) {
        g->p->grad_mode = false;
        g->p->grad_mode_given = true;
    }
    draw_situations(g);
}

static void draw_inputs(Gen *g) {
    int n = 1 + draw_below(g, 3);
    for (int i = 0; i < n; i++) {
        int64_t size[MAX_DIMS];
        GenVar *v = NULL;
        if (i > 0 && g->nvars > 0 && draw_chance(g, g->w[W_shared_input])) {
            v = draw_input_shared(g, &g->var[draw_below(g, g->nvars)]);
        }
        if (v == NULL) {
            int ndim = draw_size(g, size);
            draw_input(g, i == 0 ? g->main : draw_dtype(g), size, ndim, false, g->w[W_input_grad]);
        }
    }
}

/* Something made of `v` whose values are all positive, or all negative. */
static void draw_one_sign(Gen *g, GenVar *v) {
    if (v->dead || v->fuzzy || v->t->dtype == DT_bool || !gen_room(g)) {
        return;
    }
    Stmt *s = stmt_op(g, OP_abs);
    set_tensor(s, 0, v);
    GenVar *made = stmt_commit(g, s, NAME_NONE);
    if (made != NULL) {
        s = stmt_op(g, OP_add_Scalar);
        set_tensor(s, 0, made);
        set_scalar(s, 1, scalar_int(1 + draw_below(g, 3)));
        made = stmt_commit(g, s, NAME_NONE);
    }
    if (made != NULL && v->t->dtype != DT_uint8 && draw_chance(g, 50)) {
        s = stmt_op(g, OP_neg);
        set_tensor(s, 0, made);
        stmt_commit(g, s, NAME_NONE);
    }
}

/* Random statements until the body has `count` more (or nothing fits). */
static void draw_statements(Gen *g, int count) {
    int most = g->nstmts + count;
    for (int tries = 0; g->nstmts < most && tries < 2 * count + 2 && gen_room(g); tries++) {
        draw_statement(g);
        if (g->situation.breaks && draw_chance(g, 30) && gen_room(g)) {
            stmt_append(g, stmt_new(g, STMT_GRAPH_BREAK));
        }
    }
}

void gen_begin(Gen *g, Arena *arena, const GenerateOptions *options, Program *p, uint64_t state) {
    generate_start(g, arena, options, p, state);
    CHECK(p->nnames <= GEN_NAMES);
    if (p->nnames > 0) {
        memcpy(g->names, p->names, sizeof *g->names * (size_t)p->nnames);
    }
    g->nnames = p->nnames;
    p->names = g->names;
    bool grad_mode = p->grad_mode, given = p->grad_mode_given;
    draw_swarm(g);
    p->grad_mode = g->grad = grad_mode;
    p->grad_mode_given = given;
}

Program *generate_program_info(Arena *arena, const GenerateOptions *options, uint64_t seed,
                               uint64_t index, GenerateInfo *info) {
    Gen gen;
    Gen *g = &gen;
    options = options ? options : &GENERATE_DEFAULTS;
    new_program(g, arena, options, seed, index);
    g->info = (GenerateInfo){-1, -1};
    draw_swarm(g);
    draw_inputs(g);
    if (draw_chance(g, g->w[W_setup])) {
        draw_setup(g);
    }
    bool pattern = draw_chance(g, g->w[W_motif]);
    bool deliberate_error = draw_chance(g, g->w[W_mistake]);
    g->grad = g->p->grad_mode;
    for (int i = 0, n = g->nvars; i < n; i++) {
        if (draw_feature(g, g->w[W_one_sign])) {
            draw_one_sign(g, &g->var[i]);
        }
    }
    int64_t longest = options->max_statements > 0 ? options->max_statements : 16;
    int total = pattern ? draw_below(g, 7) : (int)draw_between(g, min_i64(3, longest), longest);
    int before = pattern || deliberate_error ? draw_below(g, total + 1) : total;
    draw_statements(g, before);
    if (pattern && gen_room(g)) {
        g->info.pattern = pattern_draw(g);
        g->grad = g->p->grad_mode;
    }
    if (deliberate_error && gen_room(g)) {
        if (pattern && draw_chance(g, 50)) {
            draw_statements(g, total - before);
        }
        g->info.deliberate_error = deliberate_error_draw(g);
        if (draw_chance(g, 30)) {
            draw_statements(g, 1);
        }
    } else {
        draw_statements(g, total - before);
    }
    if (g->p->body.count == 0) {
        draw_statements(g, 3);
    }
    if (g->p->args_given && gen_room(g) && draw_chance(g, g->w[W_setup_write])) {
        draw_setup_write(g);
    }
    draw_late_probes(g);
    draw_returns(g);
    bool after = draw_feature(g, g->w[W_after]);
    if (after) {
        draw_after(g);
    }
    draw_recalls(g);
    for (int i = 0; i < g->p->nrecalls && after; i++) {
        Recall *r = &g->p->recalls[i];
        r->keep_grads = r->keep && draw_feature(g, g->w[W_keep_grads]);
    }
    if (g->w[W_class_random] > 0 && program_is_random(g->p)) {
        g->p->seed = (uint64_t)draw_below(g, 100000);
        g->p->seed_given = true;
    }
    program_number(g->p);
    draw_surface(g);
    if (info != NULL) {
        *info = g->info;
    }
    return g->p;
}

Program *generate_program(Arena *arena, uint64_t seed, uint64_t index) {
    return generate_program_info(arena, NULL, seed, index, NULL);
}
