/* Kernels of ops that select elements. The order is total: nan is the greatest number, and zeros of
 * either sign are equal.
 *
 * A line is self along the reduced or sorted dim. argmax and argmin return the first extreme, and
 * nan counts as the extreme of both; cummax and cummin return the last. A sort is stable if the
 * call says so. Otherwise equal elements are in the order in which libstdc++ leaves them
 * (sorting.c); the same holds for the elements that topk selects. */
#include "program/kernels/kernels.h"
#include "program/kernels/sorting.h"

#include <math.h>

static bool kernel_order_is_nan(const Tensor *t, int64_t at) {
    return dtype_is_float(t->dtype) && isnan(element_double(t->storage->data, t->dtype, at));
}

/* -1, 0, 1 if element `a` is less than, equal to, greater than `b`; nan is greater than any
 * number. */
static int order(const Tensor *t, int64_t a, int64_t b) {
    if (!dtype_is_float(t->dtype)) {
        int64_t x = element_int(t->storage->data, t->dtype, a),
                y = element_int(t->storage->data, t->dtype, b);
        return (x > y) - (x < y);
    }
    double x = element_double(t->storage->data, t->dtype, a),
           y = element_double(t->storage->data, t->dtype, b);
    if (isnan(x) || isnan(y)) {
        return isnan(x) - isnan(y);
    }
    return (x > y) - (x < y);
}

/* Does element `a`, visited after `best`, replace it? */
static bool beats(const Tensor *t, int64_t a, int64_t best, bool least, bool last) {
    if (kernel_order_is_nan(t, best) || kernel_order_is_nan(t, a)) {
        return kernel_order_is_nan(t, a) && (last || !kernel_order_is_nan(t, best));
    }
    int o = least ? -order(t, a, best) : order(t, a, best);
    return o > 0 || (last && o == 0);
}

/* The first element of each line of `t` along `dim`. */
static Tensor line_starts(const Tensor *t, int dim) {
    Tensor starts = *t;
    if (t->ndim > 0 && t->size[dim] > 1) {
        starts.size[dim] = 1;
    }
    return starts;
}

static int64_t line_length(const Tensor *t, int dim) { return t->ndim > 0 ? t->size[dim] : 1; }
static int64_t line_step(const Tensor *t, int dim) { return t->ndim > 0 ? t->stride[dim] : 0; }

/* One pass in row-major order that keeps, for each element of the result, the offset of the best
 * element so far and its index in the reduced set. */
static ErrCode arg_extreme(const Call *call, const Tensor *out, bool least, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    unsigned set;
    TRY(reduced_dims(call, self->ndim, &set, k->err));
    int64_t length;
    Tensor slots = tensor_over_array(self->size, self->ndim, set, &length);
    int64_t *best = arena_array(k->arena, int64_t, 3 * length), *number = best + length,
            *seen = number + length;
    const Tensor *walked[2] = {self, &slots};
    for (Walk w = walk_start(self->size, self->ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        int64_t i = w.at[1];
        if (seen[i] == 0 || beats(self, w.at[0], best[i], least, false)) {
            best[i] = w.at[0];
            number[i] = seen[i];
        }
        seen[i]++;
    }
    for (int64_t i = 0; i < tensor_numel(out); i++) {
        element_store_int(out->storage->data, DT_int64, out->offset + i, number[i]);
    }
    return ERR_none;
}

ErrCode kernel_argmax(const Call *call, Tensor *const *out, KernelCtx *k) {
    return arg_extreme(call, out[0], false, k);
}
ErrCode kernel_argmin(const Call *call, Tensor *const *out, KernelCtx *k) {
    return arg_extreme(call, out[0], true, k);
}

static ErrCode scan_extreme(const Call *call, const Tensor *out, bool least, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    int dim = 0;
    if (self->ndim > 0) {
        TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, k->err));
    }
    Tensor from = line_starts(self, dim), to = line_starts(out, dim);
    const Tensor *walked[2] = {&from, &to};
    int64_t length = line_length(self, dim), step = line_step(self, dim),
            out_step = line_step(out, dim);
    for (Walk w = walk_start(from.size, from.ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        int64_t best = 0;
        for (int64_t i = 0; i < length; i++) {
            if (i > 0 && beats(self, w.at[0] + i * step, w.at[0] + best * step, least, true)) {
                best = i;
            }
            element_store_int(out->storage->data, DT_int64, w.at[1] + i * out_step, best);
        }
    }
    return ERR_none;
}

ErrCode kernel_cummax(const Call *call, Tensor *const *out, KernelCtx *k) {
    return scan_extreme(call, out[0], false, k);
}
ErrCode kernel_cummin(const Call *call, Tensor *const *out, KernelCtx *k) {
    return scan_extreme(call, out[0], true, k);
}

/* Stable merge sort of one line, bottom-up; list and spare are as long as the line. */
static int64_t *sort_line(const Tensor *self, int64_t at, int64_t step, int64_t length,
                          bool descending, int64_t *list, int64_t *spare) {
    for (int64_t i = 0; i < length; i++) {
        list[i] = i;
    }
    for (int64_t run = 1; run < length; run *= 2) {
        for (int64_t start = 0; start < length; start += 2 * run) {
            int64_t i = start, middle = min_i64(start + run, length), j = middle,
                    end = min_i64(start + 2 * run, length);
            for (int64_t n = start; n < end; n++) {
                bool right = i == middle;
                if (!right && j < end) {
                    int o = order(self, at + list[j] * step, at + list[i] * step);
                    right = descending ? o > 0 : o < 0;
                }
                spare[n] = right ? list[j++] : list[i++];
            }
        }
        int64_t *merged = spare;
        spare = list;
        list = merged;
    }
    return list;
}

/* Loads the elements of a line with their indices. */
static void load_line(const Tensor *self, int64_t at, int64_t step, int64_t length,
                      SortElement *line) {
    bool floating = dtype_is_float(self->dtype);
    for (int64_t i = 0; i < length; i++, at += step) {
        line[i].value = floating ? element_double(self->storage->data, self->dtype, at) : 0;
        line[i].whole = floating ? 0 : element_int(self->storage->data, self->dtype, at);
        line[i].index = i;
    }
}

static void store_line(const Tensor *out, int64_t at, int64_t step, int64_t length,
                       const SortElement *line) {
    for (int64_t i = 0; i < length; i++) {
        element_store_int(out->storage->data, DT_int64, at + i * step, line[i].index);
    }
}

/* Up to this length std::sort is an insertion sort, which is stable. */
enum { MAX_STABLE = 16 };

ErrCode kernel_sort(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    bool descending = call->arg[2].b;
    int dim;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, k->err));
    if (tensor_numel(self) == 0) {
        return ERR_none; /* empty: the line may be too long to allocate */
    }
    Tensor from = line_starts(self, dim), to = line_starts(out[0], dim);
    const Tensor *walked[2] = {&from, &to};
    int64_t length = line_length(self, dim), step = line_step(self, dim),
            out_step = line_step(out[0], dim);
    bool stable = call->arg[3].b || length <= MAX_STABLE;
    int64_t *list =
        stable ? arena_alloc_raw(k->arena, max_i64(2 * length, 1) * (int64_t)sizeof *list) : NULL;
    SortElement *line = stable ? NULL : arena_alloc_raw(k->arena, length * (int64_t)sizeof *line);
    SortOrder order_of_line = {descending, dtype_is_float(self->dtype)};
    for (Walk w = walk_start(from.size, from.ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        if (!stable) {
            load_line(self, w.at[0], step, length, line);
            sort_unstable(&order_of_line, line, line + length);
            store_line(out[0], w.at[1], out_step, length, line);
            continue;
        }
        const int64_t *sorted =
            sort_line(self, w.at[0], step, length, descending, list, list + length);
        for (int64_t i = 0; i < length; i++) {
            element_store_int(out[0]->storage->data, DT_int64, w.at[1] + i * out_step, sorted[i]);
        }
    }
    return ERR_none;
}

/* ---- median and mode ---- */

typedef int64_t (*ChooseFn)(const Tensor *self, int64_t at, int64_t step, SortElement *line,
                            int64_t length);

/* out[i] = the index that `choose` finds in line i. */
static ErrCode choose_in_lines(const Call *call, const Tensor *out, ChooseFn choose, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    int dim;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, k->err));
    if (tensor_numel(self) == 0) {
        return ERR_none;
    }
    Tensor from = line_starts(self, dim);
    const Tensor *walked[1] = {&from};
    int64_t length = line_length(self, dim), step = line_step(self, dim), i = 0;
    SortElement *line = arena_alloc_raw(k->arena, length * (int64_t)sizeof *line);
    for (Walk w = walk_start(from.size, from.ndim, walked, 1); walk_more(&w); walk_next(&w), i++) {
        load_line(self, w.at[0], step, length, line);
        element_store_int(out->storage->data, DT_int64, out->offset + i,
                          choose(self, w.at[0], step, line, length));
    }
    return ERR_none;
}

/* The lower median of what is not nan, the first of equal ones. Of nans alone it is the one that
 * std::nth_element leaves first. */
static int64_t nanmedian_of_line(const Tensor *self, int64_t at, int64_t step, SortElement *line,
                                 int64_t length) {
    SortOrder ascending = {.floating = dtype_is_float(self->dtype)};
    int64_t nans = 0, before = 0, i = 0;
    for (int64_t j = 0; j < length; j++) {
        nans += kernel_order_is_nan(self, at + j * step);
    }
    int64_t middle = max_i64(length - nans - 1, 0) / 2;
    sort_nth(&ascending, line, line + middle, line + length);
    int64_t found = at + line[middle].index * step;
    for (int64_t j = 0; j < length; j++) {
        before += order(self, at + j * step, found) < 0;
    }
    if (nans == length) {
        return line[0].index;
    }
    for (;; i++) { /* the equal element that is as many equal ones behind the first */
        if (order(self, at + i * step, found) == 0 && before++ == middle) {
            return i;
        }
    }
}

/* The first nan, if there is any. */
static int64_t median_of_line(const Tensor *self, int64_t at, int64_t step, SortElement *line,
                              int64_t length) {
    for (int64_t i = 0; i < length; i++) {
        if (kernel_order_is_nan(self, at + i * step)) {
            return i;
        }
    }
    return nanmedian_of_line(self, at, step, line, length);
}

ErrCode kernel_median(const Call *call, Tensor *const *out, KernelCtx *k) {
    return choose_in_lines(call, out[0], median_of_line, k);
}
ErrCode kernel_nanmedian(const Call *call, Tensor *const *out, KernelCtx *k) {
    return choose_in_lines(call, out[0], nanmedian_of_line, k);
}

/* The median of all elements, in the order of memory, which decides between zeros of either
 * sign. */
static ErrCode median_of_all(const Call *call, const Tensor *out, bool ignore_nan, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    int64_t n = tensor_numel(self), nans = 0;
    bool floating = dtype_is_float(self->dtype);
    if (n == 0) {
        if (!floating) {
            k->undefined = "median of no integers: a nan as an integer";
        }
        element_store_double(out->storage->data, out->dtype, out->offset, NAN);
        return ERR_none;
    }
    Infer dense = {.arena = k->arena, .err = k->err};
    TRY(infer_cloned(&dense, self, self->dtype));
    const Tensor *walked[2] = {self, dense.out};
    SortElement *line = arena_alloc_raw(k->arena, n * (int64_t)sizeof *line);
    for (Walk w = walk_start(self->size, self->ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        load_line(self, w.at[0], 0, 1, line + w.at[1]);
        nans += kernel_order_is_nan(self, w.at[0]);
    }
    SortOrder ascending = {.floating = floating};
    SortElement *nth = line + max_i64(n - nans - 1, 0) / 2;
    sort_nth(&ascending, line, nth, line + n);
    if (floating) {
        element_store_double(out->storage->data, out->dtype, out->offset,
                             nans > 0 && !ignore_nan ? NAN : nth->value);
    } else {
        element_store_int(out->storage->data, out->dtype, out->offset, nth->whole);
    }
    return ERR_none;
}

ErrCode kernel_median_all(const Call *call, Tensor *const *out, KernelCtx *k) {
    return median_of_all(call, out[0], false, k);
}
ErrCode kernel_nanmedian_all(const Call *call, Tensor *const *out, KernelCtx *k) {
    return median_of_all(call, out[0], true, k);
}

/* Sorts as std::sort does with std::less, to which nan is in no order. */
static void sort_for_mode(const Tensor *self, SortElement *line, int64_t length) {
    SortOrder ascending = {.floating = dtype_is_float(self->dtype)};
    bool nan = false;
    for (int64_t i = 0; i < length && ascending.floating; i++) {
        nan = nan || isnan(line[i].value);
    }
    if (!nan || length > MAX_STABLE) {
        sort_unstable(&ascending, line, line + length);
        return;
    }
    for (int64_t i = 1; i < length; i++) { /* before the first one, or before those that it is less
                                              than */
        SortElement x = line[i];
        int64_t j = i;
        bool first = x.value < line[0].value;
        while (j > 0 && (first || x.value < line[j - 1].value)) {
            line[j] = line[j - 1];
            j--;
        }
        line[j] = x;
    }
}

/* The first of the longest runs of the sorted line; of its elements the last one. */
static int64_t mode_of_line(const Tensor *self, int64_t at, int64_t step, SortElement *line,
                            int64_t length) {
    int64_t run = 0, longest = 0, found = 0;
    (void)at;
    (void)step;
    sort_for_mode(self, line, length);
    for (int64_t i = 0; i < length; i++) {
        run++;
        bool ends = i == length - 1 || line[i].value != line[i + 1].value ||
                    line[i].whole != line[i + 1].whole;
        if (ends && run > longest) {
            longest = run;
            found = line[i].index;
        }
        run = ends ? 0 : run;
    }
    return found;
}

ErrCode kernel_mode(const Call *call, Tensor *const *out, KernelCtx *k) {
    return choose_in_lines(call, out[0], mode_of_line, k);
}

/* Selects the first `count` of a line as aten/src/ATen/native/TopKImpl.h does. */
static void kernel_order_choose(const SortOrder *o, SortElement *line, int64_t length,
                                int64_t count, bool sorted) {
    if (count * 64 <= length) {
        sort_partial(o, line, line + count, line + length);
        return;
    }
    sort_nth(o, line, line + count - 1, line + length);
    if (sorted) {
        sort_unstable(o, line, line + count - 1);
    }
}

ErrCode kernel_topk(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *to = out[0];
    int64_t count = call->arg[1].i;
    int dim;
    TRY(dim_wrap(call->arg[2].i, self->ndim, &dim, k->err));
    if (self->ndim == 0) {
        element_store_int(to->storage->data, DT_int64, to->offset, 0);
        return ERR_none;
    }
    if (count == 0 || tensor_numel(self) == 0) {
        return ERR_none;
    }
    int64_t length = self->size[dim];
    SortOrder largest_first = {call->arg[3].b, dtype_is_float(self->dtype)};
    SortElement *line = arena_alloc_raw(k->arena, length * (int64_t)sizeof *line);
    Tensor from = line_starts(self, dim), into = line_starts(to, dim);
    const Tensor *walked[2] = {&from, &into};
    for (Walk w = walk_start(from.size, from.ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        load_line(self, w.at[0], self->stride[dim], length, line);
        kernel_order_choose(&largest_first, line, length, count, call->arg[4].b);
        store_line(to, w.at[1], to->stride[dim], count, line);
    }
    return ERR_none;
}

/* `t`, from which `dim` may have been reduced, viewed with it restored as size 1. */
static Tensor kernel_order_with_dim(const Tensor *t, int ndim, int dim) {
    if (t->ndim == ndim) {
        return *t;
    }
    Tensor seen = *t;
    seen.ndim = ndim;
    for (int d = ndim - 1; d >= 0; d--) {
        seen.size[d] = d == dim ? 1 : t->size[d - (d > dim)];
        seen.stride[d] = d == dim ? 0 : t->stride[d - (d > dim)];
    }
    return seen;
}

ErrCode kernel_take_dim(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    int dim = 0;
    if (self->ndim > 0) {
        TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, k->err));
    }
    Tensor indices = kernel_order_with_dim(call->arg[2].tensor, self->ndim, dim),
           to = kernel_order_with_dim(out[0], self->ndim, dim);
    Tensor from = tensor_viewed_as(self, self->ndim, indices.size, self->stride);
    int64_t step = line_step(self, dim), length = line_length(self, dim);
    if (self->ndim > 0) {
        from.stride[dim] = 0;
    }
    const Tensor *walked[3] = {&from, &indices, &to};
    for (Walk w = walk_start(indices.size, indices.ndim, walked, 3); walk_more(&w); walk_next(&w)) {
        int64_t i = element_int(indices.storage->data, DT_int64, w.at[1]);
        if (i < 0 || i >= length) {
            return index_out_of_range(i, length, k->err);
        }
        element_cast(to.storage->data, to.dtype, w.at[2], self->storage->data, self->dtype,
                     w.at[0] + i * step);
    }
    return ERR_none;
}

/* ---- truth ---- */

typedef enum OrderQuery { ANY, ALL, COUNT } OrderQuery;

/* nan is true. */
static bool kernel_order_is_true(const Tensor *t, int64_t at) {
    return dtype_is_float(t->dtype) ? element_double(t->storage->data, t->dtype, at) != 0
                                    : element_int(t->storage->data, t->dtype, at) != 0;
}

static ErrCode count_answers(const Call *call, const Tensor *out, OrderQuery query, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    unsigned set;
    TRY(reduced_dims(call, self->ndim, &set, k->err));
    int64_t length, all = 1;
    Tensor slots = tensor_over_array(self->size, self->ndim, set, &length);
    int64_t *count = arena_array(k->arena, int64_t, length);
    for (int d = 0; d < self->ndim; d++) {
        all *= set >> d & 1 ? self->size[d] : 1;
    }
    const Tensor *walked[2] = {self, &slots};
    for (Walk w = walk_start(self->size, self->ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        count[w.at[1]] += kernel_order_is_true(self, w.at[0]);
    }
    for (int64_t i = 0; i < tensor_numel(out); i++) {
        int64_t answer = query == ANY ? count[i] > 0 : query == ALL ? count[i] == all : count[i];
        element_store_int(out->storage->data, out->dtype, out->offset + i, answer);
    }
    return ERR_none;
}

ErrCode kernel_any(const Call *call, Tensor *const *out, KernelCtx *k) {
    return count_answers(call, out[0], ANY, k);
}
ErrCode kernel_all(const Call *call, Tensor *const *out, KernelCtx *k) {
    return count_answers(call, out[0], ALL, k);
}
ErrCode kernel_count_true(const Call *call, Tensor *const *out, KernelCtx *k) {
    return count_answers(call, out[0], COUNT, k);
}
