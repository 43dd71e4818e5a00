/* A leaf that has a grad_fn by the time a backward reaches its AccumulateGrad ("moved into the
 * graph interior"). The accumulator raises, but only when all that leads to it has delivered: if
 * the tape of an earlier region leads to the same leaf, its error waits for the backward of that
 * region. */
#include "compiled/runtime/runtime.h"

typedef struct Search {
    RuntimeSession *r;
    Region *region;
    const LiveTensor *leaf;
    unsigned char *met; /* by number of the tape node */
} Search;

static bool leads_there(const Search *s, const GradNode *node);

/* Does tape node `number` of the region lead to the leaf? */
static bool region_leads(RuntimeSession *r, Region *region, int64_t number,
                         const LiveTensor *leaf) {
    if (!region) {
        return false;
    }
    const GradNode *node = region->capture->tape;
    while (node && node->number != number) {
        node = node->older;
    }
    Search s = {r, region, leaf, arena_alloc(r->arena, region->capture->sequence_nr)};
    return node && leads_there(&s, node);
}

static bool leads_there(const Search *s, const GradNode *node) {
    const Capture *cap = s->region->capture;
    if (s->met[node->number]) {
        return false;
    }
    s->met[node->number] = 1;
    for (int i = 0; i < cap->nobject; i++) {
        if (node == cap->object[i]->accumulator && s->region->object[i] == s->leaf) {
            return true;
        }
    }
    for (int i = 0; i < cap->in.n; i++) {
        const Origin *from = &s->region->from[i];
        if (node == cap->outer[i] && region_leads(s->r, from->region, from->number, s->leaf)) {
            return true;
        }
    }
    for (int i = 0; i < node->nslot; i++) {
        if (node->next[i].to && leads_there(s, node->next[i].to)) {
            return true;
        }
    }
    return false;
}

/* Does what the region's walk came to, or what waits in a region before it, lead to the leaf? */
static bool waits_outside(RuntimeSession *r, Region *region, const Capture *cap,
                          const LiveTensor *leaf) {
    for (int i = 0; i < cap->in.n; i++) {
        const Origin *from = &region->from[i];
        if (cap->outer[i] && cap->outer[i]->walk == cap->walks &&
            region_leads(r, from->region, from->number, leaf)) {
            return true;
        }
    }
    for (Region *before = region->before; before; before = before->before) {
        for (int i = 0; i < before->nroot; i++) {
            if (region_leads(r, before, before->root[i].number, leaf)) {
                return true;
            }
        }
    }
    return false;
}

int backward_passes(RuntimeSession *r, Region *region, const Capture *cap) {
    int k = 0;
    while (k < cap->nmoved && waits_outside(r, region, cap, region->object[cap->moved[k]])) {
        k++;
    }
    return k;
}
