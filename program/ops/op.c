/* The op table: ops.def expanded into OpInfo, one row at a time. */
#include "program/ops/op.h"
#include "program/ops/functions.h"
#include "program/ops/lookup.h"
#include "program/ops/schema.h"
#include "tensor/hash.h"

#include <string.h>

/* What an INPLACE row checks. */
enum {
    UNCHECKED = 0,
    CHECKED = 1,
    TYPES_FIRST = 2,
    CASTS_FIRST = TYPES_FIRST | 4,
    NO_CAST = 8,
    SILENT = 16
};

typedef struct OpRow {
    const char *id_name;
    const char *schema;
    OpKind kind;
    InferFn infer;
    KernelFn kernel;
    DecomposeFn decompose;
    GradFn grad;
    const char *saves;
    ErrorPropagation propagation;
    int pw;
    TypingFn typing;
    const char *operands;
    OpId twin;
    int checks;
    /* the columns that a row may add */
    ValueChecks value_checks;
    int no_kernel, kernel_since;
    InPlaceOrder order;
    InPlaceWrites writes;
    OutDtype out_dtype;
    OutMemory out_memory;
    DrawKind draw;
    RangeKind range;
    int dims[2];
    OpId window; /* 0, which is a factory, says none */
    bool discrete, floating, one_formula, summed_size, one_node, checks_first, foreach, random,
        memory_order, long_memory, reads_memory;
    const char *non_differentiable;
} OpRow;

/* The optional columns, as ops.def writes them. */
#define VALUES(what) .value_checks = VALUE_CHECK_##what
#define NO_KERNEL(dtypes) .no_kernel = NO_KERNEL_##dtypes
#define KERNEL_SINCE(rule) .kernel_since = SINCE_##rule
#define ORDER(what) .order = ORDER_##what
#define WRITES(what) .writes = WRITES_##what
#define DRAW(what) .draw = DRAW_##what
#define RANGE(what) .range = RANGE_##what
#define DIMS(fewest, most) .dims = {fewest, most}
#define WINDOW(view) .window = OP_##view
#define DISCRETE .discrete = true
#define FLOATING .floating = true
#define ONE_FORMULA .one_formula = true
#define SUMMED_SIZE .summed_size = true
#define RANDOM .random = true
#define ONE_NODE .one_node = true
#define CHECKS_FIRST .checks_first = true
#define MEMORY_ORDER .memory_order = true
#define LONG_MEMORY .long_memory = true
#define READS_MEMORY .reads_memory = true
#define NON_DIFFERENTIABLE(name) .non_differentiable = name

static const OpRow rows[OP_COUNT] = {
#define ROW_OF(row_kind, id, sch, ...)                                                             \
    {.id_name = #id, .schema = sch, .kind = KIND_##row_kind, __VA_ARGS__},
#define FACTORY(id, sch, inf, ker, ...)                                                            \
    ROW_OF(FACTORY, id, sch, .infer = infer_##inf, .kernel = kernel_##ker, .twin = OP_NONE,        \
           __VA_ARGS__)
#define VIEW(id, sch, inf, gr, ...)                                                                \
    ROW_OF(VIEW, id, sch, .infer = infer_##inf, .grad = grad_##gr, .twin = OP_NONE, __VA_ARGS__)
#define MULTI_VIEW(id, sch, inf, gr, ...)                                                          \
    ROW_OF(MULTI_VIEW, id, sch, .infer = infer_##inf, .grad = grad_##gr, .twin = OP_NONE,          \
           __VA_ARGS__)
#define POINTWISE(id, sch, p, opn, ty, gr, sv, ...)                                                \
    ROW_OF(POINTWISE, id, sch, .infer = infer_pointwise, .kernel = kernel_pointwise, .pw = PW_##p, \
           .operands = opn, .typing = typing_##ty, .grad = grad_##gr, .saves = sv,                 \
           .twin = OP_NONE, __VA_ARGS__)
#define FUNC(id, sch, inf, ker, pro, gr, sv, ...)                                                  \
    ROW_OF(FUNC, id, sch, .infer = infer_##inf, .kernel = kernel_##ker,                            \
           .propagation = PROPAGATION_##pro, .grad = grad_##gr, .saves = sv, .twin = OP_NONE,      \
           __VA_ARGS__)
#define COMPOSITE(id, sch, dec, ...)                                                               \
    ROW_OF(COMPOSITE, id, sch, .decompose = decompose_##dec, .twin = OP_NONE, __VA_ARGS__)
#define INPLACE(id, sch, tw, ch, ...)                                                              \
    ROW_OF(INPLACE, id, sch, .twin = OP_##tw, .checks = ch, __VA_ARGS__)
#define INPLACE_VIEW(id, sch, tw, ...) ROW_OF(INPLACE_VIEW, id, sch, .twin = OP_##tw, __VA_ARGS__)
#define OUT(id, sch, tw, dt, me, ...)                                                              \
    ROW_OF(COMPOSITE, id, sch, .decompose = decompose_out, .twin = OP_##tw, .out_dtype = OUT_##dt, \
           .out_memory = OUT_##me, __VA_ARGS__)
#define FOREACH(id, sch, tw, sv, ...)                                                              \
    ROW_OF(COMPOSITE, id, sch, .decompose = decompose_foreach, .twin = OP_##tw, .saves = sv,       \
           .foreach = true, .range = RANGE_UNKNOWN, __VA_ARGS__)
#define META(id, sch, ...) ROW_OF(META, id, sch, .twin = OP_NONE, __VA_ARGS__)
#define STORAGE(id, sch, inf, ...)                                                                 \
    ROW_OF(STORAGE, id, sch, .infer = infer_##inf, .twin = OP_NONE, __VA_ARGS__)
#include "program/ops/ops.def"
};

/* Process-static: filled once by op_table_init. */
static OpInfo infos[OP_COUNT];
static unsigned char classes[OP_COUNT]; /* infos[].class: OpClass */
static bool ready;

/* Is a Scalar operand a 0-dim tensor to TensorIterator? Bounds of clamp and an exponent are not
 * operands to it at all. */
static bool wraps_scalar(const OpInfo *op) {
    if (op->typing == typing_clamp || op->typing == typing_pow || op->typing == typing_lerp ||
        op->typing == typing_threshold) {
        return false;
    }
    for (int k = 0; k < op->noperand; k++) {
        const Param *p = &op->param[op->operand[k]];
        if (p->type == ARG_SCALAR && !p->has_default) {
            return true;
        }
    }
    return false;
}

/* Is the operand, one tensor, non_differentiable in derivatives.yaml whatever its dtype? */
static bool only_says_where(const OpInfo *op, const Param *p) {
    static const char *const names[] = {"index", "indices", "mask", "condition"};
    for (int i = 0; i < COUNT_OF(names); i++) {
        if (strcmp(p->name, names[i]) == 0) {
            return true;
        }
    }
    const char *name = rows[op->id].non_differentiable;
    return name != NULL && strcmp(p->name, name) == 0;
}

/* Where the tensors among the arguments are. */
static void find_tensors(OpInfo *op) {
    for (int k = 0; k < op->nparam; k++) {
        ArgType type = op->param[k].type;
        bool tensors = type == ARG_TENSORS || type == ARG_TENSORS_OPT,
             ints = type == ARG_INTS || type == ARG_INTS_OPT;
        op->slots_vary |= tensors || type == ARG_VALUE;
        op->lists |= (uint16_t)((tensors || ints) << k);
        op->slot[k] = -1;
        if (type == ARG_TENSOR || type == ARG_TENSOR_OPT) {
            if (!op->slots_vary &&
                only_says_where(op, &op->param[k])) { /* else its slot varies too */
                op->non_differentiable |= UINT64_C(1) << op->ntensor;
            }
            op->slot[k] = (int8_t)op->ntensor;
            op->tensor[op->ntensor++] = (int8_t)k;
        }
    }
}

static void rank_names(OpInfo *op) {
    for (int k = 0; k < op->nparam; k++) {
        for (int j = 0; j < op->nparam; j++) {
            op->name_rank[k] += strcmp(op->param[j].name, op->param[k].name) < 0;
        }
    }
}

/* 24 bits of "name.overload". */
static uint32_t op_code_of(const OpInfo *op) {
    uint32_t h = fnv32_text(fnv32_text(fnv32_text(FNV32_START, op->name), "."), op->overload);
    return (h ^ h >> 24) & 0xFFFFFF;
}

static void op_read_row(int id) {
    const OpRow *row = &rows[id];
    OpInfo *op = &infos[id];
    op->id = (OpId)id;
    op->id_name = row->id_name;
    op->schema = row->schema;
    op->kind = row->kind;
    op->out_dtype = row->out_dtype;
    op->out_memory = row->out_memory;
    schema_read(op);
    op->code = op_code_of(op);
    find_tensors(op);
    op->infer = row->infer;
    op->kernel = row->kernel;
    op->decompose = row->decompose;
    op->grad = row->grad;
    op->saves = row->saves ? row->saves : "";
    schema_read_saves(op);
    rank_names(op);
    for (int k = 0; k < op->nparam; k++) {
        op->initial[k] = op->param[k].def;
    }
    op->propagation = row->propagation;
    op->value_checks = row->value_checks;
    op->no_kernel = row->no_kernel;
    op->kernel_since = (Semantics)(row->kernel_since ? row->kernel_since : SINCE_half_kernels);
    op->twin = row->twin;
    op->order = row->order;
    op->writes = row->writes;
    op->draw = row->draw;
    op->range = row->range;
    memcpy(op->dims, row->dims, sizeof op->dims);
    op->window = row->window > 0 ? row->window : OP_NONE;
    op->discrete = row->discrete;
    op->floating = row->floating;
    op->summed_size = row->summed_size;
    op->random = row->random;
    op->one_node = row->one_node;
    op->foreach = row->foreach;
    op->checks_first = row->checks_first;
    op->memory_order = row->memory_order;
    op->long_memory = row->long_memory;
    op->reads_memory = row->reads_memory;
    op->one_formula = row->one_formula;
    op->checks_overlap = row->checks & CHECKED;
    op->types_first = row->checks & TYPES_FIRST;
    op->casts_first = (row->checks & CASTS_FIRST) == CASTS_FIRST;
    op->writes_uncast = row->checks & NO_CAST;
    op->silent = row->checks & SILENT;
    if (row->kind == KIND_POINTWISE) {
        op->pw = (Pw)row->pw;
        op->typing = row->typing;
        schema_read_operands(op, row->operands);
        op->wraps_scalar = wraps_scalar(op);
    }
}

/* What the generator needs to know of an in-place form is what its twin says, unless the row itself
 * says it. */
static void inherit_from_twin(OpInfo *op) {
    if (op->twin == OP_NONE) {
        return;
    }
    OpInfo *twin = &infos[op->twin];
    twin->types_first |= op->kind == KIND_INPLACE && op->types_first;
    op->draw = op->draw ? op->draw : twin->draw;
    op->range = op->range ? op->range : twin->range;
    op->discrete |= twin->discrete;
    op->random |= twin->random;
    op->reads_memory |= twin->reads_memory;
    if (op->dims[1] == 0) {
        memcpy(op->dims, twin->dims, sizeof op->dims);
    }
}

void op_table_init(void) {
    if (ready) {
        return;
    }
    for (int id = 0; id < OP_COUNT; id++) {
        op_read_row(id);
    }
    for (int id = 0; id < OP_COUNT; id++) {
        inherit_from_twin(&infos[id]);
        infos[id].class =
            op_class_of(&infos[id], infos[id].twin != OP_NONE ? &infos[infos[id].twin] : NULL);
        classes[id] = (unsigned char)infos[id].class;
    }
    ready = true;
    op_lookup_init();
}

OpClass op_class(OpId id) {
    CHECK(ready && (unsigned)id < OP_COUNT);
    return (OpClass)classes[id];
}

const OpInfo *op_info(OpId id) {
    CHECK(ready && (unsigned)id < OP_COUNT);
    return &infos[id];
}
