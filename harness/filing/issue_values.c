/* Tensors of a report's script: literals where they are small, else what fills them. */
#include "harness/filing/issue_script.h"

#include <inttypes.h>
#include <string.h>

/* Elements from *at on as nested lists of these sizes. */
static void print_nested(const Printer *pr, const void *data, DType dtype, const int64_t *size,
                         int ndim, int64_t *at) {
    if (ndim <= 1) {
        int64_t n = ndim == 0 ? 1 : size[0];
        Text flat = {.arena = pr->t->arena};
        Printer own = *pr;
        own.t = &flat;
        print_elements(&own, (const char *)data + *at * dtype_bytes(dtype), n, dtype);
        if (ndim == 0) { /* without the brackets */
            text_addn(pr->t, flat.v + 1, flat.n - 2);
        } else {
            text_add(pr->t, flat.v);
        }
        *at += n;
        return;
    }
    text_add(pr->t, "[");
    for (int64_t i = 0; i < size[0]; i++) {
        text_add(pr->t, i ? ", " : "");
        print_nested(pr, data, dtype, size + 1, ndim - 1, at);
    }
    text_add(pr->t, "]");
}

void issue_print_sizes(const Printer *pr, const int64_t *v, int n) {
    text_add(pr->t, "[");
    for (int i = 0; i < n; i++) {
        text_printf(pr->t, i ? ", %" PRId64 : "%" PRId64, v[i]);
    }
    text_add(pr->t, "]");
}

/* What makes a vector a tensor of these sizes. */
static void print_reshape(const Printer *pr, const int64_t *size, int ndim) {
    if (ndim != 1) {
        text_add(pr->t, ".reshape(");
        issue_print_sizes(pr, size, ndim);
        text_add(pr->t, ")");
    }
}

/* Literals of more elements than this hide the program. */
enum { MOST_LITERAL = 400 };

static bool is_large_fill(const Input *in, int64_t n) {
    FillKind kind = in->data.fill;
    return in->data.given && in->data.is_fill && n > MOST_LITERAL && kind != FILL_zeros &&
           kind != FILL_ones;
}

void issue_print_values(const Printer *pr, const Input *in, const int64_t *size, int ndim) {
    Text *t = pr->t;
    int64_t n = 1, at = 0;
    sizes_numel(size, ndim, &n);
    const InputData *data = &in->data;
    bool floats = in->dtype == DT_float32;
    bool fill = !data->given || data->is_fill;
    FillKind kind = data->given && data->is_fill ? data->fill : FILL_zeros;
    const char *dtype = dtype_name(in->dtype);
    if (n == 0 || (fill && (kind == FILL_zeros || kind == FILL_ones))) {
        text_printf(t, "torch.%s(", kind == FILL_ones ? "ones" : "zeros");
        issue_print_sizes(pr, size, ndim);
        text_printf(t, floats ? ")" : ", dtype=torch.%s)", dtype);
        return;
    }
    if (fill && kind == FILL_arange && (floats || in->dtype == DT_int64)) {
        text_printf(t, floats ? "torch.arange(%" PRId64 ".0)" : "torch.arange(%" PRId64 ")", n);
        print_reshape(pr, size, ndim);
        return;
    }
    if (is_large_fill(in, n)) {
        text_printf(t, "_fill(\"%s\", %" PRIu64 ", %" PRId64 ", torch.%s)", fill_name(kind),
                    data->seed, n, dtype);
        print_reshape(pr, size, ndim);
        return;
    }
    void *v = arena_alloc(t->arena, (n ? n : 1) * dtype_bytes(in->dtype));
    if (fill) {
        fill_buffer(v, in->dtype, n, kind, data->seed);
    } else {
        memcpy(v, data->data, (size_t)(n * dtype_bytes(in->dtype)));
    }
    text_add(t, "torch.tensor(");
    print_nested(pr, v, in->dtype, size, ndim, &at);
    bool implied = floats || in->dtype == DT_int64 || in->dtype == DT_bool;
    text_printf(t, implied ? ")" : ", dtype=torch.%s)", dtype);
}
