/* Expressions over symbols, fitted to values.
 *
 * A number of a graph is nearly always a monomial of the sizes with a factor and a constant (a
 * size, a product of sizes, a stride, one less, a half), or a sum of two (from cat). Monomials up
 * to degree 3 are tried alone, then in pairs: the coefficients follow from the first samples,
 * exactly, as fractions; the remaining samples must agree. An exact division is such a fraction as
 * long as the remainder does not change: a fraction is accepted only where all samples leave the
 * same remainder, and it has a guard. */
#include "compiled/symbolic/expr.h"

#include <string.h>

enum { MAX_MONOMIALS = 34 };

typedef struct Monomial {
    signed char power[MAX_SYMBOLS];
    int64_t v[MAX_SAMPLES];
} Monomial;

static int64_t power_product(const signed char *power, const int64_t *symbol, int n) {
    int64_t v = 1;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < power[i]; k++) {
            if (__builtin_mul_overflow(v, symbol[i], &v)) {
                return -1;
            }
        }
    }
    return v;
}

static int make_monomials(const SamplePoints *s, Monomial *out) {
    int n = 0;
    for (int degree = 1; degree <= 3; degree++) {
        int last = 1;
        for (int i = 0; i < s->nsymbol; i++) {
            last *= degree + 1;
        }
        for (int code = 1; code < last; code++) { /* exponents as the digits of a number */
            Monomial m = {.power = {0}};
            int sum = 0;
            for (int i = 0, rest = code; i < s->nsymbol; i++, rest /= degree + 1) {
                m.power[i] = (signed char)(rest % (degree + 1));
                sum += m.power[i];
            }
            if (sum == degree) {
                for (int k = 0; k < s->n; k++) {
                    m.v[k] = power_product(m.power, s->at[k], s->nsymbol);
                }
                out[n++] = m;
            }
        }
    }
    return n;
}

/* The fractions x/d and y/d (y's monomial may be NULL) and the constant that follows from the first
 * sample. */
static bool expr_finish(const SamplePoints *s, const int64_t *value, const Monomial *a, __int128 x,
                        const Monomial *b, __int128 y, __int128 d, Expr *out) {
    if (d < 0) {
        x = -x;
        y = -y;
        d = -d;
    }
    if (d == 0 || x > INT64_MAX || x < INT64_MIN || y > INT64_MAX || y < INT64_MIN ||
        d > INT64_MAX) {
        return false;
    }
    int64_t common = gcd_i64(gcd_i64((int64_t)x, (int64_t)y), (int64_t)d);
    x /= common;
    y /= common;
    d /= common;
    if (s->period % d != 0) {
        return false;
    }
    __int128 constant = d * value[0] - x * a->v[0] - (b ? y * b->v[0] : 0);
    if (constant > INT32_MAX || constant < INT32_MIN || x > INT32_MAX || x < INT32_MIN ||
        y > INT32_MAX || y < INT32_MIN) {
        return false;
    }
    *out = (Expr){.nterm = b ? 2 : 1, .constant = (int64_t)constant, .divisor = (int64_t)d};
    out->term[0].c = (int64_t)x;
    memcpy(out->term[0].power, a->power, sizeof a->power);
    if (b) {
        out->term[1].c = (int64_t)y;
        memcpy(out->term[1].power, b->power, sizeof b->power);
    }
    return true;
}

/* Does the expression have the right value at every sample? */
static bool agrees(const Expr *e, const SamplePoints *s, const int64_t *value) {
    Expr copy = *e;
    for (int k = 0; k < s->n; k++) {
        if (!expr_evaluate(&copy, s->at[k], s->nsymbol) || copy.value != value[k]) {
            return false;
        }
    }
    return true;
}

bool expr_fit(const SamplePoints *s, const int64_t *value, Expr *out) {
    Monomial m[MAX_MONOMIALS];
    int n = make_monomials(s, m);
    for (int i = 0; i < n; i++) {
        if (expr_finish(s, value, &m[i], (__int128)value[1] - value[0], NULL, 0,
                        (__int128)m[i].v[1] - m[i].v[0], out) &&
            agrees(out, s, value)) {
            return true;
        }
    }
    __int128 v1 = (__int128)value[1] - value[0], v2 = (__int128)value[2] - value[0];
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) { /* Cramer's rule */
            __int128 a1 = m[i].v[1] - m[i].v[0], a2 = m[i].v[2] - m[i].v[0],
                     b1 = m[j].v[1] - m[j].v[0], b2 = m[j].v[2] - m[j].v[0];
            if (expr_finish(s, value, &m[i], v1 * b2 - v2 * b1, &m[j], a1 * v2 - a2 * v1,
                            a1 * b2 - a2 * b1, out) &&
                agrees(out, s, value)) {
                return true;
            }
        }
    }
    return false;
}

bool expr_evaluate(Expr *e, const int64_t *symbol, int nsymbol) {
    int64_t v = e->constant, term;
    for (int t = 0; t < e->nterm; t++) {
        int64_t product = power_product(e->term[t].power, symbol, nsymbol);
        if (product < 0 || __builtin_mul_overflow(e->term[t].c, product, &term) ||
            __builtin_add_overflow(v, term, &v)) {
            return false;
        }
    }
    e->value = v / e->divisor;
    return v % e->divisor == 0;
}

Expr expr_constant(int64_t v) { return (Expr){.constant = v, .divisor = 1, .value = v}; }

int expr_compare(const Expr *a, const Expr *b, int nsymbol) {
    /* b - a over a common divisor: if every coefficient has one sign, the least or greatest value
     * is that at sizes 2 */
    int64_t c[2 * MAX_TERMS], two[MAX_SYMBOLS] = {2, 2, 2, 2};
    __int128 at_two =
        (__int128)b->constant * a->divisor -
        (__int128)a->constant * b->divisor; /* beyond 64 bits where a number is near their end */
    const signed char *power[2 * MAX_TERMS];
    int n = 0;
    for (int side = 0; side < 2; side++) {
        const Expr *e = side ? b : a;
        for (int t = 0; t < e->nterm; t++) {
            int64_t v = side ? e->term[t].c * a->divisor : -e->term[t].c * b->divisor;
            int k = 0;
            while (k < n && memcmp(power[k], e->term[t].power, MAX_SYMBOLS) != 0) {
                k++;
            }
            if (k == n) {
                power[n] = e->term[t].power;
                c[n++] = 0;
            }
            c[k] += v;
        }
    }
    bool up = true, down = true, moves = false;
    for (int k = 0; k < n; k++) {
        up &= c[k] >= 0;
        down &= c[k] <= 0;
        moves |= c[k] != 0;
        at_two += (__int128)c[k] * power_product(power[k], two, nsymbol);
    }
    int now = at_two > 0 ? COMPARES_LESS : at_two == 0 ? COMPARES_EQUAL : COMPARES_GREATER;
    if (!moves) {
        return now;
    }
    if (up && at_two >= 0) {
        return now | COMPARES_LESS;
    }
    if (down && at_two <= 0) {
        return now | COMPARES_GREATER;
    }
    return COMPARES_ANY;
}

void expr_print(Text *text, const Expr *e) {
    bool brackets = e->divisor != 1 && (e->nterm > 1 || (e->nterm == 1 && e->constant != 0)),
         any = false;
    text_add(text, brackets ? "(" : "");
    for (int t = 0; t < e->nterm; t++) {
        int64_t c = e->term[t].c;
        text_add(text, any ? c < 0 ? " - " : " + " : c < 0 ? "-" : "");
        c = c < 0 ? -c : c;
        bool factor = c != 1;
        if (factor) {
            text_printf(text, "%lld", (long long)c);
        }
        for (int i = 0; i < MAX_SYMBOLS; i++) {
            for (int k = 0; k < e->term[t].power[i]; k++) {
                text_printf(text, "%ss%d", factor ? "*" : "", i);
                factor = true;
            }
        }
        any = true;
    }
    if (!any || e->constant != 0) {
        int64_t c = e->constant;
        text_printf(text, "%s%lld",
                    any     ? c < 0 ? " - " : " + "
                    : c < 0 ? "-"
                            : "",
                    (long long)(c < 0 ? -c : c));
    }
    text_add(text, brackets ? ")" : "");
    if (e->divisor != 1) {
        text_printf(text, "/%lld", (long long)e->divisor);
    }
}
