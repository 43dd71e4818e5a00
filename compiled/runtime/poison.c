/* Poison (runtime/poison.h).
 *
 * Before a run every temporary is filled with POISON, and again after the schedule item that reads
 * it last, by liveness. A loop that reads memory too early or too late then finds a NaN, or the
 * integer -1, and not a stale value that happens to be right. Two values may share a buffer, if the
 * last reader of the first writes the second over it: then the buffer is dead after the second. */
#include "compiled/runtime/poison.h"
#include "compiled/loops/liveness.h"

#include <string.h>
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define FORGET(address, bytes) __msan_allocated_memory(address, bytes)
#endif
#endif
#ifndef FORGET
#define FORGET(address, bytes) (void)0
#endif

enum { POISON = 0xFF };

static void fill(const Plan *plan, void *address, int64_t bytes) {
    memset(address, POISON, (size_t)bytes);
    if (!plan->faulty) {
        FORGET(address, (size_t)bytes);
    }
}

/* True if another value is written to n's buffer before or by n's last reader. */
static bool taken_over(const Graph *g, const Liveness *live, const Node *n, int last) {
    for (int i = 0; i < g->n; i++) {
        const Node *m = g->node[i];
        if (m != n && m->buffer == n->buffer && live->item[m->id] >= live->item[n->id] &&
            live->item[m->id] <= last) {
            return true;
        }
    }
    return false;
}

/* After how many loops a buffer that is dead after `loops` can be filled: not inside a tiling,
 * whose later parts use it again. -1: never, as it holds another value by then. */
static int after_tiling(const Plan *plan, const Liveness *live, const Graph *g,
                        const int *loops_after, const Node *n, int loops) {
    for (int k = 0; k < plan->ntiling; k++) {
        const TiledLoops *tiling = &plan->tiling[k];
        if (loops <= tiling->first || loops >= tiling->end) {
            continue;
        }
        for (int i = 0; i < g->n; i++) {
            const Node *m = g->node[i];
            if (m != n && m->buffer == n->buffer && live->item[m->id] >= 0 &&
                loops_after[live->item[m->id]] > loops) {
                return -1;
            }
        }
        return tiling->end;
    }
    return loops;
}

void poison_plan(Plan *plan, const Graph *g, const int *loops_after, Arena *arena) {
    Liveness live = liveness_analyse(g, arena);
    plan->poison = arena_new(arena, Poison);
    plan->poison->death = arena_array(arena, Death, g->n);
    for (int i = 0; i < g->n; i++) {
        const Node *n = g->node[i];
        int item = live.item[n->id], last = (int)max_i64(live.last[n->id], item);
        if (n->buffer >= plan->ninput + plan->ntangent && item >= 0 && last != LIVE_TO_THE_END &&
            !taken_over(g, &live, n, last)) {
            int loops = after_tiling(plan, &live, g, loops_after, n, loops_after[last]);
            if (loops >= 0) {
                plan->poison->death[plan->poison->n++] = (Death){loops, n->buffer};
            }
        }
    }
}

void poison_begin(const Plan *plan, void *block) {
    if (plan->poison) {
        fill(plan, block, plan->bytes);
    } else if (plan->faulty) {
        memset(block, 0, (size_t)plan->bytes);
    }
}

void poison_dead(const Plan *plan, int loop, void *const *data) {
    for (int i = 0; plan->poison && i < plan->poison->n; i++) {
        const Death *death = &plan->poison->death[i];
        if (death->loops == loop + 1) {
            fill(plan, data[death->buffer], plan->buffer[death->buffer].bytes);
        }
    }
}
