/* The code cache: for every region a few entries, each with its guard.
 *
 * A region keeps at most CODE_CACHE_LIMIT entries, as Dynamo does; one more evicts the least
 * recently used. A look-up is then bounded by the limit, however many calls there were. An evicted
 * entry is never served again. It stays in the list as history: which sizes have varied (Dynamo's
 * frame state outlives its cache entries, too), and why code is compiled again. The list is in
 * order of compilation, newest first, and look-ups keep it: use changes what is evicted, not what
 * serves.
 */
#include "compiled/runtime/cache_faults.h"
#include "compiled/runtime/symbols.h"

#include <string.h>

static bool cache_same_region(const CaptureInput *a, const CaptureInput *b) {
    return a->setup == b->setup && a->resume == b->resume && a->gradient == b->gradient;
}

static bool data_dependent_all_same(const Artifact *a, const CaptureInput *in, Arena *arena) {
    if (!a->data_dependents) {
        return true;
    }
    Storage **storage = arena_array(arena, Storage *, in->n);
    void **input = arena_array(arena, void *, in->n);
    int n;
    storages_of(in->tensors, in->n, storage, &n);
    for (int k = 0; k < n; k++) {
        input[k] = storage[k]->data;
    }
    for (const DataDependent *q = a->data_dependents; q; q = q->next) {
        if (!data_dependent_same(q, input, arena)) {
            return false;
        }
    }
    return true;
}

bool cache_same_key(const Artifact *a, const void *key, int64_t bytes) {
    return a->key_bytes == bytes && memcmp(a->key, key, (size_t)bytes) == 0;
}

Artifact *cache_find(RuntimeSession *r, const CaptureInput *in, const void *key, int64_t bytes) {
    const Compile c = {.options = r->compile, .counters = r->counters};
    r->look_ups++;
    for (Artifact *a = r->cache; a; a = a->next) {
        if (a->evicted_by) {
            continue;
        }
        if (r->compile->fault != FAULT_NONE && cache_fault_serves(&c, r, a, in, key, bytes)) {
            return a;
        }
        if (a->symbols
                ? symbols_serve(r, a, in)
                : cache_same_key(a, key, bytes) && data_dependent_all_same(a, in, r->arena)) {
            if (fault(&c, FAULT_GU_2) && !guard_match(&a->made_for, NULL, in, &(MissReason){0})) {
                (void)fault_triggered(&c, FAULT_GU_2);
            }
            a->used = r->look_ups;
            return a;
        }
    }
    return r->compile->fault != FAULT_NONE ? cache_fault_evicted(&c, r, in, key, bytes) : NULL;
}

/* The assumption of `a` that the call does not meet; MISS_inference: none of the guard's. */
static MissReason cache_refusal(const Artifact *a, const CaptureInput *in) {
    MissReason why;
    bool served = guard_match(&a->made_for, a->symbols, in, &why) &&
                  guards_hold(a->capture->c, a->symbols, &why);
    return served ? MISS_inference : why;
}

/* Would an evicted entry have served the call? */
static bool cache_would_serve(const RuntimeSession *r, const Artifact *a, const CaptureInput *in,
                              const void *key, int64_t bytes) {
    return a->symbols && !a->symbols->first_sample
               ? cache_refusal(a, in) == MISS_inference
               : cache_same_key(a, key, bytes) && data_dependent_all_same(a, in, r->arena);
}

/* Code that was evicted, or else what the newest code of the region assumed. */
MissReason cache_miss(RuntimeSession *r, const CaptureInput *in, const void *key, int64_t bytes) {
    MissReason why = MISS_COUNT;
    for (const Artifact *a = r->cache; a; a = a->next) {
        if (!cache_same_region(&a->made_for, in)) {
            continue;
        }
        if (a->evicted_by && cache_would_serve(r, a, in, key, bytes)) {
            return MISS_evicted;
        }
        why = why == MISS_COUNT && !a->evicted_by ? cache_refusal(a, in) : why;
    }
    return why;
}

void cache_insert(RuntimeSession *r, Artifact *a) {
    int limit = r->compile->cache_limit > 0 ? r->compile->cache_limit : CODE_CACHE_LIMIT;
    a->used = ++r->look_ups;
    a->next = r->cache;
    r->cache = a;
    Artifact *least = a;
    int n = 0;
    for (Artifact *b = a; b && !r->compile->no_reuse; b = b->next) {
        if (!b->evicted_by && cache_same_region(&b->made_for, &a->made_for)) {
            least = b->used < least->used ? b : least;
            n++;
        }
    }
    if (n > limit) {
        const Compile c = {.options = r->compile, .counters = r->counters};
        least = fault(&c, FAULT_GU_14) ? cache_fault_oldest(&c, least) : least;
        least->evicted_by = a;
        r->counters->evictions++;
    }
}
