/* Generalizes from samples: an expression for every number that differs among them, and guards from
 * how the numbers compare.
 *
 * Each expression is once in a table, found by its values in the samples; so are the constants that
 * numbers are compared with. */
#include "compiled/runtime/symbols.h"
#include "tensor/array.h"

#include <string.h>

/* ---- a table of expressions, each once ---- */

typedef struct FitTable {
    Arena *arena;
    const SamplePoints *points;
    Expr **expr;
    int64_t **value; /* by expression, by sample */
    bool *equated;   /* by expression: it may have been compared for equality */
    int n, capacity;
} FitTable;

static Expr *table_add(FitTable *t, const int64_t *value, const Expr *e) {
    t->value = array_reserve(t->arena, t->value, t->n, &(int){t->capacity}, 64, sizeof *t->value);
    t->equated =
        array_reserve(t->arena, t->equated, t->n, &(int){t->capacity}, 64, sizeof *t->equated);
    t->expr = array_reserve(t->arena, t->expr, t->n, &t->capacity, 64, sizeof *t->expr);
    t->equated[t->n] = false;
    t->expr[t->n] = arena_copy(t->arena, e, (int64_t)sizeof *e);
    t->value[t->n] = arena_copy(t->arena, value, (int64_t)sizeof *value * MAX_SAMPLES);
    return t->expr[t->n++];
}

/* The expression with these values, which are of this kind; NULL if there is none. */
static Expr *table_find(FitTable *t, const int64_t *value, int kind) {
    for (int i = 0; i < t->n; i++) {
        if (memcmp(t->value[i], value, sizeof *value * (size_t)t->points->n) == 0) {
            t->equated[i] |= kind != NUMBER_ORDER;
            return t->expr[i];
        }
    }
    Expr e;
    bool constant = true;
    for (int k = 1; k < t->points->n; k++) {
        constant &= value[k] == value[0];
    }
    if (constant) {
        e = expr_constant(value[0]);
    } else if (!expr_fit(t->points, value, &e)) {
        return NULL;
    }
    Expr *added = table_add(t, value, &e);
    t->equated[t->n - 1] = kind != NUMBER_ORDER;
    return added;
}

static Expr *table_constant(FitTable *t, int64_t v) {
    int64_t value[MAX_SAMPLES];
    for (int k = 0; k < MAX_SAMPLES; k++) {
        value[k] = v;
    }
    return table_find(t, value, NUMBER_OBSERVED);
}

/* Number `at` in all samples; false if it is the same everywhere. */
static bool across(const Numbers *const *numbers, const SamplePoints *points, int at,
                   int64_t *value) {
    bool differs = false;
    for (int k = 0; k < points->n; k++) {
        value[k] = numbers[k]->v[at];
        differs |= value[k] != value[0];
    }
    return differs;
}

/* A real that differs: a size, or a number divided by one. */
static bool fit_real(FitTable *t, const int64_t *bits, SymbolicNumber *out) {
    double v[MAX_SAMPLES];
    memcpy(v, bits, sizeof *v * (size_t)t->points->n);
    const double numerators[] = {0, 1, -1, 2, -2, v[0] * (double)t->points->at[0][0]};
    for (int i = 0; i < COUNT_OF(numerators); i++) {
        int64_t below[MAX_SAMPLES];
        bool fits = true;
        for (int k = 0; k < t->points->n && fits; k++) {
            double quotient = numerators[i] != 0 ? numerators[i] / v[k] : v[k];
            fits = quotient >= -1e9 && quotient <= 1e9;
            below[k] = fits ? (int64_t)(quotient + (quotient < 0 ? -0.5 : 0.5)) : 0;
            fits = fits &&
                   (numerators[i] != 0 ? below[k] != 0 && numerators[i] / (double)below[k] == v[k]
                                       : (double)below[k] == v[k]);
        }
        out->expr = fits ? table_find(t, below, NUMBER_INT) : NULL;
        out->numerator = numerators[i];
        if (out->expr) {
            return true;
        }
    }
    return false;
}

static int64_t fit_magnitude(int64_t v) { return v >= 0 ? v : v > INT64_MIN ? -v : INT64_MAX; }

/* Constants that the program's text compares sizes with. */
static void text_constants(FitTable *t, const Block *block) {
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
                        table_constant(t, fit_magnitude(part[q]->value));
                    }
                }
            }
            for (int k = 0; k < n; k++) {
                int64_t x = fit_magnitude(v[k].value);
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
static SymbolicNumber *fit_numbers(FitTable *t, const Numbers *const *numbers) {
    int64_t value[MAX_SAMPLES];
    SymbolicNumber *number = arena_array(t->arena, SymbolicNumber, numbers[0]->n);
    for (int i = 0; i < numbers[0]->n; i++) {
        if (!across(numbers, t->points, i, value)) {
            continue;
        }
        if (numbers[0]->kind[i] == NUMBER_REAL) {
            if (!fit_real(t, value, &number[i])) {
                return NULL;
            }
        } else if (!(number[i].expr = table_find(t, value, NUMBER_INT))) {
            return NULL;
        }
    }
    return number;
}

bool symbols_fit(const RuntimeSession *r, Symbols *s, const SamplePoints *points,
                 const SampleCompilation *sample) {
    FitTable t = {.arena = r->arena, .points = points};
    const Numbers *observed[MAX_SAMPLES], *captured[MAX_SAMPLES], *artifact[MAX_SAMPLES];
    int64_t value[MAX_SAMPLES];
    for (int k = 0; k < points->n; k++) {
        observed[k] = &sample[k].observed;
        captured[k] = &sample[k].captured;
        artifact[k] = &sample[k].artifact;
    }
    s->numbers = fit_numbers(&t, artifact);
    s->captured_numbers = s->numbers ? fit_numbers(&t, captured) : NULL;
    if (!s->captured_numbers) {
        return false;
    }
    for (int i = 0; i < observed[0]->n; i++) {
        across(observed, points, i, value);
        if (!table_find(&t, value, observed[0]->kind[i]) && observed[0]->kind[i] == NUMBER_INT) {
            return false;
        }
    }
    for (int i = 0; i < s->n; i++) { /* even if no op read it */
        for (int k = 0; k < points->n; k++) {
            value[k] = points->at[k][i];
        }
        table_find(&t, value, NUMBER_OBSERVED);
    }
    table_constant(&t, 0);
    table_constant(&t, 1);
    text_constants(&t, &r->p->setup);
    text_constants(&t, &r->p->body);
    text_constants(&t, &r->p->after);
    s->expr = t.expr;
    s->nexpr = t.n;
    guards_make(s, r->arena, t.expr, t.value, t.equated, t.n, points->n);
    return true;
}
