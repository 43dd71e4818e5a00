/* The cross-region backward: gradients continue through the grad_fn that the function's arguments
 * came with.
 *
 * Every such grad_fn is a node on the tape of a region that ran before: the setup, an earlier call
 * on the same tensors, or what precedes a graph_break. Edges lead from a later region to an earlier
 * one, so one pass from the last region to the first is enough. A region that was reached is
 * captured again from what it was called with (the same capture, so the same tape), the tensors
 * that outlived it take their current flags and versions, the joint pass walks its tape from the
 * edges that were reached, and the result is compiled and run. What is saved between a forward and
 * its backward is the region's inputs; everything else is recomputed.
 *
 * Several regions may send gradients to one leaf, or to one external grad_fn. What has arrived so
 * far is added first in the next region's walk, so that sums are in the order of one engine that
 * walks one tape. The error of a leaf that has been moved into the graph interior is deferred in
 * the same way (history_errors.c). */
#include "compiled/runtime/runtime.h"
#include "program/lang/uses.h"
#include "program/ops/missing.h"
#include "tensor/array.h"

/* ---- what has arrived ---- */

static void cross_region_receive(RuntimeSession *r, Region *region, ResumedRoot root) {
    region->root = array_reserve(r->arena, region->root, region->nroot, &region->capacity, 4,
                                 sizeof *region->root);
    region->root[region->nroot++] = root;
}

/* Hands on the gradients that a run of a region's backward computed: to live tensors, or to the
 * region of an external grad_fn. */
static void cross_region_distribute(RuntimeSession *r, const Region *region, const Graph *g,
                                    Tensor *const *grad) {
    int nobject = region->nlive;
    for (int i = 0; i < nobject; i++) {
        if (g->inp[i].grad_state == GRAD_VALUE) {
            region->live[i]->grad = grad[i];
        }
    }
    for (int i = nobject; i < g->ninp; i++) {
        const RegionEdge *to = &region->external[i - nobject];
        if (g->inp[i].grad_state != GRAD_ABSENT && to->region) {
            cross_region_receive(
                r, to->region,
                (ResumedRoot){ROOT_TAPE, to->number, to->nr, grad[i], g->inp[i].passed});
        }
    }
}

/* Moves the roots that an earlier region has received at `origin` to this walk, which delivers
 * their sum there. */
static void cross_region_take_back(const RegionEdge *origin, int entry, ResumedRoot *root, int *n) {
    Region *region = origin->region;
    int kept = 0;
    for (int i = 0; region && i < region->nroot; i++) {
        const ResumedRoot *waiting = &region->root[i];
        if (waiting->number == origin->number && waiting->nr == origin->nr) {
            root[(*n)++] = (ResumedRoot){ROOT_EXTERNAL, entry, 0, waiting->grad, waiting->passed};
        } else {
            region->root[kept++] = *waiting;
        }
    }
    if (region) {
        region->nroot = kept;
    }
}

/* ---- one region ---- */

typedef struct ResumedCapture {
    RuntimeSession *r;
    Region *region;
    ResumedBackward *resumed;
    GradNode **grad_fn; /* by live tensor: its grad_fn before the backward */
    bool other_code;    /* the region ran code for other sizes: a guard did not see them */
} ResumedCapture;

static bool is_product(const GradNode *node) {
    OpId op = node->kind == GRAD_NODE_OP && node->node ? node->node->op : OP_NONE;
    return op == OP_mm || op == OP_bmm || op == OP_mv || op == OP_dot;
}

/* Seeded fault RG_12: an operand of a product that a resumed backward reads as a saved value has
 * size, strides and dtype, but no flag. */
static bool loses_flag(const Capture *cap, const Var *v) {
    if (!fault(cap->c, FAULT_RG_12) || v->entry < 0 || v->grad_fn.node || !v->requires_grad) {
        return false;
    }
    for (const GradNode *node = cap->tape; node; node = node->older) {
        for (int i = 0; i < node->nsaved && is_product(node); i++) {
            if (node->saved[i].operand == v) {
                return fault_triggered(cap->c, FAULT_RG_12);
            }
        }
    }
    return false;
}

/* Seeded fault ER_10a: where the backward has saved nothing but slices of an argument, these are
 * raw memory after the call, and the versions that the caller's writes have made since are not
 * looked at. */
static bool caller_write_unseen(const Capture *cap, const Var *v) {
    bool sliced = false;
    if (!fault(cap->c, FAULT_ER_10a) || v->entry < 0 || v->base || cap_requires_grad(v)) {
        return false;
    }
    for (const GradNode *node = cap->tape; node; node = node->older) {
        for (int i = 0; i < node->nsaved; i++) {
            const Var *operand = node->saved[i].operand;
            if (node->saved[i].storage == v->tensor.storage) {
                if (!operand || operand->base != v ||
                    tensor_numel(&operand->tensor) == tensor_numel(&v->tensor)) {
                    return false;
                }
                sliced = true;
            }
        }
    }
    return sliced;
}

/* What later regions have registered on tensors with a history of this one. */
static void add_late_hooks(const Region *region, Capture *cap) {
    for (const LateHook *late = region->late_hooks; late; late = late->next) {
        GradNode *node = cap->tape;
        while (node && node->number != late->number) {
            node = node->older;
        }
        if (node) {
            capture_add_hook(cap, node, late->nr, late->function);
        }
    }
}

/* Between capture and passes: brings flags and versions of the tensors up to date, and adds the
 * roots. */
static void cross_region_update_capture(void *user, Capture *cap) {
    ResumedCapture *back = user;
    Region *region = back->region;
    if (cap->nlive != region->nlive) {
        back->other_code = true;
        return;
    }
    int most = region->nroot + cap->nlive, n = 0;
    for (int i = 0; i < cap->in.n; i++) {
        most += region->external[i].region ? region->external[i].region->nroot : 0;
    }
    ResumedRoot *root = arena_array(cap->arena, ResumedRoot, most);
    for (GradNode *node = cap->tape; node; node = node->older) {
        int released = node->number < region->tape_size ? region->released[node->number] : 0;
        node->freed |= (released & RELEASED) != 0;
        node->other_half_freed = released & RELEASED_HALF ? -1 : node->other_half_freed;
    }
    add_late_hooks(region, cap);
    bool *waits = arena_array(cap->arena, bool, cap->in.n);
    for (int i = 0; i < cap->in.n && back->r->hooks; i++) {
        waits[i] = leaf_awaits_roots(back->r, region, region->live[i]);
    }
    back->resumed->waits = waits;
    for (int i = 0; i < cap->nlive; i++) {
        LiveTensor *o = region->live[i];
        Var *v = cap->live[i];
        Storage *counter = storage_counter(v->tensor.storage);
        int number = capture_counter(cap, counter);
        int64_t start = number >= 0 ? region->version[number] : 0;
        int64_t version = *storage_version(o->tensor.storage) - start;
        if (version == counter->version || cap->c->options->fault == FAULT_NONE ||
            !caller_write_unseen(cap, v) || !fault_triggered(cap->c, FAULT_ER_10a)) {
            counter->version = version;
            AliasClass *memory = memory_of(&v->tensor);
            memory->storage.writes = storage_whole(o->tensor.storage)->writes -
                                     (memory->input >= 0 ? region->writes[memory->input] : 0);
        }
        v->attr_version = o->record.attr_version - start;
        v->requires_grad = o->record.requires_grad && !loses_flag(cap, v);
        v->program_grad = NULL; /* o->grad holds it, or held it */
        if (!live_has_grad_fn(o)) {
            v->grad_fn = (Edge){NULL, 0};
        } else if (!v->grad_fn.node) {
            v->grad_fn = (Edge){cap_node_new(cap, GRAD_NODE_EXTERNAL, 0, 1), 0};
        }
        back->grad_fn[i] = v->grad_fn.node;
        capture_set_hooks(cap, v, &o->record);
        if (v->accumulator && o->grad && !o->hooks_ran) {
            root[n++] = (ResumedRoot){ROOT_ACCUMULATE_GRAD, i, 0, o->grad, PASSED_NOT};
            o->grad = NULL;
        }
        if (i < cap->in.n && cap->external[i]) {
            cross_region_take_back(&region->external[i], i, root, &n);
        }
    }
    for (int i = 0; i < region->nroot; i++) {
        root[n++] = region->root[i];
    }
    region->nroot = 0;
    back->resumed->root = root;
    back->resumed->nroot = n;
    for (const Region *before = region->before; before; before = before->before) {
        back->resumed->earlier_roots |= before->nroot > 0;
    }
}

static ErrCode cross_region_resume(RuntimeSession *r, Region *region, bool retain_graph,
                                   Error *err) {
    ResumedBackward resumed = {0};
    CaptureInput in = region->in;
    r->stream = region->stream;
    in.resumed = &resumed;
    ResumedCapture back = {
        .r = r,
        .region = region,
        .resumed = &resumed,
        .grad_fn = arena_array(r->arena, GradNode *, region->nlive),
    };
    Artifact *a = region_compile(r, &in, cross_region_update_capture, &back);
    if (back.other_code) {
        return error_set(err, ERR_internal,
                         "the region before ran code for other sizes: %d tensors, not %d",
                         region->nlive, a->capture->nlive);
    }
    if (a->capture->emit.randoms > region->capture->emit.randoms) { /* hooks; their numbers follow
                                                                       those drawn since */
        return error_set(err, ERR_unsupported,
                         "random ops in the backward of an earlier part of the function");
    }
    for (int i = 0; i < region->nlive; i++) {
        region->live[i]->regenerated |= a->capture->live[i]->grad_fn.node != back.grad_fn[i];
    }
    for (int i = 0; i < region->nlive; i++) {
        region->live[i]->hooks_ran |= a->capture->live[i]->hooks_ran;
    }
    int deferred = moved_leaves_deferred(r, region, a->capture);
    if (!retain_graph) {
        region_release(region, a->capture, deferred);
    }
    if (deferred < a->capture->nmoved_leaves) {
        return error_set(err, ERR_invalid, LEAF_MOVED);
    }
    if (a->graph->backward_error != ERR_none) {
        r->refused_late |= says_derivative_missing(a->graph->backward_message);
        return error_set(err, a->graph->backward_error, "%s", a->graph->backward_message);
    }
    ArtifactResult out;
    Execution exec = {0};
    if (!artifact_run(a, r->p, &in, r->arena, &out, &exec) || exec.code != ERR_none) {
        return error_set(err, ERR_internal, "%s", exec.message);
    }
    for (int i = 0; i < region->nlive; i++) {
        ErrCode code = region->live[i]->grad_written;
        if (code != ERR_none && a->graph->inp[i].grad_state == GRAD_VALUE) {
            return error_set(err, code, "the .grad of a leaf is no memory of its own");
        }
        if (region->live[i]->grad && a->graph->inp[i].grad_state == GRAD_VALUE) { /* after set_ */
            return error_set(err, ERR_unsupported, "a leaf with two AccumulateGrad nodes");
        }
    }
    cross_region_distribute(r, region, a->graph, out.grad);
    return ERR_none;
}

typedef struct NameSearch {
    NameId name;
    bool found;
} NameSearch;

static void argument_search_name(void *user, NameId *name, Use use) {
    NameSearch *search = user;
    search->found |= use != USE_BIND && *name == search->name;
}

static void argument_search_block(const Block *block, NameSearch *search) {
    for (Stmt *s = block->first; s && !search->found; s = s->next) {
        stmt_uses(s, argument_search_name, search);
        argument_search_block(&s->body, search);
        argument_search_block(&s->orelse, search);
    }
}

/* Does no statement of the function name the argument that is entry `i`, and no return? */
static bool argument_is_unused(const Capture *cap, int i) {
    const CaptureInput *in = &cap->in;
    const Program *p = cap->program;
    bool named = false;
    for (int k = 0; k < in->nname; k++) {
        NameSearch search = {in->name[k], false};
        if (in->named[k] != i) {
            continue;
        }
        named = true;
        argument_search_block(&p->body, &search);
        for (int j = 0; j < p->nreturns; j++) {
            search.found |= p->returns[j] == search.name;
        }
        if (search.found) {
            return false;
        }
    }
    return named;
}

/* Seeded fault GR_11: an argument that the function does not use has no gradient, and the node that
 * made it does not expect that. */
static void accumulate_null(const RegionResult *end, Error *err) {
    const Region *region = end->region;
    const Artifact *a = end->artifact;
    for (int i = 0; i < a->graph->ninp - region->nlive; i++) {
        if (a->graph->inp[region->nlive + i].grad_state == GRAD_ABSENT &&
            region->external[i].region && fault(a->capture->c, FAULT_GR_11) &&
            argument_is_unused(a->capture, i) && fault_triggered(a->capture->c, FAULT_GR_11)) {
            error_set(err, ERR_internal, "the gradient of an unused argument is null");
            return;
        }
    }
}

ErrCode cross_region_backward_run(RuntimeSession *r, const RegionResult *end, bool retain_graph,
                                  Error *err) {
    RandomStream now = r->stream;
    cross_region_distribute(r, end->region, end->artifact->graph, end->outcome.grad);
    for (Region *region = r->last; region; region = region->before) {
        if (err->code == ERR_none && region->nroot > 0) {
            (void)cross_region_resume(r, region, retain_graph, err);
        }
        region->nroot = 0; /* after an error */
    }
    r->stream = now;
    if (r->compile->fault != FAULT_NONE && err->code == ERR_none) {
        accumulate_null(end, err);
    }
    return err->code;
}
