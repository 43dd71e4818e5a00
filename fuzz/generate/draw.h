/* The parts of a program that the generator draws: ops with their arguments, other statements,
 * gradients, returns and further calls. */
#ifndef FUZZ_GENERATE_DRAW_H
#define FUZZ_GENERATE_DRAW_H

#include "fuzz/generate/tensors.h"

/* ---- generate/args.c: all arguments of an op ---- */
Scalar draw_scalar(Gen *g, DType dtype);
/* Draws every argument of the statement; `self` is the main tensor, or NULL: draw it too. False:
 * nothing fits. */
bool draw_arguments(Gen *g, Stmt *s, GenVar *self);

/* ---- situations/situations.c ---- */
/* Which situations the program is made of, after its swarm. */
void draw_situations(Gen *g);
/* Another value where a program tries the ends: a slice bound, a count, a shift of a dim of n
 * elements. */
int64_t draw_extreme(Gen *g, int64_t n);
/* A number at or beyond the end of the dtype's range. */
Scalar draw_extreme_scalar(Gen *g, DType dtype);
/* Where an integer of `dtype` ceases to fit a narrower dtype, or a float to hold it: 2^31, 255,
 * -2^53 - 1. */
int64_t draw_boundary(Gen *g, DType dtype);

/* ---- situations/related.c ---- */
/* The op statement again, on the same operands, with an argument that is equal but spelled
 * otherwise, or another dtype; both results are returned. */
void draw_related(Gen *g, const Stmt *s);

/* ---- situations/overwritten.c ---- */
/* Overwrites an operand of the op statement, which writes nothing itself; returns its result. */
void draw_overwrite(Gen *g, const Stmt *s);

/* ---- situations/unlike.c: operands that nearly fit ---- */
/* A new input like `t`, but for its dtype, one size, its number of dims or, for integers, a value
 * near the limits; NULL: there is no room. */
GenVar *draw_unlike(Gen *g, const Tensor *t);
/* Replaces one tensor argument, no index, by one that nearly fits; stmt_commit tells whether the op
 * takes it. The parameter, whose argument before is *was; -1: none. */
int unlike_operand(Gen *g, Stmt *s, PArg *was);
/* Gives all tensor arguments but indices one other dtype; false: nothing was changed. */
bool unlike_dtypes(Gen *g, Stmt *s);

/* ---- generate/main_tensor.c ---- */
/* May `v` be the main tensor of the op? A chance decides where it mostly errs. */
bool main_takes(Gen *g, const OpInfo *op, const GenVar *v);

/* ---- generate/op.c ---- */
/* One of the ops that models are made of, allowed or not. */
OpId draw_common_op(Gen *g);
/* An op that the weights of this program allow. */
const OpInfo *draw_op_info(Gen *g);
/* One random op statement, in a few tries; the committed variable or NULL. */
GenVar *draw_op(Gen *g);
/* The given op in a few tries; `self` may be NULL. */
GenVar *draw_this_op(Gen *g, OpId id, GenVar *self);

/* ---- generate/statement.c: statement kinds ---- */
void draw_statement(Gen *g);
void draw_probe(Gen *g, ProbeKind kind, const GenVar *v);
/* The probes that waited for the end of the program, where late_probes says so. */
void draw_late_probes(Gen *g);
/* Asserts, probes or branches on a flag of `v`: requires_grad, is_leaf or has_grad_fn. */
void draw_flag_check(Gen *g, GenVar *v);
/* A branch on the predicate. With `self`, both arms bind one name to something made of it: that
 * variable. Else NULL. */
GenVar *draw_branch(Gen *g, const Predicate *predicate, GenVar *self);
Predicate flag_predicate(Gen *g, PredicateKind kind, const GenVar *v);
/* Does the predicate hold, as far as the guesses tell? */
bool predicate_guess(const Gen *g, const Predicate *predicate);
/* Asserts the predicate, or its negation: whichever the guesses say holds (`wrong`: the other). */
void draw_assert(Gen *g, Predicate predicate, bool wrong);

/* ---- generate/grad.c: gradients inside the program ---- */
/* How torch.autograd.grad is called: `output` differentiated by `input`; either may be NULL:
 * something that fits. */
typedef struct GradForm {
    GenVar *output, *input;
    int create_percent, retain_percent;
} GradForm;
/* Appends a grad statement; the first gradient, or NULL. */
GenVar *draw_grad(Gen *g, GradForm form);

/* The gradients to pass to the statement; `fed` learns what they depend on. False: some output
 * needs one and nothing fits. */
bool draw_tangents(Gen *g, GradStmt *grad, GenVar *const *output, uint64_t *fed);

/* ---- functions/apply.c ---- */
/* A statement that applies a new function of the program's own; nothing where no operand fits. */
void draw_apply(Gen *g);
/* May what is drawn write a gradient that it is passed? */
bool draw_grad_writes(Gen *g);
/* functions/after.c: the caller's statements behind the function; after the returns. */
void draw_after(Gen *g);
/* functions/hook.c: a hook of something that requires grad; perhaps twice, perhaps removed again.
 */
void draw_hook(Gen *g);

/* ---- patterns/, calls.c, setup.c, python_surface.c ---- */
/* Draws one pattern by weight: its number, or -1 if it did not fit. */
int pattern_draw(Gen *g);
/* Appends one statement that should raise: the kind drawn, or -1. */
int deliberate_error_draw(Gen *g);
/* A pattern wants this variable returned. NULL is ignored. */
void want_return(Gen *g, GenVar *v);
/* What is returned, and the backward. */
void draw_returns(Gen *g);
/* Further calls, each with some property of the inputs changed. */
void draw_recalls(Gen *g);
/* Statements before the function and what it is passed (generate/setup.c). */
void draw_setup(Gen *g);
/* A write to a tensor that the setup made, or to a view of it: further calls on the same tensors
 * see it. */
void draw_setup_write(Gen *g);
/* What a recall that reuses the tensors changes first. */
void draw_set(Gen *g, Recall *r);
/* How the program is written in Python; after program_number. */
void draw_surface(Gen *g);

#endif
