/* Loop tiling: neighbouring loops run part by part, so that one reads from the cache what the
 * previous one has written.
 *
 * A loop whose outer dim has n iterations can run as p parts of n / p iterations, in order. A
 * tiling is a run of loops whose iteration counts have a common divisor p > 1. It runs part 0 of
 * all its loops, then part 1 of all, and so on:
 *
 *     mean of rows  ── square of differences, summed ── 1 / sqrt ── product
 *         each over 1024 rows of 1024
 *       rows 0..63       rows 0..63                     rows 0..63  rows 0..63      16 parts, each
 *                        of them in the cache
 *
 * This computes the same as one loop after the other if every buffer that the tiling writes splits
 * into p windows of T bytes, one after the other, and part k of every loop stays inside window k.
 * Buffers that are only read may be read anywhere. A reduction may have its outer dim among the
 * reduced ones; its sums are then kept in a buffer of their own (`scratch`) between parts.
 *
 * A temporary that is used by one tiling only is a *local buffer*: it needs the memory of one
 * window, which the parts use in turn (as the local buffers of an outer loop fusion in
 * torch/_inductor/codegen/cpp.py). */
#include "compiled/loops/lower.h"
#include "compiled/tile/reduce.h"
#include "tensor/array.h"

#include <string.h>

enum {
    PART_L2 = 384 * 1024, /* target bytes of a part: fits the second-level cache */
    PART_L1 = 24 * 1024,  /* the same for the native tier, whose loops start quickly: fits the
                             first-level cache. Not used where sums are kept: they fill it */
    MAX_PART = 2 << 20    /* a tiling with larger parts gains nothing */
};

/* The bytes [low, high) of a buffer that the first iteration of a loop accesses, and the distance
 * to those of the next iteration. Step 0: any iteration may access any byte. */
typedef struct LoopTouch {
    int buffer;
    bool writes;
    int64_t step, low, high, trips;
} LoopTouch;

typedef struct TilingSearch {
    Plan *plan;
    Arena *arena;
    LoopTouch *touch; /* of all loops, in order */
    int ntouch, capacity;
    int *first;    /* by loop: its first touch; one more at the end */
    int64_t *most; /* by buffer: bytes that a part accesses */
} TilingSearch;

int64_t loop_trips(const Loop *loop) {
    switch (loop->kind) {
    case LOOP_TILE:
        return loop->tile->tile_size > 1 ? loop->tile->size[loop->tile->outer] : 1;
    case LOOP_MOVE:
        return loop->size[0];
    case LOOP_FILL:
        return loop->numel;
    case LOOP_SCAN:
        return loop->dim > 0 ? loop->size[0] : 1;
    case LOOP_SOFTMAX: /* contiguous lines are processed together */
        return loop->dim > 0 && loop->from.stride[0] != 1 ? loop->size[0] : 1;
    case LOOP_MATMUL:
        return loop->matmul->batch;
    default:
        return 1;
    }
}

/* Has the loop no element? Beside a dim that is 0 another one may be 2^40, and so many parts that
 * do nothing take hours. */
static bool loop_is_empty(const Loop *loop) {
    const MatmulLoop *m = loop->matmul;
    switch (loop->kind) {
    case LOOP_TILE:
        return loop->tile->numel == 0;
    case LOOP_MOVE:
    case LOOP_SCAN:
    case LOOP_SOFTMAX:
        return loop->numel == 0;
    case LOOP_MATMUL:
        return m->batch == 0 || m->m == 0 || m->n == 0;
    default:
        return false;
    }
}

/* ---- what loops access ---- */

static void add_touch(TilingSearch *b, int64_t trips, bool writes, const Access *a,
                      const int64_t *stride, const int64_t *size, int ndim, int outer) {
    if (a->buffer < 0) {
        return;
    }
    b->touch = array_reserve(b->arena, b->touch, b->ntouch, &b->capacity, 64, sizeof *b->touch);
    int64_t bytes = dtype_bytes(a->dtype), low = a->offset, high = a->offset;
    for (int d = 0; d < ndim; d++) {
        int64_t far = d == outer ? 0 : (size[d] - 1) * stride[d];
        low += far < 0 ? far : 0;
        high += far > 0 ? far : 0;
    }
    b->touch[b->ntouch++] =
        (LoopTouch){a->buffer,          writes, ndim > 0 ? stride[outer] * bytes : 0, low * bytes,
                    (high + 1) * bytes, trips};
}

static void touch_matrix(TilingSearch *b, const MatmulLoop *m, bool writes, const Access *a,
                         const int64_t *stride, int64_t rows, int64_t columns) {
    add_touch(b, m->batch, writes, a, stride, (int64_t[]){m->batch, rows, columns}, 3, 0);
}

static void touch_anywhere(TilingSearch *b, int buffer, bool writes) {
    add_touch(b, 1, writes, &(Access){buffer, DT_uint8, 0, NULL}, NULL, NULL, 0, 0);
}

static void touch_nest(TilingSearch *b, const TileNest *n, int64_t trips) {
    for (int k = 0; k < n->ninst; k++) {
        TileOp op = n->inst[k].op;
        if (op < TILE_LOAD || op == TILE_IOTA || op == TILE_TERM) {
            continue;
        }
        const Access *a = &n->access[n->inst[k].access];
        if (op == TILE_LOADX || op == TILE_STOREX || op == TILE_ADDX) {
            touch_anywhere(b, a->buffer, op != TILE_LOADX);
        } else {
            add_touch(b, trips, op >= TILE_STORE, a, a->stride, n->size, n->ndim, n->outer);
        }
    }
}

static void touch_product(TilingSearch *b, const MatmulLoop *m) {
    touch_matrix(b, m, false, &m->a, m->astride, m->m, m->k);
    touch_matrix(b, m, false, &m->b, m->bstride, m->k, m->n);
    touch_matrix(b, m, true, &m->c, m->cstride, m->m, m->n);
    if (m->has_d) {
        touch_matrix(b, m, false, &m->d, m->dstride, m->m, m->n);
    }
}

static void touch_loop(TilingSearch *b, const Loop *loop) {
    int64_t trips = loop_trips(loop);
    switch (loop->kind) {
    case LOOP_TILE:
        touch_nest(b, loop->tile, trips);
        return;
    case LOOP_MATMUL:
        touch_product(b, loop->matmul);
        return;
    case LOOP_FILL:
        add_touch(b, trips, true, &loop->to, (int64_t[]){1}, &loop->numel, 1, 0);
        return;
    case LOOP_MOVE:
    case LOOP_SCAN:
    case LOOP_SOFTMAX:
        add_touch(b, trips, true, &loop->to, loop->to.stride, loop->size, loop->ndim, 0);
        add_touch(b, trips, false, &loop->from, loop->from.stride, loop->size, loop->ndim, 0);
        return;
    case LOOP_OPAQUE:
        for (int k = 0; k < loop->opaque->noperand; k++) {
            touch_anywhere(b, loop->opaque->buffer[k], false);
        }
        touch_anywhere(b, loop->opaque->out_buffer, true);
        return;
    case LOOP_CHECK:
        touch_anywhere(b, loop->from.buffer, false);
        return;
    case LOOP_NONZERO:
        touch_anywhere(b, loop->from.buffer, false);
        touch_anywhere(b, loop->to.buffer, true);
        return;
    case LOOP_LITERAL:
        touch_anywhere(b, loop->to.buffer, true);
        return;
    }
}

/* ---- tilings ---- */

/* Bytes from one part to the next. */
static int64_t loop_tiling_window(const LoopTouch *t, int64_t parts) {
    return t->step * (t->trips / parts);
}

/* True if part k stays inside window k. If so, it does for every divisor of `parts`, too. */
static bool stays_inside(const LoopTouch *t, int64_t parts) {
    return t->step > 0 && t->low >= 0 &&
           t->high + loop_tiling_window(t, parts) - t->step <= loop_tiling_window(t, parts);
}

static bool agree(const LoopTouch *a, const LoopTouch *b, int64_t parts) {
    return a->buffer != b->buffer || (!a->writes && !b->writes) ||
           (stays_inside(a, parts) && stays_inside(b, parts) &&
            loop_tiling_window(a, parts) == loop_tiling_window(b, parts));
}

/* Bytes that one part of loops [first, end) accesses. A buffer that is accessed anywhere counts as
 * a whole. */
static int64_t bytes_of_part(TilingSearch *b, int first, int end, int64_t parts) {
    int64_t sum = 0;
    for (int k = b->first[first]; k < b->first[end]; k++) {
        b->most[b->touch[k].buffer] = 0;
    }
    for (int k = b->first[first]; k < b->first[end]; k++) {
        const LoopTouch *t = &b->touch[k];
        int64_t bytes = t->step > 0 ? t->high - t->low + loop_tiling_window(t, parts) - t->step
                                    : b->plan->buffer[t->buffer].bytes;
        sum += max_i64(bytes - b->most[t->buffer], 0);
        b->most[t->buffer] = max_i64(b->most[t->buffer], bytes);
    }
    return sum;
}

/* True if loop `next` may join loops [first, next). Sets *shared if they share a buffer. */
static bool may_join(const TilingSearch *b, int first, int next, int64_t parts, bool *shared) {
    for (int k = b->first[next]; k < b->first[next + 1]; k++) {
        for (int j = b->first[first]; j < b->first[next]; j++) {
            if (!agree(&b->touch[j], &b->touch[k], parts)) {
                return false;
            }
            *shared = *shared || b->touch[j].buffer == b->touch[k].buffer;
        }
    }
    return true;
}

/* The number of sums that continue from one part to the next. */
static int waiting_sums(const Loop *loop) {
    int sums = 0;
    const TileNest *nest = loop->kind == LOOP_TILE ? loop->tile : NULL;
    for (int k = 0; nest && nest->outer >= nest->kept && k < nest->ninst; k++) {
        sums += nest->inst[k].op == TILE_REDUCE;
    }
    return sums;
}

/* The tiling that begins with loop `first`; it has one part if nothing is gained. The target bytes
 * of a part are `part`, or `near` where no sums are kept; 0: as many parts as possible. */
static TiledLoops grow_tiling(TilingSearch *b, int first, int64_t part, int64_t near) {
    TiledLoops tiling = {first, first + 1, 1};
    int64_t most = loop_is_empty(&b->plan->loop[first]) ? 1 : loop_trips(&b->plan->loop[first]);
    bool shared = false;
    for (; most > 1 && tiling.end < b->plan->nloop; tiling.end++) {
        int64_t parts = gcd_i64(most, loop_trips(&b->plan->loop[tiling.end]));
        bool share = shared;
        if (parts < 2 || loop_is_empty(&b->plan->loop[tiling.end]) ||
            !may_join(b, first, tiling.end, parts, &share) ||
            (part > 0 && bytes_of_part(b, first, tiling.end + 1, parts) > MAX_PART)) {
            break;
        }
        shared = share;
        most = parts;
    }
    for (int k = first; k < tiling.end; k++) {
        near = waiting_sums(&b->plan->loop[k]) > 0 ? part : near;
    }
    part = near;
    if (shared) {
        tiling.parts =
            part > 0 ? min_i64(max_i64(bytes_of_part(b, first, tiling.end, 1) / part, 1), most)
                     : most;
        while (most % tiling.parts != 0) {
            tiling.parts++;
        }
    }
    return tiling;
}

/* ---- memory of parts ---- */

/* A buffer for the sums of a nest whose outer dim is reduced. */
static void add_scratch(TilingSearch *b, const Loop *loop, const TiledLoops *tiling) {
    Plan *plan = b->plan;
    TileNest *nest = loop->tile;
    int64_t sums = waiting_sums(loop);
    if (sums == 0) {
        return;
    }
    int64_t results = nest->kept > 0 ? nest->size[0] : 1;
    PlanBuffer *more = arena_array(b->arena, PlanBuffer, plan->nbuffer + 1);
    memcpy(more, plan->buffer, sizeof *more * (size_t)plan->nbuffer);
    plan->buffer = more;
    nest->scratch = plan->nbuffer++;
    plan->buffer[nest->scratch] =
        (PlanBuffer){.bytes = sums * (results / nest->tile_size + 1) * (int64_t)sizeof(ColumnSums),
                     .first = tiling->first,
                     .end = tiling->end};
}

/* Seeded fault FU_14: a local buffer is as large as one run of the innermost loop, not all of a
 * part. What it lacks belongs to other buffers (assign_offsets in lower.c). */
static void reserve_innermost(const Compile *c, PlanBuffer *buffer, int number) {
    for (int i = 0; i < c->graph->n; i++) {
        const Node *n = c->graph->node[i];
        if (n->buffer == number && n->t.ndim > 1) {
            buffer->reserved = n->t.size[n->t.ndim - 1] * dtype_bytes(n->t.dtype);
        }
    }
}

/* Temporaries that are used by this tiling only are local buffers: they hold one part at a time. */
static void shrink_buffers(TilingSearch *b, Compile *c, const TiledLoops *tiling,
                           const bool *stays) {
    Plan *plan = b->plan;
    int from = b->first[tiling->first], end = b->first[tiling->end];
    for (int k = from; k < end; k++) {
        const LoopTouch *t = &b->touch[k];
        PlanBuffer *buffer = &plan->buffer[t->buffer];
        bool alone =
            t->buffer >= plan->ninput + plan->ntangent && !stays[t->buffer] && buffer->part == 0;
        for (int j = 0; j < b->ntouch && alone; j++) {
            const LoopTouch *u = &b->touch[j];
            alone = u->buffer != t->buffer ||
                    (j >= from && j < end && stays_inside(u, tiling->parts) &&
                     loop_tiling_window(u, tiling->parts) == loop_tiling_window(t, tiling->parts));
        }
        if (alone && gate(c, STEP_local_buffer)) {
            buffer->bytes = buffer->part = loop_tiling_window(t, tiling->parts);
            if (fault(c, FAULT_FU_14)) {
                reserve_innermost(c, buffer, t->buffer);
            }
        }
    }
}

/* The loops between which buffers hold values. stays[b] is set for buffers that are outputs. */
static void find_lives(Plan *plan, const Graph *g, const int *loops_after, bool *stays,
                       Arena *arena) {
    Liveness live = liveness_analyse(g, arena);
    for (int i = 0; i < g->n; i++) {
        const Node *n = g->node[i];
        int item = live.item[n->id], last = (int)max_i64(live.last[n->id], item);
        if (n->buffer < 0 || item < 0) {
            continue;
        }
        PlanBuffer *b = &plan->buffer[n->buffer];
        int first = item > 0 ? loops_after[item - 1] : 0,
            end = last == LIVE_TO_THE_END ? plan->nloop : loops_after[last];
        b->first = b->end > 0 && b->first < first ? b->first : first;
        b->end = end > b->end ? end : b->end;
        stays[n->buffer] = stays[n->buffer] || last == LIVE_TO_THE_END;
    }
}

static void live_through_tiling(Plan *plan, const TiledLoops *tiling) {
    for (int k = plan->ninput + plan->ntangent; k < plan->nbuffer; k++) {
        PlanBuffer *b = &plan->buffer[k];
        if (b->first < tiling->end && tiling->first < b->end) {
            b->part_first = b->first;
            b->part_end = b->end;
            b->first = b->first < tiling->first ? b->first : tiling->first;
            b->end = b->end > tiling->end ? b->end : tiling->end;
        }
    }
}

void loop_tiling_find(Compile *c, Plan *plan, const int *loops_after) {
    const Graph *g = c->graph;
    Arena *arena = c->arena;
    int64_t part = c->options->verify ? 0 : PART_L2, near = c->options->native ? PART_L1 : PART_L2;
    TilingSearch b = {.plan = plan, .arena = arena};
    bool *stays = arena_array(arena, bool, plan->nbuffer + 1);
    b.first = arena_array(arena, int, plan->nloop + 1);
    b.most = arena_array(arena, int64_t, plan->nbuffer + 1);
    for (int k = 0; k < plan->nloop; k++) {
        touch_loop(&b, &plan->loop[k]);
        b.first[k + 1] = b.ntouch;
    }
    find_lives(plan, g, loops_after, stays, arena);
    plan->tiling = arena_array(arena, TiledLoops, plan->nloop + 1);
    for (int k = 0; k < plan->nloop;) {
        TiledLoops tiling = grow_tiling(&b, k, part, part > 0 ? near : 0);
        k = tiling.end;
        if (tiling.parts > 1 && gate(c, STEP_run_in_parts)) {
            plan->tiling[plan->ntiling++] = tiling;
            shrink_buffers(&b, c, &tiling, stays);
            live_through_tiling(plan, &tiling);
            for (int j = tiling.first; j < tiling.end; j++) {
                add_scratch(&b, &plan->loop[j], &tiling);
            }
        }
    }
}
