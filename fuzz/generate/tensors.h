/* Tensors to draw from: inputs, existing variables that fit a need, guesses about values. */
#ifndef FUZZ_GENERATE_TENSORS_H
#define FUZZ_GENERATE_TENSORS_H

#include "fuzz/generate/commit.h"

/* ---- generate/inputs.c: inputs, layouts, fills ---- */
int draw_size(Gen *g, int64_t *size);
int64_t draw_extent(Gen *g);
DType draw_dtype(Gen *g);
/* A new input; `explicit` data may be given later by the caller. NULL: too many inputs. */
GenVar *draw_input(Gen *g, DType dtype, const int64_t *size, int ndim, bool plain,
                   int requires_grad_percent);
/* An input that holds exactly the given integers, contiguous. */
GenVar *draw_input_values(Gen *g, DType dtype, const int64_t *size, int ndim,
                          const int64_t *values);
/* A second input on the storage of `of`; a part of it, shifted or transposed. */
GenVar *draw_input_shared(Gen *g, GenVar *of);
/* Registers an input that exists already. */
void gen_input(Gen *g, Input *in);

/* ---- generate/tensors.c: variables as arguments ---- */
/* What a tensor is wanted for. */
typedef struct Need {
    DType dtype;
    int ndim;
    const int64_t *size;
    bool broadcast; /* anything that expands to the size will do */
    bool nonzero;   /* integers that divide */
    bool uniform;   /* all elements equal */
    bool plain;     /* an input made for it is contiguous */
} Need;
/* A variable that fulfils the need: mostly an existing one, else a new input or a factory's output.
 * NULL if there is no room. */
GenVar *draw_need(Gen *g, Need need);
/* A variable that `accept` takes, recent ones more often; NULL if a few tries find none. */
GenVar *draw_var(Gen *g, bool (*accept)(const Gen *g, const GenVar *v));
/* Something to combine with a tensor of this dtype and size; other dtypes up to its category now
 * and then. */
GenVar *draw_operand(Gen *g, DType dtype, const int64_t *size, int ndim);
/* An integer tensor with values in [lo, hi], new or existing. `distinct_dim` >= 0: along that dim
 * no value repeats; -1: may repeat. */
GenVar *draw_index_tensor(Gen *g, DType dtype, const int64_t *size, int ndim, int64_t lo,
                          int64_t hi, int distinct_dim);
/* A tensor literal statement that holds exactly these integers. */
GenVar *draw_literal(Gen *g, DType dtype, const int64_t *size, int ndim, const int64_t *values);

/* ---- generate/range.c: guesses about values ---- */
/* The statement as the functional form of an OUT row; any other as it is. */
static inline Stmt stmt_form(const Stmt *s) {
    Stmt form = *s;
    if (s->op->out_dtype != OUT_NOT) {
        form.op = op_form(s->op);
        form.arg = s->arg + 1;
    }
    return form;
}
/* What the results of `call` hold, from what its tensor arguments hold. */
Data range_result(Gen *g, const Stmt *s, const Call *call, const Tensor *out);
/* False if a float to integer conversion in the statement may leave the integer's range. */
bool range_cast_fits(Gen *g, const Stmt *s, DType to);

/* ---- generate/index.c: Python indices, what stands between the brackets of x[..] ---- */
enum { GEN_ITEMS = 8 };
/* A Python index for `t`; the count of items. *repeats: some element may be selected twice.
 * `tensors`: lists and tensors allowed. */
int draw_index(Gen *g, const Tensor *t, bool tensors, PIndexItem *items, bool *repeats);
/* bounds: INT64_MIN means None */
PIndexItem index_slice(int64_t start, int64_t stop, int64_t step);
PIndexItem index_int(int64_t i);
PIndexItem index_var(const GenVar *v);
PIndexItem index_list(Gen *g, const int64_t *v, int n);
/* The value argument of a setitem that has its index: something that fits, `uniform` where an
 * element is selected twice. */
bool draw_setitem_value(Gen *g, Stmt *s, bool repeats);
/* Metadata of self.index(indices) or self[index] for the statement's arguments, or NULL. */
const Tensor *indexed_tensor(Gen *g, const Stmt *s);

#endif
