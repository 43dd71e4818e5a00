/* Which op comes next: every row that a program may name, by class, swarm style.
 *
 * Each program switches some ops off and weighs the classes anew (Groce et al., "Swarm testing", 2012), so that a few ops meet often
 * enough to interact. An op is drawn by rejection: uniform over the table, accepted by the weight of its class. */
#include "fuzz/draw.h"

enum { MAX_WEIGHT = 60 };

_Static_assert(W_class_meta - W_class_factory + 1 == CLASS_COUNT, "a weight a class");

static bool is_logic(Pw pw) { return pw >= PW_eq && pw <= PW_logical_xor; }

OpClass op_class(const OpInfo *op) {
    if (op->name[0] == '_') {
        return CLASS_NEVER;
    }
    switch (op->kind) {
    case KIND_FACTORY: return CLASS_FACTORY;
    case KIND_VIEW: return CLASS_VIEW;
    case KIND_MULTI_VIEW: return CLASS_MULTI_VIEW;
    case KIND_INPLACE_VIEW: return CLASS_RELAYOUT;
    case KIND_META: return CLASS_META;
    case KIND_COMPOSITE:
        if (op->nparam > 1 && op->param[1].type == ARG_INDEX) {
            return op->param[0].writes ? CLASS_SETITEM : CLASS_GETITEM;
        }
        return op->param[0].writes ? CLASS_WRITE_MOVE : CLASS_COMPOSITE;
    case KIND_POINTWISE: return is_logic(op->pw) ? CLASS_LOGIC : op->noperand == 1 ? CLASS_UNARY : CLASS_BINARY;
    case KIND_FUNC:
        switch (op->nature) {
        case NATURE_MATMUL: return CLASS_MATMUL;
        case NATURE_SUM:
        case NATURE_PROD:
        case NATURE_EXTREME:
        case NATURE_ORDER:
        case NATURE_VARIANCE:
        case NATURE_NORM:
        case NATURE_LOGSUMEXP:
        case NATURE_TRUTH:
        case NATURE_SOFTMAX: return CLASS_REDUCE;
        default: return CLASS_MOVE;
        }
    case KIND_INPLACE: {
        const OpInfo *twin = op_info(op->twin);
        if (twin->kind != KIND_POINTWISE || twin->pw == PW_masked_fill) {
            return CLASS_WRITE_MOVE;
        }
        return is_logic(twin->pw) ? CLASS_WRITE_LOGIC : twin->noperand == 1 ? CLASS_WRITE_UNARY : CLASS_WRITE_BINARY;
    }
    }
    return CLASS_NEVER;
}

static bool switched_off(const Gen *g, OpId id) {
    uint64_t z = (g->op_salt ^ (uint64_t)id) * 0x9E3779B97F4A7C15u;
    z ^= z >> 32;
    return (int)((z * 0xBF58476D1CE4E5B9u >> 40) % 100) < g->op_off;
}

/* Where the swarm has left next to nothing, one that is allowed. */
static const OpInfo *choose_op(Gen *g) {
    const GenerateOptions *options = g->options;
    for (int i = 0; i < 200; i++) {
        const OpInfo *op = op_info(options->op[draw_below(g, options->nop)]);
        OpClass class = op_class(op);
        int weight = class == CLASS_NEVER ? 0 : g->w[W_class_factory + (int)class] * g->weight[class] / 4;
        if (weight > 0 && draw_below(g, MAX_WEIGHT) < weight && !switched_off(g, op->id)) {
            return op;
        }
    }
    return gen_allows(g, OP_clone) ? op_info(OP_clone) : op_info(options->op[draw_below(g, options->nop)]);
}

static Var *try_op(Gen *g, OpId id, Var *self) {
    Stmt *s = stmt_op(g, id);
    if (!gen_room(g) || !draw_arguments(g, s, self)) {
        return NULL;
    }
    NameId out = NAME_NONE;
    bool writes = s->op->nparam > 0 && s->op->param[0].writes;
    if (writes && s->op->nreturn != 0 && draw_chance(g, 18)) {
        out = gen_fresh_name(g); /* a second name of the same tensor */
    } else if (!writes && s->op->nreturn == 1 && g->depth == 0 && draw_chance(g, 6)) {
        const Var *old = &g->var[draw_below(g, g->nvars > 0 ? g->nvars : 1)];
        if (g->nvars > 0 && !old->dead && !g->base[old->base].input) {
            out = old->name;
        }
    }
    return stmt_commit(g, s, out);
}

Var *draw_this_op(Gen *g, OpId id, Var *self) {
    for (int i = 0; i < 3; i++) {
        Var *v = try_op(g, id, self);
        if (v != NULL) {
            return v;
        }
    }
    return NULL;
}

Var *draw_op(Gen *g) {
    for (int i = 0; i < 6; i++) {
        const OpInfo *op = choose_op(g);
        for (int j = 0; j < 2; j++) {
            Var *v = try_op(g, op->id, NULL);
            if (v != NULL) {
                return v;
            }
        }
    }
    return NULL;
}
