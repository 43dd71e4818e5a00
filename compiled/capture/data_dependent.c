/* Sizes and indices that depend on data: the value is computed now, by compiling and running the
 * graph captured so far.
 *
 * The graph is copied (the capture goes on writing to the original), the value is its only output,
 * and all its CHECKs run with it: an error that eager would have raised before ends the capture.
 * The answer is part of the guard: on a cache hit the same compiled slices are run again and must
 * answer the same. */
#include "compiled/capture/capture.h"
#include "compiled/runtime/pipeline.h"

#include <string.h>

static void compile_data_dependent(Capture *cap, const Var *v, DataDependent *q) {
    Arena *arena = cap->arena;
    CompileOptions options = *cap->c->options;
    options.on_dump = NULL;
    options.features = NULL; /* a slice of the graph, to know a size */
    Compile sub = *cap->c;
    sub.options = &options;
    sub.capture = NULL;
    sub.sample = NULL;
    sub.graph = graph_clone(cap->graph, arena);
    ReturnPlan *ret = arena_new(arena, ReturnPlan);
    ret->cls = alias_class_of(&v->t)->number;
    ret->value = alias_class_of(&v->t)->buffer->map;
    ret->layout = v->t;
    ret->layout.storage = NULL;
    ret->is_leaf = true;
    sub.graph->ret = ret;
    sub.graph->nret = 1;
    graph_clear_map(cap->graph);
    q->plan = compile_graph(&sub);
    q->value = ret->value;
    q->layout = ret->layout;
}

static int64_t data_dependent_count_nonzero(const Tensor *t) {
    const Tensor *list[1] = {t};
    int64_t count = 0;
    for (Walk w = walk_start(t->size, t->ndim, list, 1); walk_more(&w); walk_next(&w)) {
        count += dtype_is_float(t->dtype) ? element_double(t->storage->data, t->dtype, w.at[0]) != 0
                                          : element_int(t->storage->data, t->dtype, w.at[0]) != 0;
    }
    return count;
}

/* Runs the question's plan on the data of the input storages. */
static void data_dependent_answer(DataDependent *q, void *const *input, Arena *arena,
                                  Execution *exec) {
    plan_execute(q->plan, input, NULL, arena, exec);
    q->failed_sid = exec->failed_sid;
    if (exec->failed_sid >= 0) {
        return;
    }
    Storage storage = {.dtype = q->layout.dtype, .data = plan_data(q->plan, q->value)};
    Tensor t = q->layout;
    t.storage = &storage;
    CHECK(tensor_extent(&t, &storage.numel));
    q->answer = q->kind == ASK_ITEM ? tensor_item_int(&t) : data_dependent_count_nonzero(&t);
}

static ErrCode data_dependent_ask(Capture *cap, DataDependentKind kind, const Tensor *t,
                                  int64_t *value) {
    if (cap->in.sample) {
        return error_set(&cap->err, ERR_unsupported, "a specimen has no values");
    }
    DataDependent *q = arena_new(cap->arena, DataDependent);
    q->kind = kind;
    compile_data_dependent(cap, (const Var *)t, q);
    Storage **storage = arena_array(cap->arena, Storage *, cap->in.n);
    void **input = arena_array(cap->arena, void *, cap->in.n);
    int n;
    storages_of(cap->in.tensors, cap->in.n, storage, &n);
    for (int k = 0; k < n; k++) {
        input[k] = storage[k]->data;
    }
    Execution exec;
    data_dependent_answer(q, input, cap->arena, &exec);
    *(cap->last_data_dependent ? &cap->last_data_dependent->next : &cap->data_dependents) = q;
    cap->last_data_dependent = q;
    if (q->failed_sid >= 0) {
        cap->end = END_CHECK;
        cap->at = q->failed_sid;
        return error_set(&cap->err, exec.code, "%s", exec.message);
    }
    *value = q->answer;
    return ERR_none;
}

ErrCode capture_count_nonzero(Emit *e, const Tensor *mask, int64_t *count) {
    return data_dependent_ask((Capture *)e, ASK_COUNT_NONZERO, mask, count);
}

ErrCode capture_item_int(Emit *e, const Tensor *t, int64_t *value) {
    return data_dependent_ask((Capture *)e, ASK_ITEM, t, value);
}

bool data_dependent_same(const DataDependent *q, void *const *input, Arena *arena) {
    Execution exec;
    DataDependent again = *q;
    data_dependent_answer(&again, input, arena, &exec);
    return again.failed_sid == q->failed_sid && (q->failed_sid >= 0 || again.answer == q->answer);
}
