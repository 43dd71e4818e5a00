/* A leaf that has a grad_fn by the time a backward reaches its AccumulateGrad ("moved into the
 * graph interior"). AccumulateGrad raises, but only when all edges into it have delivered: if the
 * tape of an earlier region leads to the same leaf, the error is deferred to the backward of that
 * region. */
#include "compiled/runtime/runtime.h"

typedef struct LeafSearch {
    RuntimeSession *r;
    Region *region;
    const LiveTensor *leaf;
    unsigned char *met; /* by number of the tape node */
} LeafSearch;

static bool node_reaches_leaf(const LeafSearch *s, const GradNode *node);

/* Does tape node `number` of the region lead to the leaf? */
static bool region_reaches_leaf(RuntimeSession *r, Region *region, int64_t number,
                                const LiveTensor *leaf) {
    if (!region) {
        return false;
    }
    const GradNode *node = region->capture->tape;
    while (node && node->number != number) {
        node = node->older;
    }
    LeafSearch s = {r, region, leaf, arena_alloc(r->arena, region->capture->sequence_nr)};
    return node && node_reaches_leaf(&s, node);
}

static bool node_reaches_leaf(const LeafSearch *s, const GradNode *node) {
    const Capture *cap = s->region->capture;
    if (s->met[node->number]) {
        return false;
    }
    s->met[node->number] = 1;
    for (int i = 0; i < cap->nlive; i++) {
        if (node == cap->live[i]->accumulator && s->region->live[i] == s->leaf) {
            return true;
        }
    }
    for (int i = 0; i < cap->in.n; i++) {
        const RegionEdge *from = &s->region->external[i];
        if (node == cap->external[i] &&
            region_reaches_leaf(s->r, from->region, from->number, s->leaf)) {
            return true;
        }
    }
    for (int i = 0; i < node->nslot; i++) {
        if (node->next_edges[i].node && node_reaches_leaf(s, node->next_edges[i].node)) {
            return true;
        }
    }
    return false;
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
    for (Region *before = region->before; before; before = before->before) {
        for (int i = 0; i < before->nroot; i++) {
            if (region_reaches_leaf(r, before, before->root[i].number, leaf)) {
                return true;
            }
        }
    }
    return false;
}

int moved_leaves_deferred(RuntimeSession *r, Region *region, const Capture *cap) {
    int k = 0;
    while (k < cap->nmoved_leaves &&
           leaf_awaits_earlier_region(r, region, cap, region->live[cap->moved_leaves[k]])) {
        k++;
    }
    return k;
}
