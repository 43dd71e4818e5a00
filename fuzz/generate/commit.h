/* Names, variables and statements: how a statement is built, checked by inference and appended. */
#ifndef FUZZ_GENERATE_COMMIT_H
#define FUZZ_GENERATE_COMMIT_H

#include "fuzz/generate/gen.h"

/* ---- names and guesses (state.c) ---- */
NameId gen_name(Gen *g, char prefix, int number);
NameId gen_fresh_name(Gen *g);
int gen_data(Gen *g, double lo, double hi, int bits, int64_t numel);
int gen_base(Gen *g, bool requires_grad, bool leaf);
GenVar *gen_var(Gen *g, NameId name, Tensor *t, int data, int base);
GenVar *gen_find(Gen *g, NameId name);
static inline Data *var_data(Gen *g, const GenVar *v) { return &g->data[v->data]; }
static inline bool gen_var_requires_grad(const Gen *g, const GenVar *v) {
    return g->base[v->base].requires_grad && dtype_is_float(v->t->dtype);
}
/* May it be written in place now, as far as history goes? `value_requires_grad`: another operand
 * requires grad. */
bool var_writable(const Gen *g, const GenVar *v, bool value_requires_grad);
/* May statements name the op (--ops)? */
static inline bool gen_allows(const Gen *g, OpId id) { return !g->options->off[id]; }
/* Has the op a class that the weights draw? */
static inline bool gen_draws(const Gen *g, const OpInfo *op) {
    return op->class != CLASS_NEVER && g->w[W_class_factory + (int)op->class] > 0;
}
/* Room for another statement that makes a few variables? */
bool gen_room(const Gen *g);

/* ---- statements (state.c) ---- */
Stmt *stmt_new(Gen *g, StmtKind kind);
Stmt *stmt_op(Gen *g, OpId id);
/* The variable that argument k names, if it is a single tensor that is bound; else NULL. */
GenVar *arg_var(Gen *g, const Stmt *s, int k);
void set_tensor(Stmt *s, int k, const GenVar *v);
void set_int(Stmt *s, int k, int64_t value);
void set_ints(Gen *g, Stmt *s, int k, const int64_t *v, int n);
void set_scalar(Stmt *s, int k, Scalar value);
void set_bool(Stmt *s, int k, bool value);
void set_dtype(Stmt *s, int k, DType dtype);
void set_index(Stmt *s, int k, PIndexItem *v, int n);
/* Appends a statement that is not an op; where there is no room for one, it does not. */
void stmt_append(Gen *g, Stmt *s);
/* ---- what a statement does (commit.c) ---- */
/* Infers the op statement, appends it, binds fresh names and updates the guesses; the (first)
 * output, or self where the op writes to it. NULL: refused, nothing appended. `out` NAME_NONE: a
 * fresh name, or none for an in-place op. */
GenVar *stmt_commit(Gen *g, Stmt *s, NameId out);
/* Is its size one that the generator makes? It does not use other tensors. */
bool gen_takes(const Tensor *t);
/* Registers an op statement that exists already: binds its `out` and updates the guesses, if
 * inference accepts it. */
void gen_replay(Gen *g, const Stmt *s);
/* Appends the op statement whatever inference says, with a fresh `out`: a deliberate error. */
void stmt_force(Gen *g, Stmt *s);
/* Opens a nested block: statements go to `block` until block_close (state.c). */
typedef struct OpenBlock {
    Block *block;
    Stmt *tail;
    bool grad;
} OpenBlock;
OpenBlock block_open(Gen *g, Block *block);
void block_close(Gen *g, OpenBlock outer);

#endif
