/* The meaning of a graph at any stage: its nodes run one by one by the shared kernels, on the data
 * of the call.
 *
 * What a node's memory is depends on how far the graph has come:
 *   capture     buffers are storages that WRITEs change; a read sees what the storage holds at that
 *               point of the order
 *   functional  every node has memory of its own, so nothing is overwritten
 *   reinplace   a node marked in_place writes into its base's memory, after the other nodes of its
 *               schedule item have read
 *   plan        nodes live in their buffers, whose old contents are lost; fresh buffers are filled
 *               with a pattern
 * So a stale read, a write that comes too early, or a buffer that is reused too soon shows as
 * another value. Tangents are filled by rule; returns are read when the epilogue copies them out,
 * most after it has written inputs back.
 *
 * A shared kernel may refuse a bad value before the CHECK that covers it, or an earlier one, has
 * run: the refusal of the first statement is the one that counts. */
#include "compiled/runtime/interpret.h"

#include "compiled/ir/evaluate.h"
#include "compiled/loops/lower.h"
#include "program/ops/functions.h"

#include <string.h>

typedef struct Interpreter {
    Compile *c;
    Arena *arena;
    const Graph *g;
    bool planned;         /* nodes live in their buffers */
    Storage **storage;    /* by node id */
    Storage **buffer;     /* by buffer number */
    Storage **input;      /* by input storage */
    bool refused;         /* a kernel refused a value, ... */
    int refused_at;       /* ... of this statement: nothing that follows from it counts */
    void *const *tangent; /* by number, or NULL: made up */
    bool writes_back;     /* the epilogue's part, too */
    Answers *out;
} Interpreter;

/* ---- memory ---- */

static int64_t interpret_extent(const Tensor *t) {
    int64_t extent = 0;
    CHECK(tensor_extent(t, &extent));
    return extent;
}

static Storage *interpret_poisoned(Interpreter *in, int64_t bytes) {
    Storage *s = arena_new(in->arena, Storage);
    s->data = arena_alloc(in->arena, max_i64(bytes, 1));
    memset(s->data, 0xA5, (size_t)bytes);
    return s;
}

static void interpret_make_buffers(Interpreter *in) {
    int count = 0;
    for (int i = 0; i < in->g->n; i++) {
        count = in->g->node[i]->buffer >= count ? in->g->node[i]->buffer + 1 : count;
    }
    int64_t *bytes = arena_array(in->arena, int64_t, max_i64(count, 1));
    in->buffer = arena_array(in->arena, Storage *, max_i64(count, 1));
    for (int i = 0; i < in->g->n; i++) {
        const Node *n = in->g->node[i];
        if (n->buffer >= 0) {
            bytes[n->buffer] =
                max_i64(bytes[n->buffer], interpret_extent(&n->t) * dtype_bytes(n->t.dtype));
        }
    }
    for (int b = 0; b < count; b++) {
        in->buffer[b] = interpret_poisoned(in, bytes[b]);
    }
}

/* The tensor that `n` is, on the memory it has now. */
static Tensor interpret_tensor(const Interpreter *in, const Node *n, Storage *storage) {
    const Node *buffer = node_buffer((Node *)n), *root = node_root((Node *)buffer);
    const Storage *memory = in->storage[buffer->id];
    bool in_slice = memory == in->storage[root->id]; /* else a register of its nest */
    Tensor room, t = in_slice ? *node_memory(n, &room) : n->t;
    *storage = (Storage){.dtype = t.dtype,
                         .numel = interpret_extent(in_slice ? &root->t : &buffer->t),
                         .data = memory->data};
    t.storage = storage;
    return t;
}

/* Stores `value` in n's slice of the cat's result, which gets its memory with its first operand. */
static void interpret_store_slice(Interpreter *in, const Node *n, const Tensor *value) {
    const Node *root = node_root((Node *)n);
    Storage *s = in->planned ? in->buffer[root->buffer] : in->storage[root->id];
    s = s ? s : interpret_poisoned(in, interpret_extent(&root->t) * dtype_bytes(root->t.dtype));
    in->storage[root->id] = in->storage[n->id] = s;
    Storage storage;
    Tensor slice = interpret_tensor(in, n, &storage);
    tensor_copy_data(&slice, value, NULL);
}

/* Gives `n` its memory and stores `value` (of its layout) there. A splat is read as a value, also
 * when it shares its buffer. */
static void interpret_store(Interpreter *in, const Node *n, const Tensor *value) {
    int64_t bytes = interpret_extent(&n->t) * dtype_bytes(n->t.dtype);
    Scalar splat;
    if (n->into) {
        interpret_store_slice(in, n, value);
        return;
    }
    Storage *s = n->in_place ? in->storage[node_buffer(n->in[0])->id] : in->storage[n->id];
    if (in->planned && n->buffer >= 0) {
        s = in->buffer[n->buffer];
    }
    if (s && bytes > 0) {
        memcpy(s->data, value->storage->data, (size_t)bytes);
    }
    in->storage[n->id] = s && !node_splat(n, &splat) ? s : value->storage;
}

/* ---- nodes ---- */

/* Statements in order, the backward last. */
static unsigned program_order(int sid) { return (unsigned)sid; }

static void interpret_refuse(Interpreter *in, const Node *n) {
    if (!in->refused || program_order(n->sid) < program_order(in->refused_at)) {
        in->refused = true;
        in->refused_at = n->sid;
    }
}

/* What `n` computes, apart from its memory; after a refusal by the kernel, a fill pattern. */
static void interpret_node(Interpreter *in, const Node *n, Tensor *out) {
    Tensor value[MAX_SLOTS], *operand[MAX_SLOTS];
    Storage storage[MAX_SLOTS];
    Error err = {0};
    KernelCtx k = {.arena = in->arena, .err = &err, .stream = in->c->stream};
    for (int s = 0; s < n->nin; s++) {
        operand[s] = n->in[s] ? &value[s] : NULL;
        if (n->in[s]) {
            value[s] = interpret_tensor(in, n->in[s], &storage[s]);
        }
    }
    *out = n->t;
    if (n->kind == NODE_OP) {
        /* the size of nonzero is the count at capture; another count is a refusal */
        bool counted = n->op != OP_nonzero || kernel_count_nonzero(operand[0]) == out->size[0];
        if (!counted || !evaluate_node(n, operand, out, &k)) {
            interpret_refuse(in, n);
            *out = n->t;
            out->storage =
                interpret_poisoned(in, interpret_extent(&n->t) * dtype_bytes(n->t.dtype));
            out->storage->dtype = n->t.dtype;
            out->storage->numel = interpret_extent(&n->t);
        }
        in->out->unknown |= k.undefined != NULL;
        return;
    }
    bool undefined = false;
    CHECK(tensor_allocate(out, in->arena, NULL, &err) == ERR_none);
    memcpy(out->storage->data, value[0].storage->data,
           (size_t)(interpret_extent(&n->t) * dtype_bytes(n->t.dtype)));
    Tensor slice = n->slice;
    slice.storage = out->storage;
    tensor_copy_data(&slice, &value[1], &undefined);
    in->out->unknown |= undefined;
}

static void interpret_write(Interpreter *in, const Node *n) {
    Storage from, to;
    Tensor target = interpret_tensor(in, n->in[0], &to),
           value = interpret_tensor(in, n->in[1], &from), copy = value;
    Error err = {0};
    bool undefined = false;
    target.dtype = n->t.dtype;
    tensor_set_contiguous(&copy, value.dtype, value.size, value.ndim);
    CHECK(tensor_allocate(&copy, in->arena, NULL, &err) == ERR_none);
    tensor_copy_data(&copy, &value, NULL);
    tensor_copy_data(&target, &copy, &undefined);
    in->out->unknown |= undefined;
}

/* Does it fire? Not after the refusal of an earlier statement. */
static bool interpret_check_fires(const Interpreter *in, const Node *n) {
    Storage storage;
    Tensor value = interpret_tensor(in, n->in[0], &storage);
    return (!in->refused || program_order(n->sid) <= program_order(in->refused_at)) &&
           !evaluate_check(n, &value);
}

static void interpret_make_tangent(Interpreter *in, const Node *n) {
    Storage *s = storage_new(in->arena, n->t.dtype, interpret_extent(&n->t));
    if (in->tangent) {
        memcpy(s->data, in->tangent[n->number], (size_t)(s->numel * dtype_bytes(s->dtype)));
    } else {
        fill_buffer(s->data, n->t.dtype, s->numel, FILL_dyadic, (uint64_t)n->number + 1);
    }
    if (in->planned && n->buffer >= 0) {
        memcpy(in->buffer[n->buffer]->data, s->data, (size_t)(s->numel * dtype_bytes(s->dtype)));
        s = in->buffer[n->buffer];
    }
    in->storage[n->id] = s;
}

static bool interpret_runs_in_place(const Interpreter *in, const Node *n) {
    return n->in_place || n->into ||
           (in->planned && n->nin > 0 && n->in[0] && n->buffer >= 0 &&
            n->buffer == node_buffer(n->in[0])->buffer);
}

/* Before functionalize: where node `at` is the memory of a class that had another before, what was
 * made of that reads the new one. */
static void interpret_replace(Interpreter *in, int at) {
    const Node *n = in->g->node[at];
    for (int i = 0; i < at && n->cls >= 0; i++) {
        const Node *before = in->g->node[i];
        if (before->cls == n->cls && (before->kind == NODE_OP || before->kind == NODE_INPUT)) {
            in->storage[before->id] = in->storage[n->id];
        }
    }
}

/* The nodes [begin, end): one nest, or one node. In-place writes and writes to slices of a cat
 * happen after the other nodes of the nest have read. */
static bool interpret_schedule_item(Interpreter *in, int begin, int end) {
    const Node *late[MAX_FUSED_OPS];
    Tensor late_value[MAX_FUSED_OPS];
    int nlate = 0;
    for (int i = begin; i < end; i++) {
        const Node *n = in->g->node[i];
        Tensor value;
        switch (n->kind) {
        case NODE_INPUT:
            in->storage[n->id] = in->input[n->number];
            if (in->planned && n->buffer >= 0) {
                in->buffer[n->buffer] = in->input[n->number];
            }
            break;
        case NODE_TANGENT:
            interpret_make_tangent(in, n);
            break;
        case NODE_VIEW:
            break;
        case NODE_WRITE:
            interpret_write(in, n);
            break;
        case NODE_CHECK:
            if (interpret_check_fires(in, n)) {
                in->out->failed_sid = n->sid;
                return false;
            }
            break;
        case NODE_OP:
        case NODE_STORE:
            interpret_node(in, n, &value);
            if (interpret_runs_in_place(in, n) && nlate < MAX_FUSED_OPS) {
                late[nlate] = n;
                late_value[nlate++] = value;
                in->storage[n->id] = value.storage; /* for nodes that use only its size */
            } else {
                interpret_store(in, n, &value);
            }
            interpret_replace(in, i);
            break;
        }
    }
    for (int k = 0; k < nlate; k++) {
        interpret_store(in, late[k], &late_value[k]);
    }
    return true;
}

/* ---- results ---- */

static void interpret_record(Interpreter *in, const char *what, int number, const Tensor *t) {
    void *data = arena_alloc(in->arena, max_i64(tensor_numel(t) * dtype_bytes(t->dtype), 1));
    tensor_gather(t, data);
    in->out->answer[in->out->n++] = (Answer){what, number, t->dtype, tensor_numel(t), data};
}

static void interpret_record_node(Interpreter *in, const char *what, int number, const Node *n,
                                  const Tensor *layout) {
    Storage storage;
    Tensor t = interpret_tensor(in, n, &storage);
    if (layout) {
        t = *layout;
        t.storage = &storage;
    }
    interpret_record(in, what, number, &t);
}

/* The node that made a class's storage, the last time that it grew (before functionalize). */
static const Node *interpret_class_node(const Graph *g, int cls) {
    for (int i = g->n - 1; i >= 0; i--) {
        const Node *n = g->node[i];
        if (n->cls == cls && (n->kind == NODE_OP || n->kind == NODE_INPUT)) {
            return n;
        }
    }
    return NULL;
}

/* What the epilogue does before it copies those returns out whose value is no input's old data. */
static void interpret_write_back(Interpreter *in) {
    const Graph *g = in->g;
    void **copy = arena_array(in->arena, void *, max_i64(g->ninputs, 1));
    for (int k = 0; g->written && k < g->ninputs; k++) {
        if (g->written[k] && g->written[k] != g->input[k]) {
            Storage storage;
            interpret_tensor(in, g->written[k], &storage);
            CHECK(storage.numel >= in->input[k]->numel);
            copy[k] =
                arena_copy(in->arena, storage.data, storage.numel * dtype_bytes(storage.dtype));
        }
    }
    for (int k = 0; k < g->ninputs; k++) {
        if (copy[k]) {
            memcpy(in->input[k]->data, copy[k],
                   (size_t)(in->input[k]->numel * dtype_bytes(in->input[k]->dtype)));
        }
    }
}

static void interpret_collect_returns(Interpreter *in, bool functional, bool old_inputs) {
    const Graph *g = in->g;
    for (int k = 0; k < g->nret; k++) {
        const ReturnPlan *r = &g->ret[k];
        const Node *value = functional ? r->value : interpret_class_node(g, r->cls);
        if (value && !r->aliases_input && (value->kind == NODE_INPUT) == old_inputs) {
            interpret_record_node(in, "return", k, value, &r->layout);
        }
    }
}

static void interpret_collect(Interpreter *in, StageForm form) {
    const Graph *g = in->g;
    bool functional = form != STAGE_CAPTURED;
    in->out->answer = arena_array(in->arena, Answer, g->nret * 2 + g->ninp + g->ninputs + 1);
    interpret_collect_returns(in, functional, true);
    bool writes_back =
        in->c->capture &&
        !in->c->capture->in
             .resumed; /* the graph of a data-dependent value and a resumed backward do not */
    for (int k = 0; writes_back && k < g->ninputs; k++) {
        const Node *now = !functional                   ? interpret_class_node(g, g->input[k]->cls)
                          : g->written && g->written[k] ? g->written[k]
                                                        : g->input[k];
        if (functional && now == g->input[k]) {
            interpret_record_node(in, "input storage", k, now, NULL);
            continue;
        }
        Storage storage;
        Tensor t = interpret_tensor(in, now, &storage), flat;
        tensor_set_contiguous(&flat, t.dtype, &storage.numel, 1);
        flat.storage = &storage;
        interpret_record(in, "input storage", k, &flat);
    }
    for (int k = 0; form == STAGE_JOINT && k < g->ninp; k++) {
        if (g->inp[k].grad) {
            interpret_record_node(in, "gradient of input", k, g->inp[k].grad, NULL);
        }
    }
    for (int k = 0; form == STAGE_JOINT && k < g->nret; k++) {
        if (g->ret[k].grad) {
            interpret_record_node(in, "gradient of return", k, g->ret[k].grad, NULL);
        }
        if (g->ret[k].before) {
            interpret_record_node(in, "return before the backward", k, g->ret[k].before, NULL);
        }
    }
    if (functional && in->writes_back) {
        interpret_write_back(in);
    }
    interpret_collect_returns(in, functional, false);
}

static Interpreter *interpreter_new(Compile *c, const Graph *g) {
    Interpreter *in = arena_new(c->arena, Interpreter);
    *in = (Interpreter){.c = c, .arena = c->arena, .g = g, .out = arena_new(c->arena, Answers)};
    in->out->failed_sid = -1;
    in->storage = arena_array(c->arena, Storage *, max_i64(g->next_id, 1));
    in->input = arena_array(c->arena, Storage *, max_i64(g->ninputs, 1));
    return in;
}

Answers *graph_interpret(Compile *c, const Graph *g, StageForm form, Storage *const *input,
                         void *const *tangent) {
    Interpreter *in = interpreter_new(c, g);
    in->tangent = tangent;
    in->writes_back = !tangent;
    for (int i = 0; i < in->g->n && !in->planned; i++) {
        in->planned = in->g->node[i]->kind == NODE_OP && in->g->node[i]->buffer >= 0;
    }
    if (in->planned) {
        interpret_make_buffers(in);
    }
    for (int k = 0; k < in->g->ninputs; k++) {
        const Storage *data = input[k];
        in->input[k] = data ? storage_new(c->arena, data->dtype, data->numel)
                            : storage_new(c->arena, g->input[k]->t.dtype, 0);
        int64_t bytes = data ? data->numel * dtype_bytes(data->dtype) : 0;
        memcpy(in->input[k]->data, bytes > 0 ? data->data : in->input[k]->data, (size_t)bytes);
    }
    for (int i = 0; i < in->g->n;) {
        int end = schedule_item_end(in->g, i);
        if (!interpret_schedule_item(in, i, end)) {
            return in->out;
        }
        i = end;
    }
    if (in->refused) {
        in->out->failed_sid = in->refused_at;
        return in->out;
    }
    interpret_collect(in, form);
    return in->out;
}

Answers *plan_answers(const Artifact *a, Storage *const *input) {
    Compile *c = a->capture->c;
    Interpreter *in = interpreter_new(c, a->graph);
    for (int i = 0; i < in->g->n; i++) {
        const Node *n = in->g->node[i];
        if (n->kind == NODE_INPUT) {
            in->storage[n->id] = input[n->number];
        } else if (n->kind != NODE_VIEW && n->id < a->plan->nnode &&
                   a->plan->buffer_of[n->id] >= 0) {
            in->storage[n->id] = storage_new(c->arena, n->t.dtype, 0);
            in->storage[n->id]->data = plan_data(a->plan, n);
        }
    }
    interpret_collect(in, STAGE_JOINT);
    return in->out;
}
