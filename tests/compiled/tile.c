/* The kernels of the tile machine: every instruction set answers the same bits, and the polynomials
 * keep their stated errors. */
#include "compiled/tile/isa.h"
#include "compiled/tile/run.h"
#include "tensor/rng.h"
#include "tests/support/runner.h"

#include <math.h>
#include <string.h>

enum { N = 133 /* whole vectors and a rest */ };

static const double special[] = {0,         -0.0,  1,     -1,      0.5,     -2.5,  INFINITY,
                                 -INFINITY, NAN,   1e-40, -1e-40,  88.72,   -87.3, -103.9,
                                 1e38,      -1e38, 0.6,   -0.6,    0.59999, 7,     -7,
                                 300,       -300,  1e-8,  9007199, 3.5,     2.25,  -0.125};

typedef union Register {
    float f[N];
    double d[N];
    int64_t i[N];
} Register;

/* Floats of all magnitudes with special values strewn in; `form`: float, double, int64. */
static void fill_register(Register *r, int form, Rng *rng) {
    for (int k = 0; k < N; k++) {
        uint64_t bits = rng_next(rng);
        double v = bits % 5 == 0
                       ? special[(bits >> 8) % COUNT_OF(special)]
                       : ldexp((double)(int64_t)(bits >> 40) - 0x1p23, -23 + (int)(bits % 12));
        if (form == 0) {
            r->f[k] = (float)v;
        } else if (form == 1) {
            r->d[k] = v;
        } else {
            r->i[k] = (int64_t)bits >> (bits % 64);
        }
    }
}

static const char forms[TILE_OP_COUNT][2] = {
#define FORM_float 0
#define FORM_double 1
#define FORM_int64_t 2
#define TILE_OP(name, in, out, arity, expression) [TILE_##name] = {FORM_##in, FORM_##out},
#define TILE_OP_SELECT(name, type) [TILE_##name] = {FORM_##type, FORM_##type},
#define TILE_OP_MASK(name, type) [TILE_##name] = {FORM_##type, FORM_##type},
#include "compiled/tile/ops.def"
#undef TILE_OP
#undef TILE_OP_SELECT
#undef TILE_OP_MASK
};

static bool same(const Register *a, const Register *b, int form) {
    for (int k = 0; k < N; k++) {
        bool equal = form == 0 ? memcmp(&a->f[k], &b->f[k], sizeof a->f[k]) == 0 ||
                                     (isnan(a->f[k]) && isnan(b->f[k]))
                     : form == 1 ? memcmp(&a->d[k], &b->d[k], sizeof a->d[k]) == 0 ||
                                       (isnan(a->d[k]) && isnan(b->d[k]))
                                 : a->i[k] == b->i[k];
        if (!equal) {
            return false;
        }
    }
    return true;
}

START_TEST(every_instruction_set_answers_the_same_bits) {
    Rng rng = {7};
    static Register src[4], want, got;
    for (int number = 0; tile_isa(number); number++) {
        const TileIsa *isa = tile_isa(number);
        for (int op = 0; op < TILE_OP_COUNT; op++) {
            bool select = op == TILE_where_f32 || op == TILE_where_f64,
                 mask = op == TILE_masked_fill_f32 || op == TILE_masked_fill_f64;
            for (int s = 0; s < 4; s++) {
                fill_register(&src[s], (select && s == 0) || (mask && s == 1) ? 2 : forms[op][0],
                              &rng);
            }
            const void *const list[4] = {&src[0], &src[1], &src[2], &src[3]};
            memset(&want, 0, sizeof want);
            memset(&got, 0, sizeof got);
            tile_isa_base.function[op](N, &want, list);
            isa->function[op](N, &got, list);
            ck_assert_msg(same(&want, &got, forms[op][1]), "%s of %s", tile_op_name((TileOp)op),
                          isa->name);
        }
        fill_register(&src[0], 0, &rng);
        for (int k = 0; k < N; k++) {
            src[0].f[k] = isfinite(src[0].f[k]) ? src[0].f[k] : 1;
        }
        ck_assert_double_eq(isa->sum_f32(src[0].f, N, 3), tile_isa_base.sum_f32(src[0].f, N, 3));
        memset(&want, 0, sizeof want);
        memset(&got, 0, sizeof got);
        tile_isa_base.softmax_row(want.f, src[0].f, N);
        isa->softmax_row(got.f, src[0].f, N);
        ck_assert(same(&want, &got, 0));
        tile_isa_base.softmax_columns(want.f, 7, src[0].f, 7, N / 7, 7);
        isa->softmax_columns(got.f, 7, src[0].f, 7, N / 7, 7);
        ck_assert(same(&want, &got, 0));
    }
}
END_TEST

typedef double (*Exact)(double v);
static double exact_sigmoid(double v) { return 1 / (1 + exp(-v)); }
static double exact_silu(double v) { return v / (1 + exp(-v)); }

/* Over all exponents and special values: the neighbouring float at most, and the same infinities,
 * nans, zeros and signs. */
START_TEST(polynomials_are_within_one_float_of_the_library) {
    static const struct {
        TileOp op;
        Exact exact;
    } cases[] = {{TILE_exp_f32, exp},         {TILE_expm1_f32, expm1},
                 {TILE_tanh_f32, tanh},       {TILE_sigmoid_f32, exact_sigmoid},
                 {TILE_silu_f32, exact_silu}, {TILE_log_f32, log},
                 {TILE_erf_f32, erf}};
    for (int c = 0; c < COUNT_OF(cases); c++) {
        for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 40009) {
            uint32_t word = (uint32_t)bits;
            float x, y;
            memcpy(&x, &word, sizeof x);
            const void *const src[4] = {&x, &x, &x, &x};
            tile_isa(0)->function[cases[c].op](1, &y, src);
            double exact = cases[c].exact((double)x);
            float want =
                fabs(exact) > 0x1.fffffefp127 ? (float)copysign(INFINITY, exact) : (float)exact;
            bool near = (isnan(want) && isnan(y)) || y == want || y == nextafterf(want, INFINITY) ||
                        y == nextafterf(want, -INFINITY);
            ck_assert_msg(near && (isnan(want) || signbit(want) == signbit(y)) &&
                              isinf(want) == isinf(y),
                          "%s(%a) = %a, want %a", tile_op_name(cases[c].op), (double)x, (double)y,
                          (double)want);
        }
    }
}
END_TEST

static double exact_gelu(double v) { return 0.5 * v * (1 + erf(v * M_SQRT1_2)); }

/* Units in the last place of a float of v's magnitude. */
static double in_ulps(double difference, double v) {
    int exponent;
    frexp(v, &exponent);
    return fabs(difference) / ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
}

/* In every instruction set, over all exponents; nans, infinities and the signs of what is not
 * nothing stay. */
START_TEST(float_functions_are_within_the_ulps_of_their_table) {
    static const struct {
        TileOp op;
        double ulps;
    } cases[] = {
#define FLOAT32_MATH(name, expression, ulp) {TILE_##name, ulp},
#include "compiled/tile/float32_math.def"
#undef FLOAT32_MATH
    };
    for (int number = 0; tile_isa(number); number++) {
        for (int c = 0; c < COUNT_OF(cases); c++) {
            TileOp op = cases[c].op;
            Exact exact = op == TILE_exp_f32    ? exp
                          : op == TILE_tanh_f32 ? tanh
                          : op == TILE_erf_f32  ? erf
                          : op == TILE_silu_f32 ? exact_silu
                          : op == TILE_gelu_f32 ? exact_gelu
                                                : exact_sigmoid;
            ck_assert(tile_has_float32_math(op));
            for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 40009) {
                uint32_t word = (uint32_t)bits;
                float x, y;
                memcpy(&x, &word, sizeof x);
                const void *const src[4] = {&x, &x, &x, &x};
                tile_isa(number)->float32_math[op](1, &y, src);
                double want = exact((double)x);
                bool over = fabs(want) > 0x1.fffffefp127;
                bool near = isnan(want) ? isnan(y)
                            : over
                                ? isinf(y) && (y > 0) == (want > 0)
                                : in_ulps((double)y - want,
                                          op == TILE_gelu_f32 ? (double)x : want) <= cases[c].ulps;
                ck_assert_msg(
                    near && (isnan(want) || want == 0 || y == 0 || !signbit(y) == !signbit(want)),
                    "%s of %s: (%a) = %a, want %a", tile_op_name(op), tile_isa(number)->name,
                    (double)x, (double)y, want);
            }
        }
    }
}
END_TEST

enum { ROWS = 37, COLUMNS = 300 };

static bool is_near(double got, double want, double ulps) {
    return isnan(want) ? isnan(got) : in_ulps(got - want, want) <= ulps;
}

/* Rows and columns of ROWS x COLUMNS floats: whatever is left of a four is added, too. */
START_TEST(sums_by_fours_take_every_element_once) {
    static float x[ROWS * COLUMNS], part[COLUMNS];
    static double column[COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        x[i] = (float)(i * 7919 % 1021) * 0.125f;
    }
    for (int number = 0; tile_isa(number); number++) {
        const TileIsa *isa = tile_isa(number);
        double sum = 1, all = 1;
        memset(column, 0, sizeof column);
        for (int n = 0; n < ROWS; n++) {
            for (int k = 0; k < COLUMNS; k++) {
                all += (double)x[n * COLUMNS + k];
            }
            sum = isa->sum_partial4(x + n * COLUMNS, COLUMNS, sum);
            ck_assert(sum == all); /* eighths: nothing is rounded */
            isa->add_partial4(column, part, x + n * COLUMNS, n % 4, COLUMNS);
        }
        for (int k = 0; k < COLUMNS; k++) {
            double want = 0;
            for (int n = 0; n < ROWS; n++) {
                want += (double)x[n * COLUMNS + k];
            }
            ck_assert(column[k] + (double)part[k] == want); /* ROWS % 4 is 1: the last row waits */
        }
    }
}
END_TEST

START_TEST(softmax_in_float_arithmetic_is_near_the_one_in_double) {
    static float x[ROWS * COLUMNS], row[ROWS * COLUMNS], column[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        x[i] = (float)(i * 7919 % 1021) * 0.03125f - 15; /* no difference is rounded */
    }
    x[5 * COLUMNS + 5] = NAN;
    x[6 * COLUMNS + 6] = INFINITY;
    x[7 * COLUMNS + 7] = -INFINITY;
    for (int number = 0; tile_isa(number); number++) {
        tile_isa(number)->softmax_columns_float32(column, COLUMNS, x, COLUMNS, ROWS, COLUMNS);
        for (int n = 0; n < ROWS; n++) {
            tile_isa(number)->softmax_row_float32(row + n * COLUMNS, x + n * COLUMNS, COLUMNS);
        }
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            double along[2] = {0, 0}, top[2] = {-INFINITY, -INFINITY};
            int n = i / COLUMNS, k = i % COLUMNS;
            for (int pass = 0; pass < 2; pass++) {
                for (int j = 0; j < COLUMNS; j++) {
                    double v = (double)x[n * COLUMNS + j];
                    top[0] = pass == 0 && v > top[0] ? v : top[0];
                    along[0] += pass == 1 ? exp(v - top[0]) : 0;
                }
                for (int j = 0; j < ROWS; j++) {
                    double v = (double)x[j * COLUMNS + k];
                    top[1] = pass == 0 && v > top[1] ? v : top[1];
                    along[1] += pass == 1 ? exp(v - top[1]) : 0;
                }
            }
            ck_assert(is_near((double)row[i], exp((double)x[i] - top[0]) / along[0], 4));
            ck_assert(is_near((double)column[i], exp((double)x[i] - top[1]) / along[1], 4));
        }
    }
}
END_TEST

int main(void) {
    Suite *s = suite_create("compiled/tile");
    TCase *t = tcase_create("tile");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, every_instruction_set_answers_the_same_bits);
    tcase_add_test(t, polynomials_are_within_one_float_of_the_library);
    tcase_add_test(t, float_functions_are_within_the_ulps_of_their_table);
    tcase_add_test(t, sums_by_fours_take_every_element_once);
    tcase_add_test(t, softmax_in_float_arithmetic_is_near_the_one_in_double);
    suite_add_tcase(s, t);
    return run_suite("compiled/tile", s);
}
