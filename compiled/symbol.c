/* Automatic symbolic sizes: which sizes become symbols, the specimens, and the graph brought to the sizes of a call.
 *
 * Specimens are drawn in families: sizes far from the call's with any remainders; if one of them is another graph, or a number has no
 * expression, sizes that leave the remainders of the call's modulo 2, 3, then 12 (which the guards then demand); then sizes close by,
 * since whatever is compared with a constant near the call's size needs them. The first family whose specimens all have the call's
 * graph is taken. Specimens are compiled when a call comes that differs in such a size and in nothing else: most never meet one. */
#include "compiled/symbol.h"
#include "compiled/world.h"

#include <stdio.h>
#include <string.h>

/* ---- which sizes ---- */

static bool same_region(const CaptureInput *a, const CaptureInput *b) {
    return a->setup == b->setup && a->resume == b->resume && a->n == b->n;
}

/* Has an earlier compilation of the region seen another size there? */
static bool wobbles(const Runner *r, const CaptureInput *in, int i, int d) {
    for (const Artifact *a = r->cache; a; a = a->next) {
        const CaptureInput *was = &a->made_for;
        if (same_region(was, in) && was->tensors[i].ndim == in->tensors[i].ndim && was->tensors[i].size[d] != in->tensors[i].size[d]) {
            return true;
        }
    }
    return false;
}

static Symbols *refuse(Runner *r, Specialization why) {
    r->counters->specialized[why]++;
    return NULL;
}

/* stride[d] of tensor i as a size times a stride of a tensor on the same storage, all smaller strides being known; NULL: a number. */
static Expr *symbolic_stride(const Symbols *s, const CaptureInput *in, int i, int d, Arena *arena) {
    const Tensor *t = &in->tensors[i];
    for (int j = 0; j < in->n; j++) {
        const Tensor *u = &in->tensors[j];
        for (int e = 0; u->storage == t->storage && e < u->ndim; e++) {
            int symbol = s->dim[j][e];
            const Expr *inner = s->stride[j][e];
            int64_t within;
            if ((symbol < 0 && !inner) || u->stride[e] >= t->stride[d] || !checked_mul(u->size[e], u->stride[e], &within) ||
                within != t->stride[d]) {
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

Symbols *symbols_find(Runner *r, const CaptureInput *in) {
    bool any = false;
    for (int i = 0; i < in->n && !any; i++) {
        for (int d = 0; d < in->tensors[i].ndim; d++) {
            any |= wobbles(r, in, i, d);
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
        if (in->entry[i].history_meta || in->entry[i].leaf_meta) {
            return refuse(r, SPECIALIZED_history);
        }
        if (storage_spare(in, i) != 0) {
            return refuse(r, SPECIALIZED_storage);
        }
        for (int d = 0; d < t->ndim; d++) {
            s->dim[i][d] = -1;
            if (t->size[d] < 2 || !wobbles(r, in, i, d)) {
                continue;
            }
            int k = 0;
            while (k < s->n && s->hint[k] != t->size[d]) {
                k++;
            }
            if (k == MAX_SYMBOLS) {
                return refuse(r, SPECIALIZED_symbols);
            }
            s->n = k == s->n ? k + 1 : s->n;
            s->hint[k] = t->size[d];
            s->dim[i][d] = (signed char)k;
        }
    }
    if (s->n == 0) {
        return refuse(r, SPECIALIZED_zero_one);
    }
    symbolic_strides(s, in, r->arena);
    return s;
}

/* ---- specimens ---- */

/* The same call at other sizes: metadata, no data. */
static bool resize(const CaptureInput *in, const Symbols *s, const int64_t *value, Arena *arena, CaptureInput *out) {
    Tensor *t = arena_copy(arena, in->tensors, (int64_t)sizeof *t * in->n);
    *out = *in;
    out->tensors = t;
    out->specimen = true;
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
        int leader = 0;
        while (in->tensors[leader].storage != in->tensors[i].storage) {
            leader++;
        }
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

static bool same_shape(const Specimen *a, const Specimen *b) {
    return a->facts.shape == b->facts.shape && a->places.shape == b->places.shape && a->facts.n == b->facts.n && a->places.n == b->places.n;
}

static const int64_t steps[][2 * MAX_SYMBOLS] = {{1, 2, 3, 5}, {2, 5, 1, 3}, {3, 1, 5, 2}, {5, 3, 2, 1}};
/* `period`: all specimens leave what the call's sizes leave modulo this. Of steps up to NEAR nothing follows for sizes outside of theirs. */
enum { NEAR = 2 };
static const struct {
    int64_t step, period;
} families[] = {{11, 1}, {22, 2}, {33, 3}, {12, 12}, {2, 2}, {1, 1}, {-1, 1}};

/* Compiles specimen `k`, of the sizes at[k]: is it the graph of the call? */
static bool draw_specimen(Runner *r, const CaptureInput *in, const Symbols *s, const Sample *sample, int k, Specimen *specimen) {
    CaptureInput at;
    for (int i = 0; i < s->n; i++) {
        if (sample->at[k][i] < 2) {
            return false;
        }
    }
    if (!resize(in, s, sample->at[k], r->arena, &at)) {
        return false;
    }
    specimen_compile(r, &at, specimen[0].first_step, &specimen[k]);
    return same_shape(&specimen[0], &specimen[k]);
}

/* The specimens of a family: false if one of them is another graph. */
static bool draw_family(Runner *r, const CaptureInput *in, const Symbols *s, int64_t step, Sample *sample, Specimen *specimen) {
    for (int k = 1; k < sample->n; k++) {
        for (int i = 0; i < s->n; i++) {
            sample->at[k][i] = s->hint[i] + step * steps[k - 1][i];
        }
        if (!draw_specimen(r, in, s, sample, k, specimen)) {
            return false;
        }
    }
    return true;
}

/* One more of the least sizes: the guards then need not refuse them. */
static bool draw_least(Runner *r, const CaptureInput *in, const Symbols *s, Sample *sample, Specimen *specimen) {
    for (int i = 0; i < s->n; i++) {
        sample->at[sample->n][i] = 2 + (s->period > 1 ? (s->hint[i] + 10 * s->period - 2) % s->period : i % 2);
    }
    return draw_specimen(r, in, s, sample, sample->n, specimen);
}

/* ---- what they have in common ---- */

typedef struct Table {
    Arena *arena;
    const Sample *sample;
    Expr **expr;
    int64_t **value; /* by expression, by specimen */
    bool *equated;   /* by expression: something may have been asked to be equal to it */
    int n, capacity;
} Table;

static Expr *table_add(Table *t, const int64_t *value, const Expr *e) {
    if (t->n == t->capacity) {
        int capacity = t->capacity ? 2 * t->capacity : 64;
        Expr **expr = arena_array(t->arena, Expr *, capacity);
        int64_t **values = arena_array(t->arena, int64_t *, capacity);
        bool *equated = arena_array(t->arena, bool, capacity);
        for (int i = 0; i < t->n; i++) {
            expr[i] = t->expr[i];
            values[i] = t->value[i];
            equated[i] = t->equated[i];
        }
        t->expr = expr;
        t->value = values;
        t->equated = equated;
        t->capacity = capacity;
    }
    t->expr[t->n] = arena_copy(t->arena, e, (int64_t)sizeof *e);
    t->value[t->n] = arena_copy(t->arena, value, (int64_t)sizeof *value * MAX_SPECIMENS);
    return t->expr[t->n++];
}

/* The expression with these values, which are of this kind; NULL if there is none. */
static Expr *table_find(Table *t, const int64_t *value, int kind) {
    for (int i = 0; i < t->n; i++) {
        if (memcmp(t->value[i], value, sizeof *value * (size_t)t->sample->n) == 0) {
            t->equated[i] |= kind != NUMBER_ORDER;
            return t->expr[i];
        }
    }
    Expr e;
    bool constant = true;
    for (int k = 1; k < t->sample->n; k++) {
        constant &= value[k] == value[0];
    }
    if (constant) {
        e = expr_constant(value[0]);
    } else if (!expr_fit(t->sample, value, &e)) {
        return NULL;
    }
    Expr *added = table_add(t, value, &e);
    t->equated[t->n - 1] = kind != NUMBER_ORDER;
    return added;
}

static Expr *table_constant(Table *t, int64_t v) {
    int64_t value[MAX_SPECIMENS];
    for (int k = 0; k < MAX_SPECIMENS; k++) {
        value[k] = v;
    }
    return table_find(t, value, NUMBER_FACT);
}

/* Number `at` in all specimens; false if it is one everywhere. */
static bool across(const Numbers *const *numbers, const Sample *sample, int at, int64_t *value) {
    bool differs = false;
    for (int k = 0; k < sample->n; k++) {
        value[k] = numbers[k]->v[at];
        differs |= value[k] != value[0];
    }
    return differs;
}

/* A real that differs: a size, or a number divided by one. */
static bool fit_real(Table *t, const int64_t *bits, Place *out) {
    double v[MAX_SPECIMENS];
    memcpy(v, bits, sizeof *v * (size_t)t->sample->n);
    const double numerators[] = {0, 1, -1, 2, -2, v[0] * (double)t->sample->at[0][0]};
    for (int i = 0; i < COUNT_OF(numerators); i++) {
        int64_t below[MAX_SPECIMENS];
        bool fits = true;
        for (int k = 0; k < t->sample->n && fits; k++) {
            double quotient = numerators[i] != 0 ? numerators[i] / v[k] : v[k];
            fits = quotient >= -1e9 && quotient <= 1e9;
            below[k] = fits ? (int64_t)(quotient + (quotient < 0 ? -0.5 : 0.5)) : 0;
            fits = fits && (numerators[i] != 0 ? below[k] != 0 && numerators[i] / (double)below[k] == v[k] : (double)below[k] == v[k]);
        }
        out->expr = fits ? table_find(t, below, NUMBER_INT) : NULL;
        out->numerator = numerators[i];
        if (out->expr) {
            return true;
        }
    }
    return false;
}

static int64_t magnitude(int64_t v) { return v >= 0 ? v : v > INT64_MIN ? -v : INT64_MAX; }

/* Constants that the program's text compares sizes with. */
static void text_constants(Table *t, const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        int64_t sum = 0;
        for (int p = 0; s->kind == STMT_OP && p < s->op->nparam; p++) {
            const PArg *arg = &s->arg[p];
            ArgType type = s->op->param[p].type;
            const PInt *v = NULL;
            int n = 0;
            if (!arg->given || arg->is_none) {
                continue;
            }
            if (type == ARG_INT || type == ARG_INT_OPT) {
                v = &arg->i;
                n = 1;
            } else if (type == ARG_INTS || type == ARG_INTS_OPT) {
                v = arg->ints.v;
                n = arg->ints.n;
            } else if (type == ARG_INDEX) {
                for (int k = 0; k < arg->index.n; k++) {
                    const PIndexItem *item = &arg->index.v[k];
                    const PInt *const part[] = {&item->start, &item->stop, &item->step};
                    for (int q = 0; q < COUNT_OF(part); q++) {
                        table_constant(t, magnitude(part[q]->value));
                    }
                }
            }
            for (int k = 0; k < n; k++) {
                int64_t x = magnitude(v[k].value);
                table_constant(t, x);
                sum += x < INT32_MAX ? x : 0;
            }
        }
        table_constant(t, sum); /* start + length */
        text_constants(t, &s->body);
        text_constants(t, &s->orelse);
    }
}

/* The expressions of all numbers; NULL if some number has none. */
static Place *find_places(Table *t, const Numbers *const *numbers) {
    int64_t value[MAX_SPECIMENS];
    Place *place = arena_array(t->arena, Place, numbers[0]->n);
    for (int i = 0; i < numbers[0]->n; i++) {
        if (!across(numbers, t->sample, i, value)) {
            continue;
        }
        if (numbers[0]->kind[i] == NUMBER_REAL) {
            if (!fit_real(t, value, &place[i])) {
                return NULL;
            }
        } else if (!(place[i].expr = table_find(t, value, NUMBER_INT))) {
            return NULL;
        }
    }
    return place;
}

static bool find_expressions(Runner *r, Symbols *s, const Sample *sample, const Specimen *specimen) {
    Table t = {.arena = r->arena, .sample = sample};
    const Numbers *facts[MAX_SPECIMENS], *captured[MAX_SPECIMENS], *places[MAX_SPECIMENS];
    int64_t value[MAX_SPECIMENS];
    for (int k = 0; k < sample->n; k++) {
        facts[k] = &specimen[k].facts;
        captured[k] = &specimen[k].captured;
        places[k] = &specimen[k].places;
    }
    s->place = find_places(&t, places);
    s->captured_place = s->place ? find_places(&t, captured) : NULL;
    if (!s->captured_place) {
        return false;
    }
    for (int i = 0; i < facts[0]->n; i++) {
        across(facts, sample, i, value);
        table_find(&t, value, facts[0]->kind[i]);
    }
    for (int i = 0; i < s->n; i++) { /* also where no op has met it */
        for (int k = 0; k < sample->n; k++) {
            value[k] = sample->at[k][i];
        }
        table_find(&t, value, NUMBER_FACT);
    }
    table_constant(&t, 0);
    table_constant(&t, 1);
    text_constants(&t, &r->p->setup);
    text_constants(&t, &r->p->body);
    s->expr = t.expr;
    s->nexpr = t.n;
    guards_make(s, r->arena, t.expr, t.value, t.equated, t.n, sample->n);
    return true;
}

/* What the specimens of some family have in common. */
static bool generalize(Runner *r, Symbols *s, const CaptureInput *in, Specimen *specimen, Specialization *why) {
    *why = SPECIALIZED_structure;
    for (int f = 0; f < COUNT_OF(families); f++) {
        Sample sample = {.nsymbol = s->n, .n = s->n > 1 ? 5 : 4, .period = families[f].period};
        memcpy(sample.at[0], s->hint, sizeof s->hint);
        s->period = families[f].period;
        if (!draw_family(r, in, s, families[f].step, &sample, specimen)) {
            continue;
        }
        int least = sample.n;
        bool near = families[f].step <= NEAR;
        for (int i = 0; i < s->n; i++) {
            int64_t last = sample.at[0][i];
            for (int k = 1; k < sample.n; k++) {
                last = families[f].step < 0 ? min_i64(last, sample.at[k][i]) : max_i64(last, sample.at[k][i]);
            }
            s->least[i] = near ? min_i64(s->hint[i], last) : 2;
            s->most[i] = near ? max_i64(s->hint[i], last) : INT64_MAX;
        }
        if (!near && draw_least(r, in, s, &sample, specimen)) {
            sample.n++;
            if (find_expressions(r, s, &sample, specimen)) {
                return true;
            }
        }
        sample.n = least;
        if (find_expressions(r, s, &sample, specimen)) {
            return true;
        }
        *why = SPECIALIZED_number;
    }
    return false;
}

Symbols *symbols_begin(Runner *r, const Compile *c, Symbols *symbols, const Specimen *own) {
    const Capture *cap = c->capture;
    if (cap->end != END_OK && cap->end != END_BREAK) {
        return refuse(r, SPECIALIZED_raises);
    }
    if (cap->questions) {
        return refuse(r, SPECIALIZED_value);
    }
    symbols->own = own;
    symbols->captured = own->graph;
    bool writes = false;
    for (int k = 0; k < c->graph->ninputs; k++) {
        writes |= c->graph->written[k] != NULL;
    }
    symbols->skips_zero_one = fault(c, FAULT_GU_5a);
    symbols->skips_equal = fault(c, FAULT_GU_11) && !writes;
    symbols->skips_strides = fault(c, FAULT_SH_4);
    symbols->graph = graph_clone(c->graph, r->arena);
    graph_clear_map(c->graph);
    memcpy(symbols->loops, symbols->hint, sizeof symbols->loops);
    return symbols;
}

bool symbols_settle(Runner *r, Artifact *a, const CaptureInput *in) {
    Symbols *s = a->symbols;
    Specimen specimen[MAX_SPECIMENS] = {*s->own};
    Specialization why;
    s->own = NULL;
    if (!generalize(r, s, in, specimen, &why)) {
        a->symbols = refuse(r, why);
        return false;
    }
    r->counters->symbolic++;
    if (s->tell) {
        *s->tell = true;
    }
    return true;
}

/* ---- a call ---- */

bool symbols_serve(Runner *r, Artifact *a, const CaptureInput *in) {
    Symbols *s = a->symbols;
    Compile *c = a->capture->c;
    MissReason why;
    if (!guard_match(&a->made_for, s, in, &why)) {
        return false;
    }
    bool other = memcmp(s->now, s->loops, sizeof *s->now * (size_t)s->n) != 0;
    if (s->own && !other) {
        return true;
    }
    if ((s->own && !symbols_settle(r, a, &a->made_for)) || !guards_hold(c, s, &why)) {
        return false;
    }
    if (!other) {
        return true;
    }
    memset(s->loops, 0, sizeof s->loops);
    c->graph = graph_clone(s->graph, r->arena);
    graph_clear_map(s->graph);
    walk_write(s->place, c, (Exit *)a->exit, r->arena);
    walk_write_nodes(s->captured_place, s->captured, r->arena);
    if (!compile_again(a, in)) {
        return false;
    }
    memcpy(s->loops, s->now, sizeof s->loops);
    r->counters->instances++;
    return true;
}

/* ---- as text ---- */

enum { HANDLE_DIGITS = 19 };
static const int64_t first_handle = 4611686018427000000; /* no number of a graph: sizes are below 2^40 */

void symbols_print(Text *text, const Symbols *s, const Compile *c, Exit *exit) {
    Arena *arena = c->arena;
    for (int i = 0; i < s->n; i++) {
        text_printf(text, "  s%d = %lld, %lld or more", i, (long long)s->hint[i], (long long)s->least[i]);
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
        text_printf(text, "  guard s%d %% %lld == %lld\n", i, (long long)s->period, (long long)(s->hint[i] % s->period));
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
        s->expr[i]->value = first_handle + i;
    }
    Text graph = {.arena = arena};
    walk_write(s->place, c, exit, arena);
    graph_print(&graph, c->graph, c->program);
    for (const char *at = graph.v ? graph.v : ""; *at;) {
        long long v;
        if (strncmp(at, "4611686018427", 13) == 0 && sscanf(at, "%19lld", &v) == 1 && v >= first_handle && v < first_handle + s->nexpr) {
            expr_print(text, s->expr[v - first_handle]);
            at += HANDLE_DIGITS;
        } else {
            text_addn(text, at++, 1);
        }
    }
    for (int i = 0; i < s->nexpr; i++) {
        CHECK(expr_evaluate(s->expr[i], s->hint, s->n));
    }
    walk_write(s->place, c, exit, arena);
}
