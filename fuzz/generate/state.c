/* Names, variables and guesses of the program being drawn, and statements before they are appended.
 */
#include "fuzz/generate/commit.h"

int draw_weighted(Gen *g, const int *weight, int n) {
    int total = 0;
    for (int i = 0; i < n; i++) {
        total += weight[i];
    }
    int at = draw_below(g, total);
    for (int i = 0; i < n; i++) {
        if (at < weight[i]) {
            return i;
        }
        at -= weight[i];
    }
    return n - 1;
}

/* ---- names and guesses ---- */

NameId gen_name(Gen *g, char prefix, int number) {
    CHECK(g->nnames < GEN_NAMES);
    char *text = arena_alloc_raw(g->arena, 8);
    int n = 0;
    text[n++] = prefix;
    if (number >= 100) {
        text[n++] = (char)('0' + number / 100 % 10);
    }
    if (number >= 10) {
        text[n++] = (char)('0' + number / 10 % 10);
    }
    text[n++] = (char)('0' + number % 10);
    text[n] = '\0';
    g->names[g->nnames] = text;
    g->p->nnames = g->nnames + 1;
    return g->nnames++;
}

NameId gen_fresh_name(Gen *g) { return gen_name(g, 'v', ++g->next_var); }

int gen_data(Gen *g, double lo, double hi, int bits, int64_t numel) {
    CHECK(g->ndata < GEN_GUESSES);
    g->data[g->ndata] = (Data){lo, hi, bits, numel, -1, false, numel <= 1, false, false};
    return g->ndata++;
}

int gen_base(Gen *g, bool requires_grad, bool leaf) {
    CHECK(g->nbases < GEN_GUESSES);
    g->base[g->nbases] = (Base){requires_grad, leaf, false, (uint64_t)1 << (g->nbases % 64)};
    return g->nbases++;
}

GenVar *gen_find(Gen *g, NameId name) {
    for (int i = g->nvars - 1; i >= 0; i--) {
        if (g->var[i].name == name && !g->var[i].dead) {
            return &g->var[i];
        }
    }
    return NULL;
}

GenVar *gen_var(Gen *g, NameId name, Tensor *t, int data, int base) {
    CHECK(g->nvars < GEN_VARS);
    if (g->env[name] != NULL) {
        GenVar *old = gen_find(g, name);
        if (old != NULL) {
            old->dead = true;
        }
    }
    g->env[name] = t;
    GenVar *v = &g->var[g->nvars++];
    *v = (GenVar){.name = name, .t = t, .data = data, .base = base};
    return v;
}

bool gen_room(const Gen *g) {
    return g->room > g->depth && g->nvars + 16 < GEN_VARS && g->ndata + 20 < GEN_GUESSES &&
           g->nbases + 20 < GEN_GUESSES && g->nnames + 16 < GEN_NAMES;
}

bool var_writable(const Gen *g, const GenVar *v, bool value_requires_grad) {
    const Base *base = &g->base[v->base];
    if (!g->grad) {
        return true;
    }
    if (base->requires_grad && base->leaf) {
        return false;
    }
    bool recorded = base->requires_grad || value_requires_grad;
    return !(recorded && (v->multi || v->no_grad));
}

/* ---- making statements ---- */

Stmt *stmt_new(Gen *g, StmtKind kind) { return stmt_make(g->arena, kind); }
Stmt *stmt_op(Gen *g, OpId id) { return stmt_make_op(g->arena, op_info(id)); }

void set_tensor(Stmt *s, int k, const GenVar *v) {
    s->arg[k] = (PArg){.given = true, .is_tensor = true, .tensor = v->name};
}
void set_int(Stmt *s, int k, int64_t value) {
    s->arg[k] = (PArg){.given = true, .i = {NAME_NONE, value}};
}
void set_scalar(Stmt *s, int k, Scalar value) {
    s->arg[k] = (PArg){.given = true, .scalar = value};
}
void set_bool(Stmt *s, int k, bool value) { s->arg[k] = (PArg){.given = true, .b = value}; }
void set_dtype(Stmt *s, int k, DType dtype) { s->arg[k] = (PArg){.given = true, .dtype = dtype}; }
void set_index(Stmt *s, int k, PIndexItem *v, int n) {
    s->arg[k] = (PArg){.given = true, .index = {v, n}};
}

void set_ints(Gen *g, Stmt *s, int k, const int64_t *v, int n) {
    PInt *copy = arena_alloc_raw(g->arena, (int64_t)sizeof(PInt) * (n + 1));
    for (int i = 0; i < n; i++) {
        copy[i] = (PInt){NAME_NONE, v[i]};
    }
    s->arg[k] = (PArg){.given = true, .ints = {copy, n, false}};
}

void stmt_append(Gen *g, Stmt *s) {
    if (g->room > g->depth) { /* the enclosing blocks need room too */
        block_append(g->block, s, &g->tail);
        g->nstmts++;
        g->room--;
    }
}

OpenBlock block_open(Gen *g, Block *block) {
    OpenBlock outer = {g->block, g->tail, g->grad};
    g->block = block;
    g->tail = NULL;
    g->depth++;
    return outer;
}

void block_close(Gen *g, OpenBlock outer) {
    g->block = outer.block;
    g->tail = outer.tail;
    g->grad = outer.grad;
    g->depth--;
}

GenVar *arg_var(Gen *g, const Stmt *s, int k) {
    const PArg *a = &s->arg[k];
    ArgType type = s->op->param[k].type;
    bool single =
        type == ARG_TENSOR || type == ARG_TENSOR_OPT || (type == ARG_VALUE && a->is_tensor);
    return single && a->given && !a->is_none ? gen_find(g, a->tensor) : NULL;
}
