/* Graphs built by hand, with the values their nodes should have: every op is also run at once by
 * its shared kernel, so that what the compiled loops make of the graph can be compared bit for bit.
 * For tests of compiled/. */
#ifndef TESTS_GRAPH_CASE_H
#define TESTS_GRAPH_CASE_H

#include "compiled/loops/lower.h"
#include "compiled/passes/passes.h"
#include "program/ops/functions.h"

#include <math.h>
#include <string.h>

enum { CASE_NODES = 256, CASE_INPUTS = 16 };

typedef struct Case {
    Arena arena;
    Error err; /* of the last op that was refused */
    CompileOptions options;
    CompileCounters counters;
    Compile c;
    Graph *g;
    Tensor real[CASE_NODES]; /* by node id: the value, on storages of the case */
    Storage *input[CASE_INPUTS];
    Node *input_node[CASE_INPUTS];
    int ninputs, nret;
    const char *undefined; /* a kernel called the last op's result undefined */
    bool loose;            /* sums in another order: compare with a tolerance */
} Case;

static inline void case_start(Case *k, FaultId fault) {
    memset(k, 0, sizeof *k);
    op_table_init();
    k->options = COMPILE_DEFAULT;
    k->options.fault = fault;
    k->g = graph_new(&k->arena);
    k->g->input = k->input_node;
    k->c = (Compile){.arena = &k->arena,
                     .options = &k->options,
                     .counters = &k->counters,
                     .graph = k->g,
                     .limits = LIMITS_DEFAULT};
    k->g->ret = arena_array(&k->arena, ReturnPlan, CASE_NODES);
    k->g->written = arena_array(&k->arena, Node *, CASE_INPUTS);
}

static inline void case_end(Case *k) { arena_destroy(&k->arena); }

/* A storage of `numel` elements as an input. */
static inline Node *case_input(Case *k, DType dtype, int64_t numel, FillKind fill, uint64_t seed) {
    Storage *s = storage_new(&k->arena, dtype, numel);
    fill_buffer(s->data, dtype, numel, fill, seed);
    Node *n = graph_input(k->g, k->ninputs, dtype, numel);
    k->input[k->ninputs] = s;
    k->input_node[k->ninputs++] = n;
    k->g->ninputs = k->ninputs;
    k->real[n->id] = n->t;
    k->real[n->id].storage = s;
    return n;
}

/* A read of n's buffer. */
static inline Node *case_view(Case *k, Node *n, int ndim, const int64_t *size,
                              const int64_t *stride, int64_t offset) {
    Tensor t = {.dtype = n->t.dtype, .ndim = ndim, .offset = offset};
    memcpy(t.size, size, sizeof *size * (size_t)ndim);
    memcpy(t.stride, stride, sizeof *stride * (size_t)ndim);
    Node *v = graph_view(k->g, n, &t, 0);
    Storage *storage = k->real[node_buffer(v)->id].storage;
    k->real[v->id] = v->t;
    k->real[v->id].storage = storage;
    return v;
}

/* The call's tensors are nodes. NULL if inference or the kernel refuses it. */
static inline Node *case_op(Case *k, const Call *call) {
    Infer r = {.arena = &k->arena, .err = &k->err};
    k->undefined = NULL;
    if (call->op->infer(call, &r) != ERR_none) {
        return NULL;
    }
    Tensor *slot[MAX_SLOTS];
    Call real = *call;
    int at = 0, n = call_slots(call, slot);
    Tensor *real_slot[MAX_SLOTS];
    for (int s = 0; s < n; s++) {
        real_slot[s] = slot[s] ? &k->real[((Node *)slot[s])->id] : NULL;
    }
    for (int p = 0; p < real.op->nparam; p++) {
        ArgType type = real.op->param[p].type;
        if (type == ARG_TENSOR || type == ARG_TENSOR_OPT) {
            real.arg[p].tensor = real_slot[at++];
        } else if ((type == ARG_TENSORS || type == ARG_TENSORS_OPT) && !real.arg[p].none) {
            real.arg[p].tensors.v = arena_copy(&k->arena, real_slot + at,
                                               (int64_t)sizeof(Tensor *) * real.arg[p].tensors.n);
            at += real.arg[p].tensors.n;
        }
    }
    Tensor out = r.out[0], *out_list = &out;
    if (call->op->id == OP_nonzero) {
        int64_t rows = kernel_count_nonzero(real.arg[0].tensor);
        out.size[0] = rows;
        out.stride[0] = 1;
        out.stride[1] = max_i64(rows, 1);
    }
    KernelCtx ctx = {.arena = &k->arena, .err = &k->err};
    if (tensor_allocate(&out, &k->arena, NULL, &k->err) != ERR_none ||
        real.op->kernel(&real, &out_list, &ctx) != ERR_none) {
        return NULL;
    }
    k->undefined = ctx.undefined;
    Node *node = graph_op(k->g, call, &out, 0);
    CHECK(node->id < CASE_NODES);
    k->real[node->id] = out;
    return node;
}

static inline Node *case_store(Case *k, Node *base, Node *value, const Tensor *slice) {
    Node *n = graph_store(k->g, base, value, slice, 0);
    const Storage *from = k->real[node_buffer(base)->id].storage;
    Storage *s = storage_new(&k->arena, n->t.dtype, from->numel);
    memcpy(s->data, from->data, (size_t)(from->numel * dtype_bytes(from->dtype)));
    k->real[n->id] = n->t;
    k->real[n->id].storage = s;
    Tensor to = n->slice;
    to.storage = s;
    tensor_copy_data(&to, &k->real[value->id], NULL);
    return n;
}

static inline Node *case_unary(Case *k, OpId id, Node *a) {
    Call call = call_new(id);
    call.arg[0].tensor = &a->t;
    return case_op(k, &call);
}
static inline Node *case_binary(Case *k, OpId id, Node *a, Node *b) {
    Call call = call_new(id);
    call.arg[0].tensor = &a->t;
    call.arg[1].tensor = &b->t;
    return case_op(k, &call);
}
static inline Node *case_scalar(Case *k, OpId id, Node *a, Scalar s) {
    Call call = call_new(id);
    call.arg[0].tensor = &a->t;
    call.arg[1].none = false;
    call.arg[1].scalar = s;
    return case_op(k, &call);
}
static inline Node *case_full(Case *k, const Node *like, Scalar s) {
    Call call = call_new(OP_full);
    call.arg[0] = (Arg){
        .ints = {arena_copy(&k->arena, like->t.size, (int64_t)sizeof *like->t.size * like->t.ndim),
                 like->t.ndim}};
    call.arg[1] = (Arg){.scalar = s};
    int dtype = op_param(call.op, "dtype");
    call.arg[dtype] = (Arg){.dtype = like->t.dtype};
    return case_op(k, &call);
}

/* The node's buffer is a returned storage. */
static inline void case_return(Case *k, Node *n) {
    k->g->ret[k->nret++] = (ReturnPlan){.value = n, .layout = n->t};
    k->g->nret = k->nret;
}
/* The node's value is a gradient: read where it stands, no storage of its own. */
static inline void case_wanted(Case *k, Node *n) {
    if (!k->g->inp) {
        k->g->inp = arena_array(&k->arena, InputPlan, CASE_NODES);
    }
    k->g->inp[k->g->ninp++] = (InputPlan){.grad_state = GRAD_VALUE, .grad = n};
}

enum {
    PASSES_NONE = 0,
    PASS_fold = 1,
    PASS_rules = 2,
    PASS_cse = 4,
    PASS_dce = 8,
    PASS_fuse = 16,
    PASS_reinplace = 32,
    PASS_concat = 64,
    PASSES_ALL = 127
};

/* Runs the passes in `set`; the verifier's complaint, or NULL. */
static inline const char *case_passes(Case *k, int set) {
    static const struct {
        int bit;
        bool (*run)(Compile *c);
        const char *name;
    } list[] = {{PASS_fold, pass_fold, "fold"},      {PASS_rules, pass_rules, "rules"},
                {PASS_cse, pass_cse, "cse"},         {PASS_dce, pass_dce, "dce"},
                {PASS_fuse, pass_fuse, "fuse"},      {PASS_reinplace, pass_reinplace, "reinplace"},
                {PASS_concat, pass_concat, "concat"}};
    char message[200];
    for (int i = 0; i < COUNT_OF(list); i++) {
        if (set & list[i].bit) {
            list[i].run(&k->c);
        }
        if (!graph_verify(k->g, true, message, sizeof message)) {
            graph_dump(k->g);
            return arena_printf(&k->arena, "after %s: %s", list[i].name, message);
        }
    }
    return NULL;
}

static inline bool case_close(double a, double b) {
    return a == b || fabs(a - b) <= 1e-5 * (1 + fabs(a) + fabs(b));
}

static inline bool case_same_element(const Case *k, DType dtype, const void *a, int64_t i,
                                     const void *b, int64_t j) {
    int bytes = dtype_bytes(dtype);
    if (dtype_is_float(dtype)) {
        double x = element_double(a, dtype, i), y = element_double(b, dtype, j);
        if (isnan(x) || isnan(y)) {
            return isnan(x) && isnan(y);
        }
        if (k->loose) {
            return case_close(x, y);
        }
    }
    return memcmp((const char *)a + i * bytes, (const char *)b + j * bytes, (size_t)bytes) == 0;
}

/* Compares what was computed into `node`'s place with the value of node `id`; a complaint or
 * NULL. */
static inline const char *case_compare(Case *k, const Plan *plan, const Node *node, int id,
                                       const Tensor *layout) {
    Tensor want = k->real[id], have = *layout;
    Storage s = {.dtype = node->t.dtype, .data = plan_data(plan, node)};
    have.storage = &s;
    const Tensor *pair[2] = {&want, &have};
    int64_t at = 0;
    for (Walk w = walk_start(want.size, want.ndim, pair, 2); walk_more(&w); walk_next(&w), at++) {
        if (!case_same_element(k, want.dtype, want.storage->data, w.at[0], s.data, w.at[1])) {
            return arena_printf(&k->arena, "%%%d element %lld: want %.17g, have %.17g", id,
                                (long long)at,
                                element_double(want.storage->data, want.dtype, w.at[0]),
                                element_double(s.data, want.dtype, w.at[1]));
        }
    }
    return NULL;
}

/* Compiles with these passes, runs, and compares every return and wanted node. NULL, or what is
 * wrong. */
static inline const char *case_check(Case *k, int passes) {
    int nret = k->nret, id[CASE_NODES], wanted[CASE_NODES];
    for (int i = 0; i < nret; i++) {
        id[i] = k->g->ret[i].value->id;
    }
    for (int i = 0; i < k->g->ninp; i++) {
        wanted[i] = k->g->inp[i].grad->id;
    }
    const char *complaint = case_passes(k, passes);
    if (complaint) {
        return complaint;
    }
    pass_plan(&k->c);
    Plan *plan = graph_lower(&k->c);
    void *data[CASE_INPUTS] = {NULL}, *tangent[1] = {NULL};
    for (int i = 0; i < k->ninputs; i++) {
        data[i] = arena_copy(&k->arena, k->input[i]->data,
                             k->input[i]->numel * dtype_bytes(k->input[i]->dtype));
    }
    Execution out;
    plan_execute(plan, data, tangent, &k->arena, &out);
    if (out.failed_sid >= 0) {
        return arena_printf(&k->arena, "failed: %s", out.message);
    }
    for (int i = 0; i < nret && !complaint; i++) {
        complaint = case_compare(k, plan, k->g->ret[i].value, id[i], &k->g->ret[i].layout);
    }
    for (int i = 0; i < k->g->ninp && !complaint; i++) {
        complaint = case_compare(k, plan, k->g->inp[i].grad, wanted[i], &k->g->inp[i].grad->t);
    }
    for (int i = 0; i < k->ninputs && !complaint; i++) {
        const Node *w = k->g->written[i];
        if (w && memcmp(plan_data(plan, w), k->real[w->id].storage->data,
                        (size_t)(k->input[i]->numel * dtype_bytes(k->input[i]->dtype))) != 0) {
            complaint = "a write-back differs";
        } else if (!w &&
                   memcmp(data[i], k->input[i]->data,
                          (size_t)(k->input[i]->numel * dtype_bytes(k->input[i]->dtype))) != 0) {
            complaint = "an input was written";
        }
    }
    return complaint;
}

#endif
