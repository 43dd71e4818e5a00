/* Runs a plan: one block of memory for all temporaries, then loop after loop.
 *
 * A CHECK that fails ends the run. Loops after it have not run, and loops before it have no visible
 * effect: inputs are updated in place only after the last CHECK (passes/reinplace.c). */
#include "compiled/loops/run.h"
#include "compiled/runtime/poison.h"
#include "compiled/tile/run.h"

#include <string.h>

/* A CHECK as one unsigned comparison: v + shift < span. NONZERO is v - 1 < 2^64 - 1. */
typedef struct CheckRange {
    uint64_t shift, span;
} CheckRange;

static CheckRange check_of(const Node *check) {
    uint64_t bound = (uint64_t)check->bound;
    switch (check->check) {
    case CHECK_INDEX_WRAP:
        return (CheckRange){bound, 2 * bound};
    case CHECK_INDEX:
        return (CheckRange){0, bound};
    case CHECK_NONZERO:
        break;
    }
    return (CheckRange){UINT64_MAX, UINT64_MAX};
}

/* True if the elements that are read are contiguous. */
static bool reads_a_row(const Loop *loop) {
    int64_t step = 1;
    for (int d = loop->ndim - 1; d >= 0; d--) {
        if (loop->size[d] != 1 && loop->from.stride[d] != step) {
            return false;
        }
        step *= loop->size[d];
    }
    return true;
}

static bool run_check(const Loop *loop, void *const *data) {
    const void *values = data[loop->from.buffer];
    const CheckRange check = check_of(loop->node);
    int64_t index[MAX_DIMS] = {0}, at = loop->from.offset;
    if (loop->from.dtype == DT_int64 && reads_a_row(loop)) {
        const int64_t *v = (const int64_t *)values + at;
        bool holds = true;
        for (int64_t i = 0; i < loop->numel; i++) {
            holds &= (uint64_t)v[i] + check.shift < check.span;
        }
        return holds;
    }
    for (int64_t left = loop->numel; left > 0; left--) {
        if ((uint64_t)element_int(values, loop->from.dtype, at) + check.shift >= check.span) {
            return false;
        }
        loop_next_from(loop, index, &at);
    }
    return true;
}

static void run_fill(const Loop *loop, void *const *data, int64_t from, int64_t end) {
    DType dtype = loop->to.dtype;
    int64_t n = end - from;
    void *to = (char *)data[loop->to.buffer] + from * dtype_bytes(dtype);
    uint64_t cell = 0;
    if (loop->value.kind == CAT_FLOAT) {
        element_store_double(&cell, dtype, 0, loop->value.f);
    } else {
        element_store_int(&cell, dtype, 0, loop->value.i);
    }
    int bytes = dtype_bytes(dtype);
    if (cell == 0) {
        memset(to, 0, (size_t)(n * bytes));
        return;
    }
    switch (bytes) {
    case 1:
        memset(to, (int)cell, (size_t)n);
        return;
    case 4: {
        uint32_t word;
        memcpy(&word, &cell, sizeof word);
        for (int64_t i = 0; i < n; i++) {
            ((uint32_t *)to)[i] = word;
        }
        return;
    }
    case 8:
        for (int64_t i = 0; i < n; i++) {
            ((uint64_t *)to)[i] = cell;
        }
        return;
    default:
        for (int64_t i = 0; i < n; i++) {
            memcpy((char *)to + i * bytes, &cell, (size_t)bytes);
        }
    }
}

/* Runs the shared kernel. If it refuses a value, the run ends as with a CHECK. A kernel of the
 * backward (sid -1) may run before the CHECK of the forward that tests the same value: then the
 * refusal is recorded, and is the result only if no CHECK fails. */
static bool run_opaque(const Plan *plan, const Loop *loop, void *const *data, Arena *arena,
                       Execution *out) {
    Opaque *o = loop->opaque;
    for (int k = 0; k < o->noperand; k++) {
        o->storage[k].data = data[o->buffer[k]];
    }
    o->out_storage.data = data[o->out_buffer];
    memset(o->out_storage.data, 0,
           (size_t)(o->out_storage.numel * dtype_bytes(o->out_storage.dtype)));
    Error err = {0};
    KernelCtx k = {.arena = arena, .err = &err, .stream = plan->stream};
    Tensor *result = &o->out;
    ErrCode code = o->call.op->kernel(&o->call, &result, &k);
    if (code == ERR_none) {
        return true;
    }
    const char *message = arena_strdup(arena, err.text);
    if (loop->node->sid < 0) {
        *out = (Execution){-1, ERR_internal, message};
        return true;
    }
    *out = (Execution){loop->node->sid, code, message};
    return false;
}

/* Iterations [from, to) of the outer dim. */
static bool run_loop(const Plan *plan, const Loop *loop, void *const *data, void *registers,
                     int64_t from, int64_t to, Arena *arena, Execution *out) {
    switch (loop->kind) {
    case LOOP_TILE:
        tile_run(loop->tile, plan->isa, data, registers, from, to);
        return true;
    case LOOP_MOVE:
        loop_move(loop, data, from, to);
        return true;
    case LOOP_FILL:
        run_fill(loop, data, from, to);
        return true;
    case LOOP_NONZERO:
        loop_nonzero(loop, data);
        return true;
    case LOOP_SCAN:
        loop_scan(loop, data, from, to);
        return true;
    case LOOP_SOFTMAX:
        loop_softmax(loop, plan->isa, data, from, to);
        return true;
    case LOOP_MATMUL:
        loop_matmul(loop->matmul, data, from, to);
        return true;
    case LOOP_LITERAL:
        if (loop->bytes > 0) {
            memcpy(data[loop->to.buffer], loop->literal, (size_t)loop->bytes);
        }
        return true;
    case LOOP_OPAQUE:
        return run_opaque(plan, loop, data, arena, out);
    case LOOP_CHECK:
        if (run_check(loop, data)) {
            return true;
        }
        *out = (Execution){loop->node->sid, loop->node->check_code, loop->node->check_message};
        return false;
    }
    return true;
}

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define SEES_WRITES 1
#include <sanitizer/msan_interface.h>
#endif
#endif

/* Tells MemorySanitizer what native code has written. Only temporaries matter: inputs are
 * initialized. */
static void has_written(const Plan *plan, const Loop *loop, char *block) {
#ifdef SEES_WRITES
    bool is_nest = loop->kind == LOOP_TILE;
    for (int k = 0; k < (is_nest ? loop->tile->naccess : 1); k++) {
        int b = is_nest                     ? loop->tile->access[k].buffer
                : loop->kind == LOOP_MATMUL ? loop->matmul->c.buffer
                                            : loop->to.buffer;
        if (b >= plan->ninput + plan->ntangent) {
            __msan_unpoison(block + plan->buffer[b].offset, (size_t)plan->buffer[b].bytes);
        }
    }
#else
    (void)plan, (void)loop, (void)block;
#endif
}

typedef struct ExecuteRun {
    const Plan *plan;
    void **data;
    char *block;
    void *registers;
    Arena *arena;
    Execution *out;
} ExecuteRun;

/* Iterations [from, to) of the outer dim of loop k. */
static bool run_trips(const ExecuteRun *r, int k, int64_t from, int64_t to) {
    const Plan *plan = r->plan;
    const Loop *loop = &plan->loop[k];
    if (plan->native && plan->native[k]) {
        plan->native[k](r->data, from, to);
        has_written(plan, loop, r->block);
        return true;
    }
    return run_loop(plan, loop, r->data, r->registers, from, to, r->arena, r->out);
}

/* All parts of a tiling. Where the parts share the memory of a buffer, its address is lowered by
 * the offset of the part, so that each part's window is that memory. */
static void run_tiled(const ExecuteRun *r, const TiledLoops *tiling) {
    const Plan *plan = r->plan;
    int n = tiling->end - tiling->first, turning = 0, first = plan->ninput + plan->ntangent;
    int *turns = arena_alloc_raw(r->arena, (int64_t)sizeof *turns * (plan->nbuffer + 1));
    int64_t *trips = arena_alloc_raw(r->arena, (int64_t)sizeof *trips * n); /* of a part, by loop */
    for (int k = 0; k < n; k++) {
        trips[k] = loop_trips(&plan->loop[tiling->first + k]) / tiling->parts;
    }
    for (int b = first; b < plan->nbuffer; b++) {
        if (plan->buffer[b].part > 0) {
            turns[turning++] = b;
        }
    }
    for (int64_t part = 0; part < tiling->parts; part++) {
        for (int k = 0; k < turning; k++) {
            const PlanBuffer *b = &plan->buffer[turns[k]];
            r->data[turns[k]] =
                (void *)((uintptr_t)r->block + (uintptr_t)(b->offset - part * b->part));
        }
        for (int k = 0; k < n; k++) {
            run_trips(r, tiling->first + k, part * trips[k],
                      (part + 1) * trips[k]); /* cannot fail: a tiling has no CHECK */
        }
    }
    for (int k = 0; k < turning; k++) {
        r->data[turns[k]] = r->block + plan->buffer[turns[k]].offset;
    }
}

/* Aligned to a cache line: a vector access that crosses one costs twice as much. */
static void *alloc_lines(Arena *arena, int64_t bytes) {
    return (void *)(((uintptr_t)arena_alloc_raw(arena, bytes + 63) + 63) & ~(uintptr_t)63);
}

void plan_execute(const Plan *plan, void *const *input, void *const *tangent, Arena *arena,
                  Execution *out) {
    *out = (Execution){-1, ERR_none, NULL};
    ExecuteRun r = {plan,
                    arena_alloc_raw(arena, (int64_t)sizeof *r.data * plan->nbuffer),
                    alloc_lines(arena, plan->bytes),
                    alloc_lines(arena, plan->register_bytes),
                    arena,
                    out};
    for (int b = 0; b < plan->ninput; b++) {
        r.data[b] = input[b];
    }
    for (int b = 0; b < plan->ntangent; b++) {
        r.data[plan->ninput + b] = tangent[plan->tangent[b]];
    }
    for (int b = plan->ninput + plan->ntangent; b < plan->nbuffer; b++) {
        r.data[b] = r.block + plan->buffer[b].offset;
    }
    plan->state->data = r.data;
    poison_begin(plan, r.block);
    for (int k = 0, next = 0; k < plan->nloop;) {
        int end = k + 1;
        if (next < plan->ntiling && plan->tiling[next].first == k) {
            run_tiled(&r, &plan->tiling[next]);
            end = plan->tiling[next++].end;
        } else if (!run_trips(&r, k, 0, loop_trips(&plan->loop[k]))) {
            return;
        }
        for (; k < end; k++) {
            poison_dead(plan, k, r.data);
        }
    }
}

void *plan_data(const Plan *plan, const Node *node) {
    if (node->kind == NODE_VIEW) {
        node = node->in[0];
    }
    int buffer = node->id < plan->nnode ? plan->buffer_of[node->id] : -1;
    CHECK(buffer >= 0 && plan->state->data);
    return plan->state->data[buffer];
}
