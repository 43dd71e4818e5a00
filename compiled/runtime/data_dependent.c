/* Computes data-dependent values: compiles a slice of the graph captured so far and runs it on the
 * data of the region's entries.
 *
 * The graph is copied (the capture goes on writing to the original) and the value is its only
 * output. All its CHECKs run with it, so that an error that eager would have raised before ends the
 * capture. On a cache hit the same compiled slices run again and must compute the same values. */
#include "compiled/runtime/pipeline.h"
#include "compiled/runtime/artifact.h"

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
    ret->cls = alias_class_of(&v->tensor)->number;
    ret->value = alias_class_of(&v->tensor)->buffer->map;
    ret->layout = v->tensor;
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

/* Runs the plan on the data of the input storages. */
static void data_dependent_run(DataDependent *q, void *const *input, Arena *arena,
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
    q->result = q->kind == DATA_ITEM ? tensor_item_int(&t) : data_dependent_count_nonzero(&t);
}

ErrCode data_dependent_evaluate(Capture *cap, DataDependent *q, const Var *v) {
    compile_data_dependent(cap, v, q);
    Storage **storage = arena_array(cap->arena, Storage *, cap->in.n);
    void **input = arena_array(cap->arena, void *, cap->in.n);
    int n;
    storages_of(cap->in.tensors, cap->in.n, storage, &n);
    for (int k = 0; k < n; k++) {
        input[k] = storage[k]->data;
    }
    Execution exec;
    data_dependent_run(q, input, cap->arena, &exec);
    return q->failed_sid >= 0 ? error_set(&cap->err, exec.code, "%s", exec.message) : ERR_none;
}

bool data_dependent_same(const DataDependent *q, void *const *input, Arena *arena) {
    Execution exec;
    DataDependent again = *q;
    data_dependent_run(&again, input, arena, &exec);
    return again.failed_sid == q->failed_sid && (q->failed_sid >= 0 || again.result == q->result);
}
