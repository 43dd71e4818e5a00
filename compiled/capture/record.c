/* What a captured op leaves: tensors on alias classes, nodes of the graph, counted against the
 * limits, and what the tape keeps of the call. */
#include "compiled/capture/capture.h"
#include "tensor/array.h"

#include <string.h>

AliasClass *capture_class(Capture *cap, DType dtype, int64_t numel, Node *buffer, int input) {
    cap->cls = array_reserve(cap->arena, cap->cls, cap->ncls, &cap->cls_capacity, 32,
                             sizeof(AliasClass *));
    AliasClass *cls = arena_new(cap->arena, AliasClass);
    cls->storage.dtype = dtype;
    cls->storage.numel = numel;
    cls->storage.id = cls->number = cap->ncls;
    cls->input = input;
    cls->buffer = buffer;
    buffer->cls = cls->number;
    cap->cls[cap->ncls++] = cls;
    return cls;
}

/* ---- memory that is read as several dtypes ----
 *
 * The graph has no node that reads bytes. A reading is a class of its own, whose buffer is made by
 * _bitcast of the memory as it was when the reading was made; from then on each write to one of
 * them is followed by writes that bring the others up to date. What no one reads is dead code. */

/* The first elements of the class's storage, in order. */
static Node *flat_storage(Capture *cap, const AliasClass *cls, int64_t numel, int sid) {
    Tensor layout;
    tensor_set_contiguous(&layout, cls->storage.dtype, &numel, 1);
    Node *flat = graph_view(cap->graph, cls->buffer, &layout, sid);
    flat->cls = cls->number;
    return flat;
}

/* What the storage holds, as whole elements of `dtype`. */
static Node *storage_bits(Capture *cap, const AliasClass *cls, DType dtype, int sid) {
    Call call = call_new(OP__bitcast);
    Tensor meta;
    int64_t numel = cls->storage.numel * dtype_bytes(cls->storage.dtype) / dtype_bytes(dtype);
    call.arg[0].tensor = &flat_storage(cap, cls, cls->storage.numel, sid)->t;
    call.arg[1].dtype = dtype;
    tensor_set_contiguous(&meta, dtype, &numel, 1);
    return graph_op(cap->graph, &call, &meta, sid);
}

AliasClass *capture_reading(Capture *cap, AliasClass *cls, DType dtype, int sid) {
    AliasClass *whole = alias_class_whole(cls), *reading;
    if (whole->storage.dtype == dtype) {
        return whole;
    }
    for (Storage *s = whole->storage.readings; s; s = s->next) {
        if (s->dtype == dtype) {
            return (AliasClass *)s;
        }
    }
    Node *bits = storage_bits(cap, whole, dtype, sid);
    reading = capture_class(cap, dtype, bits->t.size[0], bits, whole->input);
    reading->storage.whole = &whole->storage;
    reading->storage.next = whole->storage.readings;
    whole->storage.readings = &reading->storage;
    cap->recasts = true;
    return reading;
}

/* ---- set_ ---- */

Storage *capture_recounted(Capture *cap, AliasClass *cls, const Storage *counts) {
    Storage *counter = storage_counter(counts);
    if (counter == storage_whole(&cls->storage)) {
        return &cls->storage;
    }
    AliasClass *recounted = cls->recounted;
    while (recounted && recounted->storage.counter != counter) {
        recounted = recounted->next;
    }
    if (!recounted) {
        recounted = arena_copy(cap->arena, cls, (int64_t)sizeof *cls);
        recounted->same = cls;
        recounted->next = cls->recounted;
        recounted->recounted = NULL;
        recounted->storage.whole = storage_whole(&cls->storage);
        recounted->storage.counter = counter;
        cls->recounted = recounted;
        cap->sets = cap->recasts = true;
    }
    return &recounted->storage;
}

int capture_counter(const Capture *cap, const Storage *s) {
    for (int k = 0; k < cap->ncounters; k++) {
        if (cap->counter[k] == storage_counter(s)) {
            return k;
        }
    }
    return -1;
}

int64_t capture_writes(const Capture *cap, int number) {
    int64_t writes = 0;
    for (int i = 0; i < cap->ncls; i++) {
        const AliasClass *cls = cap->cls[i];
        writes += cls->input == number && !cls->storage.whole ? cls->storage.writes : 0;
    }
    return writes;
}

void capture_adopt(Capture *cap) {
    Graph *g = cap->graph;
    for (int i = 0; i < cap->in.n; i++) {
        AliasClass *cls = memory_of(&cap->entry[i].tensor);
        if (cls->input >= 0) {
            continue;
        }
        int number = g->ninputs++;
        Node *node = graph_input(g, number, cls->storage.dtype, 0);
        memmove(g->node + 1, g->node, sizeof *g->node * (size_t)(g->n - 1));
        g->node[0] = g->input[number] = node;
        node->cls = cls->number;
        cls->input = number;
        for (Storage *s = cls->storage.readings; s; s = s->next) {
            ((AliasClass *)s)->input = number;
        }
    }
}

static void copy_reading(Capture *cap, const AliasClass *to, const AliasClass *from) {
    Node *bits = storage_bits(cap, from, to->storage.dtype, cap->sid);
    if (bits->t.size[0] > 0) {
        Node *target = flat_storage(cap, to, bits->t.size[0], cap->sid);
        graph_write(cap->graph, target, bits, cap->sid)->cls = to->number;
    }
}

void capture_write(Capture *cap, AliasClass *cls, Node *target, Node *value) {
    AliasClass *whole = alias_class_whole(cls);
    graph_write(cap->graph, target, value, cap->sid)->cls = cls->number;
    if (cls != whole) {
        copy_reading(cap, whole, cls);
    }
    for (Storage *s = whole->storage.readings; s; s = s->next) {
        if (s != &cls->storage) {
            copy_reading(cap, (AliasClass *)s, whole);
        }
    }
}

/* From here on the storage is what `buffer` holds. */
static void replace_buffer(AliasClass *cls, Node *buffer) {
    cls->buffer = buffer;
    cls->storage.numel = buffer->t.size[0];
    for (AliasClass *other = cls->recounted; other; other = other->next) {
        other->storage.numel = cls->storage.numel;
    }
    buffer->cls = cls->number;
}

ErrCode capture_grow(Capture *cap, AliasClass *cls, int64_t numel) {
    AliasClass *whole = alias_class_whole(cls);
    int64_t bytes, each = dtype_bytes(whole->storage.dtype), had = whole->storage.numel, more;
    if (!checked_mul(numel, dtype_bytes(cls->storage.dtype), &bytes)) {
        return error_set(cap->emit.err, ERR_limit, "a storage is too long");
    }
    if (bytes <= had * each) {
        return ERR_none;
    }
    if (bytes % each != 0) {
        return error_set(cap->emit.err, ERR_unsupported,
                         "memory that grows to no whole number of its own elements");
    }
    more = bytes / each - had;
    Call zeros = call_new(OP_zeros), cat = call_new(OP_cat);
    Node *part, *grown;
    zeros.arg[0].ints.v = arena_copy(cap->arena, &more, sizeof more);
    zeros.arg[0].ints.n = 1;
    zeros.arg[1].none = false;
    zeros.arg[1].dtype = whole->storage.dtype;
    TRY(capture_node(cap, &zeros, &part));
    Tensor *parts[2] = {&flat_storage(cap, whole, had, cap->sid)->t, &part->t};
    cat.arg[0].tensors.v = parts;
    cat.arg[0].tensors.n = 2;
    TRY(capture_node(cap, &cat, &grown));
    replace_buffer(whole, grown);
    for (Storage *s = whole->storage.readings; s; s = s->next) {
        replace_buffer((AliasClass *)s, storage_bits(cap, whole, s->dtype, cap->sid));
    }
    cap->recasts = true;
    return ERR_none;
}

Var *capture_var(Capture *cap, AliasClass *cls, const Tensor *layout, Node *node) {
    Var *v = arena_alloc_raw(cap->arena, (int64_t)sizeof *v);
    var_clear(v);
    layout_copy(&v->tensor, layout);
    v->tensor.storage = &cls->storage;
    v->node = node;
    node->cls = cls->number;
    v->entry = -1;
    return v;
}

void capture_call(const Capture *cap, Call *out, const Call *call) {
    call_copy(out, call);
    for (int p = 0; p < call->op->nparam; p++) {
        Arg *arg = &out->arg[p];
        switch (call->op->param[p].type) {
        case ARG_TENSOR:
        case ARG_TENSOR_OPT:
            if (!arg->none && arg->tensor) {
                arg->tensor = &((Var *)arg->tensor)->node->t;
            }
            break;
        case ARG_TENSORS:
        case ARG_TENSORS_OPT:
            if (!arg->none) {
                Tensor **v = arena_array(cap->arena, Tensor *, arg->tensors.n);
                for (int i = 0; i < arg->tensors.n; i++) {
                    Tensor *t = call->arg[p].tensors.v[i];
                    v[i] = t ? &((Var *)t)->node->t : NULL;
                }
                arg->tensors.v = v;
            }
            break;
        default:
            break;
        }
    }
}

ErrCode capture_memory(Capture *cap, const Tensor *t) {
    const Limits *limits = &cap->c->limits;
    int64_t numel, bytes;
    if (!sizes_numel(t->size, t->ndim, &numel) || numel > limits->max_elements) {
        return error_set(cap->emit.err, ERR_limit, "a tensor passes the limit of %lld elements",
                         (long long)limits->max_elements);
    }
    bytes = numel * dtype_bytes(t->dtype);
    if (bytes > limits->max_bytes - cap->bytes) {
        return error_set(cap->emit.err, ERR_limit, "more than %lld bytes are live",
                         (long long)limits->max_bytes);
    }
    cap->bytes += bytes;
    return ERR_none;
}

ErrCode capture_node(Capture *cap, const Call *call, Node **out) {
    Infer r = {.arena = cap->arena, .err = cap->emit.err};
    TRY(call->op->infer(call, &r));
    TRY(capture_memory(cap, &r.out[0]));
    *out = graph_op(cap->graph, call, &r.out[0], cap->sid);
    return ERR_none;
}

ErrCode capture_cast(Capture *cap, Node *value, DType dtype, Node **out) {
    Call cast = call_new(OP__to_copy);
    cast.arg[0].tensor = &value->t;
    cast.arg[1].none = false;
    cast.arg[1].dtype = dtype;
    return capture_node(cap, &cast, out);
}

bool capture_requires_grad(const Capture *cap, const OpInfo *op, Tensor *const *slot, int n) {
    if (!cap->grad_mode) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (slot[i] && !(op->non_differentiable >> i & 1) &&
            cap_requires_grad((const Var *)slot[i])) {
            return true;
        }
    }
    return false;
}

void cap_node_set_value(Capture *cap, GradNode *tape, Node *node, Node *value) {
    Tensor *out = &value->t;
    tape->node = node;
    tape->result = arena_copy(cap->arena, &out, sizeof out);
}

void cap_node_set_call(Capture *cap, GradNode *tape, const Call *call, Var *result) {
    bool need[MAX_SLOTS];
    if (!cap->takes_gradients) {
        return;
    }
    tape->saved_call = arena_copy(cap->arena, call, (int64_t)sizeof *call);
    for (int p = 0; p < call->op->nparam; p++) {
        Arg *arg = &tape->saved_call->arg[p];
        ArgType type = call->op->param[p].type;
        if ((type == ARG_TENSORS || type == ARG_TENSORS_OPT) && !arg->none) {
            arg->tensors.v =
                arena_copy(cap->arena, arg->tensors.v, (int64_t)sizeof(Tensor *) * arg->tensors.n);
        }
    }
    tape->saved_result =
        result && op_saves_result(call, cap_edges_needed(tape, need)) ? result : NULL;
}

/* ---- new tensors over what is there, or in memory of their own with a given layout ---- */

Var *capture_without_history(Capture *cap, const Var *v) {
    AliasClass *cls = alias_class_of(&v->tensor);
    Var *bare = capture_var(cap, cls, &v->tensor, v->node);
    bare->tensor.storage = capture_recounted(cap, cls, v->tensor.storage);
    return bare;
}

ErrCode capture_empty_like(Capture *cap, const Tensor *base, Var **out) {
    Tensor layout = *base;
    int64_t extent = 0;
    layout.offset = 0;
    layout.storage = NULL;
    CHECK(tensor_extent(&layout, &extent));
    Tensor *flat = emit_full(&cap->emit, &extent, 1, scalar_float(0), base->dtype);
    TRY(cap->emit.err->code);
    AliasClass *cls = alias_class_of(flat);
    *out = capture_var(cap, cls, &layout, graph_view(cap->graph, cls->buffer, &layout, cap->sid));
    return ERR_none;
}

ErrCode capture_copy_for_leaf(Capture *cap, const Var *leaf, Tensor *grad, Var **out) {
    const Tensor *like = &leaf->tensor;
    if (!tensor_is_dense(like) || !tensor_same_size(like, grad)) {
        *out = (Var *)emit_unary(&cap->emit, OP__contiguous_copy, grad);
        return cap->emit.err->code;
    }
    TRY(capture_empty_like(cap, like, out));
    (void)emit_op(&cap->emit, OP_copy_, 2, &(*out)->tensor, grad);
    return cap->emit.err->code;
}

/* ---- what the capture of an op tells a block under checkpoint ---- */

void capture_checkpoint_begins(Capture *cap, GradNode *node) {
    Checkpoint *c = cap->checkpoint;
    if (c->again) {
        node->place = c->begun++;
        if (node->place < c->nnodes) {
            c->copy[node->place] = node;
        }
    } else {
        node->checkpoint = c;
        node->place = c->nnodes++;
    }
}

void capture_checkpoint_saves(Capture *cap, const GradNode *node, bool result) {
    Checkpoint *c = cap->checkpoint;
    if (c->again) {
        c->done |= node->place == c->last && result == c->last_result;
    } else {
        c->last = node->place;
        c->last_result = result;
    }
}

bool capture_checkpoint_is_done(const Capture *cap) {
    return cap->checkpoint && cap->checkpoint->again && cap->checkpoint->done;
}

bool capture_checkpoint_number(const Capture *cap, int64_t *value) {
    Checkpoint *c = cap->checkpoint;
    if (!c || !c->again || c->numbers >= c->nnumber) {
        return false;
    }
    *value = c->number[c->numbers++];
    return true;
}

void capture_checkpoint_note(Capture *cap, int64_t value) {
    Checkpoint *c = cap->checkpoint;
    if (c && !c->again) {
        c->number = array_reserve(cap->arena, c->number, c->nnumber, &c->number_capacity, 4,
                                  sizeof *c->number);
        c->number[c->nnumber++] = value;
    }
}
