/* Live tensors, and the regions that run on them.
 *
 * Entering a region: its arguments, and the bases of those that are views, become its entries.
 * Leaving it: each entry takes over its exit record (flags, grad_fn, versions relative to the
 * start), and each export (of a setup, or before a graph_break) becomes a live tensor. */
#include "compiled/runtime/cache_faults.h"

#include <string.h>
#include <limits.h>

/* ---- live tensors ---- */

bool live_requires_grad(const LiveTensor *o) {
    return o->record.requires_grad || live_has_grad_fn(o) ||
           (o->base && (o->base->record.requires_grad || live_has_grad_fn(o->base)));
}

bool live_has_grad_fn(const LiveTensor *o) { return o->grad_fn.region || o->regenerated; }

static LiveTensor *live_tensor_new(RuntimeSession *r, const Tensor *t) {
    LiveTensor *o = arena_alloc_raw(r->arena, (int64_t)sizeof *o);
    memset(&o->record, 0, sizeof *o - offsetof(LiveTensor, record));
    layout_copy(&o->tensor, t);
    o->tensor.storage = t->storage;
    o->next = r->live;
    r->live = o;
    return o;
}

ErrCode runtime_open(RuntimeSession *r, const Input *inputs, int ninputs, Error *err) {
    Tensor *tensors = arena_array(r->arena, Tensor, ninputs);
    r->live = NULL;
    r->last = NULL;
    r->prepared = false;
    r->ninputs = 0;
    TRY(inputs_build(r->p, inputs, ninputs, r->arena, &r->options->limits, tensors, err));
    r->input = arena_array(r->arena, LiveTensor *, ninputs);
    r->named = arena_array(r->arena, LiveTensor *, r->p->nnames);
    r->ninputs = ninputs;
    for (int i = 0; i < ninputs; i++) {
        LiveTensor *o = r->input[i] = r->named[inputs[i].name] = live_tensor_new(r, &tensors[i]);
        o->record.requires_grad = inputs[i].requires_grad;
    }
    return ERR_none;
}

/* requires_grad_ */
static ErrCode live_set_requires_grad(LiveTensor *o, bool requires_grad, Error *err) {
    if (live_has_grad_fn(o) && !requires_grad) {
        return error_set(err, ERR_grad_non_leaf,
                         "you can only change requires_grad flags of leaf variables");
    }
    if (requires_grad && !dtype_is_float(o->tensor.dtype)) {
        return error_set(err, ERR_grad_dtype,
                         "only tensors of floating point dtype can require gradients");
    }
    o->record.requires_grad = requires_grad;
    return ERR_none;
}

ErrCode runtime_reopen(RuntimeSession *r, const Recall *recall, Error *err) {
    for (LiveTensor *o = r->live; o; o = o->next) {
        o->hooks_ran = false;
        o->kept = recall->keep_grads ? o->grad : NULL;
        o->grad = NULL;
        o->grad_written = ERR_none;
    }
    if (!r->prepared) {
        return error_set(err, ERR_invalid,
                         "the setup did not run to its end: there is nothing to call with again");
    }
    for (int i = 0; i < recall->nset; i++) {
        LiveTensor *o = r->named[recall->set[i].name];
        if (!o) {
            return error_set(err, ERR_invalid, "the name '%s' is not bound",
                             r->p->names[recall->set[i].name]);
        }
        TRY(live_set_requires_grad(o, recall->set[i].requires_grad, err));
    }
    return ERR_none;
}

/* Both are contiguous. */
static Tensor *sum_of_grads(RuntimeSession *r, const Tensor *a, const Tensor *b) {
    Tensor *sum = arena_copy(r->arena, a, (int64_t)sizeof *sum);
    Storage *s = sum->storage = arena_copy(r->arena, sum->storage, (int64_t)sizeof *s);
    s->data = arena_copy(r->arena, s->data, s->numel * dtype_bytes(s->dtype));
    for (int64_t i = 0; i < tensor_numel(sum); i++) {
        double added = element_double(b->storage->data, s->dtype, i);
        element_store_double(s->data, s->dtype, i, element_double(s->data, s->dtype, i) + added);
    }
    return sum;
}

void runtime_add_kept_grads(RuntimeSession *r) {
    for (LiveTensor *o = r->live; o; o = o->next) {
        if (!o->kept || !o->grad || !tensor_same_size(o->kept, o->grad)) {
            o->grad = o->grad ? o->grad : o->kept; /* of other sizes: it has been resized */
            continue;
        }
        o->grad = sum_of_grads(r, o->kept, o->grad);
    }
    for (LiveTensor *o = r->live; o; o = o->next) {
        o->kept = NULL;
    }
}

void runtime_keep_grads(RuntimeSession *r) {
    runtime_add_kept_grads(r);
    for (LiveTensor *o = r->live; o; o = o->next) {
        o->kept = o->grad;
        o->grad = NULL;
    }
}

/* ---- entering ---- */

static int region_enter_tensor(Region *region, LiveTensor *o) {
    if (o->entry < 0) {
        o->entry = region->nlive;
        region->live[region->nlive++] = o;
    }
    return o->entry;
}

static void region_enter_name(Region *region, CaptureInput *in, NameId *name, int *named, NameId id,
                              LiveTensor *o) {
    name[in->nname] = id;
    named[in->nname++] = region_enter_tensor(region, o);
}

/* Is it the name of an argument, and of nothing that is returned? */
static bool is_only_argument(const Program *p, NameId id) {
    bool argument = false, returned = false;
    for (int i = 0; i < program_nargs(p); i++) {
        argument |= program_arg(p, i) == id;
    }
    for (int k = 0; k < p->nreturns; k++) {
        returned |= p->returns[k] == id;
    }
    return argument && !returned;
}

/* The entries of a region: arguments (of the setup: the inputs; after a graph_break: what the rest
 * of the body needs), then bases of views. */
static void region_enter(RuntimeSession *r, Region *region, CaptureInput *in) {
    const Program *p = r->p;
    bool resumes = in->resume >= 0, starts = in->resume == AFTER;
    bool inputs = in->setup || in->prepares;
    int n = inputs ? r->ninputs : resumes || starts ? p->nnames : program_nargs(p);
    NameId *name = arena_alloc_raw(r->arena, (int64_t)sizeof *name * (n + 1));
    int *named = arena_alloc_raw(r->arena, (int64_t)sizeof *named * (n + 1));
    region->live = arena_array(r->arena, LiveTensor *, 2 * n);
    for (LiveTensor *o = r->live; o; o = o->next) {
        o->entry = -1;
    }
    for (int i = 0; i < n; i++) {
        NameId id = inputs ? p->inputs[i].name : resumes || starts ? i : program_arg(p, i);
        bool exported = resumes || (starts && !is_only_argument(p, id));
        LiveTensor *o = inputs ? r->input[i] : exported ? r->exported[id] : r->named[id];
        if (o) {
            region_enter_name(region, in, name, named, id, o);
        }
    }
    for (int i = 0; i < region->nlive; i++) {
        if (region->live[i]->base) {
            (void)region_enter_tensor(region, region->live[i]->base);
        }
    }
    in->name = name;
    in->named = named;
    in->n = region->nlive;
}

static void region_describe(RuntimeSession *r, Region *region, CaptureInput *in) {
    Tensor *tensors = arena_alloc_raw(r->arena, (int64_t)sizeof *tensors * in->n);
    EntryTensor *entry = arena_array(r->arena, EntryTensor, in->n);
    region->external = arena_array(r->arena, RegionEdge, in->n);
    for (int i = 0; i < in->n; i++) {
        const LiveTensor *o = region->live[i];
        layout_copy(&tensors[i], &o->tensor);
        tensors[i].storage = o->tensor.storage;
        EntryTensor *e = &entry[i];
        bool stale = o->base && (o->regenerated ||
                                 o->record.attr_version != *storage_version(o->tensor.storage));
        e->record = o->record;
        e->record.attr_version = stale ? STALE_VERSION : 0;
        e->has_grad_fn = live_has_grad_fn(o);
        e->base = o->base ? o->base->entry : -1;
        e->refuses = refusing_op(r, region, &o->grad_fn, &e->refuses_at_once);
        if (!e->has_grad_fn ||
            (o->record.grad_fn_meta && same_meta(o->record.grad_fn_meta, &o->tensor))) {
            e->record.grad_fn_meta = NULL;
        }
        if (!r->takes_gradients || !o->grad_fn.region) {
            e->record.topological_nr = 0;
        }
        if (!r->reshapes) {
            e->record.accumulator_meta = NULL;
        }
        region->external[i] = o->grad_fn;
    }
    for (int i = 0; i < in->n; i++) {
        entry[i].node = r->hooks ? first_of_node(region, i) : i;
        entry[i].reached_by = !(r->hooks || r->sees_grads) || entry[i].has_grad_fn
                                  ? 0
                                  : leaf_reached_by(r, region, in->n, region->live[i]);
    }
    in->tensors = tensors;
    in->entry = entry;
}

/* ---- leaving ---- */

/* Applies an exit record; `start` is the storage's version when the region was entered. */
static void region_leave_tensor(LiveTensor *o, const ExitTensor *e, Region *region, int64_t start) {
    const TensorRecord before = o->record;
    layout_copy(&o->tensor, &e->layout);
    o->record = e->record;
    o->record.attr_version += start;
    if (!o->record.accumulator_meta && !e->resets_accumulator) {
        o->record.accumulator_meta = before.accumulator_meta;
    }
    if (e->grad_fn == EXIT_GRAD_FN_NEW) {
        o->grad_fn = (RegionEdge){region, e->number, e->nr};
    } else {
        o->record.topological_nr = before.topological_nr;
        o->record.grad_fn_meta = before.grad_fn_meta;
    }
    if (e->grad_fn == EXIT_GRAD_FN_NONE) {
        o->grad_fn = (RegionEdge){NULL, 0, 0};
    }
    o->regenerated = e->regenerated || (o->regenerated && e->grad_fn == EXIT_GRAD_FN_UNCHANGED);
}

/* The version counter of an export that has none of an entry: that of the memory it was made on. */
static Storage *export_counter(const RuntimeSession *r, const Capture *cap, LiveTensor *const *live,
                               int first, int i) {
    const Storage *counts = storage_counter(cap->live[i]->tensor.storage);
    for (int j = first; j < i; j++) {
        if (storage_counter(cap->live[j]->tensor.storage) == counts) {
            return storage_counter(live[j]->tensor.storage);
        }
    }
    for (int j = 0; j < cap->nlive; j++) {
        if (storage_whole(cap->live[j]->tensor.storage) == counts) {
            return storage_whole(live[j]->tensor.storage);
        }
    }
    return arena_new(r->arena, Storage); /* which nothing that is left is on */
}

/* Exports become live tensors. New storages count their versions from their creation. */
static void region_leave_exports(RuntimeSession *r, Region *region, const Artifact *a,
                                 const ArtifactResult *out) {
    const Capture *cap = a->capture;
    LiveTensor **live = arena_array(r->arena, LiveTensor *, cap->nlive);
    memcpy(live, region->live, sizeof *live * (size_t)region->nlive);
    for (int i = region->nlive; i < cap->nlive; i++) {
        live[i] = live_tensor_new(r, &out->returns[i - region->nlive]);
    }
    for (int i = region->nlive; i < cap->nlive; i++) {
        const ExitTensor *e = &a->exit[i];
        int number = capture_counter(cap, cap->live[i]->tensor.storage);
        Storage *counter =
            number >= 0 ? out->counter[number] : export_counter(r, cap, live, region->nlive, i);
        live[i]->tensor.storage =
            storage_counted(r->arena, live[i]->tensor.storage, live[i]->tensor.dtype, counter);
        if (number < 0) {
            counter->version = e->version;
        }
        if (!a->graph->ret[i - region->nlive].aliases_input) {
            storage_whole(live[i]->tensor.storage)->writes =
                memory_of(&cap->live[i]->tensor)->storage.writes;
        }
        region_leave_tensor(live[i], e, region, number >= 0 ? region->version[number] : 0);
        live[i]->base = e->base >= 0 ? live[e->base] : NULL;
    }
    region->live = live;
    region->nlive = cap->nlive;
    LiveTensor **names = r->named;
    if (!region->in.setup) {
        names = r->exported = arena_array(r->arena, LiveTensor *, r->p->nnames);
    }
    for (int k = 0; k < cap->nexported; k++) {
        names[cap->exported[k]] = cap->exported_as[k] >= 0 ? live[cap->exported_as[k]] : NULL;
    }
}

/* Hooks of tensors that have a history of an earlier region are called when that is resumed. */
static void region_leave_hooks(RuntimeSession *r, const Region *region, const Capture *cap) {
    for (int i = 0; i < cap->in.n && r->hooks; i++) {
        const HookNames *names = capture_external_hooks(cap, i);
        Region *owner = region->external[i].region;
        for (int k = 0; names && owner && k < names->n; k++) {
            LateHook **last = &owner->late_hooks;
            while (*last) {
                last = &(*last)->next;
            }
            *last = arena_new(r->arena, LateHook);
            **last = (LateHook){region->external[i].number, region->external[i].nr,
                                names->function[k], NULL};
        }
    }
}

/* Seeded fault AL_11: the input keeps its memory, to which the values are copied. */
static bool leave_by_copy(const Artifact *a, const ArtifactResult *out, int i, const Tensor *t) {
    const Capture *cap = a->capture;
    Tensor left = cap->entry[i].tensor;
    if (!fault(cap->c, FAULT_AL_11) || alias_class_of(&left)->input == cap->entry_storage[i] ||
        !tensor_same_layout(&left, t) || tensor_overlaps_itself(t) || tensor_numel(t) == 0 ||
        out->storage[alias_class_of(&left)->input]->dtype != t->dtype ||
        out->storage[alias_class_of(&left)->input]->numel != t->storage->numel ||
        !fault_triggered(cap->c, FAULT_AL_11)) {
        return false;
    }
    left.storage = out->storage[alias_class_of(&left)->input];
    tensor_copy_data(t, &left, NULL);
    return true;
}

static void region_leave(RuntimeSession *r, Region *region, const RegionResult *end) {
    const Artifact *a = end->artifact;
    const ArtifactResult *out = &end->outcome;
    for (int k = 0; k < a->capture->ncounters; k++) {
        out->counter[k]->version += a->graph->version[k];
    }
    for (int k = 0; k < out->nstorage; k++) {
        out->storage[k]->writes += capture_writes(a->capture, k);
    }
    for (int i = 0; i < region->nlive; i++) {
        const Tensor *left = &a->capture->entry[i].tensor;
        Tensor *t = &region->live[i]->tensor;
        if (!leave_by_copy(a, out, i, t)) {
            t->storage = storage_counted(r->arena, out->storage[alias_class_of(left)->input],
                                         t->dtype, t->storage);
        }
        region_leave_tensor(region->live[i], &a->exit[i], region,
                            region->version[capture_counter(a->capture, left->storage)]);
    }
    if (region->in.setup || a->capture->end == END_BREAK) {
        region_leave_exports(r, region, a, out);
    }
    for (int i = 0; i < region->nlive; i++) { /* before a cross-region backward adds to it */
        const InputPlan *plan = &a->graph->inp[i];
        region->live[i]->grad_written = a->capture->live[i]->grad_written;
        region->live[i]->hooks_ran = a->capture->live[i]->hooks_ran;
        region->live[i]->grad =
            plan->grad_state == GRAD_VALUE ? out->grad[i] : region->live[i]->grad;
    }
    region->tape_size = a->capture->tape_size;
    region->released = arena_alloc(r->arena, region->tape_size);
    region_release(region, a->capture, end->deferred_leaves);
    region_leave_hooks(r, region, a->capture);
}

void region_release(Region *region, const Capture *cap, int end) {
    for (const GradNode *node = cap->tape; node; node = node->older) {
        if (node->number < region->tape_size && node->number < cap->tape_size) {
            bool ran = node->moved_before <= end;
            region->released[node->number] |= (node->freed && ran ? RELEASED : 0) |
                                              (node->other_half_freed && ran ? RELEASED_HALF : 0);
        }
    }
}

/* ---- seeded faults ---- */

/* Does the gradient read a value that the forward computed and saved? */
static bool reads_saved_value(const Node *grad) {
    for (int k = 0; k < grad->nin; k++) {
        const Node *from = grad->in[k] ? node_buffer(grad->in[k]) : NULL;
        if (from && from->kind == NODE_OP && from->sid >= 0) {
            return true;
        }
    }
    return false;
}

/* Seeded fault GR_18: the plan's memory, in which such a gradient still is, belongs to the replay.
 */
static void lose_replayed_gradients(const Artifact *a, const ArtifactResult *out) {
    const Graph *g = a->graph;
    for (int i = 0; i < g->ninp; i++) {
        Tensor *grad = out->grad[i];
        if (!grad || !reads_saved_value(node_buffer(g->inp[i].grad))) {
            continue;
        }
        char *byte = grad->storage->data;
        int64_t n = grad->storage->numel * dtype_bytes(grad->dtype);
        bool any = false;
        for (int64_t k = 0; k < n; k++) {
            any |= byte[k] != 0;
        }
        if (any && fault_triggered(a->capture->c, FAULT_GR_18)) {
            memset(byte, 0, (size_t)n);
        }
    }
}

/* Seeded fault GR_25: compiling runs the function and its backward on the caller's own tensors, and
 * so accumulates into the .grad that is there already. */
void runtime_double_kept_grads(RuntimeSession *r) {
    const Compile c = {.options = r->compile, .counters = r->counters};
    for (LiveTensor *o = r->live; o && fault(&c, FAULT_GR_25); o = o->next) {
        if (o->kept && tensor_numel(o->kept) > 0 && fault_triggered(&c, FAULT_GR_25)) {
            o->kept = sum_of_grads(r, o->kept, o->kept);
        }
    }
}

static void region_run_part(RuntimeSession *r, int part, bool gradient, bool grad_mode,
                            bool comes_back, bool *compiled, RegionResult *end) {
    Region *region = end->region = arena_new(r->arena, Region);
    CaptureInput in = {.setup = part == SETUP,
                       .prepares = r->prepares && part == BODY,
                       .after = part == AFTER || (part >= 0 && program_is_after(r->p, part)),
                       .gradient = gradient,
                       .split = r->breaks,
                       .apart = r->apart,
                       .resume = part == SETUP ? BODY : part,
                       .grad_mode = grad_mode,
                       .stop_before = -1,
                       .evaluate = data_dependent_evaluate};
    region->stream = r->stream;
    region_enter(r, region, &in);
    region_describe(r, region, &in);
    const Artifact *a = region_find(r, &in, compiled);
    if (!*compiled && fault(a->capture->c, FAULT_GU_15)) {
        a = cache_fault_without_hooks(r, a, &in);
    }
    region->in = in;
    if (r->compile->fault != FAULT_NONE) {
        cache_fault_inputs(a->capture->c, a, region);
    }
    if (comes_back) {
        region->in.tensors = tensors_copied(r->arena, in.tensors, in.n);
        region->before = r->last;
        r->last = region;
    }
    if (r->compile->fault != FAULT_NONE && !*compiled) {
        in.tensors = cache_fault_attributes(r, a, &in);
    }
    if (!*compiled && r->compile->fault != FAULT_NONE) {
        r->stream = cache_fault_stream(a, &region->stream);
    }
    Execution exec = {0};
    for (int failed = INT_MAX; !artifact_run(a, r->p, &in, r->arena, &end->outcome, &exec);
         failed = exec.failed_sid) {
        CHECK(exec.failed_sid <
              failed); /* a prefix may run an earlier CHECK that the whole graph scheduled later */
        a = region_compile_prefix(r, &in, exec.failed_sid, exec.code, exec.message,
                                  region_writes(a->graph, exec.failed_sid));
    }
    r->stream = region->stream;
    if (!*compiled && fault(a->capture->c, FAULT_GR_18)) {
        lose_replayed_gradients(a, &end->outcome);
    }
    region->in.stop_before = a->capture->in.stop_before;
    region->version = arena_array(r->arena, int64_t, a->capture->ncounters);
    for (int k = 0; k < a->capture->ncounters; k++) {
        region->version[k] = end->outcome.counter[k]->version;
    }
    region->writes = arena_array(r->arena, int64_t, end->outcome.nstorage);
    for (int k = 0; k < end->outcome.nstorage; k++) {
        region->writes[k] = end->outcome.storage[k]->writes;
    }
    end->artifact = a;
    region->capture = a->capture;
    r->stream.first += a->capture->emit.randoms;
    end->error = a->error != ERR_none ? a->error : a->graph->backward_error;
    end->at = a->error != ERR_none ? a->error_at : AT_BACKWARD;
    end->message = a->error != ERR_none ? a->message : a->graph->backward_message;
    if (end->error == ERR_none &&
        exec.code != ERR_none) { /* a kernel of the backward refused a value that passed the
                                    forward's CHECKs */
        end->error = exec.code;
        end->message = exec.message;
    }
    end->deferred_leaves = moved_leaves_deferred(r, region, a->capture);
    if (end->deferred_leaves < a->capture->nmoved_leaves) {
        end->error = ERR_invalid;
        end->message = LEAF_MOVED;
    }
    end->unsettled = a->unsettled >= 0 ? end->outcome.storage[a->unsettled] : NULL;
    region_leave(r, region, end);
}

void region_run(RuntimeSession *r, int part, bool grad_mode, bool comes_back, bool *compiled,
                RegionResult *end) {
    region_run_part(r, part, false, grad_mode, comes_back, compiled, end);
}

void region_run_gradient(RuntimeSession *r, int sid, RegionResult *end) {
    bool compiled;
    region_run_part(r, sid, true, true, true, &compiled, end);
    end->at = end->at == AT_BACKWARD ? sid : end->at;
}
