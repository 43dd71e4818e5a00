/* Plain copies: one dtype, no registers. The dims are sorted by the strides of the target, so the
 * last one is a simple loop or a memcpy. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "compiled/loops/run.h"

#include <string.h>

/* All `ndim` dims; the last one is a loop for the element size. */
static void move_dims(const int64_t *size, int ndim, const int64_t *to_stride,
                      const int64_t *from_stride, char *to, const char *from, int bytes) {
    if (ndim > 1) {
        for (int64_t i = 0; i < size[0]; i++) {
            move_dims(size + 1, ndim - 1, to_stride + 1, from_stride + 1,
                      to + i * to_stride[0] * bytes, from + i * from_stride[0] * bytes, bytes);
        }
        return;
    }
    int64_t n = size[0], ts = to_stride[0], fs = from_stride[0];
    if (ts == 1 && fs == 1) {
        memcpy(to, from, (size_t)(n * bytes));
        return;
    }
#define MOVE(type)                                                                                 \
    for (int64_t i = 0; i < n; i++) {                                                              \
        ((type *)(void *)to)[i * ts] = ((const type *)(const void *)from)[i * fs];                 \
    }
    switch (bytes) {
    case 1:
        MOVE(uint8_t) break;
    case 2:
        MOVE(uint16_t) break;
    case 4:
        MOVE(uint32_t) break;
    default:
        MOVE(uint64_t) break;
    }
#undef MOVE
}

void loop_move(const Loop *loop, void *const *data, int64_t from_trip, int64_t to_trip) {
    if (loop->numel == 0) {
        return;
    }
    int bytes = dtype_bytes(loop->to.dtype);
    int64_t size[MAX_DIMS];
    memcpy(size, loop->size, sizeof *size * (size_t)loop->ndim);
    size[0] = to_trip - from_trip;
    char *to =
        (char *)data[loop->to.buffer] + (loop->to.offset + from_trip * loop->to.stride[0]) * bytes;
    const char *from = (const char *)data[loop->from.buffer] +
                       (loop->from.offset + from_trip * loop->from.stride[0]) * bytes;
    move_dims(size, loop->ndim, loop->to.stride, loop->from.stride, to, from, bytes);
}
