/* Errors of the engine whose moment depends on the tapes of several regions.
 *
 * A leaf that has a grad_fn by the time a backward reaches its AccumulateGrad ("moved into the
 * graph interior"): AccumulateGrad raises, but only when all edges into it have delivered. If the
 * tape of an earlier region leads to the same leaf, the error is deferred to the backward of that
 * region.
 *
 * A grad_fn without a derivative (NotImplemented) that an argument came with: the engine runs it as
 * soon as all edges into it have delivered, before nodes that are ready since earlier. If only one
 * region leads to it, that is in the backward of that region. */
#include "compiled/runtime/runtime.h"

/* A search in the tapes of a region and of those before it: for the accumulator of a leaf, or for a
 * node. */
typedef struct HistorySearch {
    RuntimeSession *r;
    Region *region;
    const LiveTensor *leaf;   /* or NULL */
    const RegionEdge *target; /* or NULL */
    unsigned char *met;       /* by number of the tape node */
} HistorySearch;

static const GradNode *tape_node(const Region *region, int64_t number) {
    const GradNode *node = region ? region->capture->tape : NULL;
    while (node && node->number != number) {
        node = node->older;
    }
    return node;
}

static bool node_reaches(const HistorySearch *s, const GradNode *node);

/* Does tape node `number` of the region lead to what is searched for? */
static bool region_reaches(const HistorySearch *wanted, Region *region, int64_t number) {
    const GradNode *node = tape_node(region, number);
    if (!node) {
        return false;
    }
    HistorySearch s = *wanted;
    s.region = region;
    s.met = arena_alloc(s.r->arena, region->capture->sequence_nr);
    return node_reaches(&s, node);
}

static bool node_is_found(const HistorySearch *s, const GradNode *node) {
    const Capture *cap = s->region->capture;
    if (s->target) {
        return s->region == s->target->region && node->number == s->target->number;
    }
    for (int i = 0; i < cap->nlive; i++) {
        if (node == cap->live[i]->accumulator && s->region->live[i] == s->leaf) {
            return true;
        }
    }
    return false;
}

static bool node_reaches(const HistorySearch *s, const GradNode *node) {
    const Capture *cap = s->region->capture;
    if (s->met[node->number]) {
        return false;
    }
    s->met[node->number] = 1;
    if (node_is_found(s, node)) {
        return true;
    }
    for (int i = 0; i < cap->in.n; i++) {
        const RegionEdge *from = &s->region->external[i];
        if (node == cap->external[i] && region_reaches(s, from->region, from->number)) {
            return true;
        }
    }
    for (int i = 0; i < node->nslot; i++) {
        if (node->next_edges[i].node && node_reaches(s, node->next_edges[i].node)) {
            return true;
        }
    }
    return false;
}

/* ---- moved leaves ---- */

static bool region_reaches_leaf(RuntimeSession *r, Region *region, int64_t number,
                                const LiveTensor *leaf) {
    return region_reaches(&(HistorySearch){.r = r, .leaf = leaf}, region, number);
}

bool leaf_awaits_roots(RuntimeSession *r, const Region *region, const LiveTensor *leaf) {
    for (Region *before = region->before; before; before = before->before) {
        for (int i = 0; i < before->nroot; i++) {
            if (region_reaches_leaf(r, before, before->root[i].number, leaf)) {
                return true;
            }
        }
    }
    return false;
}

/* Do both lead to one node of autograd? Some ops have a tape node for each result. */
static bool lead_to_one_node(const RegionEdge *a, const RegionEdge *b) {
    const GradNode *node = a->region == b->region ? tape_node(a->region, a->number) : NULL;
    const GradNode *half = node;
    do {
        if (half && half->number == b->number) {
            return true;
        }
        half = half ? half->other_half : NULL;
    } while (half && half != node);
    return false;
}

int first_of_node(const Region *region, int i) {
    for (int k = 0; k < i; k++) {
        if (lead_to_one_node(&region->external[i], &region->external[k])) {
            return k;
        }
    }
    return i;
}

uint64_t leaf_reached_by(RuntimeSession *r, const Region *region, int n, const LiveTensor *leaf) {
    uint64_t reached = 0;
    for (int j = 0; j < n && j < REACHED_BY_MOST; j++) {
        const RegionEdge *from = &region->external[j];
        bool leads = region_reaches_leaf(r, from->region, from->number, leaf);
        reached |= (uint64_t)leads << j;
    }
    return reached;
}

/* Does an external grad_fn that the region's walk reached, or a root that an earlier region has
 * received, lead to the leaf? */
static bool leaf_awaits_earlier_region(RuntimeSession *r, Region *region, const Capture *cap,
                                       const LiveTensor *leaf) {
    for (int i = 0; i < cap->in.n; i++) {
        const RegionEdge *from = &region->external[i];
        if (cap->external[i] && cap->external[i]->visit == cap->visits &&
            region_reaches_leaf(r, from->region, from->number, leaf)) {
            return true;
        }
    }
    return leaf_awaits_roots(r, region, leaf);
}

int moved_leaves_deferred(RuntimeSession *r, Region *region, const Capture *cap) {
    int k = 0;
    while (k < cap->nmoved_leaves &&
           leaf_awaits_earlier_region(r, region, cap, region->live[cap->moved_leaves[k]])) {
        k++;
    }
    return k;
}

/* ---- grad_fns without a derivative ---- */

const OpInfo *refusing_op(RuntimeSession *r, const Region *entered, const RegionEdge *grad_fn,
                          bool *at_once) {
    const GradNode *node =
        since(no_derivative_first) ? tape_node(grad_fn->region, grad_fn->number) : NULL;
    *at_once = false;
    if (!node || node->kind != GRAD_NODE_OP || node->sequence_nr != INT64_MAX) {
        return NULL;
    }
    const HistorySearch search = {.r = r, .target = grad_fn};
    *at_once = true;
    for (int i = 0; i < entered->nlive; i++) {
        const RegionEdge *other = &entered->live[i]->grad_fn;
        bool same = other->region == grad_fn->region && other->number == grad_fn->number;
        if (!same && region_reaches(&search, other->region, other->number)) {
            *at_once = false;
        }
    }
    return (node->call ? node->call : node->node->call)->op;
}
