/* Groups of nodes that become one loop nest.
 *
 * Every node starts as a unit of its own. In graph order, a member node tries to merge its unit with those of its operands. Merging
 * is legal if
 *   - both have one iteration space (and reduce the same dims of it, where both reduce);
 *   - every read across the two is a register: it addresses, trip by trip, what the other member writes, and that is no sink;
 *   - no third unit lies on a path between them (it would have to run in the middle of the nest);
 *   - no indirect write joins a gather of the buffer it writes over, unless the indices are proven unique: done in place, a later
 *     trip would read what an earlier one has written.
 * When a segment is complete, nests of one space that read a buffer in common, and of which none depends on the other, merge as well
 * (horizontal fusion), by the same conditions: the buffer is then read once.
 *
 * A node that computes another one of its nest again (pass_partition.c) is that node: it leaves the nest.
 *
 * Then units are put in order again, CHECKs first: nodes of a group stand together, VIEWs before their first use.
 *
 * The graph is cut into segments of 64 units, so that "depends on, directly or not" is one word; groups do not cross a cut.
 *
 * Needs SSA; sets `group`, may reorder; keeps CHECKs in their order. */
#include "compiled/lower.h"

#include <string.h>

enum { SEGMENT = 64, MAX_WEIGHT = 64 };

typedef struct Unit {
    Member *first, *last; /* members of a nest, by `after`; NULL: a node that is no member */
    Node *node;           /* of a unit that is no nest */
    uint64_t above;       /* units it depends on, directly or not */
    int count, weight, reductions;
    unsigned reduced;
    bool gone; /* merged into another */
} Unit;

typedef struct Fuser {
    Compile *c;
    Graph *g;
    int *unit_of;       /* by node id: unit of this segment, or -1 */
    Member **member_of; /* by node id */
    Member **after;     /* by node id: the next member of the unit */
    Unit unit[SEGMENT];
    int nunit;
    int last_check; /* unit of the segment's last CHECK, or -1 */
    uint64_t emitted;
    Node **out;
    int nout, ngroup;
    bool recomputed; /* some node is another one again */
    bool *escapes;   /* by node id: of those, the ones read outside of their unit */
    int ngone;       /* of those, the ones that left */
    bool changed;
} Fuser;

static uint64_t bit(int u) { return (uint64_t)1 << u; }

/* ---- legality ---- */

static bool same_space(const Member *a, const Member *b) { return sizes_equal(a->size, a->ndim, b->size, b->ndim); }

/* Are all reads of `from`'s values by `reader` registers? */
static bool reads_registers(const Fuser *f, const Member *reader, int from) {
    for (int r = 0; r < reader->nread; r++) {
        const Read *read = &reader->read[r];
        const Node *b = node_buffer(reader->node->in[read->slot]);
        if (f->unit_of[b->id] != from) {
            continue;
        }
        const Member *writer = f->member_of[b->id];
        if (!writer || writer->sink || !read_follows_write(reader, read, writer)) {
            return false;
        }
    }
    return true;
}

static bool all_read_registers(const Fuser *f, int reader, int from) {
    for (const Member *m = f->unit[reader].first; m; m = f->after[m->node->id]) {
        if (!reads_registers(f, m, from)) {
            return false;
        }
    }
    return true;
}

static bool third_between(const Fuser *f, int a, int b) {
    for (uint64_t rest = f->unit[a].above & ~bit(b); rest; rest &= rest - 1) {
        int w = __builtin_ctzll(rest);
        if (!f->unit[w].gone && f->unit[w].above & bit(b)) {
            return true;
        }
    }
    return false;
}

/* Do no two points of the space meet at one element through the member's index terms? Proven for arange(n) along one dim, and for
 * a single index. */
static bool indices_unique(const Member *m) {
    if (m->nterm != 1) {
        return false;
    }
    const Read *index = &m->read[m->term[0].read];
    const Node *n = m->node->in[index->slot];
    bool counted =
        node_buffer((Node *)n)->kind == NODE_OP && node_buffer((Node *)n)->op == OP_arange && !dtype_is_float(n->t.dtype);
    const int64_t *straight = m->nread > 0 && !m->sink ? m->read[m->nread - 1].stride : m->out_stride;
    int walked = 0;
    for (int d = 0; d < m->ndim; d++) {
        if (index->stride[d] != 0) {
            walked++;
        } else if (straight[d] == 0) {
            return false; /* every point of this dim goes to one element */
        }
    }
    return walked == 0 || (walked == 1 && counted);
}

/* The gather and the scatter go to the same elements, trip by trip. */
static bool same_elements(const Member *gather, const Member *scatter) {
    const Read *self = &gather->read[gather->nread - 1];
    if (gather->nterm != scatter->nterm || self->offset != scatter->out_offset ||
        !sizes_equal(self->stride, gather->ndim, scatter->out_stride, scatter->ndim)) {
        return false;
    }
    for (int k = 0; k < gather->nterm; k++) {
        const Read *a = &gather->read[gather->term[k].read], *b = &scatter->read[scatter->term[k].read];
        if (node_buffer(gather->node->in[a->slot]) != node_buffer(scatter->node->in[b->slot]) || a->offset != b->offset ||
            !sizes_equal(a->stride, gather->ndim, b->stride, scatter->ndim) || gather->term[k].stride != scatter->term[k].stride) {
            return false;
        }
    }
    return true;
}

static bool writes_over(const Member *m) { return m->sink && m->cls != LOWER_REDUCE && m->cls != LOWER_ADD_REGION; }

/* May the writer share a nest with `m`, which reads the writer's base? */
static bool base_read_allowed(const Compile *c, const Member *m, const Read *read, const Member *writer) {
    if (read->kind == READ_INDIRECT && writer->nterm > 0) {
        return fault(c, FAULT_IX_1) || (same_elements(m, writer) && indices_unique(writer) && indices_unique(m));
    }
    /* else it could not be done in place: better apart */
    return read->kind == READ_AFFINE && writer->nterm == 0 && read_follows_write(m, read, writer);
}

static bool bases_allow(const Fuser *f, int writers, int readers) {
    for (const Member *w = f->unit[writers].first; w; w = f->after[w->node->id]) {
        Scalar splat;
        if (!writes_over(w) || node_splat(w->node->in[0], &splat)) {
            continue;
        }
        const Node *base = node_buffer(w->node->in[0]);
        for (const Member *m = f->unit[readers].first; m; m = f->after[m->node->id]) {
            for (int r = 0; r < m->nread; r++) {
                if (node_buffer(m->node->in[m->read[r].slot]) == base && !base_read_allowed(f->c, m, &m->read[r], w)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static int weight_of(const Member *m) { return 1 + m->nread + m->nterm; }

/* The member of unit u, other than `m` and before it in the graph, that has m's value since one computes the other again; or NULL. */
static Node *computed_already(const Fuser *f, const Member *m, int u) {
    Node *again = m->node->again;
    if (!again || m->node->map) {
        return NULL;
    }
    if (f->unit_of[again->id] == u) {
        return again;
    }
    for (const Member *k = f->unit[u].first; k; k = f->after[k->node->id]) {
        if (k->node->again == again && !k->node->map && k->node->buffer < m->node->buffer) { /* the place in the old order, see pass_fuse */
            return k->node;
        }
    }
    return NULL;
}

/* Nodes of `again` that compute values of `of` again, and what they weigh. */
static int repeats(const Fuser *f, int again, int of, int *weight) {
    int count = 0;
    *weight = 0;
    for (const Member *m = f->unit[again].first; m; m = f->after[m->node->id]) {
        if (computed_already(f, m, of)) {
            count++;
            *weight += weight_of(m);
        }
    }
    return count;
}

static bool has_room(const Fuser *f, int a, int b) {
    const Unit *ua = &f->unit[a], *ub = &f->unit[b];
    int count = ua->count + ub->count, weight = ua->weight + ub->weight, lighter;
    if (f->recomputed && (count > MAX_MEMBERS || weight > MAX_WEIGHT)) {
        count -= repeats(f, a, b, &lighter);
        weight -= lighter;
        count -= repeats(f, b, a, &lighter);
        weight -= lighter;
    }
    return count <= MAX_MEMBERS && weight <= MAX_WEIGHT;
}

static bool may_merge(const Fuser *f, int a, int b) {
    const Unit *ua = &f->unit[a], *ub = &f->unit[b];
    if (!ua->first || !ub->first || !has_room(f, a, b) || ua->reductions + ub->reductions > MAX_REDUCTIONS || !same_space(ua->first, ub->first)) {
        return false;
    }
    if (ua->reductions > 0 && ub->reductions > 0 && ua->reduced != ub->reduced) {
        return false;
    }
    return !third_between(f, a, b) && !third_between(f, b, a) && all_read_registers(f, a, b) && all_read_registers(f, b, a) &&
           bases_allow(f, a, b) && bases_allow(f, b, a);
}

static StepId step_of(const Member *m) {
    return m->cls == LOWER_REDUCE ? STEP_fuse_reduction : m->nterm > 0 || m->sink ? STEP_fuse_scatter : STEP_fuse_pointwise;
}

/* Takes what a unit computes twice out of it: the node stays among the members, for those who ask what its readers' unit is. */
static void drop_repeats(Fuser *f, int u) {
    Unit *unit = &f->unit[u];
    for (Member *m = unit->first; m; m = f->after[m->node->id]) {
        Node *n = m->node, *already = computed_already(f, m, u);
        if (already) {
            n->map = already;
            n->mark = -1;
            f->ngone++;
            unit->count--;
            unit->weight -= weight_of(m);
        }
    }
}

/* `from` into `to`; members stay in any order until they are emitted. */
static void merge(Fuser *f, int to, int from) {
    Unit *a = &f->unit[to], *b = &f->unit[from];
    f->after[a->last->node->id] = b->first;
    a->last = b->last;
    for (Member *m = b->first; m; m = f->after[m->node->id]) {
        f->unit_of[m->node->id] = to;
    }
    a->count += b->count;
    a->weight += b->weight;
    a->reductions += b->reductions;
    a->reduced |= b->reduced;
    a->above = (a->above | b->above) & ~bit(to) & ~bit(from);
    b->gone = true;
    for (int w = 0; w < f->nunit; w++) {
        if (f->unit[w].above & (bit(to) | bit(from))) {
            f->unit[w].above = ((f->unit[w].above & ~bit(from)) | bit(to) | a->above) & ~bit(w);
        }
    }
    f->changed = true;
    if (f->recomputed) {
        drop_repeats(f, to);
    }
}

/* ---- order ---- */

static void put(Fuser *f, Node *n) {
    if (n->mark == 0) {
        n->mark = 1;
        f->out[f->nout++] = n;
    }
}

static void put_with_views(Fuser *f, Node *n) {
    for (int k = 0; k < n->nin; k++) {
        if (n->in[k] && n->in[k]->kind == NODE_VIEW) {
            put(f, n->in[k]);
        }
    }
    put(f, n);
}

static void put_unit(Fuser *f, int u) {
    if (f->emitted & bit(u)) {
        return;
    }
    f->emitted |= bit(u);
    const Unit *unit = &f->unit[u];
    for (uint64_t rest = unit->above & ~f->emitted; rest; rest &= rest - 1) {
        int w = __builtin_ctzll(rest);
        if (!f->unit[w].gone) {
            put_unit(f, w);
        }
    }
    if (unit->count < 2) {
        Node *only = unit->node;
        for (const Member *m = unit->first; m; m = f->after[m->node->id]) {
            only = m->node->map ? only : m->node;
        }
        put_with_views(f, only);
        return;
    }
    int group = f->ngroup++;
    Node *order[MAX_MEMBERS];
    int n = 0;
    for (Member *m = unit->first; m; m = f->after[m->node->id]) {
        if (m->node->map) {
            continue;
        }
        int at = n++;
        while (at > 0 && order[at - 1]->buffer > m->node->buffer) { /* the place in the old order, see pass_fuse */
            order[at] = order[at - 1];
            at--;
        }
        order[at] = m->node;
        m->node->group = group;
    }
    for (int k = 0; k < n; k++) {
        put_with_views(f, order[k]);
    }
}

/* ---- horizontal fusion ---- */

static bool reads_buffer(const Fuser *f, int u, const Node *buffer) {
    for (const Member *m = f->unit[u].first; m; m = f->after[m->node->id]) {
        for (int r = 0; r < m->nread; r++) {
            if (m->read[r].kind == READ_AFFINE && node_buffer(m->node->in[m->read[r].slot]) == buffer) {
                return true;
            }
        }
    }
    return false;
}

/* Do both read a buffer that is not one value everywhere? */
static bool share_a_read(const Fuser *f, int a, int b) {
    for (const Member *m = f->unit[a].first; m; m = f->after[m->node->id]) {
        for (int r = 0; r < m->nread; r++) {
            const Node *buffer = node_buffer(m->node->in[m->read[r].slot]);
            Scalar splat;
            if (m->read[r].kind == READ_AFFINE && !node_splat(buffer, &splat) && reads_buffer(f, b, buffer)) {
                return true;
            }
        }
    }
    return false;
}

static bool independent(const Fuser *f, int a, int b) { return !(f->unit[a].above & bit(b)) && !(f->unit[b].above & bit(a)); }

/* Marks what is computed again and read outside of its unit. */
static void find_escapes(Fuser *f) {
    for (int i = 0; i < f->g->n; i++) {
        const Node *n = f->g->node[i];
        for (int k = 0; k < n->nin && n->kind != NODE_VIEW; k++) {
            const Node *b = n->in[k] ? node_buffer(n->in[k]) : NULL;
            if (b && b->again && f->unit_of[b->id] >= 0 && f->unit_of[n->id] != f->unit_of[b->id]) {
                f->escapes[b->id] = true;
            }
        }
    }
}

/* Would `of`, joined by a unit that computes its values again, have to keep them for others after all? */
static bool would_be_kept(const Fuser *f, int again, int of) {
    for (const Member *m = f->unit[again].first; m; m = f->after[m->node->id]) {
        if (m->node->again && !m->node->map && f->escapes[m->node->id] && f->unit_of[m->node->again->id] == of) {
            return true;
        }
    }
    return false;
}

static void fuse_neighbours(Fuser *f) {
    if (f->recomputed) {
        find_escapes(f);
    }
    for (int a = 0; a < f->nunit; a++) {
        for (int b = a + 1; b < f->nunit && !f->unit[a].gone && f->unit[a].first; b++) {
            if (!f->unit[b].gone && f->unit[b].first && same_space(f->unit[a].first, f->unit[b].first) && independent(f, a, b) &&
                share_a_read(f, a, b) && may_merge(f, a, b) &&
                !(f->recomputed && (would_be_kept(f, a, b) || would_be_kept(f, b, a))) && gate(f->c, STEP_fuse_horizontal)) {
                merge(f, a, b);
                b = a; /* it reads more now: all others again */
            }
        }
    }
}

static void flush(Fuser *f) {
    f->emitted = 0;
    fuse_neighbours(f);
    for (int turn = 0; turn < 2; turn++) {
        for (int u = 0; u < f->nunit; u++) {
            bool check = !f->unit[u].first && f->unit[u].node->kind == NODE_CHECK;
            if (!f->unit[u].gone && (turn == 1 || check)) {
                put_unit(f, u);
            }
        }
    }
    for (int u = 0; u < f->nunit; u++) {
        for (Member *m = f->unit[u].first; m; m = f->after[m->node->id]) {
            f->unit_of[m->node->id] = -1;
        }
        if (!f->unit[u].first) {
            f->unit_of[f->unit[u].node->id] = -1;
        }
    }
    f->nunit = 0;
    f->last_check = -1;
}

/* ---- the pass ---- */

static Member *describe(Fuser *f, Node *n) {
    LowerClass cls = lower_class(n);
    if (cls < LOWER_POINTWISE || cls > LOWER_ADD_REGION || cls == LOWER_SPLAT ||
        (cls == LOWER_VIEW_SCATTER && fault(f->c, FAULT_GR_1))) {
        return NULL;
    }
    Member *m = arena_alloc_raw(f->c->arena, (int64_t)sizeof *m);
    if (!member_describe(f->c, n, f->c->arena, m)) {
        return NULL;
    }
    for (int d = 0; d < m->ndim; d++) {
        if (m->size[d] == 0) {
            return NULL;
        }
    }
    return m;
}

static void add_node(Fuser *f, Node *n) {
    if (f->nunit == SEGMENT) {
        flush(f);
    }
    int u = f->nunit++;
    Unit *unit = &f->unit[u];
    Member *m = describe(f, n);
    *unit = (Unit){.first = m, .last = m, .node = n, .count = 1};
    f->unit_of[n->id] = u;
    f->member_of[n->id] = m;
    f->after[n->id] = NULL;
    if (m) {
        unit->weight = weight_of(m);
        unit->reductions = m->cls == LOWER_REDUCE;
        unit->reduced = m->reduced;
    }
    uint64_t operands = n->kind == NODE_CHECK && f->last_check >= 0 ? bit(f->last_check) : 0;
    for (int k = 0; k < n->nin; k++) {
        int v = n->in[k] ? f->unit_of[node_buffer(n->in[k])->id] : -1;
        operands |= v >= 0 ? bit(v) : 0;
    }
    for (uint64_t rest = operands; rest; rest &= rest - 1) {
        unit->above |= rest & -rest;
        unit->above |= f->unit[__builtin_ctzll(rest)].above;
    }
    f->last_check = n->kind == NODE_CHECK ? u : f->last_check;
    for (uint64_t rest = m ? operands : 0; rest; rest &= rest - 1) {
        int v = __builtin_ctzll(rest), now = f->unit_of[n->id];
        if (v != now && !f->unit[v].gone && may_merge(f, v, now) && gate(f->c, step_of(m))) {
            merge(f, v, now);
        }
    }
}

bool pass_fuse(Compile *c) {
    Graph *g = c->graph;
    Fuser *f = arena_alloc_raw(c->arena, (int64_t)sizeof *f);
    f->c = c;
    f->g = g;
    f->nunit = f->nout = f->ngroup = f->ngone = 0;
    bool again = false;
    f->last_check = -1;
    f->changed = false;
    f->unit_of = arena_alloc_raw(c->arena, (int64_t)sizeof(int) * max_i64(g->next_id, 1));
    memset(f->unit_of, -1, sizeof(int) * (size_t)g->next_id);
    f->member_of = arena_alloc_raw(c->arena, (int64_t)sizeof(Member *) * 2 * max_i64(g->next_id, 1));
    f->after = f->member_of + g->next_id;
    f->out = arena_alloc_raw(c->arena, (int64_t)sizeof(Node *) * max_i64(g->capacity, 1));
    for (int i = 0; i < g->n; i++) {
        Node *n = g->node[i];
        n->mark = 0;
        n->map = NULL;
        again |= n->again != NULL;
        n->buffer = i; /* until the plan: the place in the old order */
        n->group = -1;
    }
    f->recomputed = again && !c->reused && gate(c, STEP_fuse_again); /* asked once: has_room counts on it */
    f->escapes = f->recomputed ? arena_array(c->arena, bool, g->next_id) : NULL;
    for (int i = 0; i < g->n; i++) {
        Node *n = g->node[i];
        if (n->kind == NODE_INPUT || n->kind == NODE_TANGENT) {
            put(f, n);
        } else if (n->kind != NODE_VIEW) {
            add_node(f, n);
        }
    }
    flush(f);
    for (int i = 0; i < g->n; i++) {
        put(f, g->node[i]); /* VIEWs that only the epilogue reads */
    }
    CHECK(f->nout + f->ngone == g->n);
    g->node = f->out;
    g->n = f->nout;
    if (f->ngone > 0) {
        graph_apply_map(g);
    }
    for (int i = 0; i < g->n; i++) {
        g->node[i]->buffer = -1;
        g->node[i]->again = NULL; /* nests may run in another order than what they compute again */
    }
    return f->changed;
}
