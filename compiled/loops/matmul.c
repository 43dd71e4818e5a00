/* Matrix products: by BLAS where it pays and the strides allow it, otherwise by loops.
 *
 * The loops keep a block of a result row in double (integers: int64, wrapping). The loop over k is
 * outside, so that the innermost loop runs along a row of the right operand. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "compiled/loops/blas.h"
#include "compiled/loops/run.h"

#include <string.h>

enum { COLUMN_BLOCK = 64 }; /* results that are accumulated together */

static void column_block_float(const MatmulLoop *m, const void *a, const void *b, int64_t ai,
                               int64_t bi, int n, double *acc) {
    for (int j = 0; j < n; j++) {
        acc[j] = 0;
    }
    int64_t step = m->bstride[2];
    for (int64_t k = 0; k < m->k; k++, ai += m->astride[2], bi += m->bstride[1]) {
        if (m->dtype == DT_float32) {
            double v = (double)((const float *)a)[ai];
            const float *row = (const float *)b + bi;
            for (int j = 0; j < n; j++) {
                acc[j] += v * (double)row[j * step];
            }
        } else if (m->dtype == DT_float64) {
            double v = ((const double *)a)[ai];
            const double *row = (const double *)b + bi;
            for (int j = 0; j < n; j++) {
                acc[j] += v * row[j * step];
            }
        } else {
            double v = element_double(a, m->dtype, ai);
            for (int j = 0; j < n; j++) {
                acc[j] += v * element_double(b, m->dtype, bi + j * step);
            }
        }
    }
}

static void column_block_int(const MatmulLoop *m, const void *a, const void *b, int64_t ai,
                             int64_t bi, int n, uint64_t *acc) {
    memset(acc, 0, sizeof *acc * (size_t)n);
    for (int64_t k = 0; k < m->k; k++, ai += m->astride[2], bi += m->bstride[1]) {
        uint64_t v = (uint64_t)element_int(a, m->dtype, ai);
        for (int j = 0; j < n; j++) {
            acc[j] += v * (uint64_t)element_int(b, m->dtype, bi + j * m->bstride[2]);
        }
    }
}

static void plain(const MatmulLoop *m, void *const *data, int64_t first_row, int64_t end_row) {
    const void *a = data[m->a.buffer], *b = data[m->b.buffer],
               *d = m->has_d ? data[m->d.buffer] : NULL;
    void *c = data[m->c.buffer];
    bool is_float = dtype_is_float(m->dtype);
    for (int64_t row = first_row; row < end_row; row++) {
        int64_t batch = row / m->m, i = row % m->m;
        int64_t ai = m->a.offset + batch * m->astride[0] + i * m->astride[1];
        for (int64_t j0 = 0; j0 < m->n; j0 += COLUMN_BLOCK) {
            int n = m->n - j0 < COLUMN_BLOCK ? (int)(m->n - j0) : COLUMN_BLOCK;
            double acc[COLUMN_BLOCK];
            uint64_t iacc[COLUMN_BLOCK];
            int64_t bi = m->b.offset + batch * m->bstride[0] + j0 * m->bstride[2];
            if (is_float) {
                column_block_float(m, a, b, ai, bi, n, acc);
            } else {
                column_block_int(m, a, b, ai, bi, n, iacc);
            }
            for (int j = 0; j < n; j++) {
                int64_t ci = m->c.offset + batch * m->cstride[0] + i * m->cstride[1] +
                             (j0 + j) * m->cstride[2];
                int64_t di = m->d.offset + i * m->dstride[1] + (j0 + j) * m->dstride[2];
                if (is_float) {
                    double v = m->alpha.f == 1 || m->k == 0 ? acc[j] : m->alpha.f * acc[j];
                    if (d) { /* an empty sum leaves beta * d unchanged: -0.0 stays */
                        double scaled = m->beta.f * element_double(d, m->dtype, di);
                        v = m->k == 0 ? scaled : v + scaled;
                    }
                    element_store_double(c, m->dtype, ci, v);
                } else {
                    uint64_t v =
                        (uint64_t)m->alpha.i * iacc[j] +
                        (d ? (uint64_t)m->beta.i * (uint64_t)element_int(d, m->dtype, di) : 0);
                    element_store_int(c, m->dtype, ci, (int64_t)v);
                }
            }
        }
    }
}

#ifndef TWINGRAD_NO_BLAS
/* Row-major with a leading dimension, or the transpose of that. */
static int blas_layout(const int64_t *stride, int64_t rows, int64_t columns, int *ld) {
    bool by_rows = (stride[2] == 1 || columns == 1) && stride[1] >= max_i64(columns, 1);
    *ld = (int)max_i64(by_rows ? stride[1] : stride[2],
                       by_rows ? max_i64(columns, 1) : max_i64(rows, 1));
    return by_rows ? CblasNoTrans : CblasTrans;
}

/* Where a result is not finite, the order of the additions decides between inf and NaN. BLAS has
 * its own order, so such products are computed again by the loops. */
static bool all_finite(const MatmulLoop *m, const void *c, int64_t ci) {
    int bad = 0; /* tests the exponent bits without a branch, so that the loop is vectorized */
    for (int64_t i = 0; i < m->m && !bad; i++) {
        const char *row = (const char *)c + (ci + i * m->cstride[1]) * dtype_bytes(m->dtype);
        for (int64_t j = 0; m->dtype == DT_float32 && j < m->n; j++) {
            uint32_t bits;
            memcpy(&bits, row + 4 * j, sizeof bits);
            bad |= (bits & 0x7F800000) == 0x7F800000;
        }
        for (int64_t j = 0; m->dtype == DT_float64 && j < m->n; j++) {
            uint64_t bits;
            memcpy(&bits, row + 8 * j, sizeof bits);
            bad |= (bits & UINT64_C(0x7FF0000000000000)) == UINT64_C(0x7FF0000000000000);
        }
    }
    return !bad;
}

/* Copies D to C, where BLAS scales it by beta. */
static void copy_addend(const MatmulLoop *m, void *const *data, int64_t ci) {
    int bytes = dtype_bytes(m->dtype);
    for (int64_t i = 0; i < m->m; i++) {
        char *to = (char *)data[m->c.buffer] + (ci + i * m->cstride[1]) * bytes;
        const char *from =
            (const char *)data[m->d.buffer] + (m->d.offset + i * m->dstride[1]) * bytes;
        if (m->dstride[2] == 1) {
            memcpy(to, from, (size_t)(m->n * bytes));
            continue;
        }
        for (int64_t j = 0; j < m->n; j++) {
            memcpy(to + j * bytes, from + j * m->dstride[2] * bytes, (size_t)bytes);
        }
    }
}

static void multiply(const Blas *blas, const MatmulLoop *m, void *const *data, int64_t from,
                     int64_t to) {
    int lda, ldb, ldc = (int)m->cstride[1];
    int ta = blas_layout(m->astride, m->m, m->k, &lda),
        tb = blas_layout(m->bstride, m->k, m->n, &ldb);
    for (int64_t batch = from; batch < to; batch++) {
        int64_t ai = m->a.offset + batch * m->astride[0], bi = m->b.offset + batch * m->bstride[0],
                ci = m->c.offset + batch * m->cstride[0];
        if (m->has_d) {
            copy_addend(m, data, ci);
        }
        if (m->dtype == DT_float32) {
            blas->sgemm(CblasRowMajor, (CBLAS_TRANSPOSE)ta, (CBLAS_TRANSPOSE)tb, (int)m->m,
                        (int)m->n, (int)m->k, (float)m->alpha.f,
                        (const float *)data[m->a.buffer] + ai, lda,
                        (const float *)data[m->b.buffer] + bi, ldb, m->has_d ? (float)m->beta.f : 0,
                        (float *)data[m->c.buffer] + ci, ldc);
        } else {
            blas->dgemm(CblasRowMajor, (CBLAS_TRANSPOSE)ta, (CBLAS_TRANSPOSE)tb, (int)m->m,
                        (int)m->n, (int)m->k, m->alpha.f, (const double *)data[m->a.buffer] + ai,
                        lda, (const double *)data[m->b.buffer] + bi, ldb, m->has_d ? m->beta.f : 0,
                        (double *)data[m->c.buffer] + ci, ldc);
        }
        if (!all_finite(m, data[m->c.buffer], ci)) {
            plain(m, data, batch * m->m, (batch + 1) * m->m);
        }
    }
}
#endif

void loop_matmul(const MatmulLoop *m, void *const *data, int64_t from, int64_t to) {
    if (from == to || m->m == 0 || m->n == 0) {
        return;
    }
#ifndef TWINGRAD_NO_BLAS
    const Blas *blas = m->blas ? blas_open() : NULL;
    if (blas) {
        multiply(blas, m, data, from, to);
        return;
    }
#endif
    plain(m, data, from * m->m, to * m->m);
}
