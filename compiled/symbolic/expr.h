/* Numbers of a symbolic compilation, as polynomials of the symbols. */
#ifndef COMPILED_SYMBOLIC_EXPR_H
#define COMPILED_SYMBOLIC_EXPR_H

#include "program/json/json.h"

enum { MAX_SYMBOLS = 4, MAX_SAMPLES = 6, MAX_TERMS = 2 };

/* (constant + sum of c * product of symbols) / divisor. */
typedef struct Expr {
    int nterm;
    struct {
        int64_t c;
        signed char power[MAX_SYMBOLS];
    } term[MAX_TERMS];
    int64_t constant, divisor;
    int64_t value; /* at the sizes of the last expr_evaluate */
} Expr;

/* The sizes of the samples: at[k][i] is symbol i in sample k; all leave the same remainder modulo
 * `period`. */
typedef struct SamplePoints {
    int nsymbol, n;
    int64_t period;
    int64_t at[MAX_SAMPLES][MAX_SYMBOLS];
} SamplePoints;
/* The polynomial that has these values at the samples; false if there is none of at most MAX_TERMS
 * terms, divided by a divisor of the period. */
bool expr_fit(const SamplePoints *points, const int64_t *value, Expr *out);
/* Sets `value`; false if the division leaves a remainder, or it overflows. */
bool expr_evaluate(Expr *e, const int64_t *symbol, int nsymbol);
/* How a may compare with b at sizes of 2 or more: a union of COMPARES. */
enum { COMPARES_LESS = 1, COMPARES_EQUAL = 2, COMPARES_GREATER = 4, COMPARES_ANY = 7 };
int expr_compare(const Expr *a, const Expr *b, int nsymbol);
Expr expr_constant(int64_t v);
void expr_print(Text *text, const Expr *e);

#endif
