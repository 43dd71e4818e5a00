/* Python indices: slices whose ends are cut or negative, integers, None, "...", lists and index
 * tensors with duplicates and negative values, masks; and the value that a setitem stores there.
 *
 * If an element is selected twice without accumulation the result is defined only if both writes
 * are equal, so the value is then a scalar or a tensor of equal elements. */
#include "fuzz/generate/draw.h"

static PIndexItem index_simple(IndexKind kind) {
    PIndexItem item = {.kind = kind, .tensor = NAME_NONE};
    item.start.size_of = item.stop.size_of = item.step.size_of = NAME_NONE;
    return item;
}

PIndexItem index_slice(int64_t start, int64_t stop, int64_t step) {
    PIndexItem item = index_simple(INDEX_SLICE);
    item.has_start = start != INT64_MIN;
    item.has_stop = stop != INT64_MIN;
    item.has_step = step != INT64_MIN;
    item.start.value = item.has_start ? start : 0;
    item.stop.value = item.has_stop ? stop : 0;
    item.step.value = item.has_step ? step : 0;
    return item;
}

PIndexItem index_int(int64_t i) {
    PIndexItem item = index_simple(INDEX_INT);
    item.start.value = i;
    return item;
}

PIndexItem index_var(const GenVar *v) {
    PIndexItem item = index_simple(INDEX_TENSOR);
    item.tensor = v->name;
    return item;
}

PIndexItem index_list(Gen *g, const int64_t *v, int n) {
    PIndexItem item = index_simple(INDEX_LIST);
    item.list = arena_copy(g->arena, v, (int64_t)sizeof(int64_t) * n);
    item.count = n;
    return item;
}

static PIndexItem random_slice(Gen *g, int64_t size) {
    int r = draw_below(g, 100);
    if (r < 25) {
        return index_slice(INT64_MIN, INT64_MIN, draw_chance(g, 20) ? 2 : INT64_MIN);
    }
    int64_t start = draw_chance(g, 30) ? INT64_MIN : draw_below(g, (int)size + 1);
    int64_t stop =
        draw_chance(g, 40) ? INT64_MIN : draw_between(g, start == INT64_MIN ? 0 : start, size + 1);
    if (start > 0 && draw_chance(g, 25)) {
        start -= size;
    }
    if (stop > 0 && stop <= size && draw_chance(g, 20)) {
        stop = stop == size ? INT64_MIN : stop - size;
    }
    if (g->situation.extremes) {
        start = start != INT64_MIN && draw_chance(g, 40) ? draw_extreme(g, size) : start;
        stop = stop != INT64_MIN && draw_chance(g, 40) ? draw_extreme(g, size) : stop;
    }
    return index_slice(start, stop, draw_chance(g, 30) ? draw_between(g, 1, 3) : INT64_MIN);
}

static PIndexItem random_list(Gen *g, int64_t size, int length, bool *distinct) {
    int64_t v[GEN_ITEMS];
    int64_t narrow = draw_chance(g, 30) ? min_i64(size, 2) : size;
    int64_t base = draw_below(g, (int)size);
    bool ordered = length <= size && !draw_chance(g, g->w[W_index_duplicates]);
    *distinct = length <= 1 || ordered;
    for (int i = 0; i < length; i++) {
        v[i] = ordered ? (base + i) % size : draw_below(g, (int)narrow);
        if (draw_chance(g, g->w[W_index_negative])) {
            v[i] -= size;
        }
    }
    return index_list(g, v, length);
}

typedef struct IndexDrawing {
    PIndexItem *items;
    int n;
    int length;    /* of lists and index tensors; 0: none yet */
    bool distinct; /* one of them does not repeat */
} IndexDrawing;

/* One list, tensor or mask for dim `d`; the number of dims it covers, or 0. */
static int advanced_item(Gen *g, const Tensor *t, int d, IndexDrawing *x) {
    int64_t size = t->size[d];
    if (size < 1) {
        return 0;
    }
    if (x->length == 0 && draw_chance(g, 10)) { /* a mask over one or two dims */
        int dims = d + 1 < t->ndim && draw_chance(g, 25) ? 2 : 1;
        GenVar *mask = draw_need(
            g, (Need){.dtype = DT_bool, .ndim = dims, .size = t->size + d, .plain = true});
        if (mask == NULL) {
            return 0;
        }
        x->items[x->n++] = index_var(mask);
        x->length = -1; /* nothing else broadcasts with it */
        x->distinct = true;
        return dims;
    }
    if (x->length == 0) {
        x->length = 1 + draw_below(g, 4);
    }
    int length = draw_chance(g, 10) ? 1 : x->length;
    if (!draw_chance(g, g->w[W_index_tensor])) {
        bool distinct;
        x->items[x->n++] = random_list(g, size, length, &distinct);
        x->distinct = x->distinct || (distinct && length == x->length);
        return 1;
    }
    int64_t shape[2] = {length, 1};
    int ndim = draw_chance(g, 10) ? 0 : 1;
    bool want = length <= size && draw_chance(g, 50);
    int64_t lo = want || draw_chance(g, 70) ? 0 : -size;
    GenVar *v = draw_index_tensor(g, draw_chance(g, 3) ? DT_uint8 : DT_int64, shape, ndim, lo,
                                  size - 1, want && ndim == 1 ? 0 : -1);
    if (v == NULL || v->t->dtype == DT_uint8) {
        return 0;
    }
    x->items[x->n++] = index_var(v);
    x->distinct = x->distinct || (length == x->length && ndim == 1 &&
                                  (want || var_data(g, v)->unique) && length <= size);
    return 1;
}

int draw_index(Gen *g, const Tensor *t, bool tensors, PIndexItem *items, bool *repeats) {
    IndexDrawing x = {items, 0, 0, false};
    bool advanced = tensors && draw_chance(g, 55);
    bool dots = false;
    int d = 0;
    while (d < t->ndim && x.n < GEN_ITEMS - 2) {
        int r = draw_below(g, 100);
        int64_t size = t->size[d];
        if (!dots && r < 6) {
            items[x.n++] = index_simple(INDEX_ELLIPSIS);
            dots = true;
            d += draw_below(g, t->ndim - d + 1);
        } else if (r < 10) {
            items[x.n++] = index_simple(INDEX_NEWAXIS);
        } else if (r < 25 && size > 0) {
            items[x.n++] = index_int(draw_between(g, -size, size - 1));
            d++;
        } else if (r < 68 && advanced && x.length >= 0) {
            int covered = advanced_item(g, t, d, &x);
            if (covered == 0) {
                items[x.n++] = random_slice(g, size);
                covered = 1;
            }
            d += covered;
        } else if (r < 95) {
            items[x.n++] = random_slice(g, size);
            d++;
        } else {
            break;
        }
    }
    if (x.n == 0) {
        items[x.n++] = t->ndim > 0
                           ? random_slice(g, t->size[0])
                           : index_simple(draw_chance(g, 50) ? INDEX_ELLIPSIS : INDEX_NEWAXIS);
    } else if (x.n < GEN_ITEMS && draw_chance(g, 2)) {
        items[x.n] = index_simple(INDEX_BOOL);
        items[x.n++].start.value = draw_chance(g, 80);
    }
    *repeats = x.length > 0 && !x.distinct;
    return x.n;
}

const Tensor *indexed_tensor(Gen *g, const Stmt *s) {
    bool python = s->op->param[1].type == ARG_INDEX;
    Stmt *probe = stmt_op(g, python ? OP_getitem : OP_index);
    probe->arg[0] = s->arg[0];
    probe->arg[1] = s->arg[1];
    Call call;
    Tensor *out[MAX_OUTPUTS];
    int n = 0;
    g->err.code = ERR_none;
    g->nmade = 0;
    g->fuzzy = false;
    if (stmt_bind(probe, g->p, g->env, g->arena, &call, &g->err) != ERR_none ||
        emit_call(&g->meta.emit, &call, out, &n) != ERR_none || n != 1) {
        return NULL;
    }
    return out[0];
}

bool draw_setitem_value(Gen *g, Stmt *s, bool repeats) {
    const Tensor *self = g->env[s->arg[0].tensor];
    const Tensor *slice = indexed_tensor(g, s);
    if (slice == NULL || tensor_numel(slice) > g->most) {
        return false;
    }
    bool fuzzy = g->fuzzy;
    if (fuzzy || draw_chance(g, 22)) {
        s->arg[2] = (PArg){.given = true, .scalar = draw_scalar(g, self->dtype)};
        return true;
    }
    bool advanced = false;
    for (int i = 0; i < s->arg[1].index.n; i++) {
        advanced = advanced || s->arg[1].index.v[i].kind >= INDEX_TENSOR;
    }
    Need need = {.dtype = self->dtype,
                 .ndim = slice->ndim,
                 .size = slice->size,
                 .broadcast = true,
                 .uniform = repeats};
    GenVar *v = advanced || repeats ? draw_need(g, need)
                                    : draw_operand(g, self->dtype, slice->size, slice->ndim);
    if (v == NULL) {
        return false;
    }
    s->arg[2] = (PArg){.given = true, .is_tensor = true, .tensor = v->name};
    return true;
}
