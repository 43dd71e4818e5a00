/* Automatic symbolic sizes: which sizes become symbols, the sample compilations, and the graph
 * brought to the sizes of a call.
 *
 * Samples are drawn in families: sizes far from the call's with any remainders; if one of them has
 * another graph, or a number has no expression, sizes with the same remainders as the call's modulo
 * 2, 3, then 12 (which the guards then require); then sizes close by, which are needed where
 * something is compared with a constant near the call's size. The first family whose samples all
 * have the call's graph is used. Samples are compiled when a call comes that differs only in such a
 * size: most regions never need them. */
#include "compiled/runtime/symbols.h"

#include <stdio.h>
#include <string.h>

/* ---- which sizes ---- */

static bool same_region(const CaptureInput *a, const CaptureInput *b) {
    return a->setup == b->setup && a->resume == b->resume && a->gradient == b->gradient &&
           a->n == b->n;
}

/* Did an earlier compilation of the region have another size there? */
static bool size_varies(const RuntimeSession *r, const CaptureInput *in, int i, int d) {
    for (const Artifact *a = r->cache; a; a = a->next) {
        const CaptureInput *was = &a->made_for;
        if (same_region(was, in) && was->tensors[i].ndim == in->tensors[i].ndim &&
            was->tensors[i].size[d] != in->tensors[i].size[d]) {
            return true;
        }
    }
    return false;
}

static Symbols *symbol_refuse(RuntimeSession *r, Specialization why) {
    r->counters->specialized[why]++;
    return NULL;
}

/* stride[d] of tensor i as a size times a stride of a tensor on the same storage, all smaller
 * strides being known; NULL: a number. */
static Expr *symbolic_stride(const Symbols *s, const CaptureInput *in, int i, int d, Arena *arena) {
    const Tensor *t = &in->tensors[i];
    for (int j = 0; j < in->n; j++) {
        const Tensor *u = &in->tensors[j];
        for (int e = 0; u->storage == t->storage && e < u->ndim; e++) {
            int symbol = s->dim[j][e];
            const Expr *inner = s->stride[j][e];
            int64_t within;
            if ((symbol < 0 && !inner) || u->stride[e] >= t->stride[d] ||
                !checked_mul(u->size[e], u->stride[e], &within) || within != t->stride[d]) {
                continue;
            }
            Expr *out = arena_new(arena, Expr);
            *out = inner ? *inner : (Expr){.nterm = 1, .divisor = 1, .term = {{.c = u->stride[e]}}};
            if (symbol >= 0) {
                out->term[0].power[symbol]++;
            } else {
                out->term[0].c *= u->size[e];
            }
            return out;
        }
    }
    return NULL;
}

/* By increasing stride. */
static void symbolic_strides(Symbols *s, const CaptureInput *in, Arena *arena) {
    for (int64_t least = -1;;) {
        int64_t next = INT64_MAX;
        for (int i = 0; i < in->n; i++) {
            for (int d = 0; d < in->tensors[i].ndim; d++) {
                int64_t stride = in->tensors[i].stride[d];
                next = stride > least && stride < next ? stride : next;
            }
        }
        if (next == INT64_MAX) {
            return;
        }
        for (int i = 0; i < in->n; i++) {
            for (int d = 0; d < in->tensors[i].ndim; d++) {
                if (in->tensors[i].stride[d] == next) {
                    s->stride[i][d] = symbolic_stride(s, in, i, d, arena);
                }
            }
        }
        least = next;
    }
}

Symbols *symbols_find(RuntimeSession *r, const CaptureInput *in) {
    bool any = false;
    for (int i = 0; i < in->n && !any; i++) {
        for (int d = 0; d < in->tensors[i].ndim; d++) {
            any |= size_varies(r, in, i, d);
        }
    }
    if (!any) {
        return NULL;
    }
    Symbols *s = arena_new(r->arena, Symbols);
    s->dim = arena_alloc(r->arena, (int64_t)sizeof *s->dim * in->n);
    s->stride = arena_alloc(r->arena, (int64_t)sizeof *s->stride * in->n);
    for (int i = 0; i < in->n; i++) {
        const Tensor *t = &in->tensors[i];
        if (in->entry[i].record.grad_fn_meta || in->entry[i].record.accumulator_meta) {
            return symbol_refuse(r, SPECIALIZED_history);
        }
        if (storage_spare(in, i) != 0) {
            return symbol_refuse(r, SPECIALIZED_storage);
        }
        for (int d = 0; d < t->ndim; d++) {
            s->dim[i][d] = -1;
            if (t->size[d] < 2 || !size_varies(r, in, i, d)) {
                continue;
            }
            int k = 0;
            while (k < s->n && s->hint[k] != t->size[d]) {
                k++;
            }
            if (k == MAX_SYMBOLS) {
                return symbol_refuse(r, SPECIALIZED_symbols);
            }
            s->n = k == s->n ? k + 1 : s->n;
            s->hint[k] = t->size[d];
            s->dim[i][d] = (signed char)k;
        }
    }
    if (s->n == 0) {
        return symbol_refuse(r, SPECIALIZED_zero_one);
    }
    symbolic_strides(s, in, r->arena);
    return s;
}

/* ---- sample compilations ---- */

/* The same call at other sizes: metadata, no data. */
static bool resize(const CaptureInput *in, const Symbols *s, const int64_t *value, Arena *arena,
                   CaptureInput *out) {
    Tensor *t = arena_copy(arena, in->tensors, (int64_t)sizeof *t * in->n);
    *out = *in;
    out->tensors = t;
    out->sample = true;
    for (int i = 0; i < in->n; i++) {
        for (int d = 0; d < t[i].ndim; d++) {
            t[i].size[d] = s->dim[i][d] >= 0 ? value[(int)s->dim[i][d]] : t[i].size[d];
            Expr *e = s->stride[i][d];
            if (e && !expr_evaluate(e, value, s->n)) {
                return false;
            }
            t[i].stride[d] = e ? e->value : t[i].stride[d];
        }
    }
    for (int i = 0; i < in->n; i++) {
        int leader = storage_leader(in->tensors, i);
        if (leader == i) {
            Storage *storage = arena_new(arena, Storage);
            storage->dtype = t[i].dtype;
            t[i].storage = storage;
        } else {
            t[i].storage = t[leader].storage;
        }
    }
    for (int i = 0; i < in->n; i++) {
        t[i].storage->numel -= storage_spare(out, i);
    }
    return true;
}

static bool same_shape(const SampleCompilation *a, const SampleCompilation *b) {
    return a->observed.shape == b->observed.shape && a->artifact.shape == b->artifact.shape &&
           a->observed.n == b->observed.n && a->artifact.n == b->artifact.n;
}

static const int64_t steps[][2 * MAX_SYMBOLS] = {
    {1, 2, 3, 5}, {2, 5, 1, 3}, {3, 1, 5, 2}, {5, 3, 2, 1}};
/* `period`: all samples have the same remainders modulo this as the call. Samples up to NEAR apart
 * say nothing about sizes outside their range. */
enum { NEAR = 2 };
static const struct {
    int64_t step, period;
} families[] = {{11, 1}, {22, 2}, {33, 3}, {12, 12}, {2, 2}, {1, 1}, {-1, 1}};

/* Compiles sample `k` at sizes at[k]: does it have the graph of the call? */
static bool draw_sample(RuntimeSession *r, const CaptureInput *in, const Symbols *s,
                        const SamplePoints *points, int k, SampleCompilation *sample) {
    CaptureInput at;
    for (int i = 0; i < s->n; i++) {
        if (points->at[k][i] < 2) {
            return false;
        }
    }
    if (!resize(in, s, points->at[k], r->arena, &at)) {
        return false;
    }
    sample_compile(r, &at, sample[0].first_step, &sample[k]);
    return same_shape(&sample[0], &sample[k]);
}

/* The samples of a family: false if one of them has another graph. */
static bool draw_family(RuntimeSession *r, const CaptureInput *in, const Symbols *s, int64_t step,
                        SamplePoints *points, SampleCompilation *sample) {
    for (int k = 1; k < points->n; k++) {
        for (int i = 0; i < s->n; i++) {
            points->at[k][i] = s->hint[i] + step * steps[k - 1][i];
        }
        if (!draw_sample(r, in, s, points, k, sample)) {
            return false;
        }
    }
    return true;
}

/* One more sample at the least sizes, so that the guards need not exclude them. */
static bool draw_least(RuntimeSession *r, const CaptureInput *in, const Symbols *s,
                       SamplePoints *points, SampleCompilation *sample) {
    for (int i = 0; i < s->n; i++) {
        points->at[points->n][i] =
            2 + (s->period > 1 ? (s->hint[i] + 10 * s->period - 2) % s->period : i % 2);
    }
    return draw_sample(r, in, s, points, points->n, sample);
}

/* ---- the code for all of them ---- */

/* Fits expressions and guards to the first family that allows it. */
static bool symbols_fit_families(RuntimeSession *r, Symbols *s, const CaptureInput *in,
                                 SampleCompilation *sample, Specialization *why) {
    *why = SPECIALIZED_structure;
    for (int f = 0; f < COUNT_OF(families); f++) {
        SamplePoints points = {
            .nsymbol = s->n, .n = s->n > 1 ? 5 : 4, .period = families[f].period};
        memcpy(points.at[0], s->hint, sizeof s->hint);
        s->period = families[f].period;
        if (!draw_family(r, in, s, families[f].step, &points, sample)) {
            continue;
        }
        int least = points.n;
        bool near = families[f].step <= NEAR;
        for (int i = 0; i < s->n; i++) {
            int64_t last = points.at[0][i];
            for (int k = 1; k < points.n; k++) {
                last = families[f].step < 0 ? min_i64(last, points.at[k][i])
                                            : max_i64(last, points.at[k][i]);
            }
            s->least[i] = near ? min_i64(s->hint[i], last) : 2;
            s->most[i] = near ? max_i64(s->hint[i], last) : INT64_MAX;
        }
        if (!near && draw_least(r, in, s, &points, sample)) {
            points.n++;
            if (symbols_fit(r, s, &points, sample)) {
                return true;
            }
        }
        points.n = least;
        if (symbols_fit(r, s, &points, sample)) {
            return true;
        }
        *why = SPECIALIZED_number;
    }
    return false;
}

Symbols *symbols_start(RuntimeSession *r, const Compile *c, Symbols *symbols,
                       const SampleCompilation *own) {
    const Capture *cap = c->capture;
    if (cap->end != END_OK && cap->end != END_BREAK) {
        return symbol_refuse(r, SPECIALIZED_raises);
    }
    if (cap->recasts) {
        return symbol_refuse(r, SPECIALIZED_memory);
    }
    if (cap->data_dependents) {
        return symbol_refuse(r, SPECIALIZED_value);
    }
    if (cap->emit.size_decisions) {
        return symbol_refuse(r, SPECIALIZED_structure);
    }
    symbols->first_sample = own;
    symbols->captured = own->graph;
    bool writes = false;
    for (int k = 0; k < c->graph->ninputs; k++) {
        writes |= c->graph->written[k] != NULL;
    }
    symbols->compile = c;
    symbols->skips_zero_one = fault(c, FAULT_GU_5a);
    symbols->skips_equal = fault(c, FAULT_GU_11) && !writes;
    symbols->skips_strides = fault(c, FAULT_SH_4);
    symbols->graph = graph_clone(c->graph, r->arena);
    graph_clear_map(c->graph);
    memcpy(symbols->lowered_for, symbols->hint, sizeof symbols->lowered_for);
    return symbols;
}

bool symbols_generalize(RuntimeSession *r, Artifact *a, const CaptureInput *in) {
    Symbols *s = a->symbols;
    SampleCompilation sample[MAX_SAMPLES] = {*s->first_sample};
    Specialization why;
    s->first_sample = NULL;
    if (!symbols_fit_families(r, s, in, sample, &why)) {
        a->symbols = symbol_refuse(r, why);
        return false;
    }
    r->counters->symbolic++;
    if (s->call_symbolic) {
        *s->call_symbolic = true;
    }
    return true;
}

/* ---- a call ---- */

bool symbols_serve(RuntimeSession *r, Artifact *a, const CaptureInput *in) {
    Symbols *s = a->symbols;
    Compile *c = a->capture->c;
    MissReason why;
    if (!guard_match(&a->made_for, s, in, &why)) {
        return false;
    }
    bool other = memcmp(s->size, s->lowered_for, sizeof *s->size * (size_t)s->n) != 0;
    if (s->first_sample && !other) {
        return true;
    }
    if ((s->first_sample && !symbols_generalize(r, a, &a->made_for)) || !guards_hold(c, s, &why)) {
        return false;
    }
    if (!other) {
        return true;
    }
    memset(s->lowered_for, -1, sizeof s->lowered_for); /* 0 may be a size of a call */
    c->graph = graph_clone(s->graph, r->arena);
    graph_clear_map(s->graph);
    write_artifact_numbers(s->numbers, c, (ExitTensor *)a->exit, r->arena);
    write_graph_numbers(s->captured_numbers, s->captured, r->arena);
    if (!instance_compile(a, in)) {
        return false;
    }
    memcpy(s->lowered_for, s->size, sizeof s->lowered_for);
    r->counters->instances++;
    return true;
}

/* ---- as text ---- */

enum { HANDLE_DIGITS = 19 };
static const int64_t first_binding =
    4611686018427000000; /* no number of a graph: sizes are below 2^40 */

void symbols_print(Text *text, const Symbols *s, const Compile *c, ExitTensor *exit) {
    Arena *arena = c->arena;
    for (int i = 0; i < s->n; i++) {
        text_printf(text, "  s%d = %lld, %lld or more", i, (long long)s->hint[i],
                    (long long)s->least[i]);
        if (s->most[i] < INT64_MAX) {
            text_printf(text, ", up to %lld", (long long)s->most[i]);
        }
        text_add(text, ":");
        const CaptureInput *in = &c->capture->in;
        for (int k = 0; k < in->nname; k++) {
            for (int d = 0; d < in->tensors[in->named[k]].ndim; d++) {
                if (s->dim[in->named[k]][d] == i) {
                    text_printf(text, " %s[%d]", c->program->names[in->name[k]], d);
                }
            }
        }
        text_add(text, "\n");
    }
    for (int i = 0; i < s->n && s->period > 1; i++) {
        text_printf(text, "  guard s%d %% %lld == %lld\n", i, (long long)s->period,
                    (long long)(s->hint[i] % s->period));
    }
    for (int i = 0; i < s->nexpr; i++) {
        if (s->expr[i]->divisor > 1) {
            text_add(text, "  guard ");
            expr_print(text, s->expr[i]);
            text_add(text, " is whole\n");
        }
    }
    for (int i = 0; i < s->nguard; i++) {
        text_add(text, "  guard ");
        guard_print(text, &s->guard[i]);
        text_add(text, "\n");
    }
    for (int i = 0; i < s->nexpr; i++) { /* printed with numbers that stand for expressions */
        s->expr[i]->value = first_binding + i;
    }
    Text graph = {.arena = arena};
    write_artifact_numbers(s->numbers, c, exit, arena);
    graph_print(&graph, c->graph, c->program);
    for (const char *at = graph.v ? graph.v : ""; *at;) {
        long long v;
        if (strncmp(at, "4611686018427", 13) == 0 && sscanf(at, "%19lld", &v) == 1 &&
            v >= first_binding && v < first_binding + s->nexpr) {
            expr_print(text, s->expr[v - first_binding]);
            at += HANDLE_DIGITS;
        } else {
            text_addn(text, at++, 1);
        }
    }
    for (int i = 0; i < s->nexpr; i++) {
        CHECK(expr_evaluate(s->expr[i], s->hint, s->n));
    }
    write_artifact_numbers(s->numbers, c, exit, arena);
}
