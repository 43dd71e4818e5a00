/* Loops that are no tile nests: how the executor runs them. All but loop_nonzero run iterations
 * [from, to) of the loop's outer dim; `data` by buffer. */
#ifndef COMPILED_LOOPS_RUN_H
#define COMPILED_LOOPS_RUN_H

#include "compiled/loops/loop_ir.h"

void loop_move(const Loop *loop, void *const *data, int64_t from, int64_t to);
void loop_scan(const Loop *loop, void *const *data, int64_t from, int64_t to);
void loop_softmax(const Loop *loop, const struct TileIsa *isa, void *const *data, int64_t from,
                  int64_t to);
void loop_matmul(const MatmulLoop *m, void *const *data, int64_t from, int64_t to);
void loop_nonzero(const Loop *loop, void *const *data);

/* Moves from one element of loop->from to the next, in row-major order: the coordinates `index` and
 * the element's offset *at. */
static inline void loop_next_from(const Loop *loop, int64_t *index, int64_t *at) {
    for (int d = loop->ndim - 1; d >= 0; d--) {
        *at += loop->from.stride[d];
        if (++index[d] < loop->size[d]) {
            return;
        }
        *at -= loop->from.stride[d] * loop->size[d];
        index[d] = 0;
    }
}

#endif
