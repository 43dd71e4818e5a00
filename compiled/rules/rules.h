/* What the rule files share: a rule matches one node and returns a Rewrite. (The derivative rules
 * of ops are elsewhere: program/derivatives/derivatives.h.)
 *
 * `bool rule_NAME(Compile *c, Node *n, Rewrite *w)`: true and *w filled if the pattern matches and
 * its condition holds. A rule changes no existing node; nodes that it makes (rule_op, graph_view)
 * are removed if the gate refuses the step. */
#ifndef COMPILED_RULES_H
#define COMPILED_RULES_H

#include "compiled/loops/lower.h"

/* Exactly one field is set. */
typedef struct Rewrite {
    Node *by;       /* use this node instead */
    const Call *be; /* be this call, of n's sizes and dtype, in n's layout */
    Node *base;     /* VIEW, STORE: in[0] becomes this buffer */
} Rewrite;

/* Bits of Node.mark while rules run, besides OUT_*. */
enum { BY_VIEW = 8, BY_STORE = 16 /* reads its buffer by address */ };

#define FAMILY(name)
#define RULE(name, root, text, why) bool rule_##name(Compile *c, Node *n, Rewrite *w);
#include "compiled/rules/rules.def"
#undef FAMILY
#undef RULE

/* ---- matching ---- */
static inline bool same_type(const Node *a, const Node *b) {
    return a->t.dtype == b->t.dtype && tensor_same_size(&a->t, &b->t);
}
static inline bool is_float(const Node *n) { return dtype_is_float(n->t.dtype); }
/* The one value of a tensor or Scalar argument, converted to n's dtype; false if it is not a
 * constant. */
bool operand_value(const Node *n, int p, Scalar *value);
/* Argument p as a node, if it is a tensor. */
Node *operand_node(const Node *n, int p);
static inline bool is_number(Scalar v, int number) {
    return v.kind == CAT_FLOAT ? v.f == number : v.i == number;
}
/* +0.0 and 0, or -0.0 and 0. */
bool is_zero(Scalar v, bool negative);
/* Is argument p a constant equal to `number`? */
bool operand_is(const Node *n, int p, int number);
/* A dim argument, wrapped. */
int rule_dim(const Node *n, int p, int ndim);
/* Is the node's buffer read only by value: does no VIEW, STORE, return or write-back depend on its
 * layout? */
static inline bool read_by_value(const Node *n) {
    return (n->mark & (BY_VIEW | BY_STORE | OUT_RETURN | OUT_WRITTEN)) == 0;
}
/* The same, but VIEWs may read it: they can be redirected to a buffer that holds the same elements
 * at the same addresses. */
static inline bool read_by_view(const Node *n) {
    return (n->mark & (BY_STORE | OUT_RETURN | OUT_WRITTEN)) == 0;
}

/* ---- rewrites ---- */
static inline bool use(Rewrite *w, Node *by) {
    w->by = by;
    return true;
}
/* Use what `of` (its buffer, if a VIEW) holds at `layout`. */
bool use_view(Compile *c, const Node *n, Rewrite *w, Node *of, const Tensor *layout);
/* Be `call`, if inference gives it n's dtype and sizes. */
bool be_call(Compile *c, Rewrite *w, const Node *n, const Call *call);
/* Be op(a) or op(a, b), other arguments at their defaults. */
bool be_op(Compile *c, Rewrite *w, const Node *n, OpId id, Node *a, Node *b);
/* Be n's own call with another op and operands; the arguments after them stay. */
bool be_like(Compile *c, Rewrite *w, const Node *n, OpId id, Node *a, Node *b);
/* Be full(value); `value` is of n's dtype. */
bool be_splat(Compile *c, Rewrite *w, const Node *n, Scalar value);
/* A new OP node before n; NULL if inference refuses the call. */
Node *rule_op(Compile *c, const Node *n, const Call *call);
/* full(size, value, dtype) of `like`'s size and dtype (passes/fold.c). */
const Call *call_of_splat(Arena *arena, const Tensor *like, Scalar value);
/* A call with op(a) or op(a, b), other arguments at their defaults. */
Call call_of(OpId id, Node *a, Node *b);

/* ---- reads through other nodes (rules/view.c) ---- */
/* `window` is the layout in which a buffer holds the elements of `source`; source has the same
 * sizes, and strides (perhaps 0 or negative) of its own. If `view`, a read of that buffer, reads
 * only those elements, *out is the same read of source's buffer. False if it reads others, or if
 * the result is not a strided read. */
bool pull_back(const Compile *c, const Tensor *view, const Tensor *window, const Tensor *source,
               Tensor *out);

#endif
