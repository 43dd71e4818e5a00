/* The seeded faults of the code cache. Each compares the call's key with one in which it ignores a
 * part: that part is taken from the call that the code was compiled for. Sizes, strides, dtypes and
 * names are always compared, so code that is served by mistake computes wrong values, but inside
 * its memory. */
#include "compiled/runtime/cache_faults.h"

/* Is the call's key that of `a`, once `changed` replaces a part of it? */
static bool same_key_as(const Compile *c, const RuntimeSession *r, const Artifact *a,
                        const CaptureInput *changed) {
    int64_t bytes;
    const void *key = guard_key(c, changed, r->arena, &bytes);
    return cache_same_key(a, key, bytes);
}

static bool reusable(const Artifact *a, const CaptureInput *in) {
    return !a->symbols && !a->data_dependents && a->made_for.n == in->n &&
           a->made_for.setup == in->setup;
}

/* The entries with the requires_grad that `a` was compiled for. */
static const EntryTensor *with_flags_of(const RuntimeSession *r, const Artifact *a,
                                        const CaptureInput *in) {
    EntryTensor *entry = arena_copy(r->arena, in->entry, (int64_t)sizeof *entry * in->n);
    for (int i = 0; i < in->n; i++) {
        entry[i].record.requires_grad = a->made_for.entry[i].record.requires_grad;
    }
    return entry;
}

/* Seeded fault GU_1: the overlap of inputs is guarded only among those that shared a storage when
 * the code was compiled. Each input keeps the size and offset it had in its storage. */
static bool overlap_is_unguarded(const Compile *c, const RuntimeSession *r, const Artifact *a,
                                 const CaptureInput *in) {
    CaptureInput apart = *in;
    Tensor *tensors = arena_copy(r->arena, in->tensors, (int64_t)sizeof *tensors * in->n);
    bool written = false;
    for (int i = 0; i < in->n; i++) {
        if (storage_leader(a->made_for.tensors, i) != i) {
            return false;
        }
        tensors[i].storage = arena_copy(r->arena, tensors[i].storage, (int64_t)sizeof(Storage));
        int leader = storage_leader(in->tensors, i);
        written |= leader != i && (a->graph->written[i] || a->graph->written[leader]);
    }
    apart.tensors = tensors;
    return written && same_key_as(c, r, a, &apart);
}

/* Seeded fault GU_3: flags are compared when code is added, not when it is looked up. */
static bool newer_with_other_flags(const Compile *c, const RuntimeSession *r, const Artifact *a,
                                   const CaptureInput *in, const void *key, int64_t bytes) {
    const Artifact *exact = a->next;
    while (exact && (exact->evicted_by || exact->symbols || !cache_same_key(exact, key, bytes))) {
        exact = exact->next;
    }
    CaptureInput flags = *in;
    flags.entry = with_flags_of(r, a, in);
    return exact && !cache_same_key(a, key, bytes) && same_key_as(c, r, a, &flags);
}

/* Seeded fault GU_6: the part of the body that a region is does not count. Only for the last part,
 * which ends the call. */
static bool other_part_of_body(const Compile *c, const RuntimeSession *r, const Artifact *a,
                               const CaptureInput *in) {
    CaptureInput part = *in;
    part.resume = a->made_for.resume;
    return in->resume >= 0 && part.resume > in->resume && a->capture->end == END_OK &&
           a->error == ERR_none && same_key_as(c, r, a, &part);
}

/* Was entry `i` mutated by an earlier call, so that it has a history now? */
static bool acquired_history(const RuntimeSession *r, const CaptureInput *in, int i) {
    for (int k = 0; k < r->ninputs; k++) {
        const LiveTensor *o = r->input[k];
        if (o->entry == i && !o->base && in->entry[i].has_grad_fn && o->grad_fn.region &&
            !o->grad_fn.region->in.setup) {
            return true;
        }
    }
    return false;
}

/* Seeded fault GU_7: such inputs are looked up as they were before. */
static bool history_is_forgotten(const Compile *c, const RuntimeSession *r, const Artifact *a,
                                 const CaptureInput *in) {
    CaptureInput before = *in;
    EntryTensor *entry = arena_copy(r->arena, in->entry, (int64_t)sizeof *entry * in->n);
    bool any = false;
    for (int i = 0; i < in->n; i++) {
        if (in->resume < 0 && !a->made_for.entry[i].has_grad_fn && acquired_history(r, in, i)) {
            entry[i].has_grad_fn = false;
            entry[i].record.topological_nr = 0;
            entry[i].record.grad_fn_meta = NULL;
            any = true;
        }
    }
    before.entry = entry;
    return any && same_key_as(c, r, a, &before);
}

/* Seeded fault GU_8: the grad mode does not count. */
static bool other_grad_mode(const Compile *c, const RuntimeSession *r, const Artifact *a,
                            const CaptureInput *in) {
    CaptureInput mode = *in;
    mode.grad_mode = a->made_for.grad_mode;
    return mode.grad_mode != in->grad_mode && same_key_as(c, r, a, &mode);
}

bool cache_fault_serves(const Compile *c, const RuntimeSession *r, const Artifact *a,
                        const CaptureInput *in, const void *key, int64_t bytes) {
    if (!reusable(a, in)) {
        return false;
    }
    return (fault(c, FAULT_GU_1) && overlap_is_unguarded(c, r, a, in) &&
            fault_triggered(c, FAULT_GU_1)) ||
           (fault(c, FAULT_GU_3) && newer_with_other_flags(c, r, a, in, key, bytes) &&
            fault_triggered(c, FAULT_GU_3)) ||
           (fault(c, FAULT_GU_6) && other_part_of_body(c, r, a, in) &&
            fault_triggered(c, FAULT_GU_6)) ||
           (fault(c, FAULT_GU_7) && history_is_forgotten(c, r, a, in) &&
            fault_triggered(c, FAULT_GU_7)) ||
           (fault(c, FAULT_GU_8) && other_grad_mode(c, r, a, in) && fault_triggered(c, FAULT_GU_8));
}

/* Seeded fault GU_12: the guards of an evicted entry lead to the code that took its place. Only if
 * that was compiled for other flags. */
static Artifact *behind_kept_guards(const Compile *c, const RuntimeSession *r, const Artifact *a,
                                    const CaptureInput *in) {
    Artifact *by = a->evicted_by;
    while (by->evicted_by) { /* its place was taken again */
        by = by->evicted_by;
    }
    if (a->symbols || a->data_dependents || !reusable(by, in)) {
        return NULL;
    }
    CaptureInput flags = *in;
    flags.entry = with_flags_of(r, by, in);
    flags.grad_mode = by->made_for.grad_mode;
    return same_key_as(c, r, by, &flags) && fault_triggered(c, FAULT_GU_12) ? by : NULL;
}

/* Seeded fault GU_13: only for indices, which are in range whatever the tensor holds now. */
static bool depends_on_items_only(const Artifact *a) {
    for (const DataDependent *d = a->data_dependents; d; d = d->next) {
        if (d->kind != DATA_ITEM || d->failed_sid >= 0) {
            return false;
        }
    }
    return a->data_dependents && !a->symbols && a->error == ERR_none;
}

Artifact *cache_fault_evicted(const Compile *c, const RuntimeSession *r, const CaptureInput *in,
                              const void *key, int64_t bytes) {
    for (Artifact *a = r->cache; a; a = a->next) {
        if (!a->evicted_by || !cache_same_key(a, key, bytes)) {
            continue;
        }
        Artifact *by = fault(c, FAULT_GU_12) ? behind_kept_guards(c, r, a, in) : NULL;
        if (!by && fault(c, FAULT_GU_13) && depends_on_items_only(a) &&
            fault_triggered(c, FAULT_GU_13)) {
            by = a;
        }
        if (by) {
            return by;
        }
    }
    return NULL;
}

Artifact *cache_fault_oldest(const Compile *c, Artifact *least) {
    Artifact *oldest = least;
    for (Artifact *a = least->next; a; a = a->next) {
        if (!a->evicted_by && a->made_for.setup == least->made_for.setup &&
            a->made_for.resume == least->made_for.resume) {
            oldest = a;
        }
    }
    if (oldest != least) {
        (void)fault_triggered(c, FAULT_GU_14);
    }
    return oldest;
}

void cache_fault_inputs(const Compile *c, const Artifact *a, Region *region) {
    if (!fault(c, FAULT_GU_3) && !fault(c, FAULT_GU_6) && !fault(c, FAULT_GU_7) &&
        !fault(c, FAULT_GU_8) && !fault(c, FAULT_GU_12)) {
        return;
    }
    region->in.resume = a->capture->in.resume;
    region->in.grad_mode = a->capture->in.grad_mode;
    region->in.entry = a->capture->in.entry;
    for (int i = 0; i < region->in.n; i++) {
        if (!region->in.entry[i].has_grad_fn) {
            region->external[i] = (RegionEdge){NULL, 0, 0};
        }
    }
}

/* ---- what code that is served computes with ---- */

/* Is the name an attribute in the Python that the program stands for? */
static bool is_attribute(const Program *p, NameId name) {
    for (int i = 0; p->surface && i < p->surface->nbindings; i++) {
        if (p->surface->bindings[i].name == name) {
            return p->surface->bindings[i].binding == BINDING_attr;
        }
    }
    return false;
}

const Tensor *cache_fault_attributes(const RuntimeSession *r, const Artifact *a,
                                     const CaptureInput *in) {
    const Compile c = {.options = r->compile, .counters = r->counters};
    Tensor *tensors = arena_copy(r->arena, in->tensors, (int64_t)sizeof *tensors * in->n);
    bool changed = false;
    for (int k = 0; k < in->nname && !a->symbols && fault(&c, FAULT_MU_15); k++) {
        int named = in->named[k];
        for (int i = 0; is_attribute(r->p, in->name[k]) && i < in->n; i++) {
            Storage *own = a->made_for.tensors[i].storage;
            if (in->tensors[i].storage == in->tensors[named].storage &&
                own != in->tensors[i].storage) {
                tensors[i].storage = own;
                changed = true;
            }
        }
    }
    return changed && fault_triggered(&c, FAULT_MU_15) ? tensors : in->tensors;
}

const Artifact *cache_fault_without_hooks(RuntimeSession *r, const Artifact *a, CaptureInput *in) {
    if (!capture_fault_has_hooks(a->capture) || !fault_triggered(a->capture->c, FAULT_GU_15)) {
        return a;
    }
    in->drops_hooks = true;
    return region_compile(r, in, NULL, NULL);
}

static bool draws_numbers(const Artifact *a) {
    for (int i = 0; i < a->graph->n; i++) {
        const Node *n = a->graph->node[i];
        if (n->kind == NODE_OP && n->call->op->random) {
            return true;
        }
    }
    return false;
}

RandomStream cache_fault_stream(const Artifact *a, const RandomStream *now) {
    bool other = a->stream.seed != now->seed || a->stream.first != now->first;
    return other && draws_numbers(a) && fault(a->capture->c, FAULT_GU_30) &&
                   fault_triggered(a->capture->c, FAULT_GU_30)
               ? a->stream
               : *now;
}
